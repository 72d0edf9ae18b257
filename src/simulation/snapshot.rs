//! Snapshot of a moment for measures: bodies, and the contacts of the last step or, in a restored run, rebuilt
//! contacts.

use std::sync::Arc;

use rayon::prelude::*;

use super::Simulation;
use super::active_contacts::ActiveContact;
use crate::base::ExactSum;
use crate::body::{Bodies, Node, State, Tails};
use crate::comm::{Comm, sum_all_exactly};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::domain::{Domain, StepContext};
use crate::integrator::Theta;
use crate::model::Model;
use crate::solver::{ContactOrder, EnergyBalance, SolverSettings};

/// Number of contacts or bodies that a thread sums at a time.
const BLOCK: usize = 1 << 14;

/// Step, time and energy of a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SnapshotTime {
    /// Steps made.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Length of a step, s: an impulse over it is a force.
    pub h: f64,
    /// The energy balance.
    pub energy: EnergyBalance,
}

/// State and active contacts at one moment; each process has its own part.
pub struct Snapshot<'a, X: Dim> {
    /// The domain decomposition.
    pub domain: &'a Domain<X>,
    /// The model, constant during the run.
    pub model: &'a Model<X>,
    /// Step, time and energy.
    pub now: SnapshotTime,
    /// All bodies of this process, ghosts included.
    pub all: &'a Bodies<X>,
    /// The bodies that this process counts: each body is counted by one process.
    pub bodies: Vec<&'a State<X>>,
    /// The grains among the counted bodies.
    pub grains: Vec<&'a State<X>>,
    /// The deformable bodies among the counted bodies.
    pub deformables: Vec<DeformedBody<'a, X>>,
    /// Contacts and links of this process that carry an impulse.
    pub active_contacts: Vec<ActiveContact<X>>,
    /// Bounding box of all grains of all processes; along periodic axes, the cell. An empty box has no volume.
    pub sample: Bounds<X>,
}

/// A deformable body.
#[derive(Clone, Copy, Debug)]
pub struct DeformedBody<'a, X: Dim> {
    /// Its rigid motion.
    pub state: &'a State<X>,
    /// Its nodes.
    pub nodes: &'a [Node<X>],
    /// Forces that held its nodes in the last step, in body axes, N; empty if it has no held nodes or made no step.
    pub holding_forces: &'a [X::Vector],
}

impl<'a, X: Dim> Snapshot<'a, X> {
    /// Collective. The bodies at the end of a step, with the contacts that `domain` solved in it and the forces that
    /// held nodes.
    pub fn new(
        domain: &'a Domain<X>,
        model: &'a Model<X>,
        all: &'a Bodies<X>,
        holding_forces: &'a Tails<X::Vector>,
        now: SnapshotTime,
    ) -> Self {
        let active_contacts = domain.active_contacts(model, all, now.time);
        let bodies: Vec<_> = domain.counted(all).collect();
        let grains: Vec<_> = bodies.iter().copied().filter(|state| model.is_grain(state)).collect();
        let sample = sample(domain, model, &grains, now.time);
        let deformed = |i: usize| DeformedBody {
            state: &all.states()[i],
            nodes: all.nodes().of(i),
            holding_forces: holding_forces.of(i),
        };
        let is_deformable = |body: &DeformedBody<'a, X>| model.deformable(body.state).is_some();
        let deformables = match model.has_deformables() {
            true => domain.counted_indices(all).map(deformed).filter(is_deformable).collect(),
            false => Vec::new(),
        };
        Self { domain, model, now, all, bodies, grains, deformables, active_contacts, sample }
    }

    /// The communicator.
    pub fn comm(&self) -> &dyn Comm {
        &**self.domain.comm()
    }

    /// Collective. `count` exact sums over all contacts of all processes; `terms` adds those of one contact.
    pub fn sum_over_contacts(
        &self,
        count: usize,
        terms: impl Fn(&ActiveContact<X>, &mut ExactSums) + Sync,
    ) -> Vec<f64> {
        sum_over(self.comm(), &self.active_contacts, count, terms)
    }

    /// Collective. `count` exact sums over all grains of all processes.
    pub fn sum_over_grains(&self, count: usize, terms: impl Fn(&State<X>, &mut ExactSums) + Sync) -> Vec<f64> {
        sum_over(self.comm(), &self.grains, count, |grain, sums| terms(grain, sums))
    }

    /// Collective. `count` exact sums over all deformable bodies of all processes.
    pub fn sum_over_deformables(
        &self,
        count: usize,
        terms: impl Fn(&DeformedBody<X>, &mut ExactSums) + Sync,
    ) -> Vec<f64> {
        sum_over(self.comm(), &self.deformables, count, terms)
    }

    /// Collective. `count` exact sums over all bodies of all processes.
    pub fn sum_over_all_bodies(&self, count: usize, terms: impl Fn(&State<X>, &mut ExactSums) + Sync) -> Vec<f64> {
        sum_over(self.comm(), &self.bodies, count, |body, sums| terms(body, sums))
    }

    /// Force on the second body of a contact, N.
    pub fn force(&self, contact: &ActiveContact<X>) -> X::Vector {
        contact.impulse * (1.0 / self.now.h)
    }
}

/// Exact sums under construction.
pub struct ExactSums(Vec<ExactSum>);

impl ExactSums {
    /// Adds a term to sum `k`.
    pub fn add(&mut self, k: usize, term: f64) {
        self.0[k].add(term);
    }

    /// Adds one term to each of the sums from `k` on.
    pub fn add_all(&mut self, k: usize, terms: &[f64]) {
        terms.iter().enumerate().for_each(|(i, &term)| self.add(k + i, term));
    }

    /// Adds the components of the tensor a (x) b, row by row, to the sums from `k` on.
    pub fn add_product<V: Vector>(&mut self, k: usize, a: &V, b: &V) {
        for i in 0..V::N {
            (0..V::N).for_each(|j| self.add(k + i * V::N + j, a[i] * b[j]));
        }
    }
}

fn sum_over<T: Sync>(
    comm: &dyn Comm,
    items: &[T],
    count: usize,
    terms: impl Fn(&T, &mut ExactSums) + Sync,
) -> Vec<f64> {
    let none = || ExactSums(vec![ExactSum::default(); count]);
    let part = |items: &[T]| {
        let mut sums = none();
        items.iter().for_each(|item| terms(item, &mut sums));
        sums
    };
    let merge = |mut all: ExactSums, part: ExactSums| {
        all.0.iter_mut().zip(&part.0).for_each(|(all, part)| all.merge(part));
        all
    };
    // Exact sums do not depend on which thread adds what.
    let sums = items.par_chunks(BLOCK).map(part).reduce(none, merge);
    sum_all_exactly(comm, &sums.0)
}

fn sample<X: Dim>(domain: &Domain<X>, model: &Model<X>, grains: &[&State<X>], time: f64) -> Bounds<X> {
    let bounds = grains.iter().map(|grain| model.placed(&model.at_home(grain, time)).bounds());
    let Bounds { mut min, mut max } = bounds.collect::<Bounds<X>>().of_all(&**domain.comm());
    for k in 0..X::D {
        if let Some(cell) = model.cell.as_ref().filter(|cell| cell.repeats[k]) {
            (min[k], max[k]) = (cell.bounds.min[k], cell.bounds.max[k]);
        } else if min[k] > max[k] {
            (min[k], max[k]) = (0.0, 0.0);
        }
    }
    Bounds { min, max }
}

/// Normal impulses of a restored run, and the part of them that was assigned to rebuilt contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RebuiltContacts {
    /// Sum of the normal impulses in the contact history, N s.
    pub remembered: f64,
    /// Sum of the normal impulses assigned to contacts, N s.
    pub found: f64,
}

impl<X: Dim> Simulation<X> {
    /// Collective. Snapshot of the end of the last step.
    pub fn view(&self) -> Snapshot<'_, X> {
        let now = SnapshotTime {
            step: self.clock.step,
            time: self.clock.time,
            h: self.step_length(),
            energy: self.sums.energy,
        };
        Snapshot::new(&self.domain, &self.model, &self.bodies, &self.holding_forces, now)
    }

    /// Collective. After [`restore`](Self::restore): detects contacts at the present positions and assigns them the
    /// impulses in the history of their ids, rotated into the present tangent planes. Nothing moves; the run cannot
    /// continue from here.
    pub fn rebuild_contacts(&mut self) -> RebuiltContacts {
        // With theta = 1 a step detects contacts in its initial configuration.
        let integrator = Theta { theta: 1.0, ..self.plan.integrator };
        self.predict_and_detect(integrator, super::DrivenBodies::default());
        let free = Arc::clone(&self.predicted.free);
        let (nodes, loaded) = (&std::mem::take(&mut self.predicted.nodes), &std::mem::take(&mut self.predicted.loaded));
        let Self { model, bodies, history, domain, plan, clock, sums, .. } = self;
        // Every record counts, in whatever order its contact comes.
        let order = match plan.solver.order {
            ContactOrder::Random => ContactOrder::default(),
            order => order,
        };
        let solver = &SolverSettings { warm_start: true, order, ..plan.solver.clone() };
        let Theta { h, theta, .. } = integrator;
        let (span, step, mean_impulse) = (integrator.span(clock.time), clock.step, sums.mean_impulse);
        domain.assemble(&StepContext {
            model,
            bodies,
            free: &free,
            nodes,
            loaded,
            history,
            solver,
            span,
            h,
            theta,
            step,
            mean_impulse,
        });
        self.rebuilt_contacts()
    }

    fn rebuilt_contacts(&self) -> RebuiltContacts {
        let snapshot = self.view();
        let found = snapshot.sum_over_contacts(1, |contact, sums| sums.add(0, contact.normal_impulse().abs()))[0];
        let remembered = self.domain.sum_recorded_impulses(&self.bodies, &self.history);
        RebuiltContacts { remembered, found }
    }
}
