//! The contact problem of one subdomain, and its solution by nonlinear Gauss-Seidel sweeps.
//!
//! A [`ContactProblem`] is a value: bodies with velocities and inverse masses, contacts with normals, lever arms and
//! reduced laws. It knows no shapes, no files and no processes, can be built by hand, saved, and solved alone.
//! Two streams of contacts: [`SphereContact`] (balls and obstacles: closed form, no matrices) and [`GeneralContact`]; one by one, or eight
//! at a time. Beside them a plain Jacobi sweep (`jacobi`).

pub(crate) mod energy;

pub use energy::{EnergyBalance, StepEnergy};
mod batch;
mod batched_general;
mod bilateral;
mod bodies;
mod certificate;
mod check;
pub mod delassus;
mod general;
mod grouping;
mod jacobi;
mod local;
mod momentum;
mod monitor;
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
mod velocities;

pub use bodies::{BodyVelocity, Mass, Velocity, keep, restore};
pub use certificate::{Certificate, Residual};
pub use general::GeneralContact;
pub use local::{Impossible, exact, is_painleve_like};
pub use momentum::{Momentum, MomentumState, SweepKind, extrapolate};
pub use monitor::{CheckSums, CheckVerdict, ConvergenceMonitor, NextAction};
pub use problem::{ContactProblem, WORLD};
pub use rolling::{Resistance, Rolling, in_tangent_plane};
pub use settings::{ContactOrder, LocalMap, SolverMethod, SolverSettings, Stabilisation};
pub use simd::{SimdWidth, instructions, limit_width};
pub use sphere_contact::SphereContact;
pub use sphere_contacts::SphereContacts;
pub use velocities::{VelocityLayout, VelocityStore, VelocityView};

/// Squared sizes of a sweep's corrections: is it a fixed point, does momentum help?
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Change {
    /// Sum of |correction|^2.
    pub corrections: f64,
    /// Sum of w |correction|^2, w the inverse effective mass of a contact; only with momentum.
    pub size: f64,
    /// Sum of -w correction.(change of the impulse): positive when the sweep turns back; only with momentum.
    pub against: f64,
}

impl Change {
    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            corrections: self.corrections + other.corrections,
            size: self.size + other.size,
            against: self.against + other.against,
        }
    }

    /// The sweep left everything as it was: its corrections are so far below the tolerance that even a slow mode
    /// has nothing left to move. `impulses` is the sum of their squares.
    pub fn is_fixed_point(&self, impulses: f64, settings: &SolverSettings) -> bool {
        self.is_below((1e-7 * settings.tolerance).max(1e-14), impulses)
    }

    /// The sweep changed next to nothing: its corrections are so far below the tolerance that it is worth to look at the
    /// certificate. A mode of which each sweep finds no more than a ten thousandth hides no more than the tolerance.
    pub fn is_calm(&self, impulses: f64, settings: &SolverSettings) -> bool {
        self.is_below((1e-4 * settings.tolerance).max(1e-14), impulses)
    }

    fn is_below(&self, share: f64, impulses: f64) -> bool {
        self.corrections <= share * share * impulses
    }
}
