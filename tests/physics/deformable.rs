//! The interface for deformable bodies, shown open with the smallest one: two masses joined by a spring.
//!
//! The centre of mass is the rigid motion; the motion of the second mass relative to the first is the only node.

use std::sync::Arc;

use crate::processes::on_processes;
use crate::support::{DENSITY, Dice, GRAVITY, World, reaction};
use nscdd::body::{BodyId, Deformable, Node, NodeWeights};
use nscdd::comm::{Comm, Reader, SerialComm, Writer};
use nscdd::dim::{Dim, Orientation, Plane, Space, Square, Vector};
use nscdd::output::checkpoint::{self, CheckpointContent};
use nscdd::output::columns::VerifiedFile;
use nscdd::output::frame::frame;
use nscdd::output::summary::RunCounts;
use nscdd::output::vtkhdf::{FieldValues, Frame, FrameFile, FrameReader};
use nscdd::population::PopulationCounters;
use nscdd::simulation::Simulation;
use nscdd::solver::Stabilisation;

/// Two masses and a spring. Contacts on the positive side of the first body axis act on the second mass.
#[derive(Clone, Copy, Debug)]
struct TwoMasses {
    masses: [f64; 2],
    stiffness: f64,
    h: f64,
    theta: f64,
}

impl TwoMasses {
    fn mass(&self) -> f64 {
        self.masses[0] + self.masses[1]
    }

    fn reduced_mass(&self) -> f64 {
        self.masses[0] * self.masses[1] / self.mass()
    }

    /// M + theta^2 h^2 K.
    fn effective_mass(&self) -> f64 {
        self.reduced_mass() + (self.theta * self.h).powi(2) * self.stiffness
    }

    /// Velocity of a mass per relative velocity.
    fn weight(&self, is_second: bool) -> f64 {
        if is_second { self.masses[0] / self.mass() } else { -self.masses[1] / self.mass() }
    }

    fn energy<X: Dim>(&self, node: &Node<X>) -> f64 {
        0.5 * (self.reduced_mass() * node.velocity.norm2() + self.stiffness * node.displacement.norm2())
    }
}

impl<X: Dim> Deformable<X> for TwoMasses {
    fn nodes(&self) -> usize {
        1
    }

    fn position(&self, _: usize) -> X::Vector {
        X::Vector::axis(0) * (0.5 * RADIUS)
    }

    fn predict(&self, nodes: &[Node<X>], free: &mut [X::Vector]) {
        let Node { displacement, velocity } = nodes[0];
        let force = (displacement + velocity * (self.theta * self.h)) * -self.stiffness;
        free[0] = velocity + force * (self.h / self.effective_mass());
    }

    fn weights(&self, point: X::Vector) -> NodeWeights {
        NodeWeights::new([(0, self.weight(point[0] > 0.0))].into_iter())
    }

    fn response(&self, at: &NodeWeights, response: &mut [X::Matrix]) {
        let weight: f64 = at.iter().map(|(_, weight)| weight).sum();
        response[0] = X::Matrix::from_fn(|i, j| if i == j { weight / self.effective_mass() } else { 0.0 });
    }

    fn norm2(&self, velocities: &[X::Vector]) -> f64 {
        self.effective_mass() * velocities[0].norm2()
    }
}

const RADIUS: f64 = 0.05;
/// Spheres of a pile.
const BODIES: u32 = 60;

/// A world whose spheres of shape `2` are deformable.
fn world<X: Dim>(h: f64, stiffness: f64) -> (World<X>, TwoMasses) {
    let mut world = World::<X>::new(h);
    let shape = world.shapes[0].clone();
    world.shapes.push(shape);
    let mass = world.shapes[0].mass(RADIUS, DENSITY);
    let body = TwoMasses { masses: [0.25 * mass, 0.75 * mass], stiffness, h, theta: world.plan.integrator.theta };
    world.deformables = vec![None, None, Some(Arc::new(body))];
    (world, body)
}

fn add<X: Dim>(world: &mut World<X>, position: X::Vector, velocity: X::Vector) -> u64 {
    let id = world.ball(position, RADIUS);
    let state = world.state(id);
    (state.shape, state.velocity) = (2, velocity);
    world.nodes.push((BodyId(id), vec![Node::zero()]));
    id
}

fn node<X: Dim>(simulation: &Simulation<X>, id: u64) -> Node<X> {
    let place = simulation.bodies.states().iter().position(|state| state.id == BodyId(id)).unwrap();
    simulation.bodies.nodes().of(place)[0]
}

/// It flies at a wall: its motion against that of two masses, a spring and a unilateral constraint, stepped by hand.
fn bounces_as_by_hand<X: Dim>() {
    let h = 1e-4;
    let (world, body) = world::<X>(h, 4e4);
    let mut world = world.weightless();
    // Contacts are found where the rigid motion is: in the bounce the spring makes it overlap.
    world.plan.solver.stabilisation = Stabilisation::None;
    world.plane(X::Vector::zero(), X::Vector::axis(0) * -1.0);
    let id = add(&mut world, X::Vector::axis(0) * (-RADIUS - 0.013), X::Vector::axis(0) * 2.0);
    let mut simulation = world.build();
    let (mut q, mut v, mut d, mut e) = (-RADIUS - 0.013, 2.0, 0.0, 0.0);
    let TwoMasses { stiffness, theta, .. } = body;
    let (effective, weight) = (body.effective_mass(), body.weight(true));
    let mut struck = 0;
    for step in 0..3000 {
        simulation.step().unwrap();
        let (q_m, d_m) = (q + h * (1.0 - theta) * v, d + h * (1.0 - theta) * e);
        e -= h * stiffness * (d + theta * h * e) / effective;
        let gap: f64 = -RADIUS - q_m;
        // The velocity of the second mass away from the wall must be at least -gap/h.
        let lack = (v + weight * e) - gap.max(0.0) / h;
        let impulse = (lack / (1.0 / body.mass() + weight * weight / effective)).max(0.0);
        struck += u32::from(impulse > 0.0);
        v -= impulse / body.mass();
        e -= impulse * weight / effective;
        (q, d) = (q_m + h * theta * v, d_m + h * theta * e);
        let state = simulation.bodies.find(id).unwrap();
        let own = node(&simulation, id);
        let off = [state.position[0] - q, state.velocity[0] - v, own.displacement[0] - d, own.velocity[0] - e];
        assert!(off.iter().all(|off| off.abs() < 1e-9), "step {step}: {off:?}");
    }
    // The second mass stops, the spring throws the first back: it leaves with a quarter of the momentum.
    assert!(struck > 20 && (v + 0.5).abs() < 1e-3, "{struck} steps in contact, then {v} m/s");
    let energy = 0.5 * body.mass() * v * v + body.energy(&node(&simulation, id));
    assert!(energy < 0.5 * body.mass() * 4.0, "{energy} J");
}

#[test]
fn a_deformable_body_bounces_off_a_wall_as_two_masses_and_a_spring_stepped_by_hand() {
    bounces_as_by_hand::<Plane>();
    bounces_as_by_hand::<Space>();
}

/// Deformable and rigid spheres that fall into a box.
fn pile<X: Dim>(subdomains: u32) -> World<X> {
    let (world, _) = world::<X>(1e-3, 2e5);
    let mut world = world.subdomains(subdomains).tolerance(1e-3, 0.1);
    world.open_box(0.6);
    let mut dice = Dice(3);
    for i in 0..BODIES {
        let column = |k: u32| if k + 1 == X::D as u32 { i / 5u32.pow(k) } else { i / 5u32.pow(k) % 5 };
        let place = X::Vector::from_fn(|k| 0.06 + 0.11 * f64::from(column(k as u32)) + 0.005 * dice.roll());
        let velocity = X::Vector::axis(X::D - 1) * -0.5;
        if i % 3 == 0 {
            let id = world.ball(place, RADIUS);
            world.state(id).velocity = velocity;
        } else {
            add(&mut world, place, velocity);
        }
    }
    world
}

/// The simulation as it is after a checkpoint and a restart.
fn restarted<X: Dim>(simulation: Simulation<X>, comm: &Arc<dyn Comm>, subdomains: u32) -> Simulation<X> {
    // The launcher is the parent of all processes.
    let name = format!("nscdd-deformable-{}-{}-{subdomains}.h5", std::os::unix::process::parent_id(), X::D);
    let path = std::env::temp_dir().join(name);
    let counters =
        PopulationCounters { free_at_start: BODIES.into(), smallest: RADIUS, ..PopulationCounters::default() };
    let tally = RunCounts::default();
    let content = CheckpointContent {
        model: &simulation.model,
        domain: simulation.domain(),
        bodies: &simulation.bodies,
        history: &simulation.history,
        step: simulation.clock.step,
        time: simulation.clock.time,
        energy: &simulation.sums.energy,
        mean_impulse: simulation.sums.mean_impulse,
        counters: &counters,
        tally: &tally,
        warnings: &simulation.warnings,
        scene: "",
    };
    checkpoint::write(&path, &content).unwrap();
    let restored = checkpoint::read::<X>(&**comm, &VerifiedFile::open(&**comm, &path).unwrap()).unwrap();
    assert_eq!(restored.bodies.nodes().is_empty(), restored.bodies.states().iter().all(|state| state.shape != 2));
    let mut world = pile::<X>(subdomains);
    (world.states, world.nodes) = (Vec::new(), Vec::new());
    let mut again = world.build_on(comm.clone());
    again.bodies = restored.bodies;
    let (clock, sums) = (simulation.clock, simulation.sums);
    again.restore(clock, sums, counters, restored.history, restored.cuts);
    // Nobody reads the file any more.
    comm.all_to_all(vec![Vec::new(); comm.size()]);
    let _ = std::fs::remove_file(&path);
    again
}

/// Bits of the bodies after some steps, by id: position, velocity and nodes; there may be a restart half-way.
fn after<X: Dim>(comm: Arc<dyn Comm>, subdomains: u32, steps: u32, restarts: bool) -> Vec<Vec<u64>> {
    let mut simulation = pile::<X>(subdomains).build_on(comm.clone());
    (0..steps / 2).for_each(|_| _ = simulation.step().unwrap());
    if restarts {
        simulation = restarted(simulation, &comm, subdomains);
    }
    (steps / 2..steps).for_each(|_| _ = simulation.step().unwrap());
    let mut message = Writer::default();
    for state in simulation.domain().counted(&simulation.bodies) {
        let nodes = if state.shape == 2 { vec![node(&simulation, state.id.0)] } else { Vec::new() };
        message.u64(state.id.0);
        message.u32(nodes.len() as u32);
        message.write(&[state.position, state.velocity]);
        nodes.iter().for_each(|node| message.write(node));
    }
    let mut found = Vec::new();
    for bytes in comm.all_to_all(vec![message.0; comm.size()]) {
        let mut message = Reader(&bytes);
        while !message.is_done() {
            let (id, nodes) = (message.u64(), message.u32() as usize);
            let numbers = (0..2 * X::D * (1 + nodes)).map(|_| message.read::<f64>().to_bits());
            found.push([id].into_iter().chain(numbers).collect());
        }
    }
    found.sort_unstable();
    found
}

fn same_bits<X: Dim>(comm: &Arc<dyn Comm>, steps: u32) {
    for subdomains in [1, 4] {
        let alone = after::<X>(Arc::new(SerialComm), subdomains, steps, false);
        for restarts in [false, true] {
            let case = format!("{subdomains} subdomains in {} dimensions, restarts: {restarts}", X::D);
            assert!(alone == after::<X>(comm.clone(), subdomains, steps, restarts), "{case}");
        }
    }
}

#[test]
fn deformable_bodies_give_the_same_bits_on_one_and_on_three_processes_also_after_a_restart() {
    let name = "deformable::deformable_bodies_give_the_same_bits_on_one_and_on_three_processes_also_after_a_restart";
    on_processes(3, name, |comm| {
        same_bits::<Plane>(comm, 200);
        same_bits::<Space>(comm, 100);
    });
}

/// The frame of this process at the end of the last step.
fn shown<X: Dim>(simulation: &Simulation<X>) -> Frame {
    let Simulation { model, bodies, clock, .. } = simulation;
    frame(simulation.domain(), model, bodies, clock.time, simulation.step_length())
}

/// Values of a field on points, one point after the other.
fn values(frame: &Frame, name: &str) -> Vec<f64> {
    let field = frame.point_fields.iter().find(|field| field.name == name).unwrap();
    match &field.values {
        FieldValues::Float(values) => values.clone(),
        FieldValues::Integer(values) => values.iter().map(|&value| value as f64).collect(),
    }
}

/// A rigid body, and a deformable one that turns and swings: its node is the third point of each frame.
fn frames_hold_the_node<X: Dim>() {
    let (world, _) = world::<X>(1e-3, 2e5);
    let mut world = world.weightless();
    world.ball(X::Vector::axis(0) * -0.5, RADIUS);
    let id = add(&mut world, X::Vector::axis(0) * 0.5, X::Vector::axis(1) * 0.3);
    world.state(id).spin = X::Spin::from_fn(|_| 2.0);
    world.nodes[0].1[0] = Node { displacement: X::Vector::axis(0) * 0.01, velocity: X::Vector::axis(1) * 0.2 };
    let mut simulation = world.build();
    let mut frames = Vec::new();
    for _ in 0..5 {
        simulation.step().unwrap();
        frames.push(shown(&simulation));
    }
    let (last, state, own) = (&frames[4], simulation.bodies.find(id).unwrap(), node(&simulation, id));
    assert_eq!((values(last, "id"), values(last, "is_body")), (vec![0.0, 1.0, 1.0], vec![1.0, 1.0, 0.0]));
    assert_eq!((values(last, "node"), last.vertices.clone()), (vec![-1.0, -1.0, 0.0], vec![0, 1, 2]));
    let arm = state.orientation.rotate(X::Vector::axis(0) * (0.5 * RADIUS) + own.displacement);
    assert_eq!(last.points[2], (state.position + arm).in_space());
    let velocity = state.velocity + X::cross(state.spin, arm) + state.orientation.rotate(own.velocity);
    assert_eq!(values(last, "velocity")[6..], velocity.in_space());
    let displacement = state.orientation.rotate(own.displacement).in_space();
    assert_eq!(values(last, "displacement"), [&[0.0; 6][..], &displacement].concat());

    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.vtkhdf"), folder.path().join("parts.vtkhdf"));
    let append = |mut file: FrameFile, frames: &[Frame]| {
        frames.iter().for_each(|frame| file.append(&SerialComm, frame).unwrap());
    };
    append(FrameFile::create(&whole, true).unwrap(), &frames);
    append(FrameFile::create(&parts, true).unwrap(), &frames[..4]);
    append(FrameFile::resume(&parts, frames[1].time, true).unwrap(), &frames[2..]);
    assert!(std::fs::read(&whole).unwrap() == std::fs::read(&parts).unwrap(), "a resumed file");
    let read = FrameReader::open(&whole).unwrap().read(4, &["node", "displacement"], &[]).unwrap();
    assert_eq!((&read.points, values(&read, "node")), (&last.points, values(last, "node")));
    let off = values(&read, "displacement").into_iter().zip(values(last, "displacement")).map(|(a, b)| (a - b).abs());
    // Fields are stored in single precision.
    assert!(off.fold(0.0, f64::max) < 1e-8);
}

#[test]
fn frames_hold_the_nodes_of_deformable_bodies_also_when_resumed_and_those_of_rigid_bodies_do_not() {
    frames_hold_the_node::<Plane>();
    frames_hold_the_node::<Space>();
    let mut world = World::<Plane>::new(1e-3);
    world.ball(Vector::zero(), RADIUS);
    let mut simulation = world.build();
    simulation.step().unwrap();
    let frame = shown(&simulation);
    assert!(frame.point_fields.iter().all(|field| field.name != "node" && field.name != "displacement"));
    assert_eq!(frame.points.len(), 1);
}

/// Bytes of the frames of a pile in four subdomains.
fn frames_of_pile<X: Dim>(comm: &Arc<dyn Comm>, name: &str) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("nscdd-deformable-{name}-{}.vtkhdf", X::D));
    let mut file = match comm.is_root() {
        true => FrameFile::create(&path, true).unwrap(),
        false => FrameFile::on_other_process(&path),
    };
    let mut simulation = pile::<X>(4).build_on(comm.clone());
    for step in 1..=60 {
        simulation.step().unwrap();
        if step % 20 == 0 {
            file.append(&**comm, &shown(&simulation)).unwrap();
        }
    }
    let bytes = std::fs::read(&path).unwrap();
    // Nobody reads the file any more.
    comm.all_to_all(vec![Vec::new(); comm.size()]);
    let _ = std::fs::remove_file(&path);
    bytes
}

#[test]
fn frames_of_deformable_bodies_are_the_same_bytes_on_one_and_on_three_processes() {
    fn same_bytes<X: Dim>(comm: &Arc<dyn Comm>) {
        let alone: Arc<dyn Comm> = Arc::new(SerialComm);
        let alone = frames_of_pile::<X>(&alone, &format!("alone-{}", std::process::id()));
        // The launcher is the parent of all processes.
        let name = format!("together-{}", std::os::unix::process::parent_id());
        assert!(alone == frames_of_pile::<X>(comm, &name), "{} dimensions", X::D);
    }
    let name = "deformable::frames_of_deformable_bodies_are_the_same_bytes_on_one_and_on_three_processes";
    on_processes(3, name, |comm| {
        same_bytes::<Plane>(comm);
        same_bytes::<Space>(comm);
    });
}

#[test]
fn deformable_bodies_in_four_subdomains_have_the_solution_of_one_subdomain() {
    // While the contacts are the same, so is the solution, up to its tolerance.
    let mut both = [1, 4].map(|subdomains| pile::<Plane>(subdomains).tolerance(1e-8, 1e-3).build());
    for step in 0..40 {
        let certificates = both.each_mut().map(|simulation| simulation.step().unwrap().certificate);
        assert!(certificates.iter().all(|c| c.converged), "step {step}: {certificates:?}");
        let [a, b] = both.each_ref().map(|simulation| simulation.bodies.by_id());
        let off = a.iter().zip(&b).map(|(a, b)| (a.velocity - b.velocity).norm()).fold(0.0, f64::max);
        assert!(off < 1e-3, "step {step}: velocities differ by {off} m/s");
    }
}

#[test]
fn the_walls_bear_the_weight_of_a_pile_of_deformable_bodies() {
    let mut simulation = pile::<Plane>(4).build();
    let walls: Vec<u64> = simulation.bodies.states().iter().filter(|s| s.motion == 0).map(|s| s.id.0).collect();
    let mut weight = 0.0;
    for step in 0..1500 {
        simulation.step().unwrap();
        if step >= 1000 {
            let forces = walls.iter().map(|&wall| reaction(&simulation, wall).y / simulation.step_length());
            weight -= forces.sum::<f64>() / 500.0;
        }
    }
    let mass: f64 = simulation.bodies.states().iter().filter(|s| s.motion != 0).map(|s| s.mass).sum();
    assert!((weight / (mass * GRAVITY) - 1.0).abs() < 0.02, "{weight} N for {} N", mass * GRAVITY);
}
