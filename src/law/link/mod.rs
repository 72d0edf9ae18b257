//! What a link between two bodies obeys: a law of its own, whatever their materials are.
//!
//! A link is a contact that is always there. Its normal runs from the anchor on the first body to that on the second,
//! its gap is its length less the length it should have, both at mid-step. Mid-steps follow each other by q_m' = q_m +
//! h u', so the law asks for the velocity u' that makes the next one right: less the `bend` with which a chord of the
//! path leaves its tangent, (h u_t)^2/(2 length) in a step (as in the method of J.-P. Ryckaert, G. Ciccotti and H. J.
//! C. Berendsen 1977, which keeps lengths and, but for waves of order h^2, energy). What is wrong all the same, by the
//! solver's tolerance and since the bend is that of the velocity before, is taken back by `SHARE` in each step: so
//! lengths do not drift. More at once would not be stable where sweeps end early: an error whose mode loses less than
//! that share in the sweeps of a step is fed by its own correction.

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

/// How much of a wrong length is taken back in one step.
const SHARE: f64 = 0.1;

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
