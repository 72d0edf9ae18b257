//! Contacts between any bodies under any reduced law.
//!
//! The default local map is the diagonal projection: one step with 1/W_nn for the normal and 1/lambda_max(W_tt) for the
//! tangent, clipped to the bounds of the law. It needs no frame and has the exact solution as its fixed point; the
//! exact map is an option and the oracle of the tests. `batched_general` projects eight contacts at a time.

use serde::{Deserialize, Serialize};

use super::certificate::ResidualTerm;
use super::deformable::ContactEnds;
use super::sweep_policy::SweepPolicy;
use super::velocities::VelocityRows;
use super::{LocalMap, Mass, Residual, local};
use crate::dim::{Dim, Square, Vector};
use crate::law::Reduced;

/// One contact; its impulse, in world axes, acts on the second body and with opposite sign on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct GeneralContact<X: Dim> {
    pub(super) bodies: [u32; 2],
    pub(super) normal: X::Vector,
    pub(super) arms: [X::Vector; 2],
    /// 1/W_nn and 1/lambda_max(W_tt).
    pub(super) inverse_w: [f64; 2],
    pub(super) law: Reduced<X>,
    /// Impulse, N s.
    pub impulse: X::Vector,
}

impl<X: Dim> GeneralContact<X> {
    /// Greatest tangential impulse that the law allows at the present normal impulse, N s.
    pub fn bound(&self) -> f64 {
        self.law.radius(self.impulse.dot(&self.normal))
    }

    pub(super) fn new(
        bodies: [u32; 2],
        normal: X::Vector,
        arms: [X::Vector; 2],
        block: &X::Matrix,
        law: Reduced<X>,
        impulse: X::Vector,
    ) -> Self {
        // A direction in which nothing can move takes no impulse.
        let inverse = |w: f64| if w > 0.0 { 1.0 / w } else { 0.0 };
        let inverse_w = [inverse(block[(0, 0)]), inverse(X::tangent_bound(block))];
        Self { bodies, normal, arms, inverse_w, law, impulse }
    }

    /// Normal component of the impulse, N s.
    #[inline(always)]
    pub(super) fn normal_impulse(&self) -> f64 {
        self.impulse.dot(&self.normal)
    }

    /// Relative velocity plus the law's shift and compliance under the impulse `p`: what the law constrains.
    #[inline(always)]
    fn velocity(&self, rows: &(impl VelocityRows<X> + ?Sized), ends: &impl ContactEnds<X>, p: X::Vector) -> X::Vector {
        let (a, b) = (&rows[self.bodies[0] as usize], &rows[self.bodies[1] as usize]);
        let u = (b.velocity + X::cross(b.spin, self.arms[1])) - (a.velocity + X::cross(a.spin, self.arms[0]));
        let u = ends.add_velocity(u, rows);
        let [c_n, c_t] = self.law.compliance;
        u + self.law.shift + p * c_t + self.normal * ((c_n - c_t) * p.dot(&self.normal))
    }

    /// Adds the effect of an impulse to the velocities.
    #[inline(always)]
    pub(super) fn apply(
        &self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        impulse: X::Vector,
    ) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = self.bodies[side] as usize;
            let (row, mass) = (&mut rows[body], &masses[body]);
            let signed = impulse * sign;
            row.velocity += mass.inverse_mass.times(&signed);
            row.spin += mass.inverse_inertia.apply(X::torque(self.arms[side], signed));
        }
        ends.apply(rows, impulse);
    }

    /// Moves the impulse from `start` towards `target` and updates the velocities.
    #[inline(always)]
    fn correct(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        [start, target]: [X::Vector; 2],
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let correction = (target - start) * relaxation;
        self.impulse = start + correction;
        policy.count(start, self.impulse, || if self.inverse_w[0] > 0.0 { 1.0 / self.inverse_w[0] } else { 0.0 });
        self.apply(rows, masses, ends, correction);
    }

    /// One step from `p` with step lengths `steps`, clipped to the law: a fixed point is a solution for any lengths.
    #[inline(always)]
    fn clipped(&self, p: X::Vector, u: X::Vector, steps: [f64; 2]) -> X::Vector {
        self.clipped_within(p, u, steps, |r_n| self.law.radius(r_n))
    }

    /// The same; `radius` bounds the tangential impulse, given the normal one.
    #[inline(always)]
    fn clipped_within(&self, p: X::Vector, u: X::Vector, steps: [f64; 2], radius: impl Fn(f64) -> f64) -> X::Vector {
        let u_n = u.dot(&self.normal);
        let p_n = p.dot(&self.normal);
        let r_n = self.law.normal_impulse(p_n - u_n * steps[0], steps[0]);
        let stick = (p - self.normal * p_n) - (u - self.normal * u_n) * steps[1];
        self.normal * r_n + self.law.tangential_impulse(stick, radius(r_n), steps[1])
    }

    /// The impulse after a projected gradient step from `p`; the present impulse bounds friction. Directions in which
    /// nothing moves take no step.
    #[inline(always)]
    pub(super) fn descended(
        &self,
        rows: &(impl VelocityRows<X> + ?Sized),
        ends: &impl ContactEnds<X>,
        p: X::Vector,
        step: f64,
    ) -> X::Vector {
        let steps = self.inverse_w.map(|inverse| if inverse > 0.0 { step } else { 0.0 });
        self.clipped_within(p, self.velocity(rows, ends, p), steps, |_| self.bound())
    }

    /// Solves the contact: by the inverse of its block if it is bilateral, else by the local map.
    #[inline(always)]
    pub(super) fn update(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        (map, inverse, block): (LocalMap, Option<&X::Matrix>, Option<&X::Matrix>),
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        match (inverse, map, block) {
            (Some(inverse), ..) => self.solve_bilateral(rows, masses, ends, inverse, relaxation, policy),
            (None, LocalMap::Exact, Some(block)) => self.solve(rows, masses, ends, block, relaxation, policy),
            // The exact map has the blocks of all contacts.
            (None, ..) => self.project(rows, masses, ends, relaxation, policy),
        }
    }

    #[inline(always)]
    fn project(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let start = policy.start(self.impulse);
        let target = self.clipped(start, self.velocity(rows, ends, start), self.inverse_w);
        self.correct(rows, masses, ends, [start, target], relaxation, policy);
    }

    /// Exact local solution of a contact with unbounded impulse, by the inverse of the local block in world axes.
    #[inline(always)]
    fn solve_bilateral(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        inverse: &X::Matrix,
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let start = policy.start(self.impulse);
        let target = start - inverse.apply(self.velocity(rows, ends, start));
        // A contact that bears nothing along its normal may still start from a nonzero normal impulse.
        let normal = target.dot(&self.normal).clamp(self.law.normal[0], self.law.normal[1]);
        let target = target + self.normal * (normal - target.dot(&self.normal));
        self.correct(rows, masses, ends, [start, target], relaxation, policy);
    }

    /// Exact local solution where the law is a cone; the projection elsewhere.
    fn solve(
        &mut self,
        rows: &mut (impl VelocityRows<X> + ?Sized),
        masses: &[Mass<X>],
        ends: &impl ContactEnds<X>,
        block: &X::Matrix,
        relaxation: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
    ) {
        let start = policy.start(self.impulse);
        let u = self.velocity(rows, ends, start);
        let exact = self.law.is_cone().then(|| {
            let frame = X::frame(self.normal);
            let free = frame.apply(u) - block.apply(frame.apply(start));
            local::exact::<X>(block, free, self.law.friction).map(|r| frame.apply_transposed(r))
        });
        let target = match exact {
            Some(Ok(target)) => target,
            Some(Err(_)) | None => self.clipped(start, u, self.inverse_w),
        };
        self.correct(rows, masses, ends, [start, target], relaxation, policy);
    }

    pub(super) fn residual(
        &self,
        rows: &(impl VelocityRows<X> + ?Sized),
        ends: &impl ContactEnds<X>,
        residual: &mut Residual,
    ) {
        let u = self.velocity(rows, ends, self.impulse);
        let rho = self.inverse_w[0].min(self.inverse_w[1]);
        if self.law.is_cone() {
            residual.add_cone::<X>(self.impulse, u, self.normal, self.law.friction, rho);
        } else {
            let violation = (self.impulse - self.clipped(self.impulse, u, [rho, rho])).norm2();
            let (gap, work) = (self.law.complementarity(self.impulse, u, self.normal), self.impulse.dot(&u));
            residual.add(ResidualTerm { violation, impulse: self.impulse.norm2(), gap, work, rho });
        }
    }
}
