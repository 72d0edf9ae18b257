//! State that the solves of a process keep between sweeps and from step to step.

use crate::comm::PendingReduction;

/// Pending reductions, and results of the last solve.
#[derive(Default)]
pub(super) struct SolveState {
    /// Pending reduction of a convergence check.
    pub(super) check: PendingReduction,
    /// Pending reduction of the restart test of the momentum, started after every extrapolated sweep.
    pub(super) restart_test: PendingReduction,
    /// Sweeps of the last solve that took at least `ConvergenceMonitor::FIRST`: an estimate of when the next one
    /// converges.
    pub(super) expected_sweeps: u32,
}
