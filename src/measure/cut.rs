//! Resultant forces across planes normal to an axis.
//!
//! The resultant is the force that the material below a plane exerts on the material above it: the sum over all
//! contacts and links whose branch vector crosses the plane. The branch between a grain and a wall ends at the contact
//! point.
//!
//! Along a periodic axis the plane is periodic too, and every crossing of an image counts.

use super::quantity::{Measure, Quantity};
use crate::dim::{Dim, Vector};
use crate::scene::CutMeasure;
use crate::simulation::Snapshot;

/// A set of planes normal to one axis.
pub(crate) struct PlaneCut {
    axis: usize,
    at: Vec<f64>,
}

impl PlaneCut {
    pub(crate) fn new<X: Dim>(entry: &CutMeasure) -> Option<Self> {
        Some(Self { axis: entry.axis(X::D)?, at: entry.at.clone() })
    }
}

/// Number of times a branch from `a` to `b` crosses the plane `at` upwards; negative if downwards. `period` is
/// that of the plane along a periodic axis.
fn crossings(a: f64, b: f64, at: f64, period: Option<f64>) -> f64 {
    let side = |x: f64| match period {
        Some(period) => ((x - at) / period).floor(),
        None => f64::from(u8::from(x >= at)),
    };
    side(b) - side(a)
}

impl<X: Dim> Measure<X> for PlaneCut {
    fn quantities(&self) -> Vec<Quantity> {
        let axis = X::AXES[self.axis];
        self.at.iter().flat_map(|at| Quantity::vector::<X>(&format!("force_across_{axis}_{at}"), "N")).collect()
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let period =
            snapshot.model.cell.as_ref().filter(|cell| cell.repeats[self.axis]).map(|cell| cell.edge(self.axis));
        let row = snapshot.sum_over_contacts(self.at.len() * X::D, |contact, sums| {
            let ends = [0, 1].map(|side| contact.end(side)[self.axis]);
            for (k, &at) in self.at.iter().enumerate() {
                let count = crossings(ends[0], ends[1], at, period);
                if count != 0.0 {
                    sums.add_all(k * X::D, (snapshot.force(contact) * count).as_slice());
                }
            }
        });
        vec![row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_crosses_a_plane_upwards_downwards_or_not_at_all() {
        assert_eq!(crossings(0.0, 1.0, 0.5, None), 1.0);
        assert_eq!(crossings(1.0, 0.0, 0.5, None), -1.0);
        assert_eq!(crossings(0.6, 1.0, 0.5, None), 0.0);
        assert_eq!(crossings(1.9, 2.1, 0.0, Some(2.0)), 1.0);
        assert_eq!(crossings(0.1, -0.1, 0.0, Some(2.0)), -1.0);
    }
}
