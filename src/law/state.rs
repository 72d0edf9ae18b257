//! The state that a law keeps of a contact from one step to the next.

use crate::dim::{Dim, Vector};

/// What a law keeps of a contact from one step to the next; zero where it keeps nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct LawState<X: Dim> {
    /// What the law says it is: intact or broken, damage, sliding.
    pub state: f64,
    /// A vector in the tangent plane, world axes: for most laws the tangential displacement since the bond was made, m.
    pub stretch: X::Vector,
}

impl<X: Dim> LawState<X> {
    /// Nothing to remember.
    pub fn zero() -> Self {
        Self::of(0.0)
    }

    /// One number, no vector.
    pub fn of(state: f64) -> Self {
        Self { state, stretch: X::Vector::zero() }
    }

    /// Is there nothing to remember?
    pub fn is_zero(&self) -> bool {
        self.state == 0.0 && self.stretch == X::Vector::zero()
    }

    /// Carried over to a contact whose normal is now `n`.
    pub fn turned(&self, n: X::Vector) -> Self {
        Self { state: self.state, stretch: rotate_into_tangent_plane::<X>(self.stretch, n) }
    }
}

/// The vector laid into the plane across `n` without changing its length.
pub(crate) fn rotate_into_tangent_plane<X: Dim>(vector: X::Vector, n: X::Vector) -> X::Vector {
    let flat = vector - n * n.dot(&vector);
    let (now, before) = (flat.norm(), vector.norm());
    flat * if now > 0.0 { before / now } else { 0.0 }
}
