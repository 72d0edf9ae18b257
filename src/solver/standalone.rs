//! Solve of a problem that stands alone. `domain` solves the problems of all subdomains together, with the same driver.

use super::driver::{SweptProblem, sweep_to_convergence};
use super::{Certificate, Change, CheckSums, ContactProblem, MomentumState, SolverSettings, Velocity, keep, restore};
use crate::base::scratch::ScratchVec;
use crate::dim::Dim;

impl<X: Dim> ContactProblem<X> {
    /// Sweeps until convergence or `settings.max_sweeps`, starting from the guessed impulses.
    pub fn solve(&mut self, settings: &SolverSettings) -> Certificate {
        let mut free = ScratchVec::default();
        keep(&mut free, self.rows.iter());
        self.order = settings.listed_order();
        let (memory, best) = (MomentumState::default(), Vec::new());
        let (change, quick_check) = (Change::default(), (Change::default(), 0.0));
        let mut standalone =
            StandaloneProblem { problem: self, free, memory, best, change, tested: change, quick_check };
        sweep_to_convergence(&mut standalone, settings)
    }
}

/// A problem and the state of its solve.
struct StandaloneProblem<'a, X: Dim> {
    problem: &'a mut ContactProblem<X>,
    free: ScratchVec<Velocity<X>>,
    memory: MomentumState<X>,
    /// The best impulses of the solve.
    best: Vec<X::Vector>,
    /// Change of the last sweep.
    change: Change,
    /// Change of the sweep whose restart test is pending.
    tested: Change,
    /// Change of the sweep whose quick check is pending, and the sum of the squared impulses after it.
    quick_check: (Change, f64),
}

impl<X: Dim> SweptProblem for StandaloneProblem<'_, X> {
    fn start(&mut self) {
        self.problem.apply_impulses();
    }

    fn recompute(&mut self) {
        restore(&mut self.problem.rows, &self.free);
        self.problem.apply_impulses();
    }

    fn scale_impulses(&mut self, scale: f64) {
        self.problem.scale_impulses(scale);
    }

    fn start_momentum(&mut self) {
        self.problem.start_momentum(&mut self.memory);
    }

    fn sweep(&mut self, settings: &SolverSettings) {
        self.change = settings.sweep(self.problem);
    }

    fn sweep_on(&mut self, settings: &SolverSettings, factor: f64, _is_first: bool) {
        self.memory.extrapolate(self.problem.rows.own(), factor);
        self.change = settings.sweep_on(self.problem, factor, &mut self.memory);
    }

    fn start_restart_test(&mut self) {
        self.tested = self.change;
    }

    fn finish_restart_test(&mut self) -> Change {
        self.tested
    }

    fn start_quick_check(&mut self) {
        self.quick_check = (self.change, self.problem.impulses2());
    }

    fn finish_quick_check(&mut self, settings: &SolverSettings) -> bool {
        let (change, impulses) = self.quick_check;
        change.is_calm(impulses, settings.tolerance)
    }

    fn start_check(&mut self) {
        self.problem.fetch_impulses();
    }

    fn finish_check(&mut self) -> CheckSums {
        let [moved, motion] = self.problem.moved(|index| self.free[index.index()], |_| true);
        CheckSums { corrections: self.change.corrections, residual: self.problem.residual(), moved, motion }
    }

    fn polish(&mut self, settings: &SolverSettings) -> bool {
        let Self { problem, free, .. } = self;
        let is_solved = problem.polish(|body| free[body.index()], settings);
        if is_solved {
            self.recompute();
        }
        is_solved
    }

    fn keep_best(&mut self) {
        self.problem.keep_impulses(&mut self.best);
    }

    fn go_back(&mut self) {
        self.problem.restore_impulses(&self.best);
        self.recompute();
    }
}
