//! Settings of contact detection in a scene.

/// `[detection]`: contact detection.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DetectionSettings {
    /// Pairs of bodies with a gap below this are contacts of the step, m. By default 2 % of the size of the smallest
    /// body. The distance that the bodies may travel in a step is always added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alert: Option<f64>,
    /// Verlet skin: additional distance within which pairs are kept as candidates, m. It affects speed only. By default
    /// 20 % of the size of the smallest body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skin: Option<f64>,
    /// Greatest distance that a body may move in one step, in units of its own radius; for walls and driven bodies, of
    /// the radius of the smallest body. A scene whose initial or prescribed velocities exceed it is refused; a body
    /// that becomes faster during the run is named in a warning. Contacts are detected at mid-step: a body that moves
    /// farther may pass through others.
    pub max_travel: f64,
}

impl Default for DetectionSettings {
    fn default() -> Self {
        Self { alert: None, skin: None, max_travel: 4.0 }
    }
}
