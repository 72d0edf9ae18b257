//! Momentum and angular momentum of deformable bodies, and their balance of energy, in free collisions.

use crate::meshed::{add, mesh_shape, target};
use crate::support::{World, invariants};
use nalgebra::Vector3;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;

const RUBBER: ElasticMaterial =
    ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };

/// Two bodies that fly at each other off centre, with friction, spinning.
fn collides<X: Dim>(mesh: &VolumeMesh<X>, radius: f64) {
    let mut world =
        World::<X>::new(2e-4).weightless().law(Coulomb { friction: 0.4, rolling: 0.0 }).tolerance(1e-9, 1e-6);
    world.plan.solver.max_sweeps = 20_000;
    let shape = mesh_shape(&mut world, mesh, RUBBER, PlaneState::Strain);
    let offset = X::Vector::axis(0) * (1.05 * radius) + X::Vector::axis(X::D - 1) * (0.3 * radius);
    for (side, spin) in [(1.0, 3.0), (-1.0, 1.0)] {
        let id = add(&mut world, shape, offset * side);
        world.state(id).velocity = X::Vector::axis(0) * (-2.0 * side);
        world.state(id).spin = X::Spin::from_fn(|_| spin);
    }
    let mut simulation = world.build();
    let (momentum, angular, _) = invariants(&simulation);
    let scale = simulation.bodies.states()[0].mass * 2.0;
    let (mut touched, mut worst) = (0, [0.0f64; 2]);
    for step in 0..600 {
        let report = simulation.step().unwrap();
        touched += u32::from(report.totals.carrying > 0);
        let (p, l, _) = invariants(&simulation);
        worst[0] = worst[0].max((p - momentum).norm() / scale);
        worst[1] = worst[1].max((l - angular).norm() / (scale * radius));
        let energy = report.energy;
        let error = energy.imbalance.abs() / energy.exchanged.max(1e-6 * energy.kinetic);
        assert!(error < 1e-9, "step {step}: {error:e} of what was exchanged");
    }
    assert!(worst[0] < 1e-12 && worst[1] < 1e-12, "{worst:?}");
    assert!(touched > 20, "{touched} steps in contact");
    let stored = simulation.sums.energy.transfers.stored;
    assert!(stored > 0.0, "{stored} J: they vibrate after the collision");
}

#[test]
fn deformable_bodies_that_collide_keep_momentum_and_their_energy_books_close() {
    collides::<Plane>(&VolumeMesh::ball(0.1, target(0.03, ElementKind::T3)).unwrap(), 0.1);
    collides::<Plane>(&VolumeMesh::ball(0.1, target(0.04, ElementKind::T6)).unwrap(), 0.1);
    collides::<Space>(&VolumeMesh::ball(0.1, target(0.06, ElementKind::Tet4)).unwrap(), 0.1);
    let cube = VolumeMesh::block(Vector3::repeat(0.16), target(0.08, ElementKind::Hex8)).unwrap();
    collides::<Space>(&cube, 0.1);
}

/// The greatest change of the angular momentum over this, of two bars in space, elastic or rigid, that collide.
fn turned(is_rigid: bool, h: f64) -> f64 {
    let mut world =
        World::<Space>::new(h).weightless().law(Coulomb { friction: 0.4, rolling: 0.0 }).tolerance(1e-9, 1e-6);
    let half = Vector3::new(0.12, 0.06, 0.04);
    let stone = ElasticMaterial { young: 1e8, ..RUBBER };
    let mesh = VolumeMesh::grid(half * 2.0, &[6, 3, 2], ElementKind::Hex8).unwrap();
    let shape = mesh_shape(&mut world, &mesh, stone, PlaneState::Strain);
    for side in [1.0, -1.0] {
        let place = Vector3::new(0.05, 0.062, 0.02) * side;
        let id = if is_rigid { world.cuboid(place, half) } else { add(&mut world, shape, place) };
        if !is_rigid {
            world.state(id).orientation = world.shapes[shape as usize].as_meshed().unwrap().mass.orientation;
        }
        world.state(id).velocity = Vector3::new(0.0, -2.0 * side, 0.0);
    }
    let mut simulation = world.build();
    let (_, angular, _) = invariants(&simulation);
    let mut worst = 0.0f64;
    for _ in 0..(0.005 / h).round() as u32 {
        simulation.step().unwrap();
        let (_, l, _) = invariants(&simulation);
        worst = worst.max((l - angular).norm() / angular.norm());
    }
    worst
}

#[test]
fn impacts_of_elastic_and_rigid_bars_in_space_keep_the_angular_momentum() {
    // Their moments of inertia are not equal: impulses at mid-step, at the orientation and inertia that bodies have there.
    for is_rigid in [true, false] {
        let change = turned(is_rigid, 1e-4);
        assert!(change < 1e-12, "rigid: {is_rigid}: {change:e}");
    }
}
