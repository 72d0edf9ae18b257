//! Assembly: from the contacts of a subdomain to its contact problem.
//!
//! In: the contacts, the predicted motion, the contact history and the laws. Out: the problem with lever arms, reduced
//! laws, warm-start impulses, and the inverse masses of the split copies scaled by their factors.

use std::sync::Arc;

use rayon::prelude::*;

use super::assembled_problem::ContactSlot;
use super::context::{StepContext, point_velocity, smaller};
use super::interface_copies::CopiedBody;
use super::scratch::ThreadScratch;
use super::sharing::SharingContext;
use super::shuffle::shuffled;
use super::{Domain, Subdomain, baumgarte};
use crate::base::index::{BodyIndex, ContactIndex, FreeRow, LocalBody, ProblemBody};
use crate::base::trim;
use crate::body::State;
use crate::dim::{Dim, Pair, Square, Vector};
use crate::integrator::{Constraint, FreeMotion};
use crate::interaction::DetectedContact;
use crate::interaction::history::{ContactId, ContactRecord};
use crate::law::LawState;
use crate::law::{ContactLaw, Local, Reduced};
use crate::model::{Link, Model};
use crate::solver::{BodyVelocity, ContactOrder, DeformableBody, Mass, Resistance, Velocity, WORLD, spin_as_vector};

impl<X: Dim> Domain<X> {
    /// Collective. Builds the interface and the problem of every subdomain from its contacts.
    pub fn assemble(&mut self, context: &StepContext<X>) {
        let states = context.bodies.states();
        let is_obstacle = |body: BodyIndex| context.motion(body).is_held();
        let nodes = |body: BodyIndex| context.node_rows(body);
        self.subdomains.par_iter_mut().for_each(|s| s.number_active_bodies(is_obstacle, nodes));
        let copied = |row: FreeRow| CopiedBody {
            mass: states[row.index()].mass,
            is_ball: is_round(context.model, &states[row.index()], &context.free[row.index()]),
        };
        let setting = SharingContext {
            comm: &*self.comm,
            ownership: &self.ownership,
            colours: &self.decomposition.colours,
            count: states.len(),
            nodes: &nodes,
            rows: states.len() + context.loaded.all().len(),
            copied: &copied,
            ids: &|body: BodyIndex| states[body.index()].id.0,
            scheme: self.settings.interface,
            method: context.solver.method,
        };
        let rows = self.interface.build(&mut self.subdomains, &setting);
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            subdomain.restore_frames(context);
            subdomain.assembled.problem.clear();
        });
        self.resolve_impacts(context);
        self.arrange_rows(rows, context);
        let Self { store, subdomains, buffers, .. } = self;
        let pool = &buffers.scratch;
        store.each(subdomains, |subdomain| pool.lend(|scratch| subdomain.assemble(context, scratch)));
    }
}

impl<X: Dim> Subdomain<X> {
    /// Fills the empty problem, which has access to its rows.
    fn assemble(&mut self, context: &StepContext<X>, scratch: &mut ThreadScratch<X>) {
        self.assembled.problem.order = context.solver.listed_order();
        let packs = context.solver.listed_order() != ContactOrder::Curve;
        if packs {
            self.assembled.problem.round.clear_into(std::mem::take(&mut scratch.rounds));
        }
        let mut deformables = self.active.deformables.iter().peekable();
        for (index, row, factor) in self.copies.weighted(&self.active) {
            let Velocity { velocity, spin } = context.free_velocity(row);
            let Some(body) = context.body(row) else {
                self.assembled.problem.add_ball(velocity, spin, 0.0, 0.0);
                continue;
            };
            let (state, free) = (context.state(body), context.motion(body));
            if let Some(&[_, first]) = deformables.next_if(|[own, _]| *own == index) {
                self.assembled.problem.deformables.extend(deformable(context, body, first, factor));
            }
            match is_round(context.model, state, free) {
                true => self.assembled.problem.add_ball(velocity, spin, state.mass, 1.0 / state.mass * factor),
                false => self.assembled.problem.add_body(velocity, spin, mass_of(context, state, free).lighter(factor)),
            };
        }
        let count = self.contacts.len();
        self.assembled.slots.raw.clear();
        match context.shuffle_key() {
            None => self.contacts.indices().for_each(|k| {
                let slot = self.add(k, context);
                self.assembled.put(k, slot);
            }),
            Some([seed, step]) => {
                self.assembled.slots.refill(count, ContactSlot::Idle);
                let order = shuffled(count, [seed, step, u64::from(self.number.0)]);
                order.into_iter().map(ContactIndex).for_each(|k| self.assembled.slots[k] = self.add(k, context));
            }
        }
        // Every contact is a round contact of the problem, from which normals and points can be reconstructed; not so
        // for periodic images, which are not where their bodies are.
        if self.assembled.slots.is_empty() && context.model.cell.is_none() {
            self.assembled.problem.take_scratch(self.contacts.forget_frames());
        }
        if packs {
            std::mem::swap(&mut self.assembled.problem.claimed, &mut scratch.claimed);
            scratch.rounds = self.assembled.problem.pack();
            std::mem::swap(&mut self.assembled.problem.claimed, &mut scratch.claimed);
        }
        self.assembled.problem.trim();
        trim(&mut self.assembled.slots.raw);
    }

    /// Adds contact number `k` to the problem.
    fn add(&mut self, k: ContactIndex, context: &StepContext<X>) -> ContactSlot {
        let contact = &self.contact_in(k, context);
        let bodies = [self.body(contact.a), self.body(contact.b)];
        let states = bodies.both(|i| context.state(i));
        let free = bodies.both(|i| context.motion(i));
        let ends = contact.ends().both(|local| self.active.index(local));
        let arms = context.arms(contact, bodies);
        let n = contact.normal;

        let record = self.record(contact, context);
        let impulse = guess(contact, context, record.as_ref());
        let Some(rule) = self.law(contact, context) else { return ContactSlot::Idle };
        let mut law = match rule.reduce_gap(n, contact.gap, context.h) {
            Some(rigid) => rigid.reduced(),
            None => match rule.reduce(&self.local(contact, context), context.h) {
                Some(law) => law,
                None => return ContactSlot::Idle,
            },
        };
        if let Some(velocity) = self.rebound(contact, context) {
            law.shift -= n * (law.shift.dot(&n) + velocity);
        }
        let nodes = self.contacts.nodes_at(contact);
        if nodes.is_some() && !self.can_move(contact, context, bodies) {
            return ContactSlot::Idle;
        }
        law.shift +=
            context.node_velocity(nodes, bodies, |body, node| context.nodes.velocities.of(body.index())[node as usize]);
        let bias = match nodes {
            Some(_) => deformable_bias(contact, context),
            None => baumgarte::baumgarte_bias(contact, states, context),
        };
        if bias > 0.0 && !rule.is_soft() {
            law.shift -= n * bias;
        }
        law.shift += context.drift(contact);
        // Obstacles belong to the world at rest; their velocity at the contact point becomes a shift of the law.
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if ends[side] == WORLD {
                law.shift += point_velocity::<X>(free[side].velocity, free[side].spin, arms[side]) * sign;
            }
        }
        let is_round = |side: usize| ends[side] == WORLD || is_round(context.model, states[side], free[side]);
        let arm = (law.is_cone() && is_round(0) && is_round(1)).then(|| common_arm::<X>(n, arms, ends, states));
        if let Some(arm) = arm.flatten() {
            self.assembled.problem.add_round(ends, n, arm, &law, impulse);
            ContactSlot::Round(self.assembled.problem.round.len() as u32 - 1)
        } else {
            let end = |side: usize| Some((self.active.deformable(ends[side])?, &nodes?[side]));
            let nodes = [0, 1].both(|side| end(side).filter(|(_, nodes)| !nodes.is_empty()));
            let arms = [0, 1].both(|side| arms[side] * (1.0 / states[side].size));
            self.assembled.problem.add_between(ends, nodes, n, arms, law, impulse, context.solver.local);
            if law.rolling > 0.0 {
                let resistance = resistance(&law, smaller(context.model, states), ends, states, free);
                let guess =
                    record.filter(|_| context.solver.warm_start).map_or(X::Vector::zero(), |r| r.memory.stretch);
                self.assembled.problem.add_rolling(Resistance { impulse: guess, ..resistance });
            }
            ContactSlot::General(self.assembled.problem.general.len() as u32 - 1)
        }
    }

    /// Does an impulse along the normal move one of these bodies of a contact? Not so between held nodes and obstacles.
    fn can_move(&self, contact: &DetectedContact<X>, context: &StepContext<X>, bodies: [BodyIndex; 2]) -> bool {
        self.normal_answer(contact, context, bodies) > 0.0
    }

    /// Change of the relative normal velocity at a contact by a unit impulse along the normal, 1/kg.
    fn normal_answer(&self, contact: &DetectedContact<X>, context: &StepContext<X>, bodies: [BodyIndex; 2]) -> f64 {
        let (n, arms, nodes) = (contact.normal, context.arms(contact, bodies), self.contacts.nodes_at(contact));
        let rigid = |side: usize| {
            let (state, free) = (context.state(bodies[side]), context.motion(bodies[side]));
            inverse_effective_mass(context, state, free, arms[side], n)
        };
        // Two points of one body have the same rigid motion.
        let rigid: f64 = if bodies[0] == bodies[1] { 0.0 } else { (0..2).map(rigid).sum() };
        rigid + context.elastic_answer(nodes, bodies, n)
    }

    /// Law of the contact: that of its link, or that of the pair of materials. Every pair that can come into contact
    /// has a law; this is checked when the scene is read.
    pub(super) fn law<'a>(
        &self,
        contact: &DetectedContact<X>,
        context: &StepContext<'a, X>,
    ) -> Option<&'a dyn ContactLaw<X>> {
        if let Some(link) = contact.link() {
            return Some(context.model.links.all()[link].law.law());
        }
        let materials = contact.ends().both(|local| context.state(self.body(local)).material);
        context.model.laws.between(materials[0], materials[1])
    }

    /// Local quantities of the contact, as its law sees them.
    pub(super) fn local(&self, contact: &DetectedContact<X>, context: &StepContext<X>) -> Local<X> {
        let bodies = [self.body(contact.a), self.body(contact.b)];
        let states = bodies.both(|i| context.state(i));
        let free = bodies.both(|i| context.motion(i));
        let arms = context.arms(contact, bodies);
        let n = contact.normal;
        let nodes = self.contacts.nodes_at(contact);
        let rigid = context.relative(contact, arms, states.both(|state| (state.velocity, state.spin)));
        let before = rigid + context.node_velocity_before(nodes, bodies);
        let none = (X::Vector::zero(), X::Vector::zero());
        let (apart, bend) = contact.link().map_or(none, |link| {
            let link = &context.model.links.all()[link];
            stretch(link, n, states, free, context)
        });
        Local {
            normal: n,
            gap: contact.gap,
            apart,
            bend,
            start_gap: contact.gap - context.span.first * before.dot(&n),
            before,
            sizes: states.both(|state| context.model.length(state)),
            w_normal: self.normal_answer(contact, context, bodies),
            memory: self.memory(contact, context),
            area: self.contacts.area(contact),
            is_first: context.step == 0,
            mean_impulse: context.mean_impulse,
        }
    }

    /// Record of the contact in the contact history.
    pub(super) fn record(&self, contact: &DetectedContact<X>, context: &StepContext<X>) -> Option<ContactRecord<X>> {
        context.history.find(self.keeper(contact.ends()).0, self.id(contact, context))
    }

    /// State of the contact's law, rotated into the present tangent plane.
    fn memory(&self, contact: &DetectedContact<X>, context: &StepContext<X>) -> LawState<X> {
        match context.model.has_memory() {
            true => {
                let (keeper, id) = (self.keeper(contact.ends()).0, self.id(contact, context));
                let present = || self.contacts.features_between(contact.ends());
                context.history.memory(keeper, id, present).turned(contact.normal)
            }
            false => LawState::zero(),
        }
    }

    /// The body under which the records of a contact of these local bodies are stored: the first, unless it is an
    /// obstacle.
    pub(super) fn keeper(&self, [a, b]: [LocalBody; 2]) -> BodyIndex {
        self.body(if self.active.index(a) == WORLD { b } else { a })
    }

    /// Persistent identifier of the contact.
    pub(super) fn id(&self, contact: &DetectedContact<X>, context: &StepContext<X>) -> ContactId {
        let [a, b] = contact.ends().both(|local| context.state(self.body(local)).id);
        ContactId { a, b, feature: contact.feature }
    }
}

/// Vector from the first anchor of a link to the second, and the rate by which it grows until the next mid-step in
/// excess of the relative velocity: a rotating point leaves its tangent by h^2/2 omega x (omega x arm), and a rotating
/// link of length d grows by sqrt(d^2 + (h u_t)^2) - d.
fn stretch<X: Dim>(
    link: &Link<X>,
    n: X::Vector,
    states: [&State<X>; 2],
    free: [&FreeMotion<X>; 2],
    context: &StepContext<X>,
) -> (X::Vector, X::Vector) {
    let h = context.h;
    let points = [0, 1].both(|side| link.anchor(side, free[side].position, free[side].orientation));
    let arms = [0, 1].both(|side| points[side] - free[side].position);
    let apart = points[1] - points[0];
    let inward = |side: usize| X::cross(states[side].spin, X::cross(states[side].spin, arms[side]));
    let turning = (inward(1) - inward(0)) * (0.5 * h);
    if link.length == 0.0 {
        return (apart, turning);
    }
    let velocity = |side: usize| point_velocity::<X>(states[side].velocity, states[side].spin, arms[side]);
    let u = velocity(1) - velocity(0);
    let (d, across) = (apart.norm(), h * (u - n * u.dot(&n)).norm());
    (apart, turning + n * ((d.hypot(across) - d) / h))
}

/// Demanded separation velocity of the bodies of a contact of which one is deformable: a share of the overlap over the
/// step, so that overlaps of unconverged steps do not stay as stresses, m/s.
fn deformable_bias<X: Dim>(contact: &DetectedContact<X>, context: &StepContext<X>) -> f64 {
    context.solver.deformable_overlaps * (-contact.gap).max(0.0) / context.h
}

/// Rolling resistance of a contact whose smaller body has this length. Obstacles belong to the world at rest; their
/// spin becomes a shift.
fn resistance<X: Dim>(
    law: &Reduced<X>,
    length: f64,
    ends: [ProblemBody; 2],
    states: [&State<X>; 2],
    free: [&FreeMotion<X>; 2],
) -> Resistance<X> {
    let of_world = |side: usize| ends[side] == WORLD;
    let ratios = [0, 1].both(|side| if of_world(side) { 0.0 } else { length / states[side].size });
    let mut shift = X::Vector::zero();
    for (side, sign) in [(0, -1.0), (1, 1.0)].into_iter().filter(|(side, _)| of_world(*side)) {
        shift += spin_as_vector::<X>(free[side].spin) * (sign * length);
    }
    Resistance { coefficient: law.rolling, ratios, shift, impulse: X::Vector::zero() }
}

/// Distance of the contact point from the centres of the spheres over their radii, if it is the same for both.
fn common_arm<X: Dim>(
    n: X::Vector,
    arms: [X::Vector; 2],
    ends: [ProblemBody; 2],
    states: [&State<X>; 2],
) -> Option<f64> {
    // From the centre of the first sphere along the normal, from that of the second against it.
    let along = [n.dot(&arms[0]), -n.dot(&arms[1])];
    let of_balls = |numbers: [f64; 2]| -> f64 { (0..2).filter(|&k| ends[k] != WORLD).map(|k| numbers[k]).sum() };
    let sizes = [states[0].size, states[1].size];
    let arm = of_balls(along) / of_balls(sizes);
    // Tolerance for rounded positions; a contact point moved to where the bodies first met fails this test.
    let is_common = |k: usize| ends[k] == WORLD || (along[k] - arm * sizes[k]).abs() <= 1e-7 * sizes[k];
    (is_common(0) && is_common(1)).then_some(arm)
}

/// Initial impulse of the sweeps: the warm start, or zero.
pub(super) fn guess<X: Dim>(
    contact: &DetectedContact<X>,
    context: &StepContext<X>,
    record: Option<&ContactRecord<X>>,
) -> X::Vector {
    let record = record.filter(|_| context.solver.warm_start);
    record.map_or(X::Vector::zero(), |record| record.impulse(contact.normal))
}

/// Inverse effective mass of a body along `n` at the end of `arm`, 1/kg.
fn inverse_effective_mass<X: Dim>(
    context: &StepContext<X>,
    state: &State<X>,
    free: &FreeMotion<X>,
    arm: X::Vector,
    n: X::Vector,
) -> f64 {
    let torque = X::torque(arm, n);
    match free.hold {
        Constraint::All => 0.0,
        // The inertia of a sphere is isotropic, whatever its orientation.
        Constraint::Nothing if context.model.shape(state).is_ball() => {
            1.0 / state.mass + torque.norm2() / context.model.moments(state)[0]
        }
        Constraint::Nothing | Constraint::Some => {
            let inverse = free.inverse(context.model, state);
            inverse.velocity(n).dot(&n) + inverse.spin(torque).dot(&torque)
        }
    }
}

/// Is the body a rigid sphere (disk) with no prescribed degree of freedom?
fn is_round<X: Dim>(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>) -> bool {
    model.shape(state).is_ball() && free.hold == Constraint::Nothing && model.deformable(state).is_none()
}

/// A deformable body of the problem whose loaded nodes have the problem indices from `first` on.
fn deformable<X: Dim>(
    context: &StepContext<X>,
    body: BodyIndex,
    first: ProblemBody,
    factor: f64,
) -> Option<DeformableBody<X>> {
    let state = context.state(body);
    let operator = Arc::clone(context.model.deformable(state)?);
    let nodes = context.loaded.of(body.index()).to_vec();
    let rows = first.0..first.0 + nodes.len() as u32;
    let orientation = context.motion(body).orientation;
    Some(DeformableBody { rows, nodes, operator, orientation, factor })
}

/// Velocity row of a body that is not split, with its full mass.
pub(super) fn unsplit_row<X: Dim>(context: &StepContext<X>, row: FreeRow) -> BodyVelocity<X> {
    let Velocity { velocity, spin } = context.free_velocity(row);
    let inverse_mass = context
        .body(row)
        .map_or(0.0, |body| mass_of(context, context.state(body), context.motion(body)).inverse_mass[0]);
    BodyVelocity::new(velocity, inverse_mass, spin)
}

/// Mass and inertia in the scaled spins of the problem.
pub(super) fn mass_of<X: Dim>(context: &StepContext<X>, state: &State<X>, free: &FreeMotion<X>) -> Mass<X> {
    if is_round(context.model, state, free) {
        return Mass::ball(state.mass);
    }
    let inverse = free.inverse(context.model, state);
    let size2 = state.size * state.size;
    let moments = context.model.moments(state) * (1.0 / size2);
    Mass {
        inverse_mass: inverse.mass,
        inverse_inertia: inverse.inertia.scaled(size2),
        mass: state.mass,
        inertia: X::world_tensor(&free.orientation, moments),
    }
}
