//! Contact problems exported by runs and solved on their own.

use std::path::{Path, PathBuf};

use nscdd::dim::Space;
use nscdd::output::fclib;
use tempfile::TempDir;

use crate::program::{nscdd, text};

/// Runs `scene` on `ranks` processes and returns the problems of `steps`.
fn dumped(folder: &Path, name: &str, ranks: usize, arguments: &[&str], steps: &[u64]) -> Vec<PathBuf> {
    let out = folder.join(name);
    let asked: Vec<String> = steps.iter().map(u64::to_string).collect();
    let mut all = vec!["run", "--out", out.to_str().unwrap(), "-q"];
    let asked = asked.join(",");
    if !steps.is_empty() {
        all.extend(["--dump-problem", &asked]);
    }
    all.extend(arguments);
    let output = nscdd(ranks, &all).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    steps.iter().map(|step| out.join(format!("problems/step-{step:010}.hdf5"))).collect()
}

/// Output of `nscdd solve` for a file, and its exit code.
fn solve(file: &Path, arguments: &[&str]) -> (serde_json::Value, i32) {
    let mut all = vec!["solve", file.to_str().unwrap(), "--json"];
    all.extend(arguments);
    let output = nscdd(1, &all).output().unwrap();
    let code = output.status.code().unwrap();
    (serde_json::from_slice(&output.stdout).unwrap_or_default(), code)
}

const SPHERES: &[&str] =
    &["scenes/box-of-spheres.toml", "--set", "time.end=0.12", "--set", "domain.subdomains=8", "--threads", "1"];

#[test]
fn the_problem_of_a_step_is_solved_better_than_in_the_run_and_to_the_same_motion() {
    let folder = TempDir::new().unwrap();
    let files = dumped(folder.path(), "run", 1, SPHERES, &[60, 120]);
    let start = &fclib::read::<Space>(&files[1]).unwrap().guesses[0].impulses;
    assert!(
        start.iter().any(|impulse| impulse.norm() > 0.0),
        "its sweeps started from the impulses of the step before"
    );
    for file in &files {
        let solved = folder.path().join("solved.hdf5");
        let (report, code) = solve(file, &["--compare", "--warm", "--out", solved.to_str().unwrap()]);
        assert_eq!((code, report["converged"].as_bool(), report["dimension"].as_u64()), (0, Some(true), Some(3)));
        assert!(report["fclib_error"].as_f64().unwrap() <= 1e-6 && report["residual"].as_f64().unwrap() <= 1e-6);
        let in_run = &report["solution_in_file"];
        // The tolerance of the run is 1e-3.
        assert!(in_run["residual"].as_f64().unwrap() <= 1e-3, "{in_run}");
        assert!(in_run["velocities_differ"].as_f64().unwrap() < 0.05, "{in_run}");
        let (again, _) = solve(&solved, &["--compare"]);
        assert!(again["solution_in_file"]["residual"].as_f64().unwrap() <= 1e-6);
    }
}

#[test]
fn asking_for_problems_does_not_change_a_bit_of_the_run() {
    let folder = TempDir::new().unwrap();
    dumped(folder.path(), "asked", 1, SPHERES, &[30, 31, 500]);
    dumped(folder.path(), "not", 1, SPHERES, &[]);
    for name in ["final.h5", "history.csv"] {
        let bytes = |run: &str| std::fs::read(folder.path().join(run).join(name)).unwrap();
        assert!(bytes("asked") == bytes("not"), "{name}");
    }
    assert!(!folder.path().join("asked/problems/step-0000000500.hdf5").exists(), "the run was over");
}

#[cfg(feature = "mpi")]
#[test]
fn problems_have_the_same_bytes_on_one_process_and_on_two() {
    let folder = TempDir::new().unwrap();
    let bytes = |name: &str, ranks: usize| -> Vec<Vec<u8>> {
        let files = dumped(folder.path(), name, ranks, SPHERES, &[60, 120]);
        files.iter().map(|file| std::fs::read(file).unwrap()).collect()
    };
    assert!(bytes("one", 1) == bytes("two", 2));
}

/// A sphere on the ground under inclined gravity.
fn resting(folder: &Path, gravity: &str) -> String {
    let scene = folder.join("resting.toml");
    let text = format!(
        "[world]\ndimension = 3\ngravity = {gravity}\n[time]\nstep = 1e-3\nend = 5e-3\n[materials.m]\ndensity = 1000\n\
         [[laws]]\nbetween = [\"m\", \"m\"]\ncoulomb = {{ friction = 0.5 }}\n\
         [[bodies]]\nmaterial = \"m\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n\
         [[bodies]]\nmaterial = \"m\"\nbox.size = [0.2, 0.2, 0.2]\nposition = [0, 0, 0.1]\n"
    );
    std::fs::write(&scene, text).unwrap();
    scene.to_str().unwrap().to_owned()
}

#[test]
fn a_block_at_rest_presses_with_its_weight_and_one_that_slides_drags_with_friction_times_that() {
    let folder = TempDir::new().unwrap();
    let weight = 8.0 * 10.0 * 1e-3;
    for (name, gravity, drag) in [("rests", "[0, 0, -10]", 0.0), ("slides", "[8, 0, -10]", 0.5 * weight)] {
        let scene = resting(folder.path(), gravity);
        // The first step: later ones start with the error left by the tolerance of the run.
        let files = dumped(folder.path(), name, 1, &[&scene], &[1]);
        let solved = folder.path().join("solved.hdf5");
        let (_, code) =
            solve(&files[0], &["--solver", "accurate", "--tol", "1e-12", "--out", solved.to_str().unwrap()]);
        assert_eq!(code, 0);
        let solution = fclib::read::<Space>(&solved).unwrap().solution.unwrap();
        let pressed: f64 = solution.impulses.iter().map(|r| r[0]).sum();
        assert!((pressed / weight - 1.0).abs() < 1e-12, "{name}: {pressed}");
        let dragged = solution.impulses.iter().fold([0.0; 2], |sum, r| [sum[0] + r[1], sum[1] + r[2]]);
        assert!((dragged[0].hypot(dragged[1]) - drag).abs() < 1e-12 * weight, "{name}: {dragged:?}");
    }
}

#[test]
fn a_file_of_another_kind_ends_with_code_2_and_a_solution_out_of_reach_with_code_3() {
    let folder = TempDir::new().unwrap();
    let bad = folder.path().join("bad.hdf5");
    std::fs::write(&bad, "no problem").unwrap();
    assert_eq!(solve(&bad, &[]).1, 2);
    assert_eq!(solve(&folder.path().join("absent.hdf5"), &[]).1, 2);
    let files = dumped(folder.path(), "run", 1, SPHERES, &[120]);
    let (report, code) = solve(&files[0], &["--solver", "nlgs", "--max-sweeps", "2", "--tol", "1e-12"]);
    assert_eq!((code, report["converged"].as_bool(), report["sweeps"].as_u64()), (3, Some(false), Some(2)));
    assert_eq!(report["out_of_time"].as_bool(), Some(false));
}

#[test]
fn a_solve_that_runs_out_of_time_reports_its_best_answer_with_code_3() {
    let folder = TempDir::new().unwrap();
    let files = dumped(folder.path(), "run", 1, SPHERES, &[120]);
    let (report, code) = solve(&files[0], &["--time-limit", "0", "--tol", "1e-12"]);
    assert_eq!((code, report["converged"].as_bool(), report["out_of_time"].as_bool()), (3, Some(false), Some(true)));
    assert!(report["residual"].as_f64().unwrap().is_finite());
    let output =
        nscdd(1, &["solve", files[0].to_str().unwrap(), "--time-limit", "0", "--tol", "1e-12"]).output().unwrap();
    assert!(text(&output.stdout).contains("NOT SOLVED in the time given; the best answer so far"), "{output:?}");
    let refused = nscdd(1, &["solve", files[0].to_str().unwrap(), "--time-limit=-1"]).output().unwrap();
    assert!(text(&refused.stderr).contains("a time in seconds is a number of at least 0"), "{refused:?}");
}
