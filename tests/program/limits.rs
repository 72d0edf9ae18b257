//! Limits of a step: bodies that are too fast for it, and a request to stop during it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::{nscdd, text};

/// Processes of a second run; one if the program is built without MPI.
const OTHERS: usize = if cfg!(feature = "mpi") { 2 } else { 1 };

const BOX: &str = "world.dimension = 3\ntime = { step = 1e-3, end = 0.008 }\ndomain.subdomains = 4\nmaterials.stone.density = 2600\n\
                   [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = 0.5\n\
                   [[generators]]\nmaterial = \"stone\"\nwalls = { min = [0, 0, 0], max = [1, 1, 2] }\n\
                   [[generators]]\nmaterial = \"stone\"\ndeposit = { min = [0, 0, 0], max = [1, 1, 2], count = 400, radius = 0.05 }\n";

fn ball(velocity: &str) -> String {
    format!(
        "[[bodies]]\nid = 9000\nmaterial = \"stone\"\nsphere.radius = 0.05\nposition = [0.5, 0.5, 1.8]\nvelocity = {velocity}\n"
    )
}

fn write(folder: &Path, scene: &str) -> String {
    let path = folder.join("scene.toml");
    fs::write(&path, scene).unwrap();
    path.display().to_string()
}

/// Runs the program, which must exit with `code`; returns its output.
fn ends(code: i32, ranks: usize, arguments: &[&str]) -> String {
    let output = nscdd(ranks, arguments).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

#[test]
fn a_scene_that_is_too_fast_for_its_step_is_refused_unless_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    for (body, key) in [
        (ball("[0, 0, -300]"), "velocity"),
        ("[[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 0, -1]\nposition = [0, 0, 3]\ndriven = { hold = true, velocity.z = -400 }\n".into(), "driven"),
        ("[[feeds]]\nmaterial = \"stone\"\nbox = { min = [0.2, 0.2, 1.5], max = [0.8, 0.8, 1.9] }\nrate = 100\nradius = 0.02\nvelocity = [0, 0, -100]\n".into(), "velocity"),
    ] {
        let scene = write(folder.path(), &(BOX.to_owned() + &body));
        let said = ends(2, 1, &["check", &scene]);
        let wanted = ["radii in one step", "time.step", "detection.max_travel", key];
        assert!(wanted.iter().all(|word| said.contains(word)), "{said}");
        ends(0, 1, &["check", &scene, "--set", "detection.max_travel=100"]);
    }
}

#[test]
fn a_check_warns_of_a_spin_that_the_step_does_not_resolve() {
    let folder = tempfile::tempdir().unwrap();
    let body = "[[bodies]]\nid = 77\nmaterial = \"stone\"\nbox.size = [0.1, 0.2, 0.3]\nposition = [0.5, 0.5, 1.5]\nspin = [0, 5e3, 10]\n";
    let said = ends(0, 1, &["check", &write(folder.path(), &(BOX.to_owned() + body))]);
    assert!(said.contains("warning: body 77 turns by 5.00 rad") && said.contains("time.step"), "{said}");
}

/// Maximum number of contacts of a step.
fn contacts(run: &Path) -> f64 {
    let text = fs::read_to_string(run.join("history.csv")).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let column = lines.next().unwrap().iter().position(|name| *name == "contacts").unwrap();
    lines.map(|line| line[column].parse::<f64>().unwrap()).fold(0.0, f64::max)
}

#[test]
fn a_fast_body_makes_no_more_contacts_than_its_way_has_neighbours_and_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let run = |scene: &str, name: &str, ranks: usize| -> PathBuf {
        let out = folder.path().join(name);
        let scene = write(folder.path(), scene);
        ends(0, ranks, &["run", &scene, "--set", "detection.max_travel=1e9", "-q", "--out", out.to_str().unwrap()]);
        out
    };
    let quiet = contacts(&run(BOX, "quiet", 1));
    // The faster one also makes those fast that it strikes. Alert distances of all bodies would give 25 and 70 times as
    // many.
    for (k, (velocity, most)) in [("[60, 10, -300]", 1.5), ("[3e4, 1e4, -1e5]", 3.2)].iter().enumerate() {
        let scene = BOX.to_owned() + &ball(velocity);
        let one = run(&scene, &format!("one-{k}"), 1);
        assert!(contacts(&one) < most * quiet, "{velocity}: {} contacts, {quiet} without it", contacts(&one));
        let other = run(&scene, &format!("other-{k}"), OTHERS);
        let bytes = |run: &Path| fs::read(run.join("final.h5")).unwrap();
        assert!(bytes(&one) == bytes(&other), "{velocity}: the same on {OTHERS} processes");
    }
    // The limit of the scene also applies to bodies that become fast.
    let out = folder.path().join("named");
    let scene = write(folder.path(), &(BOX.to_owned() + &ball("[0, 0, -60]")));
    let scene = ["run", &scene, "--set", "world.gravity=[0, 0, -60000]", "--set", "time.end=0.003", "--out"];
    let said = ends(
        0,
        1,
        &[&scene[..], &[out.to_str().unwrap(), "--set", "time.step=5e-4", "--set", "detection.max_travel=1"]].concat(),
    );
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    assert!(summary.contains("\"fast-body\"") && said.contains("radii in a step"), "{said}\n{summary}");
}

#[test]
fn a_fast_body_in_a_periodic_cell_makes_no_more_contacts_than_its_way_has_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let scene = |fast: &str| {
        let spheres = "deposit = { min = [0, 0, 0], max = [1, 1, 1], count = 400, radius = 0.05 }";
        let floor = "[[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n";
        format!(
            "world.dimension = 3\ntime = {{ step = 1e-3, end = 0.008 }}\ndomain.subdomains = 4\n\
             materials.stone.density = 2600\ndetection.max_travel = 1e9\n\
             cell = {{ min = [0, 0, 0], max = [1, 1, 9], periodic = [\"x\", \"y\"] }}\n\
             [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = 0.5\n{floor}\
             [[generators]]\nmaterial = \"stone\"\n{spheres}\n{fast}"
        )
    };
    let run = |scene: &str, name: &str, ranks: usize| -> PathBuf {
        let out = folder.path().join(name);
        let scene = write(folder.path(), scene);
        ends(0, ranks, &["run", &scene, "-q", "--out", out.to_str().unwrap()]);
        out
    };
    let quiet = contacts(&run(&scene(""), "quiet", 1));
    for (k, (velocity, most)) in [("[300, 10, -400]", 1.7), ("[3e4, 1e4, -1e5]", 1.1)].iter().enumerate() {
        let fast = scene(&ball(velocity));
        let one = run(&fast, &format!("one-{k}"), 1);
        assert!(contacts(&one) < most * quiet, "{velocity}: {} contacts, {quiet} without it", contacts(&one));
        let other = run(&fast, &format!("other-{k}"), OTHERS);
        let bytes = |run: &Path| fs::read(run.join("final.h5")).unwrap();
        assert!(bytes(&one) == bytes(&other), "{velocity}: the same on {OTHERS} processes");
    }
}

/// Starts the program, signals it some time after its run in `out` has begun, and returns the time it takes to end.
fn interrupted(mut command: Command, out: &Path, signal: &str) -> Duration {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !out.join("timings.csv").exists() {
        std::thread::sleep(Duration::from_millis(50));
    }
    std::thread::sleep(Duration::from_millis(800));
    let asked = Instant::now();
    let kill = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let code = child.wait().unwrap().code();
    assert_eq!(code, Some(75), "stopped, and to be resumed");
    asked.elapsed()
}

#[test]
fn a_step_is_abandoned_on_request_and_the_resumed_run_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    // No step has a solution, so each takes as long as the cap of sweeps allows. Every step has bodies spawned and
    // removed.
    let feed = "\n[[feeds]]\nmaterial = \"stone\"\nbox = { min = [0.5, 4], max = [4, 8] }\nrate = 300\nradius = 0.1\n\
                [[sinks]]\nbox = { min = [0, 3.9], max = [4.5, 4.2] }\n";
    let scene = write(folder.path(), &(fs::read_to_string("scenes/three-disks.toml").unwrap() + feed));
    let run = |out: &Path, sweeps: u32| {
        let all = format!(
            "run {scene} -q --no-diagnosis --set time.end=0.04 --set domain.subdomains=2 --set solver.max_sweeps={sweeps}"
        );
        let mut all: Vec<String> = all.split(' ').map(str::to_owned).collect();
        all.extend(["--out".to_owned(), out.display().to_string()]);
        all
    };
    let command = |ranks: usize, all: &[String]| nscdd(ranks, &all.iter().map(String::as_str).collect::<Vec<_>>());
    let whole = folder.path().join("whole");
    assert!(command(1, &run(&whole, 3000)).output().unwrap().status.success());
    for ranks in [1, OTHERS] {
        let parts = folder.path().join(format!("parts-{ranks}"));
        // The cap is out of reach; the resumed run has another one, which is a change of the scene.
        let signal = if ranks == 1 { "-TERM" } else { "-USR1" };
        let taken = interrupted(command(ranks, &run(&parts, 2_000_000_000)), &parts, signal);
        // Two seconds on an idle machine; several processes that share a busy core wait for each other at every sweep.
        let limit = Duration::from_secs(if ranks == 1 { 5 } else { 60 });
        assert!(taken < limit, "{ranks} processes: {taken:?}");
        let all = format!("resume {} -q --accept-changes --no-diagnosis --set solver.max_sweeps=3000", parts.display());
        let all: Vec<String> = all.split(' ').map(str::to_owned).collect();
        let output = command(1, &all).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let bytes = |run: &Path| fs::read(run.join("final.h5")).unwrap();
        assert!(bytes(&whole) == bytes(&parts), "{ranks} processes");
    }
}

/// The first step has no solution within its two sweeps; the search for the reason takes ten seconds.
#[test]
fn the_search_for_the_cause_of_a_failed_step_ends_on_request_with_the_state_before_the_step() {
    let folder = tempfile::tempdir().unwrap();
    let wall = "world.dimension = 3\ntime = { step = 1e-3, end = 0.1 }\nmaterials.stone.density = 2600\nsolver.max_sweeps = 2\n\
                [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb.friction = 0.5\n\
                [[bodies]]\nmaterial = \"stone\"\nplane.normal = [0, 0, 1]\nposition = [0, 0, 0]\nfixed = true\n\
                [[generators]]\nmaterial = \"stone\"\n\
                masonry = { brick = [0.25, 0.12, 0.08], courses = 100, bricks = 60, origin = [0, 0, 0] }\n";
    let (scene, out) = (write(folder.path(), wall), folder.path().join("out"));
    let taken = interrupted(nscdd(1, &["run", &scene, "-q", "--out", out.to_str().unwrap()]), &out, "-TERM");
    assert!(taken < Duration::from_secs(5), "{taken:?}");
    assert!(out.join("checkpoints/step-0000000000.h5").exists(), "the step is abandoned");
    // What was not found is looked for again.
    let out = out.to_str().unwrap();
    ends(75, 1, &["resume", out, "-q", "--no-diagnosis", "--stop-after", "1"]);
}
