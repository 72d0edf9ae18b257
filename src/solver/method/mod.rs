//! Solver methods: how the contacts of a subdomain are swept, and what the driver adds to the sweeps.
//!
//! A new method is one file with a struct and its [`Method`] implementation, and one line in the `methods!` list below:
//! the value of `solver.method` in scenes, the schema and the dispatch follow from it. A sweep dispatches once, not
//! once a contact.

mod accelerated;
mod acd2;
mod admm;
mod auto;
mod jacobi;
mod nlgs;
mod sweep_method;

use super::{Change, ContactProblem, LocalMap, MomentumState};
use crate::dim::Dim;

use accelerated::AcceleratedMethod;
use acd2::Acd2Method;
use admm::AdmmMethod;
use auto::AutoMethod;
use jacobi::JacobiMethod;
use nlgs::NlgsMethod;
use sweep_method::Method;

macro_rules! methods {
    ($($(#[$about:meta])* $name:ident: $method:ident),* $(,)?) => {
        /// Solution methods.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum SolverMethod {
            $($(#[$about])* $name,)*
        }

        impl SolverMethod {
            /// Does the driver extrapolate the sweeps by momentum?
            pub fn has_momentum(self) -> bool {
                match self { $(Self::$name => $method::HAS_MOMENTUM,)* }
            }

            /// Are impulses of the last step scaled down where smaller ones have less energy, and the best impulses of
            /// a solve kept? The methods as published do neither.
            pub fn guards_impulses(self) -> bool {
                match self { $(Self::$name => $method::GUARDS_IMPULSES,)* }
            }

            /// Why the method has no order of the contacts, if it has none.
            pub fn without_order(self) -> Option<&'static str> {
                match self { $(Self::$name => $method::WITHOUT_ORDER,)* }
            }

            /// The number of sweeps after which ADMM takes over a step that has not converged, if it ever does.
            pub fn polishes_after(self) -> Option<u32> {
                match self { $(Self::$name => $method::POLISHES_AFTER,)* }
            }

            /// One sweep over all contacts, without momentum.
            pub fn sweep<X: Dim>(self, problem: &mut ContactProblem<X>, map: LocalMap, relaxation: f64) -> Change {
                match self { $(Self::$name => $method::sweep(problem, map, relaxation),)* }
            }

            /// One sweep from impulses extrapolated by `factor` times their last change, as the velocities are already.
            pub fn sweep_on<X: Dim>(
                self,
                problem: &mut ContactProblem<X>,
                map: LocalMap,
                relaxation: f64,
                factor: f64,
                memory: &mut MomentumState<X>,
            ) -> Change {
                match self { $(Self::$name => $method::sweep_on(problem, map, relaxation, factor, memory),)* }
            }
        }
    };
}

methods! {
    /// "accelerated"; where all laws are plain friction cones, "admm" takes over steps at rest in one subdomain that
    /// have not converged after 100 sweeps.
    #[default]
    Auto: AutoMethod,
    /// Nonlinear Gauss-Seidel (NLGS) as published, from the unmodified impulses of the last step.
    Nlgs: NlgsMethod,
    /// NLGS with Nesterov momentum and adaptive restart, from a warm start chosen by energy.
    Accelerated: AcceleratedMethod,
    /// "accelerated", and where a step has not converged after sixty sweeps, all contacts together by the alternating
    /// direction method of multipliers (ADMM) with a factored matrix; for masonry at rest to tight tolerances. It needs
    /// `domain.subdomains = 1`, rigid bodies, and laws that are plain friction cones: other steps are left to the sweeps,
    /// and so are those that it does not solve.
    Admm: AdmmMethod,
    /// All contacts of a subdomain at once, each with the velocities after the last sweep. Each correction is
    /// multiplied by 1/n, where n is the greater number of contacts of its two bodies. It needs many more sweeps; for
    /// comparison.
    Jacobi: JacobiMethod,
    /// Atomised efforts and instantaneous collisions (A-CD2): all contacts of a subdomain at once by projected gradient
    /// steps of one length on the dual problem, with momentum; the normal impulses of the last step bound friction. It
    /// needs many more sweeps; for comparison.
    Acd2: Acd2Method,
}
