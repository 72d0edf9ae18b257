//! Orowan friction: Coulomb friction bounded by the shear strength of the material.
//!
//! |r_t| <= min(mu r_n, F h), or min(mu r_n, f <r_n>) with the mean normal impulse <r_n> of the last step over all
//! contacts that carried one (E. Orowan 1943, The calculation of roll pressure in hot and cold flat rolling).

use super::contact_law::{ContactLaw, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, check_positive};
use super::reduced::Reduced;
use crate::dim::Dim;

/// Coulomb friction up to a `threshold`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Orowan {
    /// Coefficient of friction below the threshold, at least 0.
    pub friction: f64,
    /// Greatest friction force, N (per metre of depth in two dimensions), or "mean" to bound it by the mean normal
    /// impulse.
    pub threshold: Threshold,
    /// With threshold = "mean": greatest friction impulse over the mean normal impulse of the last step; 1 by default.
    #[serde(default = "one")]
    pub factor: f64,
}

fn one() -> f64 {
    1.0
}

/// A force, or "mean".
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "expected a force in N, or \"mean\"")]
pub enum Threshold {
    /// Force, N.
    Force(f64),
    /// Bound that follows the mean normal impulse.
    Named(Mean),
}

/// The word "mean".
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mean {
    /// Mean normal impulse of the last step, over all contacts that carried one.
    Mean,
}

impl Orowan {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_friction(self.friction)?;
        if let Threshold::Force(force) = self.threshold {
            check_not_negative("threshold", force, "the greatest friction of a contact, N, or \"mean\"")?;
        }
        check_positive("factor", self.factor, "friction over the mean normal force")
    }
}

impl<X: Dim> ContactLaw<X> for Orowan {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let cap = match self.threshold {
            Threshold::Force(force) => force * h,
            // There is no mean before any contact has carried a load.
            Threshold::Named(Mean::Mean) if contact.mean_impulse > 0.0 => self.factor * contact.mean_impulse,
            Threshold::Named(Mean::Mean) => f64::INFINITY,
        };
        Some(Reduced { cap, ..Reduced::cone(contact.closing(h), self.friction) })
    }
}
