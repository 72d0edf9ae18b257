//! Fast impacts of deformable bodies.

use std::path::Path;

use crate::support::simulate;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

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
