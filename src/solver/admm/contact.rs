//! A contact as ADMM sees it: what it does to the velocities of its bodies, and they to it.

use super::rigid_bodies::RigidBodies;
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Vector};
use crate::solver::delassus::Lever;
use crate::solver::problem::general_block;
use crate::solver::{Velocity, WORLD};

/// A contact with a friction cone. Impulses act on the second body, and with opposite sign on the first.
pub(super) struct AdmmContact<X: Dim> {
    /// First unknown of each body; none for bodies that impulses do not move.
    pub(super) bodies: [Option<usize>; 2],
    pub(super) normal: X::Vector,
    pub(super) arms: [X::Vector; 2],
    pub(super) friction: f64,
    /// q: the free velocity with the shift of the law, m/s.
    pub(super) free: X::Vector,
    /// Effective mass min(1/W_nn, 1/lambda_max(W_tt)), kg; zero where nothing moves.
    pub(super) mass: f64,
}

/// Impulses act on the second body, and with opposite sign on the first.
pub(super) const SIGNS: [f64; 2] = [-1.0, 1.0];

impl<X: Dim> AdmmContact<X> {
    /// `None` if the law is not a plain friction cone.
    pub(super) fn new(
        lever: &Lever<X>,
        bodies: &RigidBodies<X>,
        free: &impl Fn(ProblemBody) -> Velocity<X>,
    ) -> Option<Self> {
        if !lever.law.is_cone() {
            return None;
        }
        let at = |side: usize| match lever.bodies[side] {
            WORLD => X::Vector::zero(),
            body => {
                let Velocity { velocity, spin } = free(body);
                velocity + X::cross(spin, lever.arms[side])
            }
        };
        let block = general_block(&lever.bodies.map(|body| bodies.mass(body)), lever.normal, &lever.arms, &lever.law);
        let inverse = |w: f64| if w > 0.0 { 1.0 / w } else { 0.0 };
        Some(Self {
            bodies: lever.bodies.map(|body| bodies.unknown(body)),
            normal: lever.normal,
            arms: lever.arms,
            friction: lever.law.friction,
            free: at(1) - at(0) + lever.law.shift,
            mass: inverse(block[(0, 0)]).min(inverse(X::tangent_bound(&block))),
        })
    }

    /// 1/(`weight` times the effective mass); zero where nothing moves.
    pub(super) fn over(&self, weight: f64) -> f64 {
        if self.mass > 0.0 { 1.0 / (weight * self.mass) } else { 0.0 }
    }

    /// u = H V + b, where `moved` is V - V_free.
    #[inline(always)]
    pub(super) fn velocity(&self, moved: &[f64]) -> X::Vector {
        let mut u = self.free;
        for (sign, first, arm) in self.ends() {
            let velocity = X::Vector::read(&moved[first..first + X::D]);
            let spin = X::Spin::read(&moved[first + X::D..first + X::D + X::R]);
            u += (velocity + X::cross(spin, arm)) * sign;
        }
        u
    }

    /// Adds H^T r to the impulses and torques on the bodies.
    #[inline(always)]
    pub(super) fn add_impulse(&self, impulse: X::Vector, loads: &mut [f64]) {
        for (sign, first, arm) in self.ends() {
            let force = impulse * sign;
            let torque = X::torque(arm, force);
            let load = &mut loads[first..first + X::D + X::R];
            (0..X::D).for_each(|k| load[k] += force[k]);
            (0..X::R).for_each(|k| load[X::D + k] += torque[k]);
        }
    }

    /// The ends at bodies that move: sign, first unknown of the body, and arm.
    #[inline(always)]
    fn ends(&self) -> impl Iterator<Item = (f64, usize, X::Vector)> {
        let ends = SIGNS.into_iter().zip(self.bodies).zip(self.arms);
        ends.filter_map(|((sign, first), arm)| first.map(|first| (sign, first, arm)))
    }

    /// Velocity of the contact point by a unit of unknown `k` of the body on this side.
    pub(super) fn column(&self, side: usize, k: usize) -> X::Vector {
        let velocity = match k.checked_sub(X::D) {
            None => X::Vector::axis(k),
            Some(k) => X::cross(X::Spin::axis(k), self.arms[side]),
        };
        velocity * SIGNS[side]
    }
}
