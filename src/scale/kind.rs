//! Strong and weak scaling, and the parallel efficiency of each.

use super::point::ScalingPoint;

/// Kind of scaling: what is held fixed as processes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalingKind {
    /// Strong scaling: the problem size is fixed.
    Strong,
    /// Weak scaling: the problem size per process is fixed.
    Weak,
}

impl ScalingKind {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            ScalingKind::Strong => "strong",
            ScalingKind::Weak => "weak",
        }
    }
}

/// Parallel efficiency of a run `p` relative to the run `first`: ideal time over measured time. For weak scaling the
/// time per sweep is compared, because a larger problem needs more sweeps.
pub fn efficiency(kind: ScalingKind, first: &ScalingPoint, p: &ScalingPoint) -> f64 {
    match kind {
        ScalingKind::Strong => first.times.seconds * first.processes as f64 / (p.times.seconds * p.processes as f64),
        ScalingKind::Weak => first.times.seconds / first.sweeps.max(1.0) / (p.times.seconds / p.sweeps.max(1.0)),
    }
}
