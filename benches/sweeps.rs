//! Cost of the decomposition in sweeps: 12 000 settling spheres in 1, 8, 27 and 64 subdomains, with warm and cold
//! start.
//!
//! `cargo bench --bench sweeps` prints the minimum number of sweeps that reduces the residual to 1e-3, and its ratio to
//! that of one subdomain, over the same problems: steps of one run that compacts after every sphere has shrunk by a
//! fiftieth. Reported, not asserted; the targets for red-black are ratios of at most 1.05, 1.1 and 1.15.
#![allow(missing_docs, clippy::unwrap_used)]

mod kinds;
#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use kinds::STEP;
use kinds::least::{Way, least_sweeps};
use nscdd::contactor::Radii;
use nscdd::dim::Space;
use nscdd::domain::InterfaceScheme;
use nscdd::simulation::Simulation;
use nscdd::solver::SolverMethod;
use support::World;

const BODIES: u64 = 12_000;
const EDGE: f64 = 2.2;
/// Steps whose problems are solved.
const LOOKED_AT: [usize; 3] = [90, 120, 150];
const TOLERANCE: f64 = 1e-3;
const CAP: u32 = 3000;

/// Spheres on the way from a loose deposit to a denser heap.
fn settling() -> Simulation<Space> {
    let mut world = World::new(STEP).subdomains(8).tolerance(TOLERANCE, 0.3);
    world.deposit(EDGE, BODIES, Radii::Uniform(0.04, 0.06), 0.98);
    world.build()
}

const CASES: [(InterfaceScheme, u32); 7] = [
    (InterfaceScheme::RedBlack, 1),
    (InterfaceScheme::RedBlack, 8),
    (InterfaceScheme::RedBlack, 27),
    (InterfaceScheme::RedBlack, 64),
    (InterfaceScheme::Glue, 8),
    (InterfaceScheme::Glue, 27),
    (InterfaceScheme::Glue, 64),
];

fn main() {
    let clock = Instant::now();
    let mut simulation = settling();
    let mut totals = [[0u32; CASES.len()]; 2];
    for step in 0..=LOOKED_AT[LOOKED_AT.len() - 1] {
        if LOOKED_AT.contains(&step) {
            for (total, warm) in totals.iter_mut().zip([true, false]) {
                for (total, (interface, subdomains)) in total.iter_mut().zip(CASES) {
                    let way = Way { subdomains, interface, method: SolverMethod::Nlgs, warm_start: warm, cap: CAP };
                    *total += least_sweeps(&simulation, way, [TOLERANCE])[0];
                }
            }
        }
        simulation.step().unwrap();
    }
    println!("{BODIES} settling spheres: sweeps to a residual of {TOLERANCE:e} (ratio to one subdomain)");
    println!("start  interface     S = 1             8            27            64");
    for (name, total) in ["warm", "cold"].into_iter().zip(totals) {
        let mean = total.map(|sum| f64::from(sum) / LOOKED_AT.len() as f64);
        for (interface, cases) in [("red-black", 1..4), ("glue", 4..7)] {
            print!("{name:<6} {interface:<10} {:8.1}", mean[0]);
            cases.for_each(|case| print!("  {:5.1} ({:.2})", mean[case], mean[case] / mean[0]));
            println!();
        }
    }
    println!("measured in {:.0} s", clock.elapsed().as_secs_f64());
}
