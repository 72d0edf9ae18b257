//! Solve as far as rounding allows: sweeps to provide a starting point, then proximal steps by Newton's method.
//!
//! Proximal point method: each problem is centred at the last solution, with a weight that keeps its matrix regular (W
//! is singular wherever more contacts carry than are needed) and vanishes from the equation as the solutions converge.
//! Where Newton's method is fast the weight decreases; where it fails the weight increases. Friction is not monotone,
//! so convergence is not guaranteed: if Newton's method makes no progress, sweeps continue from their own last iterate,
//! and after half as many again Newton's method starts anew. The best impulses are kept.

use super::Delassus;
use super::best::BestImpulses;
use super::newton::Proximal;
use super::route::{Deadline, Effort, SolveTarget};
use super::sweeps::DelassusSweeps;
use crate::dim::Dim;

/// First weight, small enough for a long proximal step, and the bounds of all weights.
const WEIGHT: f64 = 1e-5;
const MIN_WEIGHT: f64 = 1e-10;
const MAX_WEIGHT: f64 = 0.1;
/// Greatest number of Newton steps for one proximal problem.
const STEPS: u32 = 40;
/// Proximal steps within which the residual must be halved.
const PATIENCE: u32 = 5;

impl<X: Dim> Delassus<X> {
    /// Solves from the impulses `guess`; Newton's method starts after `first_newton` sweeps.
    pub(super) fn solve_by_newton(
        &self,
        guess: Vec<X::Vector>,
        target: &SolveTarget,
        first_newton: u32,
        deadline: Deadline,
    ) -> (Vec<X::Vector>, Effort) {
        let mut best = BestImpulses::new(self, guess.clone(), target.tolerance);
        let mut sweeps = DelassusSweeps::new(guess, true);
        let (mut effort, mut next) = (Effort::default(), first_newton);
        while !best.is_solved && sweeps.count < target.max_sweeps && (sweeps.count == 0 || !deadline.is_past()) {
            let until = next.min(target.max_sweeps);
            sweeps.sweep_until(self, until, |impulses| {
                best.update(self, impulses, target.tolerance);
                best.is_solved || deadline.is_past()
            });
            if !best.is_solved && !deadline.is_past() {
                effort.newton_steps += self.proximal_steps(&sweeps.impulses, &mut best, target.tolerance, deadline);
            }
            next = until + until.div_ceil(2);
        }
        effort.sweeps = sweeps.count;
        (best.impulses, effort)
    }

    /// Proximal steps from `start` while they make progress; returns the number of Newton steps.
    fn proximal_steps(
        &self,
        start: &[X::Vector],
        best: &mut BestImpulses<X>,
        tolerance: f64,
        deadline: Deadline,
    ) -> u32 {
        let (mut anchor, mut weight, mut newton_steps) = (start.to_vec(), WEIGHT, 0);
        let mut residual = self.residual(&anchor).relative();
        let (mut reference, mut since) = (residual, 0);
        while !best.is_solved && since < PATIENCE && weight <= MAX_WEIGHT && !deadline.is_past() {
            let proximal = Proximal { problem: self, anchor: &anchor, weight, deadline };
            let mut next = anchor.clone();
            let outcome = proximal.solve(&mut next, (0.1 * residual).clamp(1e-15, 1e-3), STEPS);
            newton_steps += outcome.steps;
            let next_residual = best.update(self, &next, tolerance);
            tracing::debug!(weight, residual, next_residual, newton = ?outcome, "proximal step");
            if outcome.is_solved {
                (anchor, residual) = (next, next_residual);
                weight *= if outcome.steps <= 3 {
                    0.1
                } else if outcome.steps <= 6 {
                    0.5
                } else {
                    1.0
                };
                weight = weight.max(MIN_WEIGHT);
            } else {
                weight *= 4.0;
            }
            since += 1;
            if residual < 0.5 * reference {
                (reference, since) = (residual, 0);
            }
        }
        newton_steps
    }
}
