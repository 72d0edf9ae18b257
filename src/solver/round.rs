//! Contacts of balls with balls and obstacles: matrix-free and frame-free. How they are solved: see `batches`.

use serde::{Deserialize, Serialize};

use super::{Line, Residual};
use crate::dim::Dim;
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

    pub(super) fn residual(&self, lines: &[Line<X>], residual: &mut Residual) {
        let u = self.velocity(&lines[self.bodies[0] as usize], &lines[self.bodies[1] as usize]);
        let rho = self.inverse_w[0].min(self.inverse_w[1]);
        residual.add_cone::<X>(self.impulse, u, self.normal, self.friction, rho);
    }
}
