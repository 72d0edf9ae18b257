//! Kinds of contact problem for the comparison of solvers: each is a simulation whose next step is the problem.
#![allow(dead_code, unreachable_pub)]

pub mod least;

use nalgebra::{Vector2, Vector3};
use nscdd::contactor::Polytope;
use nscdd::contactor::Radii;
use nscdd::dim::{Dim, Space};
use nscdd::law::Coulomb;
use nscdd::simulation::Simulation;

use crate::support::{Dice, World};

pub const STEP: f64 = 1e-3;

/// Name and constructor; the constructor takes the friction coefficient.
pub type Kind = (&'static str, fn(f64) -> Simulation<Space>);

pub const ALL: [Kind; 8] = [
    ("heap", heap),
    ("settling", settling),
    ("impact", impact),
    ("shear", shear),
    ("column", column),
    ("polydisperse", polydisperse),
    ("wall", wall),
    ("polyhedra", polyhedra),
];

fn world(friction: f64) -> World<Space> {
    let mut world = World::new(STEP).tolerance(1e-3, 0.3).law(Coulomb { friction, rolling: 0.0 });
    world.plan.solver.max_sweeps = 1000;
    world
}

/// Spheres deposited one by one, then shrunk by `shrink`.
fn deposited(count: u64, edge: f64, radii: Radii, shrink: f64, friction: f64) -> Simulation<Space> {
    let mut world = world(friction);
    world.deposit(edge, count, radii, shrink);
    world.build()
}

pub fn advance(simulation: &mut Simulation<Space>, steps: usize) {
    (0..steps).for_each(|_| _ = simulation.step().unwrap());
}

fn each_velocity(simulation: &mut Simulation<Space>, change: impl Fn(Vector3<f64>) -> Vector3<f64>) {
    let model = &simulation.model;
    for state in simulation.bodies.states_mut() {
        if !model.is_prescribed(state) {
            state.velocity += change(state.position);
        }
    }
}

fn packing(friction: f64, steps: usize) -> Simulation<Space> {
    let mut simulation = deposited(2500, 1.3, Radii::Uniform(0.04, 0.06), 0.98, friction);
    advance(&mut simulation, steps);
    simulation
}

fn heap(friction: f64) -> Simulation<Space> {
    packing(friction, 400)
}

fn settling(friction: f64) -> Simulation<Space> {
    packing(friction, 80)
}

/// A heap dropped on the floor.
fn impact(friction: f64) -> Simulation<Space> {
    let mut simulation = packing(friction, 200);
    each_velocity(&mut simulation, |_| Vector3::new(0.0, 0.0, -2.0));
    simulation
}

/// A heap whose top moves sideways.
fn shear(friction: f64) -> Simulation<Space> {
    let mut simulation = packing(friction, 200);
    each_velocity(&mut simulation, |at| Vector3::new(2.0 * (at.z - 0.8), 0.0, 0.0));
    advance(&mut simulation, 10);
    simulation
}

/// A column sixty spheres high.
fn column(friction: f64) -> Simulation<Space> {
    let mut simulation = deposited(1200, 0.4, Radii::Uniform(0.04, 0.06), 0.99, friction);
    advance(&mut simulation, 100);
    simulation
}

fn polydisperse(friction: f64) -> Simulation<Space> {
    let mut simulation = deposited(2500, 1.0, Radii::Uniform(0.02, 0.08), 0.98, friction);
    advance(&mut simulation, 100);
    simulation
}

/// Running bond, fifteen courses of sixteen bricks.
fn wall(friction: f64) -> Simulation<Space> {
    let mut world = world(friction);
    world.floor();
    let half = Vector3::new(0.125, 0.06, 0.04);
    for (course, brick) in (0..15).flat_map(|course| (0..16).map(move |brick| (course, brick))) {
        let along = 0.25 * f64::from(brick) + 0.125 * f64::from(course % 2);
        world.cuboid(Vector3::new(along, 0.0, 0.04 + 0.08 * f64::from(course)), half);
    }
    let mut simulation = world.build();
    advance(&mut simulation, 20);
    simulation
}

/// Irregular stones fallen into a box.
fn polyhedra(friction: f64) -> Simulation<Space> {
    let mut world = world(friction);
    world.open_box(0.8);
    let mut dice = Dice(3);
    let stones: Vec<_> = (0..8)
        .map(|_| {
            let corners: Vec<_> = (0..14)
                .map(|_| {
                    let (z, angle) = (2.0 * dice.roll() - 1.0, std::f64::consts::TAU * dice.roll());
                    let flat = Vector2::new(angle.cos(), angle.sin()) * (1.0 - z * z).sqrt();
                    Vector3::new(flat.x, flat.y, z)
                })
                .collect();
            Polytope::<Space>::hull(&corners).unwrap()
        })
        .collect();
    for site in 0..480 {
        let at = Vector3::new(f64::from(site % 7), f64::from(site / 7 % 7), f64::from(site / 49));
        let (polytope, mass) = &stones[site as usize % stones.len()];
        let id = world.block(at * 0.112 + Vector3::repeat(0.06), polytope, *mass, 0.05);
        world.state(id).orientation = Space::random_orientation(std::array::from_fn(|_| dice.roll()));
        world.state(id).velocity = Vector3::new(0.0, 0.0, -0.5);
    }
    let mut simulation = world.build();
    advance(&mut simulation, 150);
    simulation
}
