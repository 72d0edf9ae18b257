//! Inelastic contact without friction: Signorini's law alone.

use super::contact_law::{ContactLaw, ImpactConstants, Local, closing};
use super::parameter::BadParameter;
use super::reduced::{Reduced, Rigid};
use crate::dim::Dim;

/// 0 <= u_n + max(g, 0)/h  perp  r_n >= 0, r_t = 0. No parameters: write `frictionless = {}`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frictionless {}

impl Frictionless {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        Ok(())
    }
}

impl<X: Dim> ContactLaw<X> for Frictionless {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        self.reduce_gap(contact.normal, contact.gap, h).map(Rigid::reduced)
    }

    fn reduce_gap(&self, normal: X::Vector, gap: f64, h: f64) -> Option<Rigid<X>> {
        Some(Rigid { shift: closing::<X>(normal, gap, h), friction: 0.0, rolling: 0.0 })
    }

    fn impact(&self) -> Option<ImpactConstants> {
        Some(ImpactConstants::INELASTIC)
    }

    fn is_cone(&self) -> bool {
        true
    }
}
