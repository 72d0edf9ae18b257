//! Sweeps that contacts of deformable bodies need: with the impulses of the last step, and in many subdomains.

use crate::meshed::{add, mesh_shape, target};
use crate::support::World;
use nalgebra::Vector2;
use nscdd::dim::Plane;
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::law::Coulomb;
use nscdd::simulation::Simulation;

/// Sweeps of every step; all converge.
fn sweeps(simulation: &mut Simulation<Plane>, steps: u32) -> Vec<f64> {
    let step = |step| {
        let certificate = simulation.step().unwrap().certificate;
        assert!(certificate.converged, "step {step}: {certificate:?}");
        f64::from(certificate.sweeps)
    };
    (0..steps).map(step).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Five blocks on each other that start undeformed.
fn stack(warm_start: bool) -> Simulation<Plane> {
    let h = 2e-3;
    let mut world = World::<Plane>::new(h).law(Coulomb { friction: 0.5, rolling: 0.0 }).tolerance(1e-4, 1e-3);
    world.plan.integrator.theta = 1.0;
    world.plan.solver.warm_start = warm_start;
    let stone = ElasticMaterial { density: 2000.0, young: 1e8, poisson: 0.2, damping: h, mass_damping: 20.0 };
    let mesh = VolumeMesh::block(Vector2::new(0.4, 0.2), target(0.1, ElementKind::Q4)).unwrap();
    let shape = mesh_shape(&mut world, &mesh, stone, PlaneState::Strain);
    world.floor();
    for k in 0..5 {
        add(&mut world, shape, Vector2::new(0.03 * f64::from(k % 2), 0.1 + 0.2 * f64::from(k)));
    }
    world.build()
}

#[test]
fn a_stack_at_rest_needs_several_times_fewer_sweeps_from_the_impulses_of_the_last_step() {
    let [warm, cold] = [true, false].map(|warm_start| sweeps(&mut stack(warm_start), 300));
    println!("warm {:?}, cold {:?}", [warm[0], mean(&warm[200..])], [cold[0], mean(&cold[200..])]);
    assert_eq!(warm[0], cold[0], "there is no last step yet");
    let [warm_rest, cold_rest] = [&warm, &cold].map(|all| mean(&all[200..]));
    assert!(
        3.0 * warm_rest < cold_rest.min(warm[0]),
        "{warm_rest} and {cold_rest} sweeps a step at rest, {} first",
        warm[0]
    );
}

/// Mean sweeps of a step of an elastic slab that falls on sixty disks in a row; the velocities of the bodies at the end.
fn slab(subdomains: u32) -> (f64, f64) {
    const DISKS: u32 = 60;
    let (h, radius) = (5e-4, 0.05);
    let mut world = World::<Plane>::new(h).subdomains(subdomains).tolerance(1e-3, 5e-3);
    let length = 2.0 * radius * f64::from(DISKS);
    let soft = ElasticMaterial { density: 2000.0, young: 5e8, poisson: 0.3, damping: 0.1 * h, mass_damping: 0.0 };
    let mesh = VolumeMesh::block(Vector2::new(length, 0.1), target(0.05, ElementKind::Q4)).unwrap();
    let shape = mesh_shape(&mut world, &mesh, soft, PlaneState::Strain);
    world.floor();
    let slab = add(&mut world, shape, Vector2::new(0.5 * length, 2.0 * radius + 0.05));
    for k in 0..DISKS {
        world.ball(Vector2::new(radius * f64::from(2 * k + 1), radius), radius);
    }
    let mut simulation = world.build();
    assert_eq!(simulation.domain().subdomains().len(), subdomains as usize);
    let sweeps = mean(&sweeps(&mut simulation, 60));
    let height = simulation.bodies.find(slab).unwrap().position.y;
    (sweeps, height)
}

#[test]
fn a_slab_whose_contacts_lie_in_many_subdomains_converges_in_hardly_more_sweeps_than_in_one() {
    let [one, eight, many] = [1, 8, 32].map(slab);
    println!("{one:?}, {eight:?}, {many:?}");
    for (sweeps, height) in [eight, many] {
        assert!(sweeps < 1.5 * one.0, "{sweeps} sweeps a step, {} in one subdomain", one.0);
        assert!((height - one.1).abs() < 1e-6, "{height} m, {} m in one subdomain", one.1);
    }
}
