//! Impacts of deformable bodies in steps that do not resolve their contact.

use crate::meshed::{add, mesh_shape, target};
use crate::support::World;
use nalgebra::Vector2;
use nscdd::dim::Plane;
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;

/// Two disks of this stiffness collide off centre at 20 m/s, with the default tolerances and damping; returns the energy after over
/// that before.
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
