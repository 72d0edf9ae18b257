//! Laws of links between two bodies, independent of their materials.
//!
//! A link is a contact that always exists. Its normal points from the anchor on the first body to the anchor on the
//! second; its gap is its length minus the prescribed length, both at mid-step. Mid-step configurations follow each
//! other by q_m' = q_m + h u', so the law prescribes the velocity u' that satisfies the constraint at the next
//! mid-step. It subtracts `bend`, the deviation of a chord of the path from its tangent, (h u_t)^2/(2 length) per step
//! (as in the method of J.-P. Ryckaert, G. Ciccotti and H. J. C. Berendsen 1977, which conserves lengths and, up to
//! oscillations of order h^2, energy). The remaining error, due to the solver's tolerance and because `bend` is
//! computed from the previous velocity, is reduced by the fraction `CORRECTION` in each step, so that lengths do not
//! drift. A larger fraction would be unstable where sweeps stop early: an error mode that the sweeps of a step reduce
//! by less than that fraction is amplified by its own correction.

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
    /// Never longer than its prescribed length.
    Wire(Wire),
    /// Always of its prescribed length.
    Rod(Rod),
    /// A spring and a dashpot in parallel.
    Spring(Spring),
    /// A point of one body coincides with a point of the other.
    Pin(Pin),
}

impl LinkLaw {
    /// The law as a trait object.
    pub fn law<X: Dim>(&self) -> &dyn ContactLaw<X> {
        match self {
            LinkLaw::Wire(wire) => wire,
            LinkLaw::Rod(rod) => rod,
            LinkLaw::Spring(spring) => spring,
            LinkLaw::Pin(pin) => pin,
        }
    }
}
