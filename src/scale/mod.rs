//! Scaling studies: the same scene on an increasing number of processes, a performance model, and its predictions for
//! larger machines.
//!
//! Input: folders of runs that differ in the number of processes. Output: a table, a chart, predictions. See
//! docs/scaling.md.

mod kind;
mod losses;
mod model;
mod point;
mod table;

pub use kind::{ScalingKind, efficiency};
pub use losses::Losses;
pub use model::{Network, ScalingModel};
pub use point::{MeanTimes, ProcessTraffic, ScalingPoint, WaitedTimes};
pub use table::{chart, csv, text};

/// Predicted time per step of each of `points`, s, by the model fitted to the points before it, for its own number of
/// sweeps; `None` for the first.
pub fn predictions(kind: ScalingKind, points: &[ScalingPoint], network: Network) -> Vec<Option<f64>> {
    let of = |(k, own): (usize, &ScalingPoint)| {
        let model = ScalingModel::fit(&points[..k], network)?;
        Some(model.predict(kind, &points[0], own.processes, own.sweeps))
    };
    points.iter().enumerate().map(of).collect()
}
