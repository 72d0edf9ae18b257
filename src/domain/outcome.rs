//! The outcome of a solved step: end-of-step velocities of the bodies, the contact history, and sums over the contacts.

use rayon::prelude::*;

use super::context::{EndOfStep, StepContext, point_velocity, smaller};
use super::subdomain::SWEEP_BUFFERS;
use super::totals::ContactTotals;
use super::{Domain, Subdomain};
use crate::base::ExactSum;
use crate::base::index::ContactIndex;
use crate::body::{Bodies, State, Tails};
use crate::comm::sum_exactly;
use crate::dim::{Dim, Orientation, Pair, Vector};
use crate::integrator::{Constraint, EndVelocity};
use crate::interaction::DetectedContact;
use crate::interaction::history::ContactRecord;
use crate::interaction::{ContactHistory, ContactSource, RecordFormat};
use crate::law::ContactOutcome;
use crate::law::LawState;
use crate::solver::StepEnergy;
use crate::solver::{Certificate, spin_as_vector};

/// Number of bodies that a thread sums at a time.
const BLOCK: usize = 4096;

/// Outcome of a solved step.
pub struct StepOutcome<X: Dim> {
    /// Number of contacts of each body.
    pub contacts: Vec<u32>,
    /// Sums over contacts.
    pub totals: ContactTotals,
    /// Displacement (m) and rotation (rad) of each body by the overlap correction, if one was made.
    pub moved: Option<Vec<(X::Vector, X::Spin)>>,
}

impl<X: Dim> Domain<X> {
    /// Reads the velocities at the end of the step: the solved ones of active bodies, the predicted ones of all others.
    pub fn read_end_velocities(&mut self, context: &StepContext<X>) {
        let mut end = std::mem::take(&mut self.motion.end);
        end.clear();
        end.extend(context.free.iter().map(|free| EndVelocity { velocity: free.velocity, spin: free.spin }));
        self.read_active(&mut end, |end, body, row| {
            *end = EndVelocity { velocity: row.velocity, spin: row.spin * (1.0 / context.bodies.states()[body].size) };
        });
        self.motion.end = end;
        self.read_nodes(context);
    }

    /// After the solve: the impulses on the loaded nodes of active bodies, and the node velocities that follow from
    /// them.
    fn read_nodes(&mut self, context: &StepContext<X>) {
        self.motion.end_nodes.clone_from(&context.nodes.velocities);
        if context.loaded.is_empty() {
            self.motion.node_impulses = Tails::default();
            return;
        }
        let lengths = (0..context.free.len()).map(|body| context.loaded.of(body).len());
        let mut impulses = Tails::filled(lengths, X::Vector::zero());
        self.read_impulses(impulses.all_mut(), context.free.len());
        impulses.lists_mut().into_par_iter().for_each(|(body, list)| {
            let axes = &context.free[body].orientation;
            list.iter_mut().for_each(|impulse| *impulse = axes.unrotate(*impulse));
        });
        self.motion.node_impulses = impulses;
        self.motion.move_loaded_nodes(context);
    }

    /// Velocities of the nodes of deformable bodies at the end of the step, in body axes.
    pub fn end_nodes(&self) -> &Tails<X::Vector> {
        &self.motion.end_nodes
    }

    /// Impulses on the loaded nodes of deformable bodies, in body axes.
    pub fn node_impulses(&self) -> &Tails<X::Vector> {
        &self.motion.node_impulses
    }

    /// Velocities at the end of the step, body by body.
    pub fn end_velocities(&self) -> &[EndVelocity<X>] {
        &self.motion.end
    }

    /// Collective. Counts and sums over the solved contacts. Reduces the worst contact of the certificate over all
    /// processes.
    pub fn outcome(&mut self, context: &StepContext<X>, certificate: &mut Certificate) -> StepOutcome<X> {
        let mut contacts = std::mem::take(&mut self.buffers.contact_counts);
        contacts.clear();
        contacts.resize(context.free.len(), 0);
        // Obstacles are replicated on every process and active on none; their contacts are not counted.
        for (body, count) in self.subdomains.iter().flat_map(|subdomain| subdomain.active.contact_counts()) {
            contacts[body.index()] += count;
        }
        let end = EndOfStep { context, velocities: &self.motion.end, nodes: &self.motion.end_nodes };
        self.subdomains.par_iter_mut().for_each(|subdomain| subdomain.sums.totals = subdomain.sum_over_contacts(&end));
        let parts = self.subdomains.iter().map(|subdomain| &subdomain.sums.totals);
        let totals = ContactTotals::reduce(parts, &mut certificate.worst, &*self.comm, &mut self.solve_state.check);
        StepOutcome { contacts, totals, moved: None }
    }

    /// Collective. Exact sums over all bodies of all processes, independent of their order.
    pub fn sum_over_bodies<const N: usize>(
        &self,
        bodies: &Bodies<X>,
        f: impl Fn(&State<X>) -> [f64; N] + Sync,
    ) -> [f64; N] {
        self.sum_over_indexed(bodies, |_, state| f(state))
    }

    /// Collective. The same, for a function that also takes the index of the body.
    pub fn sum_over_indexed<const N: usize>(
        &self,
        bodies: &Bodies<X>,
        f: impl Fn(usize, &State<X>) -> [f64; N] + Sync,
    ) -> [f64; N] {
        let none = || -> [ExactSum; N] { std::array::from_fn(|_| ExactSum::default()) };
        let part = |(block, states): (usize, &[State<X>])| {
            let mut sums = none();
            for (i, state) in (block * BLOCK..).zip(states).filter(|(i, _)| self.ownership.counts(*i)) {
                sums.iter_mut().zip(f(i, state)).for_each(|(sum, term)| sum.add(term));
            }
            sums
        };
        let merged = |mut sums: [ExactSum; N], part: [ExactSum; N]| {
            sums.iter_mut().zip(&part).for_each(|(sum, part)| sum.merge(part));
            sums
        };
        // The sums are exact, so the order of the reduction does not matter.
        let sums = bodies.states().par_chunks(BLOCK).enumerate().map(part).reduce(none, merged);
        sum_exactly(&*self.comm, sums)
    }

    /// Does this process own a body? An obstacle belongs to all.
    pub fn owns(&self, body: usize) -> bool {
        self.ownership.is_own(body)
    }

    /// Collective. Sum of the absolute normal impulses in the contact history of all processes, N s.
    pub fn sum_recorded_impulses(&self, bodies: &Bodies<X>, history: &ContactHistory<X>) -> f64 {
        let mut sum = ExactSum::default();
        for i in self.counted_indices(bodies) {
            history.of(i).for_each(|record| sum.add(record.normal.abs()));
        }
        sum_exactly(&*self.comm, [sum])[0]
    }

    /// Builds the contact history of the step: the impulses for the next warm start and the states of the laws, each
    /// stored under the body that looks it up.
    pub fn contact_history(&mut self, context: &StepContext<X>) -> ContactHistory<X> {
        let mut history = std::mem::take(&mut self.buffers.history_buffer);
        let Self { subdomains, buffers, motion, .. } = self;
        let end = EndOfStep { context, velocities: &motion.end, nodes: &motion.end_nodes };
        subdomains.par_iter_mut().for_each(|subdomain| subdomain.find_recorded(&end));
        let has_more = |s: &Subdomain<X>| s.contacts.have_names() || !s.assembled.problem.rolling.is_empty();
        let complete = context.model.has_memory() || subdomains.iter().any(has_more);
        let form =
            RecordFormat { bodies: context.bodies.len(), blocks: SWEEP_BUFFERS * subdomains.len().max(1), complete };
        history.gather(
            form,
            subdomains,
            |subdomain, k| subdomain.record_after(ContactIndex::new(k), &end),
            &mut buffers.sorting,
        );
        history
    }

    /// Keeps the buffers of the outcome and of the previous contact history for the next step.
    pub fn recycle(&mut self, outcome: StepOutcome<X>, history: ContactHistory<X>) {
        (self.buffers.contact_counts, self.buffers.history_buffer) = (outcome.contacts, history);
    }
}

impl<X: Dim> ContactSource for Subdomain<X> {
    fn contacts(&self) -> usize {
        self.contacts.len()
    }

    fn kept(&self) -> impl Iterator<Item = (usize, u32)> {
        self.recorded.iter().map(|k| (k.index(), self.keeper(self.contacts.ends(k)).0))
    }
}

impl<X: Dim> Subdomain<X> {
    /// Sums over the contacts of this subdomain.
    fn sum_over_contacts(&self, end: &EndOfStep<X>) -> ContactTotals {
        let context = end.context;
        let mut totals = ContactTotals {
            contacts: self.contacts.len() as u64,
            painleve: self.assembled.problem.painleve as u64,
            ambiguous: self.contacts.ambiguous,
            ..ContactTotals::default()
        };
        for k in self.contacts.indices() {
            let contact = &self.contact_in(k, context);
            let bodies = [self.body(contact.a), self.body(contact.b)];
            let states = bodies.both(|i| context.state(i));
            if contact.gap < 0.0 && contact.link().is_none() {
                let depth = -contact.gap / smaller(context.model, states);
                totals.max_penetration = totals.max_penetration.max(depth);
                totals.deepest = totals.deepest.max(-contact.gap);
                totals.penetration += depth;
            }
            let impulse = self.impulse(k);
            if impulse != X::Vector::zero() {
                let arms = context.arms(contact, bodies);
                // The work of an impulse is its product with the mean of the velocities before and after it.
                let twice_mean = [0, 1].both(|side| {
                    let EndVelocity { velocity, spin } = *end.velocity(bodies[side]);
                    point_velocity::<X>(states[side].velocity + velocity, states[side].spin + spin, arms[side])
                });
                let drift = context.drift(contact);
                let nodes = self.contacts.nodes_at(contact);
                let elastic = context.node_velocity_before(nodes, bodies) + end.node_velocity(nodes, bodies);
                let twice_relative = twice_mean[1] - twice_mean[0] + elastic + drift * 2.0;
                let normal = impulse.dot(&contact.normal);
                let absorbed = -0.5 * impulse.dot(&twice_relative);
                let flows = &mut totals.flows;
                if contact.link().is_none() {
                    totals.normal_impulse += normal;
                    totals.carrying += 1;
                    let by_friction = -0.5 * (impulse - contact.normal * normal).dot(&twice_relative);
                    flows.dissipation.friction += by_friction;
                    flows.dissipation.normal += absorbed - by_friction;
                } else {
                    flows.dissipation.links += absorbed;
                }
                flows.transfers.cell -= impulse.dot(&drift);
                for (side, sign) in [(0, 0.5), (1, -0.5)] {
                    if context.motion(bodies[side]).hold != Constraint::Nothing {
                        flows.transfers.driven += sign * impulse.dot(&twice_mean[side]);
                    }
                }
                self.add_rolling(k, end, flows);
            }
            if context.model.is_elastic() {
                self.add_stored(contact, end, impulse, &mut totals.flows);
            }
        }
        totals
    }

    /// Adds the work of the rolling resistance of contact number `k`.
    fn add_rolling(&self, k: ContactIndex, end: &EndOfStep<X>, flows: &mut StepEnergy) {
        let impulse = self.rolling(k);
        if impulse == X::Vector::zero() {
            return;
        }
        let context = end.context;
        let bodies = self.contacts.ends(k).both(|local| self.body(local));
        let states = bodies.both(|i| context.state(i));
        let half = 0.5 * smaller(context.model, states);
        let work =
            |side: usize| half * impulse.dot(&spin_as_vector::<X>(states[side].spin + end.velocity(bodies[side]).spin));
        let [first, second] = [0, 1].both(work);
        match self.contacts.is_link(k) {
            true => flows.dissipation.links += first - second,
            false => flows.dissipation.rolling += first - second,
        }
        for (body, work) in [(bodies[0], first), (bodies[1], -second)] {
            if context.motion(body).hold != Constraint::Nothing {
                flows.transfers.driven += work;
            }
        }
    }

    /// Moves the energy that an elastic law of the contact has stored from the dissipated to the stored energy.
    fn add_stored(
        &self,
        contact: &DetectedContact<X>,
        solved: &EndOfStep<X>,
        impulse: X::Vector,
        flows: &mut StepEnergy,
    ) {
        let context = solved.context;
        let Some(law) = self.law(contact, context).filter(|law| law.is_elastic()) else { return };
        let local = self.local(contact, context);
        let after: ContactOutcome<X> = ContactOutcome { impulse, velocity: self.velocity_after(contact, solved) };
        let end_gap = local.gap + (context.h - context.span.first) * after.velocity.dot(&local.normal);
        let [normal, tangential] = law.stored(&local, &after, end_gap, context.h);
        flows.transfers.stored += normal + tangential;
        match contact.link() {
            Some(_) => flows.dissipation.links -= normal + tangential,
            None => {
                flows.dissipation.normal -= normal;
                flows.dissipation.friction -= tangential;
            }
        }
    }

    /// Relative velocity at the contact at the end of the step.
    fn velocity_after(&self, contact: &DetectedContact<X>, end: &EndOfStep<X>) -> X::Vector {
        let bodies = [self.body(contact.a), self.body(contact.b)];
        end.relative_velocity(contact, bodies, self.contacts.nodes_at(contact))
    }

    /// State of the contact's law at the end of the step.
    fn law_state_after(&self, contact: &DetectedContact<X>, end: &EndOfStep<X>, impulse: X::Vector) -> LawState<X> {
        let context = end.context;
        self.law(contact, context).filter(|law| law.has_memory()).map_or(LawState::zero(), |law| {
            let local = self.local(contact, context);
            let after = ContactOutcome { impulse, velocity: self.velocity_after(contact, end) };
            law.remember(&local, &after, context.h)
        })
    }

    /// Finds the contacts that are recorded: those with an impulse or a law state.
    fn find_recorded(&mut self, end: &EndOfStep<X>) {
        let mut recorded = std::mem::take(&mut self.recorded);
        recorded.find(self.contacts.len(), |k| {
            let impulse = self.impulse(k);
            impulse != X::Vector::zero() || !self.memory_after(k, end, impulse).is_zero()
        });
        self.recorded = recorded;
    }

    /// Record of contact number `k` at the end of the step.
    fn record_after(&self, k: ContactIndex, end: &EndOfStep<X>) -> ContactRecord<X> {
        let (contact, impulse) = (&self.contact_in(k, end.context), self.impulse(k));
        let memory = self.memory_after(k, end, impulse);
        let normal = impulse.dot(&contact.normal);
        ContactRecord { id: self.id(contact, end.context), normal, tangent: impulse - contact.normal * normal, memory }
    }

    /// Law state of contact number `k` at the end of the step.
    fn memory_after(&self, k: ContactIndex, end: &EndOfStep<X>, impulse: X::Vector) -> LawState<X> {
        let rolling = self.rolling(k);
        match end.context.model.has_memory() {
            // Laws with rolling resistance have no other state: it serves as the warm start of the next step.
            _ if rolling != X::Vector::zero() => LawState { stretch: rolling, ..LawState::zero() },
            true => self.law_state_after(&self.contact_in(k, end.context), end, impulse),
            false => LawState::zero(),
        }
    }
}
