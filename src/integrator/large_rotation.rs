//! How free bodies turn that turn far within one step.
//!
//! The theta scheme turns a body along its spin, with the gyroscopic term taken at once: good while a step turns it little. A body that
//! turns by more than [`FAR_TURN`] is a free top instead up to mid-step, takes its impulses there, and is a free top again: finite,
//! and with the right energy and angular momentum, for any spin.

use super::StepTimes;
use crate::body::{FREE, State};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::Model;

/// Spin times step above which a body turns far, rad.
pub const FAR_TURN: f64 = 1.0;

/// Does this free body turn far in a step of length `h`?
#[inline]
pub fn turns_far<X: Dim>(state: &State<X>, h: f64) -> bool {
    state.spin.norm2() * (h * h) > FAR_TURN * FAR_TURN && state.motion == FREE
}

/// How it is turned at mid-step.
#[inline]
pub fn middle_orientation<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> X::Orientation {
    match turns_far(state, span.step) {
        true => middle(model, state, span).0,
        false => state.orientation_after(span.first),
    }
}

/// The spin at mid-step of a body that turns far, rad/s.
pub(super) fn middle_spin<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> X::Spin {
    let (orientation, spin) = middle(model, state, span);
    orientation.rotate_spin(spin)
}

/// Orientation and spin at the end of the step of a body that turns far and has this orientation and spin at mid-step.
pub(super) fn turned<X: Dim>(
    model: &Model<X>,
    state: &State<X>,
    middle: X::Orientation,
    spin: X::Spin,
    second: f64,
) -> (X::Orientation, X::Spin) {
    let (orientation, spin) = X::turn_freely(model.moments(state), middle, middle.unrotate_spin(spin), second);
    (orientation, orientation.rotate_spin(spin))
}

#[cold]
fn middle<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> (X::Orientation, X::Spin) {
    let spin = state.orientation.unrotate_spin(state.spin);
    X::turn_freely(model.moments(state), state.orientation, spin, span.first)
}
