//! Friction laws other than Coulomb's satisfy their equations.

use crate::support::{GRAVITY, World, flat, run};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::{ContactLaw, Mean, Orowan, StaticDynamic, Threshold, Tresca};

const LAW: StaticDynamic = StaticDynamic { at_rest: 0.6, in_motion: 0.3, velocity: 0.0 };

/// Distance a flat block slides down a slope, and its final speed.
fn slides<X: Dim>(slope: f64, speed: f64, end: f64) -> [f64; 2] {
    let mut world = World::<X>::new(1e-3).tilted(slope).law(LAW);
    world.floor();
    let half = X::Vector::from_fn(|k| if k == X::D - 1 { 0.02 } else { 0.2 });
    let block = world.cuboid(X::Vector::axis(X::D - 1) * 0.02, half);
    world.state(block).velocity = flat::<X>(speed, 0.0);
    let mut simulation = world.build();
    run(&mut simulation, end);
    let body = simulation.bodies.find(block).unwrap();
    [body.position[0], body.velocity[0]]
}

fn rest_holds_better_than_motion<X: Dim>() {
    let slope: f64 = 0.5f64.atan();
    let [way, speed] = slides::<X>(slope, 0.0, 0.5);
    assert!(way.abs() < 1e-9 && speed.abs() < 1e-9, "{way} {speed}");
    let [_, speed] = slides::<X>(slope, 0.1, 0.5);
    let expected = 0.1 + 0.5 * GRAVITY * (slope.sin() - 0.3 * slope.cos());
    // The first step still uses the static friction.
    assert!((speed - expected).abs() < 1.1e-3 * GRAVITY * 0.3, "{speed} for {expected}");
}

#[test]
fn a_block_between_both_friction_angles_stays_at_rest_and_keeps_sliding_once_it_moves() {
    rest_holds_better_than_motion::<Plane>();
    rest_holds_better_than_motion::<Space>();
}

#[test]
fn a_sliding_block_that_stops_has_the_friction_of_rest_again() {
    // Decelerates by mu_d cos - sin, and would restart by itself only beyond mu_s.
    let slope: f64 = 0.2f64.atan();
    let brake = GRAVITY * (0.3 * slope.cos() - slope.sin());
    let [way, speed] = slides::<Space>(slope, 0.5, 1.0);
    assert!(speed.abs() < 1e-9, "{speed}");
    assert!((way * 2.0 * brake / 0.25 - 1.0).abs() < 0.02, "{way} for {}", 0.25 / (2.0 * brake));
}

/// Speed that a sphere sliding on the floor loses in a tenth of a second, over g.
fn braked<X: Dim>(law: impl ContactLaw<X> + 'static) -> f64 {
    let mut world = World::<X>::new(1e-3).law(law);
    world.floor();
    let ball = world.ball(flat::<X>(0.0, 0.1), 0.1);
    world.state(ball).velocity = flat::<X>(4.0, 0.0);
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    (4.0 - simulation.bodies.find(ball).unwrap().velocity[0]) / (0.1 * GRAVITY)
}

fn weight<X: Dim>() -> f64 {
    let mut world = World::<X>::new(1e-3);
    let ball = world.ball(X::Vector::zero(), 0.1);
    world.state(ball).mass * GRAVITY
}

fn has_a_ceiling<X: Dim>() {
    let weight = weight::<X>();
    let orowan = |threshold| Orowan { friction: 0.8, threshold, factor: 0.25 };
    let below = braked::<X>(orowan(Threshold::Force(2.0 * weight)));
    assert!((below - 0.8).abs() < 1e-9, "{below}");
    let above = braked::<X>(orowan(Threshold::Force(0.1 * weight)));
    assert!((above - 0.1).abs() < 1e-9, "{above}");
    // With a single contact the mean load is its own; the first step has none to refer to.
    let mean = braked::<X>(orowan(Threshold::Named(Mean::Mean)));
    assert!((mean - (0.25 * 99.0 + 0.8) / 100.0).abs() < 1e-9, "{mean}");
    let tresca = braked::<X>(Tresca { limit: 0.15 * weight });
    assert!((tresca - 0.15).abs() < 1e-9, "{tresca}");
}

#[test]
fn friction_stops_at_its_threshold_or_at_the_mean_normal_force() {
    has_a_ceiling::<Plane>();
    has_a_ceiling::<Space>();
}

#[test]
fn friction_by_the_mean_is_shared_by_light_and_heavy_contacts() {
    // Two spheres, one of eight times the weight: the mean load is 4.5 times the lighter weight.
    let law = Orowan { friction: 10.0, threshold: Threshold::Named(Mean::Mean), factor: 0.1 };
    let mut world = World::<Space>::new(1e-3).law(law);
    world.floor();
    let balls = [0.1, 0.2].map(|radius| world.ball(flat::<Space>(10.0 * radius, radius), radius));
    for ball in balls {
        world.state(ball).velocity = flat::<Space>(3.0, 0.0);
    }
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    let early = balls.map(|id| simulation.bodies.find(id).unwrap().velocity[0]);
    run(&mut simulation, 0.01);
    let late = balls.map(|id| simulation.bodies.find(id).unwrap().velocity[0]);
    let brakes = [0, 1].map(|k| (early[k] - late[k]) / (0.01 * GRAVITY));
    assert!((brakes[0] - 0.45).abs() < 1e-6 && (brakes[1] - 0.45 / 8.0).abs() < 1e-6, "{brakes:?}");
}
