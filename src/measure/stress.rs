//! The stress tensor of the contact forces (J. Weber 1966, Recherches concernant les contraintes intergranulaires dans
//! les milieux pulverulents):
//!
//! sigma = (1/V) sum over contacts of f (x) l,
//!
//! where f is the force on the second body and l the branch vector from the first body to the second; compression is
//! positive. The branch to a wall ends at the contact point (internal moment of each grain: J. J. Moreau 1997,
//! Numerical investigation of shear zones in granular materials). A contact belongs to the region that contains its
//! point. Links are included; the kinetic contribution rho v' (x) v' is not.
//!
//! In deformable bodies the elements themselves have a Cauchy stress. Its mean, weighted by volume, is that over the
//! elements whose centre lies in the region, in world axes and with compression positive too.

use super::quantity::{Measure, Quantity};
use super::region::Region;
use super::tensor::{deviator_of, mean_of, ratio};
use crate::body::ElementStress;
use crate::dim::{Dim, Orientation, Square, Vector};
use crate::scene::StressMeasure;
use crate::simulation::{DeformedBody, Snapshot};

/// Stress, solid fraction and void ratio of a region.
pub(crate) struct Stress<X: Dim> {
    region: Region<X>,
    /// Are there deformable bodies?
    has_elements: bool,
}

impl<X: Dim> Stress<X> {
    pub(crate) fn new(entry: &StressMeasure, has_elements: bool) -> Self {
        Self { region: Region::new(entry.region.as_ref()), has_elements }
    }

    /// Mean stress of the elements in the region, and their volume.
    fn of_elements(&self, snapshot: &Snapshot<X>) -> Vec<f64> {
        let tensor = X::D * X::D;
        let mut sums = snapshot.sum_over_deformables(tensor + 1, |body, sums| {
            let DeformedBody { state, nodes, .. } = body;
            let Some(operator) = snapshot.model.deformable(state) else { return };
            for ElementStress { centre, volume, stress } in operator.element_stresses(nodes) {
                let mut place = state.position + state.orientation.rotate(centre);
                if let Some(cell) = &snapshot.model.cell {
                    place += cell.shift(cell.home(place, snapshot.now.time), snapshot.now.time);
                }
                if !self.region.contains(place) {
                    continue;
                }
                // R sigma R', row by row: the axes of the world as seen from the body.
                let axes: Vec<X::Vector> = (0..X::D).map(|k| state.orientation.unrotate(X::Vector::axis(k))).collect();
                for (k, entry) in (0..tensor).map(|k| (k, stress.apply(axes[k % X::D]).dot(&axes[k / X::D]))) {
                    sums.add(k, -volume * entry);
                }
                sums.add(tensor, volume);
            }
        });
        let volume = sums[tensor];
        sums[..tensor].iter_mut().for_each(|sum| *sum = ratio(*sum, volume));
        sums
    }
}

impl<X: Dim> Measure<X> for Stress<X> {
    fn quantities(&self) -> Vec<Quantity> {
        let mut all = Quantity::tensor::<X>("stress", X::STRESS_UNIT);
        all.extend([
            Quantity::new("pressure", X::STRESS_UNIT),
            Quantity::new("deviator", X::STRESS_UNIT),
            Quantity::new("deviator_over_pressure", ""),
            Quantity::new("volume", X::VOLUME_UNIT),
            Quantity::new("solid_fraction", ""),
            Quantity::new("void_ratio", ""),
        ]);
        if self.has_elements {
            all.extend(Quantity::tensor::<X>("element_stress", "Pa"));
            all.push(Quantity::new("element_volume", X::VOLUME_UNIT));
        }
        all
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let volume = self.region.volume(snapshot);
        let moments = snapshot.sum_over_contacts(X::D * X::D, |contact, sums| {
            if self.region.contains(contact.point) {
                sums.add_product(0, &snapshot.force(contact), &contact.branch());
            }
        });
        let solid = snapshot.sum_over_grains(1, |grain, sums| sums.add(0, self.region.filled(snapshot, grain)))[0];
        let mut row: Vec<f64> = moments.into_iter().map(|moment| ratio(moment, volume)).collect();
        let (pressure, deviator) = (mean_of::<X>(&row), deviator_of::<X>(&row));
        let fraction = ratio(solid, volume);
        let void_ratio = ratio(volume - solid, solid);
        row.extend([pressure, deviator, ratio(deviator, pressure), volume, fraction, void_ratio]);
        if self.has_elements {
            row.extend(self.of_elements(snapshot));
        }
        vec![row]
    }
}
