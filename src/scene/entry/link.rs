//! `[[links]]`: a wire, rod, spring or joint between two bodies.

use schemars::JsonSchema;
use serde::Deserialize;

/// A link between two bodies, or a body and an obstacle. Exactly one of `wire`, `rod`, `spring`, `ball_joint` and
/// `hinge` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkEntry {
    /// Ids of the two bodies; one of them may be fixed or driven.
    pub between: Vec<u64>,
    /// Where it is fastened to each of them at the start, m: [[x, y], [x, y]]; one point is for both. By default the
    /// centres; joints have no default.
    pub at: Option<Vec<Vec<f64>>>,
    /// Do the two bodies collide with each other? By default not if they are joined by a ball joint or hinge.
    pub collide: Option<bool>,
    /// Bears traction, once it is as long as it can be: { length = 1, strength = 100 }, or {}.
    pub wire: Option<WireEntry>,
    /// Keeps its ends as far apart as they are: {}.
    pub rod: Option<RodEntry>,
    /// Pulls and pushes: { stiffness = 1000, viscosity = 1, length = 0.5 }.
    pub spring: Option<SpringEntry>,
    /// Keeps two points together; the bodies turn freely about them: {}.
    pub ball_joint: Option<BallJointEntry>,
    /// Keeps two points together, and the bodies turn about one axis: { axis = [0, 1, 0] }; {} in two dimensions.
    pub hinge: Option<HingeEntry>,
}

/// A wire.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireEntry {
    /// Its length, m; by default the distance at the start.
    pub length: Option<f64>,
    /// The traction that breaks it, N (per metre of depth in two dimensions); by default nothing does.
    pub strength: Option<f64>,
}

/// A rod.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodEntry {
    /// Its length, m: the distance at the start, which is taken by default.
    pub length: Option<f64>,
}

/// A spring with a dashpot beside it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringEntry {
    /// Force over change of length, N/m (per metre of depth in two dimensions).
    pub stiffness: f64,
    /// Force over speed, N s/m; 0 by default.
    #[serde(default)]
    pub viscosity: f64,
    /// Its length without load, m; by default the distance at the start.
    pub length: Option<f64>,
}

/// A ball joint.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallJointEntry {}

/// A hinge.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HingeEntry {
    /// Direction of its axis at the start, of any length, in three dimensions.
    pub axis: Option<Vec<f64>>,
}
