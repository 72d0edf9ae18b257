//! The step context: all that a step knows once its contacts are found, and that does not change while it is solved.

use std::iter::Map;
use std::ops::Range;

use crate::base::index::{BodyIndex, FreeRow};
use crate::body::{Bodies, NodeWeights, State, Tails};
use crate::dim::{Dim, Orientation, Pair, Square, Vector};
use crate::integrator::{EndVelocity, FreeMotion, FreeNodes, StepTimes};
use crate::interaction::{ContactHistory, DetectedContact};
use crate::model::{HERE, Model};
use crate::solver::{ContactOrder, SolverSettings, Velocity};

/// The step as the subdomains see it: model, states, predicted motion, contact history and settings.
pub struct StepContext<'a, X: Dim> {
    /// Shapes, materials, laws.
    pub model: &'a Model<X>,
    /// States at the start of the step.
    pub bodies: &'a Bodies<X>,
    /// The predicted motion: positions at mid-step and velocities without contact impulses.
    pub free: &'a [FreeMotion<X>],
    /// The predicted motion of the nodes of deformable bodies.
    pub nodes: &'a FreeNodes<X>,
    /// Nodes of each deformable body that carry a contact in any subdomain, increasing.
    pub loaded: &'a Tails<u32>,
    /// Contact records of the last step.
    pub history: &'a ContactHistory<X>,
    /// How the contact problem is solved.
    pub solver: &'a SolverSettings,
    /// Start and middle of the step.
    pub span: StepTimes,
    /// Length of the step, s.
    pub h: f64,
    /// Weight of the end of the step.
    pub theta: f64,
    /// Steps made before this one.
    pub step: u64,
    /// Mean normal impulse of the active contacts of the last step, N s.
    pub mean_impulse: f64,
}

/// The rows of the loaded nodes of a body.
pub(super) type NodeRows = Map<Range<u32>, fn(u32) -> FreeRow>;

impl<'a, X: Dim> StepContext<'a, X> {
    /// The state of a body at the start of the step.
    #[inline(always)]
    pub(super) fn state(&self, body: BodyIndex) -> &'a State<X> {
        &self.bodies[body]
    }

    /// The predicted motion of a body.
    #[inline(always)]
    pub(super) fn motion(&self, body: BodyIndex) -> &'a FreeMotion<X> {
        &self.free[body.index()]
    }

    /// The body of a row; none for rows of nodes.
    #[inline]
    pub(super) fn body(&self, row: FreeRow) -> Option<BodyIndex> {
        (row.index() < self.free.len()).then_some(BodyIndex(row.0))
    }

    /// Free velocity of a row in the variables of the problem: the spin is scaled by the size of the body.
    #[inline]
    pub(super) fn free_velocity(&self, row: FreeRow) -> Velocity<X> {
        match self.body(row) {
            Some(body) => {
                let free = self.motion(body);
                Velocity { velocity: free.velocity, spin: free.spin * self.state(body).size }
            }
            // Rows of nodes hold impulses.
            None => Velocity { velocity: X::Vector::zero(), spin: X::Spin::zero() },
        }
    }

    /// The rows of the loaded nodes of a body.
    pub(super) fn node_rows(&self, body: BodyIndex) -> NodeRows {
        let (nodes, first) = (self.loaded.range(body.index()), self.free.len());
        ((first + nodes.start) as u32..(first + nodes.end) as u32).map(FreeRow)
    }

    /// Relative velocity of the nodes at a contact, second body minus first, in world axes; `velocities` are those of
    /// all nodes, in body axes.
    pub(super) fn node_velocity(
        &self,
        nodes: Option<&[NodeWeights; 2]>,
        bodies: [BodyIndex; 2],
        velocities: impl Fn(BodyIndex, u32) -> X::Vector,
    ) -> X::Vector {
        let Some(nodes) = nodes else { return X::Vector::zero() };
        let [a, b] = [0, 1].both(|side| {
            if nodes[side].is_empty() {
                return X::Vector::zero();
            }
            let terms = nodes[side].iter().map(|(node, weight)| velocities(bodies[side], node) * weight);
            let own = terms.fold(X::Vector::zero(), |sum, term| sum + term);
            self.motion(bodies[side]).orientation.rotate(own)
        });
        b - a
    }

    /// The relative node velocity at a contact at the start of the step.
    pub(super) fn node_velocity_before(&self, nodes: Option<&[NodeWeights; 2]>, bodies: [BodyIndex; 2]) -> X::Vector {
        let all = self.bodies.nodes();
        self.node_velocity(nodes, bodies, |body, node| all.of(body.index())[node as usize].velocity)
    }

    /// Change of the relative node velocity at a contact by a unit impulse along `n`, along `n`, 1/kg.
    pub(super) fn elastic_answer(&self, nodes: Option<&[NodeWeights; 2]>, bodies: [BodyIndex; 2], n: X::Vector) -> f64 {
        let Some(nodes) = nodes else { return 0.0 };
        let answer = |body: BodyIndex, nodes: &NodeWeights| {
            let state = self.state(body);
            let Some(operator) = self.model.deformable(state) else { return 0.0 };
            let own = self.motion(body).orientation.unrotate(n);
            let pairs = nodes.iter().flat_map(|of| nodes.iter().map(move |by| (of, by)));
            let term =
                |((of, w), (by, v)): ((u32, f64), (u32, f64))| w * v * operator.compliance(of, by).apply(own).dot(&own);
            pairs.map(term).sum()
        };
        let [first, second] = nodes;
        match bodies[0] == bodies[1] {
            true => answer(bodies[0], &NodeWeights::difference([first, second])),
            false => answer(bodies[0], first) + answer(bodies[1], second),
        }
    }

    /// Lever arms: from the centres of the two `bodies` of a contact to its point, in the image of the pair.
    #[inline]
    pub(super) fn arms(&self, contact: &DetectedContact<X>, bodies: [BodyIndex; 2]) -> [X::Vector; 2] {
        let mut arms = bodies.both(|i| contact.point - self.motion(i).position);
        if let Some(cell) = self.model.cell.as_ref().filter(|_| contact.image != HERE) {
            arms[1] -= cell.shift(contact.image, self.span.middle);
        }
        arms
    }

    /// Velocity of the periodic image of the second body relative to the body itself, m/s.
    #[inline]
    pub(super) fn drift(&self, contact: &DetectedContact<X>) -> X::Vector {
        let cell = self.model.cell.as_ref().filter(|_| contact.image != HERE);
        cell.map_or(X::Vector::zero(), |cell| cell.drift(contact.image))
    }

    /// Relative velocity at the contact point, second body minus first, for the velocities `moving` of the two bodies.
    #[inline]
    pub(super) fn relative(
        &self,
        contact: &DetectedContact<X>,
        arms: [X::Vector; 2],
        moving: [(X::Vector, X::Spin); 2],
    ) -> X::Vector {
        let [a, b] = [0, 1].both(|side| point_velocity::<X>(moving[side].0, moving[side].1, arms[side]));
        b - a + self.drift(contact)
    }

    /// Seed and step, if contacts are swept in random order.
    pub(super) fn shuffle_key(&self) -> Option<[u64; 2]> {
        (self.solver.order == ContactOrder::Random).then_some([self.solver.seed, self.step])
    }
}

/// A step whose contact problem is solved.
pub(super) struct EndOfStep<'a, X: Dim> {
    pub(super) context: &'a StepContext<'a, X>,
    pub(super) velocities: &'a [EndVelocity<X>],
    /// Node velocities of deformable bodies, in body axes.
    pub(super) nodes: &'a Tails<X::Vector>,
}

impl<X: Dim> EndOfStep<'_, X> {
    /// Velocity of a body at the end of the step.
    #[inline(always)]
    pub(super) fn velocity(&self, body: BodyIndex) -> &EndVelocity<X> {
        &self.velocities[body.index()]
    }

    /// Relative velocity at a contact at the end of the step.
    #[inline]
    pub(super) fn relative_velocity(
        &self,
        contact: &DetectedContact<X>,
        bodies: [BodyIndex; 2],
        nodes: Option<&[NodeWeights; 2]>,
    ) -> X::Vector {
        let arms = self.context.arms(contact, bodies);
        let moving = bodies.both(|i| (self.velocity(i).velocity, self.velocity(i).spin));
        self.context.relative(contact, arms, moving) + self.node_velocity(nodes, bodies)
    }

    /// The relative node velocity at a contact at the end of the step.
    pub(super) fn node_velocity(&self, nodes: Option<&[NodeWeights; 2]>, bodies: [BodyIndex; 2]) -> X::Vector {
        self.context.node_velocity(nodes, bodies, |body, node| self.nodes.of(body.index())[node as usize])
    }
}

/// Velocity of the point at the end of a lever arm.
pub(super) fn point_velocity<X: Dim>(velocity: X::Vector, spin: X::Spin, arm: X::Vector) -> X::Vector {
    velocity + X::cross(spin, arm)
}

/// Length of the smaller body of a pair; unbounded shapes do not count.
pub(super) fn smaller<X: Dim>(model: &Model<X>, states: [&State<X>; 2]) -> f64 {
    model.length(states[0]).min(model.length(states[1]))
}
