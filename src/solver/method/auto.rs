//! The default: momentum where all laws are friction cones, plain sweeps elsewhere.

use super::sweep_method::Method;

/// Accelerated where all laws are plain friction cones. For other laws acceleration may stagnate: sweeps are plain,
/// from a warm start chosen by energy.
pub(super) struct AutoMethod;

impl Method for AutoMethod {
    const GUARDS_IMPULSES: bool = true;
    const ACCELERATES_CONES: bool = true;
}
