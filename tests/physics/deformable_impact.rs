//! Impacts of deformable bodies, also in steps that do not resolve their contact.

use std::path::Path;

use crate::meshed::{add, mesh_shape, target};
use crate::support::{World, simulate};
use nalgebra::Vector2;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// Two disks of this stiffness collide off centre at 20 m/s, with the default tolerances and damping; returns the
/// energy after over that before.
fn collide(young: f64, h: f64) -> f64 {
    let radius = 0.1;
    let mut world =
        World::<Plane>::new(h).weightless().law(Coulomb { friction: 0.4, rolling: 0.0 }).tolerance(1e-3, 0.2);
    let material = ElasticMaterial { density: 2000.0, young, poisson: 0.3, damping: 0.1 * h, mass_damping: 0.0 };
    let mesh = VolumeMesh::ball(radius, target(0.008, ElementKind::T3)).unwrap();
    let shape = mesh_shape(&mut world, &mesh, material, PlaneState::Strain);
    for side in [1.0, -1.0] {
        let id = add(&mut world, shape, Vector2::new(1.02, 0.15) * (side * radius));
        world.state(id).velocity.x = -10.0 * side;
    }
    let mut simulation = world.build();
    let (mut start, mut last) = (None, f64::INFINITY);
    for step in 0..150 {
        let energy = simulation.step().unwrap().energy;
        let total = energy.kinetic + energy.transfers.stored;
        assert!(total < last * (1.0 + 1e-9), "{young:e} Pa, {h:e} s, step {step}: {total} J after {last} J");
        start = start.or(Some(total));
        last = total;
    }
    last / start.unwrap()
}

#[test]
fn disks_that_collide_in_coarse_steps_lose_energy_and_never_gain_any() {
    for young in [1e7, 1e9, 5e10] {
        let left: Vec<f64> = [1e-5, 2e-5, 5e-5, 1e-4].into_iter().map(|h| collide(young, h)).collect();
        assert!(left.iter().all(|left| *left < 1.0), "{young:e} Pa: {left:?}");
    }
}

/// Two equal meshed balls of 5 cm that fly at each other with 20 m/s, at `offset` from their line of centres.
fn balls<X: Dim>(mesh: f64, step: f64, young: f64, offset: f64) -> Simulation<X> {
    let shape = if X::HAS_DEPTH { "sphere" } else { "disk" };
    let vector = |x: f64, y: f64| format!("{:?}", &[x, y, 0.0][..X::D]);
    let ball = |side: f64| {
        let (position, velocity) = (vector(0.0505 * side, offset * side), vector(-20.0 * side, 0.0));
        format!(
            "[[bodies]]\nmaterial = \"stuff\"\n{shape}.radius = 0.05\nmesh.size = {mesh}\nposition = {position}\n\
             velocity = {velocity}\n"
        )
    };
    let head = format!(
        "world = {{ dimension = {}, gravity = {} }}\ntime = {{ step = {step}, end = 1 }}\n\
         materials.stuff = {{ density = 7800, elastic = {{ young = {young}, poisson = 0.3 }} }}\n\
         laws = [{{ between = [\"*\", \"*\"], coulomb = {{ friction = 0.3 }} }}]\n",
        X::D,
        vector(0.0, 0.0)
    );
    simulate(&Scene::parse(&format!("{head}{}{}", ball(-1.0), ball(1.0)), "test", Path::new(""), &[]).unwrap())
}

/// The largest kinetic and strain energy together over that of the start, in a collision.
fn largest_energy<X: Dim>(mesh: f64, step: f64, young: f64, offset: f64) -> f64 {
    let mut simulation = balls::<X>(mesh, step, young, offset);
    let (mut start, mut most, mut touched) = (None, 0.0f64, false);
    for _ in 0..(1.5e-3 / step) as u64 {
        let report = simulation.step().unwrap();
        let total = report.kinetic_energy + report.energy.transfers.stored;
        let start = *start.get_or_insert(total);
        touched |= report.totals.carrying > 0;
        most = most.max(total / start);
    }
    assert!(touched, "they collide");
    most
}

#[test]
fn balls_that_collide_corner_to_corner_gain_no_energy_whatever_mesh_and_step() {
    for (step, young) in [(5e-6, 1e9), (2e-5, 1e9), (2e-5, 5e10), (5e-5, 5e10), (2e-4, 2e11)] {
        for offset in [0.0, 0.003, 0.02] {
            for mesh in [0.02, 0.04] {
                let most = [
                    largest_energy::<Plane>(mesh, step, young, offset),
                    largest_energy::<Space>(mesh, step, young, offset),
                ];
                assert!(
                    most.iter().all(|most| *most < 1.0 + 1e-6),
                    "{most:?}: {step} s, {young} Pa, {offset} m, {mesh} m"
                );
            }
        }
    }
}
