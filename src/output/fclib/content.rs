//! Content of a file: a problem, its solution and initial guesses; and the error of a file without these.

use std::path::PathBuf;

use crate::base::error::Error;
use crate::dim::Dim;
use crate::domain::GlobalContact;
use crate::solver::delassus::Delassus;

/// Content of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FclibContent<X: Dim> {
    /// The problem.
    pub problem: Delassus<X>,
    /// Its solution.
    pub solution: Option<FclibSolution<X>>,
    /// Initial guesses.
    pub guesses: Vec<FclibSolution<X>>,
    /// Positions and bodies of the contacts; empty if the file does not contain them.
    pub contacts: Vec<GlobalContact<X>>,
    /// Description of the problem.
    pub about: FclibInfo,
}

/// Velocities and impulses, by contact.
#[derive(Clone, Debug, PartialEq)]
pub struct FclibSolution<X: Dim> {
    /// Relative velocities u.
    pub velocities: Vec<X::Vector>,
    /// Impulses r.
    pub impulses: Vec<X::Vector>,
}

impl<X: Dim> FclibSolution<X> {
    pub(super) fn of(problem: &Delassus<X>, impulses: Vec<X::Vector>) -> Self {
        Self { velocities: problem.velocities(&impulses), impulses }
    }
}

/// Description of a problem.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FclibInfo {
    /// Title.
    pub title: String,
    /// Origin.
    pub description: String,
    /// Mathematical properties.
    pub math_info: String,
}

/// Reason why a file does not contain a problem that can be solved here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[error("{}: {object}: {what}", path.display())]
#[diagnostic(help(
    "`nscdd run` writes such files with --dump-problem; `h5dump -H {}` shows what is in one; docs/problems.md describes the format",
    path.display()
))]
pub struct Unreadable {
    /// The file.
    pub path: PathBuf,
    /// Path of the dataset or group in the file.
    pub object: String,
    /// What was found there, and what was expected.
    pub what: String,
}

impl From<Unreadable> for Error {
    fn from(unreadable: Unreadable) -> Self {
        Error::Input(Box::new(unreadable))
    }
}
