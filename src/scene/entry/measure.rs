//! `[[measure]]`: what is measured during a run.

use schemars::JsonSchema;
use serde::Deserialize;

use super::settings::BoxBounds;

/// A quantity that is measured at intervals and written to measures/NAME.csv. Exactly one of `stress`, `contacts`,
/// `forces`, `profile`, `reaction`, `nodes`, `cut`, `track`, `energy` is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasureEntry {
    /// Name of the file. By default the name of the quantity, with a number from the second one on.
    pub name: Option<String>,
    /// Simulated time between two rows, s. By default one row is written after every step.
    pub every: Option<f64>,
    /// Stress tensor and solid fraction.
    pub stress: Option<StressMeasure>,
    /// Coordination number, rattlers, sliding contacts, fabric tensor.
    pub contacts: Option<ContactsMeasure>,
    /// Distribution of normal forces; weak and strong force network.
    pub forces: Option<ForcesMeasure>,
    /// Profiles of velocity, solid fraction, stress, inertial number and friction in slices.
    pub profile: Option<ProfileMeasure>,
    /// Contact forces and torques on bodies.
    pub reaction: Option<ReactionMeasure>,
    /// Forces that hold a group of nodes of deformable bodies, and its displacement.
    pub nodes: Option<NodesMeasure>,
    /// Forces across planes.
    pub cut: Option<CutMeasure>,
    /// Positions, velocities and spins of bodies.
    pub track: Option<TrackMeasure>,
    /// Kinetic and potential energy, and the energy dissipated by each mechanism.
    pub energy: Option<EnergyMeasure>,
}

/// Stress tensor of the sample, or of a box in it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StressMeasure {
    /// Region. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
}

/// Contacts of the sample, or of a box in it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactsMeasure {
    /// Region. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
}

/// Normal forces of the sample, or of a box in it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForcesMeasure {
    /// Region. By default the whole sample.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
    /// Number of bins.
    pub bins: u64,
    /// Upper end of the last bin, in units of the mean force.
    pub up_to: f64,
}

impl Default for ForcesMeasure {
    fn default() -> Self {
        Self { region: None, bins: 40, up_to: 6.0 }
    }
}

/// Profiles in slices of the sample along an axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileMeasure {
    /// Axis: "x", "y" or "z".
    pub axis: String,
    /// Number of slices.
    pub slices: u64,
    /// Axis along which the sample is sheared. By default the first other axis.
    pub along: Option<String>,
    /// Lower end of the first slice, m. By default the lower end of the sample.
    pub min: Option<f64>,
    /// Upper end of the last slice, m. By default the upper end of the sample.
    pub max: Option<f64>,
}

/// Total contact force and torque on bodies.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReactionMeasure {
    /// Ids of the bodies.
    pub bodies: Vec<u64>,
}

/// Reaction and mean displacement of a group of nodes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesMeasure {
    /// Ids of the bodies.
    pub bodies: Vec<u64>,
    /// Name of the group: one of those under `nodes` of the bodies.
    pub group: String,
}

/// Forces transmitted across planes.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutMeasure {
    /// Axis normal to the planes: "x", "y" or "z".
    pub axis: String,
    /// Coordinates of the planes along this axis, m.
    pub at: Vec<f64>,
}

/// Motion of bodies.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrackMeasure {
    /// Ids of the bodies.
    pub bodies: Vec<u64>,
}

/// Energies of all bodies and contacts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyMeasure {}
