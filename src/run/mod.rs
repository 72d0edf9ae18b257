//! The time loop of a run: steps until the end time, a stop condition, a request to stop or a failure, with all output
//! in the run folder.

pub mod progress;
pub(crate) mod resume;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::base::error::{Error, Result};
use crate::comm::all_agree;
use crate::dim::Dim;
use crate::measure::{Recorder, measures};
use crate::output::checkpoint::{self, CheckpointContent, Checkpoints};
use crate::output::fclib;
use crate::output::folder::RunFolder;
use crate::output::frame::frame;
use crate::output::machine::Machine;
use crate::output::ranks::RankSamples;
use crate::output::schedule::{CheckpointSchedule, Schedule};
use crate::output::summary::{RunCounts, Summary};
use crate::run::progress::{LogStyle, Progress};
use crate::scene::{CheckpointEntry, MeasureEntry};
use crate::simulation::Simulation;
use crate::simulation::timing::Phase;
use crate::simulation::warnings::WarningKind;

/// Options of a run besides its scene.
pub struct RunOptions<'a> {
    /// Simulated time at which the run ends, s.
    pub end: f64,
    /// Name of the scene, for the summary.
    pub scene: String,
    /// Text of the scene as run.
    pub text: String,
    /// Simulated time between frames, s; `None` for no frames.
    pub frames_every: Option<f64>,
    /// Measures to record.
    pub measures: &'a [MeasureEntry],
    /// Checkpoint schedule.
    pub checkpoint: CheckpointEntry,
    /// Counts of an earlier part of the run.
    pub tally: RunCounts,
    /// Stop after this step, as on request.
    pub stop_after: Option<u64>,
    /// Style of the progress output.
    pub log: LogStyle,
    /// Wall time between two progress lines, s.
    pub log_every: f64,
    /// Set from outside to request a stop: the current step is abandoned.
    pub stop: &'a Arc<AtomicBool>,
    /// True if the run continues from a checkpoint.
    pub resumed: bool,
}

/// Outcome of a run.
pub enum RunEnding {
    /// The run reached its end.
    Finished(Summary),
    /// The run stopped on request; a checkpoint to resume from has been written.
    Stopped(Summary),
    /// The run failed; the failing state has been written.
    Failed(Summary, Error),
}

/// Decisions between two steps.
struct BetweenSteps {
    stop: bool,
    checkpoint: bool,
}

/// Runs `simulation` and writes into `folder`. An `Err` is a system error such as a file that cannot be written; if it
/// concerns one process only, the caller must inform the others.
pub fn run<X: Dim>(simulation: &mut Simulation<X>, mut folder: RunFolder, options: &RunOptions) -> Result<RunEnding> {
    let start = Instant::now();
    let h = simulation.step_length();
    let steps = (options.end / h - 1e-9).ceil().max(0.0) as u64;
    let first = simulation.clock;
    let mut progress = Progress::new(options.log, options.log_every, first.step, steps);
    let mut summary = Summary {
        program: format!("nscdd {}", env!("CARGO_PKG_VERSION")),
        scene: options.scene.clone(),
        dimension: X::D,
        bodies: simulation.domain().sum_over_bodies(&simulation.bodies, |_| [1.0])[0] as usize,
        subdomains: simulation.domain().parts(),
        ranks: simulation.domain().comm().size(),
        threads: rayon::current_num_threads(),
        steps: first.step,
        simulated_s: first.time,
        kinetic_energy_j: simulation.kinetic_energy(),
        tally: options.tally.clone(),
        machine: Machine::of(&**simulation.domain().comm()),
        ..Summary::default()
    };
    summary.set_energy(simulation.sums.energy);
    let mut keeper = CheckpointWriter::new(options, &folder, first.time, h);
    let is_root = simulation.domain().comm().is_root();
    let wanted = measures::<X>(options.measures);
    let mut recorder = Recorder::open(folder.path(), wanted, is_root, first.step, first.time, h)?;
    let mut frames = Schedule::new(options.frames_every);
    if first.step == 0 && !options.resumed {
        simulation.show(&mut frames, &mut folder)?;
    } else {
        // The frame of this time was written before the checkpoint.
        frames.is_due(first.time, h);
    }
    if let Some(words) = folder.put_aside.take() {
        simulation.warnings.add(WarningKind::FramesPutAside, 1, (first.step, first.time), || words);
    }
    progress.warn(simulation.warnings.take_new());
    let mut failure = None;
    // The step of the last checkpoint; a new run has none.
    let mut saved = options.resumed.then_some(first.step);
    let mut track = RankSamples::new(first.step, simulation.domain().comm().sent());
    let mut verdict = simulation.is_over();
    let stopped = loop {
        let pause = simulation.pause(options, &mut keeper);
        let step = simulation.clock.step;
        let ends = step >= steps || verdict.is_some();
        let wants = (pause.checkpoint && step > first.step) || (pause.stop && !ends);
        if wants && saved != Some(step) {
            keeper.save(simulation, &mut folder, &mut recorder, &summary.tally)?;
            saved = Some(step);
        }
        if ends || pause.stop {
            break !ends;
        }
        simulation.heed(Some(Arc::clone(options.stop)));
        let made = simulation.step();
        if matches!(made, Err(Error::Stopped)) {
            if saved != Some(step) {
                keeper.save(simulation, &mut folder, &mut recorder, &summary.tally)?;
            }
            break true;
        }
        simulation.put_problem(&folder, &options.scene)?;
        progress.warn(simulation.warnings.take_new());
        match made {
            Ok(report) => {
                progress.step(&report, simulation.domain().imbalance());
                summary.add(&report);
                let timing = simulation.timing;
                simulation.timing.phase(Phase::Output, || folder.record(&report, &timing))?;
                simulation.show(&mut frames, &mut folder)?;
                simulation.record(&mut recorder)?;
                let Simulation { clock, bodies, timing, domain, .. } = &*simulation;
                let sent = domain.comm().sent();
                track.add(clock.step, bodies.len(), domain.traffic(), sent, timing, domain.waited());
                verdict = report.ends;
            }
            Err(error) => {
                failure = Some(error);
                break false;
            }
        }
    };
    progress.finish();
    summary.ending = match (&failure, stopped) {
        (Some(error), _) => error.to_string(),
        (None, true) => "stopped".into(),
        (None, false) => verdict.map_or("finished".into(), |words| format!("ended: {words}")),
    };
    if let Some(words) = summary.energy_warning() {
        let now = (simulation.clock.step, simulation.clock.time);
        simulation.warnings.add(WarningKind::EnergyBalance, 1, now, || words);
    }
    summary.warnings = simulation.warnings.all().to_vec();
    summary.frames = folder.frames();
    folder.flush()?;
    recorder.flush()?;
    if !stopped {
        let path = match failure {
            Some(_) => checkpoint::failed_path(folder.path()),
            None => checkpoint::final_path(folder.path()),
        };
        simulation.release_scratch();
        checkpoint::write(&path, &simulation.moment(&summary.tally, &options.text))?;
    }
    summary.set_times(&simulation.timing, start.elapsed().as_secs_f64());
    let account = folder.path().join("summary.json");
    // A resumed run that had already ended keeps its summary.
    let is_told = first.step > 0 && simulation.clock.step == first.step && account.exists();
    if simulation.clock.step > first.step {
        track.write(&**simulation.domain().comm(), &folder.path().join("ranks.csv"))?;
    }
    if simulation.domain().comm().is_root() && !is_told {
        summary.write(&account)?;
    }
    Ok(match failure {
        Some(error) => RunEnding::Failed(summary, error),
        None if stopped => RunEnding::Stopped(summary),
        None => RunEnding::Finished(summary),
    })
}

/// Writes checkpoints on schedule.
struct CheckpointWriter<'a> {
    schedule: CheckpointSchedule,
    set: Checkpoints,
    text: &'a str,
}

impl<'a> CheckpointWriter<'a> {
    fn new(options: &'a RunOptions, folder: &RunFolder, time: f64, h: f64) -> Self {
        let schedule = CheckpointSchedule::new(&options.checkpoint.intervals(), time, h);
        let set = Checkpoints::new(folder.path(), options.checkpoint.keep as usize);
        Self { schedule, set, text: &options.text }
    }

    /// Writes a checkpoint, after the history up to it is on disk.
    fn save<X: Dim>(
        &mut self,
        simulation: &mut Simulation<X>,
        folder: &mut RunFolder,
        recorder: &mut Recorder<X>,
        tally: &RunCounts,
    ) -> Result<()> {
        let mut timing = simulation.timing;
        simulation.release_scratch();
        timing.phase(Phase::Output, || {
            let comm = &**simulation.domain.comm();
            let (step, is_root) = (simulation.clock.step, comm.is_root());
            let path = folder.path().to_owned();
            let failed = |reason| Error::system("write a checkpoint into", &path, reason).everywhere(comm.is_root());
            let flushed = folder.flush().and_then(|()| recorder.flush()).map_err(|error| error.to_string());
            let prepared = if is_root { self.set.prepare() } else { Ok(()) };
            all_agree(comm, flushed.and(prepared.map_err(|error| error.to_string()))).map_err(failed)?;
            checkpoint::write(&self.set.path(step), &simulation.moment(tally, self.text))?;
            let pruned = if is_root { self.set.prune(step) } else { Ok(()) };
            all_agree(comm, pruned.map_err(|error| error.to_string())).map_err(failed)
        })?;
        simulation.timing = timing;
        self.schedule.done();
        tracing::info!(step = simulation.clock.step, "checkpoint written");
        Ok(())
    }
}

impl<X: Dim> Simulation<X> {
    /// Collective. Kinetic energy of all bodies, J.
    fn kinetic_energy(&self) -> f64 {
        self.domain.sum_over_bodies(&self.bodies, |state| [self.model.kinetic_energy(state)])[0]
    }

    /// The present state as the content of a checkpoint.
    fn moment<'a>(&'a self, tally: &'a RunCounts, scene: &'a str) -> CheckpointContent<'a, X> {
        CheckpointContent {
            model: &self.model,
            domain: &self.domain,
            bodies: &self.bodies,
            history: &self.history,
            step: self.clock.step,
            time: self.clock.time,
            energy: &self.sums.energy,
            mean_impulse: self.sums.mean_impulse,
            counters: &self.population.counters,
            tally,
            warnings: &self.warnings,
            scene,
        }
    }

    /// Writes the contact problem of the step, if requested.
    fn put_problem(&mut self, folder: &RunFolder, scene: &str) -> Result<()> {
        let Some(whole) = self.diagnosis.problem.take() else { return Ok(()) };
        let comm = &**self.domain.comm();
        let (step, time) = (self.clock.step, self.clock.time);
        let path = fclib::path(folder.path(), step);
        let written = match whole {
            Ok(Some(whole)) => fclib::put_whole(&path, &whole, &format!("{scene}, step {step}")),
            Ok(None) => Ok(()),
            Err(refused) => {
                let words = || format!("the problem of step {step} is not written: {refused}");
                self.warnings.add(WarningKind::ProblemNotWritten, 1, (step, time), words);
                Ok(())
            }
        };
        let written = all_agree(comm, written.map_err(|error| error.to_string()));
        written.map_err(|reason| Error::system("write the problem of a step:", path, reason).everywhere(comm.is_root()))
    }

    /// Writes a frame if one is due.
    fn show(&mut self, schedule: &mut Schedule, folder: &mut RunFolder) -> Result<()> {
        let Self { timing, model, bodies, domain, clock, plan, .. } = self;
        if !schedule.is_due(clock.time, plan.integrator.h) {
            return Ok(());
        }
        timing.phase(Phase::Output, || {
            let comm = &**domain.comm();
            folder.show(comm, &frame(domain, model, bodies, clock.time, plan.integrator.h))
        })
    }

    /// Records the measures that are due.
    fn record(&mut self, recorder: &mut Recorder<X>) -> Result<()> {
        let mut timing = self.timing;
        let h = self.step_length();
        let recorded =
            timing.phase(Phase::Output, || recorder.record(self.clock.step, self.clock.time, h, || self.view()));
        self.timing = timing;
        recorded
    }

    /// Collective. Decides whether to stop (on the request of any process, or after `stop_after`) and whether a
    /// checkpoint is due (by the wall clock of any process, or by the schedule in steps and simulated time).
    fn pause(&self, options: &RunOptions, keeper: &mut CheckpointWriter) -> BetweenSteps {
        let flag = |is_set: bool| f64::from(u8::from(is_set));
        let mut flags = [flag(options.stop.load(Ordering::Relaxed)), flag(keeper.schedule.is_overdue())];
        self.domain.comm().max(&mut flags);
        let [asked, overdue] = flags.map(|flag| flag > 0.0);
        let Self { clock, plan, .. } = self;
        let due = keeper.schedule.is_due(clock.step, clock.time, plan.integrator.h);
        let stop = asked || options.stop_after.is_some_and(|last| clock.step >= last);
        BetweenSteps { stop, checkpoint: due || overdue }
    }
}
