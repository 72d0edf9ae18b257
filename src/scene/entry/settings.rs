//! The tables that concern the whole scene: `[world]`, `[time]`, `[materials]`, `[output]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::driven::SignalEntry;
use super::mesh::ElasticEntry;
use crate::dim::Gyroscopic;
use crate::output::folder::OutputSelection;
use crate::output::schedule::CheckpointIntervals;

/// `[world]`: dimension, gravity and bounds.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Number of dimensions, 2 or 3.
    pub dimension: u8,
    /// Gravity, m/s2, one number for each axis. By default 9.81 down the last axis.
    pub gravity: Option<Vec<f64>>,
    /// Rotation of gravity during the run. By default there is none.
    pub tilt: Option<TiltEntry>,
    /// Box that the bodies must not leave. By default there is none.
    pub bounds: Option<BoxBounds>,
    /// Treatment of a body whose centre leaves `bounds`. By default the run fails.
    pub outside: Option<Outside>,
}

/// Treatment of a body that leaves the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// The run fails (exit code 4).
    Fail,
    /// The body is removed.
    Remove,
}

/// Gravity rotates about an axis. Either `rate` or `angle` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TiltEntry {
    /// Axis, in three dimensions; in two, gravity rotates in the plane.
    pub axis: Option<Vec<f64>>,
    /// Angular velocity from time 0 on, rad/s, counter-clockwise.
    pub rate: Option<f64>,
    /// Angle, rad: a number, or a table with one of ramp, sinusoid, table, points.
    pub angle: Option<SignalEntry>,
}

/// Two opposite corners of an axis-aligned box.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxBounds {
    /// Lower corner, m, one number for each axis.
    pub min: Vec<f64>,
    /// Upper corner, m, one number for each axis.
    pub max: Vec<f64>,
}

/// `[time]`: time step, end of the run and time scheme.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Length of a step, s.
    pub step: f64,
    /// Simulated time at which the run ends, s.
    pub end: f64,
    /// Parameter theta of the time scheme, the weight of the end of a step: 0.5 conserves energy and is of second
    /// order, 1 is dissipative.
    #[serde(default = "half")]
    pub theta: f64,
    /// Integration of the gyroscopic term of spinning bodies.
    #[serde(default)]
    pub gyroscopic: Gyroscopic,
}

fn half() -> f64 {
    0.5
}

fn yes() -> bool {
    true
}

/// `[materials.name]`: a material that bodies refer to by name.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MaterialEntry {
    /// Density, kg/m3 (kg/m2 in two dimensions).
    pub density: f64,
    /// Elastic constants; bodies with a `mesh` need them: { young = 210e9, poisson = 0.3 }.
    pub elastic: Option<ElasticEntry>,
}

/// `[output]`: output files and their schedule.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputEntry {
    /// Folder for all output of the run; --out on the command line takes precedence.
    pub directory: Option<PathBuf>,
    /// Schedule of frames for visualisation. By default none are written.
    pub frames: Option<Frames>,
    /// Writes one row per step to history.csv.
    pub history: bool,
    /// Schedule of checkpoints, from which the run can be resumed. By default every 30 minutes.
    pub checkpoint: CheckpointEntry,
}

impl OutputEntry {
    /// The files that a run writes into its folder.
    pub fn selection(&self) -> OutputSelection {
        OutputSelection { frames: self.frames.as_ref().map(|frames| frames.packed), history: self.history }
    }
}

impl CheckpointEntry {
    /// The intervals at which checkpoints are due.
    pub fn intervals(&self) -> CheckpointIntervals {
        CheckpointIntervals { steps: self.every_steps, seconds: self.every_seconds, minutes: self.every_minutes }
    }
}

impl Default for OutputEntry {
    fn default() -> Self {
        Self { directory: None, frames: None, history: true, checkpoint: CheckpointEntry::default() }
    }
}

/// Schedule of checkpoints. A request to stop always writes one.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, from = "CheckpointTable")]
pub struct CheckpointEntry {
    /// Steps between two checkpoints, if given.
    pub every_steps: Option<u64>,
    /// Simulated time between two checkpoints, s, if given.
    pub every_seconds: Option<f64>,
    /// Wall time between two checkpoints, minutes, if given.
    pub every_minutes: Option<f64>,
    /// Number of checkpoints that are kept.
    pub keep: u32,
}

/// `[output] checkpoint` as written in a scene.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckpointTable {
    /// Steps between two checkpoints.
    every_steps: Option<u64>,
    /// Simulated time between two checkpoints, s.
    every_seconds: Option<f64>,
    /// Wall time between two checkpoints, minutes. By default 30 if nothing else is given.
    every_minutes: Option<f64>,
    /// Number of checkpoints that are kept, by default 2; older ones are removed.
    keep: Option<u32>,
}

impl From<CheckpointTable> for CheckpointEntry {
    fn from(table: CheckpointTable) -> Self {
        let CheckpointTable { every_steps, every_seconds, every_minutes, keep } = table;
        let default = (every_steps.is_none() && every_seconds.is_none()).then_some(30.0);
        Self { every_steps, every_seconds, every_minutes: every_minutes.or(default), keep: keep.unwrap_or(2) }
    }
}

impl Default for CheckpointEntry {
    fn default() -> Self {
        CheckpointTable { every_steps: None, every_seconds: None, every_minutes: None, keep: None }.into()
    }
}

/// Schedule of frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Simulated time between two frames, s.
    pub every: f64,
    /// Compresses frames to a third or a quarter of their size; one process then writes what all have compressed.
    /// Otherwise all processes write at once, which suits many millions of bodies on many processes.
    #[serde(default = "yes")]
    pub packed: bool,
}
