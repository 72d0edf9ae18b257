//! The tables that concern the whole scene: `[world]`, `[time]`, `[materials]`, `[output]`.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::driven::SignalEntry;
use crate::dim::Gyroscopic;
use crate::output::folder::OutputSelection;
use crate::output::schedule::CheckpointIntervals;

/// `[world]`: space, and what acts everywhere in it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Number of dimensions, 2 or 3.
    pub dimension: u8,
    /// Gravity, m/s2, one number for each axis. By default 9.81 down the last axis.
    pub gravity: Option<Vec<f64>>,
    /// How gravity turns in the course of the run. By default it does not.
    pub tilt: Option<TiltEntry>,
    /// A box the bodies must not leave. By default there is none.
    pub bounds: Option<BoxBounds>,
    /// What becomes of a body whose centre leaves `bounds`. By default it stops the run.
    pub outside: Option<Outside>,
}

/// What becomes of a body that leaves the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outside {
    /// The run fails (exit code 4).
    Fail,
    /// It is removed.
    Remove,
}

/// Gravity turns about an axis. Either `rate` or `angle` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TiltEntry {
    /// The axis, in three dimensions; in two gravity turns in the plane.
    pub axis: Option<Vec<f64>>,
    /// Speed of turning from time 0 on, rad/s, counter-clockwise.
    pub rate: Option<f64>,
    /// The angle, rad: a number, or a table with one of ramp, sinusoid, table, points.
    pub angle: Option<SignalEntry>,
}

/// Two opposite corners of a box that follows the axes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxBounds {
    /// Lower corner, m, one number for each axis.
    pub min: Vec<f64>,
    /// Upper corner, m, one number for each axis.
    pub max: Vec<f64>,
}

/// `[time]`: how long is simulated, and in which steps.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// Length of a step, s.
    pub step: f64,
    /// Simulated time at which the run ends, s.
    pub end: f64,
    /// Weight of the end of a step in the time scheme: 0.5 conserves energy and is of second order, 1 damps.
    #[serde(default = "half")]
    pub theta: f64,
    /// How the gyroscopic term of spinning bodies is integrated.
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
}

/// `[output]`: what a run writes, and where.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputEntry {
    /// Folder for all output of the run; the command line's --out goes before it.
    pub directory: Option<PathBuf>,
    /// When the bodies are written for viewing. By default never.
    pub frames: Option<Frames>,
    /// Write one line a step to history.csv.
    pub history: bool,
    /// When the whole state is saved, so that the run can go on from there. By default every 30 minutes.
    pub checkpoint: CheckpointEntry,
}

impl OutputEntry {
    /// The files that a run writes into its folder.
    pub fn wishes(&self) -> OutputSelection {
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

/// When checkpoints are written; a request to stop writes one in any case.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, from = "CheckpointTable")]
pub struct CheckpointEntry {
    /// Steps between two.
    pub every_steps: Option<u64>,
    /// Simulated time between two, s.
    pub every_seconds: Option<f64>,
    /// Wall time between two, minutes.
    pub every_minutes: Option<f64>,
    /// How many are kept.
    pub keep: u32,
}

/// The same as it is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckpointTable {
    /// Steps between two checkpoints.
    every_steps: Option<u64>,
    /// Simulated time between two checkpoints, s.
    every_seconds: Option<f64>,
    /// Wall time between two checkpoints, minutes. By default 30 if nothing else is given.
    every_minutes: Option<f64>,
    /// How many of them are kept, by default 2; older ones are removed.
    keep: Option<u32>,
}

impl From<CheckpointTable> for CheckpointEntry {
    fn from(table: CheckpointTable) -> Self {
        let CheckpointTable { every_steps, every_seconds, every_minutes, keep } = table;
        let usual = (every_steps.is_none() && every_seconds.is_none()).then_some(30.0);
        Self { every_steps, every_seconds, every_minutes: every_minutes.or(usual), keep: keep.unwrap_or(2) }
    }
}

impl Default for CheckpointEntry {
    fn default() -> Self {
        CheckpointTable { every_steps: None, every_seconds: None, every_minutes: None, keep: None }.into()
    }
}

/// When frames are written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Frames {
    /// Simulated time between two frames, s.
    pub every: f64,
    /// Pack them: a third or a quarter of the size, but one process writes what all have packed. If not, all write at
    /// once, which many millions of bodies on many processes want.
    #[serde(default = "yes")]
    pub packed: bool,
}
