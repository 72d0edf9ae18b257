//! Deformable bodies without contact and in the limit of stiff bodies.

use crate::meshed::{add, mesh_shape, target};
use crate::support::{World, invariants};
use nalgebra::Vector2;
use nscdd::dim::{Angle, Plane};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;

/// Largest distance of the centres, over the edge of the block, of a block of this stiffness and of a rigid one, which
/// fall on a corner, topple and come to rest on a floor.
fn deviation(young: f64) -> f64 {
    let (h, edge) = (1e-3, 0.2);
    let material = ElasticMaterial { density: 1000.0, young, poisson: 0.3, damping: 0.1 * h, mass_damping: 0.0 };
    let path = |is_rigid: bool| {
        let mut world = World::<Plane>::new(h).law(Coulomb { friction: 0.5, rolling: 0.0 }).tolerance(1e-9, 1e-5);
        let centre = Vector2::new(0.0, edge * 0.5f64.sqrt() + 1e-3);
        world.floor();
        let block = if is_rigid {
            world.cuboid(centre, Vector2::repeat(0.5 * edge))
        } else {
            let mesh = VolumeMesh::block(Vector2::repeat(edge), target(0.05, ElementKind::Q4)).unwrap();
            let shape = mesh_shape(&mut world, &mesh, material, PlaneState::Strain);
            add(&mut world, shape, centre)
        };
        world.state(block).orientation = Angle(0.6);
        let mut simulation = world.build();
        let step = |_| {
            simulation.step().unwrap();
            simulation.bodies.find(block).unwrap().position
        };
        (0..300).map(step).collect::<Vec<_>>()
    };
    let both = path(false).into_iter().zip(path(true));
    both.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max) / edge
}

#[test]
fn a_block_that_falls_on_its_corner_moves_like_a_rigid_one_the_stiffer_it_is() {
    let found: Vec<f64> = [1e10, 1e11, 1e12, 1e13, 1e14].into_iter().map(deviation).collect();
    assert!(found.windows(2).all(|pair| pair[1] < pair[0]), "{found:?}");
    assert!(found[0] < 1e-3 && found[4] < 1e-7 && found[4] < 0.2 * found[3], "{found:?}");
}

#[test]
fn a_spinning_disk_keeps_its_angular_momentum_and_its_energy_but_for_the_work_of_centrifugal_forces() {
    let mut world = World::<Plane>::new(1e-3).weightless();
    let stone = ElasticMaterial { density: 2500.0, young: 50e9, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };
    let mesh = VolumeMesh::disk_of_rings(0.1, 20, 3, ElementKind::T3).unwrap();
    let shape = mesh_shape(&mut world, &mesh, stone, PlaneState::Strain);
    let disk = add(&mut world, shape, Vector2::new(0.3, 0.2));
    world.state(disk).spin[0] = 10.0;
    world.state(disk).velocity = Vector2::new(0.0, 1.0);
    let mut simulation = world.build();
    let (momentum, angular, _) = invariants(&simulation);
    let mut worst = [0.0f64; 2];
    for _ in 0..10_000 {
        let energy = simulation.step().unwrap().energy;
        let total = energy.kinetic + energy.transfers.stored;
        let start = total - energy.transfers.scheme;
        worst[0] = worst[0].max((energy.imbalance / start).abs());
        worst[1] = worst[1].max((energy.transfers.scheme / start).abs());
    }
    let (p, l, _) = invariants(&simulation);
    assert!((p - momentum).norm() < 1e-13 * momentum.norm() && (l - angular).norm() < 1e-12 * angular.norm());
    assert!(worst[0] < 1e-10, "{:e} of the energy", worst[0]);
    assert!(worst[1] < 1e-6, "{:e} of the energy", worst[1]);
}
