//! Static and dynamic friction: the coefficient of a sticking contact is greater than that of a sliding one.
//!
//! |r_t| <= mu r_n with mu = mu_s if the contact stuck in the last step and mu = mu_d if it slid (E. Rabinowicz 1951,
//! The nature of the static and kinetic coefficients of friction).

use super::contact_law::{AT_BOUND, ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_not_negative};
use super::reduced::Reduced;
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// Coulomb's law with a coefficient `static` for sticking contacts and `dynamic` for sliding ones.
///
/// The law state is 1 while the contact slides: its friction impulse is at the bound, and its tangential speed exceeds
/// both `velocity` and a hundredth of the speed that its friction stops in a step.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticDynamic {
    /// Coefficient of friction of a sticking contact, at least `dynamic`.
    #[serde(rename = "static")]
    pub at_rest: f64,
    /// Coefficient of friction of a sliding contact, at least 0.
    #[serde(rename = "dynamic")]
    pub in_motion: f64,
    /// Tangential speed up to which a contact counts as sticking, m/s; 0 by default.
    #[serde(default)]
    pub velocity: f64,
}

impl StaticDynamic {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        let help = "typical values lie between 0.1 and 1; static friction is at least dynamic friction";
        check_not_negative("dynamic", self.in_motion, help)?;
        check_not_negative("velocity", self.velocity, "speed up to which contacts stick, 0 for none")?;
        if self.at_rest >= self.in_motion && self.at_rest.is_finite() {
            return Ok(());
        }
        let message = format!("static = {} must be at least dynamic = {}", self.at_rest, self.in_motion);
        Err(BadParameter { key: "static", message, help })
    }

    fn coefficient<X: Dim>(&self, contact: &Local<X>) -> f64 {
        if contact.memory.state > 0.0 { self.in_motion } else { self.at_rest }
    }
}

impl<X: Dim> ContactLaw<X> for StaticDynamic {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        Some(Reduced::cone(contact.closing(h), self.coefficient(contact)))
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, _: f64) -> LawState<X> {
        let [r_n, r_t] = after.parts(contact.normal);
        let u_t = (after.velocity - contact.normal * after.velocity.dot(&contact.normal)).norm();
        let bound = self.coefficient(contact) * r_n;
        let slides = r_n > 0.0 && r_t >= AT_BOUND * bound && u_t > self.velocity && contact.yields(u_t, bound);
        LawState::of(f64::from(u8::from(slides)))
    }
}
