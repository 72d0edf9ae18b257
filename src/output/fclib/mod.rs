//! Contact problems in the format of FCLIB, the library of frictional contact problems: reading and writing.
//!
//! `/fclib_local/spacedim`; `/fclib_local/W/{m,n,nz,nzmax,p,i,x}` (nz >= 0: that many triplets, p columns and i rows;
//! -1: compressed columns; -2: compressed rows); `/fclib_local/vectors/{q,mu}`; `/fclib_local/info/{title,description,
//! math_info}`; `/solution/{u,r}`; `/guesses/number_of_guesses`, `/guesses/1/{u,r}` and so on. Vectors are stored by
//! contact, each in its own frame, normal first. An extension of this program, `/nscdd/{bodies,points,normals}`, holds
//! the bodies and positions of the contacts.

mod content;
mod read;
mod write;

use std::path::{Path, PathBuf};

use crate::base::error::{Error, Result};
use crate::dim::Dim;
use crate::domain::GlobalProblem;
use crate::solver::delassus::Delassus;

pub use content::{FclibContent, FclibInfo, FclibSolution, Unreadable};
pub use read::{dimension, read};
pub use write::write;

/// Subfolder of the problems.
const FOLDER: &str = "problems";

/// Path of the problem of step `step` of the run in folder `run`.
pub fn path(run: &Path, step: u64) -> PathBuf {
    run.join(FOLDER).join(format!("step-{step:010}.hdf5"))
}

/// Writes the problem of a step with its initial guess and its solution; creates the folder if needed.
pub fn write_global<X: Dim>(path: &Path, global: &GlobalProblem<X>, title: &str) -> Result<()> {
    let failed = |reason: String| Error::system("write", path, reason);
    let problem = Delassus::from_problem(&global.problem).map_err(|error| failed(error.to_string()))?;
    let guess = FclibSolution::of(&problem, global.problem.local_impulses());
    let solution = FclibSolution::of(&problem, global.problem.in_frames(&global.solution));
    let about = FclibInfo {
        title: title.to_owned(),
        description: format!("written by nscdd {}", env!("CARGO_PKG_VERSION")),
        math_info: "contacts in the order of their ids; SI units; guess 1 is the warm start".to_owned(),
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
    }
    write(
        path,
        &FclibContent {
            problem,
            solution: Some(solution),
            guesses: vec![guess],
            contacts: global.contacts.clone(),
            about,
        },
    )
}

/// Removes the problems of a run that is replaced.
pub fn clear(run: &Path) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(run.join(FOLDER)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let path = entry?.path();
        let is_ours =
            |name: &str| name.starts_with("step-") && (name.ends_with(".hdf5") || name.ends_with(".hdf5.tmp"));
        if path.file_name().and_then(|name| name.to_str()).is_some_and(is_ours) {
            std::fs::remove_file(path)?;
        }
    }
    // Fails if the folder contains other files: they stay.
    let _ = std::fs::remove_dir(run.join(FOLDER));
    Ok(())
}

#[cfg(test)]
mod tests;
