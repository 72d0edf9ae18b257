//! Tresca friction, bounded independently of pressure: |r_t| <= F h where the bodies touch (H. Tresca 1864, for
//! yielding metals).

use super::contact_law::{ContactLaw, Local};
use super::parameter::{BadParameter, check_not_negative};
use super::reduced::Reduced;
use crate::dim::Dim;

/// Touching bodies resist sliding with a force of up to `limit`, independent of the normal force.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tresca {
    /// Greatest friction force F, N (per metre of depth in two dimensions).
    pub limit: f64,
}

impl Tresca {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_not_negative("limit", self.limit, "the greatest friction of a contact, N")
    }
}

impl<X: Dim> ContactLaw<X> for Tresca {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let cohesion = if contact.touches() { self.limit * h } else { 0.0 };
        Some(Reduced { cohesion, ..Reduced::cone(contact.closing(h), 0.0) })
    }
}
