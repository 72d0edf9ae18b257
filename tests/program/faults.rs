//! Processes killed at any time, disks that are full or read-only: only the steps since the last checkpoint are lost,
//! and the final result is the same.
//!
//! `NSCDD_KILLS=100 cargo test --release --test program faults` kills a hundred times instead of a few.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::kills::{has_checkpoint, killed_and_resumed, start, wait};
use crate::program::{nscdd, text};
use tempfile::TempDir;

const SCENE: &str = "scenes/box-of-spheres.toml";
/// Frequent enough for a kill to hit a write.
const SETS: [&str; 8] = [
    "--set",
    "time.end=0.15",
    "--set",
    "domain.subdomains=8",
    "--set",
    "output.checkpoint={ every_steps = 3 }",
    "--set",
    "output.frames.every=0.01",
];

#[test]
fn processes_killed_at_random_moments_and_resumed_reach_the_same_end() {
    let wanted = std::env::var("NSCDD_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    killed_and_resumed(SCENE, &SETS, 5, wanted);
}

/// A small disk mounted for the test, or none where that is not permitted.
struct Disk(PathBuf);

impl Disk {
    fn new(folder: &Path, size: &str) -> Option<Self> {
        fs::create_dir(folder).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder)
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(folder.to_owned()))
    }

    fn remount(&self, option: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{option}")]).arg(&self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_named_and_leaves_the_older_checkpoints_to_go_on_from() {
    let folder = TempDir::new().unwrap();
    let Some(disk) = Disk::new(&folder.path().join("disk"), "1400k") else {
        println!("skipped: no right to mount a small disk");
        return;
    };
    let run = disk.0.join("run");
    let path = run.to_str().unwrap();
    for ranks in if cfg!(feature = "mpi") { vec![1, 2] } else { vec![1] } {
        let sets = ["--set", "time.end=0.15", "--set", "output.checkpoint={ every_steps = 10, keep = 9 }"];
        let all = [vec!["run", SCENE, "--overwrite", "--out", path], sets.to_vec()].concat();
        let output = nscdd(ranks, &all).output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said.matches("No space left on device").count(), 1, "{said}");
        assert!(said.contains("checkpoints/step-"), "{said}");
        assert!(has_checkpoint(&run));
        let unfinished = fs::read_dir(run.join("checkpoints")).unwrap().flatten();
        assert_eq!(unfinished.filter(|entry| entry.path().extension().is_some_and(|e| e == "tmp")).count(), 0);
    }
    disk.remount("size=20m");
    assert_eq!(wait(&mut start(1, &["resume", path, "-q"])), Some(0));
    let whole = folder.path().join("whole");
    let all = ["run", SCENE, "-q", "--out", whole.to_str().unwrap(), "--set", "time.end=0.15"];
    assert_eq!(wait(&mut start(1, &all)), Some(0));
    let history = |run: &Path| fs::read(run.join("history.csv")).unwrap();
    assert!(history(&run) == history(&whole));
}

#[test]
fn a_folder_that_may_not_be_written_is_named_before_anything_is_computed() {
    let folder = TempDir::new().unwrap();
    let Some(disk) = Disk::new(&folder.path().join("disk"), "20m") else {
        println!("skipped: no right to mount a disk");
        return;
    };
    let run = disk.0.join("run");
    let path = run.to_str().unwrap();
    let all = ["run", SCENE, "-q", "--out", path, "--set", "time.end=0.15", "--stop-after", "20"];
    assert_eq!(wait(&mut start(1, &all)), Some(75));
    disk.remount("ro");
    let output = nscdd(1, &["resume", path]).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("Read-only file system") && said.contains("run"), "{said}");
    disk.remount("rw");
    assert_eq!(wait(&mut start(1, &["resume", path, "-q"])), Some(0));
}

/// Sends a signal twice, as happens when it goes to a process and to its group. The process may have ended by the
/// second time.
fn send(signal: &str, to: u32) {
    let kill = |to: u32| Command::new("kill").args([signal, &to.to_string()]).stderr(Stdio::null()).status().unwrap();
    assert!(kill(to).success());
    std::thread::sleep(Duration::from_millis(2));
    kill(to);
}

/// Waits up to half a minute for a condition.
fn wait_until(holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn signals_of_a_batch_queue_stop_the_run_after_its_step_with_the_exit_code_to_resume() {
    let folder = TempDir::new().unwrap();
    for signal in ["-USR1", "-TERM", "-INT"] {
        let run = folder.path().join(&signal[1..]);
        let mut child = start(1, &["run", SCENE, "-q", "--out", run.to_str().unwrap()]);
        wait_until(|| run.join("timings.csv").exists());
        std::thread::sleep(Duration::from_millis(200));
        send(signal, child.id());
        assert_eq!(wait(&mut child), Some(75), "{signal}");
        assert!(has_checkpoint(&run), "{signal}");
    }
}

/// Returns true if a process catches the signal of this number.
fn catches(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[test]
fn a_request_to_stop_while_the_scene_is_made_ends_before_the_first_step_with_a_checkpoint_to_go_on_from() {
    let folder = TempDir::new().unwrap();
    for (signal, number) in [("-USR1", 10), ("-TERM", 15), ("-INT", 2)] {
        let run = folder.path().join(&signal[1..]);
        let path = run.to_str().unwrap();
        let mut child = start(1, &["run", "scenes/deposit-disks.toml", "-q", "--out", path]);
        wait_until(|| catches(child.id(), number));
        assert!(!run.exists(), "the signal is to come before there is anything to save");
        send(signal, child.id());
        assert_eq!(wait(&mut child), Some(75), "{signal}");
        assert!(run.join("checkpoints/step-0000000000.h5").exists(), "{signal}");
        assert_eq!(wait(&mut start(1, &["resume", path, "-q", "--stop-after", "3"])), Some(75), "{signal}");
    }
}
