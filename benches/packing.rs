//! Cold start of a packing: 45 218 disks deposited in a box, friction 0.5, steps of 10 ms, zero initial impulses.
//!
//! `cargo bench --bench packing` makes nine steps on one thread, to a residual of 1.67e-4 and a velocity error of 0.3.
//! For each it prints sweeps, processor time in seconds, the certificate, the share of the weight carried at its end (1
//! at rest) and the kinetic energy over that of a free fall through one step. For comparison, plain sweeps: one step
//! with the number of sweeps of LMGC90 (8262), and nine with its mean (2063). `-- accelerated` or `-- plain` runs one
//! of the two. Reported, not asserted.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use nscdd::contactor::Radii;
use nscdd::dim::Plane;
use nscdd::domain::{Auto, SubdomainCount};
use nscdd::simulation::Simulation;
use nscdd::solver::SolverMethod;
use support::{GRAVITY, World};

const BODIES: u64 = 45_218;
const WIDTH: f64 = 18.0;
const STEP: f64 = 1e-2;
const TOLERANCE: f64 = 1.67e-4;

/// Simulation solved to `tolerance` in at most `most` sweeps per step.
fn packing(method: SolverMethod, tolerance: f64, most: u32) -> Simulation<Plane> {
    let mut world = World::<Plane>::new(STEP).tolerance(tolerance, 0.3);
    world.plan.solver.method = method;
    world.plan.solver.max_sweeps = most;
    world.plan.domain.subdomains = SubdomainCount::Named(Auto::Auto);
    world.deposit(WIDTH, BODIES, Radii::Uniform(0.04, 0.06), 1.0);
    let mut simulation = world.build();
    simulation.skip_diagnosis();
    simulation
}

/// Processor time so far, s: Linux counts it in hundredths, and other programs do not affect it.
fn spent() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap();
    // Fields after the name, which may contain any character.
    let fields = text.rsplit(')').next().unwrap().split_whitespace().skip(11).take(2);
    fields.map(|ticks| 0.01 * ticks.parse::<f64>().unwrap()).sum()
}

fn show(name: &str, mut simulation: Simulation<Plane>, steps: usize) {
    println!("{name}\nstep  contacts  sweeps  seconds  residual  velocity error  carried   energy");
    let masses = |state: &&_| !simulation.model.is_prescribed(state);
    let mass: f64 = simulation.bodies.states().iter().filter(masses).map(|state| state.mass).sum();
    let (mut momentum, mut total, fall) = (0.0, 0.0, GRAVITY * STEP);
    for step in 1..=steps {
        let before = spent();
        let report = simulation.step().unwrap();
        let seconds = spent() - before;
        let carried = 1.0 + (report.momentum[1] - momentum) / (mass * fall);
        let energy = report.kinetic_energy / (0.5 * mass * fall * fall);
        let found = report.certificate;
        println!(
            "{step:4} {:9} {:7} {seconds:8.2}  {:8.1e} {:15.3} {carried:8.4} {energy:8.1e}",
            found.contacts, found.sweeps, found.residual, found.velocity_error
        );
        momentum = report.momentum[1];
        total += seconds;
    }
    println!("mean {:.2} s a step\n", total / steps as f64);
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        if is_wanted("accelerated") {
            show("accelerated", packing(SolverMethod::Accelerated, TOLERANCE, 20_000), 9);
        }
        if is_wanted("plain") {
            show("plain, 8262 sweeps", packing(SolverMethod::Nlgs, 0.0, 8262), 1);
            show("plain, 2063 sweeps a step", packing(SolverMethod::Nlgs, 0.0, 2063), 9);
        }
    });
}
