//! `[[membranes]]`: flexible boundaries under prescribed pressure.

use schemars::JsonSchema;
use serde::Deserialize;

use super::driven::SignalEntry;
use super::settings::BoxBounds;

/// A membrane that applies a pressure to the outermost free bodies on one side of the sample.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MembraneEntry {
    /// Side of the sample: "+x", "-x", "+y" and so on.
    pub side: String,
    /// Pressure, Pa (N/m in two dimensions): a number, or a table with one of ramp, sinusoid, table, points.
    pub pressure: SignalEntry,
    /// Spacing of the rays that find the outermost bodies, m. By default a quarter of the smallest body's radius.
    pub spacing: Option<f64>,
    /// The membrane acts only on bodies whose centre is in this box. By default on all.
    #[serde(rename = "box")]
    pub region: Option<BoxBounds>,
}
