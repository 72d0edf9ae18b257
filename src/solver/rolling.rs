//! Rolling resistance: an impulse on the spins at a contact, bounded by the normal impulse of that contact.
//!
//! R p acts on the spin of the second body and with opposite sign on the first, with R the length of the smaller of the
//! two. |p| <= c r_n; the relative spin opposes p where the bound is reached and is zero elsewhere. In space the whole
//! spin counts, the part about the normal (drilling) like the rest (rolling). Everything is multiplied by R, so that p
//! is in N s and u = R (omega_b - omega_a) in m/s like the impulses and velocities of contacts; both are stored in the
//! first components of a vector.

use serde::{Deserialize, Serialize};

use super::certificate::ResidualTerm;
use super::sweep_policy::SweepPolicy;
use super::velocities::VelocityRows;
use super::{Mass, Residual};
use crate::dim::{Dim, Square, Vector};

/// The rolling resistance of one contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Rolling<X: Dim> {
    /// Index of the contact in `ContactProblem::general`.
    pub(super) contact: u32,
    bodies: [u32; 2],
    /// R over the size of each body.
    ratios: [f64; 2],
    /// c.
    coefficient: f64,
    /// R times the spin of a body that belongs to the world, m/s.
    shift: X::Vector,
    /// 1/w, with w an upper bound of all inverse effective masses.
    inverse_w: f64,
    /// p, N s.
    pub impulse: X::Vector,
}

/// Parameters of a rolling resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resistance<X: Dim> {
    /// c: greatest spin impulse over R and over the normal impulse.
    pub coefficient: f64,
    /// R over the size of each body.
    pub ratios: [f64; 2],
    /// R times the spin of a body that belongs to the world, m/s.
    pub shift: X::Vector,
    /// Initial guess of the impulse.
    pub impulse: X::Vector,
}

/// A spin in the first components of a vector.
pub fn spin_as_vector<X: Dim>(spin: X::Spin) -> X::Vector {
    X::Vector::from_fn(|i| if i < X::R { spin[i] } else { 0.0 })
}

/// The reverse of [`spin_as_vector`].
fn vector_as_spin<X: Dim>(vector: X::Vector) -> X::Spin {
    X::Spin::from_fn(|i| vector[i])
}

impl<X: Dim> Rolling<X> {
    pub(super) fn new(contact: u32, bodies: [u32; 2], masses: &[Mass<X>], resistance: Resistance<X>) -> Self {
        let Resistance { coefficient, ratios, shift, impulse } = resistance;
        let mut rolling = Self { contact, bodies, ratios, coefficient, shift, inverse_w: 0.0, impulse };
        let w: f64 = rolling.norms(masses).iter().map(|(_, norm)| norm).sum();
        rolling.inverse_w = if w > 0.0 { 1.0 / w } else { 0.0 };
        rolling
    }

    /// Upper bounds of the inverse effective mass of each body, with the body.
    pub(super) fn norms(&self, masses: &[Mass<X>]) -> [(u32, f64); 2] {
        // No eigenvalue exceeds the greatest absolute row sum.
        let greatest = |inverse: &X::Tensor| {
            (0..X::R).map(|i| (0..X::R).map(|j| inverse[(i, j)].abs()).sum::<f64>()).fold(0.0, f64::max)
        };
        [0, 1].map(|side| {
            let (body, ratio) = (self.bodies[side], self.ratios[side]);
            (body, ratio * ratio * greatest(&masses[body as usize].inverse_inertia))
        })
    }

    #[inline(always)]
    fn velocity(&self, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector {
        let spin = |side: usize| rows[self.bodies[side] as usize].spin * self.ratios[side];
        spin_as_vector::<X>(spin(1) - spin(0)) + self.shift
    }

    /// Adds the effect of an impulse to the spins.
    #[inline(always)]
    pub(super) fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), masses: &[Mass<X>], impulse: X::Vector) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = self.bodies[side] as usize;
            let torque = vector_as_spin::<X>(impulse) * (sign * self.ratios[side]);
            rows[body].spin += masses[body].inverse_inertia.apply(torque);
        }
    }

    /// One step from `p`, clipped to the bound set by the normal impulse `r_n`.
    #[inline(always)]
    fn clipped(&self, p: X::Vector, u: X::Vector, r_n: f64) -> X::Vector {
        self.stepped(p, u, r_n, self.inverse_w)
    }

    #[inline(always)]
    fn stepped(&self, p: X::Vector, u: X::Vector, r_n: f64, step: f64) -> X::Vector {
        let stick = p - u * step;
        let (length, most) = (stick.norm(), self.coefficient * r_n.max(0.0));
        if length <= most { stick } else { stick * (most / length) }
    }

    #[inline(always)]
    pub(super) fn solve(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        r_n: f64,
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let start = policy.start(self.impulse);
        let correction = (self.clipped(start, self.velocity(rows), r_n) - start) * relaxation;
        self.impulse = start + correction;
        policy.count(start, self.impulse, || if self.inverse_w > 0.0 { 1.0 / self.inverse_w } else { 0.0 });
        self.apply(rows, masses, correction);
    }

    /// The impulse after a projected gradient step from `p`, within the bound set by the normal impulse `r_n`.
    #[inline(always)]
    pub(super) fn descended(
        &self,
        rows: &(impl VelocityRows<X> + ?Sized),
        p: X::Vector,
        r_n: f64,
        step: f64,
    ) -> X::Vector {
        self.stepped(p, self.velocity(rows), r_n, if self.inverse_w > 0.0 { step } else { 0.0 })
    }

    pub(super) fn residual(&self, rows: &(impl VelocityRows<X> + ?Sized), r_n: f64, residual: &mut Residual) {
        let u = self.velocity(rows);
        let violation = (self.impulse - self.clipped(self.impulse, u, r_n)).norm2();
        let work = self.impulse.dot(&u);
        let gap = (work + self.coefficient * r_n.max(0.0) * u.norm()).abs();
        residual.add_to_last(ResidualTerm { violation, impulse: self.impulse.norm2(), gap, work, rho: self.inverse_w });
    }
}
