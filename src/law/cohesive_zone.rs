//! Cohesive zone: a bond that damages as it is stretched, coupling adhesion, friction and unilateral contact.
//!
//! With the intensity of adhesion beta (1 intact, 0 broken), the opening d_n >= 0 and the sliding d_t since the bond
//! formed, the bond pulls with beta^2 C_n d_n and beta^2 C_t d_t; in parallel, Signorini's law and Coulomb friction
//! with (1 - beta) mu act. Damage follows b d(beta)/dt = -(beta D - w)+ with D = C_n d_n^2 + C_t |d_t|^2 (M. Raous, L.
//! Cangemi and M. Cocu 1999, A consistent model coupling adhesion, friction and unilateral contact; Y. Monerie and V.
//! Acary 2001).
//!
//! The bond force is implicit over the step: a compliance 1/(beta^2 C_n h^2) in traction, a spring in parallel with the
//! slider. Damage is updated at the end of the step, implicit in beta:
//! beta' = (b beta + h w)/(b + h D) where beta D > w, a weighted mean of beta and of its rate-independent limit w/D,
//! which it takes for b = 0. The force under slow traction is then C u up to u_0 = sqrt(w/C) and w^2/(C u^3) beyond,
//! its peak is sqrt(w C), and the energy of a full debonding is w. The tail is cut where beta has fallen to 1 %, at
//! u = 10 u_0, where half a percent of w is not yet dissipated.
//!
//! With a strength F, the force falls linearly instead, from F at u_0 = F/C to zero at u_f = 2 w/F, for the same
//! energy: beta falls to the square root of u_0 (u_f - u)/(u (u_f - u_0)) at u = sqrt(D/C_n) (G. Alfano and M. A.
//! Crisfield 2001).

use super::contact_law::{ContactLaw, ContactOutcome, Local};
use super::parameter::{BadParameter, check_friction, check_not_negative, check_positive, is_true};
use super::reduced::Reduced;
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// Bodies that touch at the start of the run are bonded elastically; the bond is damaged under load and dissipates
/// `energy` until it is broken.
///
/// The law state is beta, negative without a bond, its stretch the sliding since the bond formed. In two dimensions
/// stiffness, energy and viscosity are per metre of depth.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CohesiveZone {
    /// Normal and tangential stiffness C of a contact point, N/m.
    pub stiffness: [f64; 2],
    /// Energy w to break a contact point, J.
    pub energy: f64,
    /// Viscosity b of damage, J s; 0 (the default) for rate-independent damage.
    #[serde(default)]
    pub viscosity: f64,
    /// Greatest force F of a contact point, N, after which the force decreases linearly; by default it follows from
    /// energy and stiffness, and the decrease is a curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Coefficient of friction of a broken bond, at least 0.
    #[serde(default)]
    pub friction: f64,
    /// Whether bodies that touch at the start of the run are bonded. True by default.
    #[serde(default = "is_true")]
    pub intact: bool,
    /// Whether stiffness (N/m3), energy (J/m2), strength (Pa) and viscosity (J s/m2) are those of a unit area of
    /// contact, instead of a contact point. A point then has the area that it stands for when the bond forms. False by
    /// default.
    #[serde(default)]
    pub per_area: bool,
}

/// A bond of lower intensity than this is broken.
const BROKEN: f64 = 0.01;

impl CohesiveZone {
    pub(super) fn check(&self) -> Result<(), BadParameter> {
        let [normal, tangent] = self.stiffness;
        if !(normal > 0.0 && tangent > 0.0 && normal.is_finite() && tangent.is_finite()) {
            let message = format!("stiffness = [{normal}, {tangent}] must be two numbers greater than 0");
            let help = "normal and tangential stiffness of a contact point, N/m";
            return Err(BadParameter { key: "stiffness", message, help });
        }
        check_positive("energy", self.energy, "energy to break a contact point, J")?;
        check_not_negative("viscosity", self.viscosity, "0 for rate-independent damage")?;
        if let Some(strength) = self.strength {
            let help = "its square over twice the stiffness, the energy stored before damage begins, must be less than `energy`";
            check_positive("strength", strength, help)?;
            if strength * strength >= 2.0 * normal * self.energy {
                let most = (2.0 * normal * self.energy).sqrt();
                let message = format!("strength = {strength} must be less than {most}, for this energy and stiffness");
                return Err(BadParameter { key: "strength", message, help });
            }
        }
        check_friction(self.friction)
    }

    /// The intensity that a bond under the driving energy D approaches with time.
    fn limit(&self, drive: f64) -> f64 {
        let Some(strength) = self.strength else { return self.energy / drive };
        let stretch = (drive / self.stiffness[0]).sqrt();
        let (first, last) = (strength / self.stiffness[0], 2.0 * self.energy / strength);
        let remaining = (last - stretch).max(0.0) / (last - first);
        (first / stretch * remaining).sqrt()
    }

    fn intensity<X: Dim>(&self, contact: &Local<X>) -> f64 {
        match contact.bonds(self.intact) && contact.bonded_area(self.per_area) > 0.0 {
            true => 1.0,
            false => contact.memory.state.max(0.0),
        }
    }

    /// Normal and tangential stiffness of an intact bond, N/m.
    fn bond_stiffness<X: Dim>(&self, contact: &Local<X>) -> [f64; 2] {
        self.stiffness.map(|stiffness| stiffness * contact.bonded_area(self.per_area))
    }
}

impl<X: Dim> ContactLaw<X> for CohesiveZone {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let beta = self.intensity(contact);
        let cone = Reduced::cone(contact.closing(h), (1.0 - beta) * self.friction);
        if beta == 0.0 {
            return Some(cone);
        }
        let [normal, tangent] = self.bond_stiffness(contact).map(|stiffness| beta * beta * stiffness * h * h);
        Some(Reduced {
            normal: [f64::NEG_INFINITY, f64::INFINITY],
            pull: 1.0 / normal,
            spring: tangent,
            stretch: contact.memory.stretch * (1.0 / h),
            ..cone
        })
    }

    fn has_memory(&self) -> bool {
        true
    }

    fn is_per_area(&self) -> bool {
        self.per_area
    }

    fn remember(&self, contact: &Local<X>, after: &ContactOutcome<X>, h: f64) -> LawState<X> {
        let beta = self.intensity(contact);
        let u_n = after.velocity.dot(&contact.normal);
        let opening = (contact.gap + h * u_n).max(0.0);
        let stretch = contact.memory.stretch + (after.velocity - contact.normal * u_n) * h;
        let [normal, tangent] = self.stiffness;
        let drive = normal * opening * opening + tangent * stretch.norm2();
        let limit = if drive > 0.0 { self.limit(drive) } else { 1.0 };
        let state =
            if beta > limit { limit + (beta - limit) * self.viscosity / (self.viscosity + h * drive) } else { beta };
        let area = if self.per_area { contact.bonded_area(true) } else { 0.0 };
        if state < BROKEN { LawState::unbonded() } else { LawState { state, area, stretch } }
    }

    fn is_elastic(&self) -> bool {
        true
    }

    /// The energy stored in a bond is dissipated as it damages.
    fn stored(&self, contact: &Local<X>, after: &ContactOutcome<X>, end_gap: f64, h: f64) -> [f64; 2] {
        let [normal, tangent] = self.bond_stiffness(contact);
        let energy = |beta: f64, gap: f64, stretch: X::Vector| {
            let half = 0.5 * beta * beta;
            [half * normal * gap.max(0.0).powi(2), half * tangent * stretch.norm2()]
        };
        let later: LawState<X> = self.remember(contact, after, h);
        let [along, across] = energy(self.intensity(contact), contact.start_gap, contact.memory.stretch);
        let [later_along, later_across] = energy(later.state.max(0.0), end_gap, later.stretch);
        [later_along - along, later_across - across]
    }

    fn range(&self) -> f64 {
        let [normal, _] = self.stiffness;
        self.strength.map_or((self.energy / (normal * BROKEN)).sqrt(), |strength| 2.0 * self.energy / strength)
    }
}
