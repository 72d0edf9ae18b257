//! Bilateral contact: joined bodies, whose contact points are held together by an unbounded impulse.

use super::contact_law::{ContactLaw, Local};
use super::parameter::BadParameter;
use super::reduced::Reduced;
use crate::dim::{Dim, Vector};

/// Once the bodies touch, u = 0 with an unbounded impulse. Before that, the contact is unilateral and frictionless: the
/// gap may close within the step. No parameters: write `bilateral = {}`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bilateral {}

impl Bilateral {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        Ok(())
    }
}

impl<X: Dim> ContactLaw<X> for Bilateral {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        if !contact.touches() {
            // Not yet in touch: the gap closes without friction, and the contact sticks from then on.
            return Some(Reduced::cone(contact.normal * (contact.gap / h), 0.0));
        }
        let unbounded = Reduced::cone(X::Vector::zero(), 0.0);
        Some(Reduced { normal: [f64::NEG_INFINITY, f64::INFINITY], cohesion: f64::INFINITY, ..unbounded })
    }
}
