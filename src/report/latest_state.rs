//! The latest checkpoint of the run: contact forces, fabric and all measures, at its time and over the run.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::curves::section;
use super::table::{chart, short};
use crate::base::error::Result;
use crate::comm::{Comm, SerialComm};
use crate::dim::{Dim, Plane, Space};
use crate::graphics::{Chart, Rose};
use crate::measure::{self, NamedMeasure, Quantity};
use crate::output::checkpoint::{self, CheckpointFacts, candidates};
use crate::output::columns::VerifiedFile;
use crate::scene::restore::restore;
use crate::scene::{ContactsMeasure, ForcesMeasure, MeasureEntry, Scene, StressMeasure};
use crate::simulation::Simulation;
use crate::simulation::Snapshot;

/// Share of the impulses that may be lost without a note.
const MAX_LOST_SHARE: f64 = 1e-3;
/// Maximum number of charts per measure.
const MAX_CHARTS: usize = 6;

/// Name, value and unit.
type ReportNumber = (String, f64, &'static str);

/// Results from the latest checkpoint.
pub(super) struct LatestState {
    time: f64,
    /// Tables of numbers with their titles.
    numbers: Vec<(&'static str, Vec<ReportNumber>)>,
    forces: Option<Chart>,
    rose: Rose,
    /// Charts of the measures of the scene, by measure.
    measures: Vec<(String, Vec<Chart>)>,
    /// Note for the user.
    pub(super) note: Option<String>,
}

impl LatestState {
    /// Reads the latest intact checkpoint of the run in `folder`; `None` if there is none.
    pub(super) fn newest(folder: &Path) -> Option<Self> {
        let open = |path: &Path| {
            let file = VerifiedFile::open(&SerialComm, path).ok()?;
            let facts = checkpoint::facts(&file).ok()?;
            Some((file, facts))
        };
        let valid = candidates(folder).into_iter().filter_map(|path| open(&path));
        // `final.h5` is listed first, but an extended run has later checkpoints.
        let (file, facts) = valid.max_by_key(|(_, facts)| facts.step)?;
        let found = match facts.dimension {
            2 => Self::of::<Plane>(folder, &file, &facts),
            _ => Self::of::<Space>(folder, &file, &facts),
        };
        found.ok()
    }

    fn of<X: Dim>(folder: &Path, file: &VerifiedFile, facts: &CheckpointFacts) -> Result<Self> {
        let scene = Scene::parse(&facts.scene, &file.path().display().to_string(), folder, &[])?;
        let restored = restore::<X>(&scene, checkpoint::read(&SerialComm, file)?)?;
        let comm: Arc<dyn Comm> = Arc::new(SerialComm);
        let mut simulation = Simulation::resume(comm, &scene, facts, restored);
        let rebuilt = simulation.rebuild_contacts();
        let lost = rebuilt.remembered - rebuilt.found;
        let note = (lost > MAX_LOST_SHARE * rebuilt.remembered).then(|| {
            let share = 100.0 * lost / rebuilt.remembered;
            format!("{share:.1} % of the impulses of the newest state belong to contacts that no longer exist.")
        });
        let snapshot = simulation.view();
        let (forces, numbers) = state(&snapshot);
        let measures = measure::measures::<X>(&scene.measure, snapshot.model.has_deformables());
        let measures = measures.iter().map(|named| (named.name.clone(), measured(folder, named, &snapshot))).collect();
        Ok(Self { time: facts.time, numbers, forces, rose: measure::fabric_rose(&snapshot), measures, note })
    }

    /// Tables of numbers for the page.
    pub(super) fn numbers(&self) -> Value {
        let row = |(name, value, unit): &ReportNumber| json!([name.replace('_', " "), short(*value), unit]);
        let table = |(title, rows): &(&str, Vec<ReportNumber>)| {
            let rows: Vec<_> = rows.iter().map(row).collect();
            json!({ "title": format!("{title} at {} s", short(self.time)), "rows": rows })
        };
        self.numbers.iter().map(table).collect()
    }

    /// Adds its sections to the page.
    pub(super) fn add_to(&self, sections: &mut Vec<Value>) {
        let rose = json!({
            "kind": "rose",
            "title": "Directions of contact normals",
            "svg": Rose { title: String::new(), ..self.rose.clone() }.svg(),
        });
        let is_known = self.rose.density.iter().any(|density| *density > 0.0);
        let forces =
            self.forces.iter().map(|forces| Chart { title: "Distribution of normal forces".into(), ..forces.clone() });
        let charts: Vec<Value> = forces.map(|forces| chart(&forces, &[])).chain(is_known.then_some(rose)).collect();
        if !charts.is_empty() {
            let note = format!("At {} s. Contacts between grains and of grains with walls.", short(self.time));
            sections.insert(sections.len().min(1), section("forces", "Forces and fabric", &note, charts));
        }
        for (number, (name, charts)) in self.measures.iter().filter(|(_, charts)| !charts.is_empty()).enumerate() {
            let all: Vec<Value> = charts.iter().take(MAX_CHARTS).map(|own| chart(&titled(own), &[])).collect();
            let title = format!("Measured: {}", name.replace(['_', '-'], " "));
            let left = charts.len().saturating_sub(MAX_CHARTS);
            let note = if left > 0 { format!("{left} more are in measures/{name}.csv.") } else { String::new() };
            let at = sections.len().min(2 + number);
            sections.insert(at, section(&format!("measure-{name}"), &title, &note, all));
        }
    }
}

/// Titles a chart by its quantity: all charts of a section belong to one measure.
fn titled(chart: &Chart) -> Chart {
    let title = chart.labels[1].split(" (").next().unwrap_or_default().to_owned();
    Chart { title, ..chart.clone() }
}

/// Distribution of forces, and tables of stress, contacts and forces.
fn state<X: Dim>(snapshot: &Snapshot<X>) -> (Option<Chart>, Vec<(&'static str, Vec<ReportNumber>)>) {
    let entries = [
        MeasureEntry { contacts: Some(ContactsMeasure::default()), ..MeasureEntry::default() },
        MeasureEntry { forces: Some(ForcesMeasure::default()), ..MeasureEntry::default() },
        MeasureEntry { stress: Some(StressMeasure::default()), ..MeasureEntry::default() },
    ];
    let (mut forces, mut tables) = (None, Vec::new());
    let has_deformables = snapshot.model.has_deformables();
    for (named, title) in
        measure::measures::<X>(&entries, has_deformables).into_iter().zip(["Contacts", "Forces", "Stress"])
    {
        let mut numbers: Vec<ReportNumber> = Vec::new();
        let (quantities, rows) = (named.measure.quantities(), named.measure.rows(snapshot));
        let is_known = rows.iter().flatten().any(|value| *value > 0.0 && value.is_finite());
        let charts = measure::charts("forces", &quantities, &rows, None).into_iter();
        forces = forces.or(charts.map(|(_, chart)| chart).next().filter(|_| is_known));
        for (Quantity { name, unit }, &value) in quantities.iter().zip(rows.iter().flatten()) {
            if value.is_finite() && !name.starts_with("pdf_") {
                numbers.push((name.clone(), value, unit));
            }
        }
        tables.push((title, numbers));
    }
    (forces, tables)
}

/// Charts of a measure of the scene: over time, and profiles and distributions at the time of the checkpoint.
fn measured<X: Dim>(folder: &Path, named: &NamedMeasure<X>, snapshot: &Snapshot<X>) -> Vec<Chart> {
    let quantities = named.measure.quantities();
    let path = folder.join(measure::FOLDER).join(format!("{}.csv", named.name));
    let past = measure::read(&path, &quantities).filter(|(times, _)| times.len() > 1);
    let over_time =
        past.map(|(times, rows)| measure::charts(&named.name, &quantities, &rows, Some(&times))).unwrap_or_default();
    let now = measure::charts(&named.name, &quantities, &named.measure.rows(snapshot), None);
    over_time.into_iter().chain(now).map(|(_, chart)| chart).collect()
}
