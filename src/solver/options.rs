//! Options of the section `[solver]` of a scene: order of the contacts, treatment of overlaps, local solution.

/// Orders of the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactOrder {
    /// Eight at a time, in groups of contacts that share no body.
    #[default]
    Batches,
    /// One by one, along the space-filling curve that orders the bodies: as many sweeps, each several times slower.
    Curve,
    /// As "batches", from an order of the contacts that is drawn at random in every step from `seed`; contacts of round
    /// bodies still come first.
    Random,
}

/// Correction of overlaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stabilisation {
    /// Overlaps beyond a five-hundredth of the body size are corrected in positions; velocities are unchanged.
    #[default]
    Projection,
    /// In each step, velocities correct a fifth of the overlap beyond a thousandth of the body size; the bodies keep
    /// these velocities.
    Baumgarte,
    /// No correction: an overlap remains until the motion removes it.
    None,
}

/// Local solutions for contacts that have no closed form; both have the same fixed point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LocalMap {
    /// One projected step with 1/W_nn for the normal and 1/lambda_max(W_tt) for the tangent. Fast.
    #[default]
    Projection,
    /// The exact solution of the local problem.
    Exact,
}
