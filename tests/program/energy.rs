//! The energy balance in the output of a run: the same on any number of processes and after a restart, with a warning
//! if it is off.

use std::fs;
use std::path::Path;

use crate::program::{nscdd, text};
use serde_json::Value;

/// Processes of a second run; one if the program is built without MPI.
const OTHERS: usize = if cfg!(feature = "mpi") { 3 } else { 1 };

/// Runs the program, which must exit with `code`; returns its standard output.
fn ends(code: i32, ranks: usize, words: &[&str]) -> String {
    let output = nscdd(ranks, words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout) + &text(&output.stderr)
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// The last value of a column of `history.csv`.
fn last(run: &Path, name: &str) -> f64 {
    let history = fs::read_to_string(run.join("history.csv")).unwrap();
    let place = history.lines().next().unwrap().split(',').position(|column| column == name).unwrap();
    history.lines().last().unwrap().split(',').nth(place).unwrap().parse().unwrap()
}

#[test]
fn a_restart_and_the_number_of_processes_leave_the_energy_balance_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let scenes: [(&str, &[&str], &str); 3] = [
        ("scenes/shaken-box.toml", &["--set", "time.end=0.1"], "driven_work_J"),
        ("scenes/sheared-disks.toml", &["--set", "time.end=0.2", "--set", "output.frames.every=9"], "cell_work_J"),
        ("scenes/hopper.toml", &["--set", "time.end=0.1", "--set", "feeds.0.velocity=[0, -4]"], "fed_energy_J"),
    ];
    for (number, (scene, sets, account)) in scenes.into_iter().enumerate() {
        let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(format!("{name}{number}")));
        let run = |out: &Path, ranks: usize, code: i32, more: &[&str]| {
            let words = ["run", scene, "--set", "domain.subdomains=4", "-q", "--out", out.to_str().unwrap()];
            ends(code, ranks, &[&words, sets, more].concat())
        };
        run(&whole, 1, 0, &[]);
        run(&parts, OTHERS, 75, &["--stop-after", "47"]);
        ends(0, 1, &["resume", parts.to_str().unwrap(), "-q"]);
        for file in ["history.csv", "final.h5"] {
            assert!(fs::read(whole.join(file)).unwrap() == fs::read(parts.join(file)).unwrap(), "{scene}: {file}");
        }
        assert_eq!(summary(&whole)["energy_j"], summary(&parts)["energy_j"], "{scene}");
        assert!(last(&whole, account) != 0.0, "{scene}: {account}");
        let share = last(&whole, "energy_imbalance_J").abs() / last(&whole, "exchanged_energy_J");
        assert!(share < 1e-10, "{scene}: off by {share:.1e}");
    }
}

/// A heavy sphere falls on a light one that lies on the floor.
const DROP: &str = r#"
world.dimension = 3
time = { step = 1e-3, end = 0.3 }
materials.stone.density = 2600
laws = [{ between = ["*", "*"], coulomb = { friction = 0.5 } }]
bodies = [
    { id = 0, material = "stone", plane = { normal = [0, 0, 1] }, position = [0, 0, 0], fixed = true },
    { id = 1, material = "stone", sphere = { radius = 0.02 }, position = [0, 0, 0.02] },
    { id = 2, material = "stone", sphere = { radius = 0.4 }, position = [0, 0, 0.49] },
]
"#;

#[test]
fn a_run_whose_balance_is_off_says_so_at_its_end_and_in_its_summary() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("drop.toml");
    fs::write(&scene, DROP).unwrap();
    let run = |name: &str, sweeps: &str| {
        let out = folder.path().join(name);
        let cap = format!("solver.max_sweeps={sweeps}");
        let said = ends(0, 1, &["run", scene.to_str().unwrap(), "--set", &cap, "--out", out.to_str().unwrap()]);
        let kinds = summary(&out)["warnings"].as_array().unwrap().clone();
        let has = kinds.iter().any(|warning| warning["kind"] == "energy-balance");
        (said, has, last(&out, "correction_work_J") / last(&out, "exchanged_energy_J"))
    };
    // Three sweeps are too few to support it: it sinks in, and the overlap correction lifts it.
    let (said, has, lifted) = run("off", "3");
    assert!(has && lifted > 0.01, "{lifted}: {said}");
    assert!(said.contains("warning: the energy balance is off by"), "{said}");
    let (said, has, lifted) = run("right", "100000");
    assert!(!has && lifted < 1e-4, "{lifted}: {said}");
    assert!(said.contains("balance: ") && !said.contains("is off by"), "{said}");
}
