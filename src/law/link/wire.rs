//! A wire: it bears traction and is never longer than its length; a brittle one breaks.
//!
//! 0 >= u_n + g/h  perp  -F h <= r_n <= 0, with g the length less that of the wire: Signorini's law turned round. A
//! slack wire comes to its length exactly, without rebound.

use serde::{Deserialize, Serialize};

use super::SHARE;
use crate::dim::{Dim, Vector};
use crate::law::LawState;
use crate::law::{AT_BOUND, After, ContactLaw, Local, Reduced};

/// Traction only. The memory's state is 1 when the wire is broken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    /// Greatest traction F, N; infinite if nothing breaks it.
    pub strength: f64,
}

impl Wire {
    /// The velocity that a wire without velocity would still have too much: all of its slack may be used up.
    fn lengthening<X: Dim>(&self, contact: &Local<X>, h: f64) -> f64 {
        let share = if contact.gap > 0.0 { SHARE } else { 1.0 };
        contact.bend.dot(&contact.normal) + share * contact.gap / h
    }
}

impl<X: Dim> ContactLaw<X> for Wire {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let pulling = Reduced::cone(contact.normal * self.lengthening(contact, h), 0.0);
        (contact.memory.state == 0.0).then_some(Reduced { normal: [-self.strength * h, 0.0], ..pulling })
    }

    fn has_memory(&self) -> bool {
        self.strength.is_finite()
    }

    fn remember(&self, contact: &Local<X>, after: &After<X>, h: f64) -> LawState<X> {
        let bound = self.strength * h;
        let [r_n, _] = after.parts(contact.normal);
        let longer = after.velocity.dot(&contact.normal) + self.lengthening(contact, h);
        let breaks = r_n <= -AT_BOUND * bound && contact.gives_way(longer, bound);
        LawState::of(if breaks { 1.0 } else { contact.memory.state })
    }
}
