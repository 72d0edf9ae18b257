//! The time step on one page: predict, detect, assemble, solve, update.
//!
//! A [`Simulation`] holds the model, the states of the bodies and the contact history. [`Simulation::step`] advances
//! them by one step of the Moreau-Jean theta scheme and returns a [`StepReport`].

pub(crate) mod active_contacts;

pub use active_contacts::ActiveContact;
pub mod timing;
pub mod warnings;

mod context;
mod diagnosis;
mod energy;
pub mod limits;
mod observe;
mod population;
mod report;
mod snapshot;
mod start;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use partitioning::Cuts;
use rayon::prelude::*;

use crate::base::error::{Error, Result};
use crate::body::{Bodies, BodyId, State};
use crate::comm::{Comm, Reader, SerialComm, all_gather, broadcast};
use crate::contactor::Bounds;
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::{self, Domain, GlobalProblem, ProblemUnavailable, StepOutcome};
use crate::integrator::{FreeMotion, Loads, Theta};
use crate::interaction;
use crate::interaction::ContactHistory;
use crate::interaction::alert::AlertDistances;
use crate::interaction::swept::{GreatestSpeeds, SweptPaths};
use crate::model::Model;
use crate::population::{Population, PopulationCounters};
use crate::simulation::timing::{Phase, Timing};
use crate::simulation::warnings::{WarningKind, Warnings};
use crate::solver::{self, Certificate};
use crate::solver::{EnergyBalance, StepEnergy};

use context::StepSettings;
use energy::SolvedStep;
pub use observe::{DrivenBodies, Observer};
use population::StepStart;
pub use report::StepReport;
pub use snapshot::{ExactSums, RebuiltContacts, Snapshot, SnapshotTime};

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

/// Buffers that one step releases and the next one reuses.
pub(crate) struct StepScratch<X: Dim> {
    pub(crate) alerts: Vec<f64>,
    pub(crate) contacts: Vec<u32>,
    history: ContactHistory<X>,
}

/// Predicted motion of the bodies at mid-step, without contact impulses.
struct Prediction<X: Dim> {
    free: Vec<FreeMotion<X>>,
    loads: Loads<X>,
    /// Energy gained by wrapping bodies back into the periodic cell, J.
    homing: f64,
}

impl<X: Dim> Default for StepScratch<X> {
    fn default() -> Self {
        Self { alerts: Vec::new(), contacts: Vec::new(), history: ContactHistory::default() }
    }
}

/// A simulation in progress.
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
    /// Wall time by phase.
    pub timing: Timing,
    pub(crate) plan: SimulationSettings,
    pub(crate) domain: Domain<X>,
    reach: AlertDistances,
    bounds: Option<Bounds<X>>,
    pub(crate) population: Population<X>,
    /// Buffers for the next step.
    pub(crate) scratch: StepScratch<X>,
    /// Steps whose contact problems are to be kept.
    asked: Vec<u64>,
    /// Diagnosis of the first step that did not converge; empty if diagnosis is disabled.
    doubt: Option<String>,
    /// State that an abandoned step restores, in addition to the bodies and the contact history in place.
    before: Option<StepStart<X>>,
    /// Contact problem of the last step, if requested.
    pub(crate) whole: Option<std::result::Result<Option<GlobalProblem<X>>, ProblemUnavailable>>,
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
            scratch: StepScratch::default(),
            asked: Vec::new(),
            doubt: None,
            before: None,
            whole: None,
        }
    }

    /// Keeps the contact problems of these steps for output.
    pub fn ask_for_problems(&mut self, steps: &[u64]) {
        self.asked = steps.to_vec();
    }

    /// Lets later steps end early with [`Error::Stopped`], without effect on the state, once `stop` is set; `None`
    /// disables this.
    pub fn heed(&mut self, stop: Option<Arc<AtomicBool>>) {
        self.domain.heed(stop);
    }

    /// Disables the diagnosis: steps that do not converge are only counted.
    pub fn record_diagnosis(&mut self) {
        self.doubt = Some(String::new());
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
        self.doubt = warnings.get(WarningKind::NotConverged).map(|warning| warning.message.clone());
        self.warnings = warnings;
    }

    /// Performs one time step. After [`Error::Stopped`] the state is that before the step; after any other error the
    /// states are those that caused it.
    pub fn step(&mut self) -> Result<StepReport> {
        self.step_with(&mut ())
    }

    /// Performs one time step with an observer.
    pub fn step_with(&mut self, observer: &mut dyn Observer<X>) -> Result<StepReport> {
        if self.clock.step == 0 {
            let [kinetic, potential] = self.energies();
            self.sums.energy = EnergyBalance::open(kinetic, potential);
        }
        let mut timing = self.timing;
        let mut flows = timing.phase(Phase::Rearrange, || self.turn_over());
        self.timing = timing;
        let mut drive = DrivenBodies::default();
        observer.before(self, &mut drive);
        let ((), thrown) = self.gained(drive.sets_velocities(), |own| {
            drive.apply(own.bodies.states_mut(), |state| !own.model.is_prescribed(state));
        });
        flows.loads += thrown;
        let Prediction { mut free, loads, homing } = self.meet(self.plan.integrator, drive.forces);
        if self.domain.is_stopped() {
            return Err(self.abandon(free));
        }
        flows.cell += homing;
        observer.detected(self);
        let Self { model, bodies, history, domain, timing, plan, scratch, .. } = self;
        let integrator = plan.integrator;
        let now = StepSettings { plan, integrator, clock: self.clock, mean_impulse: self.sums.mean_impulse };
        let context = now.context(model, bodies, &free, history);
        timing.phase(Phase::Assemble, || domain.assemble(&context));
        let is_asked = self.asked.contains(&(self.clock.step + 1));
        // Without law states the history has served its purpose, and the solve and later phases can use its memory. A
        // step that may be abandoned keeps it.
        if !model.has_memory() && !is_asked && !domain.heeds() {
            scratch.history = std::mem::take(history);
        }
        domain.take_scratch(&mut scratch.history);
        let context = now.context(model, bodies, &free, history);
        let mut certificate = timing.phase(Phase::Solve, || domain.solve(&context, &plan.solver));
        domain.return_scratch(&mut scratch.history);
        if domain.is_stopped() {
            return Err(self.abandon(free));
        }
        observer.solved(domain, &certificate);
        let is_doubtful = !certificate.converged && self.doubt.is_none();
        self.whole = None;
        if is_asked || is_doubtful {
            let whole = timing.phase(Phase::Output, || domain.whole(&context));
            if is_doubtful {
                let words = timing.phase(Phase::Output, || diagnosis::words(&whole, self.clock.step + 1));
                // Only process 0 holds the problem; the warning must be the same on all processes.
                let words = broadcast(&**domain.comm(), words.into_bytes());
                self.doubt = Some(String::from_utf8_lossy(&words).into_owned());
            }
            self.whole = is_asked.then_some(whole);
        }
        timing.phase(Phase::Remember, || domain.read_velocities(bodies, &mut free));
        let context = now.context(model, bodies, &free, history);
        let (mut outcome, mut remembered) = timing.phase(Phase::Remember, || {
            let outcome = domain.outcome(&context, &mut certificate, std::mem::take(&mut scratch.contacts));
            (outcome, domain.records(&context, std::mem::take(&mut scratch.history)))
        });
        timing.phase(Phase::Separate, || domain.separate(&context, &mut outcome, &plan.solver, integrator.theta));
        if domain.is_stopped() {
            scratch.history = remembered;
            return Err(self.abandon(free));
        }
        timing.phase(Phase::Update, || {
            domain.reduce_to_owner(bodies, &mut free, &mut outcome, &mut remembered);
            let times = [self.clock.step, self.clock.step + 1].map(|step| step as f64 * integrator.h);
            let solved = SolvedStep { model, bodies, free: &free, loads: &loads, outcome: &outcome, integrator, times };
            flows = flows.and(outcome.totals.flows).and(solved.flows(domain));
            flows.unresolved = integrator.h * loads.gravity.norm() * outcome.totals.normal_impulse / 8.0;
            update(&integrator, model, bodies.states_mut(), &free, &outcome);
            domain.update_ghosts(bodies, &mut remembered);
            domain.travelled(bodies, model, integrator.h, outcome.moved.as_deref());
        });
        self.domain.keep_motion(free);
        self.scratch.contacts = outcome.contacts;
        self.scratch.history = std::mem::replace(&mut self.history, remembered);
        self.clock.step += 1;
        self.clock.time = self.clock.step as f64 * integrator.h;
        self.sums.mean_impulse = outcome.totals.mean_impulse();
        let (mut report, lost, fast) = self.report(certificate, outcome.totals, &flows);
        self.warn_of_fast_bodies(fast);
        self.warnings.add_step(&report, self.doubt.as_deref().filter(|words| !words.is_empty()));
        self.check(&certificate, lost)?;
        report.ends = self.judge(report.kinetic_energy, report.bodies);
        observer.after(self, &report);
        Ok(report)
    }

    /// Predicts the free motion under the additional `forces` and detects the contacts at mid-step in every subdomain.
    fn meet(&mut self, integrator: Theta, forces: Vec<(BodyId, X::Vector)>) -> Prediction<X> {
        let Clock { step, time } = self.clock;
        let mut clock = self.timing;
        let ((), homing) = clock.phase(Phase::Rearrange, || {
            self.gained(self.model.cell.is_some() && Domain::<X>::wraps_in_step(step), |own| {
                own.domain.wrap_into_cell(&own.model, &mut own.bodies, step, time);
            })
        });
        self.timing = clock;
        let Self { model, bodies, history, domain, timing, reach, scratch, .. } = self;
        let span = integrator.span(time);
        timing.phase(Phase::Rearrange, || domain.rearrange(model, bodies, history, step));
        let loads = timing.phase(Phase::Predict, || {
            let when = integrator.load_time(time);
            let pressed = domain.pressed(model, bodies, reach.smallest, when);
            Loads::weight(model.gravity_at(when)).with([pressed, forces].concat())
        });
        let (mut free, mut alerts) = (domain.take_free(), std::mem::take(&mut scratch.alerts));
        timing.phase(Phase::Predict, || integrator.predict(model, bodies, time, &loads, &mut free));
        timing.phase(Phase::Detect, || {
            let speeds = GreatestSpeeds::find(&**domain.comm(), reach, model, bodies.states(), &free, &span);
            reach.alerts(model, bodies.states(), &free, &speeds, &mut alerts);
            if domain.comm().size() > 1 && (speeds.choose() || domain.is_stale(&alerts)) {
                let at = |state: &State<X>| {
                    let free = integrator.free(model, state, time, &loads);
                    let margin = reach.margin(reach.alert_of(model, state, &free, &speeds));
                    (free.placed(model, state, &span), margin + speeds.extra(reach, model, state, &free))
                };
                domain.migrate_and_ghost(model, bodies, history, at, span.middle);
                integrator.predict(model, bodies, time, &loads, &mut free);
                reach.alerts(model, bodies.states(), &free, &speeds, &mut alerts);
            }
            let (states, free, alerts) = (bodies.states(), &free[..], &alerts[..]);
            domain.detect(bodies, &SweptPaths { model, states, free, alerts, reach, speeds: &speeds, span: &span });
        });
        scratch.alerts = alerts;
        Prediction { free, loads, homing }
    }

    /// Checks that every body has a valid position and, if the scene requires it, that the step converged. `lost` says
    /// whether any body has not.
    fn check(&self, certificate: &Certificate, lost: bool) -> Result<()> {
        let Clock { step, time } = self.clock;
        if lost {
            let what = |state: &State<X>| match state.is_finite() {
                true => format!("left the world's bounds at position {:?}", state.position.as_slice()),
                false => "has a position or velocity that is not a number".into(),
            };
            let first = self.bodies.states().iter().filter(|s| self.is_lost(s)).map(|s| (s.id.0, what(s))).min();
            if let Some((body, what)) = self.domain.first_of_all(first) {
                return Err(Error::Failed { step, time, body, what });
            }
        }
        if self.plan.solver.required && !certificate.converged {
            let Certificate { residual, velocity_error, sweeps, .. } = *certificate;
            return Err(Error::NotConverged { step, time, residual, velocity_error, sweeps });
        }
        Ok(())
    }

    fn is_lost(&self, state: &State<X>) -> bool {
        let bounds = self.bounds.filter(|_| !self.population.removes_outside);
        !state.is_finite() || bounds.is_some_and(|bounds| is_outside(state, &bounds))
    }

    /// Collective. Books the energy of the step and returns its report, whether any body of any process is lost, and
    /// how many bodies rotate and move too far in a step.
    fn report(
        &mut self,
        certificate: Certificate,
        totals: domain::ContactTotals,
        flows: &StepEnergy,
    ) -> (StepReport, bool, [f64; 2]) {
        let gravity = self.model.gravity_at(self.clock.time);
        let sums = self.domain.sum_over_bodies(&self.bodies, |state| {
            let lost = f64::from(u8::from(self.is_lost(state)));
            let [turns, moves] = self.is_too_fast(state).map(|fast| f64::from(u8::from(fast)));
            if self.model.is_prescribed(state) {
                return [0.0, 0.0, 0.0, 0.0, lost, 1.0, turns, moves, 0.0];
            }
            let [px, py, pz] = (state.velocity * state.mass).in_space();
            let [kinetic, potential] = [self.model.kinetic_energy(state), self.model.potential_energy(state, gravity)];
            [kinetic, px, py, pz, lost, 1.0, turns, moves, potential]
        });
        self.sums.energy.book(flows, sums[0], sums[8]);
        let report = StepReport {
            step: self.clock.step,
            time: self.clock.time,
            kinetic_energy: sums[0],
            momentum: [sums[1], sums[2], sums[3]],
            certificate,
            totals,
            energy: self.sums.energy,
            bodies: sums[5] as u64,
            born: self.population.counters.births(),
            died: self.population.counters.deaths(),
            waiting: self.population.waiting(self.clock.time),
            ends: None,
        };
        (report, sums[4] > 0.0, [sums[6], sums[7]])
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
    pub fn doubt(&self) -> Option<&str> {
        self.doubt.as_deref().filter(|words| !words.is_empty())
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
    let all = all_gather(comm, own.to_le_bytes().to_vec());
    all.iter().map(|bytes| Reader(bytes).u64()).max().unwrap_or(own)
}

fn update<X: Dim>(
    integrator: &Theta,
    model: &Model<X>,
    states: &mut [State<X>],
    free: &[FreeMotion<X>],
    outcome: &StepOutcome<X>,
) {
    let moved = outcome.moved.as_deref();
    states.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, state)| {
        integrator.update(model, state, &free[i]);
        if let Some((way, turn)) = moved.map(|moved| moved[i]) {
            state.position += way;
            state.orientation = state.orientation.turned(turn);
        }
        state.contacts = outcome.contacts[i];
    });
}
