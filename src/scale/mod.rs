//! How a run scales: the same scene on more and more processes, a model of what that costs, and what the model says of
//! machines larger than this one.
//!
//! In: folders of runs that differ in their number of processes. Out: a table, a picture, predictions. Docs: docs/scaling.md.

mod model;
mod point;
mod table;

pub use model::{Network, ScalingModel};
pub use point::ScalingPoint;
pub use table::{csv, picture, text};

/// What is held fixed while processes are added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The problem.
    Strong,
    /// The part of each process.
    Weak,
}

impl Kind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Strong => "strong",
            Kind::Weak => "weak",
        }
    }
}

/// What the model made of the runs before each of `points` says of it, s a step, given how many sweeps it took; nothing of
/// the first.
pub fn foretold(kind: Kind, points: &[ScalingPoint], network: Network) -> Vec<Option<f64>> {
    let of = |(k, own): (usize, &ScalingPoint)| {
        let model = ScalingModel::fit(&points[..k], network)?;
        Some(model.predict(kind, &points[0], own.processes, own.sweeps))
    };
    points.iter().enumerate().map(of).collect()
}

/// Parallel efficiency of a run on `p` processes against one on `first`: time that ideal processes would need over time
/// needed. Where the problem grows, by the time of a sweep, since a larger one needs more of them.
pub fn efficiency(kind: Kind, first: &ScalingPoint, p: &ScalingPoint) -> f64 {
    match kind {
        Kind::Strong => first.seconds * first.processes as f64 / (p.seconds * p.processes as f64),
        Kind::Weak => first.seconds / first.sweeps.max(1.0) / (p.seconds / p.sweeps.max(1.0)),
    }
}
