//! A biaxial test of disks that are meshed, and of rigid polygons with the same outlines: the limit of stiff bodies in
//! a granular sample.

use std::fmt::Write;
use std::path::Path;

use crate::deformable_loads::measured;
use crate::long::or_long;
use crate::support::simulate;
use nscdd::body::State;
use nscdd::dim::{Angle, Plane};
use nscdd::model::{Control, Signal};
use nscdd::scene::{MeasureEntry, ReactionMeasure, Scene};
use nscdd::simulation::Simulation;

const PRESSURE: f64 = 1e5;
/// Ids of the walls; those of the disks follow.
const TOP: u64 = 1;
const SIDE: u64 = 3;
const FIRST: u64 = 4;
/// Strain at which the stresses are compared, and the number of steps to it.
const STRAIN: f64 = 1e-5;
const STEPS: u32 = 20;
const H: f64 = 1e-3;

/// Statics without friction at the walls.
const HEAD: &str = "world = { dimension = 2, gravity = [0, 0] }\ntime = { step = 1e-3, theta = 1, end = 99 }\n\
    solver = { tolerance = 1e-4, velocity_error = 1e-2, max_sweeps = 20000 }\n\
    materials.wall.density = 2500\n[[laws]]\nbetween = [\"grain\", \"grain\"]\ncoulomb = { friction = 0.3 }\n\
    [[laws]]\nbetween = [\"wall\", \"*\"]\nfrictionless = {}\n";

fn scene(bodies: &str, young: f64) -> Simulation<Plane> {
    let grain = format!(
        "materials.grain = {{ density = 2500, elastic = {{ young = {young}, poisson = 0.3, damping = 1e-3, mass_damping = 1 }} }}\n"
    );
    let head = HEAD.replace("materials.wall", &format!("{grain}materials.wall"));
    simulate(&Scene::parse(&format!("{head}{bodies}"), "test", Path::new(""), &[]).unwrap())
}

/// Disks of three radii as if dropped one by one into a box, each with the corners of its mesh in its own frame.
struct Sample {
    disks: Vec<Disk>,
    width: f64,
    height: f64,
}

struct Disk {
    position: [f64; 2],
    radius: f64,
    corners: Vec<[f64; 2]>,
}

impl Sample {
    fn new(across: f64, count: u32, seed: u32) -> Self {
        let deposit = format!(
            "[[generators]]\nmaterial = \"grain\"\nmesh.size = 0.035\nseed = {seed}\n\
             deposit = {{ min = [0, 0], max = [{across}, 99], count = {count}, radius = {{ list = [0.08, 0.1, 0.12] }} }}\n"
        );
        let packing = scene(&deposit, 1e9);
        let disk = |state: &State<Plane>| {
            let mesh = packing.model.shape(state).as_meshed().unwrap();
            let mut corners: Vec<[f64; 2]> =
                mesh.surface.nodes.iter().map(|&node| mesh.mesh.nodes[node as usize]).map(|p| [p.x, p.y]).collect();
            corners.sort_by(|a, b| a[1].atan2(a[0]).total_cmp(&b[1].atan2(b[0])));
            let radius = corners[0][0].hypot(corners[0][1]);
            Disk { position: [state.position.x, state.position.y], radius, corners }
        };
        let disks: Vec<Disk> = packing.bodies.states().iter().map(disk).collect();
        let most = |k: usize| disks.iter().map(|disk| disk.position[k] + disk.radius).fold(0.0, f64::max);
        let (width, height) = (most(0) + 1e-3, most(1) + 1e-3);
        Self { disks, width, height }
    }

    /// Walls of which two press, and the disks, rigid or meshed.
    fn text(&self, is_rigid: bool) -> String {
        let Self { width, height, .. } = self;
        let wall = |id: u64, size: [f64; 2], at: [f64; 2], more: &str| {
            format!("[[bodies]]\nid = {id}\nmaterial = \"wall\"\nbox.size = {size:?}\nposition = {at:?}\n{more}\n")
        };
        // Clearances at both ends keep the walls apart.
        let (long, low) = (width + 2.0, 0.9 * height);
        let press = |axis: &str, held: &str, force: f64| {
            format!("driven = {{ velocity = {{ {held} = 0, r = 0 }}, force.{axis} = {force} }}")
        };
        let mut text = wall(0, [long, 0.2], [0.5 * width, -0.1], "fixed = true");
        text += &wall(TOP, [long, 0.2], [0.5 * width, height + 0.1], &press("y", "x", -PRESSURE * width));
        text += &wall(2, [0.2, low], [-0.1, 0.5 * height], "fixed = true");
        text += &wall(SIDE, [0.2, low], [width + 0.1, 0.5 * height], &press("x", "y", -PRESSURE * height));
        for (id, Disk { position, radius, corners }) in (FIRST..).zip(&self.disks) {
            write!(text, "[[bodies]]\nid = {id}\nmaterial = \"grain\"\nposition = {position:?}\n").unwrap();
            match is_rigid {
                true => writeln!(text, "polygon.vertices = {corners:?}").unwrap(),
                false => writeln!(text, "disk.radius = {radius}\nmesh.size = 0.035").unwrap(),
            }
        }
        text
    }
}

/// Prescribes the velocity of the upper wall from now on.
fn drive(simulation: &mut Simulation<Plane>, velocity: f64) {
    let motion = simulation.bodies.find(TOP).unwrap().motion;
    simulation.model.motions[motion as usize].controls[1] = Control::Velocity(Signal::Constant(velocity));
}

/// Pressure on the upper wall over that on the side wall.
fn ratio(simulation: &Simulation<Plane>) -> f64 {
    let entry =
        || MeasureEntry { reaction: Some(ReactionMeasure { bodies: vec![TOP, SIDE] }), ..MeasureEntry::default() };
    let [up, across] = [format!("body_{TOP}_force_y_N"), format!("body_{SIDE}_force_x_N")]
        .map(|column| measured(simulation, entry(), &column));
    let place = |id: u64| simulation.bodies.find(id).unwrap().position;
    let (width, height) = (place(SIDE).x - 0.1, place(TOP).y - 0.1);
    (up / width) / (across / height)
}

/// Steps until the walls have not moved faster than `speed` for twenty steps; disks between which nothing presses may
/// drift.
fn settle(simulation: &mut Simulation<Plane>, speed: f64) {
    let mut still = 0;
    for _ in 0..5000 {
        simulation.step().unwrap();
        let moving = [TOP, SIDE].map(|id| simulation.bodies.find(id).unwrap().velocity.norm());
        still = if moving.iter().all(|moving| *moving < speed) { still + 1 } else { 0 };
        if still == 20 {
            return;
        }
    }
    panic!("the walls do not come to rest");
}

/// Stress ratios of a consolidated sample before the compression and at the strain.
fn compressed(sample: &Sample, consolidated: &Simulation<Plane>, turns: &[Angle], young: Option<f64>) -> [f64; 2] {
    let mut simulation = scene(&sample.text(young.is_none()), young.unwrap_or(1e9));
    for (state, start) in simulation.bodies.states_mut().iter_mut().zip(turns) {
        let place = consolidated.bodies.find(state.id.0).unwrap();
        state.position = place.position;
        // Corners are given in the frame of the mesh.
        state.orientation = Angle(place.orientation.0 - if young.is_none() { 0.0 } else { start.0 });
    }
    settle(&mut simulation, 1e-5);
    let isotropic = ratio(&simulation);
    let height = simulation.bodies.find(TOP).unwrap().position.y - 0.1;
    drive(&mut simulation, -STRAIN * height / (f64::from(STEPS) * H));
    for step in 0..STEPS {
        assert!(simulation.step().unwrap().certificate.converged, "step {step} with {young:?}");
    }
    [isotropic, ratio(&simulation)]
}

#[test]
fn a_biaxial_test_of_disks_approaches_that_of_rigid_ones_the_stiffer_they_are() {
    let (across, count, seed) = or_long((0.8, 20, 2), (1.55, 64, 4));
    let sample = Sample::new(across, count, seed);
    let mut consolidated = scene(&sample.text(true), 1e9);
    let turns: Vec<Angle> = consolidated.bodies.states().iter().map(|state| state.orientation).collect();
    settle(&mut consolidated, 1e-6);
    let found = |young: Option<f64>| compressed(&sample, &consolidated, &turns, young);
    let rigid = found(None);
    let moduli = [1e14, 5e10, 5e9, 1e9, 2e8];
    let all = moduli.map(|young| found(Some(young)));
    println!("rigid {rigid:?}, deformable {all:?}");
    assert!((all[0][1] - rigid[1]).abs() < 0.01 && rigid[1] > 1.1, "{all:?}, rigid {rigid:?}");
    // Softer disks lie below; where both have reached the strength of the sample they differ by the accuracy of a step.
    assert!(all.windows(2).all(|pair| pair[1][1] < pair[0][1] + 1e-3), "{all:?}");
    assert!(all[1..].windows(2).all(|pair| pair[1][1] < pair[0][1] - 0.01), "{all:?}");
    for ([before, after], young) in all.into_iter().zip(moduli) {
        // Walls and disks move a little while they come to rest. The sample is softer than a solid of its material.
        let solid = young / (1.0 - 0.3 * 0.3) * STRAIN / PRESSURE;
        assert!((before - 1.0).abs() < 0.02 && after - before < solid, "{young}: {before}, then {after}");
    }
}
