//! Profiles along an axis: density, velocity, stress and rheology in slices of the sample.
//!
//! In each slice a grain counts by the share of its volume inside (as an equivalent sphere) and a contact by its point.
//! The columns are the solid fraction; the mean velocity, weighted by mass; the stress sigma, as for the
//! [sample](super::stress); the pressure p = tr sigma/D; the shear rate g = |d v_along/d x_axis| by finite differences
//! between neighbouring slices; the inertial number I = g d sqrt(rho/p), with the mean diameter d and the material
//! density rho of the grains; and mu = |sigma_along,axis|/p (GDR MiDi 2004, On dense granular flows).

use super::quantity::{Measure, Quantity};
use super::region::{each_image, share_between};
use super::tensor::{mean_of, ratio};
use crate::dim::{Dim, Vector};
use crate::scene::ProfileMeasure;
use crate::simulation::Snapshot;

/// Slices along an axis.
pub(crate) struct Profile {
    axis: usize,
    along: usize,
    slices: usize,
    ends: [Option<f64>; 2],
}

impl Profile {
    pub(crate) fn new<X: Dim>(entry: &ProfileMeasure) -> Option<Self> {
        let [axis, along] = entry.axes(X::D)?;
        Some(Self { axis, along, slices: entry.slices as usize, ends: [entry.min, entry.max] })
    }

    /// Lower end of the first slice and thickness of a slice; the thickness is zero if the sample is empty or outside
    /// the bounds.
    fn range<X: Dim>(&self, snapshot: &Snapshot<X>) -> (f64, f64) {
        let low = self.ends[0].unwrap_or(snapshot.sample.min[self.axis]);
        let high = self.ends[1].unwrap_or(snapshot.sample.max[self.axis]);
        (low, (high - low).max(0.0) / self.slices as f64)
    }
}

/// Number of scalars summed per slice: volume, mass, number and diameter of grains. The momentum follows them.
const SCALARS: usize = 4;

impl<X: Dim> Measure<X> for Profile {
    fn quantities(&self) -> Vec<Quantity> {
        let mut all = vec![Quantity::new("position", "m"), Quantity::new("solid_fraction", "")];
        all.extend(Quantity::vector::<X>("velocity", "m/s"));
        all.extend(Quantity::tensor::<X>("stress", X::STRESS_UNIT));
        all.extend([
            Quantity::new("pressure", X::STRESS_UNIT),
            Quantity::new("shear_rate", "1/s"),
            Quantity::new("inertial_number", ""),
            Quantity::new("mu", ""),
        ]);
        all
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let (low, thickness) = self.range(snapshot);
        let boundary = |k: usize| low + k as f64 * thickness;
        let slice_of = |x: f64| ((x - low) / thickness).floor();
        let is_slice = |slice: f64| slice >= 0.0 && slice < self.slices as f64;
        let width = SCALARS + X::D;
        let grains = snapshot.sum_over_grains(self.slices * width, |grain, sums| {
            let (model, time) = (snapshot.model, snapshot.now.time);
            let volume = model.volume(grain);
            each_image(model, grain, time, |centre, radius, image| {
                let drift = model.cell.as_ref().map_or(X::Vector::zero(), |cell| cell.drift(image));
                let momentum = (grain.velocity + drift) * grain.mass;
                let x = centre[self.axis];
                let first = slice_of(x - radius).max(0.0);
                let last = slice_of(x + radius).min(self.slices as f64 - 1.0);
                // Images along other axes cover the same slices: only the image whose centre lies in the cell counts.
                let is_home = model.cell.as_ref().is_none_or(|cell| {
                    let is_in = |k: usize| cell.bounds.min[k] <= centre[k] && centre[k] < cell.bounds.max[k];
                    (0..X::D).all(|k| k == self.axis || !cell.repeats[k] || is_in(k))
                });
                if !is_home || first.is_nan() || last.is_nan() || first > last {
                    return;
                }
                for k in first as usize..=last as usize {
                    let share = share_between::<X>(x, radius, [boundary(k), boundary(k + 1)]);
                    let at = k * width;
                    sums.add_all(at, &[share * volume, share * grain.mass, share, share * 2.0 * radius]);
                    sums.add_all(at + SCALARS, (momentum * share).as_slice());
                }
            });
        });
        let tensor = X::D * X::D;
        let moments = snapshot.sum_over_contacts(self.slices * tensor, |contact, sums| {
            let slice = slice_of(contact.point[self.axis]);
            if is_slice(slice) {
                sums.add_product(slice as usize * tensor, &snapshot.force(contact), &contact.branch());
            }
        });
        let section: f64 =
            (0..X::D).filter(|&k| k != self.axis).map(|k| snapshot.sample.max[k] - snapshot.sample.min[k]).product();
        let volume = section * thickness;
        let velocity = |k: usize, i: usize| ratio(grains[k * width + SCALARS + i], grains[k * width + 1]);
        let rows = (0..self.slices).map(|k| {
            let sums = &grains[k * width..][..width];
            let stress: Vec<f64> = moments[k * tensor..][..tensor].iter().map(|m| ratio(*m, volume)).collect();
            let pressure = mean_of::<X>(&stress);
            let rate = self.shear_rate(k, thickness, |k| velocity(k, self.along));
            let (diameter, density) = (ratio(sums[3], sums[2]), ratio(sums[1], sums[0]));
            let inertial = rate * diameter * ratio(density, pressure).sqrt();
            let mu = ratio(stress[self.along * X::D + self.axis].abs(), pressure);
            let mut row = vec![low + (k as f64 + 0.5) * thickness, ratio(sums[0], volume)];
            row.extend((0..X::D).map(|i| velocity(k, i)));
            row.extend(stress);
            row.extend([pressure, rate, inertial, mu]);
            row
        });
        rows.collect()
    }
}

impl Profile {
    /// Central difference, or a one-sided difference where only one neighbour has a velocity.
    fn shear_rate(&self, k: usize, thickness: f64, velocity: impl Fn(usize) -> f64) -> f64 {
        let defined = |k: usize| Some(velocity(k)).filter(|v| v.is_finite());
        let below = k.checked_sub(1).filter(|&k| defined(k).is_some()).unwrap_or(k);
        let above = Some(k + 1).filter(|&k| k < self.slices && defined(k).is_some()).unwrap_or(k);
        ratio((velocity(above) - velocity(below)).abs(), (above - below) as f64 * thickness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shear_rate_is_a_difference_of_the_neighbours_that_have_a_velocity() {
        let profile = Profile { axis: 1, along: 0, slices: 4, ends: [None; 2] };
        let velocity = |k: usize| [1.0, 3.0, 7.0, f64::NAN][k];
        let rates: Vec<f64> = (0..3).map(|k| profile.shear_rate(k, 0.5, velocity)).collect();
        assert_eq!(rates, [4.0, 6.0, 8.0]);
        assert!(profile.shear_rate(0, 0.5, |k| if k == 0 { 1.0 } else { f64::NAN }).is_nan());
    }
}
