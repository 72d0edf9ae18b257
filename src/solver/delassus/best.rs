//! The best impulses of a solve, by the residual of the contact laws.

use super::Delassus;
use crate::dim::Dim;

/// The best impulses so far.
pub(super) struct BestImpulses<X: Dim> {
    pub(super) impulses: Vec<X::Vector>,
    residual: f64,
    /// Are residual and merit within the tolerance?
    pub(super) is_solved: bool,
}

impl<X: Dim> BestImpulses<X> {
    /// The first impulses of a solve.
    pub(super) fn new(problem: &Delassus<X>, impulses: Vec<X::Vector>, tolerance: f64) -> Self {
        let residual = problem.residual(&impulses).relative();
        let mut best = Self { impulses, residual, is_solved: false };
        best.judge(problem, tolerance);
        best
    }

    /// Keeps these impulses if they are better than the best so far; returns their residual.
    pub(super) fn update(&mut self, problem: &Delassus<X>, impulses: &[X::Vector], tolerance: f64) -> f64 {
        let residual = problem.residual(impulses).relative();
        // A residual that is no number is worse than any other.
        if residual < self.residual || self.residual.is_nan() {
            self.impulses.copy_from_slice(impulses);
            self.residual = residual;
            self.judge(problem, tolerance);
        }
        residual
    }

    fn judge(&mut self, problem: &Delassus<X>, tolerance: f64) {
        self.is_solved = self.residual <= tolerance && problem.merit(&self.impulses) <= tolerance;
    }
}
