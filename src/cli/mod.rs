//! The command line: commands, their arguments, and the entry point of the program.

mod args;
mod bench;
mod check;
mod diagnose;
mod draw;
mod inspect;
mod launch;
mod launcher;
mod partition;
mod placement;
mod post;
mod report;
mod resume;
mod run;
mod scale;
mod solve;
mod starter;
mod terminal;

pub use launch::plan;

use clap::{CommandFactory, Parser, Subcommand};

use args::{BenchArgs, DiagnoseArgs, InspectArgs, PartitionArgs, PostArgs, ResumeArgs, RunArgs, SceneArgs, SolveArgs};
use terminal::{print, report_error};

use crate::base::error::Error;

/// Nonsmooth contact dynamics of rigid bodies with domain decomposition.
#[derive(Parser)]
#[command(
    name = "nscdd",
    version,
    about = "Nonsmooth contact dynamics with domain decomposition: assemblies of rigid and elastic bodies with unilateral contact, Coulomb friction and impact.",
    after_help = "Examples:\n  nscdd new drop                      write drop.toml, a commented scene to start from\n  nscdd check drop.toml               check it for errors\n  nscdd run drop.toml                 simulate it into out/drop\n  nscdd run drop.toml --set solver.tolerance=1e-4 --threads 2 --out out/finer\n  nscdd resume out/drop               continue the run\n  nscdd draw out/drop                 draw a picture of it\n  nscdd report out/drop               write an HTML report of it\n  nscdd solve problem.hdf5            solve a contact problem in the format of FCLIB\n\nExit codes: 0 done; 1 system error (disk, folder); 2 bad input, nothing was written; 3 a step did not converge\nand the scene demands it; 4 the simulation failed (a body lost, not a number), its state is saved; 75 stopped early,\nits state is saved: use `nscdd resume`."
)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Print more messages (-v, -vv).
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    /// Print errors only.
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
    /// Continue a run that was stopped or killed, or extend a finished one, from its newest valid checkpoint.
    ///
    /// The results are those of a run that never stopped, on any number of processes and threads.
    #[command(
        after_help = "Examples:\n  nscdd resume out/drop                          continue to the end\n  nscdd resume out/drop --set time.end=4         extend the run\n  mpirun -n 4 nscdd resume out/drop/checkpoints/step-0000000500.h5"
    )]
    Resume(ResumeArgs),
    /// Draw pictures of a run, SVG or PDF in two dimensions and PNG in two or three: bodies coloured by a quantity,
    /// force chains, walls.
    ///
    /// Draws the last frame by default, or the newest checkpoint of a run without frames. The number of threads does
    /// not affect the picture.
    #[command(
        after_help = "Examples:\n  nscdd draw out/splash                              the last frame, coloured by speed\n  nscdd draw out/splash --time 0.1 --from 30,10      another time, from another direction\n  nscdd draw out/heap --chains --out chains.pdf      force chains\n  nscdd draw out/drum --frame all --by spin          a sequence of frames, for a film"
    )]
    Draw(draw::DrawArgs),
    /// Show the contents of a checkpoint and verify its checksum, or compare two checkpoints.
    #[command(after_help = "Exit code: 0; 1 if two files differ or one cannot be read.")]
    Inspect(InspectArgs),
    /// Measure a checkpoint: stress, coordination, fabric, forces, profiles; writes tables, HDF5 and plots.
    ///
    /// Contacts are detected again at the positions of the checkpoint and get the impulses stored in it. The measures
    /// are those of [[measure]] in the scene or, if it has none, a default selection.
    #[command(
        after_help = "Examples:\n  nscdd post out/drop                            its last state, into out/drop/post\n  nscdd post out/drop/checkpoints/step-0000000500.h5 --out early\n  nscdd post out/drop --set 'measure=[{ profile = { axis = \"y\", slices = 20 } }, { reaction = { bodies = [0] } }]'"
    )]
    Post(PostArgs),
    /// Write an HTML report of a run: certificate, energy, times, forces, measures, pictures, and an interactive film.
    ///
    /// The file is self-contained and loads nothing. The same folder gives the same bytes.
    #[command(
        after_help = "Examples:\n  nscdd report out/splash                            out/splash/report.html\n  nscdd report out/drum --out drum.html --budget 10  with more frames"
    )]
    Report(report::ReportArgs),
    /// Solve a contact problem in the FCLIB format, written by this program or another one.
    ///
    /// Reports the error of the solution in this program's measure and in FCLIB's; both must be within the tolerance.
    #[command(
        after_help = "Examples:\n  nscdd solve problem.hdf5 --out solved.hdf5\n  nscdd solve problem.hdf5 --solver accurate --tol 1e-10\n  nscdd run scene.toml --dump-problem 100          writes such a file\n\nExit code: 0 solved; 2 not a contact problem in this format; 3 not solved to the tolerance."
    )]
    Solve(SolveArgs),
    /// Test whether a contact problem has a solution and, if not, list the contacts that prevent it.
    #[command(
        after_help = "Examples:\n  nscdd run scene.toml --dump-problem 1\n  nscdd diagnose out/scene/problems/step-0000000001.hdf5 --picture wedge.svg\n\nExit code: 0 a solution exists; 2 not a contact problem in this format; 3 there is none, or the search was inconclusive."
    )]
    Diagnose(DiagnoseArgs),
    /// Check a scene for errors and summarise it, without simulating it.
    Check(SceneArgs),
    /// Show the decomposition of a scene into subdomains (sizes, interface, colours, picture), without simulating it.
    #[command(after_help = "Example:\n  nscdd partition scenes/deposit-disks.toml -n 16 --picture cut.svg")]
    Partition(PartitionArgs),
    /// Benchmark this machine in a minute: contact updates per second, phases, threads, memory.
    #[command(after_help = "Examples:\n  nscdd bench\n  mpirun -n 4 nscdd bench --threads 1 --bodies 200000")]
    Bench(BenchArgs),
    /// Measure the scaling of a scene on increasing numbers of processes, and fit a model that predicts larger
    /// machines.
    ///
    /// Starts the processes with mpirun, or with srun inside a SLURM allocation, and reports which. Writes strong.csv
    /// and strong.svg (and weak.*) to its folder, next to the runs.
    #[command(
        after_help = "Examples:\n  nscdd scale scenes/deposit-spheres.toml\n  nscdd scale big.toml --ranks 1,2,4,8,16 --steps 50 --weak 20000\n  nscdd scale big.toml --launcher 'srun --mpi=pmix -n {ranks}' --ranks 32,64,128"
    )]
    Scale(scale::ScaleArgs),
    /// Measure the latency and bandwidth of messages between two processes.
    #[command(hide = true)]
    Ping,
    /// Print the JSON schema of scene files, for completion and checking in editors.
    Schema {
        /// Print the reference of all keys in Markdown instead (docs/keys.md).
        #[arg(long)]
        markdown: bool,
    },
    /// Write a commented scene as a starting point.
    New {
        /// Name of the scene; NAME.toml is written.
        name: String,
        /// Number of dimensions, 2 or 3.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(2..=3))]
        dimension: u8,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
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
        report_error(&error);
        error.exit_code()
    })
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
