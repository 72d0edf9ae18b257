//! What momentum saves: sweeps of plain and of accelerated Gauss-Seidel on eight kinds of problem.
//!
//! `cargo bench --bench methods -- [KIND ...]` prints the least number of sweeps that brings the residual to 1e-3 and to
//! 1e-4, from impulses at zero (cold) and from those of the step before (warm). Measured, never judged.
#![allow(missing_docs, clippy::unwrap_used)]

mod kinds;
#[path = "../tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::time::Instant;

use kinds::STEP;
use nscdd::comm::Alone;
use nscdd::contactor::Placed;
use nscdd::dim::{Gyroscopic, Space};
use nscdd::domain::{Count, Domain, Scenery};
use nscdd::integrator::Theta;
use nscdd::interaction::reach::Reach;
use nscdd::solver::{LocalMap, Method, Settings};
use nscdd::strategy::Simulation;

const CAP: u32 = 2500;
const TOLERANCES: [f64; 2] = [1e-3, 1e-4];

/// Sweeps that the next step of `simulation` takes to each tolerance.
fn sweeps(simulation: &Simulation<Space>, subdomains: u32, method: Method, warm_start: bool) -> [u32; 2] {
    let model = &simulation.model;
    let (mut bodies, mut history) = (simulation.bodies.clone(), simulation.history.clone());
    let settings = nscdd::domain::Settings { subdomains: Count::Given(subdomains), ..Default::default() };
    let mut domain = Domain::<Space>::new(Arc::new(Alone), &settings, bodies.len());
    domain.rearrange(model, &mut bodies, &mut history, 0);
    let integrator = Theta { h: STEP, theta: 0.5, gyroscopic: Gyroscopic::Implicit };
    let free = integrator.predict(model, &bodies, simulation.clock.time);
    let placed: Vec<Placed<'_, Space>> = (bodies.states().iter().zip(&free))
        .map(|(state, free)| Placed {
            shape: model.shape(state),
            size: state.size,
            position: free.position,
            orientation: free.orientation,
        })
        .collect();
    let reach = Reach::new(&Default::default(), model.smallest(bodies.states()), STEP);
    let alerts = reach.alerts(&placed, &free, reach.fastest(&placed, &free));
    domain.detect(model, &bodies, &placed, &alerts, &reach);
    let (map, bodies, free, history) = (LocalMap::Projection, &bodies, &free[..], &history);
    let scenery = Scenery { model, bodies, free, history, warm_start, map, method, h: STEP };
    // The residual alone decides.
    let mut solve = |tolerance: f64, max_sweeps: u32| {
        domain.assemble(&scenery);
        let velocity_error = f64::INFINITY;
        domain.solve(&Settings { method, tolerance, velocity_error, max_sweeps, ..Default::default() })
    };
    TOLERANCES.map(|tolerance| {
        // Found by a check, so it may be too many by as many as lie between two checks.
        let certificate = solve(tolerance, CAP);
        let enough = certificate.sweeps;
        if !certificate.converged {
            return CAP;
        }
        let (mut low, mut high) = (if enough <= 30 { 0 } else { enough - enough.isqrt().clamp(10, 50) }, enough);
        while high - low > 1 {
            let middle = low.midpoint(high);
            if solve(tolerance, middle).residual <= tolerance { high = middle } else { low = middle }
        }
        high
    })
}

fn main() {
    let clock = Instant::now();
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    println!("sweeps to a residual of 1e-3 / 1e-4 ({CAP}: not reached): plain, accelerated (ratio)");
    println!("kind           mu    S  start          1e-3                    1e-4");
    let mut logs = [[0.0f64; 2]; 2];
    let mut count = 0.0;
    for (name, make) in kinds::ALL.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|w| w == name)) {
        for friction in [0.2, 0.5, 1.0] {
            let simulation = make(friction);
            for subdomains in [1, 8, 64] {
                if subdomains > 1 && friction != 0.5 {
                    continue;
                }
                for (start, warm) in [("cold", false), ("warm", true)] {
                    let plain = sweeps(&simulation, subdomains, Method::Nlgs, warm);
                    let fast = sweeps(&simulation, subdomains, Method::Accelerated, warm);
                    print!("{name:<13} {friction:4.1} {subdomains:4}  {start}");
                    for k in 0..2 {
                        let ratio = f64::from(fast[k]) / f64::from(plain[k]);
                        print!("   {:5} {:5} ({ratio:5.2})", plain[k], fast[k]);
                        logs[usize::from(warm)][k] += ratio.ln();
                    }
                    println!();
                    count += 0.5;
                }
            }
        }
    }
    for (start, logs) in ["cold", "warm"].iter().zip(logs) {
        let mean = logs.map(|sum: f64| (sum / count).exp());
        println!("{start}: geometric mean of the ratios {:.2} at 1e-3, {:.2} at 1e-4", mean[0], mean[1]);
    }
    println!("measured in {:.0} s", clock.elapsed().as_secs_f64());
}
