//! The command line: commands, their arguments, and the entry point of the program.

mod bench;
mod check;
mod diagnose;
mod draw;
mod inspect;
mod launch;
mod launcher;
mod partition;
mod post;
mod report;
mod resume;
mod run;
mod scale;
mod solve;
mod starter;

use std::path::PathBuf;

pub use launch::plan;

use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::base::error::{EXIT_DONE, Error, say};
use crate::graphics::Format;
use crate::run::progress::LogStyle;

/// Nonsmooth contact dynamics of rigid bodies, cut into subdomains.
#[derive(Parser)]
#[command(
    name = "nscdd",
    version,
    about = "Nonsmooth contact dynamics with domain decomposition: collections of rigid bodies with unilateral contact, Coulomb friction and impact.",
    after_help = "Examples:\n  nscdd new drop                      write drop.toml, a commented scene to start from\n  nscdd check drop.toml               is it right?\n  nscdd run drop.toml                 simulate it into out/drop\n  nscdd run drop.toml --set solver.tolerance=1e-4 --threads 2 --out out/finer\n  nscdd resume out/drop               go on with it\n  nscdd draw out/drop                 a picture of it\n  nscdd report out/drop               a page about it, for a browser\n  nscdd solve problem.hdf5            solve a contact problem in the format of FCLIB\n\nExit codes: 0 done; 1 the system refused (disk, folder); 2 bad input, nothing was written; 3 a step did not converge\nand the scene demands it; 4 the simulation failed (a body lost, not a number), its state is saved; 75 stopped early,\nits state is saved: resume it."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Say more (-v, -vv).
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// Say nothing but errors.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene.
    #[command(
        after_help = "Example:\n  nscdd run scenes/box-of-spheres.toml --out out/try --set time.end=0.1 --threads 2"
    )]
    Run(RunArgs),
    /// Go on with a run that was stopped, killed or is to be extended, from its newest whole checkpoint.
    ///
    /// On any number of processes and threads the result is the same as if it had never stopped.
    #[command(
        after_help = "Examples:\n  nscdd resume out/drop                          go on to the end\n  nscdd resume out/drop --set time.end=4         go on beyond it\n  mpirun -n 4 nscdd resume out/drop/checkpoints/step-0000000500.h5"
    )]
    Resume(ResumeArgs),
    /// Draw a run: an SVG or PDF in two dimensions, a PNG in two or three; bodies coloured by a quantity, force chains, walls.
    ///
    /// Takes the last frame unless told otherwise; of a run without frames its newest checkpoint. The same bytes on any
    /// number of threads.
    #[command(
        after_help = "Examples:\n  nscdd draw out/splash                              the last frame, coloured by speed\n  nscdd draw out/splash --time 0.1 --from 30,10      another moment, from another side\n  nscdd draw out/heap --chains --out chains.pdf      force chains, for a paper\n  nscdd draw out/drum --frame all --by spin          a sequence, to make a film of"
    )]
    Draw(draw::DrawArgs),
    /// Say what is in a checkpoint and whether it is whole; of two, where they differ.
    #[command(after_help = "Exit code: 0; 1 if two files differ or one cannot be read.")]
    Inspect(InspectArgs),
    /// Measure a moment of a run: stress, coordination, fabric, forces, profiles; as tables, HDF5 and plots.
    ///
    /// Contacts are found again where the bodies of the checkpoint are, with the impulses it remembers. What is measured is
    /// what the scene has as [[measure]], or, if it has none, a usual choice.
    #[command(
        after_help = "Examples:\n  nscdd post out/drop                            its last state, into out/drop/post\n  nscdd post out/drop/checkpoints/step-0000000500.h5 --out early\n  nscdd post out/drop --set 'measure=[{ profile = { axis = \"y\", slices = 20 } }, { reaction = { bodies = [0] } }]'"
    )]
    Post(PostArgs),
    /// Make one page of a run for a browser: certificate, energy, times, forces, measures, pictures, and a film to turn, play
    /// and pick bodies in.
    ///
    /// The file holds everything and loads nothing. The same folder gives the same bytes.
    #[command(
        after_help = "Examples:\n  nscdd report out/splash                            out/splash/report.html\n  nscdd report out/drum --out drum.html --budget 10  with more frames"
    )]
    Report(report::ReportArgs),
    /// Solve a contact problem in the format of FCLIB, of this program or another one.
    ///
    /// Says how good the solution is by this program's own measure and by FCLIB's; both must be within the tolerance.
    #[command(
        after_help = "Examples:\n  nscdd solve problem.hdf5 --out solved.hdf5\n  nscdd solve problem.hdf5 --solver accurate --tol 1e-10\n  nscdd run scene.toml --dump-problem 100          makes such a file\n\nExit code: 0 solved; 2 not such a problem; 3 not solved to the tolerance."
    )]
    Solve(SolveArgs),
    /// Say whether a contact problem has a solution at all, and if not which contacts stand in its way.
    #[command(
        after_help = "Examples:\n  nscdd run scene.toml --dump-problem 1\n  nscdd diagnose out/scene/problems/step-0000000001.hdf5 --picture wedge.svg\n\nExit code: 0 a solution exists; 2 not such a problem; 3 there is none, or it was not found out."
    )]
    Diagnose(DiagnoseArgs),
    /// Read a scene, say what is in it and what is wrong with it; simulate nothing.
    Check(SceneArgs),
    /// Show how a scene is cut into subdomains: sizes, interface, colours, and a picture; simulate nothing.
    #[command(after_help = "Example:\n  nscdd partition scenes/deposit-disks.toml -n 16 --picture cut.svg")]
    Partition(PartitionArgs),
    /// Measure this machine in a minute: contact updates per second, phases, threads, memory. A table to send us.
    #[command(after_help = "Examples:\n  nscdd bench\n  mpirun -n 4 nscdd bench --threads 1 --bodies 200000")]
    Bench(BenchArgs),
    /// Measure how a scene scales: on more and more processes, with a model that says what larger machines would make of it.
    ///
    /// Starts itself through mpirun, or srun inside a SLURM allocation, and says which. Leaves strong.csv and strong.svg (and weak.*) in its folder, beside the runs.
    #[command(
        after_help = "Examples:\n  nscdd scale scenes/deposit-spheres.toml\n  nscdd scale big.toml --ranks 1,2,4,8,16 --steps 50 --weak 20000\n  nscdd scale big.toml --launcher 'srun --mpi=pmix -n {ranks}' --ranks 32,64,128"
    )]
    Scale(scale::ScaleArgs),
    /// Time messages between two processes.
    #[command(hide = true)]
    Ping,
    /// Print the JSON schema of scene files, for completion and checking in editors.
    Schema {
        /// The same for people: every key with its value, default and meaning (docs/keys.md).
        #[arg(long)]
        markdown: bool,
    },
    /// Write a commented scene to start from.
    New {
        /// Name of the scene; NAME.toml is written.
        name: String,
        /// Two or three dimensions.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
        dimension: u8,
    },
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

#[derive(Args)]
struct SceneArgs {
    /// The scene file (TOML).
    scene: PathBuf,
    /// Change a value of the scene, for example solver.tolerance=1e-4; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

#[derive(Args)]
struct PartitionArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Number of subdomains [default: domain.subdomains of the scene].
    #[arg(short = 'n', long, value_name = "S", value_parser = clap::value_parser!(u32).range(1..))]
    subdomains: Option<u32>,
    /// Draw it: an .svg, .pdf or .png in two dimensions, a VTKHDF file for ParaView in three.
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder for the results [default: output.directory of the scene, or out/NAME].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a run that is in the folder already.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Args)]
struct ResumeArgs {
    /// The folder of the run, or one of its checkpoints.
    from: PathBuf,
    /// Change a value of the scene, for example time.end=4; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder to go on in [default: that of the run].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on although the scene has changed in more than its end and its output.
    #[arg(long)]
    accept_changes: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Args)]
struct PostArgs {
    /// The folder of a run, or one of its checkpoints.
    from: PathBuf,
    /// What to measure instead, for example measure=[{ stress = {} }]; may be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Folder for the results [default: post in the folder of the run].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Format of the plots.
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "svg")]
    plots: Format,
    /// Threads to work with [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

#[derive(Args)]
struct InspectArgs {
    /// A checkpoint, or final.h5.
    file: PathBuf,
    /// Another one to compare it with.
    other: Option<PathBuf>,
}

#[derive(Args)]
struct BenchArgs {
    /// Balls to pack and simulate.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(100..=10_000_000))]
    bodies: u32,
    /// Disks in two dimensions, spheres in three.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
    dimension: u8,
    /// Threads to go up to [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print it for machines.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct SolveArgs {
    /// The problem (HDF5, a local problem of FCLIB in two or three dimensions).
    problem: PathBuf,
    /// Largest relative residual of the contact laws, and largest error in FCLIB's measure.
    #[arg(long, value_name = "X", default_value_t = 1e-6)]
    tol: f64,
    /// How to solve it.
    #[arg(long, value_enum, default_value_t = Solver::Auto)]
    solver: Solver,
    /// Most sweeps over all contacts.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_sweeps: u32,
    /// Start from the first guess in the file, if there is one; else from nothing.
    #[arg(long)]
    warm: bool,
    /// Say how the solution differs from the one in the file.
    #[arg(long)]
    compare: bool,
    /// Write the problem with the solution found.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct DiagnoseArgs {
    /// The problem (HDF5, a local problem of FCLIB in two or three dimensions).
    problem: PathBuf,
    /// Most steps of the search.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    max_steps: u32,
    /// Draw the impulses that hold each other in balance (.svg, .pdf or .png).
    #[arg(long, value_name = "FILE")]
    picture: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Solver {
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
struct EngineArgs {
    /// Threads that share the subdomains; the results do not depend on it [default: all cores].
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// How to tell how far the run is.
    #[arg(long, value_enum, default_value_t)]
    log: LogStyle,
    /// Seconds between two lines of it.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    log_every: f64,
    /// Stop after this step as if asked to: with a checkpoint, to be resumed.
    #[arg(long, value_name = "STEP")]
    stop_after: Option<u64>,
    /// Write the contact problems of these steps into problems/ of the folder, in the format of FCLIB, as first guess and as
    /// solved.
    #[arg(long, value_name = "STEP,...", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..))]
    dump_problem: Vec<u64>,
    /// Do not look into why a step hit the cap of sweeps: process 0 does so once a run, and all wait for it.
    #[arg(long)]
    no_diagnosis: bool,
    /// Move subdomains to processes at random: a test that the results do not depend on it.
    #[arg(long, value_name = "SEED", hide = true)]
    shuffle: Option<u64>,
}

/// Parses the command line, executes the command and returns the exit code.
pub fn main() -> i32 {
    let cli = Cli::parse();
    start_log(cli.verbose, cli.quiet);
    let outcome = match &cli.command {
        Command::Run(args) => run::run(args, cli.quiet),
        Command::Resume(args) => resume::resume(args, cli.quiet),
        Command::Draw(args) => draw::draw(args, cli.quiet),
        Command::Post(args) => post::post(args, cli.quiet),
        Command::Report(args) => report::report(args, cli.quiet),
        Command::Inspect(args) => inspect::inspect(args),
        Command::Solve(args) => solve::solve(args),
        Command::Diagnose(args) => diagnose::diagnose(args),
        Command::Check(args) => check::check(args),
        Command::Partition(args) => partition::partition(args),
        Command::Bench(args) => bench::bench(args),
        Command::Scale(args) => scale::scale(args, cli.quiet),
        Command::Ping => scale::ping(),
        Command::Schema { markdown: false } => print(&crate::scene::schema()),
        Command::Schema { markdown: true } => print(&crate::scene::reference()),
        Command::New { name, dimension } => starter::write(name, *dimension),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "nscdd", &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        Command::Man => {
            let mut page = Vec::new();
            match clap_mangen::Man::new(Cli::command()).render(&mut page) {
                Ok(()) => print(&String::from_utf8_lossy(&page)),
                Err(e) => Err(Error::system("write", "manual page", e)),
            }
        }
    };
    outcome.unwrap_or_else(|error| {
        complain(&error);
        error.exit_code()
    })
}

/// Prints to standard output; a closed pipe is not an error.
fn print(text: &str) -> crate::base::error::Result<i32> {
    use std::io::Write;
    let _ = std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush());
    Ok(EXIT_DONE)
}

/// Reports an error to the user; input errors are shown with the offending line.
fn complain(error: &Error) {
    match error {
        Error::Input(diagnostic) => {
            let mut text = String::new();
            let handler = miette::GraphicalReportHandler::new();
            if handler.render_report(&mut text, diagnostic.as_ref()).is_err() {
                text = diagnostic.to_string();
            }
            say(text);
        }
        other => say(format_args!("nscdd: {other}")),
    }
}

fn start_log(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "nscdd=info",
        (_, 2..) => "nscdd=debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env().unwrap_or_else(|_| level.into());
    let format = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).without_time();
    // A repeated call (tests) finds the log already initialised.
    let _ = format.with_target(false).log_internal_errors(false).try_init();
}
