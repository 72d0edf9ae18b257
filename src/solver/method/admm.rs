//! Accelerated sweeps, then all contacts together by ADMM; `solver/admm` has the equations.

use super::sweep_method::Method;
use crate::solver::ConvergenceMonitor;

/// Sweeps with momentum up to the first check, then ADMM, then sweeps again where that fails.
pub(super) struct AdmmMethod;

impl Method for AdmmMethod {
    const HAS_MOMENTUM: bool = true;
    const GUARDS_IMPULSES: bool = true;
    const POLISHES_AFTER: Option<u32> = Some(ConvergenceMonitor::FIRST);
}
