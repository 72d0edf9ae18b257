//! What can go wrong, and the exit code it ends with.
//!
//! Three kinds: the user's input (an error that names file, key and fix), the system (files, disks), and a
//! simulation that failed on its way (a body lost, a NaN).

use std::path::PathBuf;

/// Exit code of a run that reached its end.
pub const EXIT_DONE: i32 = 0;
/// Exit code for bad input: nothing was run, nothing was written.
pub const EXIT_BAD_INPUT: i32 = 2;
/// Exit code for a step that did not converge in a scene that demands it.
pub const EXIT_NOT_CONVERGED: i32 = 3;
/// Exit code for a failed simulation: NaN, or a body that left the world.
pub const EXIT_FAILED: i32 = 4;
/// Exit code of a run stopped early on request; its state is saved.
pub const EXIT_STOPPED: i32 = 75;

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// A line on standard error; a reader that has gone away (a closed pipe) is no reason to fail.
pub fn say(line: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What the user types to start this program, for hints: `./run` says in `NSCDD_CALLED_AS` that it is in between.
pub fn called_as() -> String {
    std::env::var("NSCDD_CALLED_AS").ok().filter(|name| !name.is_empty()).unwrap_or("nscdd".into())
}

/// Everything that ends a run before its time.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user's mistake; the diagnostic shows file, line, key and remedy.
    #[error("{0}")]
    Input(Box<dyn miette::Diagnostic + Send + Sync>),
    /// The system refused: a disk, a folder, a file.
    #[error("cannot {doing} {}: {reason}", path.display())]
    System {
        /// A verb: "write", "create", "read".
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// Another process met the error, or all met the same one, and it is reported elsewhere.
    #[error("another process reports")]
    Reported {
        /// Its exit code.
        code: i32,
    },
    /// A step did not converge and the scene says that it must.
    #[error(
        "step {step} (t = {time} s) did not converge: residual {residual:.2e}, velocity error {velocity_error:.2e} after {sweeps} sweeps; \
         raise solver.max_sweeps, loosen solver.tolerance, or set solver.required = false"
    )]
    NotConverged {
        /// Number of the step.
        step: u64,
        /// Simulated time, s.
        time: f64,
        /// Certificate, first part.
        residual: f64,
        /// Certificate, second part.
        velocity_error: f64,
        /// Sweeps done.
        sweeps: u32,
    },
    /// A step was abandoned on request; the state is that of its start.
    #[error("stopped on request")]
    Stopped,
    /// The state of a body makes no sense any more.
    #[error("step {step} (t = {time} s): body {body} {what}")]
    Failed {
        /// Number of the step.
        step: u64,
        /// Simulated time, s.
        time: f64,
        /// Global id of the body.
        body: u64,
        /// What happened to it.
        what: String,
    },
}

impl Error {
    /// The code the program ends with.
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

    /// The same error on all processes, of which process 0 keeps it.
    pub fn everywhere(self, rank: usize) -> Self {
        if rank == 0 { self } else { Error::Reported { code: self.exit_code() } }
    }

    /// A system error from whatever said it.
    pub fn system(doing: &'static str, path: impl Into<PathBuf>, reason: impl ToString) -> Self {
        Error::System { doing, path: path.into(), reason: reason.to_string() }
    }
}
