//! The state that a law stores for a contact from one step to the next.

use crate::dim::{Dim, Vector};

/// State that a law stores for a contact between steps; zero if it stores nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct LawState<X: Dim> {
    /// Meaning defined by the law: intact or broken, damage, sliding. States of bonds are positive while they hold.
    pub state: f64,
    /// Area of contact of a bond whose constants belong to a unit area, m2 (m in the plane); otherwise zero.
    pub area: f64,
    /// A vector in the tangent plane, world axes: for most laws the tangential displacement since the bond formed, m.
    pub stretch: X::Vector,
}

impl<X: Dim> LawState<X> {
    /// The empty state.
    pub fn zero() -> Self {
        Self::of(0.0)
    }

    /// A scalar state without a vector.
    pub fn of(state: f64) -> Self {
        Self { state, area: 0.0, stretch: X::Vector::zero() }
    }

    /// That of a point without a bond, under a law of bonds. Unlike an empty one it is recorded, so that the point is
    /// known in the next step and takes over no other bond.
    pub fn unbonded() -> Self {
        Self::of(-1.0)
    }

    /// Whether the state is empty.
    pub fn is_zero(&self) -> bool {
        self.state == 0.0 && self.stretch == X::Vector::zero()
    }

    /// The state for the new normal `n` of the contact.
    pub fn turned(&self, n: X::Vector) -> Self {
        Self { stretch: rotate_into_tangent_plane::<X>(self.stretch, n), ..*self }
    }
}

/// Rotates a vector into the plane normal to `n`, preserving its length.
pub(crate) fn rotate_into_tangent_plane<X: Dim>(vector: X::Vector, n: X::Vector) -> X::Vector {
    let flat = vector - n * n.dot(&vector);
    let (projected, full) = (flat.norm(), vector.norm());
    flat * if projected > 0.0 { full / projected } else { 0.0 }
}
