//! Settings of contact detection in a scene.

/// `[detection]`: which pairs of bodies are looked at.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DetectionSettings {
    /// Pairs with a gap below this are contacts of the step, m. By default 2 % of the smallest body; what the
    /// bodies may travel in a step is always added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert: Option<f64>,
    /// Extra distance within which pairs are remembered as candidates, m; only speed depends on it. By
    /// default 20 % of the smallest body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<f64>,
    /// Most that a body may move in one step, in radii of its own; walls and driven bodies in radii of the smallest body. A scene whose
    /// initial or prescribed velocities are above it is refused, a body that becomes faster is named in a warning. Half of a
    /// step's motion is made before contacts are found: what moves further can pass through others.
    pub max_travel: f64,
}

impl Default for DetectionSettings {
    fn default() -> Self {
        Self { alert: None, skin: None, max_travel: 4.0 }
    }
}
