//! Brittle joint, such as mortar: Mohr-Coulomb with a tension cut-off until it breaks, Coulomb friction afterwards.
//!
//! Intact: u_n = 0 while r_n > -T h, u_t = 0 while |r_t| < C h + mu r_n. A joint breaks at the end of a step in which
//! it reaches a bound and yields; of several points that share a load, all reach their bounds before one breaks. Under
//! tension the shear strength falls along the same line, so that a joint with T > C/mu fails in tension at C/mu (C. A.
//! de Coulomb 1776, O. Mohr 1900; P. B. Lourenco and J. G. Rots 1997 for masonry).

use super::contact_law::{AT_BOUND, ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, is_true};
use super::reduced::Reduced;
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// Bodies that touch at the start of the run are joined with strengths `tension` and `cohesion`; a joint breaks
/// irreversibly.
///
/// The law state is 1 while the joint is intact, negative afterwards. The strengths are forces at a contact point, N:
/// divide the strength of a mortar bed among the contact points of the bed, or give it `per_area`. In two dimensions
/// they are per metre of depth.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Shear strength C at zero normal force, N.
    pub cohesion: f64,
    /// Tensile strength T, N.
    pub tension: f64,
    /// Coefficient of friction of intact and broken joints, at least 0.
    #[serde(default)]
    pub friction: f64,
    /// Whether bodies that touch at the start of the run are joined. True by default.
    #[serde(default = "is_true")]
    pub intact: bool,
    /// Whether `cohesion` and `tension` are strengths of a unit area of contact, Pa, instead of forces at a contact
    /// point. A point then has the area that it stands for when it is joined. False by default.
    #[serde(default)]
    pub per_area: bool,
}

impl Joint {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_not_negative("cohesion", self.cohesion, "shear strength of a contact point, N")?;
        check_not_negative("tension", self.tension, "tensile strength of a contact point, N")?;
        check_friction(self.friction)
    }

    fn is_intact<X: Dim>(&self, contact: &Local<X>) -> bool {
        contact.memory.state > 0.0 || contact.bonds(self.intact) && contact.bonded_area(self.per_area) > 0.0
    }

    fn intact_record<X: Dim>(&self, contact: &Local<X>, h: f64) -> Reduced<X> {
        let cone = Reduced::cone(contact.closing(h), self.friction);
        let [tension, cohesion] = [self.tension, self.cohesion].map(|x| x * contact.bonded_area(self.per_area) * h);
        Reduced { normal: [-tension, f64::INFINITY], cohesion, ..cone }
    }
}

impl<X: Dim> ContactLaw<X> for Joint {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        Some(match self.is_intact(contact) {
            true => self.intact_record(contact, h),
            false => Reduced::cone(contact.closing(h), self.friction),
        })
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn is_per_area(&self) -> bool {
        self.per_area
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, h: f64) -> LawState<X> {
        let [r_n, r_t] = after.parts(contact.normal);
        let intact = self.intact_record(contact, h);
        let u_n = after.velocity.dot(&contact.normal);
        let u_t = (after.velocity - contact.normal * u_n).norm();
        let (tension, shear) = (-intact.normal[0], intact.radius(r_n));
        let opened = r_n <= -AT_BOUND * tension && contact.yields(u_n, tension);
        let sheared = r_t >= AT_BOUND * shear && contact.yields(u_t, shear);
        match self.is_intact(contact) && !opened && !sheared {
            true if self.per_area => LawState { area: contact.bonded_area(true), ..LawState::of(1.0) },
            true => LawState::of(1.0),
            false => LawState::unbonded(),
        }
    }
}
