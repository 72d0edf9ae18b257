//! The program on several processes: identical files, byte for byte, and a common end if one fails.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::long::or_long;
use crate::program::{nscdd, text};

/// Runs `scene` and returns the bytes that must agree.
fn run(folder: &Path, name: &str, ranks: usize, scene: &str, arguments: &[&str]) -> Vec<Vec<u8>> {
    let out = folder.join(name);
    let mut all = vec!["run", scene, "--out", out.to_str().unwrap(), "-q"];
    all.extend(arguments);
    let output = nscdd(ranks, &all).output().unwrap();
    assert!(output.status.success(), "{ranks} processes: {}", text(&output.stderr));
    ["final.h5", "history.csv"].iter().map(|file| std::fs::read(out.join(file)).unwrap()).collect()
}

/// Number of processes and further arguments: random placements force bodies to migrate between processes.
type Way = (usize, &'static [&'static str]);
const ALL: &[Way] =
    &[(3, &["--shuffle", "7"]), (1, &["--threads", "1"]), (2, &["--threads", "2"]), (4, &[]), (8, &["--shuffle", "3"])];
const FEW: &[Way] = &[(3, &["--shuffle", "5"]), (1, &["--threads", "1"]), (2, &[]), (4, &["--shuffle", "5"])];

/// `scene` gives the same bytes on one process with two threads and in the first of these ways; in a long test, in all
/// of them.
fn agrees(scene: &str, sets: &[&str], ways: &[Way]) {
    agrees_in_all(scene, sets, or_long(&ways[..1], ways));
}

/// `scene` gives the same bytes on one process with two threads and in all these ways.
fn agrees_in_all(scene: &str, sets: &[&str], ways: &[Way]) {
    let folder = tempfile::tempdir().unwrap();
    let with = |extra: &[&'static str]| -> Vec<&str> {
        sets.iter().flat_map(|set| ["--set", set]).chain(extra.iter().copied()).collect()
    };
    let one = run(folder.path(), "one", 1, scene, &with(&["--threads", "2"]));
    let active = |line: &str| line.split(',').nth(8).unwrap().parse::<u64>().unwrap();
    assert!(text(&one[1]).lines().skip(1).map(active).any(|active| active > 0), "{scene}: no contact proves nothing");
    for (ranks, extra) in ways {
        let other = run(folder.path(), &format!("{ranks}{}", extra.concat()), *ranks, scene, &with(extra));
        assert!(one[0] == other[0], "{scene}: final.h5 on {ranks} processes, {extra:?}");
        assert!(one[1] == other[1], "{scene}: history.csv on {ranks} processes, {extra:?}");
    }
}

#[test]
fn spheres_give_the_same_bytes_on_any_number_of_processes() {
    agrees_in_all("scenes/box-of-spheres.toml", &["domain.subdomains=8", "time.end=0.1"], ALL);
}

#[test]
fn disks_in_twenty_seven_subdomains_give_the_same_bytes_on_any_number_of_processes() {
    agrees_in_all("scenes/deposit-disks.toml", &["domain.subdomains=27", "time.end=0.04"], ALL);
}

#[test]
fn polygons_and_polyhedra_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/pentagons.toml", &["domain.subdomains=8", "time.end=0.3"], ALL);
    agrees("scenes/tumbling-solids.toml", &["domain.subdomains=8", "time.end=0.4"], ALL);
}

#[test]
fn a_driven_box_and_a_stack_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/shaken-box.toml", &["domain.subdomains=8", "time.end=0.3"], ALL);
    agrees("scenes/column.toml", &["domain.subdomains=8", "time.end=0.05"], ALL);
}

#[test]
fn cylinders_capsules_and_clusters_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/cylinders.toml", &["domain.subdomains=8", "time.end=0.12"], ALL);
}

#[test]
fn laws_with_state_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/law-bonded-slab.toml", &["domain.subdomains=8", "time.end=0.05"], ALL);
    agrees("scenes/law-powder.toml", &["domain.subdomains=8", "time.end=0.1"], ALL);
    agrees("scenes/law-wet-grains.toml", &["domain.subdomains=8", "time.end=0.01"], ALL);
    agrees("scenes/law-mortar.toml", &["domain.subdomains=8", "time.end=0.02"], FEW);
}

#[test]
fn bodies_that_come_and_go_give_the_same_bytes_on_any_number_of_processes() {
    // Fast enough for some to be removed before the run ends; the scene is empty at the start.
    let fast = ["feeds.0.start=0.003", "feeds.0.velocity=[0, -4]", "sinks.0.box.max=[1, 0.3]"];
    agrees("scenes/hopper.toml", &[&["domain.subdomains=8", "time.end=0.12"], &fast[..]].concat(), ALL);
    agrees("scenes/gate.toml", &["domain.subdomains=8", "time.end=0.06", "removals.0.at=0.03", "stop=[]"], FEW);
}

#[test]
fn links_give_the_same_bytes_on_any_number_of_processes() {
    // Long enough for a wire to break, and for spheres to land.
    agrees("scenes/chain.toml", &["domain.subdomains=8", "time.end=0.3"], ALL);
    agrees("scenes/pendulum.toml", &["domain.subdomains=8", "time.end=0.4"], FEW);
    // Links are removed with the body they hold.
    let cut = ["domain.subdomains=8", "time.end=0.3", "removals=[{ body = 2, at = 0.15 }]"];
    agrees("scenes/pendulum.toml", &cut, FEW);
}

#[test]
fn periodic_cells_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/sheared-spheres.toml", &["domain.subdomains=8", "time.end=0.3"], ALL);
    agrees("scenes/sheared-disks.toml", &["domain.subdomains=8", "time.end=0.3", "cell.shear.rate=10"], FEW);
}

#[test]
fn membranes_and_resistance_to_rolling_give_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/membrane.toml", &["domain.subdomains=8", "time.end=0.3"], ALL);
    let rolling = "laws.0.coulomb.rolling=0.05";
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8", "time.end=0.05", rolling], FEW);
}

/// All other shipped scenes.
#[test]
fn every_other_scene_gives_the_same_bytes_on_several_processes() {
    let above =
        ["box-of-spheres", "deposit-disks", "pentagons", "tumbling-solids", "shaken-box", "column", "cylinders"];
    let above =
        [&above[..], &["law-bonded-slab", "law-powder", "law-wet-grains", "law-mortar", "chain", "pendulum"]].concat();
    let above = [&above[..], &["hopper", "gate", "sheared-disks", "sheared-spheres", "membrane"]].concat();
    // It has no contacts.
    let above = [&above[..], &["cantilever"]].concat();
    let mut scenes: Vec<_> = std::fs::read_dir("scenes").unwrap().map(|entry| entry.unwrap().path()).collect();
    scenes.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    scenes.retain(|path| !above.contains(&path.file_stem().unwrap().to_str().unwrap()));
    scenes.sort();
    assert!(scenes.len() >= 7, "{scenes:?}");
    for scene in scenes {
        // Some take a while to fall; the others touch from the start, or soon.
        let (step, end) = match scene.file_stem().unwrap().to_str().unwrap() {
            "bounce" => ("time.step=1e-3", "time.end=0.5"),
            "sand-pile" | "landslide" => ("time.step=1e-3", "time.end=0.4"),
            "drum" => ("time.step=1e-3", "time.end=0.15"),
            "box-of-polyhedra" => ("time.step=1e-3", "time.end=0.12"),
            "clips" | "triaxial-polyhedra" | "triaxial-spheres" => ("time.step=1e-3", "time.end=0.08"),
            "bouncing-ball" | "elastic-slab" => ("time.step=1e-3", "time.end=0.08"),
            _ => ("time.step=1e-3", "time.end=0.03"),
        };
        agrees(scene.to_str().unwrap(), &["domain.subdomains=8", step, end], FEW);
    }
}

#[test]
fn the_published_gluing_gives_the_same_bytes_on_any_number_of_processes() {
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8", "time.end=0.05", "domain.interface=\"glue\""], ALL);
}

#[test]
fn accelerated_sweeps_give_the_same_bytes_on_any_number_of_processes() {
    let momentum = "solver.method=\"accelerated\"";
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8", "time.end=0.05", momentum], ALL);
    let batches = "solver.order=\"batches\"";
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8", "time.end=0.05", momentum, batches], FEW);
    agrees("scenes/deposit-disks.toml", &["domain.subdomains=8", "time.end=0.03", batches], FEW);
    agrees("scenes/tumbling-solids.toml", &["domain.subdomains=8", "time.end=0.4", momentum], FEW);
    agrees(
        "scenes/box-of-spheres.toml",
        &["domain.subdomains=8", "time.end=0.03", momentum, "domain.interface=\"glue\""],
        FEW,
    );
}

#[test]
fn alternating_accelerated_and_plain_sweeps_give_the_same_bytes_on_any_number_of_processes() {
    let hard = ["domain.subdomains=8", "solver.method=\"accelerated\"", "solver.tolerance=1e-12"];
    let hard = [&hard[..], &["laws.0.coulomb.friction=1"]].concat();
    // A residual that decreased by a tenth every sixty sweeps, as momentum requires to stay enabled, would vanish
    // before the last sweep.
    agrees("scenes/column.toml", &[&hard[..], &["time.end=4e-3", "solver.max_sweeps=2000"]].concat(), FEW);
}

#[test]
fn jacobi_acd2_and_a_random_order_give_the_same_bytes_on_any_number_of_processes() {
    let (subdomains, random) = ("domain.subdomains=8", "solver.order=\"random\"");
    agrees("scenes/brick-wall.toml", &[subdomains, "time.end=0.03", "solver.method=\"jacobi\""], FEW);
    agrees("scenes/brick-wall.toml", &[subdomains, "time.end=0.03", "solver.method=\"acd2\""], FEW);
    agrees("scenes/brick-wall.toml", &[subdomains, "time.end=0.03", random], FEW);
    agrees("scenes/box-of-spheres.toml", &[subdomains, "time.end=0.1", random], FEW);
}

/// A feed just above the heap in its box asks all processes for the height of the heap.
#[test]
fn a_feed_above_its_heap_gives_the_same_bytes_on_any_number_of_processes() {
    let more = ["domain.subdomains=4", "time.end=1", "feeds.0.rate=200"];
    agrees("scenes/sand-pile-slow.toml", &more, FEW);
}

/// A box with a loaded lid shared by all subdomains, and clusters in it.
#[test]
fn a_loaded_lid_over_clusters_gives_the_same_bytes_on_any_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("lid.toml");
    std::fs::write(
        &scene,
        "[world]\ndimension = 2\n[time]\nstep = 1e-3\nend = 0.12\n[domain]\nsubdomains = 12\n[materials.stone]\ndensity = 2600\n\
         [[laws]]\nbetween = [\"stone\", \"stone\"]\ncoulomb = { friction = 0.4 }\n\
         [[generators]]\nmaterial = \"stone\"\nwalls = { min = [0, 0], max = [2, 2], open = [\"+y\"] }\n\
         [[generators]]\nmaterial = \"stone\"\nlattice = { count = [16, 6], spacing = 0.124, origin = [0.005, 0], radius = 0.06 }\n\
         shape = { compound = [{ disk = { radius = 1 }, position = [1, 0] }, { disk = { radius = 1 }, position = [-1, 0] }] }\n\
         [[bodies]]\nmaterial = \"stone\"\nbox = { size = [1.98, 0.1] }\nposition = [1, 0.81]\n\
         driven = { velocity = { x = 0, r = 0 }, force = { y = -5e4 } }\n",
    )
    .unwrap();
    agrees(scene.to_str().unwrap(), &[], ALL);
}

/// 343 disks in ten subdomains, with a change of their number before the first step.
fn changes_at_once(name: &str, change: &str) {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join(format!("{name}.toml"));
    let text = "[world]\ndimension = 2\n[time]\nstep = 1e-3\nend = 0.05\n[domain]\nsubdomains = 10\n\
         [materials.stone]\ndensity = 2600\n[[laws]]\nbetween = [\"stone\", \"stone\"]\ncoulomb = { friction = 0.4 }\n\
         [[generators]]\nmaterial = \"stone\"\nwalls = { min = [0, 0], max = [1.05, 3], open = [\"+y\"] }\n\
         [[generators]]\nmaterial = \"stone\"\nfirst_id = 100\n\
         lattice = { count = [49, 7], spacing = 0.0212, origin = [0.002, 0], jitter = 0.4, radius = { uniform = [0.008, 0.0101] } }\n";
    std::fs::write(&scene, format!("{text}{change}")).unwrap();
    agrees(scene.to_str().unwrap(), &[], FEW);
}

/// The domain is cut after the first bodies have been spawned and removed, on any number of processes.
#[test]
fn bodies_born_or_removed_before_the_first_step_give_the_same_bytes_on_any_number_of_processes() {
    let feed = "[[feeds]]\nmaterial = \"stone\"\nradius = 0.01\nrate = 20000\ntotal = 60\n\
                box = { min = [0.1, 0.3], max = [0.4, 0.6] }\n";
    changes_at_once("feed", feed);
    changes_at_once("removal", "[[removals]]\nbody = 120\nat = 0\n[[removals]]\nbody = 121\nat = 0\n");
    changes_at_once("sink", "[[sinks]]\nbox = { min = [0.5, 0.05], max = [0.9, 0.2] }\n");
}

/// Scene with walls and spheres `deposit`ed between them.
fn deposited(folder: &Path, dimension: u8, walls: &str, deposit: &str) -> String {
    let scene = folder.join(format!("deposit-{dimension}.toml"));
    let text = format!(
        "[world]\ndimension = {dimension}\n[time]\nstep = 1e-3\nend = 0.003\n[domain]\nsubdomains = 8\n\
         [solver]\nmax_sweeps = 20\n[materials.stone]\ndensity = 2600\n\
         [[laws]]\nbetween = [\"stone\", \"stone\"]\ncoulomb = {{ friction = 0.4 }}\n\
         [[generators]]\nmaterial = \"stone\"\nwalls = {{ {walls} }}\n\
         [[generators]]\nmaterial = \"stone\"\ndeposit = {{ {deposit} }}\n"
    );
    std::fs::write(&scene, text).unwrap();
    scene.to_str().unwrap().to_owned()
}

/// Deposits wide enough to be generated in parallel.
#[test]
fn wide_deposits_are_the_same_on_any_number_of_processes() {
    let folder = tempfile::tempdir().unwrap();
    let ways: &[Way] = &[(3, &[]), (2, &[]), (4, &[])];
    let plane = deposited(
        folder.path(),
        2,
        "min = [0, 0], max = [12.5, 9]",
        "min = [0, 0], max = [12.5, 9], count = 3000, radius = { uniform = [0.03, 0.05] }",
    );
    agrees(&plane, &[], ways);
    let grains = ["generators.1.shape={ grain = { corners = 6 } }", "generators.1.variety=50", "time.end=0.01"];
    agrees(&plane, &grains, ways);
    let space = deposited(
        folder.path(),
        3,
        "min = [0, 0, 0], max = [5, 5, 9]",
        "min = [0, 0, 0], max = [5, 5, 9], height = 0.25, radius = { uniform = [0.04, 0.05] }",
    );
    agrees(&space, &[], ways);
}

/// An error that only one process finds while the others are about to generate spheres in parallel.
#[test]
fn a_mistake_in_the_rows_of_one_process_is_reported_as_on_a_single_process() {
    let folder = tempfile::tempdir().unwrap();
    let scene = deposited(
        folder.path(),
        2,
        "min = [0, 0], max = [12.5, 9]",
        "min = [0, 0], max = [12.5, 9], count = 3000, radius = { uniform = [0.03, 0.05] }",
    );
    let rows: String = (0..30).map(|i| format!("{i}, 20, {}\n", if i == 25 { "wide" } else { "0.1" })).collect();
    std::fs::write(folder.path().join("balls.csv"), format!("x, y, r\n{rows}")).unwrap();
    let text = std::fs::read_to_string(&scene).unwrap();
    let csv = "[[generators]]\nmaterial = \"stone\"\ncsv = { file = \"balls.csv\" }\n";
    // Before the deposit and after it.
    let (head, tail) = text.split_at(text.rfind("[[generators]]").unwrap());
    for text in [format!("{head}{csv}{tail}"), format!("{text}{csv}")] {
        std::fs::write(&scene, text).unwrap();
        let out = folder.path().join("out");
        let arguments = ["run", &scene, "--out", out.to_str().unwrap()];
        let (one, three) = (quick(1, &arguments), quick(3, &arguments));
        assert_eq!((one.status.code(), three.status.code()), (Some(2), Some(2)), "{}", text_of(&three));
        let said = text_of(&one);
        assert!(said.contains("expected a number, found \"wide\""), "{said}");
        assert!(text_of(&three).starts_with(&said), "{said}\n{}", text_of(&three));
        assert_eq!(text_of(&three).matches("expected a number").count(), 1, "{}", text_of(&three));
    }
}

fn text_of(output: &Output) -> String {
    text(&output.stderr)
}

fn quick(ranks: usize, arguments: &[&str]) -> Output {
    nscdd(ranks, arguments).output().unwrap()
}

#[test]
fn a_mistake_in_the_scene_is_reported_once() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = quick(3, &["run", "scenes/bounce.toml", "--set", "time.step=-1", "--out", out.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("must be greater than 0").count(), 1, "{}", text(&output.stderr));
    assert!(!out.exists());
}

/// Two overlapping bodies made by different processes: the message is that of a single process.
#[test]
fn bodies_that_overlap_at_the_start_are_reported_once_whichever_process_makes_them() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let moved = "generators.1.lattice.origin=[-0.3,0,0]";
    let arguments = ["run", "scenes/box-of-spheres.toml", "--set", moved, "--set", "domain.subdomains=8"];
    let all = [&arguments[..], &["--out", out.to_str().unwrap()]].concat();
    let (one, three) = (quick(1, &all), quick(3, &all));
    assert_eq!(one.status.code(), Some(2), "{}", text(&one.stderr));
    assert_eq!(three.status.code(), Some(2), "{}", text(&three.stderr));
    // The launcher appends a message when a process exits with a code of its own.
    let said = text(&one.stderr);
    assert!(said.contains("overlap") && text(&three.stderr).starts_with(&said), "{said}\n{}", text(&three.stderr));
    assert_eq!(text(&three.stderr).matches("of the smaller one").count(), 1);
    assert!(!out.exists());
}

#[test]
fn a_folder_that_cannot_be_made_is_reported_once() {
    let output = quick(2, &["run", "scenes/bounce.toml", "--out", "/proc/nowhere/out"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("/proc/nowhere").count(), 1, "{}", text(&output.stderr));
}

#[test]
fn a_body_that_leaves_the_world_ends_all_processes_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let bounds = "world.bounds={min=[-100,-100,0.3],max=[100,100,100]}";
    let arguments = ["run", "scenes/box-of-spheres.toml", "--set", "domain.subdomains=4", "--set", bounds];
    let mut all = arguments.to_vec();
    all.extend(["--out", out.to_str().unwrap(), "-q"]);
    let (one, three) =
        (quick(1, &[&all[..], &["--overwrite"]].concat()), quick(3, &[&all[..], &["--overwrite"]].concat()));
    assert_eq!(one.status.code(), three.status.code());
    let said =
        |output: &Output| text(&output.stderr).lines().filter(|l| l.contains("nscdd: ")).collect::<Vec<_>>().join("\n");
    assert_eq!(said(&one), said(&three));
}

#[test]
fn more_processes_than_subdomains_run_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = quick(4, &["run", "scenes/bounce.toml", "--set", "time.end=0.05", "--out", out.to_str().unwrap()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr).matches("stay idle").count(), 1, "{}", text(&output.stderr));
}

/// Processes whose parent is `parent`.
fn children(parent: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").unwrap().filter_map(|e| e.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |pid: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default().to_owned();
        after.split_whitespace().nth(1).is_some_and(|p| p == parent.to_string())
    };
    numbers.filter(is_child).collect()
}

#[test]
fn a_killed_process_ends_the_job_within_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let arguments =
        ["run", "scenes/deposit-spheres.toml", "--set", "time.end=100", "--out", out.to_str().unwrap(), "-q"];
    let mut job: Child = nscdd(3, &arguments).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while !out.join("history.csv").exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "never started");
        std::thread::sleep(Duration::from_millis(100));
    }
    let workers = children(job.id());
    assert!(workers.len() >= 3, "{workers:?}");
    let killed = Command::new("kill").args(["-9", &workers[1].to_string()]).status().unwrap();
    assert!(killed.success());
    let start = Instant::now();
    let status = loop {
        if let Some(status) = job.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "the job hangs");
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(!status.success());
}
