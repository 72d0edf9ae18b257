//! Settings of the decomposition: the `[domain]` table of a scene.

use crate::solver::SolverMethod;

/// `[domain]`: decomposition into subdomains and treatment of the interface.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DomainSettings {
    /// Number of subdomains, or "auto": about one per 2 000 spheres, or 1 000 other bodies, at the start, and one with
    /// `solver.method = "admm"`. Where there are no `[[sinks]]`, bodies of `[[feeds]]` with an `end` or a `total` count
    /// too. It is independent of the machine and of bodies that are added or removed later.
    pub subdomains: SubdomainCount,
    /// Partitioning method.
    pub partitioner: Partitioner,
    /// Treatment of interface bodies, which have a copy in each of several subdomains.
    pub interface: InterfaceScheme,
    /// Repartitions when the heaviest subdomain exceeds the mean weight by this factor; looked at every 64 steps, and for
    /// one and a half times this factor every 8.
    pub imbalance: f64,
}

impl Default for DomainSettings {
    fn default() -> Self {
        Self {
            subdomains: SubdomainCount::Named(Auto::Auto),
            partitioner: Partitioner::MultiJagged,
            interface: InterfaceScheme::RedBlack,
            imbalance: 1.3,
        }
    }
}

/// A number, or "auto".
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged, expecting = "expected a whole number of at least 1, or \"auto\"")]
pub enum SubdomainCount {
    /// Given number.
    Given(u32),
    /// Number that follows from the number of bodies.
    Named(Auto),
}

/// The word "auto".
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Auto {
    /// Determined by the bodies of the scene alone.
    Auto,
}

/// Spheres per subdomain for which its velocities stay in the private cache of a core.
const SPHERES_EACH: usize = 2000;

impl SubdomainCount {
    /// The same for a solution method: "auto" is one subdomain where the method solves all contacts together.
    pub fn under(self, method: SolverMethod) -> Self {
        match (self, method.polishes_after()) {
            (SubdomainCount::Named(Auto::Auto), Some(_)) => SubdomainCount::Given(1),
            _ => self,
        }
    }

    /// Number of subdomains for free bodies that cost as much as so many `spheres`.
    pub fn resolve(self, spheres: usize) -> usize {
        match self {
            SubdomainCount::Given(n) => n.max(1) as usize,
            SubdomainCount::Named(Auto::Auto) => ((spheres + SPHERES_EACH / 2) / SPHERES_EACH).max(1),
        }
    }
}

/// Partitioning methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Partitioner {
    /// Multi-jagged: slabs, columns and boxes of equal weight.
    #[default]
    MultiJagged,
    /// Recursive coordinate bisection into boxes of equal weight.
    Bisection,
    /// Equal boxes, independent of their content.
    Grid,
}

/// Treatments of interface bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InterfaceScheme {
    /// Two half-sweeps per sweep, one for each colour of subdomains.
    #[default]
    RedBlack,
    /// All subdomains at once, then each copy takes the mean velocity of the copies: the published method.
    Glue,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_is_one_subdomain_for_small_scenes_and_one_for_two_thousand_spheres() {
        let auto = SubdomainCount::Named(Auto::Auto);
        assert_eq!([0, 1, 2500, 10_000, 1_000_000].map(|n| auto.resolve(n)), [1, 1, 1, 5, 500]);
        assert_eq!(SubdomainCount::Given(7).resolve(1), 7);
    }

    #[test]
    fn auto_is_one_subdomain_where_the_method_solves_all_contacts_together() {
        let auto = SubdomainCount::Named(Auto::Auto);
        assert_eq!(auto.under(SolverMethod::Admm).resolve(10_000), 1);
        assert_eq!(auto.under(SolverMethod::Auto).resolve(10_000), 5);
        assert_eq!(SubdomainCount::Given(7).under(SolverMethod::Admm).resolve(1), 7);
    }
}
