//! Energy balance of a step: the terms that depend on bodies and on changes between steps. Contacts contribute theirs
//! in [`ContactTotals`](crate::domain::ContactTotals).
//!
//! With the mean velocity v = (V + V')/2 of a body over the step, a load F does the work h F.v. The work of gravity is
//! the change of potential energy, which depends on positions: q' - q = h ((1 - theta) V + theta V') + d, where d is
//! the overlap correction. For theta other than 1/2 the scheme therefore adds -h m g.(V' - V)(theta - 1/2). The
//! correction adds -m g.d and the change of rotational energy of a spinning body that it rotates. The gyroscopic term
//! rotates the spin w to w~ and conserves its energy; torques of the same step act on w~ instead of w, which adds
//! (w + w').J (w~ - w)/2. A drive that prescribes part of the motion of a body does the remaining work.

use super::Simulation;
use crate::body::{Bodies, ElasticFlows, Node, State, Tails};
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::{Domain, StepOutcome};
use crate::integrator::{Constraint, EndVelocity, FreeMotion, Loads, StepLoads, Theta};
use crate::model::{Model, Motion};
use crate::solver::{Dissipation, EnergyTransfers, StepEnergy};

/// A solved step before the update of the states.
pub(crate) struct SolvedStep<'a, X: Dim> {
    pub(crate) model: &'a Model<X>,
    pub(crate) bodies: &'a Bodies<X>,
    pub(crate) free: &'a [FreeMotion<X>],
    pub(crate) end: &'a [EndVelocity<X>],
    pub(crate) loads: &'a Loads<X>,
    pub(crate) outcome: &'a StepOutcome<X>,
    pub(crate) integrator: Theta,
    /// Node velocities of deformable bodies at the end of the step, in body axes.
    pub(crate) nodes: &'a Tails<X::Vector>,
    /// Their nodes that carry a contact.
    pub(crate) loaded: &'a Tails<u32>,
    /// Start and end of the step, s.
    pub(crate) times: [f64; 2],
}

impl<X: Dim> SolvedStep<'_, X> {
    /// Collective. Energy flows that depend on bodies.
    pub(crate) fn flows(&self, domain: &Domain<X>) -> StepEnergy {
        let elastic = self.elastic_flows(domain);
        if self.is_plain() {
            return elastic;
        }
        let gravity = self.times.map(|t| self.model.gravity_at(t));
        let [driven, loads, correction, scheme] =
            domain.sum_over_indexed(self.bodies, |i, state| self.of_body(i, state, gravity));
        let transfers = EnergyTransfers { driven, loads, correction, scheme, ..EnergyTransfers::default() };
        elastic.and(StepEnergy { transfers, ..StepEnergy::default() })
    }

    /// Collective. Energy flows of the nodes of deformable bodies: strain, damping, and work of loads.
    fn elastic_flows(&self, domain: &Domain<X>) -> StepEnergy {
        if !self.model.has_deformables() {
            return StepEnergy::default();
        }
        let [stored, material, scheme, loads, driven] =
            domain.sum_over_indexed(self.bodies, |i, state| self.of_nodes(i, state, domain));
        let transfers = EnergyTransfers { stored, scheme, loads, driven, ..EnergyTransfers::default() };
        StepEnergy { dissipation: Dissipation { material, ..Dissipation::default() }, transfers, unresolved: 0.0 }
    }

    /// Strain energy stored in a body, energy damped, work of centrifugal forces, which the rigid motion does not do,
    /// and work of loads and of the forces that hold nodes.
    fn of_nodes(&self, i: usize, state: &State<X>, domain: &Domain<X>) -> [f64; 5] {
        let Some(operator) = self.model.deformable(state) else { return [0.0; 5] };
        let before = self.bodies.nodes().of(i);
        let NodalStep { after, loads, impulses } = self.nodal_step(i, state, domain);
        let ElasticFlows { stored, damped } = operator.flows(before, &after);
        let work = operator.work(before, &after, &loads.view(), &impulses);
        [stored, damped, work.centrifugal, work.loads, work.held]
    }

    fn nodal_step(&self, i: usize, state: &State<X>, domain: &Domain<X>) -> NodalStep<X> {
        let Theta { h, theta, .. } = self.integrator;
        let moved = |(node, velocity): (&Node<X>, &X::Vector)| Node {
            displacement: node.displacement + (node.velocity * (1.0 - theta) + *velocity * theta) * h,
            velocity: *velocity,
        };
        let before = self.bodies.nodes().of(i);
        let impulses = self.loaded.of(i).iter().copied().zip(domain.node_impulses().of(i).iter().copied());
        NodalStep {
            after: before.iter().zip(self.nodes.of(i)).map(moved).collect(),
            loads: StepLoads::new(&self.integrator, self.model, (state, before), self.times[0], self.loads.gravity),
            impulses: impulses.collect(),
        }
    }

    /// Forces that hold the nodes of each body that this process owns, node by node in body axes, N; none for bodies
    /// without held nodes.
    pub(crate) fn holding_forces(&self, domain: &Domain<X>) -> Tails<X::Vector> {
        let holds = |motion: &Motion| motion.holds_nodes();
        if !self.model.motions.iter().any(holds) {
            return Tails::default();
        }
        let of = |(i, state): (usize, &State<X>)| {
            let is_held = domain.owns(i) && self.model.motion(state).is_some_and(holds);
            let Some(operator) = self.model.deformable(state).filter(|_| is_held) else { return Vec::new() };
            let NodalStep { after, loads, impulses } = self.nodal_step(i, state, domain);
            operator.holding_forces(self.bodies.nodes().of(i), &after, &loads.view(), &impulses)
        };
        let all: Vec<Vec<X::Vector>> = self.bodies.states().iter().enumerate().map(of).collect();
        Tails::from_lists(all.iter().map(Vec::as_slice))
    }

    /// True if all these flows vanish: theta = 1/2, spheres only, no load but constant gravity, no overlap correction,
    /// no partly prescribed motion.
    fn is_plain(&self) -> bool {
        let is_driven = |motion: &Motion| !motion.is_prescribed(X::D + X::R);
        self.integrator.theta == 0.5
            && self.outcome.moved.is_none()
            && self.loads.are_weight()
            && self.model.tilt.is_none()
            && self.model.is_round()
            && !self.model.motions.iter().any(is_driven)
    }

    /// Flows of one body: driven work, work of loads, work of the overlap correction, contribution of the scheme.
    fn of_body(&self, i: usize, state: &State<X>, [gravity, end_gravity]: [X::Vector; 2]) -> [f64; 4] {
        let (model, free, end, Theta { h, theta, .. }) = (self.model, &self.free[i], &self.end[i], self.integrator);
        if free.hold == Constraint::All {
            return [0.0; 4];
        }
        let mass = model.weighing(state);
        let (mean, velocity_change) = ((state.velocity + end.velocity) * 0.5, end.velocity - state.velocity);
        let mean_spin = (state.spin + end.spin) * 0.5;
        let weight = self.loads.gravity * mass;
        let (force, torque) = self.integrator.load(model, state, self.times[0], self.loads);
        let load_work = h * (force.dot(&mean) + torque.dot(&mean_spin));
        let [mut loads, mut driven, mut scheme] = [load_work, 0.0, -h * (theta - 0.5) * weight.dot(&velocity_change)];
        if model.tilt.is_some() {
            let displacement = (mean + velocity_change * (theta - 0.5)) * h;
            loads += mass
                * ((self.loads.gravity - end_gravity).dot(&displacement)
                    - (end_gravity - gravity).dot(&state.position));
        }
        let moved = self.outcome.moved.as_ref().map(|moved| moved[i]);
        let mut correction = moved.map_or(0.0, |(displacement, _)| -mass * end_gravity.dot(&displacement));
        let is_ball = model.shape(state).is_ball();
        if !is_ball || free.hold == Constraint::Some {
            let body_rotation = BodyRotation::new(model, state, free, end, torque * h);
            match free.hold {
                Constraint::Some => {
                    driven =
                        state.mass * mean.dot(&velocity_change) + body_rotation.gain - load_work - h * weight.dot(&mean)
                }
                _ => scheme += body_rotation.gyroscopic_gain(),
            }
            if let Some((_, rotation)) = moved.filter(|_| !is_ball) {
                correction += gain_by_rotation(model, state, (free, end), &self.integrator, rotation);
            }
        }
        [driven, loads, correction, scheme]
    }
}

/// The nodes of a body in a step: their state at its end, loads, and impulses of contacts.
struct NodalStep<X: Dim> {
    after: Vec<Node<X>>,
    loads: StepLoads<X>,
    impulses: Vec<(u32, X::Vector)>,
}

/// Rotation of a body in the step.
struct BodyRotation<X: Dim> {
    /// Gain of rotational energy, J.
    gain: f64,
    /// Twice the mean spin, body axes at mid-step, rad/s.
    spins: X::Spin,
    /// Angular impulse of contacts and loads, in these axes, N m s.
    impulse: X::Spin,
}

impl<X: Dim> BodyRotation<X> {
    /// The rotation under the angular impulse `load` of loads, world axes.
    fn new(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>, end: &EndVelocity<X>, load: X::Spin) -> Self {
        let moments = model.moments(state);
        let [before, predicted, after, load] =
            [state.spin, free.spin, end.spin, load].map(|vector| free.orientation.unrotate_spin(vector));
        let energy = |spin: X::Spin| 0.5 * moments.times(&spin).dot(&spin);
        let gain = energy(after) - energy(state.orientation.unrotate_spin(state.spin));
        Self { gain, spins: before + after, impulse: moments.times(&(after - predicted)) + load }
    }

    /// Part of the gain that is not the work of torques but that of the gyroscopic term.
    fn gyroscopic_gain(&self) -> f64 {
        self.gain - 0.5 * self.spins.dot(&self.impulse)
    }
}

/// Rotational energy gained when the overlap correction rotates a body by `rotation` at constant spin.
fn gain_by_rotation<X: Dim>(
    model: &Model<X>,
    state: &State<X>,
    (free, end): (&FreeMotion<X>, &EndVelocity<X>),
    integrator: &Theta,
    rotation: X::Spin,
) -> f64 {
    let mut next = *state;
    integrator.update(model, &mut next, free, end);
    let before = model.kinetic_energy(&next);
    next.orientation = next.orientation.turned(rotation);
    model.kinetic_energy(&next) - before
}

impl<X: Dim> Simulation<X> {
    /// Collective. Kinetic and potential energy of all bodies, J.
    pub(crate) fn energies(&self) -> [f64; 2] {
        self.energies_of(|_| true)
    }

    /// Collective. Kinetic and potential energy of the bodies selected by `is_selected`, J.
    pub(crate) fn energies_of(&self, is_selected: impl Fn(&State<X>) -> bool + Sync) -> [f64; 2] {
        let gravity = self.model.gravity_at(self.clock.time);
        self.domain.sum_over_indexed(&self.bodies, |i, state| match is_selected(state) {
            true => [self.kinetic_energy(i, state), self.model.potential_energy(state, gravity)],
            false => [0.0; 2],
        })
    }

    /// Kinetic energy of body `i` with its nodes, J; zero for obstacles.
    pub(super) fn kinetic_energy(&self, i: usize, state: &State<X>) -> f64 {
        let rigid = self.model.kinetic_energy(state);
        match self.model.deformable(state) {
            Some(operator) if !self.model.is_prescribed(state) => {
                rigid + operator.kinetic_energy(self.bodies.nodes().of(i))
            }
            Some(_) | None => rigid,
        }
    }

    /// Is the motion of a node of body `i` not finite?
    pub(super) fn has_lost_nodes(&self, i: usize) -> bool {
        let is_finite = |node: &Node<X>| node.displacement.is_finite() && node.velocity.is_finite();
        !self.bodies.nodes().of(i).iter().all(is_finite)
    }

    /// Collective. Performs `change` and returns the energy that all bodies gain by it, J; zero, without evaluation,
    /// unless it `matters`.
    pub(crate) fn gained<T>(&mut self, matters: bool, change: impl FnOnce(&mut Self) -> T) -> (T, f64) {
        if !matters {
            return (change(self), 0.0);
        }
        let before = self.energies();
        let done = change(self);
        let after = self.energies();
        (done, (after[0] - before[0]) + (after[1] - before[1]))
    }
}
