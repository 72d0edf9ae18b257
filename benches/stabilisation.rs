//! Long-term behaviour of overlaps and rest: a settled heap under each overlap treatment.
//!
//! `cargo bench --bench stabilisation` prints, for `STEPS=100000` steps unless set otherwise, the maximum and the mean
//! overlap over the radius and the kinetic energy of three hundred disks that settle in the first two thousand steps:
//! at rest and, for a fifth of the steps, rocked by gravity. Reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::Path;
use std::time::Instant;

use nscdd::cli::plan;
use nscdd::dim::Plane;
use nscdd::scene::Scene;
use nscdd::scene::setup::setup;
use nscdd::simulation::Simulation;

const SCENE: &str = r#"
[world]
dimension = 2
[time]
step = 1e-3
end = 1.0
[materials.stone]
density = 2600
[[laws]]
between = ["stone", "stone"]
coulomb = { friction = 0.4 }
[[generators]]
material = "stone"
walls = { min = [0, 0], max = [1, 2], open = ["+y"] }
[[generators]]
material = "stone"
lattice = { count = [15, 20], spacing = 0.066, origin = [0.004, 0], jitter = 0.5, radius = { uniform = [0.024, 0.032] } }
"#;

/// Name and setting of each treatment.
const WAYS: [(&str, &str); 4] = [
    ("none", "solver.stabilisation=\"none\""),
    ("baumgarte", "solver.stabilisation=\"baumgarte\""),
    ("viscoelastic (law)", "laws=[{ between = [\"stone\", \"stone\"], viscoelastic = { friction = 0.4 } }]"),
    ("projection", "solver.stabilisation=\"projection\""),
];

/// The heap at rest, and rocked so far that its surface slides to and fro; the divisor of the number of steps.
const HEAPS: [(&str, Option<&str>, u64); 2] = [
    ("at rest", None, 1),
    ("rocked", Some("world.tilt={ angle = { sinusoid = { amplitude = 0.5, omega = 3, phase = 1.5707963 } } }"), 5),
];

fn main() {
    let steps: u64 = std::env::var("STEPS").map_or(100_000, |steps| steps.parse().unwrap());
    println!("| heap | stabilisation | step | largest overlap | mean overlap | kinetic energy, J | ms a step |");
    println!("|---|---|---|---|---|---|---|");
    for (heap, rocked, share) in HEAPS {
        for (name, set) in WAYS {
            let sets: Vec<String> = [set].into_iter().chain(rocked).map(str::to_owned).collect();
            follow(&format!("| {heap} | {name}"), &sets, steps / share);
        }
    }
}

/// Prints the worst of the thousand steps before each of a few times.
fn follow(name: &str, sets: &[String], steps: u64) {
    let scene = Scene::parse(SCENE, "bench", Path::new("."), sets).unwrap();
    let setup = setup::<Plane>(&scene).unwrap();
    let mut simulation = Simulation::new(setup.model, setup.bodies, setup.bounds, plan(&scene));
    let clock = Instant::now();
    let (mut largest, mut mean, mut energy) = (0.0f64, 0.0f64, 0.0f64);
    for step in 1..=steps {
        let report = simulation.step().unwrap();
        largest = largest.max(report.totals.max_penetration);
        mean = mean.max(report.totals.mean_penetration());
        energy = energy.max(report.kinetic_energy);
        if [2_000, 10_000, steps].contains(&step) {
            let pace = 1e3 * clock.elapsed().as_secs_f64() / step as f64;
            println!("{name} | {step} | {largest:.1e} | {mean:.1e} | {energy:.1e} | {pace:.2} |");
        }
        if step % 1_000 == 0 {
            (largest, mean, energy) = (0.0, 0.0, 0.0);
        }
    }
}
