//! Impact with restitution and friction in Moreau's averaged form.
//!
//! The contact law holds between the impulse and the weighted mean (u+ + rho u-)/(1 + rho) of the velocities after and
//! before, with separate normal and tangential coefficients. Since a positive factor changes neither sign nor
//! direction, this is Signorini-Coulomb for u+ shifted by rho u-. It acts once the bodies touch.

use super::contact_law::{ContactLaw, ImpactConstants, Local};
use super::parameter::{BadParameter, check_friction, check_positive, check_range, check_rolling};
use super::reduced::Reduced;
use crate::dim::Dim;

/// Newton's law of impact: normal restitution `normal` (0 to 1), tangential restitution `tangent` (0 to 1) and Coulomb
/// `friction`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Restitution {
    /// Normal restitution: speed of separation over speed of approach, 0 to 1.
    pub normal: f64,
    /// Tangential restitution of a sticking contact, 0 to 1.
    #[serde(default)]
    pub tangent: f64,
    /// Coefficient of friction, at least 0.
    #[serde(default)]
    pub friction: f64,
    /// Coefficient of rolling resistance, at least 0: greatest torque divided by the product of the normal force and
    /// the radius of the smaller body.
    #[serde(default)]
    pub rolling: f64,
    /// Stiffness of the contact while an impact lasts, for `solver.impacts` "stiffness"; only the ratios of the laws of a
    /// scene matter.
    #[serde(default = "one")]
    pub stiffness: f64,
}

fn one() -> f64 {
    1.0
}

impl Restitution {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        let help = "0 is a perfectly inelastic impact, 1 an elastic one";
        check_range("normal", self.normal, 1.0, help)?;
        check_range("tangent", self.tangent, 1.0, help)?;
        check_friction(self.friction)?;
        check_positive("stiffness", self.stiffness, "only the ratios of the laws of a scene matter")?;
        check_rolling(self.rolling)
    }
}

impl<X: Dim> ContactLaw<X> for Restitution {
    fn reduce(&self, contact: &Local<X>, _: f64) -> Option<Reduced<X>> {
        if !contact.touches() {
            return None;
        }
        let shift = contact.normal * (self.normal * contact.normal_before()) + contact.tangent_before() * self.tangent;
        Some(Reduced { rolling: self.rolling, ..Reduced::cone(shift, self.friction) })
    }

    fn impact(&self) -> Option<ImpactConstants> {
        Some(ImpactConstants { restitution: self.normal, stiffness: self.stiffness })
    }

    fn is_cone(&self) -> bool {
        self.rolling == 0.0
    }
}
