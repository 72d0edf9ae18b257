//! Deformable bodies: meshes of finite elements in contact with rigid walls, rigid bodies and each other.

use std::sync::Arc;

use crate::meshed::{add, bits_by_id, mesh_shape, nodes, target};
use crate::processes::on_processes;
use crate::support::{Dice, GRAVITY, World, reaction};
use nalgebra::{Vector2, Vector3};
use nscdd::comm::{Comm, SerialComm};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;
use nscdd::measure::measures;
use nscdd::output::checkpoint::{self, CheckpointContent};
use nscdd::output::columns::VerifiedFile;
use nscdd::output::frame::frame;
use nscdd::output::summary::RunCounts;
use nscdd::output::vtkhdf::{FieldValues, Frame, FrameFile};
use nscdd::population::PopulationCounters;
use nscdd::scene::{MeasureEntry, StressMeasure};
use nscdd::simulation::Simulation;

const RUBBER: ElasticMaterial =
    ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.3, damping: 1e-5, mass_damping: 0.0 };

/// Height of the highest node of a body in the plane, m.
fn top(simulation: &Simulation<Plane>, id: u64) -> f64 {
    let (state, mesh) = (simulation.bodies.find(id).unwrap(), simulation.model.shapes.iter());
    let mesh = mesh.filter_map(|shape| shape.as_meshed()).next().unwrap();
    let heights = mesh.mesh.nodes.iter().zip(nodes(simulation, id)).map(|(x, node)| x.y + node.displacement.y);
    state.position.y + heights.fold(f64::NEG_INFINITY, f64::max)
}

/// What becomes of a bar of 1 m and 7800 kg/m3 that hits a wall at 0.1 m/s.
struct BarImpact {
    /// First instant of contact, and how long it lasts, s.
    contact: [f64; 2],
    /// From the first contact until the far end turns, s.
    turns: f64,
    /// Mean force from 100 to 300 us after the first contact, N.
    force: f64,
    /// Speed at which it leaves, m/s.
    rebound: f64,
    /// Part of its energy that is lost.
    loss: f64,
}

/// The bar of this number of elements, in steps of length h.
fn bar_impact(elements: usize, h: f64) -> BarImpact {
    let (speed, gap, section) = (0.1, 5e-5, 3.14e-4);
    let mut world =
        World::<Plane>::new(h).weightless().law(Coulomb { friction: 0.0, rolling: 0.0 }).tolerance(1e-8, 1e-4);
    let steel = ElasticMaterial { density: 7800.0, young: 210e9, poisson: 0.0, damping: 0.0, mass_damping: 0.0 };
    let mesh = VolumeMesh::<Plane>::grid(Vector2::new(1.0, section), &[elements, 1], ElementKind::Q4).unwrap();
    let far = (0..mesh.nodes.len()).find(|&node| mesh.nodes[node].x > 0.4999).unwrap();
    let shape = mesh_shape(&mut world, &mesh, steel, PlaneState::Stress);
    let wall = world.plane(Vector2::zeros(), Vector2::x());
    let bar = add(&mut world, shape, Vector2::new(0.5 + gap, 0.0));
    world.state(bar).velocity = Vector2::new(-speed, 0.0);
    let mut simulation = world.build();
    let (mut contact, mut turns, mut force) = (Vec::new(), None, 0.0);
    let steps = (1e-3 / h).round() as u32;
    let mut energies = Vec::new();
    for step in 0..steps {
        let time = f64::from(step) * h;
        let report = simulation.step().unwrap();
        energies.push(report.kinetic_energy + report.energy.transfers.stored);
        if report.totals.carrying > 0 {
            contact.push(time);
        }
        if (6e-4 - 0.5 * h..8e-4 - 0.5 * h).contains(&time) {
            force += reaction(&simulation, wall).norm() * (1.0 / 2e-4);
        }
        let (body, nodes) = (simulation.bodies.find(bar).unwrap(), simulation.bodies.nodes().of(bar as usize));
        if body.velocity.x + nodes[far].velocity.x > 0.0 && turns.is_none() {
            turns = Some(time + h);
        }
    }
    let (first, last) = (contact[0], contact[contact.len() - 1] + h);
    BarImpact {
        contact: [first, last - first],
        turns: turns.unwrap() - first,
        force,
        rebound: simulation.bodies.find(bar).unwrap().velocity.x,
        loss: 1.0 - energies[energies.len() - 1] / energies[0],
    }
}

#[test]
fn a_bar_that_hits_a_wall_stays_as_long_as_a_wave_travels_and_leaves_with_its_speed() {
    let BarImpact { contact: [first, lasts], turns, force, rebound, loss } = bar_impact(100, 1e-6);
    assert!((first - 5e-4).abs() < 2e-6, "contact from {first} s");
    assert!((lasts - 384e-6).abs() < 2e-6, "contact of {lasts} s");
    assert!((turns / 191.3e-6 - 1.0).abs() < 0.01, "the far end turns after {turns} s");
    assert!((force / 1270.8 - 1.0).abs() < 1e-4, "{force} N");
    assert!((rebound - 0.0990).abs() < 3e-4, "{rebound} m/s");
    assert!((loss - 0.0047).abs() < 1e-4, "a loss of {loss}");
    let finer = bar_impact(200, 5e-7).loss;
    assert!((finer / loss - 0.5).abs() < 0.02, "losses of {loss} and, with half the elements and steps, {finer}");
}

#[test]
fn five_blocks_on_each_other_settle_as_much_as_a_column_under_its_weight() {
    let mut world = World::<Plane>::new(5e-3).law(Coulomb { friction: 0.0, rolling: 0.0 }).tolerance(1e-8, 1e-4);
    world.plan.integrator.theta = 1.0;
    world.plan.solver.deformable_overlaps = 1.0;
    world.plan.solver.max_sweeps = 5000;
    let soft = ElasticMaterial { density: 2000.0, young: 1e7, poisson: 0.0, damping: 5e-3, mass_damping: 20.0 };
    let mesh = VolumeMesh::grid(Vector2::new(1.0, 1.0), &[4, 4], ElementKind::Q4).unwrap();
    let shape = mesh_shape(&mut world, &mesh, soft, PlaneState::Stress);
    world.floor();
    let blocks: Vec<u64> = (0..5).map(|k| add(&mut world, shape, Vector2::new(0.0, 0.5 + f64::from(k)))).collect();
    let mut simulation = world.build();
    (0..1500).for_each(|_| _ = simulation.step().unwrap());
    let settled = 5.0 - top(&simulation, blocks[4]);
    // rho g H^2 / (2 E).
    let expected = 2000.0 * GRAVITY * 25.0 / 2e7;
    assert!((settled / expected - 1.0).abs() < 1e-8, "{settled} m, {expected} expected");
}

#[test]
fn a_sliding_block_stops_after_the_distance_of_a_rigid_one() {
    let h = 1e-3;
    let mut world = World::<Plane>::new(h).law(Coulomb { friction: 0.3, rolling: 0.0 }).tolerance(1e-7, 1e-3);
    let stiff = ElasticMaterial { density: 2000.0, young: 1e8, poisson: 0.3, damping: 0.1 * h, mass_damping: 0.0 };
    let mesh = VolumeMesh::grid(Vector2::new(0.2, 0.1), &[8, 4], ElementKind::Q4).unwrap();
    let shape = mesh_shape(&mut world, &mesh, stiff, PlaneState::Strain);
    world.floor();
    let block = add(&mut world, shape, Vector2::new(0.0, 0.05));
    world.state(block).velocity = Vector2::new(1.0, 0.0);
    let mut simulation = world.build();
    (0..600).for_each(|_| _ = simulation.step().unwrap());
    let state = simulation.bodies.find(block).unwrap();
    let expected = 1.0 / (2.0 * 0.3 * GRAVITY);
    assert!(state.velocity.norm() < 1e-4, "{} m/s", state.velocity.norm());
    assert!((state.position.x - expected).abs() < 1e-6, "{} m, {expected} expected", state.position.x);
}

/// Spheres of a pile, and their radius.
const BODIES: u32 = 40;
const RADIUS: f64 = 0.05;

/// Deformable and rigid spheres that fall into a box.
fn pile<X: Dim>(subdomains: u32) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-3, 0.1);
    let mesh = VolumeMesh::ball(RADIUS, target(0.6 * RADIUS, default_kind::<X>())).unwrap();
    let shape = mesh_shape(&mut world, &mesh, RUBBER, PlaneState::Strain);
    world.open_box(0.6);
    let mut dice = Dice(3);
    for i in 0..BODIES {
        let column = |k: u32| if k + 1 == X::D as u32 { i / 5u32.pow(k) } else { i / 5u32.pow(k) % 5 };
        let place = X::Vector::from_fn(|k| 0.06 + 0.11 * f64::from(column(k as u32)) + 0.005 * dice.roll());
        let id = if i % 3 == 0 { world.ball(place, RADIUS) } else { add(&mut world, shape, place) };
        world.state(id).velocity = X::Vector::axis(X::D - 1) * -0.5;
    }
    world
}

fn default_kind<X: Dim>() -> ElementKind {
    if X::HAS_DEPTH { ElementKind::Tet4 } else { ElementKind::T3 }
}

/// Number of the shape of the deformable bodies of a pile.
const MESHED: u32 = 2;

/// The simulation as it is after a checkpoint and a restart.
fn restarted<X: Dim>(simulation: Simulation<X>, comm: &Arc<dyn Comm>, subdomains: u32) -> Simulation<X> {
    // The launcher is the parent of all processes.
    let name = format!("nscdd-deformable-{}-{}-{subdomains}.h5", std::os::unix::process::parent_id(), X::D);
    let path = std::env::temp_dir().join(name);
    let smallest = simulation.model.shapes[MESHED as usize].characteristic().unwrap();
    let counters = PopulationCounters { spheres: (2 * BODIES).into(), smallest, ..PopulationCounters::default() };
    let counts = RunCounts::default();
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
        counts: &counts,
        warnings: &simulation.warnings,
        scene: "",
    };
    checkpoint::write(&path, &content).unwrap();
    let restored = checkpoint::read::<X>(&**comm, &VerifiedFile::open(&**comm, &path).unwrap()).unwrap();
    assert_eq!(restored.bodies.nodes().is_empty(), restored.bodies.states().iter().all(|state| state.shape != MESHED));
    let mut world = pile::<X>(subdomains);
    (world.states, world.nodes) = (Vec::new(), Vec::new());
    let mut again = world.build_on(comm.clone());
    again.bodies = restored.bodies;
    let (clock, sums) = (simulation.clock, simulation.sums);
    again.restore(clock, sums, counters, restored.history, restored.cuts);
    // Nobody reads the file any more.
    comm.all_gather(Vec::new());
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
    bits_by_id(&simulation, &*comm)
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
    frame(simulation.domain(), model, bodies, simulation.loaded_nodes(), clock.time, simulation.step_length())
}

#[test]
fn frames_hold_the_nodes_of_deformable_bodies_with_stresses_and_the_elements_between_them() {
    let mut simulation = pile::<Plane>(1).build();
    (0..200).for_each(|_| _ = simulation.step().unwrap());
    let frame = shown(&simulation);
    let values = |name: &str| match &frame.point_fields.iter().find(|field| field.name == name).unwrap().values {
        FieldValues::Float(values) => values.clone(),
        FieldValues::Integer(values) => values.iter().map(|&value| value as f64).collect(),
    };
    let mesh = simulation.model.shapes[MESHED as usize].as_meshed().unwrap();
    let meshed = simulation.bodies.states().iter().filter(|state| state.shape == MESHED).count();
    let is_node: Vec<bool> = values("node").iter().map(|&node| node >= 0.0).collect();
    assert_eq!(is_node.iter().filter(|is_node| **is_node).count(), meshed * mesh.mesh.nodes.len());
    assert!(frame.polygons.len() >= meshed * mesh.mesh.elements.len());
    let stress = values("von_mises");
    assert!(stress.iter().zip(&is_node).all(|(stress, is_node)| *is_node || *stress == 0.0));
    assert!(stress.iter().any(|stress| *stress > 100.0), "the pile bears its weight");
}

/// Contact pressure at the nodes of a block at rest on a floor without friction: its weight over its base, at corners
/// too.
fn rests<X: Dim>(mesh: &VolumeMesh<X>, height: f64) {
    let mut world = World::<X>::new(1e-2).law(Coulomb { friction: 0.0, rolling: 0.0 }).tolerance(1e-10, 1e-6);
    world.plan.solver.max_sweeps = 20_000;
    // With a Poisson number the corners would lift: the block bulges below more than above.
    let material = ElasticMaterial { poisson: 0.0, damping: 1e-2, mass_damping: 10.0, ..RUBBER };
    let shape = mesh_shape(&mut world, mesh, material, PlaneState::Strain);
    world.floor();
    add(&mut world, shape, X::Vector::axis(X::D - 1) * (0.5 * height));
    let mut simulation = world.build();
    (0..200).for_each(|_| _ = simulation.step().unwrap());
    let frame = shown(&simulation);
    let values = |name: &str| match &frame.point_fields.iter().find(|field| field.name == name).unwrap().values {
        FieldValues::Float(values) => values.clone(),
        FieldValues::Integer(values) => values.iter().map(|&value| value as f64).collect(),
    };
    let nodes = values("node");
    let (pressures, expected) = (values("contact_pressure"), RUBBER.density * GRAVITY * height);
    let mut touching = 0;
    for ((point, pressure), node) in frame.points.iter().zip(&pressures).zip(&nodes) {
        let is_below = *node >= 0.0 && point[X::D - 1] < 0.01 * height;
        touching += usize::from(is_below);
        let off = pressure - if is_below { expected } else { 0.0 };
        assert!(off.abs() < 1e-4 * expected, "{pressure} Pa at {point:?}, {expected} expected");
    }
    assert!(touching > 3, "{touching}");
    // The strain is largest at the base.
    let strains = values("principal_strain");
    let least = strains.chunks(3).map(|own| own[2]).fold(0.0, f64::min);
    assert!((-least * RUBBER.young / expected - 1.0).abs() < 0.3, "{least}");
}

#[test]
fn the_contact_pressure_under_a_block_at_rest_is_its_weight_over_its_base() {
    rests::<Plane>(&VolumeMesh::grid(Vector2::new(0.2, 0.1), &[6, 3], ElementKind::Q4).unwrap(), 0.1);
    rests::<Plane>(&VolumeMesh::grid(Vector2::new(0.2, 0.1), &[4, 2], ElementKind::T6).unwrap(), 0.1);
    rests::<Space>(&VolumeMesh::grid(Vector3::new(0.2, 0.1, 0.1), &[3, 2, 2], ElementKind::Hex8).unwrap(), 0.1);
}

#[test]
fn the_contact_pressure_under_quadratic_tetrahedra_is_uniform_too() {
    rests::<Space>(&VolumeMesh::grid(Vector3::new(0.2, 0.1, 0.1), &[2, 1, 1], ElementKind::Tet10).unwrap(), 0.1);
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
    comm.all_gather(Vec::new());
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
fn the_stress_of_elements_has_the_same_bits_on_one_and_on_three_processes() {
    fn stress_of_pile<X: Dim>(comm: &Arc<dyn Comm>) -> Vec<u64> {
        let mut simulation = pile::<X>(4).build_on(comm.clone());
        (0..60).for_each(|_| _ = simulation.step().unwrap());
        let entry = MeasureEntry { stress: Some(StressMeasure::default()), ..MeasureEntry::default() };
        let named = measures::<X>(&[entry], true).pop().unwrap();
        let (row, count) = (named.measure.rows(&simulation.view()).remove(0), named.measure.quantities().len());
        assert!(row.len() == count && row[count - 1] > 0.0, "{row:?}");
        row.iter().map(|value| value.to_bits()).collect()
    }
    fn same_stress<X: Dim>(comm: &Arc<dyn Comm>) {
        let alone: Arc<dyn Comm> = Arc::new(SerialComm);
        assert!(stress_of_pile::<X>(&alone) == stress_of_pile::<X>(comm), "{} dimensions", X::D);
    }
    let name = "deformable::the_stress_of_elements_has_the_same_bits_on_one_and_on_three_processes";
    on_processes(3, name, |comm| {
        same_stress::<Plane>(comm);
        same_stress::<Space>(comm);
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
