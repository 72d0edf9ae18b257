//! Rolling resistance: a sphere rests on slopes up to its coefficient, and rolls down steeper ones with the exact
//! acceleration.

use crate::support::{Dice, GRAVITY, World, bytes, run};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::{Coulomb, Restitution};
use nscdd::solver::SolverMethod;

/// Acceleration of a sphere on a slope of this tangent, m/s2.
fn acceleration<X: Dim>(slope: f64, rolling: f64, method: SolverMethod) -> f64 {
    let mut world = World::<X>::new(1e-3).tilted(slope.atan()).law(Coulomb { friction: 0.8, rolling });
    world.plan.solver.method = method;
    world.floor();
    let ball = world.ball(X::Vector::axis(X::D - 1) * 0.1, 0.1);
    let mut simulation = world.build();
    run(&mut simulation, 0.5);
    let body = simulation.bodies.find(ball).unwrap();
    let slips = body.velocity.norm() - 0.1 * body.spin.norm();
    assert!(slips.abs() < 1e-9, "it slips by {slips}");
    body.velocity[0] / 0.5
}

fn rests_or_rolls<X: Dim>(method: SolverMethod) {
    for slope in [0.0, 0.05, 0.095] {
        let found = acceleration::<X>(slope, 0.1, method);
        assert!(found.abs() < 1e-10, "slope {slope}: it rolls with {found}");
    }
    for slope in [0.105f64, 0.2, 0.4] {
        let angle = slope.atan();
        let expected = GRAVITY * (angle.sin() - 0.1 * angle.cos()) / (1.0 + 1.0 / X::BALL);
        let found = acceleration::<X>(slope, 0.1, method);
        assert!((found / expected - 1.0).abs() < 1e-8, "slope {slope}: {found} instead of {expected}");
    }
}

#[test]
fn a_ball_rests_below_its_rolling_coefficient_and_rolls_above_it_as_it_should() {
    for method in [SolverMethod::Nlgs, SolverMethod::Accelerated] {
        rests_or_rolls::<Plane>(method);
        rests_or_rolls::<Space>(method);
    }
}

/// Spheres of mixed sizes, thrown into a box with spin.
fn thrown<X: Dim>(subdomains: u32, restitution: bool) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-4, 0.1);
    world = match restitution {
        true => world.law(Restitution { normal: 0.6, tangent: 0.0, friction: 0.4, rolling: 0.2, stiffness: 1.0 }),
        false => world.law(Coulomb { friction: 0.4, rolling: 0.2 }),
    };
    world.open_box(1.0);
    let mut dice = Dice(11);
    for cell in 0..48 {
        let place = X::Vector::from_fn(|k| match k {
            0 => 0.1 + 0.2 * f64::from(cell % 4),
            k if k == X::D - 1 => 0.1 + 0.2 * f64::from(cell / 4),
            _ => 0.5,
        });
        let id = world.ball(place, 0.05 + 0.04 * dice.roll());
        world.state(id).velocity = X::Vector::from_fn(|_| 2.0 * (dice.roll() - 0.5));
        world.state(id).spin = X::Spin::from_fn(|_| 40.0 * (dice.roll() - 0.5));
    }
    world
}

fn energy_falls<X: Dim>(restitution: bool) {
    let mut simulation = thrown::<X>(4, restitution).build();
    let energy = |simulation: &nscdd::simulation::Simulation<X>| {
        let free = simulation.bodies.states().iter().filter(|s| !simulation.model.is_prescribed(s));
        free.map(|s| simulation.model.kinetic_energy(s) + s.mass * GRAVITY * s.position[X::D - 1]).sum::<f64>()
    };
    let start = energy(&simulation);
    let (mut last, mut dissipated) = (start, 0.0);
    for step in 0..400 {
        dissipated = simulation.step().unwrap().energy.dissipated();
        let now = energy(&simulation);
        assert!(now <= last + 1e-6 * start, "step {step}: from {last} to {now}");
        last = now;
    }
    let balance = (start - last - dissipated) / start;
    assert!(balance.abs() < 1e-2, "of the energy lost, {balance} is not accounted for");
}

#[test]
fn resistance_to_rolling_never_adds_energy_and_what_it_takes_is_counted() {
    for restitution in [false, true] {
        energy_falls::<Plane>(restitution);
        energy_falls::<Space>(restitution);
    }
}

#[test]
fn resistance_to_rolling_gives_the_same_bits_on_one_and_on_three_threads() {
    let result = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = thrown::<Space>(8, false).build();
            run(&mut simulation, 0.3);
            bytes(&simulation)
        })
    };
    assert!(result(1) == result(3));
}
