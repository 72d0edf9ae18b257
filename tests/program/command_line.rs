//! The command line: commands, exit codes, files, and behaviour on errors.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

fn nscdd(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nscdd")).current_dir(folder).args(args).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn shipped(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name);
    path.to_str().unwrap().to_string()
}

/// A scene with the selected ones of a floor, two disks and a box; `extra` is put at the beginning.
fn small_scene(folder: &TempDir, extra: &str, bodies: &[usize]) -> String {
    let mut text = format!(
        "{extra}\n[time]\nstep = 1e-3\nend = 0.2\n[materials.m]\ndensity = 1000\n\
         [[laws]]\nbetween = [\"m\", \"m\"]\ncoulomb = {{ friction = 0.5 }}\n"
    );
    let all = [
        "id = 5\nplane = { normal = [0.0, 1.0] }\nposition = [0.0, 0.0]\nfixed = true\n",
        "id = 9\ndisk = { radius = 0.1 }\nposition = [0.0, 0.15]\n",
        "id = 2\ndisk = { radius = 0.2 }\nposition = [0.1, 0.5]\n",
        "id = 7\nbox = { size = [0.2, 0.3] }\nposition = [1.0, 0.3]\norientation = 0.3\n",
    ];
    for &i in bodies {
        text += &format!("[[bodies]]\nmaterial = \"m\"\n{}", all[i]);
    }
    let path = folder.path().join("scene.toml");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

const PLANE: &str = "[world]\ndimension = 2";

#[test]
fn a_run_leaves_scene_history_timings_frames_final_state_and_summary() {
    let folder = TempDir::new().unwrap();
    let scene = small_scene(&folder, PLANE, &[0, 1, 2, 3]);
    let output = nscdd(folder.path(), &["run", &scene, "--set", "output.frames.every=0.05", "--out", "here"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let here = folder.path().join("here");
    for name in ["scene.toml", "history.csv", "timings.csv", "frames.vtkhdf", "final.h5", "summary.json"] {
        assert!(here.join(name).exists(), "{name} is missing");
    }
    let history = fs::read_to_string(here.join("history.csv")).unwrap();
    assert_eq!(history.lines().count(), 201);
    assert!(
        fs::read_to_string(here.join("scene.toml")).unwrap().contains("every = 0.05"),
        "--set is in the scene as run"
    );
    let summary: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(here.join("summary.json")).unwrap()).unwrap();
    assert_eq!((summary["steps"].as_u64(), summary["ending"].as_str()), (Some(200), Some("finished")));
    assert_eq!(summary["frames"].as_u64(), Some(5));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("every step converged") && text.contains("output: here"), "{text}");
}

#[test]
fn threads_and_the_order_of_listing_leave_final_state_and_history_byte_for_byte_the_same() {
    let folder = TempDir::new().unwrap();
    let files = |order: &[usize], threads: &str, out: &str| {
        let scene = small_scene(&folder, PLANE, order);
        let args = ["run", &scene, "--out", out, "--threads", threads, "--set", "domain.subdomains=4", "-q"];
        assert_eq!(code(&nscdd(folder.path(), &args)), 0);
        ["final.h5", "history.csv"].map(|name| fs::read(folder.path().join(out).join(name)).unwrap())
    };
    let first = files(&[0, 1, 2, 3], "1", "a");
    assert!(first == files(&[0, 1, 2, 3], "2", "b"), "threads");
    let shuffled = files(&[3, 1, 0, 2], "2", "c");
    assert!(first[1] == shuffled[1], "history after shuffling");
    let bodies = |out: &str| {
        let content = nscdd::output::columns::read(&folder.path().join(out).join("final.h5")).unwrap();
        content.groups
    };
    // The scene text stored in the file differs; all computed data agrees.
    assert_eq!(bodies("a"), bodies("c"));
}

#[test]
fn bad_input_ends_with_code_2_and_writes_nothing() {
    let folder = TempDir::new().unwrap();
    let scene = small_scene(&folder, "[world]\ndimension = 2\ngravity = [0.0, \"down\"]", &[0, 1]);
    let output = nscdd(folder.path(), &["run", &scene, "--out", "here"]);
    assert_eq!(code(&output), 2);
    assert!(errors(&output).contains("scene.toml"), "{}", errors(&output));
    assert!(!folder.path().join("here").exists());
    assert_eq!(code(&nscdd(folder.path(), &["check", &scene])), 2);
    assert_eq!(code(&nscdd(folder.path(), &["run", "no-such-scene.toml"])), 2);
    assert_eq!(code(&nscdd(folder.path(), &["fly"])), 2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "only the scene is there");
}

#[test]
fn a_run_is_not_overwritten_unless_asked() {
    let folder = TempDir::new().unwrap();
    let scene = small_scene(&folder, PLANE, &[0, 1]);
    assert_eq!(code(&nscdd(folder.path(), &["run", &scene, "--out", "here", "-q"])), 0);
    let second = nscdd(folder.path(), &["run", &scene, "--out", "here", "-q"]);
    assert_eq!(code(&second), 1);
    assert!(errors(&second).contains("--overwrite"), "{}", errors(&second));
    assert_eq!(code(&nscdd(folder.path(), &["run", &scene, "--out", "here", "-q", "--overwrite"])), 0);
}

#[test]
fn a_body_that_leaves_the_world_stops_the_run_with_step_and_body_named_and_the_state_saved() {
    let folder = TempDir::new().unwrap();
    let world = "[world]\ndimension = 2\nbounds = { min = [-5.0, 0.05], max = [5.0, 5.0] }";
    let scene = small_scene(&folder, world, &[1]);
    let output = nscdd(folder.path(), &["run", &scene, "--out", "here"]);
    assert_eq!(code(&output), 4);
    assert!(errors(&output).contains("body 9 left the world's bounds"), "{}", errors(&output));
    assert!(errors(&output).contains("step 14"), "{}", errors(&output));
    let saved = nscdd::output::columns::read(&folder.path().join("here/failed.h5")).unwrap();
    assert_eq!(saved.attribute("step"), Some(&nscdd::output::columns::Attribute::Integer(143)));
    assert!(!folder.path().join("here/final.h5").exists(), "nothing to go on from");
    let summary = fs::read_to_string(folder.path().join("here/summary.json")).unwrap();
    assert!(summary.contains("left the world's bounds"));
}

#[test]
fn a_step_that_must_converge_and_does_not_ends_with_code_3() {
    let folder = TempDir::new().unwrap();
    let sets = ["--set", "solver.required=true", "--set", "solver.max_sweeps=2", "--set", "solver.tolerance=1e-12"];
    let scene = shipped("box-of-spheres.toml");
    let mut args = vec!["run", &scene, "--out", "here", "-q"];
    args.extend(sets);
    let output = nscdd(folder.path(), &args);
    assert_eq!(code(&output), 3);
    assert!(errors(&output).contains("solver.max_sweeps"), "{}", errors(&output));
}

#[test]
fn an_interrupt_ends_the_step_writes_what_there_is_and_says_so() {
    let folder = TempDir::new().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_nscdd"))
        .current_dir(folder.path())
        .args(["run", &shipped("deposit-disks.toml"), "--out", "here"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let timings = folder.path().join("here/timings.csv");
    let start = Instant::now();
    while !timings.exists() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupted.success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(75));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    assert!(text.contains("stopped on request"), "{text}");
    let steps = fs::read_to_string(folder.path().join("here/history.csv")).unwrap().lines().count() - 1;
    let saved = folder.path().join(format!("here/checkpoints/step-{steps:010}.h5"));
    let saved = nscdd::output::columns::read(&saved).unwrap();
    assert_eq!(saved.attribute("step"), Some(&nscdd::output::columns::Attribute::Integer(steps as u64)));
    assert!(text.contains("nscdd resume here"), "{text}");
}

#[test]
fn a_new_scene_is_valid_and_runs_in_both_dimensions() {
    let folder = TempDir::new().unwrap();
    for (name, dimension) in [("flat", "2"), ("solid", "3")] {
        let written = nscdd(folder.path(), &["new", name, "--dimension", dimension]);
        assert_eq!(code(&written), 0, "{}", errors(&written));
        let file = format!("{name}.toml");
        let checked = nscdd(folder.path(), &["check", &file]);
        assert_eq!(code(&checked), 0, "{}", errors(&checked));
        let run = nscdd(folder.path(), &["run", &file, "--set", "time.end=0.05", "-q"]);
        assert_eq!(code(&run), 0, "{}", errors(&run));
        assert!(folder.path().join("out").join(name).join("final.h5").exists());
        assert_eq!(code(&nscdd(folder.path(), &["new", name])), 1, "an existing scene is not overwritten");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = TempDir::new().unwrap();
    let run = ["run", "a.toml", "--set", "time.end=0.02", "--log", "lines", "--log-every", "0", "-vv"];
    for args in [&["new", "a"][..], &["check", "a.toml"], &run] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_nscdd"));
        child.current_dir(folder.path()).args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().unwrap();
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args:?}");
    }
    assert!(folder.path().join("out/a/final.h5").exists());
}

#[test]
fn schema_completions_manual_and_help_are_printed() {
    let folder = TempDir::new().unwrap();
    let schema = nscdd(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&schema.stdout).unwrap();
    assert!(schema["properties"]["world"].is_object());
    for args in [&["completions", "bash"][..], &["man"], &["--help"], &["run", "--help"], &["--version"]] {
        let output = nscdd(folder.path(), args);
        assert_eq!(code(&output), 0);
        assert!(!output.stdout.is_empty());
    }
    let help = nscdd(folder.path(), &["--help"]);
    assert!(String::from_utf8_lossy(&help.stdout).contains("75 stopped early"));
}

#[test]
fn partition_counts_every_body_once_and_draws_the_cuts() {
    let folder = tempfile::tempdir().unwrap();
    for (scene, picture, start) in [
        ("scenes/deposit-disks.toml", "cut.svg", &b"<svg"[..]),
        ("scenes/deposit-disks.toml", "cut.pdf", &b"%PDF"[..]),
        ("scenes/deposit-spheres.toml", "cut.vtkhdf", &b"\x89HDF"[..]),
    ] {
        let picture = folder.path().join(picture);
        let program = std::process::Command::new(env!("CARGO_BIN_EXE_nscdd"))
            .args(["partition", scene, "-n", "16", "--picture", picture.to_str().unwrap()])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&program.stdout).into_owned();
        assert!(program.status.success() && text.starts_with("5000 free bodies in 16 subdomains"), "{text}");
        let histogram = text.lines().skip_while(|line| !line.starts_with("subdomains near")).skip(1);
        let rows = histogram.take_while(|line| line.ends_with('%'));
        let counts = rows.filter_map(|line| line.split_whitespace().rev().nth(2)?.parse::<u32>().ok());
        assert_eq!(counts.sum::<u32>(), 5000, "{text}");
        assert!(std::fs::read(&picture).unwrap().starts_with(start));
    }
}
