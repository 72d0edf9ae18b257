//! `driven`: the scene entry of prescribed velocities and additional forces.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::loose::{Loose, Notation};

/// Prescribed motion and forces of a body. Degrees of freedom that are not named stay free.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Driven {
    /// Prescribed velocities, m/s and rad/s, by degree of freedom.
    #[serde(default)]
    pub velocity: Degrees,
    /// Forces and torques in addition to gravity and contact, N and N m, by degree of freedom.
    #[serde(default)]
    pub force: Degrees,
    /// Gravity acts on the degrees of freedom that are free.
    #[serde(default = "yes")]
    pub gravity: bool,
    /// Hold all degrees of freedom that are not named.
    #[serde(default)]
    pub hold: bool,
}

fn yes() -> bool {
    true
}

/// A value for each degree of freedom: x y r in two dimensions, x y z rx ry rz in three.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Degrees {
    /// Along the first axis: a number, or a table with one of ramp, sinusoid, table, points.
    pub x: Option<SignalEntry>,
    /// Along the second axis: a number, or a table with one of ramp, sinusoid, table, points.
    pub y: Option<SignalEntry>,
    /// Along the third axis, in three dimensions: as for x.
    pub z: Option<SignalEntry>,
    /// Rotation, in two dimensions: as for x.
    pub r: Option<SignalEntry>,
    /// Rotation about the first axis, in three dimensions: as for x.
    pub rx: Option<SignalEntry>,
    /// Rotation about the second axis, in three dimensions: as for x.
    pub ry: Option<SignalEntry>,
    /// Rotation about the third axis, in three dimensions: as for x.
    pub rz: Option<SignalEntry>,
}

impl Degrees {
    /// The names of the degrees of freedom in `dimension` dimensions, in the order of the model.
    pub fn names(dimension: usize) -> &'static [&'static str] {
        if dimension == 2 { &["x", "y", "r"] } else { &["x", "y", "z", "rx", "ry", "rz"] }
    }

    /// The given degrees of freedom, by name.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &SignalEntry)> {
        let all = [
            ("x", &self.x),
            ("y", &self.y),
            ("z", &self.z),
            ("r", &self.r),
            ("rx", &self.rx),
            ("ry", &self.ry),
            ("rz", &self.rz),
        ];
        all.into_iter().filter_map(|(name, signal)| signal.as_ref().map(|signal| (name, signal)))
    }
}

/// A function of time: a number (constant), or one of the forms of [`SignalTable`].
pub type SignalEntry = Loose<SignalTable>;

/// A function of time. Exactly one of the keys is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SignalTable {
    /// Linear ramp from one value to another.
    pub ramp: Option<RampEntry>,
    /// Sinusoid about a mean.
    pub sinusoid: Option<SinusoidEntry>,
    /// File in CSV format with the columns time and value; a relative path starts at the folder of the scene. Linear
    /// between rows, constant outside.
    pub table: Option<PathBuf>,
    /// Pairs [time, value]: linear between them, constant outside.
    pub points: Option<Vec<Vec<f64>>>,
}

impl Notation for SignalTable {
    const EXPECTED: &'static str = "a number, or a table with one of ramp, sinusoid, table, points";
    const ARRAY: bool = false;
    const TABLE: bool = true;
}

/// A ramp.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RampEntry {
    /// Value before the ramp.
    pub from: f64,
    /// Value after the ramp.
    pub to: f64,
    /// Time at which the ramp begins, s.
    pub start: f64,
    /// Time at which the ramp ends, s.
    pub end: f64,
}

/// [mean + amplitude cos(omega t + phase)] min(1, ramp t).
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinusoidEntry {
    /// Mean value; 0 by default.
    #[serde(default)]
    pub mean: f64,
    /// Amplitude.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub omega: f64,
    /// Phase at time 0, rad; 0 by default.
    #[serde(default)]
    pub phase: f64,
    /// Rate at which the signal grows linearly to its full size, 1/s. By default it has its full size from the start.
    pub ramp: Option<f64>,
}
