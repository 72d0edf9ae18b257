//! Arguments of the commands.

use std::path::PathBuf;

use clap::Args;

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
    /// Draw it: an SVG file in two dimensions, a VTKHDF file for ParaView in three.
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
    /// Replace a run that is in the folder already.
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
    /// Folder to go on in [default: that of the run].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Go on although the scene has changed in more than its end and its output.
    #[arg(long)]
    pub(super) accept_changes: bool,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
}

#[derive(Args)]
pub(super) struct PostArgs {
    /// The folder of a run, or one of its checkpoints.
    pub(super) from: PathBuf,
    /// What to measure instead, for example measure=[{ stress = {} }]; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
    /// Folder for the results [default: post in the folder of the run].
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Threads to work with [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

#[derive(Args)]
pub(super) struct InspectArgs {
    /// A checkpoint, or final.h5.
    pub(super) file: PathBuf,
    /// Another one to compare it with.
    pub(super) other: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct BenchArgs {
    /// Balls to pack and simulate.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    pub(super) bodies: u32,
    /// Disks in two dimensions, spheres in three.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    pub(super) dimension: u8,
    /// Threads to go up to [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// Print it for machines.
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
    /// How to solve it.
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    pub(super) solver: Solver,
    /// Most sweeps over all contacts.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) max_sweeps: u32,
    /// Start from the first guess in the file, if there is one; else from nothing.
    #[arg(long)]
    pub(super) warm: bool,
    /// Say how the solution differs from the one in the file.
    #[arg(long)]
    pub(super) compare: bool,
    /// Write the problem with the solution found.
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
    /// Most steps of the search.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(super) max_steps: u32,
    /// Draw the impulses that hold each other in balance (SVG).
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
    /// The same with momentum.
    Accelerated,
    /// Newton's method with a sparse factor after a few sweeps: as far as rounding allows.
    Accurate,
    /// Accelerated, then accurate where that stalls.
    Auto,
}

/// How to simulate; nothing here changes the results.
#[derive(Args)]
pub(super) struct EngineArgs {
    /// Threads that share the subdomains; the results do not depend on it [default: all cores].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
    /// How to tell how far the run is.
    #[arg(long, value_enum, default_value_t)]
    pub(super) log: LogStyle,
    /// Seconds between two lines of it.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    pub(super) log_every: f64,
    /// Stop after this step as if asked to: with a checkpoint, to be resumed.
    #[arg(long, value_name = "STEP")]
    pub(super) stop_after: Option<u64>,
    /// Write the contact problems of these steps into problems/ of the folder, in the format of FCLIB, as first guess and as
    /// solved.
    #[arg(long, value_name = "STEP,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) dump_problem: Vec<u64>,
    /// Do not look into why a step hit the cap of sweeps: process 0 does so once a run, and all wait for it.
    #[arg(long)]
    pub(super) no_diagnosis: bool,
    /// Move subdomains to processes at random: a test that the results do not depend on it.
    #[arg(long, value_name = "SEED", hide = true)]
    pub(super) shuffle: Option<u64>,
}
