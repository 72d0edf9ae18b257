//! Stop and resume at any step: the resumed run is identical, to the last byte.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{nscdd, text};
use nscdd::comm::SerialComm;
use nscdd::output::checkpoint::{compare, facts};
use nscdd::output::columns::{Attribute, Column, ColumnValues, VerifiedFile, read, write};
use nscdd::scene::Scene;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;
use tempfile::TempDir;

/// Processes of the second part; one if the program is built without MPI.
const OTHERS: usize = if cfg!(feature = "mpi") { 3 } else { 1 };

fn step_length(scene: &str) -> f64 {
    Scene::load(Path::new(scene), &[]).unwrap().time.step
}

/// Runs the program, which must exit with `code`; returns its output.
fn ends(code: i32, ranks: usize, arguments: &[&str]) -> String {
    let output = nscdd(ranks, arguments).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn files(run: &Path) -> Vec<Vec<u8>> {
    ["final.h5", "history.csv", "frames.vtkhdf"].iter().filter_map(|name| fs::read(run.join(name)).ok()).collect()
}

/// Two hundred steps in one run, and in three parts on other numbers of processes and threads.
fn agrees(scene: &str, sets: &[&str]) {
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (whole, parts) = (place("whole"), place("parts"));
    let h = step_length(scene);
    let (end, every) = (format!("time.end={}", 200.0 * h), format!("output.frames.every={}", 30.0 * h));
    let run = |out: &str, ranks: usize, code: i32, more: &[&str]| {
        let mut all = vec!["run", scene, "--out", out, "-q", "--set", &end, "--set", &every];
        sets.iter().for_each(|set| all.extend(["--set", set]));
        all.extend(more);
        ends(code, ranks, &all);
    };
    run(&whole, 1, 0, &["--threads", "2"]);
    run(&parts, OTHERS.min(2), 75, &["--stop-after", "80"]);
    ends(75, OTHERS, &["resume", &parts, "-q", "--stop-after", "140"]);
    ends(0, 1, &["resume", &parts, "-q", "--threads", "1"]);
    let [one, other] = [&whole, &parts].map(|run| files(Path::new(run)));
    assert_eq!(one.len(), 3, "{scene}: a final state, a history and frames");
    assert!(one[1] == other[1], "{scene}: history.csv");
    let [a, b] = [&whole, &parts].map(|run| read(&Path::new(run).join("final.h5")).unwrap());
    assert_eq!(compare(&a, &b), [], "{scene}");
    assert!(one[0] == other[0], "{scene}: final.h5");
    let times = |run: &str| {
        let file = hdf5::File::open(Path::new(run).join("frames.vtkhdf")).unwrap();
        file.dataset("VTKHDF/Steps/Values").unwrap().read_raw::<f64>().unwrap()
    };
    assert_eq!(times(&whole), times(&parts), "{scene}: frames without gap or repetition");
    assert_eq!(times(&whole).len(), 7, "{scene}");
}

#[test]
fn frames_written_by_all_at_once_are_the_same_bytes_on_any_number_of_processes_and_show_what_packed_ones_do() {
    let folder = TempDir::new().unwrap();
    let run = |name: &str, ranks: usize, packed: &str| {
        let out = folder.path().join(name).display().to_string();
        let every = format!("output.frames.every={}", 30.0 * step_length("scenes/tumbling-solids.toml"));
        let packed = format!("output.frames.packed={packed}");
        let sets = ["--set", &every, "--set", &packed, "--set", "domain.subdomains=8", "--stop-after"];
        ends(75, ranks, &[&["run", "scenes/tumbling-solids.toml", "-q", "--out", &out], &sets[..], &["70"]].concat());
        // The format of the frames stays as it began, whatever is set now.
        let other = ["--set", "output.frames.packed=true", "--stop-after", "130"];
        ends(75, ranks, &[&["resume", &out, "-q"], &other[..]].concat());
        folder.path().join(name).join("frames.vtkhdf")
    };
    let [one, two, three] =
        [("one", 1), ("two", OTHERS.min(2)), ("three", OTHERS)].map(|(name, ranks)| run(name, ranks, "false"));
    let bytes = |path: &Path| fs::read(path).unwrap();
    assert!(bytes(&one) == bytes(&two) && bytes(&one) == bytes(&three));
    let packed = run("packed", OTHERS, "true");
    assert!(bytes(&packed).len() < bytes(&one).len());
    let [one, packed] = [one, packed].map(|path| hdf5::File::open(path).unwrap().group("VTKHDF").unwrap());
    let numbers = |root: &hdf5::Group, name: &str| root.dataset(name).unwrap().read_raw::<f64>().unwrap();
    for name in ["Steps/Values", "Points", "PointData/velocity", "CellData/force", "Polygons/Connectivity"] {
        assert_eq!(numbers(&one, name), numbers(&packed, name), "{name}");
    }
    assert_eq!(numbers(&one, "Steps/Values").len(), 5);
}

#[test]
fn a_finished_run_that_is_resumed_keeps_its_summary() {
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("run").display().to_string();
    ends(0, 1, &["run", "scenes/box-of-spheres.toml", "--out", &out, "-q", "--set", "time.end=0.02"]);
    let account = || fs::read_to_string(Path::new(&out).join("summary.json")).unwrap();
    let before = account();
    ends(0, 1, &["resume", &out, "-q"]);
    assert_eq!(account(), before);
}

#[test]
fn spheres_resumed_twice_on_other_processes_and_threads_end_with_the_same_bytes() {
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8"]);
}

#[test]
fn disks_resumed_twice_on_other_processes_and_threads_end_with_the_same_bytes() {
    agrees("scenes/deposit-disks.toml", &["domain.subdomains=8"]);
}

#[test]
fn polyhedra_resumed_twice_on_other_processes_and_threads_end_with_the_same_bytes() {
    agrees("scenes/tumbling-solids.toml", &["domain.subdomains=8"]);
}

#[test]
fn cylinders_and_clusters_resumed_twice_on_other_processes_and_threads_end_with_the_same_bytes() {
    agrees("scenes/cylinders.toml", &["domain.subdomains=8"]);
}

#[test]
fn a_driven_box_resumed_twice_on_other_processes_and_threads_ends_with_the_same_bytes() {
    agrees("scenes/shaken-box.toml", &["domain.subdomains=8"]);
}

#[test]
fn a_stack_resumed_twice_on_other_processes_and_threads_ends_with_the_same_bytes() {
    agrees("scenes/column.toml", &["domain.subdomains=4"]);
}

#[test]
fn links_and_broken_wires_survive_two_restarts_on_other_processes_and_threads() {
    agrees("scenes/chain.toml", &["domain.subdomains=8"]);
    agrees("scenes/pendulum.toml", &["domain.subdomains=4"]);
}

#[test]
fn periodic_cells_survive_two_restarts_on_other_processes_and_threads() {
    agrees("scenes/sheared-disks.toml", &["domain.subdomains=8"]);
    agrees("scenes/sheared-spheres.toml", &["domain.subdomains=8"]);
}

#[test]
fn membranes_and_resistance_to_rolling_survive_two_restarts_on_other_processes_and_threads() {
    agrees("scenes/membrane.toml", &["domain.subdomains=8"]);
    agrees("scenes/box-of-spheres.toml", &["domain.subdomains=8", "laws.0.coulomb.rolling=0.05"]);
}

#[test]
fn a_deformable_obstacle_that_turns_survives_two_restarts_on_other_processes_and_threads() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("turning.toml");
    let text = "[world]\ndimension = 2\n[time]\nstep = 5e-4\nend = 0.2\n[materials.rubber]\ndensity = 1000\n\
        elastic = { young = 1e6, poisson = 0.3 }\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = { friction = 0.4 }\n\
        [[bodies]]\nmaterial = \"rubber\"\nbox.size = [0.8, 0.1]\nposition = [0.4, 0]\nmesh.size = 0.05\n\
        driven = { hold = true, velocity.r = 2 }\n\
        [[generators]]\nmaterial = \"rubber\"\nmesh = { size = 0.05 }\n\
        lattice = { count = [6, 2], spacing = 0.13, origin = [0.06, 0.08], radius = 0.05 }\n";
    fs::write(&scene, text).unwrap();
    agrees(scene.to_str().unwrap(), &["domain.subdomains=4"]);
}

#[test]
fn the_state_of_laws_survives_two_restarts_on_other_processes_and_threads() {
    // Laws with internal state: damage, mean load, liquid bridges, sliding, and recoverable energy.
    for scene in ["bonded-slab", "powder", "wet-grains", "stick-slip", "impacts"] {
        agrees(&format!("scenes/law-{scene}.toml"), &["domain.subdomains=8"]);
    }
}

#[test]
fn bodies_that_come_and_go_survive_two_restarts_on_other_processes_and_threads() {
    agrees("scenes/hopper.toml", &["domain.subdomains=8", "feeds.0.velocity=[0, -4]", "sinks.0.box.max=[1, 0.3]"]);
    // The gate is removed in the second part; the duration of rest accumulates over all parts.
    let rest = "stop=[{ kinetic_energy = { below = 1e6, for = 0.2 } }]";
    agrees("scenes/gate.toml", &["domain.subdomains=8", "removals.0.at=0.1", rest]);
}

/// A process that is killed has written frames that are later than its newest checkpoint; the resumed run writes them
/// again.
#[test]
fn frames_later_than_the_checkpoint_a_run_goes_on_from_leave_no_byte_behind() {
    let folder = TempDir::new().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let run = |out: &Path, code: i32, more: &[&str]| {
        let sets = ["time.end=0.2", "output.frames.every=0.03", "output.checkpoint.every_steps=40"];
        let mut all = vec!["run", "scenes/tumbling-solids.toml", "-q", "--out", out.to_str().unwrap()];
        sets.iter().for_each(|set| all.extend(["--set", set]));
        ends(code, 1, &[&all, more].concat());
    };
    run(&whole, 0, &[]);
    let newest = step_length("scenes/tumbling-solids.toml");
    let newest = (0.1 / newest).round() as u64;
    run(&parts, 75, &["--stop-after", &newest.to_string()]);
    fs::remove_file(parts.join(format!("checkpoints/step-{newest:010}.h5"))).unwrap();
    ends(0, 1, &["resume", parts.to_str().unwrap(), "-q"]);
    assert!(files(&whole) == files(&parts));
}

/// A short run of spheres with a checkpoint every ten steps; the folder lives as long as the first value.
fn short_run() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let run = folder.path().join("run");
    let sets = ["--set", "time.end=0.05", "--set", "output.checkpoint={ every_steps = 10, keep = 3 }"];
    let mut all = vec!["run", "scenes/box-of-spheres.toml", "-q", "--out", run.to_str().unwrap()];
    all.extend(sets);
    ends(0, 1, &all);
    (folder, run)
}

fn checkpoints(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join("checkpoints")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_newest_checkpoints_are_kept_and_a_run_goes_on_from_any_of_them() {
    let (_folder, run) = short_run();
    assert_eq!(checkpoints(&run), ["step-0000000030.h5", "step-0000000040.h5", "step-0000000050.h5"]);
    let before = files(&run);
    let path = run.join("checkpoints/step-0000000030.h5");
    ends(0, 1, &["resume", path.to_str().unwrap(), "-q"]);
    assert!(files(&run) == before, "made again from step 30");
}

#[test]
fn damaged_checkpoints_are_named_and_passed_over() {
    let (_folder, run) = short_run();
    let before = files(&run);
    fs::write(run.join("final.h5"), "not what it was").unwrap();
    let newest = run.join("checkpoints/step-0000000050.h5");
    let whole = fs::read(&newest).unwrap();
    fs::write(&newest, &whole[..whole.len() / 2]).unwrap();
    let said = ends(0, 1, &["resume", run.to_str().unwrap()]);
    assert!(said.contains("skipped") && said.contains("final.h5"), "{said}");
    assert!(said.contains("step-0000000050.h5"), "{said}");
    assert!(said.contains("resuming from step 40"), "{said}");
    assert!(files(&run) == before);
}

#[test]
fn an_end_can_be_put_off_but_a_changed_scene_is_refused_by_the_name_of_its_keys() {
    let (_folder, run) = short_run();
    let run = run.to_str().unwrap();
    let said = ends(1, 1, &["resume", run, "--set", "solver.tolerance=1e-5", "--set", "time.end=0.06"]);
    assert!(said.contains("changed: solver") && said.contains("--accept-changes"), "{said}");
    let said = ends(1, 1, &["resume", run, "--set", "generators.1.seed=9", "--accept-changes"]);
    assert!(said.contains("generators.1.seed") && said.contains("from = "), "{said}");
    ends(0, 1, &["resume", run, "-q", "--set", "time.end=0.06"]);
    let scene = Path::new(run).join("scene.toml");
    assert!(fs::read_to_string(&scene).unwrap().contains("0.06"), "the scene is kept as run");
    // Edited by hand, as a user would.
    let edited =
        fs::read_to_string(&scene).unwrap().replace("0.06", "0.07").replace("[world]", "[world]\n# thicker air\n");
    fs::write(&scene, edited).unwrap();
    ends(0, 1, &["resume", run, "-q"]);
    ends(0, 1, &["resume", run, "-q", "--accept-changes", "--set", "solver.tolerance=1e-4", "--set", "time.end=0.08"]);
    let file = VerifiedFile::open(&SerialComm, &Path::new(run).join("final.h5")).unwrap();
    assert_eq!(facts(&file).unwrap().step, 80);
}

#[test]
fn a_longer_run_is_the_same_whether_its_end_was_known_from_the_start() {
    let folder = TempDir::new().unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name).display().to_string());
    let run = |out: &str, end: &str| {
        ends(0, 1, &["run", "scenes/box-of-spheres.toml", "-q", "--out", out, "--set", end]);
    };
    run(&one, "time.end=0.04");
    run(&other, "time.end=0.02");
    ends(0, 1, &["resume", &other, "-q", "--set", "time.end=0.04"]);
    assert!(files(Path::new(&one)) == files(Path::new(&other)));
}

#[test]
fn a_folder_without_a_whole_checkpoint_is_refused_with_the_way_out() {
    let folder = TempDir::new().unwrap();
    let said = ends(1, 1, &["resume", folder.path().to_str().unwrap()]);
    assert!(said.contains("no valid checkpoint") && said.contains("nscdd run"), "{said}");
    let said = ends(1, 1, &["resume", "no/such/folder"]);
    assert!(said.contains("No such file"), "{said}");
}

#[test]
fn two_hundred_random_changes_of_a_checkpoint_are_all_noticed() {
    let (folder, run) = short_run();
    let good = fs::read(run.join("final.h5")).unwrap();
    let path = folder.path().join("spoilt.h5");
    let mut random = Pcg64::seed_from_u64(11);
    let mut below = |n: usize| (random.next_u64() % n as u64) as usize;
    for round in 0..200 {
        let mut bytes = good.clone();
        match round % 4 {
            0 => bytes.truncate(below(good.len())),
            1 => bytes.extend_from_slice(&good[..1 + below(600)]),
            _ => {
                let (place, bit) = (below(good.len()), below(8));
                bytes[place] ^= 1 << bit;
            }
        }
        fs::write(&path, &bytes).unwrap();
        assert!(VerifiedFile::open(&SerialComm, &path).is_err(), "round {round}");
    }
    fs::write(&path, &good).unwrap();
    assert!(VerifiedFile::open(&SerialComm, &path).is_ok());
}

#[test]
fn inspect_tells_what_is_in_a_file_and_where_two_differ() {
    let (_folder, run) = short_run();
    let path = |name: &str| run.join(name).display().to_string();
    let [last, fourth, fifth] =
        ["final.h5", "checkpoints/step-0000000040.h5", "checkpoints/step-0000000050.h5"].map(path);
    let said = ends(0, 1, &["inspect", &last]);
    for word in ["complete", "after 50 steps", "/bodies: 1005 rows", "position[3]", "/contacts", "/cuts"] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(ends(0, 1, &["inspect", &last, &fifth]).contains("the same"));
    let said = ends(1, 1, &["inspect", &fourth, &last]);
    assert!(said.contains("step: 40 and 50") && said.contains("bodies/position is"), "{said}");
    assert!(ends(1, 1, &["inspect", &path("history.csv")]).contains("begin"));
}

#[test]
fn inspect_names_an_attribute_that_only_one_of_two_files_has() {
    let (folder, run) = short_run();
    let (last, more) = (run.join("final.h5"), folder.path().join("more.h5"));
    let content = read(&last).unwrap();
    let group = |(name, columns): &(String, Vec<Column>)| -> (&'static str, Vec<Column>) {
        (name.clone().leak(), columns.clone())
    };
    let groups: Vec<_> = content.groups.iter().map(group).collect();
    let attributes = content.attributes.iter().map(|(name, value)| (name.as_str(), value.clone()));
    let attributes: Vec<_> = attributes.chain([("remark", Attribute::Integer(7))]).collect();
    write(&more, &groups, &attributes).unwrap();
    let [last, more] = [last, more].map(|path| path.display().to_string());
    for [a, b] in [[&last, &more], [&more, &last]] {
        let said = ends(1, 1, &["inspect", a, b]);
        assert!(said.contains("remark: present in only one of the files"), "{said}");
    }
}

#[test]
fn a_scene_starts_from_the_bodies_another_run_has_left() {
    let (folder, run) = short_run();
    let text = fs::read_to_string(run.join("scene.toml")).unwrap();
    let head = &text[..text.find("[[generators]]").unwrap()];
    let file = run.join("final.h5").display().to_string();
    let scene = folder.path().join("next.toml");
    let floor =
        "[[bodies]]\nmaterial = \"stone\"\nplane = { normal = [0, 0, 1] }\nposition = [0, 0, -1]\nfixed = true\n";
    let write = |entry: &str| fs::write(&scene, format!("{head}\n{floor}{entry}\n")).unwrap();
    write(&format!("[[bodies]]\nfrom = {file:?}\nat_rest = true"));
    let (path, out) = (scene.to_str().unwrap(), folder.path().join("next").display().to_string());
    let checked = ends(0, 1, &["check", path]);
    assert!(checked.contains("1000 bodies"), "{checked}");
    ends(0, OTHERS, &["run", path, "-q", "--out", &out, "--set", "time.end=0.001"]);
    let [before, after] = [&file, &format!("{out}/final.h5")].map(|path| read(Path::new(path)).unwrap());
    let mass = |content: &nscdd::output::columns::FileContent| match &content.column("bodies", "mass").unwrap().values {
        ColumnValues::Float(values) => values.iter().sum::<f64>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(mass(&before), mass(&after));
    write("[[bodies]]\nfrom = \"nowhere.h5\"");
    assert!(ends(2, 1, &["check", path]).contains("nowhere.h5"));
    write(&format!("[[bodies]]\nfrom = {file:?}\nposition = [0, 0, 0]"));
    assert!(ends(2, 1, &["check", path]).contains("cannot be used with"));
}

#[test]
fn deformable_bodies_of_another_run_keep_their_material_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (first, next) = (folder.path().join("first.toml"), folder.path().join("next.toml"));
    let head = "world.dimension = 2\ntime = { step = 1e-3, end = 0.002 }\n\
                [[laws]]\nbetween = [\"*\", \"*\"]\nfrictionless = {}\n\
                [materials.rubber]\ndensity = 1000\nelastic = { young = 1e6, poisson = 0.3 }\n";
    let body = "[[bodies]]\nmaterial = \"rubber\"\ndisk.radius = 0.1\nmesh.size = 0.05\nposition = [0, 0]\n";
    fs::write(&first, format!("{head}{body}")).unwrap();
    let out = folder.path().join("first").display().to_string();
    ends(0, 1, &["run", first.to_str().unwrap(), "-q", "--out", &out]);
    // A rigid material comes first by name.
    let cork = "[materials.cork]\ndensity = 200\n";
    fs::write(&next, format!("{head}{cork}[[bodies]]\nfrom = \"first/final.h5\"\n")).unwrap();
    let out = folder.path().join("next").display().to_string();
    ends(0, 1, &["run", next.to_str().unwrap(), "-q", "--out", &out]);
}
