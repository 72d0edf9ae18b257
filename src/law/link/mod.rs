//! What a link between two bodies obeys: a law of its own, whatever their materials are.
//!
//! A link is a contact that is always there. Its normal runs from the anchor on the first body to that on the second, its
//! gap is its length less the length it should have, both at mid-step. Mid-steps follow each other by
//! q_m' = q_m + h u, so the shift gap/h makes the link as long as it should be at the next one, but for the
//! curvature of the path, (h u_t)^2/(2 length), which the step after next takes back: lengths do not drift. That speed is
//! the one at which the chord of a circle leaves its tangent, as in the method of J.-P. Ryckaert, G. Ciccotti and
//! H. J. C. Berendsen 1977, so that correcting the whole error at once adds no energy that could pile up.

mod pin;
mod rod;
mod spring;
mod wire;

use serde::{Deserialize, Serialize};

use super::ContactLaw;
use crate::dim::Dim;

pub use pin::Pin;
pub use rod::Rod;
pub use spring::Spring;
pub use wire::Wire;

/// The law of a link.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LinkLaw {
    /// Never longer than its length.
    Wire(Wire),
    /// Always of its length.
    Rod(Rod),
    /// A spring and a dashpot side by side.
    Spring(Spring),
    /// A point of one body on a point of the other.
    Pin(Pin),
}

impl LinkLaw {
    /// As any other law.
    pub fn law<X: Dim>(&self) -> &dyn ContactLaw<X> {
        match self {
            LinkLaw::Wire(wire) => wire,
            LinkLaw::Rod(rod) => rod,
            LinkLaw::Spring(spring) => spring,
            LinkLaw::Pin(pin) => pin,
        }
    }
}
