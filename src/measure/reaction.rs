//! Resultant forces and torques of contacts and links on selected bodies.
//!
//! The torque is taken about the centre of the body. It excludes the rolling resistance moment, which is a pure couple.

use super::quantity::{Measure, Quantity};
use crate::body::BodyId;
use crate::dim::{Dim, Vector};
use crate::scene::ReactionMeasure;
use crate::simulation::Snapshot;

/// Forces and torques on selected bodies.
pub(crate) struct Reaction {
    bodies: SelectedBodies,
}

impl Reaction {
    pub(crate) fn new(entry: &ReactionMeasure) -> Self {
        Self { bodies: SelectedBodies::new(&entry.bodies) }
    }
}

/// Bodies selected by the user, in the order of the selection.
pub(crate) struct SelectedBodies {
    pub(crate) ids: Vec<u64>,
    /// Ids with their positions in `ids`, sorted by id.
    positions: Vec<(u64, usize)>,
}

impl SelectedBodies {
    pub(crate) fn new(ids: &[u64]) -> Self {
        let mut positions: Vec<(u64, usize)> = ids.iter().copied().zip(0..).collect();
        positions.sort_unstable();
        Self { ids: ids.to_vec(), positions }
    }

    /// Position of a body in the selection.
    pub(crate) fn position(&self, id: BodyId) -> Option<usize> {
        let found = self.positions.binary_search_by_key(&id.0, |entry| entry.0).ok()?;
        Some(self.positions[found].1)
    }
}

/// Column names for the components of a spin or torque; a single component in 2D.
pub(crate) fn spin_quantities<X: Dim>(name: &str, unit: &'static str) -> Vec<Quantity> {
    match X::AXES.get(..X::R).filter(|_| X::HAS_ROTATION_AXIS) {
        Some(axes) => axes.iter().map(|axis| Quantity::new(format!("{name}_{axis}"), unit)).collect(),
        None => vec![Quantity::new(name, unit)],
    }
}

impl<X: Dim> Measure<X> for Reaction {
    fn quantities(&self) -> Vec<Quantity> {
        let of = |id: &u64| {
            let mut all = Quantity::vector::<X>(&format!("body_{id}_force"), "N");
            all.extend(spin_quantities::<X>(&format!("body_{id}_torque"), "N m"));
            all
        };
        self.bodies.ids.iter().flat_map(of).collect()
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let width = X::D + X::R;
        let mut row = snapshot.sum_over_contacts(self.bodies.ids.len() * width, |contact, sums| {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(k) = self.bodies.position(contact.bodies[side]) else { continue };
                let force = snapshot.force(contact) * sign;
                let torque = X::torque(contact.point - contact.centres[side], force);
                sums.add_all(k * width, force.as_slice());
                sums.add_all(k * width + X::D, torque.as_slice());
            }
        });
        let found = snapshot.sum_over_all_bodies(self.bodies.ids.len(), |state, sums| {
            if let Some(k) = self.bodies.position(state.id) {
                sums.add(k, 1.0);
            }
        });
        // A body that is absent, removed or not yet spawned, has no reaction.
        for (k, _) in found.iter().enumerate().filter(|(_, found)| **found == 0.0) {
            row[k * width..(k + 1) * width].fill(f64::NAN);
        }
        vec![row]
    }
}
