//! Charts of the run over time: certificate, energy, sweeps, and the distribution of wall time over phases and
//! processes.

use std::path::Path;

use serde_json::{Value, json};

use super::table::{ReportTable, chart, shorts};
use crate::graphics::{Chart, Curve};
use crate::scene::Scene;
use crate::simulation::timing::Phase;

/// Maximum number of intervals over which phase times are summed.
const MAX_INTERVALS: usize = 120;
/// Maximum number of processes shown.
const MAX_RANKS: usize = 64;
/// Maximum number of values in the timeline of all processes.
const MAX_TIMELINE_VALUES: usize = 20_000;

/// A section of the page.
pub(super) fn section(id: &str, title: &str, note: &str, charts: Vec<Value>) -> Value {
    json!({ "id": id, "title": title, "note": note, "charts": charts })
}

/// All sections for which the tables of the run have data.
pub(super) fn sections(folder: &Path, scene: &str) -> Vec<Value> {
    let scene = Scene::parse(scene, "scene.toml", folder, &[]).ok();
    let mut sections = Vec::new();
    if let Some(history) = ReportTable::read(&folder.join("history.csv")) {
        sections.push(certificate(&history, scene.as_ref()));
        sections.push(energy(&history, scene.as_ref()));
        sections.push(work(&history));
    }
    let charts: Vec<Value> = [
        ReportTable::read(&folder.join("timings.csv")).map(|table| phases(&table)),
        ReportTable::read(&folder.join("ranks.csv")).map(|table| ranks(&table)),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !charts.is_empty() {
        let note = "Wall time of process 0 by phase, then one row per process, from the first step to the last; \
                    the height of a colour is the share of a phase.";
        sections.push(section("time", "Wall time by phase", note, charts));
    }
    sections
}

/// A chart of some columns over time.
fn over_time(table: &ReportTable, title: &str, label: &str, columns: &[(&str, &str)], is_logarithmic: bool) -> Chart {
    let curve = |(column, name): &(&str, &str)| Curve { name: (*name).into(), points: table.points("time_s", column) };
    Chart {
        title: title.into(),
        labels: ["time (s)".into(), label.into()],
        curves: columns.iter().map(curve).filter(|curve| !curve.points.is_empty()).collect(),
        is_logarithmic,
    }
}

fn certificate(history: &ReportTable, scene: Option<&Scene>) -> Value {
    let columns = [("residual", "all contacts"), ("worst_residual", "worst contact")];
    let mut residual = over_time(history, "Residual of the contact laws", "residual (relative)", &columns, true);
    let failed: Vec<[f64; 2]> = history.points("time_s", "converged");
    let failed = failed.iter().zip(history.column("residual")).filter(|(point, _)| point[1] == 0.0);
    let failed: Vec<[f64; 2]> = failed.map(|(point, &residual)| [point[0], residual]).collect();
    if !failed.is_empty() {
        residual.curves.push(Curve { name: "not converged".into(), points: failed });
    }
    let error = over_time(
        history,
        "Velocity error",
        "velocity error (relative)",
        &[("velocity_error", "velocity error")],
        true,
    );
    let columns = [("max_penetration", "deepest"), ("mean_penetration", "mean")];
    let depth = over_time(history, "Penetration", "of the radius of the smaller body", &columns, true);
    let limit = |value: Option<f64>| value.map(|value| (value, "tolerance")).into_iter().collect::<Vec<_>>();
    let solver = scene.map(|scene| &scene.solver);
    let charts = vec![
        chart(&residual, &limit(solver.map(|solver| solver.tolerance))),
        chart(&error, &limit(solver.map(|solver| solver.velocity_error))),
        chart(&depth, &[]),
    ];
    let note = "Accuracy of each step. A step has converged when the residual of all contacts and the velocity error are below \
                their tolerances.";
    section("certificate", "Certificate", note, charts)
}

fn energy(history: &ReportTable, scene: Option<&Scene>) -> Value {
    let columns = [
        ("kinetic_energy_J", "kinetic"),
        ("dissipated_energy_J", "dissipated in contacts"),
        ("stored_energy_J", "stored by laws"),
        ("driven_work_J", "work of driven bodies"),
        ("load_work_J", "work of loads"),
        ("cell_work_J", "work of the cell"),
    ];
    let energy = over_time(history, "Energy", "energy (J)", &nonzero(history, &columns), false);
    let columns = [
        ("dissipated_normal_J", "by normal impulses"),
        ("dissipated_friction_J", "by friction"),
        ("dissipated_rolling_J", "by rolling"),
        ("dissipated_links_J", "by links"),
        ("dissipated_material_J", "in deformable bodies"),
    ];
    let losses = over_time(history, "Dissipated energy", "energy (J)", &nonzero(history, &columns), false);
    let columns = [
        ("given_back_J", "given back by contacts"),
        ("correction_work_J", "overlap correction"),
        ("scheme_work_J", "time scheme"),
        ("energy_imbalance_J", "imbalance"),
    ];
    let off = over_time(history, "Numerical energy", "energy (J)", &nonzero(history, &columns), false);
    let kinetic = over_time(history, "Kinetic energy", "kinetic energy (J)", &[("kinetic_energy_J", "kinetic")], true);
    let mut columns = vec![("momentum_x_kg_m_s", "x"), ("momentum_y_kg_m_s", "y"), ("momentum_z_kg_m_s", "z")];
    columns.truncate(scene.map_or(3, |scene| usize::from(scene.world.dimension)));
    let momentum = over_time(history, "Momentum", "momentum (kg m/s)", &columns, false);
    let charts = [energy, kinetic, losses, off, momentum];
    section("energy", "Energy and momentum", "", charts.iter().map(|plot| chart(plot, &[])).collect())
}

/// The first column and those of the others that are not zero throughout.
fn nonzero<'a>(history: &ReportTable, columns: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let is_nonzero = |column: &str| history.column(column).iter().any(|&value| value != 0.0);
    let (first, rest) = columns.split_at(columns.len().min(1));
    first.iter().chain(rest.iter().filter(|(column, _)| is_nonzero(column))).copied().collect()
}

fn work(history: &ReportTable) -> Value {
    let sweeps = over_time(history, "Sweeps of a step", "sweeps", &[("sweeps", "sweeps")], false);
    let columns = [("contacts", "within the alert distance"), ("active_contacts", "with an impulse")];
    let contacts = over_time(history, "Contacts", "contacts", &columns, false);
    let mut charts = vec![chart(&sweeps, &[]), chart(&contacts, &[])];
    if history.column("born").iter().chain(history.column("died")).any(|&count| count > 0.0) {
        let columns = [("bodies", "there"), ("born", "added so far"), ("died", "removed so far")];
        charts.push(chart(&over_time(history, "Bodies", "bodies", &columns, false), &[]));
    }
    section("work", "Sweeps and contacts", "", charts)
}

fn names() -> Vec<&'static str> {
    Phase::ALL.iter().map(|phase| phase.name()).collect()
}

/// Phase times per row from cumulative times, s; the counter of a resumed run restarts at zero.
fn increments(cumulative: &[f64]) -> Vec<f64> {
    let mut before = 0.0;
    let step = |&now: &f64| {
        let own = if now >= before { now - before } else { now };
        before = now;
        own
    };
    cumulative.iter().map(step).collect()
}

/// Sums over `intervals` parts of equally many rows.
fn interval_sums(values: &[f64], intervals: usize) -> Vec<f64> {
    let edge = |k: usize| values.len() * k / intervals;
    (0..intervals).map(|k| values[edge(k)..edge(k + 1)].iter().sum()).collect()
}

/// Mean time per step of each phase in intervals of the run, ms, and the totals.
fn phases(timings: &ReportTable) -> Value {
    let intervals = MAX_INTERVALS.min(timings.len());
    let steps = timings.column("step");
    let edge = |k: usize| timings.len() * k / intervals;
    let ends: Vec<f64> = (0..intervals).map(|k| steps[edge(k + 1) - 1]).collect();
    let rows: Vec<Vec<f64>> = names().iter().map(|name| increments(timings.column(&format!("{name}_s")))).collect();
    let of_a_step = |row: &Vec<f64>| {
        let sums = interval_sums(row, intervals);
        let each = sums.iter().enumerate().map(|(k, sum)| 1e3 * sum / (edge(k + 1) - edge(k)) as f64);
        shorts(each)
    };
    json!({
        "kind": "phases",
        "title": "Phases of a step",
        "names": names(),
        "steps": shorts(ends.into_iter()),
        "milliseconds": rows.iter().map(of_a_step).collect::<Vec<_>>(),
        "totals": shorts(rows.iter().map(|row| row.iter().sum())),
    })
}

/// For every process: the time of each phase and the part of it spent waiting for others, s, and the number of bodies, in
/// intervals of the run.
fn ranks(table: &ReportTable) -> Value {
    let own = table.column("rank");
    let count = own.last().map_or(0, |&last| last as usize + 1);
    let shown = count.min(MAX_RANKS);
    let rows = (0..shown).map(|k| {
        let rank = count * k / shown;
        let first_row = |rank: usize| own.partition_point(|&own| own < rank as f64);
        let range = first_row(rank)..first_row(rank + 1);
        let values = 2 * Phase::ALL.len() + 1;
        let intervals = MAX_INTERVALS.min(MAX_TIMELINE_VALUES / (shown * values)).clamp(1, range.len().max(1));
        let of = |name: String| {
            let own = increments(table.column(&name).get(range.clone()).unwrap_or_default());
            shorts(interval_sums(&own, intervals).into_iter())
        };
        let each = |ending: &str| names().iter().map(|name| of(format!("{name}_{ending}"))).collect::<Vec<_>>();
        let bodies = &table.column("bodies")[range.clone()];
        let edge = |k: usize| (range.len() * (k + 1) / intervals).max(1) - 1;
        json!({
            "rank": rank,
            "seconds": each("s"),
            "waited": each("waited_s"),
            "bodies": shorts((0..intervals).filter_map(|k| bodies.get(edge(k)).copied())),
        })
    });
    let steps = table.column("step");
    let ends = [steps.iter().copied().fold(f64::INFINITY, f64::min), steps.iter().copied().fold(0.0, f64::max)];
    json!({
        "kind": "ranks",
        "title": "Processes",
        "names": names(),
        "count": count,
        "steps": ends,
        "rows": rows.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn increments_of_a_resumed_run_start_at_zero() {
        assert_eq!(increments(&[1.0, 1.5, 0.25, 0.75]), [1.0, 0.5, 0.25, 0.5]);
        assert_eq!(interval_sums(&[1.0, 2.0, 3.0, 4.0, 5.0], 2), [3.0, 12.0]);
    }

    #[test]
    fn tables_become_sections_and_missing_ones_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        assert!(sections(folder.path(), "").is_empty());
        let heads: Vec<String> = names().iter().map(|name| format!("{name}_s,{name}_waited_s")).collect();
        let row = |n: usize| vec![format!("{n},0.{n}"); heads.len()].join(",");
        let text = format!(
            "rank,step,bodies,waited_s,{}\n0,1,5,0,{}\n0,2,5,0,{}\n1,1,6,0,{}\n1,2,7,0.5,{}\n",
            heads.join(","),
            row(1),
            row(3),
            row(1),
            row(2)
        );
        std::fs::write(folder.path().join("ranks.csv"), text).unwrap();
        let sections = sections(folder.path(), "");
        let ranks = &sections[0]["charts"][0];
        assert_eq!((&ranks["count"], &ranks["rows"][0]["seconds"][4]), (&json!(2), &json!([1, 2])));
        assert_eq!(ranks["rows"][0]["waited"][4], json!([0.1, 0.2]));
        assert_eq!(ranks["rows"][1]["bodies"], json!([6, 7]));
    }
}
