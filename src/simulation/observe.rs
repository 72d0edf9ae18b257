//! Observers: hooks into the step for programs that use the library.
//!
//! An [`Observer`] is called at named points of every step. It can read everything and drive bodies by forces, torques
//! and velocities.
//!
//! ```
//! use nscdd::dim::Plane;
//! use nscdd::simulation::StepReport;
//! use nscdd::simulation::{DrivenBodies, Observer, Simulation};
//!
//! // A disk that a magnet lifts as long as it is below half a metre.
//! struct Magnet {
//!     highest: f64,
//! }
//!
//! impl Observer<Plane> for Magnet {
//!     fn before(&mut self, simulation: &Simulation<Plane>, drive: &mut DrivenBodies<Plane>) {
//!         let disk = simulation.bodies.find(1).unwrap();
//!         if disk.position.y < 0.5 {
//!             drive.add_force(1, [0.0, 2.0 * 9.81 * disk.mass].into());
//!         }
//!     }
//!
//!     fn after(&mut self, simulation: &Simulation<Plane>, report: &StepReport) {
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

/// Hooks called in every step. Each does nothing by default.
///
/// On several processes each process calls its own observer: all must request the same, whichever bodies they hold.
/// The state of an observer is not part of a checkpoint.
pub trait Observer<X: Dim> {
    /// Called before bodies move, to set the forces, torques and velocities of this step.
    fn before(&mut self, _simulation: &Simulation<X>, _drive: &mut DrivenBodies<X>) {}
    /// Called after detection: the contacts at mid-step are in the subdomains of the domain.
    fn detected(&mut self, _simulation: &Simulation<X>) {}
    /// Called after the solve: the impulses are in the subdomains of `domain`.
    fn solved(&mut self, _domain: &Domain<X>, _certificate: &Certificate) {}
    /// Called at the end of the step.
    fn after(&mut self, _simulation: &Simulation<X>, _report: &StepReport) {}
}

/// No observer.
impl<X: Dim> Observer<X> for () {}

/// Forces, torques and velocities that an observer imposes on bodies in one step.
#[derive(Clone, Debug, PartialEq)]
pub struct DrivenBodies<X: Dim> {
    pub(crate) forces: Vec<(BodyId, X::Vector)>,
    pub(crate) torques: Vec<(BodyId, X::Spin)>,
    pub(crate) velocities: Vec<(BodyId, X::Vector, X::Spin)>,
}

impl<X: Dim> Default for DrivenBodies<X> {
    fn default() -> Self {
        Self { forces: Vec::new(), torques: Vec::new(), velocities: Vec::new() }
    }
}

impl<X: Dim> DrivenBodies<X> {
    /// Adds a force on the centre of a body during the step, N; several forces add up.
    pub fn add_force(&mut self, body: u64, force: X::Vector) {
        self.forces.push((BodyId(body), force));
    }

    /// Adds a torque about the centre of a body during the step, N m; several torques add up.
    pub fn add_torque(&mut self, body: u64, torque: X::Spin) {
        self.torques.push((BodyId(body), torque));
    }

    /// Sets the velocity and spin of a free body at the start of the step; the last call for a body takes effect.
    pub fn set_velocity(&mut self, body: u64, velocity: X::Vector, spin: X::Spin) {
        self.velocities.push((BodyId(body), velocity, spin));
    }

    /// True if any velocity is set.
    pub(crate) fn sets_velocities(&self) -> bool {
        !self.velocities.is_empty()
    }

    /// Sets the requested velocities of free bodies.
    pub(crate) fn apply(&self, states: &mut [State<X>], is_free: impl Fn(&State<X>) -> bool) {
        if self.velocities.is_empty() {
            return;
        }
        for state in states.iter_mut().filter(|state| is_free(state)) {
            // Only the last request for a body takes effect.
            if let Some(&(_, velocity, spin)) = self.velocities.iter().rev().find(|(id, ..)| *id == state.id) {
                (state.velocity, state.spin) = (velocity, spin);
            }
        }
    }
}
