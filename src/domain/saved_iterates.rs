//! Saved iterates of a solve, to which it may return, and the state of the momentum.

use crate::base::scratch::ScratchVec;
use crate::dim::Dim;
use crate::solver::{ContactProblem, MomentumState, Velocity, keep, restore};

/// Saved velocities and impulses of the problem of a subdomain.
pub(super) struct SavedIterates<X: Dim> {
    /// Velocities at the last check, if a speculative sweep follows it.
    pub(super) velocities: ScratchVec<Velocity<X>>,
    /// Impulses at the last check, if a speculative sweep follows it.
    impulses: Vec<X::Vector>,
    /// Best impulses so far in a long solve.
    best: Vec<X::Vector>,
    /// State before the previous sweep, for the momentum.
    pub(super) momentum: MomentumState<X>,
}

// Not derived: that would require vectors with a default.
impl<X: Dim> Default for SavedIterates<X> {
    fn default() -> Self {
        let (impulses, best) = Default::default();
        Self { velocities: ScratchVec::default(), impulses, best, momentum: MomentumState::default() }
    }
}

impl<X: Dim> SavedIterates<X> {
    /// Saves the present velocities and impulses.
    pub(super) fn save(&mut self, problem: &ContactProblem<X>) {
        keep(&mut self.velocities, problem.rows.iter());
        problem.keep_impulses(&mut self.impulses);
    }

    /// Restores the saved velocities and impulses.
    pub(super) fn roll_back(&self, problem: &mut ContactProblem<X>) {
        problem.restore_impulses(&self.impulses);
        restore(&mut problem.rows, &self.velocities);
    }

    /// Saves the present impulses as the best so far.
    pub(super) fn keep_best(&mut self, problem: &ContactProblem<X>) {
        problem.keep_impulses(&mut self.best);
    }

    /// Restores the best impulses.
    pub(super) fn restore_best(&self, problem: &mut ContactProblem<X>) {
        problem.restore_impulses(&self.best);
    }

    /// Keeps the saved impulses as the best so far.
    pub(super) fn keep_saved(&mut self) {
        std::mem::swap(&mut self.best, &mut self.impulses);
    }
}
