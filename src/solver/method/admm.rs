//! Accelerated sweeps, then all contacts together by ADMM; `solver/admm` has the equations.

use super::sweep_method::Method;

/// Number of sweeps that precede ADMM. It is slow from far away: after half as many it misses a tolerance of 1e-7 on a
/// wall of a thousand bricks.
const SWEEPS: u32 = 60;

/// Sweeps with momentum, then ADMM, then sweeps again where that fails.
pub(super) struct AdmmMethod;

impl Method for AdmmMethod {
    const HAS_MOMENTUM: bool = true;
    const GUARDS_IMPULSES: bool = true;
    const POLISHES_AFTER: Option<u32> = Some(SWEEPS);
}
