//! Contacts of balls with balls and obstacles: matrix-free, frame-free, closed form.
//!
//! The arms of both bodies are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. `batches` does the same eight
//! at a time.

use serde::{Deserialize, Serialize};

use super::momentum::Pace;
use super::{Line, Residual};
use crate::dim::{Dim, Vector};
use crate::law::Reduced;

/// One contact; impulses in world axes act on the second body and oppositely on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Round<X: Dim> {
    pub(super) bodies: [u32; 2],
    pub(super) arms: [f64; 2],
    pub(super) normal: X::Vector,
    pub(super) shift: X::Vector,
    pub(super) friction: f64,
    /// 1/w_n and 1/w_t.
    pub(super) inverse_w: [f64; 2],
    /// Impulse, N s.
    pub impulse: X::Vector,
}

impl<X: Dim> Round<X> {
    /// Greatest tangential impulse that friction allows beside the normal impulse, N s.
    pub fn bound(&self) -> f64 {
        self.friction * self.impulse.dot(&self.normal).max(0.0)
    }

    pub(super) fn new(
        bodies: [u32; 2],
        normal: X::Vector,
        arms: [f64; 2],
        inverse_mass: [f64; 2],
        law: &Reduced<X>,
        impulse: X::Vector,
    ) -> Self {
        let w_n = inverse_mass[0] + inverse_mass[1];
        let turn = |k: usize| inverse_mass[k] * (1.0 + X::BALL * arms[k] * arms[k]);
        let w_t = turn(0) + turn(1);
        let inverse_w = [1.0 / w_n, 1.0 / w_t];
        Self { bodies, arms, normal, shift: law.shift, friction: law.friction, inverse_w, impulse }
    }

    /// Relative velocity at the contact, second body minus first, with the law's shift.
    #[inline(always)]
    fn velocity(&self, a: &Line<X>, b: &Line<X>) -> X::Vector {
        let spin = a.spin * self.arms[0] + b.spin * self.arms[1];
        b.velocity - a.velocity - X::swing(spin, self.normal) + self.shift
    }

    /// Add the effect of an impulse to the velocities.
    #[inline(always)]
    pub(super) fn apply(&self, lines: &mut [Line<X>], impulse: X::Vector) {
        let turn = X::torque(self.normal, impulse) * X::BALL;
        let a = &mut lines[self.bodies[0] as usize];
        a.velocity -= impulse * a.inverse_mass;
        a.spin -= turn * (self.arms[0] * a.inverse_mass);
        let b = &mut lines[self.bodies[1] as usize];
        b.velocity += impulse * b.inverse_mass;
        b.spin -= turn * (self.arms[1] * b.inverse_mass);
    }

    /// The impulse that solves this contact alone, whose impulse `p` makes its velocity `u`.
    #[inline(always)]
    fn solution(&self, p: X::Vector, u: X::Vector) -> X::Vector {
        let u_n = u.dot(&self.normal);
        let p_n = p.dot(&self.normal);
        let tangent = (p - self.normal * p_n) - (u - self.normal * u_n) * self.inverse_w[1];
        let r_n = (p_n - u_n * self.inverse_w[0]).max(0.0);
        let (radius, length2) = (self.friction * r_n, tangent.norm2());
        let clip = if length2 > radius * radius { radius / length2.sqrt() } else { 1.0 };
        self.normal * r_n + tangent * clip
    }

    #[inline(always)]
    pub(super) fn solve(&mut self, lines: &mut [Line<X>], relaxation: f64, pace: &mut impl Pace<X::Vector>) {
        let u = self.velocity(&lines[self.bodies[0] as usize], &lines[self.bodies[1] as usize]);
        let start = pace.start(self.impulse);
        let correction = (self.solution(start, u) - start) * relaxation;
        self.impulse = start + correction;
        let inverse_mass = |side: usize| lines[self.bodies[side] as usize].inverse_mass;
        pace.count(start, self.impulse, || inverse_mass(0) + inverse_mass(1));
        self.apply(lines, correction);
    }

    pub(super) fn residual(&self, lines: &[Line<X>], residual: &mut Residual) {
        let u = self.velocity(&lines[self.bodies[0] as usize], &lines[self.bodies[1] as usize]);
        let rho = self.inverse_w[0].min(self.inverse_w[1]);
        residual.add_cone::<X>(self.impulse, u, self.normal, self.friction, rho);
    }
}
