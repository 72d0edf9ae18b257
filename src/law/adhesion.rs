//! Adhesion: a constant attraction between bodies at a small distance.
//!
//! 0 <= u_n + max(g, 0)/h  perp  r_n + F h >= 0,  |r_t| <= mu (r_n + F h)  where g <= d: Signorini-Coulomb for the sum
//! of the impulse and the attraction (F. Radjai, I. Preechawuttipong and R. Peyroux 2001, Cohesive granular texture).
//! In two dimensions F is per metre of depth.

use super::contact_law::{ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, check_positive};
use super::reduced::Reduced;
use crate::dim::Dim;

/// Bodies with a gap of at most `distance` attract each other with `force`; friction is proportional to the normal
/// force including the attraction.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adhesion {
    /// Attraction, N (per metre of depth in two dimensions).
    pub force: f64,
    /// Greatest gap at which the attraction acts, m; 0 (the default) for touching bodies only.
    #[serde(default)]
    pub distance: f64,
    /// Coefficient of friction, at least 0.
    #[serde(default)]
    pub friction: f64,
}

impl Adhesion {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        check_positive("force", self.force, "the force needed to separate two bodies, N; for none use `coulomb`")?;
        check_not_negative("distance", self.distance, "the gap up to which bodies attract each other, m")?;
        check_friction(self.friction)
    }
}

/// Coulomb's law with a constant attraction `force`, N.
pub(super) fn with_attraction<X: Dim>(contact: &Local<X>, force: f64, friction: f64, h: f64) -> Reduced<X> {
    let attraction = force * h;
    let cone = Reduced::cone(contact.closing(h), friction);
    Reduced { normal: [-attraction, f64::INFINITY], cohesion: friction * attraction, ..cone }
}

impl<X: Dim> ContactLaw<X> for Adhesion {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let is_near = contact.touches() || contact.gap <= self.distance;
        Some(with_attraction(contact, if is_near { self.force } else { 0.0 }, self.friction, h))
    }

    fn is_elastic(&self) -> bool {
        self.distance > 0.0
    }

    fn stored(&self, contact: &Local<X>, _: &ContactOutcome<X>, end_gap: f64, _: f64) -> [f64; 2] {
        let energy = |gap: f64| self.force * gap.clamp(0.0, self.distance);
        [energy(end_gap) - energy(contact.start_gap), 0.0]
    }

    fn range(&self) -> f64 {
        self.distance
    }
}
