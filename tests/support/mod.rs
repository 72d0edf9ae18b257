//! Small worlds built by hand, for tests that state mechanical facts in two and three dimensions alike.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]

pub mod incline;
pub mod truth;

use std::sync::Arc;

use nscdd::body::{Bodies, BodyId, Deformable, FREE, Node, Row, State};
use nscdd::comm::{Comm, SerialComm};
use nscdd::contactor::Radii;
use nscdd::contactor::facing::FacingParts;
use nscdd::contactor::{Bounds, MassProperties, Polytope, Shape};
use nscdd::dim::{Dim, Gyroscopic, Orientation, Vector};
use nscdd::domain::{InterfaceScheme, SubdomainCount};
use nscdd::generate::{Deposit, DepositTarget, Numbering};
use nscdd::integrator::Theta;
use nscdd::law::{ContactLaw, Coulomb, LawTable, LinkLaw, Pin};
use nscdd::model::{Cell, Control, Link, Links, Material, Membrane, Model, Motion, Signal};
use nscdd::scene::Scene;
use nscdd::simulation::{Simulation, SimulationSettings, StepReport};

pub const DENSITY: f64 = 1000.0;
pub const GRAVITY: f64 = 9.81;

/// A world of one material and one law.
pub struct World<X: Dim> {
    pub states: Vec<State<X>>,
    pub shapes: Vec<Shape<X>>,
    pub motions: Vec<Motion>,
    pub gravity: X::Vector,
    pub law: Box<dyn ContactLaw<X>>,
    pub links: Vec<Link<X>>,
    pub cell: Option<Cell<X>>,
    pub membranes: Vec<Membrane<X>>,
    /// For each shape, the operator of deformable bodies, and the nodes of these.
    pub deformables: Vec<Option<Arc<dyn Deformable<X>>>>,
    pub nodes: Vec<(BodyId, Vec<Node<X>>)>,
    pub plan: SimulationSettings,
}

impl<X: Dim> World<X> {
    /// Gravity along the negative last axis, friction 0.5, tolerance 1e-12, one subdomain.
    pub fn new(h: f64) -> Self {
        let mut solver = nscdd::solver::SolverSettings { tolerance: 1e-12, velocity_error: 1e-5, ..Default::default() };
        solver.max_sweeps = 20_000;
        let domain = nscdd::domain::DomainSettings { subdomains: SubdomainCount::Given(1), ..Default::default() };
        Self {
            states: Vec::new(),
            shapes: vec![Shape::Ball, Shape::HalfSpace],
            motions: vec![Motion::fixed(X::D + X::R)],
            gravity: X::Vector::axis(X::D - 1) * -GRAVITY,
            law: Box::new(Coulomb { friction: 0.5, rolling: 0.0 }),
            links: Vec::new(),
            cell: None,
            membranes: Vec::new(),
            deformables: Vec::new(),
            nodes: Vec::new(),
            plan: SimulationSettings {
                integrator: Theta { h, theta: 0.5, gyroscopic: Gyroscopic::Implicit },
                domain,
                solver,
                detection: Default::default(),
            },
        }
    }

    pub fn subdomains(mut self, count: u32) -> Self {
        self.plan.domain.subdomains = SubdomainCount::Given(count);
        self
    }

    pub fn scheme(mut self, scheme: InterfaceScheme) -> Self {
        self.plan.domain.interface = scheme;
        self
    }

    pub fn tolerance(mut self, residual: f64, velocity_error: f64) -> Self {
        self.plan.solver.tolerance = residual;
        self.plan.solver.velocity_error = velocity_error;
        self
    }

    pub fn law(mut self, law: impl ContactLaw<X> + 'static) -> Self {
        self.law = Box::new(law);
        self
    }

    pub fn weightless(mut self) -> Self {
        self.gravity = X::Vector::zero();
        self
    }

    /// Tilts gravity by `angle`, so that a horizontal plane becomes an incline.
    pub fn tilted(mut self, angle: f64) -> Self {
        self.gravity =
            X::Vector::axis(0) * (GRAVITY * angle.sin()) - X::Vector::axis(X::D - 1) * (GRAVITY * angle.cos());
        self
    }

    fn push(&mut self, state: State<X>) -> u64 {
        let id = state.id.0;
        self.states.push(state);
        id
    }

    fn next(&self) -> u64 {
        self.states.len() as u64
    }

    pub fn ball(&mut self, position: X::Vector, radius: f64) -> u64 {
        let mut state = State::at_rest(self.next(), 0, 0, radius, Shape::<X>::Ball.mass(radius, DENSITY));
        state.position = position;
        self.push(state)
    }

    pub fn cuboid(&mut self, position: X::Vector, half: X::Vector) -> u64 {
        self.shapes.push(Shape::cuboid(half).unwrap());
        let shape = self.shapes.len() - 1;
        let mut state = State::at_rest(self.next(), shape as u32, 0, 1.0, self.shapes[shape].mass(1.0, DENSITY));
        state.position = position;
        self.push(state)
    }

    /// A polytope scaled by `size`: its farthest corner is at `size` from its centre if that of the template is at one.
    pub fn block(&mut self, position: X::Vector, polytope: &Polytope<X>, mass: MassProperties<X>, size: f64) -> u64 {
        let shape = Shape::block("block", polytope.clone(), mass);
        let number = self.shapes.iter().position(|s| *s == shape).unwrap_or(self.shapes.len());
        if number == self.shapes.len() {
            self.shapes.push(shape);
        }
        let mut state = State::at_rest(self.next(), number as u32, 0, size, self.shapes[number].mass(size, DENSITY));
        state.position = position;
        self.push(state)
    }

    pub fn plane(&mut self, point: X::Vector, normal: X::Vector) -> u64 {
        let mut state = State::at_rest(self.next(), 1, 0, 1.0, 1.0);
        state.position = point;
        state.orientation = X::pointing(normal);
        state.motion = 0;
        self.push(state)
    }

    /// Horizontal floor through the origin.
    pub fn floor(&mut self) -> u64 {
        self.plane(X::Vector::zero(), X::Vector::axis(X::D - 1))
    }

    /// Floor and vertical walls around [0, edge] in the horizontal axes.
    pub fn open_box(&mut self, edge: f64) {
        self.floor();
        for k in 0..X::D - 1 {
            self.plane(X::Vector::zero(), X::Vector::axis(k));
            self.plane(X::Vector::axis(k) * edge, -X::Vector::axis(k));
        }
    }

    /// Open box of that width with `count` spheres deposited one by one, each then shrunk by `shrink`.
    pub fn deposit(&mut self, width: f64, count: u64, radii: Radii, shrink: f64) {
        self.open_box(width);
        let max = X::Vector::from_fn(|k| if k + 1 == X::D { 100.0 } else { width });
        let basin = Bounds::<X> { min: X::Vector::zero(), max };
        let deposit = Deposit { basin, target: DepositTarget::Count(count), radii, seed: 1 };
        for numbered in deposit.balls(&mut Numbering::consecutive(0)).unwrap() {
            self.ball(numbered.ball.centre, shrink * numbered.ball.radius);
        }
    }

    pub fn state(&mut self, id: u64) -> &mut State<X> {
        self.states.iter_mut().find(|s| s.id.0 == id).unwrap()
    }

    pub fn driven(&mut self, id: u64, controls: Vec<Control>, gravity: bool) {
        self.motions.push(Motion { controls, gravity, nodes: Vec::new() });
        self.state(id).motion = self.motions.len() as u32 - 1;
    }

    /// Link from a point of one body to a point of another, which has the higher id; its rest length is the present
    /// distance. Pinned bodies do not collide.
    pub fn link(&mut self, bodies: [u64; 2], at: [X::Vector; 2], law: LinkLaw) -> &mut Link<X> {
        let anchors = [0, 1].map(|side| {
            let state = self.state(bodies[side]);
            state.orientation.unrotate(at[side] - state.position)
        });
        let collide = !matches!(law, LinkLaw::Pin(_));
        self.links.push(Link { bodies, anchors, length: (at[1] - at[0]).norm(), axis: None, law, collide });
        self.links.last_mut().unwrap()
    }

    /// Two pins along an axis through a point.
    pub fn hinge(&mut self, bodies: [u64; 2], at: X::Vector, axis: X::Vector, arm: f64) {
        for (side, along) in [(-arm, true), (arm, false)] {
            self.link(bodies, [at + axis * side; 2], LinkLaw::Pin(Pin { along })).axis = Some(axis);
        }
    }

    /// A sphere that never moves.
    pub fn nail(&mut self, position: X::Vector, radius: f64) -> u64 {
        let id = self.ball(position, radius);
        self.state(id).motion = 0;
        id
    }

    pub fn build(self) -> Simulation<X> {
        self.build_on(Arc::new(SerialComm))
    }

    /// Builds the simulation on the processes of `comm`; free bodies are distributed cyclically.
    pub fn build_on(mut self, comm: Arc<dyn Comm>) -> Simulation<X> {
        on_this_thread();
        let mut dealt = (0..comm.size()).cycle();
        self.states.retain(|state| state.motion != FREE || dealt.next() == Some(comm.rank()));
        let mut laws = LawTable::new(1);
        let law = laws.add(self.law);
        laws.set(0, 0, law);
        let materials = vec![Material { name: "stuff".into(), density: DENSITY }];
        let links = Links::new(self.links);
        let (shapes, motions, gravity, cell) = (self.shapes, self.motions, self.gravity, self.cell);
        let facing = FacingParts::of_all(&shapes);
        let (membranes, deformables) = (self.membranes, self.deformables);
        let model = Model {
            shapes,
            materials,
            motions,
            laws,
            links,
            gravity,
            tilt: None,
            cell,
            membranes,
            deformables,
            facing,
        };
        Simulation::on(comm, model, Bodies::with_nodes(self.states, self.nodes), None, self.plan)
    }
}

/// In a test, makes the calling thread a pool of its own, unless it belongs to one. Tests run side by side, and in a
/// small world passing work to the threads of the global pool takes longer than the work.
pub fn on_this_thread() {
    if cfg!(test) && rayon::current_thread_index().is_none() {
        rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    }
}

/// The simulation of a scene, ready for its first step.
pub fn simulate<X: Dim>(scene: &Scene) -> Simulation<X> {
    on_this_thread();
    Simulation::of(scene).unwrap()
}

/// Steps until time `end`; returns every report.
pub fn run<X: Dim>(simulation: &mut Simulation<X>, end: f64) -> Vec<StepReport> {
    let steps = (end / simulation.step_length()).round() as usize;
    (0..steps).map(|_| simulation.step().unwrap()).collect()
}

pub fn held(value: f64) -> Control {
    Control::Velocity(Signal::Constant(value))
}

/// Vector with the given first and last components; the others are zero.
pub fn flat<X: Dim>(first: f64, last: f64) -> X::Vector {
    let mut v = X::Vector::zero();
    v[0] = first;
    v[X::D - 1] = last;
    v
}

/// Linear momentum, angular momentum about the origin (last rotational axis in 2D), kinetic energy.
pub fn invariants<X: Dim>(simulation: &Simulation<X>) -> (X::Vector, X::Spin, f64) {
    let (mut p, mut l, mut e) = (X::Vector::zero(), X::Spin::zero(), 0.0);
    for state in simulation.bodies.by_id().iter().filter(|s| !simulation.model.is_prescribed(s)) {
        let momentum = state.velocity * state.mass;
        p += momentum;
        let own = simulation.model.moments(state).times(&state.orientation.unrotate_spin(state.spin));
        l += X::torque(state.position, momentum) + state.orientation.rotate_spin(own);
        e += simulation.model.kinetic_energy(state);
    }
    (p, l, e)
}

/// All states as bytes, by id.
pub fn bytes<X: Dim>(simulation: &Simulation<X>) -> Vec<u8> {
    let mut out = Vec::new();
    simulation.bodies.by_id().iter().for_each(|s| s.write_row(&mut out));
    out
}

/// A small deterministic random number generator in [0, 1).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Total impulse of the last step on body `id`.
pub fn reaction<X: Dim>(simulation: &Simulation<X>, id: u64) -> X::Vector {
    let mut total = X::Vector::zero();
    for subdomain in simulation.domain().subdomains() {
        for contact in simulation.domain().contacts(subdomain, &simulation.bodies) {
            let ids = contact.bodies.map(|state| state.id.0);
            if ids[0] == id {
                total -= contact.impulse;
            } else if ids[1] == id {
                total += contact.impulse;
            }
        }
    }
    total
}
