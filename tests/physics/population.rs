//! Feeds, sinks and removals, tilting gravity, and stop conditions.

use std::collections::BTreeSet;
use std::path::Path;

use crate::scenes::load;
use crate::support::{GRAVITY, World, flat, simulate};
use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;
use nscdd::solver::Stabilisation;

fn parse<X: Dim>(text: &str) -> Simulation<X> {
    let head = format!("world.dimension = {}\nmaterials.stone.density = 2600\n", X::D);
    let scene = Scene::parse(&format!("{head}{text}"), "test", Path::new(""), &[]).unwrap();
    simulate(&scene)
}

#[test]
fn no_id_is_used_twice_and_no_body_is_lost_in_a_hopper() {
    let sets = ["feeds.0.velocity=[0, -6]", "sinks.0.box.max=[1, 0.3]", "feeds.0.total=300"];
    let mut simulation = load::<Plane>("hopper", &sets);
    let (mut seen, mut before) = (BTreeSet::new(), BTreeSet::new());
    let last = loop {
        let report = simulation.step().unwrap();
        let now: BTreeSet<u64> = simulation.bodies.states().iter().map(|s| s.id.0).collect();
        assert_eq!(now.len() as u64, report.bodies);
        assert_eq!(report.bodies + report.died, 4 + report.born);
        assert!(now.difference(&before).all(|&id| seen.insert(id)), "step {}: an id came back", report.step);
        assert!(report.totals.max_penetration < 0.05, "step {}: {}", report.step, report.totals.max_penetration);
        before = now;
        if let Some(words) = &report.ends {
            assert_eq!(words, "fewer than 5 bodies");
            break report;
        }
        assert!(report.step < 1000, "still {} bodies", report.bodies);
    };
    assert_eq!((last.born, last.died, last.waiting), (300, 300, 0));
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), (0..304).collect::<Vec<_>>());
}

#[test]
fn a_feed_without_room_waits_and_goes_on_when_there_is_some() {
    let mut simulation = parse::<Space>(
        "time = { step = 1e-2, end = 5 }\nlaws = [{ between = [\"*\", \"*\"], coulomb = { friction = 0.3 } }]\n\
         [[bodies]]\nid = 5\nmaterial = \"stone\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n\
         [[removals]]\nbody = 5\nat = 1.0\n\
         [[feeds]]\nmaterial = \"stone\"\nradius = 0.1\nrate = 100\nbox = { min = [0, 0, 0], max = [0.25, 0.25, 0.25] }\n",
    );
    let reports: Vec<_> = (0..200).map(|_| simulation.step().unwrap()).collect();
    assert_eq!((reports[99].born, reports[99].waiting), (1, 100));
    assert!(reports[199].born >= 3, "{}", reports[199].born);
    assert!(simulation.bodies.find(5).is_none() && simulation.bodies.find(6).is_some());
}

#[test]
fn grains_run_out_when_their_gate_is_taken_away_and_not_before() {
    let mut simulation = load::<Space>("gate", &[]);
    let front = |simulation: &Simulation<Space>| {
        let free = simulation.bodies.states().iter().filter(|s| !simulation.model.is_prescribed(s));
        free.map(|s| s.position[0]).fold(0.0, f64::max)
    };
    for _ in 0..150 {
        simulation.step().unwrap();
    }
    assert!(simulation.bodies.find(10).is_some() && front(&simulation) < 0.22);
    for _ in 0..200 {
        simulation.step().unwrap();
    }
    assert!(simulation.bodies.find(10).is_none() && front(&simulation) > 0.3);
}

#[test]
fn a_gate_can_wait_for_rest() {
    let when = "removals=[{ body = 10, when = { kinetic_energy_below = 0.1, after = 0.05 } }]";
    let mut simulation = load::<Space>("gate", &[when]);
    let mut energy = f64::INFINITY;
    loop {
        let report = simulation.step().unwrap();
        let is_there = simulation.bodies.find(10).is_some();
        let due = energy < 0.1 && report.step > 51;
        assert_eq!(is_there, !due, "step {}: {energy} J", report.step);
        if !is_there {
            break;
        }
        energy = report.kinetic_energy;
        assert!(report.step < 400, "never at rest: {energy} J");
    }
}

#[test]
fn a_body_that_leaves_the_world_is_removed_if_the_scene_says_so() {
    let mut simulation = parse::<Plane>(
        "time = { step = 1e-2, end = 5 }\nworld.bounds = { min = [-1, -1], max = [1, 1] }\nworld.outside = \"remove\"\n\
         [[bodies]]\nmaterial = \"stone\"\ndisk.radius = 0.1\nposition = [0, 0]\n\
         [[stop]]\nbodies.below = 1\n",
    );
    let report = (0..100).map(|_| simulation.step().unwrap()).find(|r| r.ends.is_some()).unwrap();
    let time = (2.0 / GRAVITY).sqrt();
    assert!((report.time - time).abs() < 0.03, "{} for {time}", report.time);
    assert_eq!((report.bodies, report.died), (0, 1));
    // An empty world continues.
    simulation.step().unwrap();
}

#[test]
fn a_run_ends_when_a_wall_has_moved_so_far() {
    let mut simulation = parse::<Plane>(
        "time = { step = 1e-2, end = 5 }\n\
         [[bodies]]\nid = 3\nmaterial = \"stone\"\nplane.normal = [0, 1]\nposition = [0, 2]\ndriven = { hold = true, velocity.y = -0.1 }\n\
         [[stop]]\ndisplacement = { body = 3, axis = \"y\", beyond = -0.0505 }\n",
    );
    let report = (0..100).map(|_| simulation.step().unwrap()).find(|r| r.ends.is_some()).unwrap();
    // The wall starts with its driven velocity.
    assert_eq!((report.step, report.ends.as_deref()), (51, Some("body 3 moved along y beyond -0.0505 m")));
}

#[test]
fn a_run_ends_when_it_has_been_at_rest_for_a_while() {
    let mut simulation = parse::<Space>(
        "time = { step = 1e-3, end = 5 }\nlaws = [{ between = [\"*\", \"*\"], coulomb = { friction = 0.3 } }]\n\
         [[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n\
         [[bodies]]\nmaterial = \"stone\"\nsphere.radius = 0.1\nposition = [0, 0, 0.2]\n\
         [[stop]]\nkinetic_energy = { below = 1e-9, for = 0.1 }\n",
    );
    let report = (0..2000).map(|_| simulation.step().unwrap()).find(|r| r.ends.is_some()).unwrap();
    let fall = (2.0 * 0.1 / GRAVITY).sqrt();
    assert!((report.time - fall - 0.1).abs() < 3e-3, "{} for {}", report.time, fall + 0.1);
}

/// A block on a floor under gravity that tilts at half a radian per second.
fn slides<X: Dim>(tilt: &str, body: &str, along: f64) {
    let (mu, rate) = (0.3f64, 0.5);
    let mut simulation = parse::<X>(&format!(
        "time = {{ step = 1e-3, end = 2 }}\nworld.tilt = {tilt}\n\
         laws = [{{ between = [\"*\", \"*\"], coulomb = {{ friction = {mu} }} }}]\n{body}"
    ));
    let critical = mu.atan() / rate;
    loop {
        let report = simulation.step().unwrap();
        let speed = simulation.bodies.find(1).unwrap().velocity[0] * along;
        if report.time < critical - 1e-3 {
            // A hundredth of the velocity gravity adds in a step: the solver tolerance causes a slight motion.
            assert!(speed.abs() < 1e-4, "slides at {} s, tan {}: {speed} m/s", report.time, (rate * report.time).tan());
        }
        if report.time > critical + 0.2 {
            // Integral of g (sin - mu cos) from the critical angle on.
            let (a, b) = (rate * critical, rate * report.time);
            let exact = GRAVITY / rate * (a.cos() - b.cos() - mu * (b.sin() - a.sin()));
            assert!((speed - exact).abs() < 0.01 * exact, "{speed} for {exact}");
            break;
        }
    }
}

#[test]
fn a_block_begins_to_slide_when_gravity_has_tilted_to_the_friction_angle() {
    let floor = |normal: &str, zero: &str| {
        format!("[[bodies]]\nid = 0\nmaterial = \"stone\"\nplane.normal = {normal}\nposition = {zero}\nfixed = true\n")
    };
    let block = |size: &str, at: &str| {
        format!("[[bodies]]\nid = 1\nmaterial = \"stone\"\nbox.size = {size}\nposition = {at}\n")
    };
    let plane = floor("[0, 1]", "[0, 0]") + &block("[0.4, 0.1]", "[0, 0.05]");
    slides::<Plane>("{ rate = 0.5 }", &plane, 1.0);
    let space = floor("[0, 0, 1]", "[0, 0, 0]") + &block("[0.4, 0.4, 0.1]", "[0, 0, 0.05]");
    slides::<Space>("{ axis = [0, 2, 0], angle = { ramp = { from = 0, to = 5, start = 0, end = 10 } } }", &space, -1.0);
}

/// Overlap of two stacked spheres after 50 steps, over the radius.
fn overlap_left(stabilisation: Stabilisation) -> f64 {
    let mut world = World::<Plane>::new(1e-3);
    world.plan.solver.stabilisation = stabilisation;
    world.floor();
    world.ball(flat::<Plane>(0.0, 0.1), 0.1);
    world.ball(flat::<Plane>(0.0, 0.298), 0.1);
    let mut simulation = world.build();
    let last = (0..50).map(|_| simulation.step().unwrap()).last().unwrap();
    last.totals.max_penetration
}

#[test]
fn baumgarte_undoes_an_overlap_but_for_a_thousandth() {
    assert!((overlap_left(Stabilisation::None) - 0.02).abs() < 1e-6);
    let left = overlap_left(Stabilisation::Baumgarte);
    assert!(left < 2e-3, "{left}");
}
