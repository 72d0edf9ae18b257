//! A step reported as converged is accurate: the certificate against the accurate solver, and scenes that used to
//! defeat it.

use std::path::Path;

use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;
use nscdd::simulation::StepReport;
use nscdd::solver::SolverSettings;

use crate::long::or_long;
use crate::scenes::load;
use crate::support::truth::{kinds, tried};
use crate::support::{GRAVITY, on_this_thread, simulate};

/// Kinds whose problems the accurate solver solves quickly.
const QUICK: [&str; 11] = [
    "two balls, 1:8",
    "two balls, 1:8000",
    "two balls, 1:1e6",
    "falling spheres",
    "disks",
    "pentagons",
    "boxes",
    "stack of ten",
    "arch",
    "restitution",
    "hammer of 1:10000",
];

/// Steps of a few scenes of every kind; `cargo bench --bench certificate` covers all of them.
#[test]
fn steps_called_converged_are_as_near_to_the_solution_as_their_certificate_says() {
    on_this_thread();
    let limit = SolverSettings::default().velocity_error;
    let (mut converged, mut above) = (0, 0);
    for mut kind in kinds().into_iter().filter(|kind| QUICK.contains(&kind.name)) {
        // A third of the steps: the accurate solver takes most of the time.
        kind.every *= 3;
        for step in tried(&kind, &[]).iter().filter(|step| step.certificate.converged) {
            let Some(error) = step.error else { continue };
            assert!(error < 3.0 * limit, "{}, step {}: {error} but {:?}", kind.name, step.step, step.certificate);
            converged += 1;
            above += u32::from(error > limit);
        }
    }
    assert!(converged > 40 && 100 * above <= converged, "{above} of {converged}");
}

fn simulation<X: Dim>(text: &str) -> Simulation<X> {
    let scene = Scene::parse(text, "test", Path::new(""), &[]).unwrap();
    simulate(&scene)
}

const STONE: &str = "[materials.stone]\ndensity = 2600\n[[laws]]\nbetween = [\"*\", \"*\"]\n";
const FLOOR: &str =
    "[[bodies]]\nmaterial = \"stone\"\nplane = { normal = [0, 0, 1] }\nposition = [0, 0, 0]\nfixed = true\n";

/// A sphere that falls on another one, `ratio` times heavier than it.
fn ball_on_ball(ratio: f64, solver: &str) -> (Simulation<Space>, f64) {
    let radius = 0.02 * ratio.cbrt();
    let ball = |radius: f64, z: f64| {
        format!("[[bodies]]\nmaterial = \"stone\"\nsphere = {{ radius = {radius} }}\nposition = [0, 0, {z}]\n")
    };
    let text = format!(
        "[world]\ndimension = 3\n[time]\nstep = 1e-3\nend = 1\n{solver}\n{STONE}coulomb = {{ friction = 0.5 }}\n{FLOOR}{}{}",
        ball(0.02, 0.02),
        ball(radius, 0.09 + radius)
    );
    (simulation(&text), radius)
}

#[test]
fn a_heavy_ball_does_not_rebound_from_a_light_one_whatever_their_masses() {
    // It arrives at 0.98 m/s. A velocity error D leaves D^2/2 of that: 2 % at the default of 0.2.
    let cases = [125.0, 1e3, 8e3, 1e6].into_iter().flat_map(|ratio| [(ratio, 0.2, 0.02), (ratio, 0.02, 2e-4)]);
    for (ratio, velocity_error, rebound) in cases {
        let solver = format!("[solver]\nvelocity_error = {velocity_error}\nmax_sweeps = 10000");
        let (mut simulation, _) = ball_on_ball(ratio, &solver);
        for _ in 0..300 {
            let report = simulation.step().unwrap();
            let heavy = simulation.bodies.by_id()[2].velocity.z;
            assert!(report.certificate.converged, "{ratio}: {:?}", report.certificate);
            assert!(heavy < rebound, "{ratio}: thrown up at {heavy} m/s in step {}", report.step);
            assert!(report.totals.max_penetration < 0.01, "{ratio}: overlap {}", report.totals.max_penetration);
        }
    }
}

#[test]
fn an_arch_of_51_voussoirs_stands_two_per_cent_above_the_least_thickness_and_falls_two_per_cent_below() {
    // Milankovitch: minimum thickness of a semicircular arch over its mean radius.
    const LEAST: f64 = 0.10737;
    for (thickness, stands) in [(1.02 * LEAST, true), (0.98 * LEAST, false)] {
        let text = format!(
            "[world]\ndimension = 2\n[time]\nstep = 1e-3\nend = 2\n{STONE}coulomb = {{ friction = 0.8 }}\n\
             [[generators]]\nmaterial = \"stone\"\narch = {{ inner_radius = {}, thickness = {thickness}, voussoirs = 51, centre = [0, 0.2] }}\n",
            1.0 - 0.5 * thickness
        );
        let mut simulation = simulation::<Plane>(&text);
        let reports: Vec<StepReport> = (0..1500).map(|_| simulation.step().unwrap()).collect();
        let mass: f64 = 2600.0 * std::f64::consts::PI * thickness;
        let speed = (2.0 * reports[1499].kinetic_energy / mass).sqrt();
        assert_eq!(speed < 1e-4, stands, "thickness {thickness}: {speed} m/s");
        let unconverged = reports.iter().filter(|report| !report.certificate.converged).count();
        assert!(unconverged <= 15, "{unconverged} steps did not converge");
    }
}

#[test]
fn a_stack_of_ten_boxes_is_at_rest_after_half_a_second() {
    let at = |k: u32| 0.05 + 0.1 * f64::from(k);
    let boxes: String = (0..10)
        .map(|k| {
            format!(
                "[[bodies]]\nmaterial = \"stone\"\nbox = {{ size = [0.2, 0.2, 0.1] }}\nposition = [0, 0, {}]\n",
                at(k)
            )
        })
        .collect();
    let text = format!(
        "[world]\ndimension = 3\n[time]\nstep = 1e-3\nend = 3\n{STONE}coulomb = {{ friction = 0.5 }}\n{FLOOR}{boxes}"
    );
    let mut simulation = simulation::<Space>(&text);
    for step in 0..1000 {
        simulation.step().unwrap();
        let fastest =
            simulation.bodies.states().iter().map(|s| s.velocity.norm().max(0.1 * s.spin.norm())).fold(0.0, f64::max);
        assert!(step < 500 || fastest < 1e-5, "{fastest} m/s in step {step}");
    }
}

/// The weight of a heavy slab on small spheres reaches the floor, and none of its energy comes back.
#[test]
fn a_slab_of_twenty_tons_settles_on_a_bed_of_spheres() {
    or_long(&[0.2][..], &[0.2, 0.1]).iter().for_each(|&velocity_error| slab_settles(velocity_error));
}

fn slab_settles(velocity_error: f64) {
    let text = format!(
        "[world]\ndimension = 3\n[time]\nstep = 1e-3\nend = 1\n[solver]\nvelocity_error = {velocity_error}\n{STONE}coulomb = {{ friction = 0.5 }}\n\
         [[generators]]\nmaterial = \"stone\"\nfirst_id = 0\nwalls = {{ min = [0, 0, 0], max = [0.3, 0.3, 5], open = [\"+z\"] }}\n\
         [[generators]]\nmaterial = \"stone\"\nfirst_id = 10\n\
         deposit = {{ min = [0, 0, 0], max = [0.3, 0.3, 20], count = 60, radius = {{ uniform = [0.02, 0.025] }} }}\n\
         [[bodies]]\nid = 1000\nmaterial = \"stone\"\nbox = {{ size = [0.28, 0.28, 0.5] }}\nmass = 20000\nposition = [0.15, 0.15, 0.4]\n"
    );
    let mut simulation = simulation::<Space>(&text);
    let mut energies = Vec::new();
    for _ in 0..500 {
        energies.push(simulation.step().unwrap().kinetic_energy);
    }
    let fall = energies.iter().copied().fold(0.0, f64::max);
    // A sphere may be squeezed out and fly off; the slab moves only as far as the certificate leaves open: an error of
    // its velocity is relative to what gravity adds in a step, and never above three times `velocity_error`.
    let speed = simulation.bodies.by_id().iter().find(|s| s.id.0 == 1000).unwrap().velocity.norm();
    assert!(speed < 3.0 * velocity_error * GRAVITY * 1e-3, "the slab moves at {speed} m/s");
    let late = energies[450..].iter().copied().fold(0.0, f64::max);
    assert!(late < 1e-3 * fall, "{late} J of {fall} J are left");
    let mut weight = 0.0;
    for _ in 0..50 {
        simulation.step().unwrap();
        for floor in simulation.bodies.by_id().iter().take_while(|s| s.id.0 < 10).map(|s| s.id.0) {
            weight -= crate::support::reaction(&simulation, floor).z / (50.0 * 1e-3);
        }
    }
    let masses: f64 = simulation.bodies.by_id().iter().filter(|s| s.id.0 >= 10).map(|s| s.mass).sum();
    assert!((weight / (9.81 * masses) - 1.0).abs() < 0.01, "{weight} N of {}", 9.81 * masses);
}

/// Momentum is the default for angular bodies too: 0.65 of the sweeps where they fall, 0.3 where they rest.
#[test]
fn by_default_angular_bodies_take_fewer_sweeps_than_with_plain_gauss_seidel() {
    let sweeps = |scene: &str, steps: u32, dimension: u32, method: &str| -> u32 {
        let method = format!("solver.method={method}");
        let sets = ["solver.tolerance=1e-4", &method];
        match dimension {
            2 => swept(&mut load::<Plane>(scene, &sets), steps),
            _ => swept(&mut load::<Space>(scene, &sets), steps),
        }
    };
    for (scene, steps, dimension, most) in [("pentagons", 300, 2, 0.75), ("brick-wall", 40, 3, 0.4)] {
        let [auto, plain] = ["auto", "nlgs"].map(|method| sweeps(scene, steps, dimension, method));
        assert!(f64::from(auto) < most * f64::from(plain), "{scene}: {auto} sweeps, {plain} plain ones");
    }
}

/// Sweeps of a number of steps.
fn swept<X: Dim>(simulation: &mut Simulation<X>, steps: u32) -> u32 {
    (0..steps).map(|_| simulation.step().unwrap().certificate.sweeps).sum()
}
