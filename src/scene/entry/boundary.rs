//! `[[feeds]]`, `[[sinks]]` and `[[removals]]`: scene entries that add and remove bodies during a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::generator::RadiusEntry;
use super::settings::BoxBounds;
use super::solid::PartEntry;

/// Adds bodies during the run at random positions in a box, where they overlap nothing. Either `rate`, or `count` and
/// `every`, is given.
// One field for each key of the file.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedEntry {
    /// Name of the material, one of `[materials]`.
    pub material: String,
    /// Radius, m, or a distribution of radii: { uniform = [min, max] }, { two = [small, large], share = 0.3 } or { list
    /// = [...] }.
    pub radius: RadiusEntry,
    /// Shape that replaces each ball, as in `[[generators]]`.
    pub shape: Option<PartEntry>,
    /// Greatest number of different shapes if `shape` is random (a grain), as in `[[generators]]`.
    pub variety: Option<u64>,
    /// Box in which the bodies are added; they lie entirely inside it.
    #[serde(rename = "box")]
    pub region: BoxBounds,
    /// Lowers each body from the top of the box along the last axis and adds it this high above the first body that it
    /// would touch, m, or at the bottom of the box: the source follows the surface of a growing heap. By default bodies
    /// are added anywhere in the box.
    pub above: Option<f64>,
    /// Number of bodies per second.
    pub rate: Option<f64>,
    /// Number of bodies that are added together, at intervals of `every`.
    pub count: Option<u64>,
    /// Time between two additions of `count` bodies, s.
    pub every: Option<f64>,
    /// Initial velocity, m/s, one number for each axis.
    pub velocity: Option<Vec<f64>>,
    /// Time of the first addition, s.
    #[serde(default)]
    pub start: f64,
    /// Time of the last addition, s. Bodies that still wait for free space then are added as soon as there is some.
    pub end: Option<f64>,
    /// Greatest number of bodies that are added.
    pub total: Option<u64>,
    /// Seed of the random numbers.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

/// A box that removes bodies: a body that can move is removed when its centre is in the box.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkEntry {
    /// The box.
    #[serde(rename = "box")]
    pub region: BoxBounds,
}

/// Removes one body, for example a gate. Exactly one of `at` and `when` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovalEntry {
    /// Id of the body.
    pub body: u64,
    /// Time at which the body is removed, s.
    pub at: Option<f64>,
    /// Condition for the removal.
    pub when: Option<WhenEntry>,
}

/// Condition for a removal.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhenEntry {
    /// The total kinetic energy is below this, J.
    pub kinetic_energy_below: f64,
    /// Earliest time, s.
    #[serde(default)]
    pub after: f64,
}
