//! `[[stop]]`: conditions that end a run early.

use schemars::JsonSchema;
use serde::Deserialize;

/// The run ends, as finished, after the first step in which this holds. Exactly one of `kinetic_energy`, `bodies`,
/// `displacement`, `strain` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopEntry {
    /// Everything has come to rest.
    pub kinetic_energy: Option<EnergyStop>,
    /// There are few or many bodies.
    pub bodies: Option<BodiesStop>,
    /// A body, a driven wall for example, has moved so far.
    pub displacement: Option<DisplacementStop>,
    /// Two bodies, the plates of a press for example, have come closer to each other or moved apart by so much.
    pub strain: Option<StrainStop>,
    /// Not before this time, s.
    #[serde(default)]
    pub after: f64,
}

/// The kinetic energy of all bodies together is low for a while.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyStop {
    /// Less than this, J...
    pub below: f64,
    /// ...in every step for this time, s.
    #[serde(default, rename = "for")]
    pub lasting: f64,
}

/// The number of bodies, obstacles included. Exactly one of `below` and `above` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodiesStop {
    /// Fewer than this.
    pub below: Option<u64>,
    /// More than this.
    pub above: Option<u64>,
}

/// How far a body has moved since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacementStop {
    /// Number of the body.
    pub body: u64,
    /// Along which axis: "x", "y" or "z".
    pub axis: String,
    /// Further than this, m; where it is negative, further than this against the axis.
    pub beyond: f64,
}

/// How much the distance between two bodies has grown since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainStop {
    /// Numbers of the bodies.
    pub between: [u64; 2],
    /// The axis along which their centres are apart: "x", "y" or "z".
    pub axis: String,
    /// Grown by more than this part of what it was; where it is negative, shrunk by more.
    pub beyond: f64,
}
