//! Measures recorded by a run and by `nscdd post`: the same bytes on any number of processes and after any restart, and
//! the same numbers as an independent program.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::clients::python;
use crate::program::{nscdd, text};
use tempfile::TempDir;

/// Processes to compare with; one if the program is built without MPI.
const OTHERS: [usize; 2] = if cfg!(feature = "mpi") { [2, 3] } else { [1, 1] };

/// Every kind of measure, in 2D; the ids of the bodies are those of `disks`.
const IN_THE_PLANE: &str = "measure=[\
    { every = 0.02, stress = {} },\
    { every = 0.02, name = 'corner', stress = { box = { min = [0, 0], max = [0.5, 0.6] } } },\
    { contacts = {} },\
    { every = 0.03, forces = { bins = 12 } },\
    { every = 0.05, profile = { axis = 'y', slices = 7 } },\
    { reaction = { bodies = [0, 7] } },\
    { cut = { axis = 'x', at = [0.3, 0.31] } },\
    { track = { bodies = [5] } },\
    { energy = {} }]";
const IN_SPACE: &str = "measure=[\
    { every = 0.004, stress = {} },\
    { every = 0.004, contacts = { box = { min = [0, 0, 0], max = [0.7, 0.7, 0.4] } } },\
    { every = 0.004, forces = {} },\
    { every = 0.004, profile = { axis = 'z', slices = 9, along = 'y', min = 0, max = 1 } },\
    { reaction = { bodies = [0, 1] } },\
    { cut = { axis = 'z', at = [0.2] } },\
    { track = { bodies = [5] } },\
    { energy = {} }]";

/// Runs the program, which must exit with `code`; returns its output.
fn ends(code: i32, ranks: usize, arguments: &[&str]) -> String {
    let output = nscdd(ranks, arguments).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

/// All files of a folder with these extensions, by name.
fn files(folder: &Path, endings: &[&str]) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let wanted = entries.filter(|path| path.extension().is_some_and(|e| endings.iter().any(|own| e == *own)));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut all: Vec<_> = wanted.map(|path| (name(&path), fs::read(&path).unwrap())).collect();
    all.sort();
    all
}

fn agree(one: &[(String, Vec<u8>)], other: &[(String, Vec<u8>)], what: &str) {
    let names = |all: &[(String, Vec<u8>)]| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(one), names(other), "{what}");
    one.iter().zip(other).for_each(|(a, b)| assert!(a.1 == b.1, "{what}: {}", a.0));
}

/// A number of a line of a table, by the header of its column.
fn number(table: &[u8], line: usize, head: &str) -> f64 {
    let table = text(table);
    let lines: Vec<&str> = table.lines().collect();
    let place = lines[0].split(',').position(|own| own == head).unwrap_or_else(|| panic!("{head}: {}", lines[0]));
    let line = if line == 0 { lines[lines.len() - 1] } else { lines[line] };
    line.split(',').nth(place).unwrap().parse().unwrap()
}

fn same_in_every_way(scene: &str, measure: &str, more: &[&str], steps: [&str; 2], count: usize) {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let run = |name: &str, ranks: usize, code: i32, extra: &[&str]| {
        let out = place(name);
        let mut all = vec!["run", scene, "-q", "--out", &out, "--set", measure, "--set", "domain.subdomains=8"];
        more.iter().for_each(|set| all.extend(["--set", set]));
        all.extend(extra);
        ends(code, ranks, &all);
    };
    let tables = |name: &str| files(&folder.path().join(name).join("measures"), &["csv"]);
    run("one", 1, 0, &["--threads", "1"]);
    let one = tables("one");
    assert_eq!(one.len(), count, "{scene}");
    for (name, table) in &one {
        assert!(text(table).lines().count() > 3, "{scene}: {name} has nothing in it");
    }
    for (ranks, extra) in [(1, ["--threads", "2"]), (OTHERS[0], ["--threads", "1"]), (OTHERS[1], ["--shuffle", "7"])] {
        let name = format!("{ranks}{}", extra.concat());
        run(&name, ranks, 0, &extra);
        agree(&one, &tables(&name), &format!("{scene} on {ranks} processes"));
    }
    run("parts", OTHERS[0], 75, &["--stop-after", steps[0]]);
    ends(75, OTHERS[1], &["resume", &place("parts"), "-q", "--stop-after", steps[1]]);
    ends(0, 1, &["resume", &place("parts"), "-q"]);
    agree(&one, &tables("parts"), &format!("{scene} in parts"));
    // After the run: the same bytes again, and close to what the run itself recorded last.
    let post = |name: &str, ranks: usize| {
        let out = place(name);
        ends(0, ranks, &["post", &place("one"), "-q", "--out", &out]);
        files(Path::new(&out), &["csv", "svg", "h5"])
    };
    let found = post("found", 1);
    agree(&found, &post("found-too", OTHERS[1]), &format!("{scene}: post"));
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["post.h5", "stress.csv", "forces.svg", "fabric-rose.svg", "stress-in-time.svg", "profile-velocity.svg"]
    {
        assert!(names.contains(&name), "{scene}: no {name} among {names:?}");
    }
    ends(0, 1, &["post", &place("one"), "-q", "--out", &place("printed"), "--plots", "pdf"]);
    let printed = files(Path::new(&place("printed")), &["svg", "pdf"]);
    let plots = names.iter().filter(|name| name.ends_with(".svg")).map(|name| name.replace(".svg", ".pdf"));
    assert!(printed.iter().map(|(name, _)| name.clone()).eq(plots), "{scene}: the same plots, as PDF");
    assert!(printed.iter().all(|(_, bytes)| bytes.starts_with(b"%PDF")), "{scene}");
    let track = |all: &[(String, Vec<u8>)]| all.iter().find(|(name, _)| name == "track.csv").unwrap().1.clone();
    let [then, now] = [&one, &found].map(|all| number(&track(all), 0, "body_5_velocity_x_m_s"));
    assert_eq!(then.to_bits(), now.to_bits(), "{scene}: the bodies are those of the last step");
    let energy = |all: &[(String, Vec<u8>)]| all.iter().find(|(name, _)| name == "energy.csv").unwrap().1.clone();
    let [then, now] = [&one, &found].map(|all| number(&energy(all), 0, "dissipated_friction_J"));
    assert_eq!(then.to_bits(), now.to_bits(), "{scene}: what was lost by friction is in the checkpoint");
    assert!(then > 0.0, "{scene}");
}

#[test]
fn measures_in_the_plane_are_the_same_bytes_on_any_number_of_processes_and_after_restarts() {
    let more = ["time.end=0.2", "cell.shear.rate=10", "output.frames={ every = 0.1 }"];
    same_in_every_way("scenes/sheared-disks.toml", IN_THE_PLANE, &more, ["31", "77"], 9);
}

#[test]
fn measures_in_space_are_the_same_bytes_on_any_number_of_processes_and_after_restarts() {
    same_in_every_way("scenes/box-of-spheres.toml", IN_SPACE, &["time.end=0.12"], ["50", "81"], 8);
}

/// Two hundred disks at rest in a box.
const HEAP: &str = r#"
[world]
dimension = 2
[time]
step = 2e-3
end = 0.8
[materials.stone]
density = 2600
[[laws]]
between = ["stone", "stone"]
coulomb = { friction = 0.4 }
[[generators]]
material = "stone"
walls = { min = [0, 0], max = [1, 10], open = ["+y"] }
[[generators]]
material = "stone"
deposit = { min = [0, 0], max = [1, 10], count = 200, radius = { uniform = [0.03, 0.04] } }
[[measure]]
stress = {}
[[measure]]
contacts = {}
[[measure]]
forces = {}
"#;

#[test]
fn measures_of_a_state_at_rest_are_those_of_the_run_and_those_of_numpy() {
    let folder = TempDir::new().unwrap();
    let scene = folder.path().join("heap.toml");
    fs::write(&scene, HEAP).unwrap();
    let out = folder.path().join("heap");
    ends(0, OTHERS[0], &["run", scene.to_str().unwrap(), "-q", "--out", out.to_str().unwrap()]);
    let said = ends(0, OTHERS[1], &["post", out.to_str().unwrap()]);
    assert!(said.contains("coordination_number") && said.contains("post.h5"), "{said}");
    assert!(!said.contains("no longer exist"), "{said}");
    let [then, now] = ["measures", "post"].map(|name| files(&out.join(name), &["csv"]));
    for (table, head) in
        [(2, "pressure_N_m"), (2, "stress_xx_N_m"), (0, "coordination_number"), (1, "mean_normal_force_N")]
    {
        let [then, now] = [&then, &now].map(|all| number(&all[table].1, 0, head));
        assert!((then - now).abs() < 1e-3 * then.abs(), "{head}: {then} in the run, {now} after it");
    }
    match python() {
        Err(why) => println!("skipped: no Python with h5py and vtk: {why}"),
        Ok(python) => {
            let script = "tests/clients/check_measures.py";
            let checked = Command::new(python).arg(script).arg(out.join("post/post.h5")).output().unwrap();
            let said = text(&checked.stdout) + &text(&checked.stderr);
            assert!(checked.status.success(), "{said}");
        }
    }
}

#[test]
fn only_measures_can_be_set_after_a_run_and_new_ones_can_join_a_run_that_goes_on() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run").display().to_string();
    ends(0, 1, &["run", "scenes/box-of-spheres.toml", "-q", "--out", &out, "--set", "time.end=0.02"]);
    let said = ends(1, 1, &["post", &out, "--set", "solver.tolerance=1e-5"]);
    assert!(said.contains("cannot be changed") && said.contains("solver"), "{said}");
    assert!(ends(2, 1, &["post", &out, "--set", "measure=[{ cut = { axis = 'u', at = [0] } }]"]).contains("axis"));
    let said = ends(0, 1, &["post", &out, "--set", "measure=[{ track = { bodies = [6] } }]"]);
    assert!(said.contains("body_6_position_z"), "{said}");
    let more = ["--set", "measure=[{ energy = {} }]", "--set", "time.end=0.03"];
    ends(0, 1, &[&["resume", &out, "-q"], &more[..]].concat());
    let table = fs::read_to_string(Path::new(&out).join("measures/energy.csv")).unwrap();
    assert_eq!((table.lines().count(), table.lines().nth(1).unwrap().starts_with("21,")), (11, true), "{table}");
    // Overwriting a run removes its tables.
    ends(0, 1, &["run", "scenes/box-of-spheres.toml", "-q", "--out", &out, "--set", "time.end=0.005", "--overwrite"]);
    assert!(!Path::new(&out).join("measures").exists());
}

#[test]
fn groups_of_nodes_and_elements_are_measured_in_the_run_and_afterwards() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("beam");
    let measure = "measure=[{ stress = {} }, { nodes = { bodies = [0], group = 'clamp' } }, \
        { name = 'tip', nodes = { bodies = [0], group = 'tip' } }]";
    let run = |out: &Path, ranks: usize| {
        let arguments = ["run", "scenes/cantilever.toml", "--out", out.to_str().unwrap(), "-q", "--set", measure];
        ends(0, ranks, &[&arguments[..], &["--set", "bodies.0.id=0"]].concat());
        files(&out.join("measures"), &["csv"])
    };
    let measured = run(&out, 1);
    agree(&measured, &run(&folder.path().join("again"), OTHERS[1]), "measures of a beam");
    ends(0, 1, &["post", out.to_str().unwrap(), "-q"]);
    let last = |folder: &str, name: &str, column: &str| {
        let text = fs::read_to_string(out.join(folder).join(name)).unwrap();
        let mut lines = text.lines();
        let place = lines.next().unwrap().split(',').position(|own| own == column);
        let place = place.unwrap_or_else(|| panic!("{column} is not in {text}"));
        lines.last().unwrap().split(',').nth(place).unwrap().parse::<f64>().unwrap()
    };
    // The clamp holds the load of 10 kN.
    let reaction = last("measures", "nodes.csv", "body_0_reaction_y_N");
    assert!((reaction - 1e4).abs() < 1.0, "{reaction}");
    assert!(last("measures", "nodes.csv", "body_0_displacement_y_m") == 0.0);
    let deflection = last("measures", "tip.csv", "body_0_displacement_y_m");
    assert!((deflection + 1.90084e-4).abs() < 1e-8, "{deflection}");
    for column in ["element_stress_xx_Pa", "element_stress_xy_Pa", "element_volume_m2"] {
        let [then, now] = ["measures", "post"].map(|folder| last(folder, "stress.csv", column));
        assert!(then == now && then.is_finite(), "{column}: {then} and {now}");
    }
    // The shear force: 10 kN over 0.1 m, compression positive.
    assert!((last("post", "stress.csv", "element_stress_xy_Pa").abs() - 1e5).abs() < 10.0);
    assert_eq!(last("post", "tip.csv", "body_0_displacement_y_m"), deflection);
    assert!(last("post", "nodes.csv", "body_0_reaction_y_N").is_nan());
    let wrong = ends(
        2,
        1,
        &[
            "run",
            "scenes/cantilever.toml",
            "--set",
            "bodies.0.id=0",
            "--set",
            "measure=[{ nodes = { bodies = [0], group = 'clmp' } }]",
        ],
    );
    assert!(wrong.contains("no group \"clmp\"") && wrong.contains("clamp"), "{wrong}");
}
