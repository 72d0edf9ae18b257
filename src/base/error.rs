//! Errors of the crate and the exit codes they map to.
//!
//! Three kinds: invalid user input (the error names file, key and fix), system errors (files, disks), and failures of a
//! running simulation (a lost body, a NaN).

use std::path::PathBuf;

/// Exit code of a run that reached its end.
pub const EXIT_DONE: i32 = 0;
/// Exit code for bad input: nothing was run, nothing was written.
pub const EXIT_BAD_INPUT: i32 = 2;
/// Exit code for a step that did not converge in a scene that requires it.
pub const EXIT_NOT_CONVERGED: i32 = 3;
/// Exit code for a failed simulation: NaN, or a body that left the world.
pub const EXIT_FAILED: i32 = 4;
/// Exit code of a run stopped early on request; its state is saved.
pub const EXIT_STOPPED: i32 = 75;

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Writes a line to standard error and ignores write errors: a closed pipe must not fail the run.
pub fn say(line: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// The command with which the user starts this program, for hints; the wrapper `./run` sets it in `NSCDD_CALLED_AS`.
pub fn called_as() -> String {
    std::env::var("NSCDD_CALLED_AS").ok().filter(|name| !name.is_empty()).unwrap_or("nscdd".into())
}

/// An error that ends a run early.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Invalid user input; the diagnostic shows file, line, key and remedy.
    #[error("{0}")]
    Input(Box<dyn miette::Diagnostic + Send + Sync>),
    /// A system error: a disk, a directory, a file.
    #[error("cannot {doing} {}: {reason}", path.display())]
    System {
        /// A verb: "write", "create", "read".
        doing: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// The message of the system.
        reason: String,
    },
    /// The error occurred on another process, or on all of them, and is reported elsewhere.
    #[error("another process reports")]
    Reported {
        /// Its exit code.
        code: i32,
    },
    /// A step did not converge although the scene requires it.
    #[error(
        "step {step} (t = {time} s) did not converge: residual {residual:.2e}, velocity error {velocity_error:.2e} after {sweeps} sweeps; \
         raise solver.max_sweeps, loosen solver.tolerance, or set solver.required = false"
    )]
    NotConverged {
        /// Number of the step.
        step: u64,
        /// Simulated time, s.
        time: f64,
        /// Relative residual, first part of the certificate.
        residual: f64,
        /// Velocity error, second part of the certificate.
        velocity_error: f64,
        /// Number of sweeps.
        sweeps: u32,
    },
    /// A step was abandoned on request; the state is that at its start.
    #[error("stopped on request")]
    Stopped,
    /// The state of a body is invalid.
    #[error("step {step} (t = {time} s): body {body} {what}")]
    Failed {
        /// Number of the step.
        step: u64,
        /// Simulated time, s.
        time: f64,
        /// Global id of the body.
        body: u64,
        /// What happened to the body.
        what: String,
    },
}

impl Error {
    /// Exit code of the program for this error.
    pub fn exit_code(&self) -> i32 {
        match self {
            Error::Input(_) => EXIT_BAD_INPUT,
            Error::System { .. } => 1,
            Error::Reported { code } => *code,
            Error::NotConverged { .. } => EXIT_NOT_CONVERGED,
            Error::Failed { .. } => EXIT_FAILED,
            Error::Stopped => EXIT_STOPPED,
        }
    }

    /// Turns an error common to all processes into one report: process 0 keeps it, the others get [`Error::Reported`].
    pub fn everywhere(self, is_root: bool) -> Self {
        if is_root { self } else { Error::Reported { code: self.exit_code() } }
    }

    /// Builds a system error from any reason that can be printed.
    pub fn system(doing: &'static str, path: impl Into<PathBuf>, reason: impl ToString) -> Self {
        Error::System { doing, path: path.into(), reason: reason.to_string() }
    }
}
