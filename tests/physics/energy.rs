//! The energy balance: every joule is accounted for, and none is created.

use std::path::Path;

use crate::scenes::load;
use crate::support::{DENSITY, GRAVITY, World, flat, held, reaction, run};
use nscdd::dim::{Dim, Gyroscopic, Plane, Space, Vector};
use nscdd::law::{Coulomb, Frictionless, LinkLaw, Repulsion, Restitution, Spring};
use nscdd::model::{Control, Signal};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;
use nscdd::solver::{Dissipation, EnergyBalance, Stabilisation};

/// Imbalance relative to the energy exchanged.
fn off(balance: &EnergyBalance) -> f64 {
    balance.imbalance.abs() / balance.exchanged
}

/// Steps the simulation and checks after each step that the balance closes and that dissipation never decreases;
/// returns the final balance.
fn keeps<X: Dim>(simulation: &mut Simulation<X>, steps: usize, name: &str) -> EnergyBalance {
    let mut before = EnergyBalance::default();
    for _ in 0..steps {
        let report = simulation.step().unwrap();
        let now = report.energy;
        let grow = |balance: &EnergyBalance| {
            let EnergyBalance { dissipation, returned, exchanged, .. } = *balance;
            let Dissipation { normal, friction, rolling, links, material } = dissipation;
            [normal, friction, rolling, links, material, returned, exchanged]
        };
        let falls = grow(&before).into_iter().zip(grow(&now)).any(|(before, now)| now < before);
        assert!(!falls, "{name}, step {}: {before:?} became {now:?}", report.step);
        assert_eq!(now.kinetic, report.kinetic_energy, "{name}");
        before = now;
    }
    assert!(before.exchanged > 0.0, "{name}: nothing happened");
    // Potential energy refers to the origin, so its rounding matters where almost nothing moves.
    let rounding = 1e-15 * before.potential.abs();
    assert!(
        before.imbalance.abs() < 1e-10 * before.exchanged + rounding,
        "{name}: off by {:.1e}: {before:?}",
        off(&before)
    );
    before
}

#[test]
fn the_energy_balance_of_every_kind_of_scene_closes_to_rounding() {
    let scenes: [(&str, &[&str], usize); 17] = [
        ("bounce", &["time.step=1e-3"], 900),
        ("pendulum", &[], 200),
        ("hopper", &["feeds.0.velocity=[0, -4]", "sinks.0.box.max=[1, 0.3]"], 150),
        ("membrane", &["generators.0.deposit.count=50"], 150),
        ("sheared-disks", &["generators.0.deposit.count=120"], 200),
        ("pentagons", &[], 100),
        ("shaken-column", &[], 100),
        ("quake-wall", &[], 60),
        ("law-impacts", &[], 200),
        ("law-powder", &[], 60),
        ("law-wet-grains", &[], 40),
        ("law-bonded-slab", &[], 60),
        ("law-stick-slip", &[], 200),
        ("fracture", &[], 200),
        ("biaxial", &[], 40),
        ("shaken-box", &[], 100),
        ("inclined-flow", &[], 130),
    ];
    for (scene, sets, steps) in scenes {
        of_scene(scene, sets, steps);
    }
}

#[test]
fn the_energy_balance_of_solids_in_space_closes_to_rounding() {
    let space: [(&str, &[&str], usize); 5] = [
        ("tumbling-solids", &[], 120),
        ("tumbling-solids", &["domain.subdomains=8", "time.theta=0.7"], 60),
        ("cylinders", &[], 60),
        ("gate", &["removals=[{ body = 10, at = 0.05 }]"], 100),
        ("box-of-spheres", &["domain.subdomains=8"], 60),
    ];
    for (scene, sets, steps) in space {
        of_scene(scene, sets, steps);
    }
}

fn of_scene(scene: &str, sets: &[&str], steps: usize) -> EnergyBalance {
    let name = format!("{scene} {sets:?}");
    let words: Vec<String> = sets.iter().map(|set| set.to_string()).collect();
    match Scene::load(Path::new(&format!("scenes/{scene}.toml")), &words).unwrap().world.dimension {
        2 => keeps(&mut load::<Plane>(scene, sets), steps, &name),
        _ => keeps(&mut load::<Space>(scene, sets), steps, &name),
    }
}

/// Spinning spheres and boxes that fall into a box.
fn falling<X: Dim>(subdomains: u32) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-6, 1e-3);
    world.open_box(1.0);
    for k in 0..12 {
        let place = flat::<X>(0.2 + 0.3 * f64::from(k % 3), 0.2 + 0.3 * f64::from(k / 3));
        let place = X::Vector::from_fn(|i| if i == 0 || i + 1 == X::D { place[i] } else { 0.5 });
        let id = if k % 2 == 0 {
            world.ball(place, 0.1)
        } else {
            world.cuboid(place, X::Vector::from_fn(|i| 0.06 + 0.02 * i as f64))
        };
        let state = world.state(id);
        state.spin = X::Spin::from_fn(|i| 3.0 * (i + 1) as f64 - f64::from(k));
        state.velocity = flat::<X>(1.0 - 0.2 * f64::from(k), -1.0);
    }
    world
}

fn without_correction<X: Dim>() {
    for (subdomains, gyroscopic) in [(1, Gyroscopic::Implicit), (8, Gyroscopic::Implicit), (1, Gyroscopic::Explicit)] {
        let mut world = falling::<X>(subdomains).law(Restitution {
            normal: 0.7,
            tangent: 0.2,
            friction: 0.3,
            rolling: 0.0,
            stiffness: 1.0,
        });
        world.plan.solver.stabilisation = Stabilisation::None;
        world.plan.integrator.gyroscopic = gyroscopic;
        let balance = keeps(&mut world.build(), 200, "no correction");
        assert_eq!(balance.transfers.correction, 0.0);
        assert!(
            balance.dissipation.normal > 0.0 && balance.dissipation.friction > 0.0 && balance.transfers.driven == 0.0,
            "{balance:?}"
        );
    }
}

#[test]
fn without_correction_of_overlaps_nothing_is_left_over() {
    without_correction::<Plane>();
    without_correction::<Space>();
}

fn with_correction<X: Dim>() {
    let mut world =
        falling::<X>(1).law(Restitution { normal: 0.7, tangent: 0.2, friction: 0.3, rolling: 0.0, stiffness: 1.0 });
    world.plan.solver.stabilisation = Stabilisation::Projection;
    let mut simulation = world.build();
    let balance = keeps(&mut simulation, 600, "correction");
    assert!(balance.transfers.correction != 0.0, "no overlap was undone: {balance:?}");
}

#[test]
fn the_energy_that_the_correction_of_overlaps_adds_is_recorded() {
    with_correction::<Plane>();
    with_correction::<Space>();
}

#[test]
fn overlaps_that_are_undone_lift_what_lies_on_them() {
    let mut world = World::<Space>::new(1e-3);
    world.floor();
    let ball = world.ball(flat::<Space>(0.0, 0.095), 0.1);
    let mass = world.state(ball).mass;
    world.plan.solver.stabilisation = Stabilisation::Projection;
    let mut simulation = world.build();
    let balance = keeps(&mut simulation, 40, "sunk");
    let lifted = mass * GRAVITY * (simulation.bodies.find(ball).unwrap().position[2] - 0.095);
    assert!(lifted > 0.0 && (balance.transfers.correction - lifted).abs() < 1e-9 * lifted, "{lifted} J, {balance:?}");
}

/// A wall advances and piles up disks, as in the sandbox: there dissipation used to decrease in a quarter of the steps.
#[test]
fn what_was_dissipated_never_falls_in_a_driven_scene() {
    let sets = [
        "bodies.2.position=[30, 0]",
        "generators.0.deposit.max=[30, 60]",
        "generators.0.deposit.count=250",
        "bodies.0.driven={ hold = true, velocity = { x = { ramp = { from = 0, to = 0.5, start = 0.5, end = 0.6 } } } }",
        "solver.max_sweeps=2000",
    ];
    let mut simulation = load::<Plane>("sandbox", &sets);
    let mut pushed = 0.0;
    let mut last = 0.0;
    let mut before = EnergyBalance::default();
    for _ in 0..80 {
        let report = simulation.step().unwrap();
        let now = report.energy;
        assert!(
            now.dissipated() >= before.dissipated() && now.dissipation.friction >= before.dissipation.friction,
            "{before:?} {now:?}"
        );
        let speed = simulation.bodies.find(0).unwrap().velocity[0];
        // The impulse on the wall is opposite to the one it exerts on the disks.
        pushed -= reaction(&simulation, 0)[0] * 0.5 * (last + speed);
        last = speed;
        before = now;
    }
    assert!(pushed > 0.0 && (before.transfers.driven - pushed).abs() < 1e-9 * pushed, "{pushed} J, {before:?}");
    assert!(off(&before) < 1e-10, "{before:?}");
}

#[test]
fn a_wall_that_catches_up_with_a_ball_gives_it_twice_its_kinetic_energy_and_half_is_lost() {
    let mut world = World::<Plane>::new(1e-3).weightless().law(Frictionless {});
    let wall = world.plane(Plane::flat(0.0), Plane::flat(1.0));
    let ball = world.ball(Plane::flat(0.2), 0.1);
    world.driven(wall, vec![held(2.0), held(0.0), held(0.0)], false);
    world.state(wall).velocity = Plane::flat(2.0);
    let energy = 0.5 * world.state(ball).mass * 4.0;
    let balance = keeps(&mut world.build(), 100, "wall");
    for (found, told) in
        [(balance.kinetic, energy), (balance.dissipation.normal, energy), (balance.transfers.driven, 2.0 * energy)]
    {
        assert!((found - told).abs() < 1e-9 * energy, "{balance:?}");
    }
}

/// Shorthand for a vector along the first axis.
trait Flat: Dim {
    fn flat(x: f64) -> Self::Vector {
        flat::<Self>(x, 0.0)
    }
}

impl<X: Dim> Flat for X {}

fn work_of_forces<X: Dim>() {
    let mut world = World::<X>::new(1e-3).law(Coulomb { friction: 0.4, rolling: 0.0 });
    world.floor();
    let half = X::Vector::from_fn(|_| 0.1);
    let pusher = world.cuboid(flat::<X>(0.0, 0.1), half);
    let block = world.cuboid(flat::<X>(0.2, 0.1), half);
    // Driven horizontally, free vertically, no rotation.
    let mut controls = vec![Control::Free; X::D + X::R];
    controls[0] = held(0.5);
    (X::D..X::D + X::R).for_each(|k| controls[k] = held(0.0));
    world.driven(pusher, controls, true);
    for id in [pusher, block] {
        world.state(id).velocity = flat::<X>(0.5, 0.0);
    }
    let weight = world.state(block).mass * GRAVITY;
    let balance = keeps(&mut world.build(), 200, "pushed along");
    let work = 0.4 * weight * 0.5 * 0.2;
    // The pusher slides under its full weight, or less where the side of the block carries part of it.
    assert!(balance.transfers.driven > 0.99 * work && balance.transfers.driven < 2.01 * work, "{work} J, {balance:?}");
    assert!((balance.dissipation.friction - balance.transfers.driven).abs() < 1e-9 * work, "{work} J, {balance:?}");
}

#[test]
fn a_body_that_is_driven_along_and_free_to_fall_does_the_work_that_friction_takes() {
    work_of_forces::<Plane>();
    work_of_forces::<Space>();
}

#[test]
fn a_prescribed_force_does_its_work_and_gravity_that_tilts_too() {
    let mut world = World::<Plane>::new(1e-3).weightless();
    let ball = world.ball(flat::<Plane>(0.0, 0.5), 0.1);
    let force =
        Control::Force(Signal::Sinusoid { mean: 3.0, amplitude: 2.0, omega: 20.0, phase: 0.3, ramp: f64::INFINITY });
    let torque = Control::Force(Signal::Constant(0.2));
    world.driven(ball, vec![force, Control::Free, torque], true);
    let balance = keeps(&mut world.build(), 300, "pushed");
    assert!(
        balance.transfers.loads > 0.0 && (balance.transfers.loads - balance.kinetic).abs() < 1e-10 * balance.kinetic,
        "{balance:?}"
    );
    let text = "world = { dimension = 2, tilt = { angle = { ramp = { from = 0, to = 0.6, start = 0.1, end = 0.4 } } } }\n\
                time = { step = 1e-3, end = 1 }\nmaterials.stone.density = 2600\n\
                laws = [{ between = [\"*\", \"*\"], coulomb = { friction = 0.3 } }]\n\
                bodies = [{ id = 0, material = \"stone\", plane = { normal = [0, 1] }, position = [0, 0], fixed = true },\
                { id = 1, material = \"stone\", box = { size = [0.2, 0.1] }, position = [3, 0.05] }]\n";
    let mut simulation = Simulation::<Plane>::from_text(text).unwrap();
    let balance = keeps(&mut simulation, 700, "tilt");
    assert!(balance.transfers.loads != 0.0 && balance.dissipation.friction > 0.0, "{balance:?}");
}

#[test]
fn a_spring_stores_what_it_takes_and_a_dashpot_does_not() {
    for viscosity in [0.0, 50.0] {
        let mut world = World::<Plane>::new(1e-3).weightless();
        let nail = world.nail(Plane::flat(0.0), 0.05);
        let ball = world.ball(Plane::flat(1.0), 0.1);
        world.link(
            [nail, ball],
            [Plane::flat(0.0), Plane::flat(1.0)],
            LinkLaw::Spring(Spring { stiffness: 400.0, viscosity }),
        );
        world.state(ball).velocity = Plane::flat(1.0);
        let start = 0.5 * world.state(ball).mass;
        let mut simulation = world.build();
        let (mut least, mut most) = (f64::INFINITY, 0.0f64);
        for _ in 0..1000 {
            let balance = simulation.step().unwrap().energy;
            (least, most) = (least.min(balance.transfers.stored), most.max(balance.transfers.stored));
            assert!(
                (balance.kinetic + balance.transfers.stored + balance.dissipation.links - start).abs() < 1e-10 * start,
                "{balance:?}"
            );
            assert!(balance.returned < 1e-10 * start, "{balance:?}");
        }
        assert!(least > -1e-9 * start && most > 0.5 * start, "{least} to {most} of {start}");
        let lost = simulation.sums.energy.dissipation.links;
        assert!(if viscosity > 0.0 { lost > 0.5 * start } else { lost < 1e-9 * start }, "{lost} of {start}");
    }
}

#[test]
fn an_elastic_bounce_gives_back_what_was_stored() {
    let mut world =
        World::<Space>::new(1e-5).law(Repulsion { stiffness: 1e6, viscosity: 0.0, friction: 0.0 }).weightless();
    world.floor();
    let ball = world.ball(flat::<Space>(0.0, 0.1001), 0.1);
    world.state(ball).velocity = flat::<Space>(0.0, -1.0);
    let start = 0.5 * world.state(ball).mass;
    let mut simulation = world.build();
    let mut most = 0.0f64;
    for report in run(&mut simulation, 0.02) {
        most = most.max(report.energy.transfers.stored);
    }
    let balance = simulation.sums.energy;
    assert!(most > 0.9 * start, "{most} of {start}");
    assert!(balance.transfers.stored.abs() < 1e-3 * start && balance.kinetic > 0.95 * start, "{balance:?}");
    assert!(off(&balance) < 1e-10, "{balance:?}");
}

#[test]
fn a_block_in_free_fall_with_theta_one_loses_what_the_scheme_says() {
    let mut world = World::<Space>::new(1e-3);
    world.plan.integrator.theta = 1.0;
    let block = world.cuboid(flat::<Space>(0.0, 1.0), Space::flat(0.0) + nalgebra::Vector3::new(0.1, 0.2, 0.3));
    world.state(block).spin = nalgebra::Vector3::new(3.0, -5.0, 4.0);
    let mass = 8.0 * 0.1 * 0.2 * 0.3 * DENSITY;
    let balance = keeps(&mut world.build(), 100, "theta");
    // In a step of 1 ms gravity takes h g (theta - 1/2) h g m more from potential energy than it adds to kinetic
    // energy.
    let told = -100.0 * 0.5 * mass * (GRAVITY * 1e-3f64).powi(2);
    assert!((balance.transfers.scheme - told).abs() < 1e-6 * told.abs(), "{told} J, {balance:?}");
}
