//! Solver settings: the section `[solver]` of a scene.

use super::{Change, ContactOrder, ContactProblem, ImpactRule, LocalMap, MomentumState, SolverMethod, Stabilisation};
use crate::dim::Dim;

/// Number of sweeps after which a step converges slowly: in a wall of a thousand bricks they cost more than ADMM.
const SLOW: u32 = 100;

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
    /// the share 1/n, with "acd2" the length of the gradient step.
    pub relaxation: f64,
    /// Correction of overlaps.
    pub stabilisation: Stabilisation,
    /// Share of an overlap at a deformable body that is removed in a step.
    pub deformable_overlaps: f64,
    /// What happens when bodies that touch several others collide.
    pub impacts: ImpactRule,
    /// Power of the compression to which the force of a contact is proportional while an impact lasts, for `impacts`
    /// "stiffness": 1 for linear springs, 1.5 for balls (Hertz).
    pub impact_exponent: f64,
    /// Starts each solve from the impulses of the last step.
    pub warm_start: bool,
    /// Stops the run (exit code 3) at the first step that does not converge.
    pub required: bool,
    /// Is the method "auto" and are all laws plain friction cones? ADMM then takes over steps at rest that converge
    /// slowly.
    #[serde(skip)]
    pub polishes_rest: bool,
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
            deformable_overlaps: 0.2,
            impacts: ImpactRule::Moreau,
            impact_exponent: 1.5,
            warm_start: true,
            required: false,
            polishes_rest: false,
        }
    }
}

impl SolverSettings {
    /// Resolves `auto` for laws that are all plain `cones`, or not.
    pub fn decided(self, cones: bool) -> Self {
        Self { polishes_rest: cones && self.method == SolverMethod::Auto, ..self }
    }

    /// Order of the contacts in a problem: methods without an order take them one by one as they are listed.
    pub fn listed_order(&self) -> ContactOrder {
        self.method.without_order().map_or(self.order, |_| ContactOrder::Curve)
    }

    /// The number of sweeps after which ADMM takes over a step that has not converged, if it ever does. A wall that
    /// starts from an accurate first step stays accurate at few sweeps a step.
    pub(super) fn polishes_after(&self) -> Option<u32> {
        let late = self.polishes_rest.then_some(SLOW);
        self.method.polishes_after().or(late).map(|sweep| sweep.min(self.max_sweeps))
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
