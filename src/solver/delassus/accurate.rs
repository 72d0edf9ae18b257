//! Solve as far as rounding allows: sweeps to provide a starting point, then proximal steps by Newton's method.
//!
//! Proximal point method: each problem is centred at the last solution, with a weight that keeps its matrix regular (W
//! is singular wherever more contacts carry than are needed) and vanishes from the equation as the solutions converge.
//! Where Newton's method is fast the weight decreases, and few steps remain; where it fails the weight increases.
//! Friction is not monotone, so that neither is guaranteed: sweeps continue from where they were, and after half as
//! many again Newton's method is tried anew. The best impulses are kept.

use super::Delassus;
use super::newton::Proximal;
use super::route::{Effort, SolveTarget};
use super::sweeps::DelassusSweeps;
use crate::dim::Dim;

/// First weight, small enough for one proximal step to go far; followed by the bounds of all weights.
const WEIGHT: f64 = 1e-5;
const LEAST_WEIGHT: f64 = 1e-10;
const MOST_WEIGHT: f64 = 0.1;
/// Greatest number of Newton steps for one proximal problem.
const STEPS: u32 = 40;
/// Proximal steps within which the residual must be halved.
const PATIENCE: u32 = 5;

/// The best impulses so far.
struct BestImpulses<X: Dim> {
    impulses: Vec<X::Vector>,
    residual: f64,
    is_solved: bool,
}

impl<X: Dim> BestImpulses<X> {
    fn offer(&mut self, problem: &Delassus<X>, impulses: &[X::Vector], tolerance: f64) -> f64 {
        let residual = problem.residual(impulses).relative();
        if residual < self.residual {
            self.impulses.copy_from_slice(impulses);
            self.residual = residual;
            self.is_solved = residual <= tolerance && problem.merit(impulses) <= tolerance;
        }
        residual
    }
}

impl<X: Dim> Delassus<X> {
    /// Solves from the impulses `guess`; Newton's method starts after `near` sweeps.
    pub(super) fn accurately(&self, guess: Vec<X::Vector>, aim: &SolveTarget, near: u32) -> (Vec<X::Vector>, Effort) {
        let mut best = BestImpulses { impulses: guess.clone(), residual: f64::INFINITY, is_solved: false };
        best.offer(self, &guess, aim.tolerance);
        let mut sweeps = DelassusSweeps::new(guess, true);
        let (mut effort, mut next) = (Effort::default(), near);
        while !best.is_solved && sweeps.count < aim.max_sweeps {
            let until = next.min(aim.max_sweeps);
            sweeps.sweep_until(self, until, |impulses| {
                best.offer(self, impulses, aim.tolerance);
                best.is_solved
            });
            if !best.is_solved {
                effort.factors += self.polish(&sweeps.impulses, &mut best, aim.tolerance);
            }
            next = until + until.div_ceil(2);
        }
        effort.sweeps = sweeps.count;
        (best.impulses, effort)
    }

    /// Proximal steps from `start` while they make progress; returns the number of factorisations.
    fn polish(&self, start: &[X::Vector], best: &mut BestImpulses<X>, tolerance: f64) -> u32 {
        let (mut anchor, mut weight, mut factors) = (start.to_vec(), WEIGHT, 0);
        let mut residual = self.residual(&anchor).relative();
        let (mut mark, mut since) = (residual, 0);
        while !best.is_solved && since < PATIENCE && weight <= MOST_WEIGHT {
            let proximal = Proximal { problem: self, anchor: &anchor, weight };
            let mut next = anchor.clone();
            let ending = proximal.solve(&mut next, (0.1 * residual).clamp(1e-15, 1e-3), STEPS);
            factors += ending.steps;
            let found = best.offer(self, &next, tolerance);
            tracing::debug!(weight, residual, found, newton = ?ending, "proximal step");
            if ending.is_solved {
                (anchor, residual) = (next, found);
                weight *= if ending.steps <= 3 {
                    0.1
                } else if ending.steps <= 6 {
                    0.5
                } else {
                    1.0
                };
                weight = weight.max(LEAST_WEIGHT);
            } else {
                weight *= 4.0;
            }
            since += 1;
            if residual < 0.5 * mark {
                (mark, since) = (residual, 0);
            }
        }
        factors
    }
}
