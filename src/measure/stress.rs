//! The stress tensor of the contact forces (J. Weber 1966, Recherches concernant les contraintes intergranulaires dans
//! les milieux pulverulents):
//!
//! sigma = (1/V) sum over contacts of f (x) l,
//!
//! where f is the force on the second body and l the branch vector from the first body to the second; compression is
//! positive. The branch to a wall ends at the contact point (internal moment of each grain: J. J. Moreau 1997,
//! Numerical investigation of shear zones in granular materials). A contact belongs to the region that contains its
//! point. Links are included; the kinetic contribution rho v' (x) v' is not.

use super::quantity::{Measure, Quantity};
use super::region::Region;
use super::tensor::{deviator_of, mean_of, ratio};
use crate::dim::Dim;
use crate::scene::StressMeasure;
use crate::simulation::Snapshot;

/// Stress, solid fraction and void ratio of a region.
pub(crate) struct Stress<X: Dim> {
    region: Region<X>,
}

impl<X: Dim> Stress<X> {
    pub(crate) fn new(entry: &StressMeasure) -> Self {
        Self { region: Region::new(entry.region.as_ref()) }
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
        vec![row]
    }
}
