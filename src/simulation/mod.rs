//! A simulation: model, bodies, contact history and decomposition; `step.rs` has its time step on one page.

pub(crate) mod active_contacts;

pub use active_contacts::ActiveContact;
pub mod timing;
pub mod warnings;

mod diagnosis;
mod energy;
pub mod limits;
mod observe;
mod population;
mod predict;
mod report;
mod snapshot;
mod start;
mod step;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use partitioning::Cuts;

use crate::body::{Bodies, State};
use crate::comm::{Comm, Reader, SerialComm, all_gather};
use crate::contactor::Bounds;
use crate::dim::Dim;
use crate::domain::{self, Domain};
use crate::integrator::{FreeMotion, Theta};
use crate::interaction;
use crate::interaction::ContactHistory;
use crate::interaction::alert::AlertDistances;
use crate::model::Model;
use crate::population::{Population, PopulationCounters};
use crate::simulation::timing::Timing;
use crate::simulation::warnings::{WarningKind, Warnings};
use crate::solver::{self, EnergyBalance};

use diagnosis::Diagnosis;
pub use observe::{DrivenBodies, Observer};
use population::StepStart;
pub use report::StepReport;
pub use snapshot::{ExactSums, RebuiltContacts, Snapshot, SnapshotTime};

/// Where the simulation stands in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Steps made.
    pub step: u64,
    /// Simulated time, s: the number of steps times their length, so that it never drifts.
    pub time: f64,
}

/// Sums that go on from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunSums {
    /// The energy balance.
    pub energy: EnergyBalance,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub mean_impulse: f64,
}

/// How to simulate: everything a scene says besides the bodies.
#[derive(Clone, Debug)]
pub struct SimulationSettings {
    /// Time stepping.
    pub integrator: Theta,
    /// Decomposition.
    pub domain: domain::DomainSettings,
    /// Solver.
    pub solver: solver::SolverSettings,
    /// Detection.
    pub detection: interaction::DetectionSettings,
}

/// A scene being simulated.
pub struct Simulation<X: Dim> {
    /// What does not change.
    pub model: Model<X>,
    /// What does.
    pub bodies: Bodies<X>,
    /// Impulses of the last step.
    pub history: ContactHistory<X>,
    /// Where we are.
    pub clock: Clock,
    /// Sums that go on.
    pub sums: RunSums,
    /// What it has warned about.
    pub warnings: Warnings,
    /// Wall time by phase.
    pub timing: Timing,
    pub(crate) plan: SimulationSettings,
    pub(crate) domain: Domain<X>,
    reach: AlertDistances,
    bounds: Option<Bounds<X>>,
    pub(crate) population: Population<X>,
    /// The predicted motion of the last step, shared with the domain, and the alert distances of its bodies.
    free: Arc<Vec<FreeMotion<X>>>,
    alerts: Vec<f64>,
    /// What an abandoned step goes back to, besides the bodies and the contact history as they are.
    before: Option<StepStart<X>>,
    pub(crate) diagnosis: Diagnosis<X>,
}

impl<X: Dim> Simulation<X> {
    /// Ready for the first step, on this process alone.
    pub fn new(model: Model<X>, bodies: Bodies<X>, bounds: Option<Bounds<X>>, plan: SimulationSettings) -> Self {
        Self::on(Arc::new(SerialComm), model, bodies, bounds, plan)
    }

    /// Ready for the first step on the processes of `comm`. Each brings its own share of the free bodies, and all
    /// obstacles.
    pub fn on(
        comm: Arc<dyn Comm>,
        model: Model<X>,
        mut bodies: Bodies<X>,
        bounds: Option<Bounds<X>>,
        mut plan: SimulationSettings,
    ) -> Self {
        plan.solver = plan.solver.decided(model.laws.are_cones() && model.links.is_empty());
        let mut free = [bodies.states().iter().filter(|s| !model.is_prescribed(s)).count() as u64];
        comm.sum(&mut free);
        let mut smallest = [model.smallest(bodies.states())];
        comm.min(&mut smallest);
        let reach = AlertDistances::new(&plan.detection, smallest[0], model.laws.range(), plan.integrator.h);
        let bounds = bounds.map(|bounds| without_ends(bounds, &model));
        let next_id = next_id(&*comm, &bodies);
        let mut domain = Domain::new(comm, &plan.domain, free[0] as usize);
        let mut history = ContactHistory::default();
        domain.drop_ghosts(&model, &mut bodies, &mut history);
        Self {
            model,
            bodies,
            history,
            clock: Clock::default(),
            sums: RunSums::default(),
            warnings: Warnings::default(),
            timing: Timing::default(),
            plan,
            domain,
            reach,
            bounds,
            population: Population {
                counters: PopulationCounters {
                    next_id,
                    free_at_start: free[0],
                    smallest: smallest[0],
                    ..PopulationCounters::default()
                },
                ..Population::default()
            },
            free: Arc::default(),
            alerts: Vec::new(),
            before: None,
            diagnosis: Diagnosis::default(),
        }
    }

    /// The contact problems of these steps will be kept for whoever writes them.
    pub fn ask_for_problems(&mut self, steps: &[u64]) {
        self.diagnosis.asked = steps.to_vec();
    }

    /// Steps from now on end early with [`Error::Stopped`] once `stop` is set, and leave no trace; never if there is none.
    pub fn heed(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.domain.heed(stop);
    }

    /// Steps that do not converge are counted, not looked into.
    pub fn skip_diagnosis(&mut self) {
        self.diagnosis.cause = Some(String::new());
    }

    /// Goes on where an earlier run was: at `clock`, with these sums and counters, what its contacts remember and the cuts
    /// it had made.
    pub fn restore(
        &mut self,
        clock: Clock,
        sums: RunSums,
        counters: PopulationCounters,
        history: ContactHistory<X>,
        cuts: Cuts<3>,
    ) {
        self.restore_counters(counters);
        (self.clock, self.sums, self.history) = (clock, sums, history);
        // Bodies and memories are where the caller has them; owners follow.
        self.domain.drop_ghosts(&self.model, &mut self.bodies, &mut self.history);
        self.domain.restore(cuts, &self.model, &self.bodies);
    }

    /// These are the warnings of the earlier part of the run. What has been looked into is not looked into again.
    pub fn restore_warnings(&mut self, warnings: Warnings) {
        self.diagnosis.cause = warnings.get(WarningKind::NotConverged).map(|warning| warning.message.clone());
        self.warnings = warnings;
    }

    /// The decomposition with the contacts of the last step.
    pub fn domain(&self) -> &Domain<X> {
        &self.domain
    }

    /// Subdomains move to processes at random from now on: a test that it does not matter.
    pub fn shuffle(&mut self, seed: u64) {
        self.domain.shuffle(seed);
    }

    /// What was found out about the first step that did not converge, if there was one.
    pub fn diagnosis(&self) -> Option<&str> {
        self.diagnosis.cause()
    }

    /// Frees memory that the next step allocates again: writing a checkpoint needs some.
    pub(crate) fn release_scratch(&mut self) {
        self.alerts = Vec::new();
        self.domain.let_go();
    }

    /// Length of a step, s.
    pub fn step_length(&self) -> f64 {
        self.plan.integrator.h
    }
}

/// The box reaches on for ever where space repeats itself.
fn without_ends<X: Dim>(mut bounds: Bounds<X>, model: &Model<X>) -> Bounds<X> {
    for k in (0..X::D).filter(|&k| model.cell.as_ref().is_some_and(|cell| cell.repeats[k])) {
        (bounds.min[k], bounds.max[k]) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    bounds
}

/// Has the centre of the body left the box?
fn is_outside<X: Dim>(state: &State<X>, bounds: &Bounds<X>) -> bool {
    (0..X::D).any(|k| state.position[k] < bounds.min[k] || state.position[k] > bounds.max[k])
}

/// Collective. One more than the greatest id.
fn next_id<X: Dim>(comm: &dyn Comm, bodies: &Bodies<X>) -> u64 {
    let own = bodies.states().iter().map(|state| state.id.0.saturating_add(1)).max().unwrap_or(0);
    let all = all_gather(comm, own.to_le_bytes().to_vec());
    all.iter().map(|bytes| Reader(bytes).u64()).max().unwrap_or(own)
}
