//! The files of the measures of a run: `measures/NAME.csv`, a line for each time (for each slice at each time), cut back to a
//! checkpoint when a run goes on, like its history.

use std::fs;
use std::path::Path;

use super::{Named, Quantity};
use crate::base::error::{Error, Result};
use crate::dim::Dim;
use crate::output::folder::MEASURES;
use crate::output::history::CsvFile;
use crate::output::schedule::Schedule;
use crate::simulation::Snapshot;

/// The folder of the measures within that of a run.
pub const FOLDER: &str = MEASURES;

/// Measures, when they are due, and the files they go to.
pub struct Recorder<X: Dim> {
    items: Vec<Item<X>>,
}

struct Item<X: Dim> {
    named: Named<X>,
    schedule: Schedule,
    /// Process 0 writes.
    lines: Option<CsvFile>,
}

/// The first line of the file of a measure with these quantities.
fn header(quantities: &[Quantity]) -> String {
    let heads: Vec<String> = quantities.iter().map(Quantity::head).collect();
    format!("step,time_s,{}", heads.join(","))
}

/// A line: numbers that read back to the same bits.
fn line(step: u64, time: f64, row: &[f64]) -> String {
    let numbers: Vec<String> = row.iter().map(|number| format!("{number:?}")).collect();
    format!("{step},{time:?},{}", numbers.join(","))
}

/// All of a file with one look in it.
pub fn csv(quantities: &[Quantity], step: u64, time: f64, rows: &[Vec<f64>]) -> String {
    let lines: Vec<String> = rows.iter().map(|row| line(step, time, row)).collect();
    format!("{}\n{}\n", header(quantities), lines.join("\n"))
}

/// What a run has written of a measure with these quantities: times and rows. `None` if there is no such file, or it is of
/// other quantities.
pub fn read(path: &Path, quantities: &[Quantity]) -> Option<(Vec<f64>, Vec<Vec<f64>>)> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|head| *head == header(quantities))?;
    let numbers = |line: &str| line.split(',').map(|number| number.parse::<f64>().ok()).collect::<Option<Vec<f64>>>();
    // A line that a crash has cut is the last, and too short.
    let whole = lines.filter_map(numbers).filter(|row| row.len() == quantities.len() + 2);
    Some(whole.map(|row| (row[1], row[2..].to_vec())).unzip())
}

impl<X: Dim> Recorder<X> {
    /// For a run in `folder` that stands after `step` steps at `time`; `writes` says whether this process does. What an
    /// earlier part of the run has written until then stays.
    pub fn open(folder: &Path, measures: Vec<Named<X>>, writes: bool, step: u64, time: f64, h: f64) -> Result<Self> {
        let folder = folder.join(FOLDER);
        if writes && !measures.is_empty() {
            fs::create_dir_all(&folder).map_err(|e| Error::system("create", &folder, e))?;
        }
        let open = |named: Named<X>| {
            let path = folder.join(format!("{}.csv", named.name));
            let header = header(&named.measure.quantities());
            let lines = match (writes, step) {
                (false, _) => None,
                (true, 0) => Some(CsvFile::create(&path, &header)?),
                (true, _) => Some(CsvFile::resume(&path, &header, step)?),
            };
            let mut schedule = Schedule::new(Some(named.every.unwrap_or(h)));
            // Before the first step no contact is known; the line of a later moment was written before its checkpoint.
            schedule.is_due(time, h);
            Ok(Item { named, schedule, lines })
        };
        Ok(Self { items: measures.into_iter().map(open).collect::<Result<_>>()? })
    }

    /// Collective. Measure what is due at `time`, by what `look` shows; it is asked only if anything is.
    pub fn record<'a>(&mut self, step: u64, time: f64, h: f64, look: impl FnOnce() -> Snapshot<'a, X>) -> Result<()> {
        let due: Vec<bool> = self.items.iter_mut().map(|item| item.schedule.is_due(time, h)).collect();
        if !due.contains(&true) {
            return Ok(());
        }
        let look = look();
        for (item, _) in self.items.iter_mut().zip(due).filter(|(_, due)| *due) {
            let rows = item.named.measure.rows(&look);
            let Some(lines) = &mut item.lines else { continue };
            rows.iter().try_for_each(|row| lines.add(line(step, time, row)))?;
        }
        Ok(())
    }

    /// Everything so far is on the disk.
    pub fn flush(&mut self) -> Result<()> {
        self.items.iter_mut().filter_map(|item| item.lines.as_mut()).try_for_each(CsvFile::flush)
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
