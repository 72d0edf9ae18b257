//! Cohesive laws: strength, range, reversibility, and energy.

use std::path::Path;

use crate::support::{GRAVITY, World, flat, reaction, run, simulate};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::{Adhesion, Capillary, CohesiveZone, ContactLaw, Joint};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// A sphere of radius 0.1 m in contact with the ceiling.
fn hanging<X: Dim>(law: impl Fn(f64) -> Box<dyn ContactLaw<X>>) -> (Simulation<X>, u64) {
    let mut world = World::<X>::new(1e-3);
    world.plane(X::Vector::zero(), -X::Vector::axis(X::D - 1));
    let ball = world.ball(flat::<X>(0.0, -0.1), 0.1);
    world.law = law(world.states[1].mass * GRAVITY);
    (world.build(), ball)
}

/// Distance a hanging sphere falls in a tenth of a second.
fn falls<X: Dim>(law: impl Fn(f64) -> Box<dyn ContactLaw<X>>) -> f64 {
    let (mut simulation, ball) = hanging(law);
    run(&mut simulation, 0.1);
    -0.1 - simulation.bodies.find(ball).unwrap().position[X::D - 1]
}

/// A sphere near the floor in a world without gravity.
fn floating<X: Dim>(h: f64, law: impl ContactLaw<X> + 'static, gap: f64, velocity: X::Vector) -> (Simulation<X>, f64) {
    let mut world = World::<X>::new(h).weightless().law(law);
    world.floor();
    let ball = world.ball(flat::<X>(0.0, 0.1 + gap), 0.1);
    world.state(ball).velocity = velocity;
    let mass = world.state(ball).mass;
    (world.build(), mass)
}

fn hangs_if_strong<X: Dim>() {
    for (share, holds) in [(1.05, true), (0.95, false)] {
        let adhesion = falls::<X>(|weight| Box::new(Adhesion { force: share * weight, distance: 0.0, friction: 0.0 }));
        let joint = falls::<X>(|weight| {
            Box::new(Joint { cohesion: weight, tension: share * weight, friction: 0.0, intact: true, per_area: false })
        });
        for fallen in [adhesion, joint] {
            assert_eq!(fallen.abs() < 1e-9, holds, "{share}: fell by {fallen}");
        }
    }
    let bare = falls::<X>(|w| {
        Box::new(Joint { cohesion: w, tension: 9.0 * w, friction: 0.0, intact: false, per_area: false })
    });
    assert!((bare - 0.5 * GRAVITY * 0.01).abs() < 1e-3, "never joined: {bare}");
}

#[test]
fn an_attraction_or_a_joint_carries_a_ball_that_is_lighter_than_its_strength() {
    hangs_if_strong::<Plane>();
    hangs_if_strong::<Space>();
}

fn attracts<X: Dim>() {
    let law = |friction| Adhesion { force: 3.0, distance: 0.03, friction };
    // At a distance: constant acceleration until the gap is closed.
    let (mut simulation, mass) = floating::<X>(1e-3, law(0.5), 0.02, X::Vector::zero());
    run(&mut simulation, 0.01);
    let speed = simulation.bodies.states().iter().map(|s| s.velocity[X::D - 1]).fold(0.0, f64::min);
    assert!((speed / (-3.0 / mass * 0.01) - 1.0).abs() < 1e-9, "{speed}");
    // In contact: friction due to the attraction alone.
    let (mut simulation, mass) = floating::<X>(1e-3, law(0.5), 0.0, flat::<X>(1.0, 0.0));
    run(&mut simulation, 0.01);
    let speed = simulation.bodies.states().iter().map(|s| s.velocity[0]).fold(0.0, f64::max);
    assert!(((1.0 - speed) / (0.5 * 3.0 / mass * 0.01) - 1.0).abs() < 1e-9, "{speed}");
    // Beyond the range: no force.
    let (mut simulation, _) = floating::<X>(1e-3, law(0.5), 0.031, X::Vector::zero());
    run(&mut simulation, 0.01);
    assert!(simulation.bodies.states().iter().all(|s| s.velocity == X::Vector::zero()));
}

#[test]
fn an_attraction_acts_up_to_its_distance_and_feeds_friction() {
    attracts::<Plane>();
    attracts::<Space>();
}

#[test]
fn a_joint_torn_apart_takes_its_strength_of_one_step_and_never_holds_again() {
    let law = Joint { cohesion: 100.0, tension: 100.0, friction: 0.5, intact: true, per_area: false };
    let (mut simulation, mass) = floating::<Space>(1e-3, law, 0.0, flat::<Space>(0.0, 0.1));
    run(&mut simulation, 1e-3);
    let speed = |s: &Simulation<Space>| s.bodies.find(1).unwrap().velocity.z;
    assert!((speed(&simulation) - (0.1 - 100.0 * 1e-3 / mass)).abs() < 1e-12);
    let after = speed(&simulation);
    run(&mut simulation, 0.02);
    assert_eq!(speed(&simulation), after);
    // Brought back into contact: the bond is not restored.
    let law = Joint { cohesion: 1e9, tension: 1e9, friction: 0.5, intact: true, per_area: false };
    let (mut simulation, _) = floating::<Space>(1e-3, law, 1e-3, flat::<Space>(0.0, -1.0));
    run(&mut simulation, 0.01);
    simulation.bodies.states_mut().iter_mut().filter(|s| s.id.0 == 1).for_each(|s| s.velocity.z = 1.0);
    run(&mut simulation, 0.01);
    assert_eq!(speed(&simulation), 1.0);
}

fn stands_by_cohesion<X: Dim>(share: f64) -> bool {
    let slope: f64 = 1.0;
    let corners = f64::from(1u8 << (X::D - 1));
    let mut world = World::<X>::new(1e-3).tilted(slope);
    world.floor();
    let half = X::Vector::from_fn(|k| if k == X::D - 1 { 0.01 } else { 0.2 });
    let block = world.cuboid(flat::<X>(0.0, 0.01), half);
    let force = world.state(block).mass * GRAVITY * slope.sin();
    let law = Joint { cohesion: share * force / corners, tension: force, friction: 0.0, intact: true, per_area: false };
    let mut simulation = world.law(law).build();
    run(&mut simulation, 0.1);
    simulation.bodies.find(block).unwrap().position[0].abs() < 1e-9
}

#[test]
fn a_joint_without_friction_shears_where_the_slope_is_steeper_than_its_cohesion() {
    assert!(stands_by_cohesion::<Plane>(1.1) && stands_by_cohesion::<Space>(1.1));
    assert!(!stands_by_cohesion::<Plane>(0.9) && !stands_by_cohesion::<Space>(0.9));
}

/// A bond with a peak force of 0.1 N at an opening of 10 micrometres.
const BOND: CohesiveZone = CohesiveZone {
    stiffness: [1e4, 1e4],
    energy: 1e-6,
    viscosity: 0.0,
    strength: None,
    friction: 0.0,
    intact: true,
    per_area: false,
};
const PEAK: f64 = 1e-5;

/// Force on the floor under a heavy sphere that leaves with this velocity, over the displacement; a thousand steps to
/// the peak.
fn pulled<X: Dim>(law: CohesiveZone, direction: X::Vector, steps: usize) -> (Vec<[f64; 2]>, Simulation<X>) {
    let (speed, h) = (0.1, 1e-7);
    let (mut simulation, _) = floating::<X>(h, law, 0.0, direction * speed);
    let start = simulation.bodies.find(1).unwrap().position;
    let mut curve = Vec::new();
    for _ in 0..steps {
        simulation.step().unwrap();
        let body = simulation.bodies.find(1).unwrap();
        // Laws see the gap at mid-step: that of the next step.
        let way = (body.position + body.velocity * (0.5 * h) - start).dot(&direction);
        curve.push([way, reaction(&simulation, 0).dot(&direction) / h]);
    }
    (curve, simulation)
}

fn follows_its_curve<X: Dim>(direction: X::Vector) {
    let (curve, simulation) = pulled::<X>(BOND, direction, 10_100);
    for [way, force] in &curve {
        let expected = match way / PEAK {
            u if u < 0.999 => 0.1 * u,
            u if u < 1.002 || (9.98..10.02).contains(&u) => continue,
            u if u < 10.0 => 0.1 / (u * u * u),
            _ => 0.0,
        };
        // Sliding is counted from the first end of a step, half a step late; the tolerance allows for it.
        assert!((force - expected).abs() <= 0.005 * expected + 6e-5, "at {way}: {force} N for {expected} N");
    }
    let spent = simulation.sums.energy.dissipated() / BOND.energy;
    assert!((spent - 1.0).abs() < 0.01, "{spent} of the energy of the bond");
}

#[test]
fn a_cohesive_bond_follows_its_curve_and_spends_its_energy_in_opening_and_in_shear() {
    follows_its_curve::<Plane>(flat::<Plane>(0.0, 1.0));
    follows_its_curve::<Space>(flat::<Space>(0.0, 1.0));
    follows_its_curve::<Space>(flat::<Space>(1.0, 0.0));
    follows_its_curve::<Space>(flat::<Space>(0.6, 0.8));
}

#[test]
fn a_bond_of_given_strength_softens_on_a_straight_line_and_spends_the_same_energy() {
    let law = CohesiveZone { strength: Some(0.05), stiffness: [1e4, 2e4], ..BOND };
    for (direction, stiffness) in [(flat::<Space>(0.0, 1.0), 1e4), (flat::<Space>(1.0, 0.0), 2e4f64)] {
        // In shear, the same energy at a higher stiffness: everything scales with the square root of the ratio.
        let scale = (stiffness / 1e4).sqrt();
        let (curve, simulation) = pulled::<Space>(law.clone(), direction, 4_100);
        for [way, force] in &curve {
            let u = way * scale;
            let expected = scale * if u < 5e-6 { 1e4 * u } else { 0.05 * ((4e-5 - u) / 3.5e-5).max(0.0) };
            assert!((force - expected).abs() < 0.005 * 0.05 * scale, "at {way}: {force} N for {expected} N");
        }
        let spent = simulation.sums.energy.dissipated() / law.energy;
        assert!((spent - 1.0).abs() < 0.01, "{spent} of the energy of the bond");
    }
}

#[test]
fn a_damaged_bond_unloads_to_nothing_and_never_heals() {
    let (_, mut simulation) = pulled::<Space>(BOND, flat::<Space>(0.0, 1.0), 2000);
    // Back to half the opening of the peak: beta is 1/4, the stiffness a sixteenth.
    for _ in 0..1500 {
        simulation.bodies.states_mut().iter_mut().filter(|s| s.id.0 == 1).for_each(|s| s.velocity.z = -0.1);
        simulation.step().unwrap();
    }
    let body = simulation.bodies.find(1).unwrap();
    let opening = body.position.z - 0.1 + 0.5e-7 * body.velocity.z;
    let force = reaction(&simulation, 0).z / 1e-7;
    assert!((force / (1e4 / 16.0 * opening) - 1.0).abs() < 0.01, "{force} N at {opening} m");
}

#[test]
fn a_viscous_bond_is_stronger_when_it_is_pulled_faster() {
    let peak = |viscosity: f64| {
        let (curve, _) = pulled::<Space>(CohesiveZone { viscosity, ..BOND }, flat::<Space>(0.0, 1.0), 3000);
        curve.iter().map(|point| point[1]).fold(0.0, f64::max)
    };
    let peaks = [0.0, 1e-10, 1e-9].map(peak);
    assert!((peaks[0] - 0.1).abs() < 1e-3, "{peaks:?}");
    assert!(peaks[1] > 1.05 * peaks[0] && peaks[2] > 1.05 * peaks[1], "{peaks:?}");
}

#[test]
fn a_cohesive_bond_bears_pressure_like_a_rigid_contact() {
    let mut world = World::<Space>::new(1e-3).law(BOND);
    let floor = world.floor();
    let ball = world.ball(flat::<Space>(0.0, 0.1), 0.1);
    let weight = world.state(ball).mass * GRAVITY * 1e-3;
    let mut simulation = world.build();
    run(&mut simulation, 0.1);
    assert!((simulation.bodies.find(ball).unwrap().position.z - 0.1).abs() < 1e-12);
    assert!((reaction(&simulation, floor).z / -weight - 1.0).abs() < 1e-9);
}

const WATER: Capillary = Capillary { surface_tension: 0.072, contact_angle: 0.3, volume: 1e-6, friction: 0.3 };

fn bridges<X: Dim>() {
    // A wall has infinite radius: R is twice the radius.
    let at_contact = 2.0 * std::f64::consts::PI * 0.2 * 0.072 * 0.3f64.cos();
    let rupture = 1.15 * 0.01;
    let length = 0.9 * (1e-6f64 / 0.2).sqrt();
    let (speed, h) = (1.0, 1e-5);
    let (mut simulation, _) = floating::<X>(h, WATER, 0.0, flat::<X>(0.0, speed));
    let mut last = 0.0;
    for step in 0..1500 {
        let body = *simulation.bodies.find(1).unwrap();
        let gap = body.position[X::D - 1] - 0.1 + 0.5 * h * body.velocity[X::D - 1];
        simulation.step().unwrap();
        let force = reaction(&simulation, 0)[X::D - 1] / h;
        let expected = if gap <= rupture { at_contact * (-gap / length).exp() } else { 0.0 };
        assert!((force - expected).abs() < 1e-9 * at_contact, "step {step}, gap {gap}: {force} N for {expected} N");
        last = if force > 0.0 { gap } else { last };
    }
    assert!((last / rupture - 1.0).abs() < 2e-3, "broke at {last}");
    // Close again, but not in contact: no bridge.
    let back = |s: &mut Simulation<X>, v: f64| {
        s.bodies.states_mut().iter_mut().filter(|s| s.id.0 == 1).for_each(|s| s.velocity[X::D - 1] = v);
    };
    back(&mut simulation, -1.0);
    run(&mut simulation, 0.01);
    assert_eq!(simulation.bodies.find(1).unwrap().velocity[X::D - 1], -1.0);
}

#[test]
fn a_liquid_bridge_pulls_by_its_formula_and_breaks_at_its_rupture_distance() {
    bridges::<Plane>();
    bridges::<Space>();
    assert!((WATER.rupture() - 0.0115).abs() < 1e-15);
}

#[test]
fn equal_spheres_have_a_bridge_of_their_own_radius_and_bridges_form_by_contact_alone() {
    let pair = |gap: f64| {
        let mut world = World::<Space>::new(1e-3).weightless().law(WATER);
        let balls = [-1.0, 1.0].map(|side| world.ball(flat::<Space>(side * (0.1 + 0.5 * gap), 0.0), 0.1));
        let mut simulation = world.build();
        simulation.step().unwrap();
        reaction(&simulation, balls[0])[0] / 1e-3
    };
    // In contact the contact force balances the attraction; it is measured at a tiny separation.
    let force = WATER.force(0.0, 0.1);
    assert!((force - 2.0 * std::f64::consts::PI * 0.1 * 0.072 * 0.3f64.cos()).abs() < 1e-15);
    assert_eq!(pair(1e-3), 0.0);
    let apart = pair(1e-8);
    assert!(apart > 0.0 && apart <= force, "{apart} of {force}");
}

/// A block glued to the ground at its two lower corners, tilted about one and then about the other by a torque that
/// changes its sign, held sideways or free; `law` in the notation of scenes. Returns the simulation after two cycles.
fn rocks(law: &str, torque: f64, is_held: bool) -> Simulation<Plane> {
    let hold = if is_held { "driven.velocity.x = 0" } else { "" };
    let scene = format!(
        "world = {{ dimension = 2 }}\ntime = {{ step = 1e-4, end = 0.4 }}\nmaterials.a = {{ density = 2000 }}\n\
         laws = [{{ between = [\"a\", \"a\"], {law} }}]\n\
         [[bodies]]\nmaterial = \"a\"\nbox.size = [1, 0.1]\nposition = [0, -0.05]\nfixed = true\n\
         [[bodies]]\nmaterial = \"a\"\nbox.size = [0.9, 0.5]\nposition = [0, 0.25]\n{hold}\n\
         driven.force.r = {{ sinusoid = {{ amplitude = {torque}, omega = 31.4 }} }}\n"
    );
    let mut simulation = simulate::<Plane>(&Scene::parse(&scene, "test", Path::new(""), &[]).unwrap());
    run(&mut simulation, 0.4);
    simulation
}

#[test]
fn a_broken_bond_stays_broken_when_the_joint_opens_and_closes_again() {
    let zone =
        rocks("cohesive_zone = { stiffness = [1e9, 1e9], energy = 2, strength = 40000, friction = 0.5 }", 6e4, true);
    let dissipated = zone.sums.energy.dissipation;
    let stored = zone.sums.energy.transfers.stored;
    // Two bonds of 2 J; the rest of what impacts dissipate is no bond, so the bound is on what is stored: never
    // negative.
    assert!(stored > -1e-9 && stored < 4.0, "{stored} J stored, {dissipated:?}");
    assert!(
        zone.history.iter().all(|record| record.memory.state < 0.5),
        "{:?}",
        zone.history.iter().collect::<Vec<_>>()
    );
    // Just enough to open one side, then the other.
    let joint = rocks("joint = { cohesion = 1e5, tension = 500, friction = 0.5 }", 5e3, false);
    let states: Vec<f64> = joint.history.iter().map(|record| record.memory.state).collect();
    assert!(!states.is_empty() && states.iter().all(|state| *state < 0.0), "{states:?}");
}
