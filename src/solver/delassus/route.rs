//! Which way a problem is solved, when it is over, and what was found.

use std::time::{Duration, Instant};

use super::Delassus;
use super::sweeps::DelassusSweeps;
use crate::dim::{Dim, Vector};

/// Sweeps before the first Newton step: enough to tell most open contacts from closed ones.
const NEAR: u32 = 100;
/// Sweeps by which those that do not stall are done.
const STALLED: u32 = 1000;

/// The ways to a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolutionMethod {
    /// Nonlinear Gauss-Seidel.
    Nlgs,
    /// The same with momentum, restarted when it leads astray.
    Accelerated,
    /// Semismooth Newton with a sparse factor; sweeps only to come near.
    Accurate,
    /// Sweeps with momentum, and Newton's method where they stall.
    #[default]
    Auto,
}

/// What counts as solved, and how much may be done for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveTarget {
    /// Largest relative residual of the contact laws, and largest error in FCLIB's measure.
    pub tolerance: f64,
    /// Most sweeps.
    pub max_sweeps: u32,
}

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Sweeps over all contacts.
    pub sweeps: u32,
    /// Newton steps; each factors a matrix.
    pub factors: u32,
    /// Wall time.
    pub time: Duration,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Solution<X: Dim> {
    /// r, in the frames of the contacts.
    pub impulses: Vec<X::Vector>,
    /// Relative residual of the contact laws.
    pub residual: f64,
    /// Greatest residual of a contact over the mean impulse.
    pub worst: f64,
    /// FCLIB's error.
    pub merit: f64,
    /// Both within the tolerance?
    pub is_converged: bool,
    /// What it took.
    pub effort: Effort,
}

impl<X: Dim> Delassus<X> {
    /// Solves the problem from the impulses `guess`.
    pub fn solve(&self, route: SolutionMethod, guess: Vec<X::Vector>, aim: &SolveTarget) -> Solution<X> {
        assert_eq!(guess.len(), self.contacts(), "every contact has a guess");
        let start = Instant::now();
        let (impulses, effort) = match route {
            SolutionMethod::Nlgs => self.sweep_on(DelassusSweeps::new(guess, false), aim),
            SolutionMethod::Accelerated => self.sweep_on(DelassusSweeps::new(guess, true), aim),
            SolutionMethod::Accurate => self.accurately(guess, aim, NEAR),
            SolutionMethod::Auto => self.accurately(guess, aim, STALLED),
        };
        let mut solution = self.judge(impulses, aim.tolerance);
        solution.effort = Effort { time: start.elapsed(), ..effort };
        solution
    }

    /// How good the impulses are.
    pub fn judge(&self, impulses: Vec<X::Vector>, tolerance: f64) -> Solution<X> {
        let (found, merit) = (self.residual(&impulses), self.merit(&impulses));
        let (residual, worst) = (found.relative(), found.largest());
        let is_converged = residual <= tolerance && merit <= tolerance && impulses.iter().all(Vector::is_finite);
        Solution { impulses, residual, worst, merit, is_converged, effort: Effort::default() }
    }

    /// Are they good enough?
    pub(super) fn is_solved(&self, impulses: &[X::Vector], tolerance: f64) -> bool {
        self.residual(impulses).relative() <= tolerance && self.merit(impulses) <= tolerance
    }

    fn sweep_on(&self, mut sweeps: DelassusSweeps<X>, aim: &SolveTarget) -> (Vec<X::Vector>, Effort) {
        while sweeps.count < aim.max_sweeps {
            sweeps.sweep(self);
            if sweeps.count.is_multiple_of(10) && self.is_solved(&sweeps.impulses, aim.tolerance) {
                break;
            }
        }
        let effort = Effort { sweeps: sweeps.count, ..Effort::default() };
        (sweeps.impulses, effort)
    }
}
