//! Large rotations: free bodies that rotate far within one step.
//!
//! The theta scheme rotates a body along its spin and treats the gyroscopic term within one step, which is accurate for
//! small rotations per step. A body that rotates by more than [`FAR_TURN`] instead moves as a free top to mid-step,
//! receives its impulses there, and moves as a free top to the end: finite, and with the right energy and angular
//! momentum, for any spin.

use super::step_times::StepTimes;
use crate::body::{FREE, State};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::Model;

/// Rotation per step, spin times step length, above which it counts as large, rad.
pub const FAR_TURN: f64 = 1.0;

/// Does this free body rotate far in a step of length `h`?
#[inline]
pub fn turns_far<X: Dim>(state: &State<X>, h: f64) -> bool {
    state.spin.norm2() * (h * h) > FAR_TURN * FAR_TURN && state.motion == FREE
}

/// Orientation of a body at mid-step.
#[inline]
pub fn middle_orientation<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> X::Orientation {
    match turns_far(state, span.step) {
        true => free_to_middle(model, state, span).0,
        false => state.orientation_after(span.first),
    }
}

/// Spin at mid-step of a body that rotates far, rad/s.
pub(super) fn middle_spin<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> X::Spin {
    let (orientation, spin) = free_to_middle(model, state, span);
    orientation.rotate_spin(spin)
}

/// Orientation and spin at the end of the step of a body that rotates far, from those at mid-step.
pub(super) fn end_rotation<X: Dim>(
    model: &Model<X>,
    state: &State<X>,
    middle: X::Orientation,
    spin: X::Spin,
    second: f64,
) -> (X::Orientation, X::Spin) {
    let (orientation, spin) = X::rotate_freely(model.moments(state), middle, middle.unrotate_spin(spin), second);
    (orientation, orientation.rotate_spin(spin))
}

#[cold]
fn free_to_middle<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> (X::Orientation, X::Spin) {
    let spin = state.orientation.unrotate_spin(state.spin);
    X::rotate_freely(model.moments(state), state.orientation, spin, span.first)
}
