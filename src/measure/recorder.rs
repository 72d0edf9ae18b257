//! The CSV files of the measures of a run: `measures/NAME.csv`, one line per time (per slice and time). When a run
//! resumes from a checkpoint, the files are truncated to it, as is the history.

use std::fs;
use std::path::Path;

use super::NamedMeasure;
use super::quantity::Quantity;
use crate::base::error::{Error, Result};
use crate::dim::Dim;
use crate::output::folder::MEASURES;
use crate::output::history::CsvFile;
use crate::output::schedule::Schedule;
use crate::simulation::Snapshot;

/// Subfolder of a run that holds the measures.
pub const FOLDER: &str = MEASURES;

/// The measures of a run, their schedules and their output files.
pub struct Recorder<X: Dim> {
    measures: Vec<RecordedMeasure<X>>,
}

/// A measure with its schedule and its output file.
struct RecordedMeasure<X: Dim> {
    named: NamedMeasure<X>,
    schedule: Schedule,
    /// Output file; present only on the process that writes (process 0).
    lines: Option<CsvFile>,
}

/// Header line of the file of a measure with these quantities.
fn header(quantities: &[Quantity]) -> String {
    let heads: Vec<String> = quantities.iter().map(Quantity::head).collect();
    format!("step,time_s,{}", heads.join(","))
}

/// One line of the file; the numbers read back to the same bits.
fn line(step: u64, time: f64, row: &[f64]) -> String {
    let numbers: Vec<String> = row.iter().map(|number| format!("{number:?}")).collect();
    format!("{step},{time:?},{}", numbers.join(","))
}

/// Contents of a file with the rows of a single snapshot.
pub fn csv(quantities: &[Quantity], step: u64, time: f64, rows: &[Vec<f64>]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| line(step, time, row)).collect();
    format!("{}\n{}\n", header(quantities), lines.join("\n"))
}

/// Reads the times and rows that a run has recorded of a measure with these quantities. `None` if the file is missing
/// or has other columns.
pub fn read(path: &Path, quantities: &[Quantity]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|head| *head == header(quantities))?;
    let numbers = |line: &str| line.split(',').map(|number| number.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    // A crash can truncate the last line; incomplete lines are skipped.
    let complete = lines.filter_map(numbers).filter(|row| row.len() == quantities.len() + 2);
    Some(complete.map(|row| (row[1], row[2..].to_vec())).unzip())
}

impl<X: Dim> Recorder<X> {
    /// Opens the files of a run in `folder` that has completed `step` steps and reached `time`; `writes` is true on the
    /// process that writes. Lines recorded up to that step are kept.
    pub fn open(
        folder: &Path,
        measures: Vec<NamedMeasure<X>>,
        writes: bool,
        step: u64,
        time: f64,
        h: f64,
    ) -> Result<Self> {
        let folder = folder.join(FOLDER);
        if writes && !measures.is_empty() {
            fs::create_dir_all(&folder).map_err(|e| Error::system("create", &folder, e))?;
        }
        let open = |named: NamedMeasure<X>| {
            let path = folder.join(format!("{}.csv", named.name));
            let header = header(&named.measure.quantities());
            let lines = match (writes, step) {
                (false, _) => None,
                (true, 0) => Some(CsvFile::create(&path, &header)?),
                (true, _) => Some(CsvFile::resume(&path, &header, step)?),
            };
            let mut schedule = Schedule::new(Some(named.every.unwrap_or(h)));
            // Skip the current time: contacts are unknown before the first step, and on resumption the line precedes
            // the checkpoint.
            schedule.is_due(time, h);
            Ok(RecordedMeasure { named, schedule, lines })
        };
        Ok(Self { measures: measures.into_iter().map(open).collect::<Result<_>>()? })
    }

    /// Collective. Records the measures due at `time`; `view` makes the snapshot and is called only if a measure is
    /// due.
    pub fn record<'a>(&mut self, step: u64, time: f64, h: f64, view: impl FnOnce() -> Snapshot<'a, X>) -> Result<()> {
        let due: Vec<bool> = self.measures.iter_mut().map(|item| item.schedule.is_due(time, h)).collect();
        if !due.contains(&true) {
            return Ok(());
        }
        let snapshot = view();
        for (item, _) in self.measures.iter_mut().zip(due).filter(|(_, due)| *due) {
            let rows = item.named.measure.rows(&snapshot);
            let Some(lines) = &mut item.lines else { continue };
            rows.iter().try_for_each(|row| lines.add(line(step, time, row)))?;
        }
        Ok(())
    }

    /// Flushes all lines to disk.
    pub fn flush(&mut self) -> Result<()> {
        self.measures.iter_mut().filter_map(|item| item.lines.as_mut()).try_for_each(CsvFile::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_head_with_units_and_numbers_that_read_back() {
        let quantities = [Quantity::new("pressure", "Pa"), Quantity::new("grains", "")];
        let text = csv(&quantities, 7, 0.1 + 0.2, &[vec![1.0 / 3.0, f64::NAN]]);
        assert_eq!(text, "step,time_s,pressure_Pa,grains\n7,0.30000000000000004,0.3333333333333333,NaN\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stress.csv");
        fs::write(&path, text + "8,0.4,1.").unwrap();
        let (times, rows) = read(&path, &quantities).unwrap();
        assert!(times == [0.1 + 0.2] && rows[0][0] == 1.0 / 3.0 && rows[0][1].is_nan());
        assert_eq!(read(&path, &quantities[..1]), None);
    }
}
