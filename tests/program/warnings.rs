//! Warnings of a run: each kind once, with a count, identical for every way of running it.

use std::fs;
use std::path::Path;

use crate::program::{nscdd, text};
use serde_json::Value;

/// Processes of a second run; one if the program is built without MPI.
const OTHERS: usize = if cfg!(feature = "mpi") { 2 } else { 1 };

/// Runs the program, which must exit with `code`; returns its standard error.
fn ends(code: i32, ranks: usize, arguments: &[String]) -> String {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = nscdd(ranks, &words).output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
    said
}

fn summary(run: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(run.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_resumed_run_on_other_processes_ends_with_the_warnings_and_the_bytes_of_the_whole_one() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let run = |out: &Path, more: &[&str]| {
        let all = "run scenes/three-disks.toml --set solver.max_sweeps=2 --set solver.tolerance=1e-12 --set time.end=0.6 --set \
                   domain.subdomains=2 --out";
        let all: Vec<String> = all.split(' ').map(str::to_owned).collect();
        [all, vec![out.display().to_string()], more.iter().map(|word| (*word).to_owned()).collect()].concat()
    };
    let said = ends(0, 1, &run(&whole, &[]));
    assert_eq!(said.matches("nscdd: warning: ").count(), 2, "told once, when it first happens: {said}");
    ends(75, OTHERS, &run(&parts, &["--stop-after", "9"]));
    let said = ends(0, 1, &["resume".into(), parts.display().to_string()]);
    assert_eq!(said.matches("nscdd: warning: ").count(), 1, "one was told already: {said}");
    let (one, other) = (summary(&whole), summary(&parts));
    assert_eq!(one["warnings"], other["warnings"]);
    let [first, second] = [0, 1].map(|k| &one["warnings"][k]);
    assert_eq!(
        (&first["kind"], &first["count"], &first["first_step"]),
        (&"not-converged".into(), &one["unconverged_steps"], &1.into())
    );
    assert_eq!(second["kind"], "deep-penetration", "never without a warning, converged or not");
    assert!(second["count"].as_u64().unwrap() >= 10, "{second}");
    let bytes = |run: &Path| fs::read(run.join("final.h5")).unwrap();
    assert!(bytes(&whole) == bytes(&parts), "final.h5");
}
