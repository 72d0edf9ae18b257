//! Solver settings: the section `[solver]` of a scene.

/// `[solver]`: how the contact problem of a step is solved.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSettings {
    /// Which solver.
    pub method: SolverMethod,
    /// In which order contacts are swept.
    pub order: ContactOrder,
    /// Seed of the order "random".
    pub seed: u64,
    /// How one contact between bodies that are not both round is solved.
    pub local: LocalMap,
    /// A step has converged when the relative residual of the contact law is below this...
    pub tolerance: f64,
    /// ...and the complementarity work of the contacts, which bounds the relative error of the velocities in the kinetic norm, says
    /// that it is below this.
    pub velocity_error: f64,
    /// Greatest number of sweeps in a step.
    pub max_sweeps: u32,
    /// Factor on each local correction; 1 is plain Gauss-Seidel, below 1 damps. With "jacobi" it multiplies the share that
    /// is taken anyway.
    pub relaxation: f64,
    /// What is done about overlaps.
    pub stabilisation: Stabilisation,
    /// Start from the impulses of the last step.
    pub warm_start: bool,
    /// Stop the run (exit code 3) at the first step that does not converge.
    pub required: bool,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            method: SolverMethod::Auto,
            order: ContactOrder::Batches,
            seed: 1,
            local: LocalMap::Projection,
            tolerance: 1e-3,
            velocity_error: 0.2,
            max_sweeps: 2000,
            relaxation: 1.0,
            stabilisation: Stabilisation::Projection,
            warm_start: true,
            required: false,
        }
    }
}

/// The solvers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverMethod {
    /// Accelerated where all laws are plain friction cones; elsewhere sweeps without momentum from a warm start chosen by energy.
    #[default]
    Auto,
    /// Nonlinear Gauss-Seidel as published: from the impulses of the last step as they are.
    Nlgs,
    /// The same with momentum, restarted when it leads astray, from a warm start chosen by energy.
    Accelerated,
    /// All contacts of a subdomain at once, each with the velocities that the last sweep left, and of each correction the
    /// share 1/n, n the contacts of its body with the most of them. Many more sweeps; for comparison.
    Jacobi,
}

impl SolverSettings {
    /// Resolves `auto`: accelerated where all laws are plain `cones`.
    pub fn decided(self, cones: bool) -> Self {
        let method = match self.method {
            SolverMethod::Auto if cones => SolverMethod::Accelerated,
            method => method,
        };
        Self { method, ..self }
    }

    /// Are impulses of the last step scaled down where smaller ones have less energy, and the best impulses of a solve
    /// kept? The methods as published do neither.
    pub fn guards_impulses(&self) -> bool {
        matches!(self.method, SolverMethod::Auto | SolverMethod::Accelerated)
    }
}

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
