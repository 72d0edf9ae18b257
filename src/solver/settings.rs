//! Solver settings: the section `[solver]` of a scene.

use super::{Change, ContactOrder, ContactProblem, LocalMap, MomentumState, SolverMethod, Stabilisation};
use crate::dim::Dim;

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

impl SolverSettings {
    /// Resolves `auto`: accelerated where all laws are plain `cones`.
    pub fn decided(self, cones: bool) -> Self {
        let method = if cones { self.method.for_cones() } else { self.method };
        Self { method, ..self }
    }

    /// One sweep over all contacts by the method, without momentum.
    pub fn sweep<X: Dim>(&self, problem: &mut ContactProblem<X>) -> Change {
        self.method.sweep(problem, self.local, self.relaxation)
    }

    /// One sweep by the method from impulses extrapolated by `factor` times their last change, as the velocities are
    /// already.
    pub fn sweep_on<X: Dim>(
        &self,
        problem: &mut ContactProblem<X>,
        factor: f64,
        memory: &mut MomentumState<X>,
    ) -> Change {
        self.method.sweep_on(problem, self.local, self.relaxation, factor, memory)
    }
}
