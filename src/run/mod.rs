//! The time loop of a run: steps until the end time, a stop condition, a request to stop or a failure, with all output
//! in the run folder.

mod checkpoint_writer;
pub mod progress;
pub(crate) mod resume;
mod time_loop;

pub use time_loop::run;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::base::error::Error;
use crate::output::summary::{RunCounts, Summary};
use crate::run::progress::LogStyle;
use crate::scene::{CheckpointEntry, MeasureEntry};

/// Options of a run besides its scene.
pub struct RunOptions<'a> {
    /// Simulated time at which the run ends, s.
    pub end: f64,
    /// Name of the scene, for the summary.
    pub scene: String,
    /// Text of the scene as run.
    pub text: String,
    /// Simulated time between frames, s; `None` for no frames.
    pub frames_every: Option<f64>,
    /// Measures to record.
    pub measures: &'a [MeasureEntry],
    /// Checkpoint schedule.
    pub checkpoint: CheckpointEntry,
    /// Counts of an earlier part of the run.
    pub counts: RunCounts,
    /// Stop after this step, as on a stop request.
    pub stop_after: Option<u64>,
    /// Style of the progress output.
    pub log: LogStyle,
    /// Wall time between two progress lines, s.
    pub log_every: f64,
    /// Flag of a stop request: once it is set, the current step is abandoned.
    pub stop: &'a Arc<AtomicBool>,
    /// True if the run continues from a checkpoint.
    pub resumed: bool,
}

/// Outcome of a run.
pub enum RunEnding {
    /// The run reached its end.
    Finished(Summary),
    /// The run stopped on request; a checkpoint to resume from has been written.
    Stopped(Summary),
    /// The run failed; the failing state has been written.
    Failed(Summary, Error),
}
