//! Solve of a problem with explicit matrix: choice of the method, stopping criterion, result.

use std::time::{Duration, Instant};

use super::Delassus;
use super::best::BestImpulses;
use super::sweeps::DelassusSweeps;
use crate::dim::{Dim, Vector};

/// Sweeps before the first Newton step: enough to separate most open contacts from closed ones.
const FIRST_NEWTON: u32 = 100;
/// The same with [`SolutionMethod::Auto`]: sweeps that do not stall have converged by then.
const FIRST_NEWTON_AUTO: u32 = 1000;

/// Solution methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolutionMethod {
    /// Nonlinear Gauss-Seidel.
    Nlgs,
    /// The same with momentum and adaptive restart.
    Accelerated,
    /// Semismooth Newton with a sparse factorisation; sweeps only provide the starting point.
    Accurate,
    /// Sweeps with momentum, and Newton's method where they stall.
    #[default]
    Auto,
}

/// Stopping criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveTarget {
    /// Largest relative residual of the contact laws, and largest error in FCLIB's measure.
    pub tolerance: f64,
    /// Greatest number of sweeps.
    pub max_sweeps: u32,
    /// Longest wall time; the best impulses until then are the result.
    pub time_limit: Option<Duration>,
}

/// The moment at which a solve ends in any case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline(Option<Instant>);

impl Deadline {
    /// Is it over?
    pub(super) fn is_past(self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

/// Effort of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Sweeps over all contacts.
    pub sweeps: u32,
    /// Newton steps; each factors a matrix.
    pub newton_steps: u32,
    /// Wall time.
    pub time: Duration,
}

/// Result of a solve.
#[derive(Clone, Debug)]
pub struct Solution<X: Dim> {
    /// r, in the contact frames.
    pub impulses: Vec<X::Vector>,
    /// Relative residual of the contact laws.
    pub residual: f64,
    /// Greatest residual of a contact over the root mean square of the active impulses.
    pub worst: f64,
    /// Error in FCLIB's measure.
    pub merit: f64,
    /// Are residual and merit within the tolerance?
    pub is_converged: bool,
    /// Did the solve end because its time was over?
    pub is_out_of_time: bool,
    /// Effort of the solve.
    pub effort: Effort,
}

impl<X: Dim> Delassus<X> {
    /// Solves the problem, starting from the impulses `guess`.
    pub fn solve(&self, method: SolutionMethod, guess: Vec<X::Vector>, target: &SolveTarget) -> Solution<X> {
        assert_eq!(guess.len(), self.contacts(), "every contact has a guess");
        let start = Instant::now();
        let deadline = Deadline(target.time_limit.and_then(|limit| start.checked_add(limit)));
        let (impulses, effort) = match method {
            SolutionMethod::Nlgs => self.sweep_alone(DelassusSweeps::new(guess, false), target, deadline),
            SolutionMethod::Accelerated => self.sweep_alone(DelassusSweeps::new(guess, true), target, deadline),
            SolutionMethod::Accurate => self.solve_by_newton(guess, target, FIRST_NEWTON, deadline),
            SolutionMethod::Auto => self.solve_by_newton(guess, target, FIRST_NEWTON_AUTO, deadline),
        };
        let mut solution = self.evaluate(impulses, target.tolerance);
        solution.is_out_of_time = !solution.is_converged && deadline.is_past();
        solution.effort = Effort { time: start.elapsed(), ..effort };
        solution
    }

    /// Evaluates residual and merit of the impulses.
    pub fn evaluate(&self, impulses: Vec<X::Vector>, tolerance: f64) -> Solution<X> {
        let (found, merit) = (self.residual(&impulses), self.merit(&impulses));
        let (residual, worst) = (found.relative(), found.largest());
        let is_converged = residual <= tolerance && merit <= tolerance && impulses.iter().all(Vector::is_finite);
        Solution { impulses, residual, worst, merit, is_converged, is_out_of_time: false, effort: Effort::default() }
    }

    /// Sweeps without Newton's method.
    fn sweep_alone(
        &self,
        mut sweeps: DelassusSweeps<X>,
        target: &SolveTarget,
        deadline: Deadline,
    ) -> (Vec<X::Vector>, Effort) {
        let mut best = BestImpulses::new(self, sweeps.impulses.clone(), target.tolerance);
        sweeps.sweep_until(self, target.max_sweeps, |impulses| {
            best.update(self, impulses, target.tolerance);
            best.is_solved || deadline.is_past()
        });
        (best.impulses, Effort { sweeps: sweeps.count, ..Effort::default() })
    }
}
