//! `[cell]`: periodic space.

use schemars::JsonSchema;
use serde::Deserialize;

/// `[cell]`: a box that is repeated without end. Bodies that leave it on one side come back on the other, and touch each other
/// across its faces.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CellEntry {
    /// Lower corner, m, one number for each axis.
    pub min: Vec<f64>,
    /// Upper corner, m, one number for each axis.
    pub max: Vec<f64>,
    /// Along which axes it is repeated: "x", "y", "z". By default along all.
    pub periodic: Option<Vec<String>>,
    /// A mean shear of the whole. By default there is none.
    pub shear: Option<ShearEntry>,
}

/// A simple shear of the cell: its images above and below slide along each other.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShearEntry {
    /// How much faster what lies a metre higher moves, 1/s.
    pub rate: f64,
    /// Axis of the motion. By default "x".
    pub along: Option<String>,
    /// Axis along which its speed grows. By default the last one.
    pub across: Option<String>,
    /// Add the velocity of the mean flow, which rests in the middle of the cell, to those that bodies start with.
    #[serde(default = "yes")]
    pub flow: bool,
}

fn yes() -> bool {
    true
}
