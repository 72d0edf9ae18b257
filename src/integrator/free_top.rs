//! Free tops: bodies in space whose rotation is not prescribed and whose moments of inertia differ.
//!
//! Such a body rotates freely to mid-step, receives its impulses there, at the orientation and inertia of mid-step, and
//! rotates freely to the end. Both halves conserve its energy and angular momentum for any spin, so that a step changes
//! them by its impulses alone.

use crate::body::State;
use crate::dim::{Dim, Orientation};
use crate::model::{Model, Motion};

/// Rotation per step, spin times step length, above which it counts as large, rad.
pub const FAR_TURN: f64 = 1.0;

/// Orientation of a body and its spin there, world axes, rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rotation<X: Dim> {
    pub orientation: X::Orientation,
    pub spin: X::Spin,
}

impl<X: Dim> Rotation<X> {
    /// The rotation after the time `t` without torques.
    pub(super) fn after(self, model: &Model<X>, state: &State<X>, t: f64) -> Self {
        let spin = self.orientation.unrotate_spin(self.spin);
        let (orientation, spin) = X::rotate_freely(model.moments(state), self.orientation, spin, t);
        Self { orientation, spin: orientation.rotate_spin(spin) }
    }
}

/// Is this body a free top?
#[inline]
pub(super) fn is_free_top<X: Dim>(model: &Model<X>, state: &State<X>) -> bool {
    let turns_freely = |motion: &Motion| (0..X::R).all(|i| motion.velocity(X::D + i, 0.0).is_none());
    // Spheres first: most bodies of most scenes.
    !model.shape(state).is_ball() && X::precesses(model.moments(state)) && model.motion(state).is_none_or(turns_freely)
}
