//! Groups of nodes of deformable bodies: the resultant of the forces that hold them, and their mean displacement.
//!
//! The force on the held nodes of a body is what their motion in the last step requires beyond elastic forces, damping,
//! gravity, loads and contacts. The displacement is that relative to the rigid motion of the body, in world axes,
//! weighted by the area of the surface that each node stands for.

use super::quantity::{Measure, Quantity};
use super::reaction::SelectedBodies;
use crate::dim::{Dim, Orientation, Vector};
use crate::scene::NodesMeasure;
use crate::simulation::Snapshot;

/// A group of nodes in selected bodies.
pub(crate) struct NodeGroups {
    bodies: SelectedBodies,
    group: String,
}

impl NodeGroups {
    pub(crate) fn new(entry: &NodesMeasure) -> Self {
        Self { bodies: SelectedBodies::new(&entry.bodies), group: entry.group.clone() }
    }
}

impl<X: Dim> Measure<X> for NodeGroups {
    fn quantities(&self) -> Vec<Quantity> {
        let of = |id: &u64| {
            let mut all = Quantity::vector::<X>(&format!("body_{id}_reaction"), "N");
            all.extend(Quantity::vector::<X>(&format!("body_{id}_displacement"), "m"));
            all
        };
        self.bodies.ids.iter().flat_map(of).collect()
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        // One process counts each body. Counts of known displacements and known reactions precede the two vectors.
        let width = 2 + 2 * X::D;
        let sums = snapshot.sum_over_deformables(self.bodies.ids.len() * width, |body, sums| {
            let Some(k) = self.bodies.position(body.state.id) else { return };
            let motion = snapshot.model.motion(body.state);
            let Some(control) = motion.and_then(|own| own.nodes.iter().find(|own| own.group == self.group)) else {
                return;
            };
            let (mut reaction, mut displacement) = (X::Vector::zero(), X::Vector::zero());
            for &(node, share) in &control.nodes {
                displacement += body.nodes[node as usize].displacement * share;
                reaction += body.holding_forces.get(node as usize).copied().unwrap_or(X::Vector::zero());
            }
            // Without held nodes there is no force; with held nodes it is unknown before a step.
            let is_known = !body.holding_forces.is_empty() || motion.is_some_and(|own| !own.holds_nodes());
            sums.add_all(k * width, &[1.0, f64::from(u8::from(is_known))]);
            sums.add_all(k * width + 2, body.state.orientation.rotate(reaction).as_slice());
            sums.add_all(k * width + 2 + X::D, body.state.orientation.rotate(displacement).as_slice());
        });
        let of = |own: &[f64]| {
            let known = |k: usize| own[if k < X::D { 1 } else { 0 }] > 0.0;
            (0..2 * X::D).map(|k| if known(k) { own[2 + k] } else { f64::NAN }).collect::<Vec<f64>>()
        };
        vec![sums.chunks(width).flat_map(of).collect()]
    }
}
