//! Wire: it bears tension only and is never longer than its length; a brittle wire breaks.
//!
//! 0 >= u_n + g/h  perp  -F h <= r_n <= 0, with g the distance of the ends minus the length of the wire: Signorini's
//! law with reversed sign. A slack wire reaches its length exactly, without rebound.

use serde::{Deserialize, Serialize};

use super::rod::CORRECTION;
use crate::dim::{Dim, Vector};
use crate::law::LawState;
use crate::law::contact_law::AT_BOUND;
use crate::law::{ContactLaw, ContactOutcome, Local, Reduced};

/// Tension only. The state is 1 when the wire is broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    /// Tensile strength F, N; infinite if the wire is unbreakable.
    pub strength: f64,
}

impl Wire {
    /// The rate by which the constraint would be violated at zero relative velocity, m/s; negative for a slack wire,
    /// whose whole slack may close within the step.
    fn violation_rate<X: Dim>(&self, contact: &Local<X>, h: f64) -> f64 {
        let fraction = if contact.gap > 0.0 { CORRECTION } else { 1.0 };
        contact.bend.dot(&contact.normal) + fraction * contact.gap / h
    }
}

impl<X: Dim> ContactLaw<X> for Wire {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let tension = Reduced::cone(contact.normal * self.violation_rate(contact, h), 0.0);
        (contact.memory.state == 0.0).then_some(Reduced { normal: [-self.strength * h, 0.0], ..tension })
    }

    fn has_memory(&self) -> bool {
        self.strength.is_finite()
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, h: f64) -> LawState<X> {
        let bound = self.strength * h;
        let [r_n, _] = after.parts(contact.normal);
        let rate = after.velocity.dot(&contact.normal) + self.violation_rate(contact, h);
        let breaks = r_n <= -AT_BOUND * bound && contact.yields(rate, bound);
        LawState::of(if breaks { 1.0 } else { contact.memory.state })
    }
}
