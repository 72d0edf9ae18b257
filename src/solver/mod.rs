//! The contact problem of one subdomain and its solution by nonlinear Gauss-Seidel (NLGS) sweeps.
//!
//! A [`ContactProblem`] is a value: bodies with velocities and inverse masses, contacts with normals, lever arms and
//! reduced laws. It knows no shapes, files or processes; it can be built by hand, saved, and solved alone. Contacts
//! form two streams, each swept one by one or in batches of eight: [`SphereContact`] (spheres and obstacles: closed
//! form, no matrices) and [`GeneralContact`]. A [`SolverMethod`] says how they are swept; one driver
//! ([`sweep_to_convergence`]) sweeps and checks until the certificate holds.

mod admm;
mod batch;
mod batched_general;
mod bilateral;
mod bodies;
mod body_velocity;
mod bounded_law;
mod certificate;
mod check;
mod deformable;
pub mod delassus;
mod delassus_bound;
mod driver;
pub(crate) mod energy;
mod general;
mod general_batches;
mod grouping;
mod impact;
mod impulses;
mod local;
mod method;
mod momentum;
mod momentum_state;
mod monitor;
mod options;
mod packed;
mod problem;
mod rolling;
mod settings;
mod simd;
mod simd_velocities;
mod sphere_batches;
mod sphere_contact;
mod sphere_contacts;
mod standalone;
mod sweep;
mod sweep_cache;
mod sweep_policy;
mod velocities;
mod velocity_store;

pub use bodies::{Mass, keep, restore};
pub use body_velocity::{BodyVelocity, Velocity};
pub use certificate::{Certificate, Residual};
pub use deformable::DeformableBody;
pub use driver::{SweptProblem, sweep_to_convergence};
pub use energy::{Dissipation, EnergyBalance, EnergyTransfers, StepEnergy};
pub use general::GeneralContact;
pub use grouping::WORLD;
pub use impact::{Impact, ImpactContact, ImpactProblem, ImpactRule};
pub use local::{Impossible, exact, is_painleve_like};
pub use method::SolverMethod;
pub use momentum::{Momentum, SweepKind};
pub use momentum_state::{MomentumState, extrapolate};
pub use monitor::{CheckSums, CheckVerdict, ConvergenceMonitor, NextAction};
pub use options::{ContactOrder, LocalMap, Stabilisation};
pub use problem::ContactProblem;
pub use rolling::{Resistance, Rolling, spin_as_vector};
pub use settings::SolverSettings;
pub use simd::{SimdWidth, instructions, limit_width};
pub use sphere_contact::SphereContact;
pub use sphere_contacts::SphereContacts;
pub use velocities::{VelocityLayout, VelocityView};
pub use velocity_store::{HasVelocities, VelocityStore};

/// Sums over the corrections of a sweep: they show whether it is at a fixed point and whether momentum helps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Sum of |correction|^2.
    pub corrections: f64,
    /// Sum of w |correction|^2, w the inverse effective mass of a contact; only with momentum.
    pub size: f64,
    /// Sum of -w correction.(change of the impulse): positive when the sweep reverses the change; only with momentum.
    pub against: f64,
}

impl Change {
    /// The sums over both sets of contacts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            corrections: self.corrections + other.corrections,
            size: self.size + other.size,
            against: self.against + other.against,
        }
    }

    /// Is the iteration at a fixed point? Corrections are then so far below the tolerance that even a slow mode no
    /// longer changes the solution. `impulses` is the sum of the squared impulses.
    pub fn is_fixed_point(&self, impulses: f64, tolerance: f64) -> bool {
        self.is_below((1e-7 * tolerance).max(1e-14), impulses)
    }

    /// Did the sweep change almost nothing? Corrections are then so far below the tolerance that the certificate is
    /// worth evaluating: even a mode of which a sweep corrects only a ten thousandth hides no more than the tolerance.
    pub fn is_calm(&self, impulses: f64, tolerance: f64) -> bool {
        self.is_below((1e-4 * tolerance).max(1e-14), impulses)
    }

    fn is_below(&self, share: f64, impulses: f64) -> bool {
        self.corrections <= share * share * impulses
    }
}
