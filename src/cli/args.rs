//! Arguments of the commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::graphics::Format;
use crate::run::progress::LogStyle;

#[derive(Args)]
pub(super) struct SceneArgs {
    /// The scene file (TOML).
    pub(super) scene: PathBuf,
    /// Change a value of the scene, for example solver.tolerance=1e-4; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
}

#[derive(Args)]
pub(super) struct PartitionArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    /// Number of subdomains [default: domain.subdomains of the scene].
    #[arg(short = 'n', long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) subdomains: Option<u32>,
    /// Picture to write: .svg, .pdf or .png in two dimensions, VTKHDF for ParaView in three.
    #[arg(long, value_name = "FILE")]
    pub(super) picture: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    pub(super) scene: SceneArgs,
    /// Folder for the results [default: output.directory of the scene, or out/NAME].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Replace an existing run in the folder.
    #[arg(long)]
    pub(super) overwrite: bool,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

#[derive(Args)]
pub(super) struct ResumeArgs {
    /// The folder of the run, or one of its checkpoints.
    pub(super) from: PathBuf,
    /// Change a value of the scene, for example time.end=4; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
    /// Folder for the continued run [default: that of the run].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Continue although the scene has changed in more than its end and its output.
    #[arg(long)]
    pub(super) accept_changes: bool,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

#[derive(Args)]
pub(super) struct PostArgs {
    /// The folder of a run, or one of its checkpoints.
    pub(super) from: PathBuf,
    /// Measures to use instead, for example measure=[{ stress = {} }]; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
    /// Folder for the results [default: post in the folder of the run].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Format of the plots.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "svg")]
    pub(super) plots: Format,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

#[derive(Args)]
pub(super) struct InspectArgs {
    /// A checkpoint, or final.h5.
    pub(super) file: PathBuf,
    /// A second one to compare it with.
    pub(super) other: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct BenchArgs {
    /// Number of bodies.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) bodies: u32,
    /// Disks in two dimensions, spheres in three.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(super) dimension: u8,
    /// Greatest number of threads [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct SolveArgs {
    /// The problem (HDF5, a local problem of FCLIB in two or three dimensions).
    pub(super) problem: PathBuf,
    /// Largest relative residual of the contact laws, and largest error in FCLIB's measure.
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    pub(super) tol: f64,
    /// Solution method.
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    pub(super) solver: Solver,
    /// Greatest number of sweeps.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) max_sweeps: u32,
    /// Longest time to solve, s; what is reported is the best answer until then [default: no limit].
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(super) time_limit: Option<Duration>,
    /// Start from the initial guess in the file, if there is one, instead of zero impulses.
    #[arg(long)]
    pub(super) warm: bool,
    /// Report the difference between the solution and the one in the file.
    #[arg(long)]
    pub(super) compare: bool,
    /// File to write the problem and its solution to.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct DiagnoseArgs {
    /// The problem (HDF5, a local problem of FCLIB in two or three dimensions).
    pub(super) problem: PathBuf,
    /// Greatest number of steps of the search.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) max_steps: u32,
    /// Draw the self-equilibrated impulses that prevent a solution (.svg, .pdf or .png).
    #[arg(long, value_name = "FILE")]
    pub(super) picture: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Solver {
    /// Nonlinear Gauss-Seidel.
    Nlgs,
    /// Nonlinear Gauss-Seidel with momentum.
    Accelerated,
    /// Newton's method with a sparse factorisation after a few sweeps, to rounding accuracy.
    Accurate,
    /// `accelerated`, then `accurate` if it stagnates.
    Auto,
}

/// How to run the simulation; none of these options changes the results.
#[derive(Args)]
pub(super) struct EngineArgs {
    /// Number of threads, which share the subdomains; it does not affect the results [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Form of the progress output.
    #[arg(long, value_enum, default_value_t)]
    pub(super) log: LogStyle,
    /// Seconds between two lines of progress output.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub(super) log_every: f64,
    /// Stop after this step with a checkpoint, as on a stop signal; resume it with `nscdd resume`.
    #[arg(long, value_name = "STEP")]
    pub(super) stop_after: Option<u64>,
    /// Write the contact problems of these steps to problems/ in the folder, in the FCLIB format, with initial guess
    /// and solution.
    #[arg(long, value_name = "STEP,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) dump_problem: Vec<u64>,
    /// Do not diagnose a step that reached the cap of sweeps. Process 0 does this once per run while all others wait.
    #[arg(long)]
    pub(super) no_diagnosis: bool,
    /// Place subdomains on processes at random, to test that the results do not depend on it.
    #[arg(long, value_name = "SEED", hide = true)]
    pub(super) shuffle: Option<u64>,
}

/// Reads a time in seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("a time in seconds is a number of at least 0, not `{text}`");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}
