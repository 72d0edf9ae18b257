//! Collisions from a quadratic pseudo-potential of dissipation: M. Fremond's theory of collisions, as used in atomised
//! stress contact dynamics respecting the Clausius-Duhem inequality (A-CD2; S. Dal Pont and E. Dimnet 2006).
//!
//! Bodies in touch exchange the percussion r = -K (u+ + u-)/2 + reaction, K_n and K_t in kg, where the reaction is
//! normal, non-negative and acts only where u_n+ = 0. Normal: u_n+ = -u_n- - 2 r_n/K_n up to r_n = -K_n u_n-/2, where
//! u_n+ = 0, and u_n+ = 0 beyond. Tangential: u_t+ + u_t- + 2 r_t/K_t = 0, within Coulomb's cone if there is friction.
//! The work r (u+ + u-)/2 is never positive, whatever the masses, but in two cases: a contact that opens already is
//! closed by another collision; or, without K_t, friction opposes u_t+ while the bodies rebound. Two bodies of
//! effective mass m rebound with the coefficient (K - 2 m)/(K + 2 m), or not at all if K < 2 m. Where the dissipation is
//! written K (u+ + u-)^2/2, K is a quarter of this one.

use super::contact_law::{ContactLaw, Local};
use super::parameter::{BadParameter, check_friction, check_positive};
use super::reduced::Reduced;
use crate::dim::{Dim, Vector};

/// Percussions proportional to the mean of the velocities before and after the collision, with separate coefficients
/// for `normal` and `tangent`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Percussion {
    /// Normal coefficient K_n, kg.
    pub normal: f64,
    /// Tangential coefficient K_t, kg; without it there is Coulomb friction only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tangent: Option<f64>,
    /// Coefficient of friction, at least 0; without it tangential percussions are unbounded and act on approach only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

impl Percussion {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_positive("normal", self.normal, "in kg; below twice the effective mass there is no rebound")?;
        if let Some(tangent) = self.tangent {
            check_positive("tangent", tangent, "in kg; leave it out for no tangential percussion")?;
        }
        self.friction.map_or(Ok(()), check_friction)
    }
}

impl<X: Dim> ContactLaw<X> for Percussion {
    fn reduce(&self, contact: &Local<X>, _: f64) -> Option<Reduced<X>> {
        if contact.gap > 0.0 {
            return None;
        }
        let approach = -contact.normal_before();
        let is_unbounded = self.friction.is_none() && self.tangent.is_some() && approach > 0.0;
        let (shift, compliance) = match self.tangent {
            Some(tangent) => (contact.tangent_before(), 2.0 / tangent),
            None => (X::Vector::zero(), 0.0),
        };
        Some(Reduced {
            cohesion: if is_unbounded { f64::INFINITY } else { 0.0 },
            compliance: [0.0, compliance],
            knee: (0.5 * self.normal * approach).max(0.0),
            pull: 2.0 / self.normal,
            ..Reduced::cone(shift, self.friction.unwrap_or(0.0))
        })
    }
}
