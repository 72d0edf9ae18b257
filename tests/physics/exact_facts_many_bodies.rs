//! Exact facts about several bodies (A6 to A9, A11): impacts, conservation, dissipation, statics, scaling.

use crate::support::{DENSITY, Dice, GRAVITY, World, flat, invariants, reaction, run};
use nalgebra::Vector3;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::domain::InterfaceScheme;
use nscdd::law::{Coulomb, Restitution};
use nscdd::simulation::Simulation;
use nscdd::solver::Stabilisation;

/// Two spheres that just overlap, the first moving towards the second.
fn impact<X: Dim>(law: Restitution, velocity: X::Vector, spin: f64, subdomains: u32) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).weightless().law(law).subdomains(subdomains);
    let first = world.ball(X::Vector::zero(), 0.1);
    world.ball(X::Vector::axis(0) * 0.2499, 0.15);
    world.state(first).velocity = velocity;
    world.state(first).spin = X::Spin::from_fn(|k| if k == X::R - 1 { spin } else { 0.0 });
    world.build()
}

fn perfect_rebound<X: Dim>(subdomains: u32) {
    let law = Restitution { normal: 1.0, tangent: 0.0, friction: 0.0, rolling: 0.0, stiffness: 1.0 };
    let mut simulation = impact::<X>(law, flat::<X>(2.0, 0.7), 3.0, subdomains);
    let (p0, l0, e0) = invariants(&simulation);
    simulation.step().unwrap();
    assert!(simulation.bodies.find(1).unwrap().velocity[0] > 0.1, "they never met");
    let (p, l, e) = invariants(&simulation);
    assert!((p - p0).norm() < 1e-12 * p0.norm());
    assert!((l - l0).norm() < 1e-12 * l0.norm());
    assert!((e / e0 - 1.0).abs() < 1e-12);
}

#[test]
fn a6_a_frictionless_perfect_rebound_keeps_energy_and_momentum() {
    for subdomains in [1, 8] {
        perfect_rebound::<Plane>(subdomains);
        perfect_rebound::<Space>(subdomains);
    }
}

fn impulses<X: Dim>(subdomains: u32) {
    let effective = |simulation: &Simulation<X>| {
        let [a, b] = [0, 1].map(|id| simulation.bodies.find(id).unwrap().mass);
        a * b / (a + b)
    };
    for e in [0.0, 0.3, 0.9] {
        let law = Restitution { normal: e, tangent: 0.0, friction: 0.1, rolling: 0.0, stiffness: 1.0 };
        let mut simulation = impact::<X>(law, flat::<X>(2.0, 3.0), 0.0, subdomains);
        simulation.step().unwrap();
        let on_second = reaction(&simulation, 1);
        let between = X::Vector::axis(0) * 0.2499 - flat::<X>(2.0, 3.0) * 0.5e-3;
        let normal = between * (1.0 / between.norm());
        let (along, across) = (on_second.dot(&normal), on_second - normal * on_second.dot(&normal));
        let expected = (1.0 + e) * effective(&simulation) * flat::<X>(2.0, 3.0).dot(&normal);
        assert!((along / expected - 1.0).abs() < 1e-10, "normal impulse {along} for {expected}");
        // Fast and grazing: the contact slides, so the tangential impulse is at the Coulomb bound.
        assert!((across.norm() / (0.1 * expected) - 1.0).abs() < 1e-10);
    }
}

#[test]
fn a6_the_normal_impulse_is_one_plus_e_times_effective_mass_times_approach_and_sliding_adds_mu_times_it() {
    for subdomains in [1, 8] {
        impulses::<Plane>(subdomains);
        impulses::<Space>(subdomains);
    }
}

fn sticking<X: Dim>(subdomains: u32) {
    let tau = 0.4;
    let law = Restitution { normal: 0.5, tangent: tau, friction: 5.0, rolling: 0.0, stiffness: 1.0 };
    let mut simulation = impact::<X>(law, flat::<X>(2.0, 0.5), 0.0, subdomains);
    simulation.step().unwrap();
    let [a, b] = [0, 1].map(|id| *simulation.bodies.find(id).unwrap());
    // The contact point is that of the mid-step, at the same number of radii from both centres.
    let between = X::Vector::axis(0) * 0.2499 - flat::<X>(2.0, 0.5) * 0.5e-3;
    let length = between.norm();
    let normal = between * (1.0 / length);
    let (arm_a, arm_b) = (normal * (0.4 * length), -normal * (0.6 * length));
    let u = b.velocity + X::cross(b.spin, arm_b) - a.velocity - X::cross(a.spin, arm_a);
    let before = -flat::<X>(2.0, 0.5);
    let tangential = |v: X::Vector| v - normal * v.dot(&normal);
    assert!((tangential(u) + tangential(before) * tau).norm() < 1e-10);
}

#[test]
fn a6_a_sticking_impact_returns_minus_tau_times_the_tangential_velocity() {
    for subdomains in [1, 8] {
        sticking::<Plane>(subdomains);
        sticking::<Space>(subdomains);
    }
}

/// A cloud of spinning spheres that flies towards its centre.
fn cloud<X: Dim>(subdomains: u32, scheme: InterfaceScheme, friction: f64) -> World<X> {
    let mut world = World::<X>::new(1e-3)
        .weightless()
        .law(Coulomb { friction, rolling: 0.0 })
        .subdomains(subdomains)
        .scheme(scheme)
        .tolerance(1e-6, 0.1);
    let mut dice = Dice(7);
    let side = if X::D == 2 { 12 } else { 5i32 };
    let cells = side.pow(X::D as u32);
    for cell in 0..cells {
        let place = X::Vector::from_fn(|k| f64::from(cell / side.pow(k as u32) % side) - 0.5 * f64::from(side - 1));
        let id = world.ball(place * 0.2, 0.08 + 0.019 * dice.roll());
        let state = world.state(id);
        state.velocity = place * -1.0 + X::Vector::from_fn(|_| dice.roll() - 0.5);
        state.spin = X::Spin::from_fn(|_| 10.0 * (dice.roll() - 0.5));
    }
    world
}

fn conserves<X: Dim>(subdomains: u32, scheme: InterfaceScheme) {
    let mut world = cloud::<X>(subdomains, scheme, 0.4);
    // An overlap correction shifts bodies, which changes the angular momentum.
    world.plan.solver.stabilisation = Stabilisation::None;
    let mut simulation = world.build();
    let (mut touched, scale) = (0, {
        // Momenta cancel on average; rounding is measured against the sum of their magnitudes.
        let states = simulation.bodies.states();
        states.iter().map(|s| s.mass * s.velocity.norm()).sum::<f64>()
    });
    for _ in 0..200 {
        let (p0, l0, _) = invariants(&simulation);
        touched += simulation.step().unwrap().certificate.active;
        let (p, l, _) = invariants(&simulation);
        assert!((p - p0).norm() < 1e-12 * scale, "momentum changed by {:e}", (p - p0).norm() / scale);
        assert!((l - l0).norm() < 1e-12 * scale, "angular momentum changed by {:e}", (l - l0).norm() / scale);
    }
    assert!(touched > 1000, "too few contacts to prove anything: {touched}");
}

#[test]
fn a7_momentum_and_angular_momentum_of_a_free_collection_are_constant() {
    for (subdomains, scheme) in
        [(1, InterfaceScheme::RedBlack), (8, InterfaceScheme::RedBlack), (8, InterfaceScheme::Glue)]
    {
        conserves::<Plane>(subdomains, scheme);
        conserves::<Space>(subdomains, scheme);
    }
}

fn dissipates<X: Dim>(subdomains: u32, scheme: InterfaceScheme) {
    let mut simulation = cloud::<X>(subdomains, scheme, 0.4).build();
    let (_, _, mut energy) = invariants(&simulation);
    let start = energy;
    for _ in 0..300 {
        let report = simulation.step().unwrap();
        assert!(report.kinetic_energy <= energy * (1.0 + 1e-12), "rose from {energy} to {}", report.kinetic_energy);
        energy = report.kinetic_energy;
        // The energy lost equals the energy dissipated by contacts.
        assert!((start - energy - (report.energy.dissipated() - report.energy.returned)).abs() < 1e-10 * start);
    }
    assert!(energy < 0.9 * start);
}

#[test]
fn a8_kinetic_energy_never_rises_and_what_is_lost_was_dissipated_in_contacts() {
    for (subdomains, scheme) in [
        (1, InterfaceScheme::RedBlack),
        (8, InterfaceScheme::RedBlack),
        (8, InterfaceScheme::Glue),
        (27, InterfaceScheme::RedBlack),
    ] {
        dissipates::<Plane>(subdomains, scheme);
        dissipates::<Space>(subdomains, scheme);
    }
}

/// A column of spheres on the floor, between walls that just touch them.
fn stack<X: Dim>(count: u32, subdomains: u32) -> Simulation<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-6, 1e-3);
    world.open_box(0.2);
    let centre = X::Vector::from_fn(|_| 0.1);
    for i in 0..count {
        world.ball(centre + X::Vector::axis(X::D - 1) * (0.2 * f64::from(i)), 0.1);
    }
    world.build()
}

fn stands<X: Dim>(subdomains: u32, steps: usize) {
    let mut simulation = stack::<X>(10, subdomains);
    let weight = simulation.bodies.states().iter().filter(|s| s.motion != 0).map(|s| s.mass).sum::<f64>() * GRAVITY;
    let start = simulation.bodies.by_id();
    for _ in 0..steps {
        simulation.step().unwrap();
    }
    let floor = -reaction(&simulation, 0)[X::D - 1] / simulation.step_length();
    assert!((floor / weight - 1.0).abs() < 1e-4, "floor carries {floor} N of {weight} N");
    for (now, then) in simulation.bodies.by_id().iter().zip(&start) {
        assert!(now.velocity.norm() < 1e-6, "body {:?} moves at {}", now.id, now.velocity.norm());
        assert!((now.position - then.position).norm() < 1e-5, "body {:?} drifted", now.id);
    }
}

#[test]
fn a9_a_stack_carries_its_weight_and_does_not_drift_in_ten_thousand_steps() {
    for subdomains in [1, 8] {
        stands::<Plane>(subdomains, 10_000);
        stands::<Space>(subdomains, 10_000);
    }
}

/// Sweeps of each step and final kinetic energy over m g r, for a small heap scaled in length and mass.
fn scaled<X: Dim>(length: f64, mass: f64, subdomains: u32) -> (Vec<u32>, f64) {
    // Froude scaling: time scales with the square root of length, so gravity is the same.
    let mut world = World::<X>::new(1e-3 * length.sqrt()).subdomains(subdomains).tolerance(1e-3, 0.3);
    world.open_box(0.8 * length);
    let mut dice = Dice(3);
    for i in 0..40u32 {
        let at = X::Vector::from_fn(|k| {
            let cell = if k == X::D - 1 { i / 4u32.pow(X::D as u32 - 1) } else { i / 4u32.pow(k as u32) % 4 };
            (0.1 + 0.2 * f64::from(cell) + 0.01 * dice.roll()) * length
        });
        let id = world.ball(at, 0.085 * length);
        world.state(id).mass *= mass / length.powi(X::D as i32);
    }
    let mut simulation = world.build();
    let reports: Vec<_> = (0..200).map(|_| simulation.step().unwrap()).collect();
    let unit = DENSITY * mass * GRAVITY * length;
    (reports.iter().map(|r| r.certificate.sweeps).collect(), reports.last().unwrap().kinetic_energy / unit)
}

#[test]
fn a11_a_scene_scaled_in_length_and_mass_takes_the_same_sweeps_and_gives_the_same_result() {
    fn compare<X: Dim>(subdomains: u32) {
        let (sweeps, energy) = scaled::<X>(1.0, 1.0, subdomains);
        assert!(sweeps.iter().any(|&s| s >= 30));
        for (length, mass) in [(0.1, 1.0), (10.0, 1.0), (1.0, 1e3)] {
            let (other_sweeps, other_energy) = scaled::<X>(length, mass, subdomains);
            assert_eq!(sweeps, other_sweeps, "length x {length}, mass x {mass}");
            assert!((energy / other_energy - 1.0).abs() < 1e-6, "{energy} became {other_energy}");
        }
    }
    compare::<Plane>(1);
    compare::<Plane>(8);
    compare::<Space>(1);
    compare::<Space>(8);
}

#[test]
fn a_pushed_wall_drives_a_ball_and_a_loaded_wall_carries_its_load() {
    // A box pressed by a force onto three spheres: only its vertical motion is free.
    let mut world = World::<Space>::new(1e-3).tolerance(1e-8, 1e-4);
    world.floor();
    for x in [-0.3, 0.0, 0.3] {
        world.ball(Vector3::new(x, 0.1 * x, 0.1), 0.1);
    }
    let plate = world.cuboid(Vector3::new(0.0, 0.0, 0.25), Vector3::new(0.5, 0.5, 0.05));
    let mut controls = vec![crate::support::held(0.0); 6];
    controls[2] = nscdd::model::Control::Force(nscdd::model::Signal::Constant(-500.0));
    world.driven(plate, controls, true);
    let mut simulation = world.build();
    run(&mut simulation, 0.5);
    let plate_weight = simulation.bodies.find(plate).unwrap().mass * GRAVITY;
    let on_plate = reaction(&simulation, plate)[2] / simulation.step_length();
    assert!((on_plate / (500.0 + plate_weight) - 1.0).abs() < 1e-6, "{on_plate}");
    assert!(simulation.bodies.find(plate).unwrap().velocity.norm() < 1e-9);
}
