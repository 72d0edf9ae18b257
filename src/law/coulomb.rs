//! Coulomb friction with inelastic quasi-shock (IQS-CLB of the contact dynamics literature).
//!
//! 0 <= u_n + max(g, 0)/h  perp  r_n >= 0;  |r_t| <= mu r_n, sliding velocity opposite to r_t;  |s| <= c R r_n, rolling
//! velocity opposite to the spin impulse s.

use super::contact_law::{ContactLaw, ImpactConstants, Local, closing};
use super::parameter::{BadParameter, check_friction, check_rolling};
use super::reduced::{Reduced, Rigid};
use crate::dim::Dim;

/// A gap may close within the step, without overlap or rebound.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coulomb {
    /// Coefficient of friction, at least 0.
    pub friction: f64,
    /// Coefficient of rolling resistance, at least 0: greatest torque divided by the product of the normal force and
    /// the radius of the smaller body.
    #[serde(default)]
    pub rolling: f64,
}

impl Coulomb {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_friction(self.friction)?;
        check_rolling(self.rolling)
    }
}

impl<X: Dim> ContactLaw<X> for Coulomb {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        self.reduce_gap(contact.normal, contact.gap, h).map(Rigid::reduced)
    }

    fn reduce_gap(&self, normal: X::Vector, gap: f64, h: f64) -> Option<Rigid<X>> {
        // Signorini at velocity level: u_n + g+/h >= 0 lets a gap close exactly without overshoot.
        Some(Rigid { shift: closing::<X>(normal, gap, h), friction: self.friction, rolling: self.rolling })
    }

    fn impact(&self) -> Option<ImpactConstants> {
        Some(ImpactConstants::INELASTIC)
    }

    fn is_cone(&self) -> bool {
        self.rolling == 0.0
    }
}
