//! Options of the section `[solver]` of a scene: order of the contacts, treatment of overlaps, local solution.

/// Orders of the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContactOrder {
    /// Eight at a time, in groups that share no body.
    #[default]
    Batches,
    /// One after the other along the curve that orders the bodies: as many sweeps, each several times slower.
    Curve,
    /// As batches, from an order of the contacts that chance draws anew every step, by `seed`; round bodies still come first.
    Random,
}

/// What is done about bodies that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stabilisation {
    /// Overlaps beyond a five-hundredth of a body are undone in positions; velocities are left alone.
    #[default]
    Projection,
    /// A fifth of an overlap beyond a thousandth of a body is undone in a step by velocities, which the bodies then keep.
    Baumgarte,
    /// Nothing: an overlap stays until the motion undoes it.
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
