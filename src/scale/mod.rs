//! Scaling studies: the same scene on an increasing number of processes, a performance model, and its predictions for
//! larger machines.
//!
//! Input: folders of runs that differ in the number of processes. Output: a table, a chart, predictions. See
//! docs/scaling.md.

mod model;
mod point;
mod table;

pub use model::{Network, ScalingModel};
pub use point::ScalingPoint;
pub use table::{csv, picture, text};

/// Kind of scaling: what is held fixed as processes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Strong scaling: the problem size is fixed.
    Strong,
    /// Weak scaling: the problem size per process is fixed.
    Weak,
}

impl Kind {
    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Strong => "strong",
            Kind::Weak => "weak",
        }
    }
}

/// Predicted time per step of each of `points`, s, by a model fitted to the points before it, given its number of
/// sweeps; `None` for the first.
pub fn foretold(kind: Kind, points: &[ScalingPoint], network: Network) -> Vec<Option<f64>> {
    let of = |(k, own): (usize, &ScalingPoint)| {
        let model = ScalingModel::fit(&points[..k], network)?;
        Some(model.predict(kind, &points[0], own.processes, own.sweeps))
    };
    points.iter().enumerate().map(of).collect()
}

/// Parallel efficiency of a run `p` relative to the run `first`: ideal time over measured time. For weak scaling the
/// time per sweep is compared, because a larger problem needs more sweeps.
pub fn efficiency(kind: Kind, first: &ScalingPoint, p: &ScalingPoint) -> f64 {
    match kind {
        Kind::Strong => first.seconds * first.processes as f64 / (p.seconds * p.processes as f64),
        Kind::Weak => first.seconds / first.sweeps.max(1.0) / (p.seconds / p.sweeps.max(1.0)),
    }
}
