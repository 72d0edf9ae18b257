//! Solver settings: the section `[solver]` of a scene.

/// `[solver]`: solver of the contact problem.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SolverSettings {
    /// Solution method.
    pub method: SolverMethod,
    /// Order in which contacts are swept.
    pub order: ContactOrder,
    /// Seed of the random numbers of order "random".
    pub seed: u64,
    /// Local solution of a contact between bodies that are not both round.
    pub local: LocalMap,
    /// Tolerance on the relative residual of the contact laws. A step has converged when both this and `velocity_error`
    /// hold.
    pub tolerance: f64,
    /// Tolerance on the relative error of the velocities in the kinetic norm, which the complementarity work of the
    /// contacts bounds.
    pub velocity_error: f64,
    /// Greatest number of sweeps in a step.
    pub max_sweeps: u32,
    /// Relaxation factor of each local correction; 1 is plain Gauss-Seidel, below 1 damps. With "jacobi" it multiplies
    /// the share 1/n.
    pub relaxation: f64,
    /// Correction of overlaps.
    pub stabilisation: Stabilisation,
    /// Starts each solve from the impulses of the last step.
    pub warm_start: bool,
    /// Stops the run (exit code 3) at the first step that does not converge.
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

/// Solution methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverMethod {
    /// "accelerated" where all laws are plain friction cones; otherwise plain sweeps from a warm start chosen by
    /// energy.
    #[default]
    Auto,
    /// Nonlinear Gauss-Seidel (NLGS) as published, from the unmodified impulses of the last step.
    Nlgs,
    /// NLGS with Nesterov momentum and adaptive restart, from a warm start chosen by energy.
    Accelerated,
    /// All contacts of a subdomain at once, each with the velocities after the last sweep. Each correction is
    /// multiplied by 1/n, where n is the greater number of contacts of its two bodies. It needs many more sweeps; for
    /// comparison.
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
