//! `[[feeds]]`, `[[sinks]]` and `[[removals]]`: scene entries that add and remove bodies during a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::generator::RadiusEntry;
use super::settings::BoxBounds;
use super::solid::PartEntry;

/// Bodies that appear during the run, at random places of a box where they overlap nothing. Either `rate`, or `count` and
/// `every`, is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FeedEntry {
    /// Name of the material, one of `[materials]`.
    pub material: String,
    /// Radius, m, or how radii are distributed: { uniform = [min, max] }, { two = [small, large], share = 0.3 }
    /// or { list = [...] }.
    pub radius: RadiusEntry,
    /// The shape that each ball is replaced by, as in `[[generators]]`.
    pub shape: Option<PartEntry>,
    /// In how many different shapes a random `shape` (a grain) comes at most, as in `[[generators]]`.
    pub variety: Option<u64>,
    /// Where they appear: they lie inside this box when they are born.
    #[serde(rename = "box")]
    pub region: BoxBounds,
    /// They come from the top of the box straight down the last axis and are born this high above what they would touch first,
    /// m, or at the bottom of the box: a source that rides above a growing heap. By default they are born anywhere in the box.
    pub above: Option<f64>,
    /// Bodies a second.
    pub rate: Option<f64>,
    /// So many at once...
    pub count: Option<u64>,
    /// ...every so many seconds, s.
    pub every: Option<f64>,
    /// Velocity at birth, m/s, one number for each axis.
    pub velocity: Option<Vec<f64>>,
    /// Time of the first birth, s.
    #[serde(default)]
    pub start: f64,
    /// Time of the last birth, s; those that still wait for room then come as soon as they find it.
    pub end: Option<f64>,
    /// How many are born at most.
    pub total: Option<u64>,
    /// Seed of the random numbers.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

/// A box that swallows bodies: those that can move are removed when their centre is in it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SinkEntry {
    /// The box.
    #[serde(rename = "box")]
    pub region: BoxBounds,
}

/// One body, a gate for example, that is taken away. Exactly one of `at` and `when` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemovalEntry {
    /// Number of the body.
    pub body: u64,
    /// Time at which it goes, s.
    pub at: Option<f64>,
    /// What it waits for.
    pub when: Option<WhenEntry>,
}

/// What a removal waits for.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhenEntry {
    /// The kinetic energy of all bodies together is less than this, J.
    pub kinetic_energy_below: f64,
    /// Not before this time, s.
    #[serde(default)]
    pub after: f64,
}
