//! `history.csv` and `timings.csv`: one line per step. The history contains no wall times, so that runs that must agree
//! have equal files.

use std::fmt::{Display, Formatter};
use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::base::error::{Error, Result};
use crate::simulation::StepReport;
use crate::simulation::timing::{Phase, Timing};

/// Names of the columns of `history.csv`.
pub const COLUMNS: [&str; 40] = [
    "step",
    "time_s",
    "kinetic_energy_J",
    "dissipated_energy_J",
    "momentum_x_kg_m_s",
    "momentum_y_kg_m_s",
    "momentum_z_kg_m_s",
    "contacts",
    "active_contacts",
    "sweeps",
    "converged",
    "residual",
    "worst_residual",
    "velocity_error",
    "max_penetration",
    "mean_penetration",
    "painleve_contacts",
    "ambiguous_contacts",
    "dissipated_in_step_J",
    "bodies",
    "born",
    "died",
    "potential_energy_J",
    "dissipated_normal_J",
    "dissipated_friction_J",
    "dissipated_rolling_J",
    "dissipated_links_J",
    "dissipated_material_J",
    "given_back_J",
    "stored_energy_J",
    "driven_work_J",
    "cell_work_J",
    "load_work_J",
    "correction_work_J",
    "scheme_work_J",
    "fed_energy_J",
    "removed_energy_J",
    "exchanged_energy_J",
    "unresolved_energy_J",
    "energy_imbalance_J",
];

/// The line of a step in `history.csv`; numbers read back to the same bits.
impl Display for StepReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let (c, t) = (&self.certificate, &self.totals);
        let [px, py, pz] = self.momentum;
        write!(
            f,
            "{},{:?},{:?},{:?},{px:?},{py:?},{pz:?},{},{},{},{},{:?},{:?},{:?},{:?},{:?},{},{},{:?},{},{},{}",
            self.step,
            self.time,
            self.kinetic_energy,
            self.energy.dissipated(),
            c.contacts,
            c.active,
            c.sweeps,
            u8::from(c.converged),
            c.residual,
            c.worst,
            c.velocity_error,
            t.max_penetration,
            t.mean_penetration(),
            t.painleve,
            t.ambiguous,
            t.flows.dissipation.total(),
            self.bodies,
            self.born,
            self.died,
        )?;
        // Kinetic energy has its column above.
        self.energy.values()[1..].iter().try_for_each(|energy| write!(f, ",{energy:?}"))
    }
}

/// A buffered CSV file that grows line by line.
pub struct CsvFile {
    path: PathBuf,
    file: BufWriter<File>,
}

impl CsvFile {
    /// Creates a file with a header.
    pub fn create(path: &Path, header: &str) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::system("create", path, e))?;
        let mut lines = Self { path: path.to_owned(), file: BufWriter::with_capacity(1 << 16, file) };
        lines.add(header)?;
        Ok(lines)
    }

    /// Reopens the file of an earlier run, without the lines after step `step` and without a last line cut by a crash.
    pub fn resume(path: &Path, header: &str, step: u64) -> Result<Self> {
        let failed = |e: std::io::Error| Error::system("resume", path, e);
        let text = match std::fs::read(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Self::create(path, header),
            text => text.map_err(failed)?,
        };
        let mut kept = 0;
        for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            let line_text = String::from_utf8_lossy(line);
            let own = match kept {
                0 if line_text.trim_end() == header => 0,
                0 => break,
                _ => match line_text.split(',').next().and_then(|number| number.parse::<u64>().ok()) {
                    Some(own) => own,
                    None => break,
                },
            };
            if own > step {
                break;
            }
            kept += line.len();
        }
        if kept == 0 {
            let reason =
                "its first line is not the header that this program writes; move the file away to start a new one";
            return Err(Error::system("resume", path, reason));
        }
        let mut file = File::options().write(true).open(path).map_err(failed)?;
        file.set_len(kept as u64).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok(Self { path: path.to_owned(), file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Appends a line.
    pub fn add(&mut self, line: impl Display) -> Result<()> {
        writeln!(self.file, "{line}").map_err(|e| Error::system("write", &self.path, e))
    }

    /// Writes everything so far to disk.
    pub fn flush(&mut self) -> Result<()> {
        let flushed = self.file.flush().and_then(|()| self.file.get_ref().sync_data());
        flushed.map_err(|e| Error::system("write", &self.path, e))
    }
}

/// Header of `timings.csv`: time spent in each phase since the start, s.
pub fn timings_header() -> String {
    let names: Vec<String> = Phase::ALL.iter().map(|p| format!("{}_s", p.name())).collect();
    format!("step,{}", names.join(","))
}

/// A line of `timings.csv`: a step and the times at its end.
pub struct TimingsLine<'a>(pub u64, pub &'a Timing);

impl Display for TimingsLine<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let Self(step, timing) = self;
        write!(f, "{step}")?;
        Phase::ALL.iter().try_for_each(|&phase| write!(f, ",{:.6}", timing.seconds(phase)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ContactTotals;
    use crate::solver::{Certificate, Dissipation, EnergyBalance};

    #[test]
    fn a_line_has_a_value_for_every_column_and_numbers_read_back_to_the_same_bits() {
        let dissipation = Dissipation { normal: f64::MIN_POSITIVE, ..Dissipation::default() };
        let report = StepReport {
            step: 3,
            time: 0.1 + 0.2,
            kinetic_energy: 1.0 / 3.0,
            momentum: [1e-300, -0.0, 5.0],
            certificate: Certificate::default(),
            totals: ContactTotals::default(),
            energy: EnergyBalance { dissipation, ..EnergyBalance::default() },
            bodies: 2,
            born: 1,
            died: 0,
            waiting: 0,
            ends: None,
        };
        let line = report.to_string();
        let values: Vec<&str> = line.split(',').collect();
        assert_eq!(values.len(), COLUMNS.len());
        assert_eq!(values[1].parse::<f64>().unwrap().to_bits(), report.time.to_bits());
        assert_eq!(values[3].parse::<f64>().unwrap().to_bits(), report.energy.dissipated().to_bits());
        assert_eq!(values[5].parse::<f64>().unwrap().to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn a_file_cut_at_any_byte_is_resumed_without_gap_or_repetition() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history.csv");
        let whole: String = "step,x\n".to_owned() + &(1..=12).map(|n| format!("{n},{}\n", n * n)).collect::<String>();
        for length in 7..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            // As many steps as the file has complete lines for, at most seven.
            let step = (whole[..length].matches('\n').count() as u64 - 1).min(7);
            let mut lines = CsvFile::resume(&path, "step,x", step).unwrap();
            for n in step + 1..=12 {
                lines.add(format_args!("{n},{}", n * n)).unwrap();
            }
            lines.flush().unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "cut at {length}");
        }
        assert!(CsvFile::resume(&path, "step,y", 3).is_err());
    }
}
