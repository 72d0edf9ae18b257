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
    /// Anchor points on the two bodies at the start, m: [[x, y], [x, y]]; a single point is used for both. By default
    /// the centres; joints have no default.
    pub at: Option<Vec<Vec<f64>>>,
    /// Whether the two bodies collide with each other. By default false for a ball joint or hinge, true otherwise.
    pub collide: Option<bool>,
    /// Resists extension beyond its length: { length = 1, strength = 100 }, or {}.
    pub wire: Option<WireEntry>,
    /// Keeps the distance of its ends: {}.
    pub rod: Option<RodEntry>,
    /// Spring and dashpot: { stiffness = 1000, viscosity = 1, length = 0.5 }.
    pub spring: Option<SpringEntry>,
    /// Keeps two points together; the bodies rotate freely about them: {}.
    pub ball_joint: Option<BallJointEntry>,
    /// Keeps two points together; the bodies rotate about one axis: { axis = [0, 1, 0] }, or {} in two dimensions.
    pub hinge: Option<HingeEntry>,
}

/// A wire.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WireEntry {
    /// Length, m; by default the distance of the anchor points at the start.
    pub length: Option<f64>,
    /// Tensile strength, N (per metre of depth in two dimensions); by default the wire does not break.
    pub strength: Option<f64>,
}

/// A rod.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodEntry {
    /// Length, m: must equal the distance of the anchor points at the start, which is the default.
    pub length: Option<f64>,
}

/// A spring and a dashpot in parallel.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringEntry {
    /// Stiffness: force over change of length, N/m (per metre of depth in two dimensions).
    pub stiffness: f64,
    /// Viscosity: force over speed, N s/m; 0 by default.
    #[serde(default)]
    pub viscosity: f64,
    /// Rest length, m; by default the distance of the anchor points at the start.
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
    /// Direction of the axis at the start, of any length, in three dimensions.
    pub axis: Option<Vec<f64>>,
}
