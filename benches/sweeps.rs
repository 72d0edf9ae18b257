//! What cutting space costs in sweeps: 12 000 settling spheres in 1, 8, 27 and 64 subdomains, warm and cold.
//!
//! `cargo bench --bench sweeps` prints sweeps a step until the residual is 1e-3, and their ratio to one subdomain. Every
//! case starts from the same state, and from the same impulses where it starts warm. Measured, never judged; wished for
//! are ratios of at most 1.05, 1.1 and 1.15 for red-black.
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use nscdd::contactor::Bounds;
use nscdd::dim::{Space, Vector};
use nscdd::domain::Scheme;
use nscdd::io::generate::{Deposit, Numbering, Radii, Target};
use nscdd::state::State;
use nscdd::strategy::Simulation;
use support::World;

const BODIES: u64 = 12_000;
const EDGE: f64 = 2.2;
/// Steps from the loose deposit to where all cases start.
const BEFORE: usize = 40;
/// Steps of each case: the first ones let the solver forget how the others left it, the rest are counted.
const LEAD: usize = 2;
const WARM: usize = 16;
const COLD: usize = 6;

fn world(states: Vec<State<Space>>, subdomains: u32, scheme: Scheme) -> World<Space> {
    // The residual alone decides.
    let mut world = World::new(1e-3).subdomains(subdomains).scheme(scheme).tolerance(1e-3, f64::INFINITY);
    world.plan.solver.max_sweeps = 3000;
    world.states = states;
    world
}

/// Spheres on their way from a loose deposit to a denser heap.
fn settling() -> Simulation<Space> {
    let mut world = world(Vec::new(), 8, Scheme::RedBlack);
    world.open_box(EDGE);
    let (min, max) = (Vector::zero(), Vector::from_fn(|k| if k == 2 { 10.0 } else { EDGE }));
    let basin = Bounds::<Space> { min, max };
    let deposit = Deposit { basin, target: Target::Count(BODIES), radii: Radii::Uniform(0.04, 0.06), seed: 1 };
    for numbered in deposit.balls(&mut Numbering::consecutive(0)).unwrap() {
        world.ball(numbered.ball.centre, numbered.ball.radius);
    }
    let mut simulation = world.build();
    (0..BEFORE).for_each(|_| _ = simulation.step().unwrap());
    simulation
}

/// Mean sweeps a step.
fn sweeps(start: &Simulation<Space>, subdomains: u32, scheme: Scheme, warm: bool) -> f64 {
    let mut world = world(start.bodies.states().to_vec(), subdomains, scheme);
    world.plan.solver.warm_start = warm;
    let mut simulation = world.build();
    simulation.history = start.history.clone();
    (0..LEAD).for_each(|_| _ = simulation.step().unwrap());
    let steps = if warm { WARM } else { COLD };
    let total: u32 = (0..steps).map(|_| simulation.step().unwrap().certificate.sweeps).sum();
    f64::from(total) / steps as f64
}

fn main() {
    let clock = Instant::now();
    let start = settling();
    println!("{BODIES} settling spheres, sweeps a step to a residual of 1e-3 (ratio to one subdomain)");
    println!("start   interface         S = 1             8            27            64");
    for (name, warm) in [("warm", true), ("cold", false)] {
        let one = sweeps(&start, 1, Scheme::RedBlack, warm);
        for (interface, scheme) in [("red-black", Scheme::RedBlack), ("glue", Scheme::Glue)] {
            print!("{name:<7} {interface:<12} {one:10.1}");
            for subdomains in [8, 27, 64] {
                let sweeps = sweeps(&start, subdomains, scheme, warm);
                print!("  {sweeps:5.1} ({:.2})", sweeps / one);
            }
            println!();
        }
    }
    println!("{:.0} s", clock.elapsed().as_secs_f64());
}
