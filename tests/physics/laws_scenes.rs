//! The scenes of the laws do what their header comments state.

use crate::scenes::{centre, load};
use crate::support::run;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::simulation::Simulation;

#[test]
fn a_block_pushed_by_a_spring_sticks_and_slips() {
    let mut simulation = load::<Plane>("law-stick-slip", &[]);
    let (mut slips, mut rests, mut is_resting) = (0, 0, true);
    for _ in 0..2500 {
        simulation.step().unwrap();
        let speed = simulation.bodies.find(1).unwrap().velocity.x;
        rests += usize::from(speed.abs() < 1e-6);
        if is_resting && speed > 0.03 {
            (slips, is_resting) = (slips + 1, false);
        }
        is_resting |= speed.abs() < 1e-6;
    }
    let way = simulation.bodies.find(1).unwrap().position.x - 0.2;
    println!("{slips} slips, at rest in {rests} of 2500 steps, {way} m");
    // A period is twice the excess of static friction, divided by stiffness and speed: 0.39 s, after 0.59 s of loading.
    assert!((4..=6).contains(&slips), "{slips} slips");
    assert!(rests > 1500, "at rest in {rests} steps only");
}

#[test]
fn on_the_same_slope_one_block_stops_and_three_do_not() {
    let mut simulation = load::<Plane>("law-friction", &[]);
    run(&mut simulation, 0.6);
    let speeds = [1, 2, 3, 4].map(|id| simulation.bodies.find(id).unwrap().velocity.x);
    println!("{speeds:?}");
    assert!(speeds[0].abs() < 1e-6, "{speeds:?}");
    assert!(speeds[1..].iter().all(|speed| *speed > 0.5), "{speeds:?}");
}

#[test]
fn four_impacts_rebound_as_their_laws_say() {
    let mut simulation = load::<Plane>("law-impacts", &[]);
    let mut rebounds = [0.0f64; 4];
    let mut falls = [0.0f64; 4];
    for _ in 0..1500 {
        simulation.step().unwrap();
        for (k, id) in [1u64, 2, 3, 4].into_iter().enumerate() {
            let speed = simulation.bodies.find(id).unwrap().velocity.y;
            (rebounds[k], falls[k]) = (rebounds[k].max(speed), falls[k].min(speed));
        }
    }
    let shares = [0, 1, 2, 3].map(|k| -rebounds[k] / falls[k]);
    println!("{shares:?}");
    assert!((0.95..=1.0).contains(&shares[0]) && (0.3..0.7).contains(&shares[1]), "{shares:?}");
    assert!(shares[2].abs() < 0.1 && (shares[3] - 0.6).abs() < 1e-3, "{shares:?}");
}

/// Number of contacts whose law has a nonzero internal state.
fn bonds<X: Dim>(simulation: &Simulation<X>) -> usize {
    simulation.history.iter().filter(|record| record.memory.state > 0.0).count()
}

#[test]
fn a_bonded_slab_breaks_over_a_post_unless_it_is_tough() {
    let left = |sets: &[&str]| {
        let mut simulation = load::<Plane>("law-bonded-slab", sets);
        simulation.step().unwrap();
        let before = bonds(&simulation);
        run(&mut simulation, 0.4);
        (before, bonds(&simulation))
    };
    let (brittle, tough) = (left(&[]), left(&["laws.0.cohesive_zone.energy=200"]));
    println!("bonds {brittle:?}, tough {tough:?}");
    assert_eq!(brittle.0, 20 * 3 + 19 * 4);
    assert_eq!(tough.1, tough.0);
    assert!(brittle.1 < brittle.0 && brittle.1 > brittle.0 / 2, "{brittle:?}");
}

#[test]
fn mortar_keeps_a_leaning_wall_upright_or_at_least_in_one_piece() {
    let end = |sets: &[&str]| {
        let mut simulation = load::<Space>("law-mortar", sets);
        simulation.step().unwrap();
        let before = bonds(&simulation);
        let start = centre(&simulation);
        run(&mut simulation, 0.3);
        (before, bonds(&simulation), (centre(&simulation) - start).norm())
    };
    let (strong, weak, dry) = (end(&[]), end(&["laws.0.joint.tension=50"]), end(&["laws.0.joint.intact=false"]));
    println!("joints and way: {strong:?}, weak {weak:?}, dry {dry:?}");
    // The number of contact points of flush bricks varies slightly from step to step.
    assert!(10 * strong.1 > 9 * strong.0 && strong.2 < 1e-4, "{strong:?}");
    assert!(10 * weak.1 > 9 * weak.0 && weak.2 > 0.05, "{weak:?}");
    assert!(dry.0 == 0 && dry.1 == 0 && dry.2 > 0.05, "{dry:?}");
}

#[test]
fn sticky_powder_and_wet_grains_keep_their_shape_and_dry_ones_do_not() {
    let end = |force: &str| {
        let mut simulation = load::<Plane>("law-powder", &[force]);
        run(&mut simulation, 1.0);
        centre(&simulation)
    };
    let [sticky, dry] = ["laws.0.adhesion.force=400", "laws.0.adhesion.force=1e-3"].map(end);
    println!("powder at {sticky:?}, dry at {dry:?}");
    assert!(dry.x > 1.15 * sticky.x && dry.y < 0.9 * sticky.y);
    let end = |tension: &str| {
        let mut simulation = load::<Space>("law-wet-grains", &[tension]);
        run(&mut simulation, 0.06);
        let grains: Vec<f64> =
            simulation.bodies.states().iter().filter(|s| s.size < 0.0015).map(|s| s.position.z).collect();
        grains.iter().sum::<f64>() / grains.len() as f64
    };
    let [wet, dry] = ["laws.0.capillary.surface_tension=0.072", "laws.0.capillary.surface_tension=1e-6"].map(end);
    println!("wet at {wet}, dry at {dry}");
    assert!(dry < 0.9 * wet);
}
