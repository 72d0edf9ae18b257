//! The trait of all laws, and the local quantities of a contact before and after the solve.

use super::reduced::{Reduced, Rigid};
use super::state::LawState;
use crate::dim::{Dim, Vector};

/// Bodies closer than this fraction of the smaller length count as touching, so that rounding does not separate them.
const TOUCHING: f64 = 1e-6;
/// A contact at its bound counts as yielding above this fraction of the speed that its greatest impulse could stop.
const YIELDING: f64 = 0.01;
/// An impulse above this fraction of its bound counts as at the bound.
pub(super) const AT_BOUND: f64 = 1.0 - 1e-6;

/// The local quantities of a contact before the solve.
#[derive(Clone, Copy, Debug)]
pub struct Local<X: Dim> {
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
    /// Signed distance at mid-step, m; for a link, its elongation beyond the prescribed length.
    pub gap: f64,
    /// For a link, the vector from its anchor on the first body to its anchor on the second, m; otherwise zero.
    pub apart: X::Vector,
    /// For a link, the mean relative velocity of its anchors over the step from this mid-step to the next, minus their
    /// current relative velocity, m/s. The two differ because bodies rotate: a chord of the path is not its tangent.
    /// Otherwise zero.
    pub bend: X::Vector,
    /// Signed distance at the start of the step, m, extrapolated with the velocities there.
    pub start_gap: f64,
    /// Velocity of the second body relative to the first at the contact point, at the start of the step, m/s.
    pub before: X::Vector,
    /// Characteristic lengths of the two bodies (radius, least half-extent), m; infinite if unbounded.
    pub sizes: [f64; 2],
    /// Inverse effective mass along the normal, 1/kg.
    pub w_normal: f64,
    /// State that the law stored in the last step, rotated into the current tangent plane; zero if there is none.
    pub memory: LawState<X>,
    /// In the first step, the area of contact that the point stands for, m2 (m in the plane), if the law is per area.
    pub area: f64,
    /// Whether this is the first step of the run.
    pub is_first: bool,
    /// Mean normal impulse over all contacts of the scene that carried one in the last step, N s.
    pub mean_impulse: f64,
}

impl<X: Dim> Local<X> {
    /// Length of the smaller body, m.
    pub fn size(&self) -> f64 {
        self.sizes[0].min(self.sizes[1])
    }

    /// Harmonic mean 2 a b/(a + b) of the lengths of the two bodies, m; twice the length of the body at a wall.
    pub fn mean_size(&self) -> f64 {
        2.0 / (1.0 / self.sizes[0] + 1.0 / self.sizes[1])
    }

    /// Whether the bodies touch, up to rounding.
    pub fn touches(&self) -> bool {
        self.gap <= TOUCHING * self.size()
    }

    /// Whether the bodies touch, or touched at the start of the step.
    pub fn has_touched(&self) -> bool {
        self.gap.min(self.start_gap) <= TOUCHING * self.size()
    }

    /// Whether a bond forms now, for a law whose bodies are `intact` at the start of the run.
    pub fn bonds(&self, intact: bool) -> bool {
        intact && self.is_first && self.has_touched()
    }

    /// The area by which the constants of a bond are multiplied: that for which the point stood when the bond formed if
    /// they are per area, or one.
    pub(super) fn bonded_area(&self, is_per_area: bool) -> f64 {
        match (is_per_area, self.is_first) {
            (false, _) => 1.0,
            (true, true) => self.area,
            (true, false) => self.memory.area,
        }
    }

    /// Whether a contact with its impulse at a `bound` yields at this speed. Where several points share a load, a point
    /// may be at its bound without moving; rounding and the solver's tolerance move it slightly.
    pub(super) fn yields(&self, speed: f64, bound: f64) -> bool {
        speed > YIELDING * self.w_normal * bound
    }

    /// The shift with which Signorini's law lets a gap close exactly within the step without overshoot:
    /// u_n + g+/h >= 0.
    pub fn closing(&self, h: f64) -> X::Vector {
        closing::<X>(self.normal, self.gap, h)
    }

    /// Normal component of [`before`](Self::before), m/s; negative on approach.
    pub fn normal_before(&self) -> f64 {
        self.before.dot(&self.normal)
    }

    /// Tangential component of [`before`](Self::before), m/s.
    pub fn tangent_before(&self) -> X::Vector {
        self.before - self.normal * self.normal_before()
    }
}

/// See [`Local::closing`].
pub(super) fn closing<X: Dim>(normal: X::Vector, gap: f64, h: f64) -> X::Vector {
    normal * (gap.max(0.0) / h)
}

/// The local quantities of a contact after the solve.
#[derive(Clone, Copy, Debug)]
pub struct ContactOutcome<X: Dim> {
    /// Impulse on the second body, world axes, N s.
    pub impulse: X::Vector,
    /// Velocity of the second body relative to the first, m/s.
    pub velocity: X::Vector,
}

impl<X: Dim> ContactOutcome<X> {
    /// Normal component of the impulse and magnitude of its tangential part, N s.
    pub fn parts(&self, normal: X::Vector) -> [f64; 2] {
        let r_n = self.impulse.dot(&normal);
        [r_n, (self.impulse - normal * r_n).norm()]
    }
}

/// Constants of a law in impacts of several bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactConstants {
    /// Normal restitution of two bodies alone.
    pub restitution: f64,
    /// Stiffness of the contact while the impact lasts; only ratios matter.
    pub stiffness: f64,
}

impl ImpactConstants {
    /// Those of a contact without rebound.
    pub(super) const INELASTIC: Self = Self { restitution: 0.0, stiffness: 1.0 };
}

/// A law of interaction between two materials.
pub trait ContactLaw<X: Dim>: Send + Sync {
    /// Reduces the law to the record for the solver; `None` if no impulse can act at this contact in this step. `h` is
    /// the time step, s.
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>>;

    /// Fast path of [`reduce`](Self::reduce) for laws that depend on normal and gap only and reduce to [`Rigid`];
    /// `None` for all others. Most contacts of most scenes have such a law, and computing the rest of [`Local`] costs
    /// more than this.
    fn reduce_gap(&self, _normal: X::Vector, _gap: f64, _h: f64) -> Option<Rigid<X>> {
        None
    }

    /// Whether [`remember`](Self::remember) is called after the solve.
    fn has_memory(&self) -> bool {
        false
    }

    /// The state to pass to [`reduce`](Self::reduce) in the next step, from the contact before and after the solve. It
    /// is lost when the gap exceeds both [`range`](Self::range) and the alert distance.
    fn remember(&self, _contact: &Local<X>, _after: &ContactOutcome<X>, _h: f64) -> LawState<X> {
        LawState::zero()
    }

    /// Greatest gap at which bodies interact, m.
    fn range(&self) -> f64 {
        0.0
    }

    /// Whether constants of its bonds belong to a unit area of contact.
    fn is_per_area(&self) -> bool {
        false
    }

    /// Restitution and relative stiffness in impacts of several bodies; `None` for laws that are no impact laws.
    fn impact(&self) -> Option<ImpactConstants> {
        None
    }

    /// Whether bodies can be in contact at all; otherwise their pairs are no candidates.
    fn acts(&self) -> bool {
        true
    }

    /// Whether the law is always a plain friction cone: unilateral contact with Coulomb friction and perhaps
    /// restitution, but no memory, cohesion, compliance or rolling resistance.
    fn is_cone(&self) -> bool {
        false
    }

    /// Whether the law stores recoverable energy; then [`stored`](Self::stored) is called after the solve.
    fn is_elastic(&self) -> bool {
        false
    }

    /// Change of the stored energy over the step, at whose end the gap is `end_gap`, J: normal and tangential part.
    fn stored(&self, _contact: &Local<X>, _after: &ContactOutcome<X>, _end_gap: f64, _h: f64) -> [f64; 2] {
        [0.0; 2]
    }

    /// Whether overlaps are part of the law because its force depends on them; then they are not corrected.
    fn is_soft(&self) -> bool {
        false
    }
}
