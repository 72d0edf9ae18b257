//! Common part of `run` and `resume`: processes, threads, signals, and the final message.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::args::EngineArgs;
use super::placement::Placement;
use super::terminal::{print, report_error};
use crate::base::error::{EXIT_DONE, EXIT_STOPPED, Error, Result, called_as, say};
use crate::comm::{self, Comm, MessageCounts};
use crate::dim::Dim;
use crate::domain::InterfaceTraffic;
use crate::output::folder::RunFolder;
use crate::output::memory;
use crate::output::summary::{RunCounts, Summary};
use crate::run::progress::LogStyle;
use crate::run::{RunEnding, RunOptions, run};
use crate::scene::Scene;
use crate::simulation::warnings::WarningKind;
use crate::simulation::{Simulation, SimulationSettings};

/// Interrupts within this time after the first count as the same request.
const SAME_REQUEST: Duration = Duration::from_secs(1);

/// Collective. Runs `work` on all processes and returns the exit code. If a process fails alone, it aborts the others,
/// which would wait for it.
pub(super) fn on_all_processes(work: impl FnOnce(&Arc<dyn Comm>) -> Result<i32>) -> Result<i32> {
    let comm = comm::start();
    match work(&comm) {
        // Process 0 has reported the error; all processes return its code.
        Err(Error::Reported { code }) => Ok(code),
        Err(error) if comm.size() > 1 => {
            report_error(&error);
            comm.abort(error.exit_code())
        }
        code => code,
    }
}

/// Collective. Combines the results of all processes: each process gets its value, or all get an exit code if one of
/// them failed. The lowest rank that failed reports the error, once.
pub(super) fn agree<T>(comm: &dyn Comm, own: Result<T>) -> Result<std::result::Result<T, i32>> {
    if comm.size() == 1 {
        return own.map(Ok);
    }
    // A process that stopped because of the failure of another one reports nothing.
    let mut first = [match &own {
        Ok(_) => f64::INFINITY,
        Err(Error::Reported { .. }) => comm.size() as f64,
        Err(_) => comm.rank() as f64,
    }];
    comm.min(&mut first);
    match own {
        Ok(value) if first[0] == f64::INFINITY => Ok(Ok(value)),
        own => {
            let mut code = [own.as_ref().err().map_or(0.0, |error| f64::from(error.exit_code()))];
            comm.max(&mut code);
            if let Err(error) = &own
                && first[0] == comm.rank() as f64
            {
                report_error(error);
            }
            Ok(Err(code[0] as i32))
        }
    }
}

/// Creates the thread pool of this process.
pub(super) fn pool(threads: Option<usize>, placement: &Placement) -> Result<rayon::ThreadPool> {
    // A quota of the job may allow less than the cores.
    let allowed = std::thread::available_parallelism().map_or(1, |n| n.get());
    let placed = placement.threads().min(allowed);
    let threads = threads.unwrap_or(placed);
    // The main thread, which communicates, is part of the pool.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
    pool.map_err(|e| Error::system("start", "threads", e))
}

/// Simulation settings of a scene.
pub fn plan(scene: &Scene) -> SimulationSettings {
    SimulationSettings::of(scene)
}

/// How `run` and `resume` were started.
pub(super) struct LaunchContext<'a> {
    pub(super) comm: &'a Arc<dyn Comm>,
    pub(super) placement: &'a Placement,
    /// Flag of a stop request.
    pub(super) stop: &'a Arc<AtomicBool>,
    pub(super) quiet: bool,
}

/// A run that is ready to start.
pub(super) struct Launch<'a> {
    pub(super) scene: &'a Scene,
    /// Name of the scene, for the summary.
    pub(super) name: String,
    /// Folder of the run.
    pub(super) path: PathBuf,
    /// Open handle of the folder.
    pub(super) folder: RunFolder,
    /// Counters of the earlier part of a resumed run.
    pub(super) counts: RunCounts,
    pub(super) args: &'a EngineArgs,
    pub(super) context: &'a LaunchContext<'a>,
    /// True if the run continues from a checkpoint.
    pub(super) resumed: bool,
}

impl Launch<'_> {
    /// Collective. Runs the simulation and reports the result.
    pub(super) fn start<X: Dim>(self, mut simulation: Simulation<X>) -> Result<i32> {
        let comm = Arc::clone(simulation.domain().comm());
        self.prepare(&mut simulation);
        let Self { scene, name, path, folder, counts, args, context, resumed } = self;
        let is_silent = context.quiet || !comm.is_root();
        let options = RunOptions {
            end: scene.time.end,
            scene: name,
            text: scene.text(),
            frames_every: scene.output.frames.as_ref().map(|f| f.every),
            measures: &scene.measure,
            checkpoint: scene.output.checkpoint.clone(),
            counts,
            stop_after: args.stop_after,
            log: if is_silent { LogStyle::None } else { args.log },
            log_every: args.log_every,
            stop: context.stop,
            resumed,
        };
        let (summary, code) = match run(&mut simulation, folder, &options)? {
            RunEnding::Finished(summary) => (summary, Ok(EXIT_DONE)),
            RunEnding::Stopped(summary) => (summary, Ok(EXIT_STOPPED)),
            RunEnding::Failed(summary, error) => (summary, Err(error)),
        };
        log_communication(&simulation);
        if !is_silent {
            report(&summary, &path, code.as_ref().ok().copied(), args.log)?;
        }
        match agree(&*comm, code)? {
            Ok(code) | Err(code) => Ok(code),
        }
    }

    /// Applies the arguments that concern the simulation itself, and warns of processes without work.
    fn prepare<X: Dim>(&self, simulation: &mut Simulation<X>) {
        if let Some(seed) = self.args.shuffle {
            simulation.shuffle(seed);
        }
        simulation.request_problems(&self.args.dump_problem);
        if self.args.no_diagnosis {
            simulation.skip_diagnosis();
        }
        let parts = simulation.domain().parts();
        let (processes, threads) = (simulation.domain().comm().size(), rayon::current_num_threads());
        tracing::info!(subdomains = parts, processes, threads, "simulating");
        let idle = processes.saturating_sub(parts);
        let now = (simulation.clock.step, simulation.clock.time);
        simulation.warnings.add(WarningKind::IdleProcesses, idle as u64, now, || {
            format!("{parts} subdomains for {processes} processes: {idle} stay idle; raise domain.subdomains")
        });
        self.context.placement.warn(threads, &mut simulation.warnings, now);
    }
}

/// Logs what this process sent and the memory it took.
fn log_communication<X: Dim>(simulation: &Simulation<X>) {
    let comm = &**simulation.domain().comm();
    let InterfaceTraffic { bytes, neighbours, .. } = simulation.domain().traffic();
    let (rank, own) = (comm.rank(), simulation.bodies.len());
    let waited_s = simulation.timing.total_waited();
    let MessageCounts { messages, collectives } = comm.sent();
    tracing::info!(rank, bodies_here = own, neighbours, bytes_sent_a_sweep = bytes, waited_s, "at the end");
    tracing::info!(rank, messages, collectives, "sent");
    tracing::info!(rank, mebibytes = memory::peak(), "peak memory");
    if simulation.model.has_deformables() {
        tracing::info!(rank, factors = simulation.model.factors(), "deformable bodies");
    }
}

/// Prints the summary of the run in `path` and the commands to proceed with; `code` is `None` after a failure.
fn report(summary: &Summary, path: &Path, code: Option<i32>, log: LogStyle) -> Result<()> {
    let is_stopped = code == Some(EXIT_STOPPED);
    let mut text = summary.text(path) + "\n";
    let (steps, path, program) = (summary.reached.steps, path.display(), called_as());
    if is_stopped {
        text += &format!("stopped on request after step {steps}; to continue: {program} resume {path}\n");
    } else if code.is_some() {
        text += &format!("next: {program} report {path}, {program} draw {path}, {program} post {path}\n");
    }
    print(&text)?;
    if log == LogStyle::Json {
        let mut event = serde_json::to_value(summary).unwrap_or_default();
        event["event"] = if is_stopped { "stopped".into() } else { "end".into() };
        say(event);
    }
    Ok(())
}

/// Installs the signal handlers and returns the flag that a stop request sets. A request abandons the current step.
/// SIGUSR1, which batch systems send before a time limit, is a request too. Batch systems, `timeout` and `mpirun` often
/// send a signal twice, so an early repetition has no effect; a later Ctrl-C exits at once. To be called before input
/// is read, so that requests during the setup take effect.
pub(super) fn catch_signals() -> Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
    let failed = |e| Error::system("catch", "signals", e);
    let (stop, exits_at_once) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    signal_hook::flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&exits_at_once)).map_err(failed)?;
    for signal in [SIGINT, SIGTERM, SIGUSR1] {
        signal_hook::flag::register(signal, Arc::clone(&stop)).map_err(failed)?;
    }
    let mut interrupts = signal_hook::iterator::Signals::new([SIGINT]).map_err(failed)?;
    std::thread::spawn(move || {
        if interrupts.forever().next().is_some() {
            std::thread::sleep(SAME_REQUEST);
            exits_at_once.store(true, Ordering::Relaxed);
        }
    });
    Ok(stop)
}

/// Name of a scene: the stem of its file name.
pub(super) fn scene_name(scene: &Path) -> String {
    scene.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned())
}
