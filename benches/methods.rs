//! Savings by momentum: sweeps of plain and accelerated Gauss-Seidel on eight kinds of problem.
//!
//! `cargo bench --bench methods -- [KIND ...]` prints the minimum number of sweeps that reduces the residual to 1e-3
//! and to 1e-4, from zero impulses (cold start) and from those of the previous step (warm start). Reported, not
//! asserted.
#![allow(missing_docs, clippy::unwrap_used)]

mod kinds;
#[path = "../tests/support/mod.rs"]
mod support;

use std::time::Instant;

use kinds::least::{Way, least_sweeps};
use nscdd::domain::InterfaceScheme;
use nscdd::solver::SolverMethod;

const CAP: u32 = 2500;
const TOLERANCES: [f64; 2] = [1e-3, 1e-4];

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
                    let [plain, fast] = [SolverMethod::Nlgs, SolverMethod::Accelerated].map(|method| {
                        let interface = InterfaceScheme::RedBlack;
                        let way = Way { subdomains, interface, method, warm_start: warm, cap: CAP };
                        least_sweeps(&simulation, way, TOLERANCES)
                    });
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
