//! Population update between two steps (removals and births), and stop conditions after a step.
//!
//! All decisions follow from the states and from order-independent sums over all processes, so they are the same on
//! every process. A body in a sink at the end of a step is still in its checkpoint and frame; it is removed before the
//! next step.

use super::Simulation;
use super::step_start::StepStart;
use super::timing::Phase;
use crate::base::error::Error;
use crate::body::State;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::interaction::alert::AlertDistances;
use crate::population::{FreeSpace, Population, PopulationCounters, StopCriterion, StopQuantities};
use crate::solver::{EnergyBalance, StepEnergy};

/// Fraction of a step within which two times count as equal, because times are rounded.
const TIME_TOLERANCE: f64 = 1e-6;

impl<X: Dim> Simulation<X> {
    /// Collective. Sets the rules by which bodies are born and removed.
    pub fn with(mut self, population: Population<X>) -> Self {
        let next_id = self.population.counters.next_id;
        let spheres = self.population.counters.spheres + population.spheres_of_feeds();
        let smallest = self.population.counters.smallest.min(population.smallest());
        self.population = population;
        let starts: Vec<f64> =
            (0..self.population.stops.len()).map(|k| self.stop_coordinate(k).unwrap_or(0.0)).collect();
        let counters = &mut self.population.counters;
        (counters.next_id, counters.spheres, counters.starts) = (next_id, spheres, starts);
        self.set_smallest(smallest);
        self.create_domain();
        self
    }

    /// Creates the decomposition for the bodies at the start and those of feeds.
    fn create_domain(&mut self) {
        let comm = std::sync::Arc::clone(self.domain.comm());
        self.domain = Domain::new(comm, &self.plan.domain, self.population.counters.spheres);
        self.domain.drop_ghosts(&self.model, &mut self.bodies, &mut self.history);
    }

    /// Restores the counters of an earlier run and the quantities that depend on the bodies at its start.
    pub(crate) fn restore_counters(&mut self, counters: PopulationCounters) {
        self.population.restore(counters);
        self.set_smallest(self.population.counters.smallest);
        let comm = std::sync::Arc::clone(self.domain.comm());
        self.domain = Domain::new(comm, &self.plan.domain, self.population.counters.spheres);
    }

    /// Sets the length of the smallest body, on which the detection distances depend.
    fn set_smallest(&mut self, smallest: f64) {
        let Self { plan, model, .. } = self;
        self.distances = AlertDistances::new(&plan.detection, smallest, model.laws.range(), plan.integrator.h);
        self.population.counters.smallest = smallest;
    }

    /// Collective. Coordinate or distance that stop condition `k` refers to; `None` if it names no body, or a removed
    /// one.
    fn stop_coordinate(&self, k: usize) -> Option<f64> {
        let (bodies, axis) = match self.population.stops[k].condition {
            StopCriterion::Moved { body, axis, .. } => (vec![(body, 1.0)], axis),
            StopCriterion::Strained { between: [a, b], axis, .. } => (vec![(a, -1.0), (b, 1.0)], axis),
            _ => return None,
        };
        let of = |state: &State<X>| {
            let sign = bodies.iter().find(|(body, _)| state.id.0 == *body).map_or(0.0, |(_, sign)| *sign);
            [f64::abs(sign), sign * state.position[axis]]
        };
        let [found, coordinate] = self.domain.sum_over_bodies(&self.bodies, of);
        (found == bodies.len() as f64).then_some(coordinate)
    }

    /// Collective. Removes bodies that are due for removal and spawns those that are due where space is free; returns
    /// their energies.
    pub(crate) fn update_population(&mut self) -> StepEnergy {
        self.timed(Phase::Rearrange, |own| {
            if own.clock.step == 0 {
                let [kinetic, potential] = own.energies();
                own.sums.energy = EnergyBalance::at_start(kinetic, potential);
            }
            own.replace_bodies()
        })
    }

    fn replace_bodies(&mut self) -> StepEnergy {
        let time = self.clock.time + TIME_TOLERANCE * self.plan.integrator.h;
        self.before = None;
        let counters = self.domain.can_stop().then(|| self.population.counters.clone());
        let dead = self.deaths(time);
        let born = self.births(time, &dead);
        let is_changed = !dead.is_empty() || !born.is_empty();
        if let Some(counters) = counters {
            let Self { model, bodies, history, domain, .. } = &*self;
            let bodies = is_changed.then(|| domain.save_bodies(model, bodies, history));
            self.before = Some(StepStart { counters, bodies });
        }
        let mut flows = StepEnergy::default();
        if !dead.is_empty() {
            let [kinetic, potential] = self.energies_of(|state| dead.binary_search(&state.id.0).is_ok());
            flows.transfers.removed = kinetic + potential;
        }
        let gravity = self.model.gravity_at(self.clock.time);
        let energy = |state| self.model.kinetic_energy(state) + self.model.potential_energy(state, gravity);
        // `born` is the same on all processes.
        flows.transfers.fed = born.iter().map(energy).sum();
        if is_changed {
            let Self { model, bodies, history, domain, .. } = self;
            domain.replace_bodies(model, bodies, history, &dead, &born);
        }
        flows
    }

    /// Abandons the step on request: restores the state before it.
    pub(crate) fn abandon(&mut self) -> Error {
        let Self { bodies, history, domain, population, .. } = self;
        if let Some(StepStart { counters, bodies: before }) = self.before.take() {
            population.counters = counters;
            before.into_iter().for_each(|before| domain.restore_bodies(before, bodies, history));
        }
        domain.discard_candidates();
        Error::Stopped
    }

    /// Ids of the bodies to remove, in increasing order; updates the counters.
    fn deaths(&mut self, time: f64) -> Vec<u64> {
        let Self { population, domain, bodies, model, .. } = self;
        if !population.can_remove(time) {
            return Vec::new();
        }
        // Before the first step no body has moved, so no energy threshold is met.
        let energy = match population.removals_due(time).any(|(_, removal)| removal.below.is_some()) {
            true if self.clock.step > 0 => domain.sum_over_bodies(bodies, |state| [model.kinetic_energy(state)])[0],
            _ => f64::INFINITY,
        };
        let reason = |state: &State<X>| {
            let is_outside = self.bounds.is_some_and(|bounds| super::is_outside(state, &bounds));
            let home = model.at_home(state, self.clock.time);
            population.removal_reason(&home, model.is_prescribed(state), is_outside, time, energy)
        };
        let reasons = domain.removal_reasons(bodies, reason);
        reasons.iter().for_each(|&(_, reason)| population.count(reason));
        reasons.into_iter().map(|(id, _)| id).collect()
    }

    /// Bodies to spawn, also where the `dead` leave space; updates the counters.
    fn births(&mut self, time: f64, dead: &[u64]) -> Vec<State<X>> {
        let now = self.clock.time;
        let Self { population, domain, bodies, model, .. } = self;
        if population.waiting(time) == 0 {
            return Vec::new();
        }
        let active = population.feeds.iter().zip(&population.counters.born);
        let regions: Vec<_> =
            active.filter(|(feed, born)| feed.due(time) > **born).map(|(feed, _)| feed.region).collect();
        let near = domain.find_all(bodies, |state| {
            let mut is_near = false;
            model.images(&model.placed(state), 0.0, now, |_, image| {
                let bounds = image.bounds();
                is_near |= regions.iter().any(|region| region.meets(&bounds));
            });
            is_near && dead.binary_search(&state.id.0).is_err()
        });
        let mut space = FreeSpace::new(model, &near, now);
        population.spawn(time, self.clock.step, &mut space)
    }

    /// Collective. After a step: the description of the first stop condition that ends the run.
    pub(crate) fn evaluate(&mut self, kinetic_energy: f64, bodies: u64) -> Option<String> {
        let mut end = None;
        for k in 0..self.population.stops.len() {
            let start = self.population.counters.starts[k];
            let moved =
                self.stop_coordinate(k).map(|coordinate| self.population.stops[k].condition.moved(coordinate, start));
            let quantities = StopQuantities { time: self.clock.time, kinetic_energy, bodies, moved };
            let Population { stops, counters, .. } = &mut self.population;
            let description = stops[k].evaluate(&quantities, &mut counters.held[k]);
            end = end.or(description.map(str::to_owned));
        }
        end
    }

    /// Description of the stop condition that had ended the resumed run, if any.
    pub(crate) fn end_reached(&self) -> Option<String> {
        let Population { stops, counters, .. } = &self.population;
        stops.iter().zip(&counters.held).find_map(|(stop, &held)| stop.ends(held)).map(str::to_owned)
    }
}
