//! Trajectories of selected bodies: position, velocity and spin; in a periodic cell, those of the image whose centre
//! lies in it.

use super::quantity::{Measure, Quantity};
use super::reaction::{SelectedBodies, spin_quantities};
use crate::dim::{Dim, Vector};
use crate::scene::TrackMeasure;
use crate::simulation::Snapshot;

/// Selected bodies.
pub(crate) struct BodyTrack {
    bodies: SelectedBodies,
}

impl BodyTrack {
    pub(crate) fn new(entry: &TrackMeasure) -> Self {
        Self { bodies: SelectedBodies::new(&entry.bodies) }
    }
}

impl<X: Dim> Measure<X> for BodyTrack {
    fn quantities(&self) -> Vec<Quantity> {
        let of = |id: &u64| {
            let mut all = Quantity::vector::<X>(&format!("body_{id}_position"), "m");
            all.extend(Quantity::vector::<X>(&format!("body_{id}_velocity"), "m/s"));
            all.extend(spin_quantities::<X>(&format!("body_{id}_spin"), "rad/s"));
            all
        };
        self.bodies.ids.iter().flat_map(of).collect()
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        // Exactly one process counts each body, so the sum is its value; an absent body leaves the count at zero and
        // gives NaN.
        let width = 1 + 2 * X::D + X::R;
        let sums = snapshot.sum_over_all_bodies(self.bodies.ids.len() * width, |state, sums| {
            let Some(k) = self.bodies.position(state.id) else { return };
            let home = snapshot.model.at_home(state, snapshot.now.time);
            sums.add(k * width, 1.0);
            sums.add_all(k * width + 1, home.position.as_slice());
            sums.add_all(k * width + 1 + X::D, home.velocity.as_slice());
            sums.add_all(k * width + 1 + 2 * X::D, home.spin.as_slice());
        });
        let of = |own: &[f64]| {
            let known = own[0] > 0.0;
            own[1..].iter().map(|&value| if known { value } else { f64::NAN }).collect::<Vec<f64>>()
        };
        vec![sums.chunks(width).flat_map(of).collect()]
    }
}
