//! `[[measure]]`: what is measured during a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::settings::BoxBounds;

/// Something that is measured now and then and written to measures/NAME.csv. Exactly one of `stress`, `contacts`, `forces`,
/// `profile`, `reaction`, `cut`, `track`, `energy` is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureEntry {
    /// Name of the file; by default what is measured, with a number from the second one on.
    pub name: Option<String>,
    /// Simulated time between two lines, s. By default a line is written after every step.
    pub every: Option<f64>,
    /// Stress tensor and solid fraction.
    pub stress: Option<StressMeasure>,
    /// Coordination number, rattlers, sliding contacts, fabric tensor.
    pub contacts: Option<ContactsMeasure>,
    /// How normal forces are distributed; the weak and the strong network.
    pub forces: Option<ForcesMeasure>,
    /// Velocity, solid fraction, stress, inertial number and friction in slices.
    pub profile: Option<ProfileMeasure>,
    /// Forces and torques of contacts on bodies.
    pub reaction: Option<ReactionMeasure>,
    /// Forces across planes.
    pub cut: Option<CutMeasure>,
    /// Positions, velocities and spins of bodies.
    pub track: Option<TrackMeasure>,
    /// Kinetic and potential energy, and what was dissipated by what.
    pub energy: Option<EnergyMeasure>,
}

/// The stress tensor of the sample, or of a box in it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressMeasure {
    /// Where. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
}

/// The contacts of the sample, or of a box in it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactsMeasure {
    /// Where. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
}

/// The normal forces of the sample, or of a box in it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForcesMeasure {
    /// Where. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
    /// Number of bins.
    pub bins: u64,
    /// Where the last bin ends, in mean forces.
    pub up_to: f64,
}

impl Default for ForcesMeasure {
    fn default() -> Self {
        Self { region: None, bins: 40, up_to: 6.0 }
    }
}

/// Slices of the sample along an axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileMeasure {
    /// Along which axis: "x", "y" or "z".
    pub axis: String,
    /// How many slices.
    pub slices: u64,
    /// Along which axis the sample is sheared. By default the first other one.
    pub along: Option<String>,
    /// Where the first slice begins, m. By default where the sample does.
    pub min: Option<f64>,
    /// Where the last slice ends, m. By default where the sample does.
    pub max: Option<f64>,
}

/// What contacts do to bodies.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReactionMeasure {
    /// Numbers of the bodies.
    pub bodies: Vec<u64>,
}

/// What goes through planes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutMeasure {
    /// The axis that the planes stand across: "x", "y" or "z".
    pub axis: String,
    /// Where they are, m.
    pub at: Vec<f64>,
}

/// How bodies move.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackMeasure {
    /// Numbers of the bodies.
    pub bodies: Vec<u64>,
}

/// Energies of all bodies and contacts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyMeasure {}
