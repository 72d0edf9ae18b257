//! A completed run of a scene, and its measures.

use std::collections::HashMap;
use std::path::Path;

use crate::program::{nscdd, text};

/// The folder of a run; removed on drop.
pub(crate) struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    /// Runs `scenes/SCENE.toml` with `sets` to its end.
    pub(crate) fn of(scene: &str, sets: &[&str]) -> Self {
        Self::with(scene, &sets.iter().flat_map(|set| ["--set", set]).collect::<Vec<_>>())
    }

    /// `nscdd run scenes/SCENE.toml` with more `arguments`.
    pub(crate) fn with(scene: &str, arguments: &[&str]) -> Self {
        let run = Self { folder: tempfile::tempdir().unwrap() };
        let file = format!("{}/scenes/{scene}.toml", env!("CARGO_MANIFEST_DIR"));
        program(&[&["run", &file, "--out", run.path()], arguments].concat(), &[0, 75]);
        run
    }

    /// Resumes the run, with `arguments` of `nscdd resume`.
    pub(crate) fn resume(&self, arguments: &[&str]) {
        program(&[&["resume", self.path()], arguments].concat(), &[0]);
    }

    /// Its folder.
    pub(crate) fn path(&self) -> &str {
        self.folder.path().to_str().unwrap()
    }

    /// A table written by a `[[measure]]`.
    pub(crate) fn measure(&self, name: &str) -> Columns {
        Columns::read(&self.folder.path().join(format!("measures/{name}.csv")))
    }

    /// The history, one row per step: sweeps, residuals, penetration.
    pub(crate) fn history(&self) -> Columns {
        Columns::read(&self.folder.path().join("history.csv"))
    }
}

/// Runs the program, which must exit with one of `codes`.
fn program(arguments: &[&str], codes: &[i32]) {
    let output = nscdd(1, arguments).output().unwrap();
    let code = output.status.code();
    assert!(code.is_some_and(|code| codes.contains(&code)), "nscdd {}\n{}", arguments.join(" "), text(&output.stderr));
}

/// A CSV file by columns.
pub(crate) struct Columns(HashMap<String, Vec<f64>>);

impl Columns {
    fn read(file: &Path) -> Self {
        let content = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut lines = content.lines();
        let names: Vec<_> = lines.next().unwrap().split(',').collect();
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|word| word.parse().unwrap()).collect()).collect();
        Self(
            names.iter().enumerate().map(|(k, &name)| (name.into(), rows.iter().map(|row| row[k]).collect())).collect(),
        )
    }

    /// The column of that name.
    pub(crate) fn get(&self, name: &str) -> &[f64] {
        self.0.get(name).unwrap_or_else(|| panic!("no column {name}; there are {:?}", self.0.keys()))
    }
}

/// Mean of numbers.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Positions and contents of the slices of a profile, at `time` or, without one, at the end.
pub(crate) fn slices(profile: &Columns, time: Option<f64>) -> Vec<(f64, f64)> {
    let times = profile.get("time_s");
    let time = time.unwrap_or(times[times.len() - 1]);
    let all = times.iter().zip(profile.get("position_m")).zip(profile.get("solid_fraction"));
    all.filter(|((t, _), _)| (**t - time).abs() < 1e-6).map(|((_, &x), &share)| (x, share)).collect()
}

/// Mean of a function `of` position, weighted by the contents of `slices`.
pub(crate) fn weighed(slices: &[(f64, f64)], of: impl Fn(f64) -> f64) -> f64 {
    slices.iter().map(|(x, share)| of(*x) * share).sum::<f64>() / slices.iter().map(|(_, share)| share).sum::<f64>()
}

/// Position up to which a fraction `part` of the contents of `slices` lies.
pub(crate) fn front(slices: &[(f64, f64)], part: f64) -> f64 {
    let mut left = part * slices.iter().map(|(_, share)| share).sum::<f64>();
    let passed = slices.iter().find(|(_, share)| {
        left -= share;
        left <= 0.0
    });
    passed.unwrap().0
}
