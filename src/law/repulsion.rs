//! Elastic repulsion of overlapping bodies, as in the distinct element method.
//!
//! F_n = max(-k g - c u_n, 0) where g < 0 at the end of the step, |F_t| <= mu F_n. Implicit:
//! 0 <= u_n + k g/(k h + c) + r_n/(k h^2 + c h)  perp  r_n >= 0, stable for any step; an open gap closes first (P. A.
//! Cundall and O. D. L. Strack 1979, A discrete numerical model for granular assemblies).

use super::contact_law::{ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, check_positive};
use super::reduced::Reduced;
use crate::dim::Dim;

/// A spring of `stiffness` and a dashpot of `viscosity` in parallel push overlapping bodies apart; they never pull.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repulsion {
    /// Stiffness k, N/m (per metre of depth in two dimensions).
    pub stiffness: f64,
    /// Viscosity c, N s/m; 0 by default.
    #[serde(default)]
    pub viscosity: f64,
    /// Coefficient of friction, at least 0.
    #[serde(default)]
    pub friction: f64,
}

impl Repulsion {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_positive("stiffness", self.stiffness, "force over overlap, N/m; for rigid bodies use `coulomb`")?;
        check_not_negative("viscosity", self.viscosity, "force over speed of approach, N s/m")?;
        check_friction(self.friction)
    }
}

/// A spring and a dashpot in parallel, in compression only.
pub(super) fn spring_and_dashpot<X: Dim>(contact: &Local<X>, [k, c]: [f64; 2], friction: f64, h: f64) -> Reduced<X> {
    let effective_viscosity = k * h + c;
    // No force acts before the gap has closed.
    let shift = if contact.gap > 0.0 { contact.gap / h } else { k * contact.gap / effective_viscosity };
    Reduced { compliance: [1.0 / (effective_viscosity * h), 0.0], ..Reduced::cone(contact.normal * shift, friction) }
}

impl<X: Dim> ContactLaw<X> for Repulsion {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        Some(spring_and_dashpot(contact, [self.stiffness, self.viscosity], self.friction, h))
    }

    fn is_elastic(&self) -> bool {
        true
    }

    fn stored(&self, contact: &Local<X>, _: &ContactOutcome<X>, end_gap: f64, _: f64) -> [f64; 2] {
        let energy = |gap: f64| 0.5 * self.stiffness * gap.min(0.0).powi(2);
        [energy(end_gap) - energy(contact.start_gap), 0.0]
    }

    fn is_soft(&self) -> bool {
        true
    }
}
