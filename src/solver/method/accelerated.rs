//! Nonlinear Gauss-Seidel with momentum and adaptive restart; `momentum` has the equations.

use super::sweep_method::Method;

/// Sweeps with momentum, from a warm start chosen by energy.
pub(super) struct AcceleratedMethod;

impl Method for AcceleratedMethod {
    const HAS_MOMENTUM: bool = true;
    const GUARDS_IMPULSES: bool = true;
}
