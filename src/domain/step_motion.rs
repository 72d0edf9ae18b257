//! The motion of the bodies of a process in the last step.

use std::sync::Arc;

use crate::base::index::BodyIndex;
use crate::body::Tails;
use crate::dim::Dim;
use crate::integrator::{EndVelocity, FreeMotion};

/// Predicted motion, and velocities at the end of the step.
pub(super) struct StepMotion<X: Dim> {
    /// Predicted motion, kept to reconstruct the contacts of the step; none while the next prediction overwrites it.
    pub(super) free: Option<Arc<Vec<FreeMotion<X>>>>,
    /// Velocities at the end of the step, body by body.
    pub(super) end: Vec<EndVelocity<X>>,
    /// Node velocities of deformable bodies at the end of the step, in world axes.
    pub(super) end_nodes: Tails<X::Vector>,
}

// Not derived: that would require vectors with a default.
impl<X: Dim> Default for StepMotion<X> {
    fn default() -> Self {
        Self { free: None, end: Vec::new(), end_nodes: Tails::default() }
    }
}

impl<X: Dim> StepMotion<X> {
    /// Mid-step position of a body.
    #[inline(always)]
    pub(super) fn centre(&self, body: BodyIndex) -> X::Vector {
        self.free.as_ref().map_or(&[][..], |free| free)[body.index()].position
    }
}
