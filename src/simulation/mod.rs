//! The simulation: model, states of the bodies, contact history and domain decomposition.
//!
//! [`Simulation::step`] advances it by one step of the Moreau-Jean theta scheme and returns a [`StepReport`]; `step.rs`
//! shows the step on one page.

pub(crate) mod active_contacts;

pub use active_contacts::ActiveContact;
pub mod timing;
pub mod warnings;

mod coupling;
mod deformation;
mod diagnosis;
mod end_of_step;
mod energy;
pub mod limits;
mod observe;
mod population;
mod predict;
mod report;
mod snapshot;
mod start;
mod step;
mod step_start;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use partitioning::Cuts;

use crate::body::{Bodies, State, Tails};
use crate::comm::{Comm, SerialComm, all_gather_items};
use crate::contactor::Bounds;
use crate::dim::Dim;
use crate::domain::{self, Domain};
use crate::integrator::{FreeMotion, FreeNodes, Theta};
use crate::interaction;
use crate::interaction::ContactHistory;
use crate::interaction::alert::AlertDistances;
use crate::model::Model;
use crate::population::{Population, PopulationCounters};
use crate::simulation::timing::{Phase, Timing};
use crate::simulation::warnings::{WarningKind, Warnings};
use crate::solver::{self, EnergyBalance};

pub use coupling::SavedState;
use diagnosis::Diagnosis;
pub use observe::{DrivenBodies, Observer};
pub use report::StepReport;
pub use snapshot::{DeformedBody, ExactSums, RebuiltContacts, Snapshot, SnapshotTime};
use step_start::StepStart;

/// Position of the simulation in time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Steps made.
    pub step: u64,
    /// Simulated time, s: the number of steps times their length, so that it never drifts.
    pub time: f64,
}

/// Quantities accumulated or carried over from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunSums {
    /// The energy balance.
    pub energy: EnergyBalance,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub mean_impulse: f64,
}

/// Settings of a simulation: everything in a scene except the bodies.
#[derive(Clone, Debug)]
pub struct SimulationSettings {
    /// Time integration.
    pub integrator: Theta,
    /// Domain decomposition.
    pub domain: domain::DomainSettings,
    /// Contact solver.
    pub solver: solver::SolverSettings,
    /// Contact detection.
    pub detection: interaction::DetectionSettings,
}

/// A simulation in progress.
///
/// A single type, because a step reads and changes all of it. Its methods are grouped by file, one for each phase of
/// the step.
pub struct Simulation<X: Dim> {
    /// Model: constant during the run.
    pub model: Model<X>,
    /// States of the bodies.
    pub bodies: Bodies<X>,
    /// Contact history: impulses of the last step.
    pub history: ContactHistory<X>,
    /// Current step and time.
    pub clock: Clock,
    /// Quantities carried over from step to step.
    pub sums: RunSums,
    /// Warnings issued so far.
    pub warnings: Warnings,
    /// Wall time by phase, and the time in which this process waited for others.
    pub timing: Timing,
    pub(crate) plan: SimulationSettings,
    pub(crate) domain: Domain<X>,
    distances: AlertDistances,
    bounds: Option<Bounds<X>>,
    pub(crate) population: Population<X>,
    predicted: PredictedMotion<X>,
    /// Forces that hold nodes of deformable bodies in the last step, node by node in body axes, N.
    holding_forces: Tails<X::Vector>,
    /// State that an abandoned step restores, in addition to the bodies and the contact history in place.
    before: Option<StepStart<X>>,
    pub(crate) diagnosis: Diagnosis<X>,
}

/// The motion without contact impulses in the last step.
struct PredictedMotion<X: Dim> {
    /// Of the bodies; shared with the domain.
    free: Arc<Vec<FreeMotion<X>>>,
    /// Of the nodes of deformable bodies.
    nodes: FreeNodes<X>,
    /// Nodes of deformable bodies that carry a contact.
    loaded: Tails<u32>,
    /// Alert distances of the bodies, m.
    alerts: Vec<f64>,
}

impl<X: Dim> Simulation<X> {
    /// Creates a simulation ready for its first step, on this process alone.
    pub fn new(model: Model<X>, bodies: Bodies<X>, bounds: Option<Bounds<X>>, plan: SimulationSettings) -> Self {
        Self::on(Arc::new(SerialComm), model, bodies, bounds, plan)
    }

    /// Creates a simulation ready for its first step, on the processes of `comm`. Each process passes its own share of
    /// the free bodies and all obstacles.
    pub fn on(
        comm: Arc<dyn Comm>,
        model: Model<X>,
        mut bodies: Bodies<X>,
        bounds: Option<Bounds<X>>,
        mut plan: SimulationSettings,
    ) -> Self {
        plan.domain.subdomains = plan.domain.subdomains.under(plan.solver.method);
        plan.solver = plan.solver.decided(model.laws.are_cones() && model.links.is_empty());
        let free = bodies.states().iter().filter(|s| !model.is_prescribed(s));
        let mut spheres = [free.map(|s| model.shape(s).cost()).sum::<u64>()];
        comm.sum(&mut spheres);
        let mut smallest = [model.smallest(bodies.states())];
        comm.min(&mut smallest);
        let distances = AlertDistances::new(&plan.detection, smallest[0], model.laws.range(), plan.integrator.h);
        let bounds = bounds.map(|bounds| without_ends(bounds, &model));
        let (next_id, timing) = (next_id(&*comm, &bodies), Timing::new(&*comm));
        let mut domain = Domain::new(comm, &plan.domain, spheres[0]);
        let mut history = ContactHistory::default();
        domain.drop_ghosts(&model, &mut bodies, &mut history);
        Self {
            model,
            bodies,
            history,
            clock: Clock::default(),
            sums: RunSums::default(),
            warnings: Warnings::default(),
            timing,
            plan,
            domain,
            distances,
            bounds,
            population: Population {
                counters: PopulationCounters {
                    next_id,
                    spheres: spheres[0],
                    smallest: smallest[0],
                    ..PopulationCounters::default()
                },
                ..Population::default()
            },
            predicted: PredictedMotion {
                free: Arc::default(),
                nodes: FreeNodes::default(),
                loaded: Tails::default(),
                alerts: Vec::new(),
            },
            holding_forces: Tails::default(),
            before: None,
            diagnosis: Diagnosis::default(),
        }
    }

    /// Keeps the contact problems of these steps for output.
    pub fn request_problems(&mut self, steps: &[u64]) {
        self.diagnosis.requested = steps.to_vec();
    }

    /// Lets later steps end early with [`Error::Stopped`](crate::base::error::Error::Stopped), without effect on the
    /// state, once `stop` is set; `None` disables this.
    pub fn set_stop_flag(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.domain.set_stop_flag(stop);
    }

    /// The nodes of deformable bodies that carried a contact in the last step, in the order of the bodies.
    pub fn loaded_nodes(&self) -> &Tails<u32> {
        &self.predicted.loaded
    }

    /// Disables the diagnosis: steps that do not converge are only counted.
    pub fn skip_diagnosis(&mut self) {
        self.diagnosis.cause = Some(String::new());
    }

    /// Continues an earlier run: sets its clock, sums, counters, contact history and cuts.
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
        // The caller has already placed bodies and contact history; ownership follows from them.
        self.domain.drop_ghosts(&self.model, &mut self.bodies, &mut self.history);
        self.domain.restore(cuts, &self.model, &self.bodies);
    }

    /// Sets the warnings of the earlier part of the run. A diagnosis already made is not repeated.
    pub fn restore_warnings(&mut self, warnings: Warnings) {
        self.diagnosis.cause = warnings.get(WarningKind::NotConverged).map(|warning| warning.message.clone());
        self.warnings = warnings;
    }

    /// The domain decomposition, with the contacts of the last step.
    pub fn domain(&self) -> &Domain<X> {
        &self.domain
    }

    /// Moves subdomains between processes at random from now on; tests use it to show that placement has no effect.
    pub fn shuffle(&mut self, seed: u64) {
        self.domain.shuffle(seed);
    }

    /// Diagnosis of the first step that did not converge, if any.
    pub fn diagnosis(&self) -> Option<&str> {
        self.diagnosis.cause()
    }

    /// Frees memory that the next step allocates again: writing a checkpoint needs some.
    pub(crate) fn release_scratch(&mut self) {
        self.predicted.alerts = Vec::new();
        self.domain.free_buffers();
    }

    /// Performs `work`, which needs the whole simulation, and adds its wall time to `phase`; not to be
    /// nested.
    pub(crate) fn timed<T>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> T) -> T {
        let mut timing = std::mem::take(&mut self.timing);
        let result = timing.phase(phase, || work(self));
        self.timing = timing;
        result
    }

    /// Length of a step, s.
    pub fn step_length(&self) -> f64 {
        self.plan.integrator.h
    }
}

/// Makes the bounds infinite along periodic axes.
fn without_ends<X: Dim>(mut bounds: Bounds<X>, model: &Model<X>) -> Bounds<X> {
    for k in (0..X::D).filter(|&k| model.cell.as_ref().is_some_and(|cell| cell.repeats[k])) {
        (bounds.min[k], bounds.max[k]) = (f64::NEG_INFINITY, f64::INFINITY);
    }
    bounds
}

/// True if the centre of the body is outside the bounds.
fn is_outside<X: Dim>(state: &State<X>, bounds: &Bounds<X>) -> bool {
    (0..X::D).any(|k| state.position[k] < bounds.min[k] || state.position[k] > bounds.max[k])
}

/// Collective. One more than the greatest body id.
fn next_id<X: Dim>(comm: &dyn Comm, bodies: &Bodies<X>) -> u64 {
    let own = bodies.states().iter().map(|state| state.id.0.saturating_add(1)).max().unwrap_or(0);
    all_gather_items(comm, [own]).into_iter().max().unwrap_or(own)
}
