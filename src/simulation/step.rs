//! The time step on one page: predict, detect, assemble, solve, update.
//!
//! Moreau's scheme: contacts are found at mid-step from the predicted motion, all contact problems are solved together
//! for the velocities at the end of the step, and the states follow from these. `StepContext` holds what does not
//! change meanwhile.

use std::sync::Arc;

use rayon::prelude::*;

use super::energy::SolvedStep;
use super::observe::{DrivenBodies, Observer};
use super::timing::Phase;
use super::warnings::WarningKind;
use super::{Simulation, StepReport};
use crate::base::error::Result;
use crate::body::State;
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::{ContactTotals, StepContext, StepOutcome};
use crate::integrator::{EndVelocity, FreeMotion, Theta, update_nodes};
use crate::model::Model;
use crate::solver::{Certificate, StepEnergy};

impl<X: Dim> Simulation<X> {
    /// Performs one time step. After [`Error::Stopped`](crate::base::error::Error::Stopped) the state is that before
    /// the step; after any other error the states are those that caused it, at the start or the end of the step.
    pub fn step(&mut self) -> Result<StepReport> {
        self.step_with(&mut ())
    }

    /// Performs one time step with an observer. Longer than other functions, so that the phases of a step can be read
    /// in one place.
    pub fn step_with(&mut self, observer: &mut dyn Observer<X>) -> Result<StepReport> {
        let mut energy = self.update_population();
        let driven = self.drive(observer, &mut energy);
        let (loads, wrapped) = self.predict_and_detect(self.plan.integrator, driven);
        energy.transfers.cell += wrapped;
        if self.domain.is_stopped() {
            return Err(self.abandon());
        }
        if let Err(fault) = self.timed(Phase::Detect, Self::check_loaded_nodes) {
            self.abandon();
            return Err(fault);
        }
        observer.detected(self);

        let free = Arc::clone(&self.predicted.free);
        let Self {
            model,
            bodies,
            history,
            domain,
            timing,
            plan,
            diagnosis,
            clock,
            sums,
            predicted,
            holding_forces,
            ..
        } = self;
        let integrator = plan.integrator;
        let step = StepContext {
            model,
            bodies,
            free: &free,
            nodes: &predicted.nodes,
            loaded: &predicted.loaded,
            history,
            solver: &plan.solver,
            span: integrator.span(clock.time),
            h: integrator.h,
            theta: integrator.theta,
            step: clock.step,
            mean_impulse: sums.mean_impulse,
        };
        timing.phase(Phase::Assemble, || domain.assemble(&step));
        let mut certificate = timing.phase(Phase::Solve, || domain.solve(&step));
        if domain.is_stopped() {
            return Err(self.abandon());
        }
        observer.solved(domain, &certificate);
        timing.phase(Phase::Output, || diagnosis.examine(domain, &step, &certificate));
        if domain.is_stopped() {
            return Err(self.abandon());
        }
        timing.phase(Phase::Remember, || domain.read_end_velocities(&step));
        let mut outcome = timing.phase(Phase::Remember, || domain.outcome(&step, &mut certificate));
        let mut records = timing.phase(Phase::Remember, || domain.contact_history(&step));
        timing.phase(Phase::Separate, || domain.correct_overlaps(&step, &mut outcome));
        if domain.is_stopped() {
            domain.recycle(outcome, records);
            return Err(self.abandon());
        }
        timing.phase(Phase::Update, || domain.reduce_to_owner(&step, &mut outcome, &mut records));
        timing.phase(Phase::Update, || {
            let (end, times) = (domain.end_velocities(), [clock.step, clock.step + 1].map(|n| n as f64 * integrator.h));
            let solved = SolvedStep {
                model,
                bodies,
                free: &free,
                end,
                loads: &loads,
                outcome: &outcome,
                integrator,
                nodes: domain.end_nodes(),
                loaded: &predicted.loaded,
                times,
            };
            energy = energy.and(outcome.totals.flows).and(solved.flows(domain));
            *holding_forces = solved.holding_forces(domain);
            energy.unresolved = integrator.h * loads.gravity.norm() * outcome.totals.normal_impulse / 8.0;
            update_nodes(&integrator, bodies, domain.end_nodes());
            update(&integrator, model, bodies.states_mut(), (&free, end), &outcome);
            domain.update_ghosts(bodies, &mut records);
            domain.record_travel(bodies, model, integrator.h, outcome.moved.as_deref());
        });
        let totals = outcome.totals;
        self.domain.recycle(outcome, std::mem::replace(&mut self.history, records));
        let report = self.timed(Phase::Update, |own| own.finish(certificate, totals, &energy))?;
        observer.after(self, &report);
        Ok(report)
    }

    /// What the observer imposes; velocities that it sets are set, and their energy is counted.
    fn drive(&mut self, observer: &mut dyn Observer<X>, energy: &mut StepEnergy) -> DrivenBodies<X> {
        let mut drive = DrivenBodies::default();
        observer.before(self, &mut drive);
        let ((), gained) = self.timed(Phase::Predict, |own| {
            own.gained(drive.sets_velocities(), |own| {
                drive.apply(own.bodies.states_mut(), |state| !own.model.is_prescribed(state));
            })
        });
        energy.transfers.loads += gained;
        drive
    }

    /// The clock advances; report, warnings, errors and stop conditions of the step.
    fn finish(&mut self, certificate: Certificate, totals: ContactTotals, energy: &StepEnergy) -> Result<StepReport> {
        self.clock.step += 1;
        self.clock.time = self.clock.step as f64 * self.step_length();
        self.sums.mean_impulse = totals.mean_impulse();
        let (mut report, lost, fast) = self.report(certificate, totals, energy);
        self.warn_of_fast_bodies(fast);
        let (unfinished, now) = (self.domain.has_unfinished_impacts(), (self.clock.step, self.clock.time));
        self.warnings.add(WarningKind::UnfinishedImpacts, unfinished.into(), now, || {
            "too many contacts take part in an impact for the rule of solver.impacts; what still approached stopped without \
             rebound; use \"moreau\" for heaps"
                .into()
        });
        self.warnings.add_step(&report, self.diagnosis.cause());
        self.check(&certificate, lost)?;
        self.check_deformation()?;
        report.ends = self.evaluate(report.kinetic_energy, report.bodies);
        Ok(report)
    }
}

/// States at the end of the step.
fn update<X: Dim>(
    integrator: &Theta,
    model: &Model<X>,
    states: &mut [State<X>],
    (free, end): (&[FreeMotion<X>], &[EndVelocity<X>]),
    outcome: &StepOutcome<X>,
) {
    let moved = outcome.moved.as_deref();
    states.par_iter_mut().enumerate().with_min_len(1024).for_each(|(i, state)| {
        integrator.update(model, state, &free[i], &end[i]);
        if let Some((displacement, rotation)) = moved.map(|moved| moved[i]) {
            state.position += displacement;
            state.orientation = state.orientation.turned(rotation);
        }
        state.contacts = outcome.contacts[i];
    });
}
