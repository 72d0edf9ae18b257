//! `nscdd scale`: the program starts itself on increasing numbers of processes.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::long::or_long;
use crate::program::{nscdd, text, tolerant};

#[test]
fn a_study_measures_models_and_predicts_and_labels_what_is_oversubscribed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("study");
    let scene = "scenes/brick-wall.toml";
    let threads = std::thread::available_parallelism().unwrap().get().to_string();
    let arguments = ["scale", scene, "--ranks", "2,1", "--steps", "4", "--weak", "64", "--threads", &threads, "--out"];
    let output = tolerant(nscdd(1, &arguments).arg(&out)).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for words in
        ["strong scaling", "weak scaling", "model made of the runs before", "% on 64, ", "% on 16384", "    2 ranks"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // As many threads as cores on one process; twice as many on two.
    assert_eq!(said.matches("OVERSUBSCRIBED: more threads than cores").count(), 2, "{said}");
    assert_eq!(said.matches("advice: the runs on 2 processes of").count(), 2, "{said}");
    assert_eq!(said.matches("blocked, ms a step").count(), 2, "{said}");
    for kind in ["strong", "weak"] {
        let table = fs::read_to_string(out.join(format!("{kind}.csv"))).unwrap();
        let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 3, "{table}");
        let at = |row: usize, name: &str| rows[row][rows[0].iter().position(|n| *n == name).unwrap()];
        assert_eq!((at(1, "processes"), at(2, "processes")), ("1", "2"));
        assert_eq!((at(1, "efficiency"), at(2, "oversubscribed")), ("1.0000", "1"));
        let number = |row: usize, name: &str| at(row, name).parse::<f64>().unwrap();
        assert!(at(2, "neighbours") == "1" && number(2, "bytes_a_sweep") > 0.0, "{table}");
        assert!(at(1, "messages_a_step") == "0.0" && at(1, "collectives_a_step") == "0.0", "{table}");
        // Two colours per sweep to one neighbour, and more messages per step.
        assert!(number(2, "messages_a_step") > 2.0 * number(2, "sweeps"), "{table}");
        assert!(number(2, "collectives_a_step") > 1.0, "{table}");
        assert!(at(1, "model_step_s").is_empty() && number(2, "model_step_s") > 0.0, "{table}");
        assert!(fs::read_to_string(out.join(format!("{kind}.svg"))).unwrap().contains("ideal"));
    }
    // The same problem on any number of processes.
    let state = |run: &str| {
        let checkpoints = fs::read_dir(out.join(run).join("checkpoints")).unwrap();
        fs::read(checkpoints.map(|entry| entry.unwrap().path()).max().unwrap()).unwrap()
    };
    assert!(state("strong-1") == state("strong-2"));
}

#[test]
fn a_failed_start_is_reported_in_the_words_of_the_launcher() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["scale", "scenes/bounce.toml", "--ranks", "1,2", "--launcher", "no-such-launcher -n {ranks}", "--out"];
    let output = nscdd(1, &arguments).arg(folder.path().join("study")).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("cannot start no-such-launcher"), "{}", text(&output.stderr));
    let output = nscdd(1, &["scale", "scenes/bounce.toml"]).env("OMPI_COMM_WORLD_SIZE", "2").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("run it without mpirun"), "{}", text(&output.stderr));
}

#[test]
fn runs_of_a_study_do_not_diagnose_steps_that_hit_the_cap_of_sweeps() {
    let folder = tempfile::tempdir().unwrap();
    let told = |run: &str| fs::read_to_string(folder.path().join(run).join("summary.json")).unwrap();
    // Few contacts, so that the diagnosis is immediate.
    let shared = ["scenes/three-disks.toml", "--set", "solver.max_sweeps=2", "--set", "solver.tolerance=1e-12"];
    let run = [&["run"], &shared[..], &["--stop-after", "3", "--out"]].concat();
    let code = |arguments: &[&str], out: &str| {
        let output = tolerant(nscdd(1, arguments).arg(folder.path().join(out))).output().unwrap();
        output.status.code()
    };
    assert_eq!(code(&run, "plain"), Some(75));
    assert!(told("plain").contains("is the first that hit the cap of sweeps"), "{}", told("plain"));
    let study = [&["scale"], &shared[..], &["--ranks", "1", "--steps", "3", "--out"]].concat();
    assert_eq!(code(&study, "study"), Some(0));
    let summary = told("study/strong-1");
    assert!(!summary.contains("is the first that hit the cap") && summary.contains("\"steps\": 3"), "{summary}");
}

/// A script that acts as a launcher.
fn script(folder: &Path, name: &str, lines: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[test]
fn processes_that_are_not_connected_end_the_study_with_what_was_asked_what_came_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let study = |launcher: &str| {
        let arguments =
            ["scale", "scenes/bounce.toml", "--ranks", "1,3", "--steps", "2", "--launcher", launcher, "--out"];
        let output = tolerant(nscdd(1, &arguments).arg(folder.path().join("study"))).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        text(&output.stderr)
    };
    let said = study("mpirun -n 1");
    for words in
        ["cannot start 2 processes by `mpirun -n 1`", "each process was alone", "--launcher 'mpirun -n {ranks}'"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let two = script(folder.path(), "two", "exec mpirun -n 2 \"$@\"");
    let said = study(two.to_str().unwrap());
    assert!(said.contains("cannot start 3 processes") && said.contains("2 were connected"), "{said}");
}

#[test]
fn inside_slurm_srun_is_tried_and_mpirun_taken_if_processes_are_not_connected() {
    let folder = tempfile::tempdir().unwrap();
    // All its options begin with a dash.
    let lines =
        "echo \"$@\" >> \"$SRUN_LINES\"; while case $1 in -*) true;; *) false;; esac; do shift; done; \"$@\"; \"$@\"";
    script(folder.path(), "srun", lines);
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let arguments = ["scale", "scenes/bounce.toml", "--ranks", "1,2", "--steps", "2", "--out"];
    let mut command = nscdd(1, &arguments);
    let asked = folder.path().join("asked");
    command.env("PATH", path).env("SLURM_JOB_ID", "7").env("SRUN_LINES", &asked).arg(folder.path().join("study"));
    let output = tolerant(&mut command).output().unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("cannot start 2 processes by `srun --mpi=pmix --cpu-bind=cores "), "{said}");
    assert!(said.contains("processes are started by mpirun: "), "{said}");
    assert_eq!(fs::read_to_string(asked).unwrap().lines().count(), 1, "srun is asked once");
    assert!(fs::read_to_string(folder.path().join("study/strong-2/summary.json")).unwrap().contains("\"ranks\": 2"));
}

#[test]
fn progress_comes_as_lines_or_as_objects_and_at_the_end_what_to_type_next() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let told = |log: &str| {
        let arguments =
            ["run", "scenes/bounce.toml", "--set", "time.end=0.01", "--overwrite", "--log-every", "0", "--log", log];
        let output = nscdd(1, &arguments).arg("--out").arg(&out).output().unwrap();
        assert!(output.status.success());
        (text(&output.stdout), text(&output.stderr))
    };
    let (end, lines) = told("lines");
    assert!(lines.lines().count() > 3 && lines.contains("steps/s") && lines.contains("ETA"), "{lines}");
    assert!(end.contains("next: nscdd report ") && end.contains("certificate: "), "{end}");
    let (_, objects) = told("json");
    let events: Vec<serde_json::Value> = objects.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(events.iter().all(|event| event["event"].is_string()) && events[0]["event"] == "progress");
    let last = &events[events.len() - 1];
    assert!(last["event"] == "end" && last["ending"] == "finished" && last["steps"].as_u64() > Some(3), "{last}");
    assert_eq!(told("none").1, "");
    // In a batch job the log appears without being requested.
    let arguments = ["run", "scenes/bounce.toml", "--set", "time.end=0.01", "--overwrite", "--out"];
    let output = nscdd(1, &arguments).arg(&out).env("SLURM_JOB_ID", "7").output().unwrap();
    assert_eq!(text(&output.stderr).lines().count(), 1, "one line, the next a minute later");
}

#[test]
fn hints_name_the_program_as_it_was_called() {
    let folder = tempfile::tempdir().unwrap();
    // Nothing needs to be built: ./run finds the program of this test.
    script(folder.path(), "cargo", "exit 0");
    let release = folder.path().join("target/release");
    fs::create_dir_all(&release).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_nscdd"), release.join("nscdd")).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let out = folder.path().join("run");
    let run = || {
        let mut command = Command::new("./run");
        command.env("PATH", &path).env("CARGO_TARGET_DIR", folder.path().join("target"));
        command.args(["run", "scenes/bounce.toml", "--set", "time.end=0.01", "--out"]).arg(&out);
        command.output().unwrap()
    };
    let first = run();
    let said = text(&first.stdout);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert!(said.contains("next: ./run report ") && !said.contains("nscdd report"), "{said}");
    assert!(text(&run().stderr).contains("continue it (./run resume)"));
    let check = nscdd(1, &["check", "scenes/bounce.toml"]).env("NSCDD_CALLED_AS", "other").output().unwrap();
    assert!(text(&check.stdout).contains("run it: other run scenes/bounce.toml"), "{}", text(&check.stdout));
}

/// Spheres on a lattice in a slab, two hundred for each of so many processes, in two subdomains each; so few sweeps
/// that all are made.
fn slab(processes: usize) -> String {
    format!(
        "world = {{ dimension = 3 }}\ntime = {{ step = 1e-3, end = 0.01 }}\nmaterials.stone.density = 2600\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = 0.5\n\
         [solver]\nmethod = \"nlgs\"\ntolerance = 1e-14\nmax_sweeps = 10\n[domain]\nsubdomains = {}\n\
         [[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n\
         [[generators]]\nmaterial = \"stone\"\n\
         lattice = {{ count = [{}, 5, 4], spacing = 0.1, origin = [0, 0, 0], radius = 0.05 }}\n",
        2 * processes,
        10 * processes
    )
}

/// Largest number of messages, and number of collective calls, of a process in ten steps on so many processes.
fn traffic(processes: usize) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("slab.toml"), folder.path().join("out"));
    fs::write(&scene, slab(processes)).unwrap();
    let arguments = ["run", scene.to_str().unwrap(), "--threads", "1", "--no-diagnosis", "--out"];
    let output = tolerant(nscdd(processes, &arguments).arg(&out)).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = fs::read_to_string(out.join("ranks.csv")).unwrap();
    let names: Vec<&str> = table.lines().next().unwrap().split(',').collect();
    let greatest = |name: &str| {
        let column = names.iter().position(|n| *n == name).unwrap();
        let numbers = table.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().parse::<f64>().unwrap());
        numbers.fold(0.0, f64::max)
    };
    assert_eq!(greatest("step"), 10.0);
    assert!(greatest("neighbours") <= 2.0, "a slab has no more");
    (greatest("messages"), greatest("collectives"))
}

#[test]
fn messages_and_collective_calls_of_a_process_do_not_grow_with_their_number() {
    let [few, many] = or_long([6, 18], [16, 256]).map(traffic);
    println!("messages and collective calls: {few:?}, {many:?}");
    assert!(few.0 > 200.0, "one to each of two neighbours in each of a hundred sweeps: {few:?}");
    // Space is cut by bisection, once: one collective call for each level.
    assert!(many.0 <= few.0 && many.1 <= few.1 + 8.0, "{few:?}, then {many:?}");
}

#[test]
fn weak_scaling_of_a_scene_makes_it_as_many_times_as_wide_or_says_what_cannot_be_widened() {
    let folder = tempfile::tempdir().unwrap();
    let study = |scene: &str, axis: &str| {
        let shared = ["scale", scene, "--ranks", "1,2", "--steps", "2", "--no-copies", "--weak-along", axis, "--out"];
        tolerant(nscdd(1, &shared).arg(folder.path().join("study"))).output().unwrap()
    };
    let output = study("scenes/box-of-spheres.toml", "x");
    assert!(output.status.success(), "{}", text(&output.stderr));
    let table = fs::read_to_string(folder.path().join("study/weak.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "bodies").unwrap();
    let [one, two] = [1, 2].map(|row: usize| rows[row][column].parse::<f64>().unwrap());
    assert!(two > 1.8 * one && two <= 2.0 * one, "the walls are the same: {one} and {two} bodies");
    for (scene, axis, words) in [
        ("scenes/arch.toml", "x", "neither walls, a deposit nor a lattice"),
        ("scenes/sheared-disks.toml", "x", "[cell]"),
        ("scenes/deposit-disks.toml", "z", "it has no such axis"),
    ] {
        let output = study(scene, axis);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words) && said.contains("--weak N"), "{said}");
    }
}
