//! Nonlinear Gauss-Seidel over the rows of the matrix, plain or with momentum.
//!
//! Each contact gets its exact local solution; where there is none (a block that is not definite, Painleve-like data)
//! it gets one step with 1/W_nn and 1/lambda_max(W_tt), clipped to the cone: both have the same fixed point.
//!
//! This is not the driver of matrix-free problems: the criterion is that of FCLIB, momentum is never smoothed or
//! switched off, and the caller continues with Newton's method where sweeps stall.

use super::{Delassus, tangent};
use crate::dim::{Dim, Square, Vector};
use crate::solver::{Change, Momentum, local};

/// Number of sweeps between two evaluations of the residual.
const CHECK_INTERVAL: u32 = 10;

/// Impulses and state of an iteration.
#[derive(Clone, Debug)]
pub(super) struct DelassusSweeps<X: Dim> {
    pub(super) impulses: Vec<X::Vector>,
    /// Impulses before the last sweep.
    old: Vec<X::Vector>,
    momentum: Option<Momentum>,
    /// Change of the last sweep.
    change: Option<Change>,
    /// Number of sweeps.
    pub(super) count: u32,
}

impl<X: Dim> DelassusSweeps<X> {
    pub(super) fn new(impulses: Vec<X::Vector>, with_momentum: bool) -> Self {
        let old = impulses.clone();
        Self { impulses, old, momentum: with_momentum.then(Momentum::default), change: None, count: 0 }
    }

    /// Sweeps until there are `until` of them or `is_solved`, evaluated every few sweeps and after the last, holds.
    pub(super) fn sweep_until(
        &mut self,
        problem: &Delassus<X>,
        until: u32,
        mut is_solved: impl FnMut(&[X::Vector]) -> bool,
    ) {
        while self.count < until {
            self.sweep(problem);
            let is_due = self.count.is_multiple_of(CHECK_INTERVAL) || self.count == until;
            if is_due && is_solved(&self.impulses) {
                break;
            }
        }
    }

    /// One sweep.
    fn sweep(&mut self, problem: &Delassus<X>) {
        let factor = self.momentum.as_mut().map_or(0.0, Momentum::advance);
        let mut change = Change::default();
        for (r, old) in self.impulses.iter_mut().zip(&mut self.old) {
            (*r, *old) = (*r + (*r - *old) * factor, *r);
        }
        for row in 0..problem.contacts() {
            let (start, x) = (self.impulses[row], self.old[row]);
            let u = problem.velocity(row, &self.impulses);
            let end = problem.local(row, start, u);
            self.impulses[row] = end;
            let (correction, w) = (end - start, problem.diagonal[row][(0, 0)]);
            change.size += w * correction.norm2();
            change.against -= w * correction.dot(&(end - x));
        }
        // The restart test takes effect one sweep late, as in `momentum`.
        if let (Some(momentum), Some(last)) = (&mut self.momentum, self.change.replace(change)) {
            momentum.restart_test(&last);
        }
        self.count += 1;
    }
}

impl<X: Dim> Delassus<X> {
    /// The impulse that solves one contact alone, given its velocity `u` under the impulse `r`.
    fn local(&self, row: usize, r: X::Vector, u: X::Vector) -> X::Vector {
        let (block, mu) = (&self.diagonal[row], self.friction[row]);
        local::exact::<X>(block, u - block.apply(r), mu).unwrap_or_else(|_| self.project(row, r, u))
    }

    /// One projected step from `r`.
    fn project(&self, row: usize, r: X::Vector, u: X::Vector) -> X::Vector {
        let [normal, tangential] = self.steps[row];
        let r_n = (r[0] - u[0] * normal).max(0.0);
        let sticking = tangent::<X>(r - u * tangential);
        let (radius, length) = (self.friction[row] * r_n, sticking.norm());
        X::Vector::axis(0) * r_n + if length > radius { sticking * (radius / length) } else { sticking }
    }
}
