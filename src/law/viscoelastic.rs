//! Viscoelastic contact: a stiff spring and a dashpot at every contact regularise rigid contact and remove overlaps.
//!
//! A spring and a dashpot in parallel, as in [`repulsion`](super::Repulsion), with the stiffness k = m (2 pi/T)^2 and
//! the viscosity c = 2 xi m (2 pi/T) of an oscillator of period T and damping ratio xi, where m is the effective mass
//! of the contact (Kelvin-Voigt; J. Baumgarte 1972 for the stabilisation of constraints). An overlap d separates with
//! at most d/(h + xi T/pi): with T = h and xi = 1, each step leaves less than 27 % of it.
//!
//! The separation speed is not retained: the law stores the impulse of the last push that separated the bodies and may
//! pull with as much, down to the speed that the remaining overlap requires. A pull on separating bodies only
//! dissipates energy; there is no adhesion beyond it.

use super::contact_law::{ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, check_positive};
use super::reduced::Reduced;
use super::repulsion::spring_and_dashpot;
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// Overlaps decrease geometrically without a gain of kinetic energy: an overlap of 5 % of a radius is below 0.05 %
/// after 5 steps.
///
/// The law state is the impulse that may be reversed in the next step, N s.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Viscoelastic {
    /// Period of the oscillator of spring and effective mass, s; by default the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<f64>,
    /// Damping ratio, at least 0; 1 (critical) by default.
    #[serde(default = "critical")]
    pub damping: f64,
    /// Coefficient of friction, at least 0.
    #[serde(default)]
    pub friction: f64,
}

fn critical() -> f64 {
    1.0
}

impl Viscoelastic {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        if let Some(period) = self.period {
            check_positive("period", period, "leave it out to use the time step")?;
        }
        check_not_negative("damping", self.damping, "1 is critical damping")?;
        check_friction(self.friction)
    }
}

impl<X: Dim> ContactLaw<X> for Viscoelastic {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let omega = 2.0 * std::f64::consts::PI / self.period.unwrap_or(h);
        let mass = if contact.w_normal > 0.0 { 1.0 / contact.w_normal } else { return None };
        let coefficients = [mass * omega * omega, 2.0 * self.damping * mass * omega];
        let unilateral = spring_and_dashpot(contact, coefficients, self.friction, h);
        // Without overlap no impulse may be reversed: a pull would be adhesion.
        let reversible = if contact.gap < 0.0 { contact.memory.state } else { 0.0 };
        Some(Reduced { normal: [-reversible, f64::INFINITY], ..unilateral })
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, _: f64) -> LawState<X> {
        let (r_n, u_n) = (after.impulse.dot(&contact.normal), after.velocity.dot(&contact.normal));
        let reversible = if r_n > 0.0 { r_n } else { contact.memory.state + r_n };
        LawState::of(if u_n > 0.0 { reversible.max(0.0) } else { 0.0 })
    }

    fn is_soft(&self) -> bool {
        true
    }
}
