//! `[[stop]]`: conditions that end a run early.

use schemars::JsonSchema;
use serde::Deserialize;

/// The run ends normally after the first step in which this condition holds. Exactly one of `kinetic_energy`, `bodies`,
/// `displacement`, `strain` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StopEntry {
    /// All bodies have come to rest.
    pub kinetic_energy: Option<EnergyStop>,
    /// The number of bodies is below or above a limit.
    pub bodies: Option<BodiesStop>,
    /// The displacement of a body, for example of a driven wall, exceeds a limit.
    pub displacement: Option<DisplacementStop>,
    /// The relative change of the distance between two bodies, for example the plates of a press, exceeds a limit.
    pub strain: Option<StrainStop>,
    /// Earliest time, s.
    #[serde(default)]
    pub after: f64,
}

/// The total kinetic energy stays below a limit for some time.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyStop {
    /// Limit, J.
    pub below: f64,
    /// Duration for which it must be below the limit in every step, s.
    #[serde(default, rename = "for")]
    pub lasting: f64,
}

/// The number of bodies, obstacles included. Exactly one of `below` and `above` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodiesStop {
    /// The run ends when there are fewer bodies than this.
    pub below: Option<u64>,
    /// The run ends when there are more bodies than this.
    pub above: Option<u64>,
}

/// Displacement of a body since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacementStop {
    /// Id of the body.
    pub body: u64,
    /// Axis: "x", "y" or "z".
    pub axis: String,
    /// The run ends when the displacement exceeds this, m; if negative, when the displacement against the axis exceeds
    /// its absolute value.
    pub beyond: f64,
}

/// Relative change of the distance between two bodies since the start of the run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrainStop {
    /// Ids of the bodies.
    pub between: [u64; 2],
    /// Axis along which the distance of their centres is measured: "x", "y" or "z".
    pub axis: String,
    /// The run ends when the relative increase exceeds this; if negative, when the relative decrease exceeds its
    /// absolute value.
    pub beyond: f64,
}
