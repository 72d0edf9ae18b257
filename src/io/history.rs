//! The history of a run: one line a step, with no wall time in it, so that runs that must agree have equal files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::timing::{Phase, Timing};
use crate::domain::Totals;
use crate::error::{Error, Result};
use crate::solver::Certificate;

/// What one step was like.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// Kinetic energy at its end, J.
    pub kinetic_energy: f64,
    /// Linear momentum at its end, kg m/s; zero beyond the dimension.
    pub momentum: [f64; 3],
    /// How well the step is solved.
    pub certificate: Certificate,
    /// Sums over contacts.
    pub totals: Totals,
    /// Energy dissipated in contacts since the start, J.
    pub dissipated: f64,
}

/// Names of the columns of `history.csv`.
pub const COLUMNS: [&str; 19] = [
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
];

impl Report {
    /// The line of the step, numbers written so that they read back to the same bits.
    pub fn line(&self) -> String {
        let (c, t) = (&self.certificate, &self.totals);
        let [px, py, pz] = self.momentum;
        format!(
            "{},{:?},{:?},{:?},{px:?},{py:?},{pz:?},{},{},{},{},{:?},{:?},{:?},{:?},{:?},{},{},{:?}",
            self.step,
            self.time,
            self.kinetic_energy,
            self.dissipated,
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
            t.dissipated,
        )
    }
}

/// A CSV file that grows by a line at a time; lines reach the disk whole.
pub struct Lines {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Lines {
    /// A new file with a header.
    pub fn create(path: &Path, header: &str) -> Result<Self> {
        let file = File::create(path).map_err(|e| Error::system("create", path, e))?;
        let mut lines = Self { path: path.to_owned(), file: BufWriter::with_capacity(1 << 16, file) };
        lines.add(header)?;
        Ok(lines)
    }

    /// One more line.
    pub fn add(&mut self, line: &str) -> Result<()> {
        writeln!(self.file, "{line}").map_err(|e| Error::system("write", &self.path, e))
    }

    /// Everything so far is in the file.
    pub fn flush(&mut self) -> Result<()> {
        self.file.flush().map_err(|e| Error::system("write", &self.path, e))
    }
}

/// Header of `timings.csv`: seconds spent in each phase since the start.
pub fn timings_header() -> String {
    let names: Vec<String> = Phase::ALL.iter().map(|p| format!("{}_s", p.name())).collect();
    format!("step,{}", names.join(","))
}

/// A line of `timings.csv`.
pub fn timings_line(step: u64, timing: &Timing) -> String {
    let seconds: Vec<String> = Phase::ALL.iter().map(|&p| format!("{:.6}", timing.seconds(p))).collect();
    format!("{step},{}", seconds.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_value_for_every_column_and_numbers_read_back_to_the_same_bits() {
        let report = Report {
            step: 3,
            time: 0.1 + 0.2,
            kinetic_energy: 1.0 / 3.0,
            momentum: [1e-300, -0.0, 5.0],
            certificate: Certificate::default(),
            totals: Totals::default(),
            dissipated: f64::MIN_POSITIVE,
        };
        let line = report.line();
        let values: Vec<&str> = line.split(',').collect();
        assert_eq!(values.len(), COLUMNS.len());
        assert_eq!(values[1].parse::<f64>().unwrap().to_bits(), report.time.to_bits());
        assert_eq!(values[3].parse::<f64>().unwrap().to_bits(), report.dissipated.to_bits());
        assert_eq!(values[5].parse::<f64>().unwrap().to_bits(), (-0.0f64).to_bits());
    }
}
