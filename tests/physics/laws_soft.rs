//! Laws that allow overlap or rebound: springs, dampers and percussions.

use crate::support::{Dice, GRAVITY, World, flat, invariants, run};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::{ContactLaw, Percussion, Repulsion, Viscoelastic};

fn sinks_by_its_weight<X: Dim>() {
    let law = Repulsion { stiffness: 1e5, viscosity: 500.0, friction: 0.5 };
    let mut world = World::<X>::new(1e-3).law(law);
    world.floor();
    let ball = world.ball(flat::<X>(0.0, 0.1), 0.1);
    let weight = world.state(ball).mass * GRAVITY;
    let mut simulation = world.build();
    run(&mut simulation, 2.0);
    let overlap = 0.1 - simulation.bodies.find(ball).unwrap().position[X::D - 1];
    assert!((overlap / (weight / 1e5) - 1.0).abs() < 1e-6, "{overlap}");
}

#[test]
fn a_ball_sinks_into_an_elastic_floor_by_its_weight_over_the_stiffness() {
    sinks_by_its_weight::<Plane>();
    sinks_by_its_weight::<Space>();
}

#[test]
fn an_elastic_impact_lasts_half_a_period_and_gains_no_energy() {
    let law = Repulsion { stiffness: 1e5, viscosity: 0.0, friction: 0.0 };
    let h = 1e-6;
    let mut world = World::<Space>::new(h).weightless().law(law);
    world.floor();
    let ball = world.ball(flat::<Space>(0.0, 0.1), 0.1);
    world.state(ball).velocity = flat::<Space>(0.0, -1.0);
    let half = std::f64::consts::PI * (world.state(ball).mass / 1e5).sqrt();
    let mut simulation = world.build();
    let mut lasted = 0;
    while lasted < 100_000 {
        simulation.step().unwrap();
        lasted += 1;
        if simulation.bodies.find(ball).unwrap().position.z > 0.1 {
            break;
        }
    }
    let speed = simulation.bodies.find(ball).unwrap().velocity.z;
    assert!((f64::from(lasted) * h / half - 1.0).abs() < 0.01, "{lasted} steps for {half} s");
    assert!(speed <= 1.0 && speed > 0.99, "rebounds with {speed}");
}

/// Overlap of a sphere and the floor over the radius, and the speed, after that many steps.
fn heals<X: Dim>(gravity: bool, steps: usize) -> [f64; 2] {
    let law = Viscoelastic { period: None, damping: 1.0, friction: 0.5 };
    let mut world = World::<X>::new(1e-3).law(law);
    world = if gravity { world } else { world.weightless() };
    world.floor();
    let ball = world.ball(flat::<X>(0.0, 0.095), 0.1);
    let mut simulation = world.build();
    run(&mut simulation, steps as f64 * 1e-3);
    let body = simulation.bodies.find(ball).unwrap();
    [1.0 - body.position[X::D - 1] / 0.1, body.velocity[X::D - 1]]
}

fn heals_without_gain<X: Dim>() {
    for gravity in [true, false] {
        let [overlap, _] = heals::<X>(gravity, 5);
        assert!((0.0..5e-4).contains(&overlap), "{overlap} after five steps");
        let [overlap, speed] = heals::<X>(gravity, 30);
        // The remaining overlap carries the weight: m g/k, with the stiffness k of a period of one step.
        let rest = if gravity { GRAVITY * 1e-6 / (4.0 * std::f64::consts::PI.powi(2)) / 0.1 } else { 0.0 };
        assert!((overlap - rest).abs() < 1e-9, "{overlap} for {rest}");
        assert!(speed.abs() < 1e-9, "flies off with {speed}");
    }
}

#[test]
fn a_viscoelastic_overlap_of_five_percent_vanishes_in_five_steps_and_leaves_no_speed() {
    heals_without_gain::<Plane>();
    heals_without_gain::<Space>();
}

#[test]
fn a_row_of_overlapping_viscoelastic_balls_separates_without_gain_of_energy() {
    let law = Viscoelastic { period: None, damping: 1.0, friction: 0.0 };
    let mut world = World::<Space>::new(1e-3).weightless().law(law);
    for i in 0..10 {
        world.ball(flat::<Space>(0.19 * f64::from(i), 0.0), 0.1);
    }
    let mut simulation = world.build();
    run(&mut simulation, 0.3);
    let (_, _, energy) = invariants(&simulation);
    let mass = simulation.bodies.find(0).unwrap().mass;
    assert!(energy < 1e-6 * mass, "{energy} J");
    for i in 0..9 {
        let [a, b] = [i, i + 1].map(|id| simulation.bodies.find(id).unwrap().position[0]);
        assert!(b - a > 0.2 - 5e-5, "balls {i} and the next still overlap: {}", b - a);
    }
}

/// Kinetic energy of two spheres before and after a collision.
fn collision<X: Dim>(law: impl ContactLaw<X> + 'static, dice: &mut Dice) -> [f64; 2] {
    let mut world = World::<X>::new(1e-6).weightless().law(law);
    let direction = X::Vector::from_fn(|_| dice.roll() - 0.5);
    let direction = direction * (1.0 / direction.norm());
    let radii = [0.05 + 0.1 * dice.roll(), 0.05 + 0.1 * dice.roll()];
    let first = world.ball(X::Vector::zero(), radii[0]);
    let second = world.ball(direction * (0.999_999 * (radii[0] + radii[1])), radii[1]);
    for ball in [first, second] {
        world.state(ball).velocity = X::Vector::from_fn(|_| 2.0 * dice.roll() - 1.0);
        world.state(ball).spin = X::Spin::from_fn(|_| 20.0 * dice.roll() - 10.0);
    }
    let mut simulation = world.build();
    let (_, _, before) = invariants(&simulation);
    simulation.step().unwrap();
    let (_, _, after) = invariants(&simulation);
    [before, after]
}

#[test]
fn ten_thousand_percussions_all_dissipate() {
    let mut dice = Dice(5);
    let mut lost = 0;
    for number in 0..10_000 {
        let coefficient = |dice: &mut Dice| 10f64.powf(4.0 * dice.roll() - 1.0);
        let law = Percussion {
            normal: coefficient(&mut dice),
            tangent: (dice.roll() < 0.8).then(|| coefficient(&mut dice)),
            friction: (dice.roll() < 0.7).then(|| dice.roll()),
        };
        let told = format!("{law:?}");
        let [before, after] = match number % 2 {
            0 => collision::<Plane>(law, &mut dice),
            _ => collision::<Space>(law, &mut dice),
        };
        assert!(after <= before * (1.0 + 1e-12), "collision {number}: {before} J became {after} J, {told}");
        lost += usize::from(after < 0.999 * before);
    }
    assert!(lost > 2000, "only {lost} collisions did anything");
}

#[test]
fn percussions_rebound_as_their_coefficient_and_the_masses_say() {
    for over_mass in [0.5, 1.9, 2.1, 4.0, 40.0] {
        let mut world = World::<Space>::new(1e-6).weightless();
        world.floor();
        let ball = world.ball(flat::<Space>(0.0, 0.1), 0.1);
        world.state(ball).velocity = flat::<Space>(0.0, -1.0);
        let normal = over_mass * world.state(ball).mass;
        let mut simulation = world.law(Percussion { normal, tangent: None, friction: None }).build();
        simulation.step().unwrap();
        let rebound = simulation.bodies.find(ball).unwrap().velocity.z;
        let expected = ((over_mass - 2.0) / (over_mass + 2.0)).max(0.0);
        assert!((rebound - expected).abs() < 1e-9, "{over_mass}: {rebound} for {expected}");
    }
}
