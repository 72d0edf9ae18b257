//! Key facts of a run: scene, outcome, machine, and headline numbers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::table::{ReportTable, short};
use crate::output::summary::Summary;

/// Collects everything that is known without reading bodies.
pub(super) fn facts(folder: &Path, scene: &str) -> Value {
    let summary = fs::read_to_string(folder.join("summary.json")).ok();
    let summary = summary.and_then(|text| serde_json::from_str::<Summary>(&text).ok());
    let about: Vec<&str> = scene.lines().map_while(|line| line.strip_prefix('#')).map(str::trim).collect();
    let named = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder_name = std::path::absolute(folder).ok().and_then(|full| named(&full)).unwrap_or_default();
    let mut facts = json!({
        "title": summary.as_ref().map_or(folder_name, |summary| summary.scene.clone()),
        "about": about.join(" "),
        "scene": scene,
        "program": format!("nscdd {}", env!("CARGO_PKG_VERSION")),
    });
    match summary {
        Some(summary) => add_summary(&summary, &mut facts),
        None => {
            let reached = ReportTable::read(&folder.join("history.csv"));
            let last = |name: &str| reached.as_ref().and_then(|table| table.column(name).last().copied());
            facts["ending"] = json!("The run is still in progress, or was killed: there is no summary.json.");
            facts["is_well"] = json!(false);
            facts["tiles"] = json!([
                tile("steps", last("step").unwrap_or(0.0)),
                tile("simulated (s)", last("time_s").unwrap_or(0.0)),
                tile("bodies", last("bodies").unwrap_or(0.0)),
                tile("contacts", last("contacts").unwrap_or(0.0)),
            ]);
        }
    }
    facts
}

fn tile(name: &str, value: f64) -> Value {
    json!({ "name": name, "value": short(value) })
}

fn add_summary(summary: &Summary, facts: &mut Value) {
    let Summary { counts, machine, .. } = summary;
    let steps = summary.reached.steps.max(1) as f64;
    facts["program"] = json!(summary.program);
    facts["ending"] = json!(summary.reached.ending);
    facts["is_well"] = json!(summary.reached.ending == "finished" || summary.reached.ending.starts_with("ended"));
    facts["warnings"] = json!(summary.warnings.iter().map(ToString::to_string).collect::<Vec<_>>());
    facts["tiles"] = json!([
        tile("bodies", summary.population.bodies as f64),
        tile("contacts", summary.end.contacts as f64),
        tile("steps", summary.reached.steps as f64),
        tile("simulated (s)", summary.reached.simulated_s),
        tile("wall time (s)", summary.times.wall_s),
        tile("sweeps a step", counts.sweeps as f64 / steps),
        tile("million contact updates a second", summary.rate()),
        tile("steps that did not converge", counts.unconverged_steps as f64),
    ]);
    facts["certificate"] = json!([
        ["steps that hit the cap of sweeps", format!("{} of {}", counts.unconverged_steps, summary.reached.steps)],
        ["worst residual of the contact laws", format!("{:.2e}", counts.worst_residual)],
        ["worst velocity error", format!("{:.2e}", counts.worst_velocity_error)],
        ["deepest penetration, of a radius", format!("{:.2e}", counts.max_penetration)],
        ["contacts with Painlevé-like data", counts.painleve_contacts.to_string()],
        ["contacts too deep to determine a normal", counts.ambiguous_contacts.to_string()],
    ]);
    let memory = machine.memory_mebibytes as f64 / 1024.0;
    let mut rows = vec![
        ["machine".to_owned(), machine.hosts.join(", ")],
        ["processor".to_owned(), machine.processor.clone()],
        ["cores, memory".to_owned(), format!("{} cores, {memory:.1} GiB", machine.cores)],
        ["sweeps use".to_owned(), machine.instructions.clone()],
    ];
    // Summaries of earlier versions lack the machine.
    rows.retain(|[_, value]| machine.cores > 0 && !value.is_empty());
    rows.push(["processes x threads".to_owned(), format!("{} x {}", summary.layout.ranks, summary.layout.threads)]);
    rows.push(["subdomains".to_owned(), summary.layout.subdomains.to_string()]);
    rows.push(["program".to_owned(), summary.program.clone()]);
    if summary.population.born + summary.population.died > 0 {
        rows.push([
            "bodies added, removed".to_owned(),
            format!("{}, {}", summary.population.born, summary.population.died),
        ]);
    }
    facts["machine"] = json!(rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_a_summary_is_reported_as_such() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("history.csv"), "step,time_s,bodies,contacts\n1,0.001,7,3\n").unwrap();
        let facts = facts(folder.path(), "# A heap.\n# Look at it.\n\n[world]\n");
        assert_eq!((facts["about"].as_str(), facts["is_well"].as_bool()), (Some("A heap. Look at it."), Some(false)));
        assert_eq!(facts["tiles"][2], json!({ "name": "bodies", "value": 7.0 }));
    }
}
