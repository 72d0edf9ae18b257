//! The interface of a solution method: its sweeps, and what the driver adds to them.

use crate::dim::Dim;
use crate::solver::{Change, ContactProblem, LocalMap, MomentumState};

/// A solution method. The defaults are those of nonlinear Gauss-Seidel as published.
pub(super) trait Method {
    /// Does the driver extrapolate the sweeps by momentum?
    const HAS_MOMENTUM: bool = false;
    /// Are impulses of the last step scaled down where smaller ones have less energy, and the best impulses of a solve
    /// kept?
    const GUARDS_IMPULSES: bool = false;
    /// Why the method has no order of the contacts, if it has none; a scene must not choose one then, and contacts are
    /// not packed into batches.
    const WITHOUT_ORDER: Option<&'static str> = None;
    /// From how many sweeps on does ADMM take over a step that has not converged? Never, by default.
    const POLISHES_AFTER: Option<u32> = None;

    /// One sweep over all contacts, without momentum.
    fn sweep<X: Dim>(problem: &mut ContactProblem<X>, map: LocalMap, relaxation: f64) -> Change {
        problem.sweep(map, relaxation)
    }

    /// One sweep from impulses extrapolated by `factor` times their last change, as the velocities are already.
    fn sweep_on<X: Dim>(
        problem: &mut ContactProblem<X>,
        map: LocalMap,
        relaxation: f64,
        factor: f64,
        memory: &mut MomentumState<X>,
    ) -> Change {
        problem.sweep_on(map, relaxation, factor, memory)
    }
}
