//! Contacts of spheres (disks in 2D) with spheres and obstacles: matrix-free, frame-free, closed form.
//!
//! The lever arms of both bodies are multiples of the normal, so W = diag(w_n, w_t, w_t) in any frame and the exact
//! Signorini-Coulomb solution is the sticking impulse clipped to the disk of radius mu r_n. In units of the radii both
//! arms are the same number, by the choice of the contact point. `sphere_batches` solves eight contacts at a time.

use serde::{Deserialize, Serialize};

use super::sweep_policy::SweepPolicy;
use super::velocities::VelocityRows;
use super::{BodyVelocity, Residual};
use crate::dim::{Dim, Pair, Vector};
use crate::law::Reduced;

/// One contact; its impulse, in world axes, acts on the second body and with opposite sign on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct SphereContact<X: Dim> {
    pub(super) bodies: [u32; 2],
    /// Distance of the contact point from the centre of either sphere over its radius: the point divides the distance
    /// of the centres in the ratio of the radii.
    pub(super) arm: f64,
    pub(super) normal: X::Vector,
    pub(super) shift: X::Vector,
    pub(super) friction: f64,
    /// Impulse, N s.
    pub impulse: X::Vector,
}

impl<X: Dim> SphereContact<X> {
    /// Greatest tangential impulse that friction allows at the present normal impulse, N s.
    pub fn bound(&self) -> f64 {
        self.friction * self.impulse.dot(&self.normal).max(0.0)
    }

    /// Unit normal from the first body to the second.
    pub fn normal(&self) -> X::Vector {
        self.normal
    }

    /// Distance of the contact point from the centre of either sphere over its radius.
    pub fn arm(&self) -> f64 {
        self.arm
    }

    pub(crate) fn new(bodies: [u32; 2], normal: X::Vector, arm: f64, law: &Reduced<X>, impulse: X::Vector) -> Self {
        Self { bodies, arm, normal, shift: law.shift, friction: law.friction, impulse }
    }

    /// Relative velocity at the contact, second body minus first, with the law's shift.
    #[inline(always)]
    fn velocity(&self, a: &BodyVelocity<X>, b: &BodyVelocity<X>) -> X::Vector {
        let spin = (a.spin + b.spin) * self.arm;
        b.velocity - a.velocity - X::cross(spin, self.normal) + self.shift
    }

    /// Adds the effect of an impulse to the velocities.
    #[inline(always)]
    pub(super) fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector) {
        let turn = X::torque(self.normal, impulse) * (X::BALL * self.arm);
        let a = &mut rows[self.bodies[0] as usize];
        a.velocity -= impulse * a.inverse_mass;
        a.spin -= turn * a.inverse_mass;
        let b = &mut rows[self.bodies[1] as usize];
        b.velocity += impulse * b.inverse_mass;
        b.spin -= turn * b.inverse_mass;
    }

    /// 1/w_n and 1/w_t of the contact between the bodies of these rows.
    #[inline(always)]
    pub(super) fn inverse_w(&self, rows: &(impl VelocityRows<X> + ?Sized)) -> [f64; 2] {
        let [a, b] = self.bodies.both(|body| rows[body as usize].inverse_mass);
        let ratio = 1.0 + X::BALL * self.arm * self.arm;
        let inverse = 1.0 / ((a + b) * ratio);
        [ratio * inverse, inverse]
    }

    /// The impulse that solves this contact alone, given its velocity `u` under the impulse `p`.
    #[inline(always)]
    fn solution(&self, p: X::Vector, u: X::Vector, inverse_w: [f64; 2]) -> X::Vector {
        let u_n = u.dot(&self.normal);
        let p_n = p.dot(&self.normal);
        let tangent = (p - self.normal * p_n) - (u - self.normal * u_n) * inverse_w[1];
        let r_n = (p_n - u_n * inverse_w[0]).max(0.0);
        let (radius, length2) = (self.friction * r_n, tangent.norm2());
        let clip = if length2 > radius * radius { radius / length2.sqrt() } else { 1.0 };
        self.normal * r_n + tangent * clip
    }

    #[inline(always)]
    pub(super) fn solve(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let u = self.velocity(&rows[self.bodies[0] as usize], &rows[self.bodies[1] as usize]);
        let start = policy.start(self.impulse);
        let correction = (self.solution(start, u, self.inverse_w(rows)) - start) * relaxation;
        self.impulse = start + correction;
        let inverse_mass = |side: usize| rows[self.bodies[side] as usize].inverse_mass;
        policy.count(start, self.impulse, || inverse_mass(0) + inverse_mass(1));
        self.apply(rows, correction);
    }

    /// The impulse after a projected gradient step from `p`; the present impulse bounds friction.
    #[inline(always)]
    pub(super) fn descended(&self, rows: &(impl VelocityRows<X> + ?Sized), p: X::Vector, step: f64) -> X::Vector {
        let u = self.velocity(&rows[self.bodies[0] as usize], &rows[self.bodies[1] as usize]);
        let stepped = p - u * step;
        let stepped_n = stepped.dot(&self.normal);
        let tangent = stepped - self.normal * stepped_n;
        let (radius, length) = (self.bound(), tangent.norm());
        let clip = if length > radius { radius / length } else { 1.0 };
        self.normal * stepped_n.max(0.0) + tangent * clip
    }

    pub(super) fn residual(&self, rows: &(impl VelocityRows<X> + ?Sized), residual: &mut Residual) {
        let u = self.velocity(&rows[self.bodies[0] as usize], &rows[self.bodies[1] as usize]);
        let [_, rho] = self.inverse_w(rows);
        residual.add_cone::<X>(self.impulse, u, self.normal, self.friction, rho);
    }
}
