//! Runs of the program that lose a process at an arbitrary time and are resumed.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::nscdd;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use tempfile::TempDir;

/// Starts the program on `ranks` processes, without output.
pub(crate) fn start(ranks: usize, arguments: &[&str]) -> Child {
    nscdd(ranks, arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits for the end with a timeout: a job that loses a process must not hang.
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(600) {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("the job hangs");
}

/// Returns true if the run has a checkpoint to resume from.
pub(crate) fn has_checkpoint(run: &Path) -> bool {
    fs::read_dir(run.join("checkpoints")).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.path().extension().is_some_and(|extension| extension == "h5"))
    })
}

/// Files that must be identical in two runs, byte for byte: final state, history, frames.
pub(crate) fn result(run: &Path) -> [Vec<u8>; 3] {
    let frames = fs::read(run.join("frames.vtkhdf")).unwrap_or_default();
    let [state, history] = ["final.h5", "history.csv"].map(|name| fs::read(run.join(name)).unwrap());
    [state, history, frames]
}

/// Children of a process, among them the workers of `mpirun`.
fn children(parent: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// Kills one of the processes of a job; returns false if none was left.
fn kill(job: &Child, ranks: usize, random: &mut Pcg64) -> bool {
    let workers = if ranks == 1 { vec![job.id()] } else { children(job.id()) };
    let Some(worker) = workers.get(random.next_u64() as usize % workers.len().max(1)) else { return false };
    let killed = Command::new("kill").args(["-9", &worker.to_string()]).stderr(Stdio::null()).status();
    killed.unwrap().success()
}

/// Runs `scene` with `arguments` to its end, and again in parts: each of `wanted` kills hits a random process at a
/// random time, and the run resumes on another number of processes. The final bytes must be the same, however often it
/// was killed.
pub(crate) fn killed_and_resumed(scene: &str, arguments: &[&str], seed: u64, wanted: u32) {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    let first = |out: &Path, ranks| {
        start(ranks, &[&["run", scene, "-q", "--overwrite", "--out", out.to_str().unwrap()], arguments].concat())
    };
    let whole = place("whole");
    let begun = Instant::now();
    assert_eq!(wait(&mut first(&whole, 1)), Some(0), "{scene}");
    let usual = begun.elapsed().as_millis() as u64;
    let expected = result(&whole);
    let mut random = Pcg64::seed_from_u64(seed);
    let (mut kills, mut ends, mut ranks) = (0, 0, 1);
    while kills < wanted || ends == 0 {
        let parts = place(&format!("parts{ends}"));
        loop {
            if cfg!(feature = "mpi") {
                ranks = 1 + (ranks + (random.next_u64() % 2) as usize) % 3;
            }
            let mut job = match has_checkpoint(&parts) {
                true => start(ranks, &["resume", parts.to_str().unwrap(), "-q"]),
                false => first(&parts, ranks),
            };
            if kills < wanted {
                std::thread::sleep(Duration::from_millis(random.next_u64() % (usual + 400)));
                kills += u32::from(kill(&job, ranks, &mut random));
            }
            if wait(&mut job) == Some(0) {
                break;
            }
        }
        for (name, (found, expected)) in ["state", "history", "frames"].iter().zip(result(&parts).iter().zip(&expected))
        {
            assert!(found == expected, "{scene}, seed {seed}: another {name} after {kills} kills");
        }
        ends += 1;
    }
    println!("{scene}, seed {seed}: {kills} kills, {ends} runs reached their end");
}
