//! `ranks.csv`: what each process works in each phase, and how long it waits for the others.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use crate::program::{nscdd, text, tolerant};

const PHASES: [&str; 9] =
    ["rearrange", "predict", "detect", "assemble", "solve", "remember", "separate", "update", "output"];

/// The last line of each process.
fn last_lines(out: &Path) -> Vec<HashMap<String, f64>> {
    let table = fs::read_to_string(out.join("ranks.csv")).unwrap();
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let mut ranks: Vec<HashMap<String, f64>> = Vec::new();
    for line in table.lines().skip(1) {
        let numbers = line.split(',').map(|number| number.parse().unwrap());
        let row: HashMap<String, f64> = names.iter().map(|&name| name.to_owned()).zip(numbers).collect();
        ranks.truncate(row["rank"] as usize);
        ranks.push(row);
    }
    ranks
}

/// Runs a scene on so many processes; the last line of each.
fn run(processes: usize, scene: &Path, arguments: &[&str], out: &Path) -> Vec<HashMap<String, f64>> {
    let arguments = [&["run", scene.to_str().unwrap(), "--threads", "1"], arguments, &["--out"]].concat();
    let output = tolerant(nscdd(processes, &arguments).arg(out)).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let ranks = last_lines(out);
    assert_eq!(ranks.len(), processes);
    ranks
}

/// Spheres on a lattice in a box, with a feed, frames, checkpoints and a measure.
const BUSY: &str = r#"
world = { dimension = 3 }
time = { step = 1e-3, end = 0.03 }
materials.stone.density = 2600
[[laws]]
between = ["*", "*"]
coulomb.friction = 0.5
[solver]
max_sweeps = 20
[domain]
subdomains = 6
[output]
frames.every = 0.01
checkpoint.every_steps = 10
[[measure]]
stress = {}
every = 0.01
[[generators]]
material = "stone"
walls = { min = [0, 0, 0], max = [2, 0.5, 1], open = ["+z"] }
[[generators]]
material = "stone"
lattice = { count = [20, 5, 4], spacing = 0.1, origin = [0, 0, 0], radius = 0.05 }
[[feeds]]
material = "stone"
radius = 0.04
box = { min = [0.1, 0.1, 0.6], max = [1.9, 0.4, 0.9] }
velocity = [0, 0, -1]
rate = 1000
total = 20
"#;

#[test]
fn the_waiting_of_all_phases_is_all_the_waiting_of_a_process() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("busy.toml"), folder.path().join("run"));
    fs::write(&scene, BUSY).unwrap();
    let slab = ["time.end=0.005", "solver.max_sweeps=10", "output.frames.every=0.0025"].map(|set| ["--set", set]);
    let slab = ["--no-diagnosis"].into_iter().chain(slab.into_iter().flatten()).collect::<Vec<_>>();
    let elastic = Path::new("scenes/elastic-slab.toml");
    for (scene, arguments) in [(&*scene, &["--dump-problem", "4"][..]), (elastic, &slab)] {
        for (row, rank) in run(3, scene, &[arguments, &["--overwrite"]].concat(), &out).iter().zip(0..) {
            let waited = |phase: &&str| row[&format!("{phase}_waited_s")];
            let sum: f64 = PHASES.iter().map(waited).sum();
            // Every number is rounded to a microsecond.
            assert!((sum - row["waited_s"]).abs() < 1e-5 && sum > 0.0, "process {rank}: {row:?}");
            for phase in PHASES {
                let spent = row[&format!("{phase}_s")];
                assert!(waited(&phase) <= spent + 1e-6, "{phase} on process {rank}: {row:?}");
            }
        }
    }
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&summary).unwrap();
    assert!(PHASES.iter().all(|phase| summary["waited_s"][phase].as_f64() <= summary["phases_s"][phase].as_f64()));
    let alone = &run(1, &scene, &[], &folder.path().join("alone"))[0];
    assert!(alone["waited_s"] == 0.0 && PHASES.iter().all(|phase| alone[&format!("{phase}_waited_s")] == 0.0));
}

#[test]
fn a_process_without_a_subdomain_waits_where_the_other_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("one.toml"), folder.path().join("run"));
    let wide = [("[20, 5, 4]", "[20, 20, 20]"), ("[2, 0.5, 1]", "[2, 2, 4]"), ("subdomains = 6", "subdomains = 1")];
    fs::write(&scene, wide.iter().fold(BUSY.to_owned(), |scene, (old, new)| scene.replace(old, new))).unwrap();
    let mut ranks = run(2, &scene, &["--no-diagnosis", "--set", "solver.tolerance=1e-14"], &out);
    ranks.sort_by(|a, b| a["bodies"].total_cmp(&b["bodies"]));
    let [idle, loaded] = [0, 1].map(|k| (ranks[k]["solve_s"], ranks[k]["solve_waited_s"]));
    let work = |(spent, waited): (f64, f64)| spent - waited;
    assert!(work(loaded) > work(idle) && idle.1 > loaded.1, "{idle:?} and {loaded:?}");
    assert!(idle.1 > 0.5 * work(loaded), "{idle:?} and {loaded:?}");
}
