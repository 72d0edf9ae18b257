//! The motion of the bodies of a process in the last step.

use std::sync::Arc;

use rayon::prelude::*;

use super::context::StepContext;
use crate::base::index::BodyIndex;
use crate::body::Tails;
use crate::dim::{Dim, Vector};
use crate::integrator::{EndVelocity, FreeMotion};

/// Predicted motion, and velocities at the end of the step.
pub(super) struct StepMotion<X: Dim> {
    /// Predicted motion, kept to reconstruct the contacts of the step; none while the next prediction overwrites it.
    pub(super) free: Option<Arc<Vec<FreeMotion<X>>>>,
    /// Velocities at the end of the step, body by body.
    pub(super) end: Vec<EndVelocity<X>>,
    /// Impulses on the loaded nodes of deformable bodies, in body axes, N s.
    pub(super) node_impulses: Tails<X::Vector>,
    /// Node velocities of deformable bodies at the end of the step, relative to the rigid motion and in body axes, m/s.
    pub(super) end_nodes: Tails<X::Vector>,
}

// Not derived: that would require vectors with a default.
impl<X: Dim> Default for StepMotion<X> {
    fn default() -> Self {
        Self { free: None, end: Vec::new(), node_impulses: Tails::default(), end_nodes: Tails::default() }
    }
}

impl<X: Dim> StepMotion<X> {
    /// The node velocities of all bodies at the end of the step, from the impulses on their loaded nodes.
    pub(super) fn move_loaded_nodes(&mut self, context: &StepContext<X>) {
        let impulses = &self.node_impulses;
        let bodies = self.end_nodes.lists_mut().into_par_iter();
        bodies.for_each(|(body, velocities)| move_nodes(body, impulses.of(body), velocities, context));
    }

    /// The node velocities of a body at the end of the step, from the impulses on its loaded nodes.
    pub(super) fn move_nodes(&mut self, body: usize, context: &StepContext<X>) {
        move_nodes(body, self.node_impulses.of(body), self.end_nodes.of_mut(body), context);
    }

    /// Mid-step position of a body.
    #[inline(always)]
    pub(super) fn centre(&self, body: BodyIndex) -> X::Vector {
        self.free.as_ref().map_or(&[][..], |free| free)[body.index()].position
    }
}

/// Overwrites `velocities`, those of the nodes of a body, with the free ones and the effect of impulses on its loaded
/// nodes.
fn move_nodes<X: Dim>(body: usize, impulses: &[X::Vector], velocities: &mut [X::Vector], context: &StepContext<X>) {
    let Some(operator) = context.model.deformable(&context.bodies.states()[body]) else { return };
    velocities.copy_from_slice(context.nodes.velocities.of(body));
    let loaded = context.loaded.of(body).iter().copied().zip(impulses.iter().copied());
    let acting: Vec<(u32, X::Vector)> = loaded.filter(|(_, impulse)| *impulse != X::Vector::zero()).collect();
    if !acting.is_empty() {
        operator.respond(&acting, velocities);
    }
}
