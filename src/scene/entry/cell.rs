//! `[cell]`: periodic space.

use schemars::JsonSchema;
use serde::Deserialize;

/// `[cell]`: a periodic box. A body that leaves it through one face re-enters through the opposite one; bodies are in
/// contact across its faces.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellEntry {
    /// Lower corner, m, one number for each axis.
    pub min: Vec<f64>,
    /// Upper corner, m, one number for each axis.
    pub max: Vec<f64>,
    /// Periodic axes: "x", "y", "z". By default all.
    pub periodic: Option<Vec<String>>,
    /// Simple shear of the cell. By default there is none.
    pub shear: Option<ShearEntry>,
}

/// Simple shear: the periodic images above and below the cell slide along each other.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShearEntry {
    /// Shear rate, 1/s.
    pub rate: f64,
    /// Axis of the flow. By default "x".
    pub along: Option<String>,
    /// Axis of the velocity gradient. By default the last axis.
    pub across: Option<String>,
    /// Adds the velocity of the mean flow, which is zero in the middle of the cell, to the initial velocities.
    #[serde(default = "yes")]
    pub flow: bool,
}

fn yes() -> bool {
    true
}
