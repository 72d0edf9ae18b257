//! `nscdd ping`: latency and bandwidth of messages between two processes.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::base::error::{EXIT_DONE, Result};
use crate::cli::launch::on_all_processes;
use crate::cli::terminal::print;
use crate::comm::{Comm, HaloExchange, Neighbour};

/// Round trips per trial.
const ROUNDS: usize = 200;
/// There are no further trials after one that took longer, s.
const MAX_TRIAL_TIME: f64 = 0.5;

/// Output of `nscdd ping`.
#[derive(Serialize, Deserialize)]
pub(super) struct Ping {
    pub(super) processes: usize,
    pub(super) latency_s: f64,
    pub(super) bytes_a_second: f64,
}

/// `nscdd ping`: measures messages between processes 0 and 1.
pub(in crate::cli) fn ping() -> Result<i32> {
    on_all_processes(|comm| {
        let (short, long) = (exchange(&**comm, 1), exchange(&**comm, 1 << 17));
        let ping = Ping {
            processes: comm.size(),
            latency_s: short,
            bytes_a_second: (8 << 17) as f64 / (long - short).max(1e-12),
        };
        match comm.is_root() {
            // Two numbers always have a JSON form.
            true => print(&(serde_json::to_string(&ping).unwrap_or_default() + "\n")),
            false => Ok(EXIT_DONE),
        }
    })
}

/// Time of a simultaneous exchange of `count` numbers in both directions, s, the best of a few trials; fewer trials if
/// they take long, because processes that share a core wait for each other.
fn exchange(comm: &dyn Comm, count: usize) -> f64 {
    let mut halo = HaloExchange::default();
    if comm.size() > 1 && comm.rank() < 2 {
        halo.peers = vec![Neighbour { rank: 1 - comm.rank(), out: vec![0.0; count], into: vec![0.0; count] }];
    }
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            comm.post(&mut halo);
            comm.complete(&mut halo);
        }
        let mut elapsed = [start.elapsed().as_secs_f64()];
        comm.max(&mut elapsed);
        best = best.min(elapsed[0] / ROUNDS as f64);
        if elapsed[0] > MAX_TRIAL_TIME {
            break;
        }
    }
    best
}
