//! Deformable bodies that deform more than their equations allow: warnings with the body, and the end of the run at an
//! element turned inside out. Bodies with contacts on very many nodes.

use std::fs;
use std::path::{Path, PathBuf};

use crate::program::{nscdd, text};
use serde_json::Value;
use tempfile::TempDir;

/// Processes of a second run; one if the program is built without MPI.
const OTHERS: usize = if cfg!(feature = "mpi") { 2 } else { 1 };

/// A jelly on a floor, body 7, pressed at both ends by `force` in N, and one that is left alone, body 3.
fn pressed(force: f64) -> String {
    format!(
        "world = {{ dimension = 2, gravity = [0, 0] }}\ntime = {{ step = 1e-3, end = 0.064 }}\ndomain.subdomains = 2\n\
         materials.jelly = {{ density = 1000, elastic = {{ young = 1e3, poisson = 0.3 }} }}\n\
         laws = [{{ between = [\"*\", \"*\"], coulomb = {{ friction = 0.3 }} }}]\n\
         [[bodies]]\nid = 3\nmaterial = \"jelly\"\nbox.size = [0.2, 0.1]\nposition = [0, 1]\nmesh.size = 0.05\n\
         [[bodies]]\nid = 7\nmaterial = \"jelly\"\nbox.size = [0.2, 0.1]\nposition = [0, 0]\n\
         mesh = {{ size = 0.05, groups = {{ right = {{ min = [0.1] }}, left = {{ max = [-0.1] }} }} }}\n\
         nodes.right.force.x = {:?}\nnodes.left.force.x = {force:?}\n",
        -force
    )
}

/// Runs a scene on `ranks` processes, which must exit with `code`; returns its folder and its standard error.
fn ends(code: i32, ranks: usize, scene: &str, folder: &TempDir) -> (PathBuf, String) {
    let file = folder.path().join("scene.toml");
    fs::write(&file, scene).unwrap();
    let run = folder.path().join(format!("run-{ranks}"));
    let output = nscdd(ranks, &["run", file.to_str().unwrap(), "--out", run.to_str().unwrap()]).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    (run, said)
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

/// Kinds and messages of the warnings of a run.
fn warnings(summary: &Value) -> Vec<(String, String)> {
    let texts = |warning: &Value| ["kind", "message"].map(|key| warning[key].as_str().unwrap().to_owned());
    summary["warnings"].as_array().unwrap().iter().map(|warning| texts(warning).into()).collect()
}

#[test]
fn an_element_turned_inside_out_ends_the_run_with_body_element_and_step_and_saves_the_state() {
    let folder = TempDir::new().unwrap();
    for ranks in [1, OTHERS] {
        let (run, said) = ends(4, ranks, &pressed(1e3), &folder);
        let words = "step 16 (t = 0.016 s): body 7 has an element turned inside out: number 1";
        assert_eq!(said.matches(words).count(), 1, "{said}");
        assert!(run.join("failed.h5").exists() && !run.join("final.h5").exists());
        let summary = summary(&run);
        assert_eq!((&summary["ending"], &summary["steps"]), (&words.into(), &15.into()));
        let output = nscdd(1, &["inspect", run.join("failed.h5").to_str().unwrap()]).output().unwrap();
        assert!(output.status.success(), "the saved state is a checkpoint: {}", text(&output.stderr));
    }
}

#[test]
fn an_element_turned_inside_out_in_the_last_steps_of_a_run_ends_it_too() {
    let folder = TempDir::new().unwrap();
    let (run, said) = ends(4, 1, &pressed(4e3).replace("end = 0.064", "end = 0.012"), &folder);
    assert!(said.contains("step 12 (t = 0.012 s): body 7 has an element turned inside out"), "{said}");
    assert!(run.join("failed.h5").exists());
}

#[test]
fn large_strains_and_displacements_are_warnings_with_the_body_and_the_greatest_value_once() {
    let folder = TempDir::new().unwrap();
    // 20 N per metre on 0.1 m are a fifth of the modulus.
    let (run, said) = ends(0, 1, &pressed(20.0), &folder);
    let all = warnings(&summary(&run));
    for (kind, words) in [
        ("large-strain", ["body 7 is strained by 0.", "above 0.05"]),
        ("large-displacement", ["nodes of body 7 are displaced by 0.", "above 0.1"]),
    ] {
        let own: Vec<_> = all.iter().filter(|(own, _)| own == kind).collect();
        assert!(own.len() == 1 && words.iter().all(|word| own[0].1.contains(word)), "{kind}: {all:?}");
        assert_eq!(said.matches(&own[0].1).count(), 1, "{said}");
    }
    let (run, said) = ends(0, OTHERS, &pressed(0.2), &folder);
    assert!(warnings(&summary(&run)).is_empty(), "a strain of 0.002 is small: {said}");
}

#[test]
fn warnings_of_a_body_are_the_same_whether_the_end_of_the_run_was_known_from_the_start() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("scene.toml");
    fs::write(&file, pressed(20.0)).unwrap();
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    let done = |arguments: &[&str]| {
        let output = nscdd(1, arguments).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
    };
    let run = |out: &Path, end: &str| {
        done(&["run", file.to_str().unwrap(), "-q", "--out", out.to_str().unwrap(), "--set", end]);
    };
    run(&one, "time.end=0.064");
    // Deformations are examined every 16 steps: not in step 44, the last one for now.
    run(&other, "time.end=0.044");
    done(&["resume", other.to_str().unwrap(), "-q", "--set", "time.end=0.064"]);
    let [warnings, others] = [&one, &other].map(|run| summary(run)["warnings"].clone());
    let strain = warnings.as_array().unwrap().iter().find(|warning| warning["kind"] == "large-strain").unwrap();
    assert!(strain["count"].as_u64().unwrap() >= 3 && strain["first_step"].as_u64().unwrap() < 44, "{strain}");
    assert_eq!(warnings, others);
    let bytes = |run: &Path| fs::read(run.join("final.h5")).unwrap();
    assert!(bytes(&one) == bytes(&other), "final.h5");
}

#[test]
fn a_body_with_contacts_on_very_many_nodes_is_a_warning_once() {
    let folder = TempDir::new().unwrap();
    let bar = |id: u64, length: f64, x: f64| {
        format!(
            "[[bodies]]\nid = {id}\nmaterial = \"jelly\"\nbox.size = [{length}, 0.02]\nposition = [{x}, 0.01]\n\
             mesh = {{ size = 0.01, elements = \"q4\" }}\n"
        )
    };
    let scene = "world = { dimension = 2 }\ntime = { step = 1e-3, end = 0.003 }\nsolver.max_sweeps = 10\ndomain.subdomains = 2\n\
         materials.jelly = { density = 1000, elastic = { young = 1e6, poisson = 0.3 } }\n\
         laws = [{ between = [\"*\", \"*\"], coulomb = { friction = 0.3 } }]\n\
         [[bodies]]\nid = 1\nmaterial = \"jelly\"\nplane.normal = [0, 1]\nposition = [0, 0]\nfixed = true\n";
    // 1e6 entries of the compliance are those of 500 nodes in the plane: 491 nodes on the floor, and 521.
    let scene = scene.to_owned() + &bar(3, 4.9, -3.0) + &bar(7, 5.2, 3.0);
    for ranks in [1, OTHERS] {
        let (run, said) = ends(0, ranks, &scene, &folder);
        let summary = summary(&run);
        let all = summary["warnings"].as_array().unwrap();
        let own: Vec<_> = all.iter().filter(|warning| warning["kind"] == "many-loaded-nodes").collect();
        assert!(own.len() == 1 && own[0]["count"] == 3 && own[0]["first_step"] == 1, "{all:?}");
        let message = own[0]["message"].as_str().unwrap();
        assert!(message.contains("body 7 has contacts on 521 nodes"), "{message}");
        assert_eq!(said.matches(message).count(), 1, "{said}");
    }
}
