//! The default: sweeps with momentum, and ADMM where it suits.

use super::sweep_method::Method;

/// As "accelerated"; `SolverSettings::polishes_after` adds ADMM.
pub(super) struct AutoMethod;

impl Method for AutoMethod {
    const HAS_MOMENTUM: bool = true;
    const GUARDS_IMPULSES: bool = true;
}
