//! Baumgarte stabilisation: for an overlap d the contact law demands u_n >= SHARE d/h.
//!
//! J. Baumgarte 1972, Stabilization of constraints and integrals of motion in dynamical systems. One problem instead of
//! two, but the separation velocity remains after the overlap has vanished, which adds energy. Tolerating a small
//! overlap and capping the velocity bound this energy.

use super::context::{StepContext, smaller};
use crate::body::State;
use crate::dim::Dim;
use crate::interaction::DetectedContact;
use crate::solver::Stabilisation;

/// Fraction of an overlap to be removed in a step.
const SHARE: f64 = 0.2;
/// Tolerated overlap over the size of the smaller body, which keeps contacts closed.
const KEPT: f64 = 1e-3;
/// Largest overlap removed in a step, over the size of the smaller body.
const MOST: f64 = 1e-2;

/// Demanded separation velocity of the bodies of a contact, m/s.
pub(super) fn baumgarte_bias<X: Dim>(
    contact: &DetectedContact<X>,
    states: [&State<X>; 2],
    context: &StepContext<X>,
) -> f64 {
    if context.solver.stabilisation != Stabilisation::Baumgarte || contact.gap >= 0.0 {
        return 0.0;
    }
    baumgarte_speed(-contact.gap, smaller(context.model, states), context.h)
}

fn baumgarte_speed(overlap: f64, size: f64, h: f64) -> f64 {
    (SHARE * (overlap - KEPT * size)).clamp(0.0, MOST * size) / h
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shallow_overlaps_are_left_alone_and_deep_ones_are_not_thrown_apart() {
        assert_eq!(baumgarte_speed(0.5e-3, 1.0, 0.1), 0.0);
        assert!((baumgarte_speed(11e-3, 1.0, 0.1) - 0.02).abs() < 1e-15);
        assert!((baumgarte_speed(0.5, 1.0, 0.1) - 0.1).abs() < 1e-15);
    }
}
