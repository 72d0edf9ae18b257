//! The program as a library: a simulation from a scene, and hooks into its step.
//!
//! An [`Observer`] is called at named points of every step: it can read everything and drive bodies by forces and
//! velocities.
//!
//! ```
//! use nscdd::dim::Plane;
//! use nscdd::simulation::Report;
//! use nscdd::simulation::{Drive, Observer, Simulation};
//!
//! // A disk that a magnet lifts as long as it is below half a metre.
//! struct Magnet {
//!     highest: f64,
//! }
//!
//! impl Observer<Plane> for Magnet {
//!     fn before(&mut self, simulation: &Simulation<Plane>, drive: &mut Drive<Plane>) {
//!         let disk = simulation.bodies.find(1).unwrap();
//!         if disk.position.y < 0.5 {
//!             drive.add_force(1, [0.0, 2.0 * 9.81 * disk.mass].into());
//!         }
//!     }
//!
//!     fn after(&mut self, simulation: &Simulation<Plane>, report: &Report) {
//!         self.highest = self.highest.max(simulation.bodies.find(1).unwrap().position.y);
//!         assert!(report.certificate.converged);
//!     }
//! }
//!
//! let mut simulation = Simulation::<Plane>::from_text(
//!     r#"
//!     world = { dimension = 2 }
//!     time = { step = 1e-3, end = 1.0 }
//!     materials.steel = { density = 7800 }
//!     laws = [{ between = ["*", "*"], coulomb = { friction = 0.3 } }]
//!     bodies = [
//!         { id = 0, material = "steel", plane = { normal = [0, 1] }, position = [0, 0], fixed = true },
//!         { id = 1, material = "steel", disk = { radius = 0.1 }, position = [0, 0.1] },
//!     ]
//!     "#,
//! )?;
//! let mut magnet = Magnet { highest: 0.0 };
//! while simulation.clock.time < 0.5 {
//!     simulation.step_with(&mut magnet)?;
//! }
//! assert!(magnet.highest > 0.5, "it has been lifted");
//! # Ok::<(), nscdd::base::error::Error>(())
//! ```

use super::Simulation;
use crate::body::{BodyId, State};
use crate::dim::Dim;
use crate::domain::Domain;
use crate::simulation::StepReport;
use crate::solver::Certificate;

/// Who is called in every step. Each hook does nothing unless it is written.
///
/// On several processes each calls its own observer: all must ask for the same, whatever bodies they hold themselves.
/// What an observer remembers is not in a checkpoint.
pub trait Observer<X: Dim> {
    /// Before bodies move: what pushes them in this step can be said.
    fn before(&mut self, _simulation: &Simulation<X>, _drive: &mut DrivenBodies<X>) {}
    /// Contacts of mid-step are found: they are in the subdomains of the domain.
    fn detected(&mut self, _simulation: &Simulation<X>) {}
    /// Their impulses are.
    fn solved(&mut self, _domain: &Domain<X>, _certificate: &Certificate) {}
    /// The step is made.
    fn after(&mut self, _simulation: &Simulation<X>, _report: &StepReport) {}
}

/// Nobody.
impl<X: Dim> Observer<X> for () {}

/// What an observer does to bodies during one step.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenBodies<X: Dim> {
    pub(crate) forces: Vec<(BodyId, X::Vector)>,
    pub(crate) speeds: Vec<(BodyId, X::Vector, X::Spin)>,
}

impl<X: Dim> Default for DrivenBodies<X> {
    fn default() -> Self {
        Self { forces: Vec::new(), speeds: Vec::new() }
    }
}

impl<X: Dim> DrivenBodies<X> {
    /// A force on the centre of a body during the step, N; several add up.
    pub fn add_force(&mut self, body: u64, force: X::Vector) {
        self.forces.push((BodyId(body), force));
    }

    /// The step starts with this velocity and spin of a body that is free: a blow.
    pub fn set_velocity(&mut self, body: u64, velocity: X::Vector, spin: X::Spin) {
        self.speeds.push((BodyId(body), velocity, spin));
    }

    /// Is anything thrown?
    pub(crate) fn sets_velocities(&self) -> bool {
        !self.speeds.is_empty()
    }

    /// What is thrown starts so.
    pub(crate) fn apply(&self, states: &mut [State<X>], is_free: impl Fn(&State<X>) -> bool) {
        if self.speeds.is_empty() {
            return;
        }
        for state in states.iter_mut().filter(|state| is_free(state)) {
            // The last word counts.
            if let Some(&(_, velocity, spin)) = self.speeds.iter().rev().find(|(id, ..)| *id == state.id) {
                (state.velocity, state.spin) = (velocity, spin);
            }
        }
    }
}
