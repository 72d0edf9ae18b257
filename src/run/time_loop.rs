//! The loop over the time steps, and the output between them.
//!
//! In: a simulation, the open folder of the run and the options. Out: all files of the run, and how it ended.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::checkpoint_writer::{CheckpointWriter, content};
use super::progress::Progress;
use super::{RunEnding, RunOptions};
use crate::base::error::{Error, Result};
use crate::comm::all_agree;
use crate::dim::Dim;
use crate::measure::{Recorder, measures};
use crate::output::checkpoint;
use crate::output::fclib;
use crate::output::folder::RunFolder;
use crate::output::frame::frame;
use crate::output::machine::Machine;
use crate::output::ranks::RankSamples;
use crate::output::schedule::Schedule;
use crate::output::summary::{BodyCounts, EndState, ParallelLayout, RunExtent, Summary};
use crate::simulation::timing::Phase;
use crate::simulation::warnings::WarningKind;
use crate::simulation::{Clock, Simulation, StepReport};

/// Runs `simulation` and writes into `folder`. An `Err` is a system error such as a file that cannot be written; if it
/// concerns one process only, the caller must inform the others.
pub fn run<X: Dim>(simulation: &mut Simulation<X>, folder: RunFolder, options: &RunOptions) -> Result<RunEnding> {
    let mut time_loop = TimeLoop::start(simulation, folder, options)?;
    let end = time_loop.steps()?;
    time_loop.finish(end)
}

/// A run in progress.
struct TimeLoop<'a, X: Dim> {
    simulation: &'a mut Simulation<X>,
    options: &'a RunOptions<'a>,
    folder: RunFolder,
    checkpoints: CheckpointWriter<'a>,
    recorder: Recorder<X>,
    frames: Schedule,
    samples: RankSamples,
    progress: Progress,
    summary: Summary,
    /// Where the run, or the resumed part of it, began.
    first: Clock,
    /// Number of steps up to the end time.
    last: u64,
    start: Instant,
}

/// How the loop over the steps ended.
enum LoopEnd {
    /// At the end time, or by the stop condition with this description.
    Reached(Option<String>),
    /// On request.
    Stopped,
    /// By an error of a step.
    Failed(Error),
}

/// Decisions between two steps.
struct BetweenSteps {
    stop: bool,
    checkpoint: bool,
}

impl<'a, X: Dim> TimeLoop<'a, X> {
    /// Collective. Opens all outputs, writes the first frame and reports the warnings so far.
    fn start(simulation: &'a mut Simulation<X>, mut folder: RunFolder, options: &'a RunOptions<'a>) -> Result<Self> {
        let start = Instant::now();
        let (first, h) = (simulation.clock, simulation.step_length());
        let last = (options.end / h - 1e-9).ceil().max(0.0) as u64;
        let progress = Progress::new(options.log, options.log_every, first.step, last);
        let summary = initial_summary(simulation, options);
        let checkpoints = CheckpointWriter::new(options, &folder, simulation);
        let is_root = simulation.domain().comm().is_root();
        let measures = measures::<X>(options.measures, simulation.model.has_deformables());
        let recorder = Recorder::open(folder.path(), measures, is_root, first.step, first.time, h)?;
        let mut frames = Schedule::new(options.frames_every);
        if first.step == 0 && !options.resumed {
            write_frame(simulation, &mut frames, &mut folder)?;
        } else {
            // The frame of this time was written before the checkpoint.
            frames.is_due(first.time, h);
        }
        if let Some(words) = folder.renamed_frames.take() {
            simulation.warnings.add(WarningKind::FramesPutAside, 1, (first.step, first.time), || words);
        }
        progress.warn(simulation.warnings.take_new());
        let samples = RankSamples::new(first.step, simulation.domain().comm().sent(), &simulation.timing);
        Ok(Self {
            simulation,
            options,
            folder,
            checkpoints,
            recorder,
            frames,
            samples,
            progress,
            summary,
            first,
            last,
            start,
        })
    }

    /// Collective. Performs steps until the run ends.
    fn steps(&mut self) -> Result<LoopEnd> {
        let mut ending = self.simulation.end_reached();
        loop {
            let decision = self.decide();
            let step = self.simulation.clock.step;
            let ends = step >= self.last || ending.is_some();
            if (decision.checkpoint && step > self.first.step) || (decision.stop && !ends) {
                self.save()?;
            }
            if ends {
                return Ok(LoopEnd::Reached(ending));
            }
            if decision.stop {
                return Ok(LoopEnd::Stopped);
            }
            self.simulation.set_stop_flag(Some(Arc::clone(self.options.stop)));
            let outcome = self.simulation.step();
            if matches!(outcome, Err(Error::Stopped)) {
                self.save()?;
                return Ok(LoopEnd::Stopped);
            }
            self.write_problem()?;
            self.progress.warn(self.simulation.warnings.take_new());
            match outcome {
                Ok(report) => {
                    self.write_step(&report)?;
                    ending = report.ends;
                }
                Err(error) => return Ok(LoopEnd::Failed(error)),
            }
            if (step + 1 >= self.last || ending.is_some())
                && let Err(error) = self.simulation.timed(Phase::Update, |simulation| simulation.check_inversion())
            {
                return Ok(LoopEnd::Failed(error));
            }
        }
    }

    /// Collective. Decides whether to stop (on the request of any process, or after `stop_after`) and whether a
    /// checkpoint is due (by the wall clock of any process, or by the schedule in steps and simulated time).
    fn decide(&mut self) -> BetweenSteps {
        let flag = |is_set: bool| f64::from(u8::from(is_set));
        let schedule = &mut self.checkpoints.schedule;
        let mut flags = [flag(self.options.stop.load(Ordering::Relaxed)), flag(schedule.is_overdue())];
        self.simulation.timed(Phase::Output, |simulation| simulation.domain().comm().max(&mut flags));
        let [requested, overdue] = flags.map(|flag| flag > 0.0);
        let clock = self.simulation.clock;
        let due = schedule.is_due(clock.step, clock.time, self.simulation.step_length());
        let stop = requested || self.options.stop_after.is_some_and(|last| clock.step >= last);
        BetweenSteps { stop, checkpoint: due || overdue }
    }

    /// Collective. Writes a checkpoint.
    fn save(&mut self) -> Result<()> {
        self.checkpoints.save(self.simulation, &mut self.folder, &mut self.recorder, &self.summary.counts)
    }

    /// Collective. Writes what is due after a step.
    fn write_step(&mut self, report: &StepReport) -> Result<()> {
        self.progress.step(report, self.simulation.domain().imbalance());
        self.summary.add(report);
        let timing = self.simulation.timing.clone();
        self.simulation.timing.phase(Phase::Output, || self.folder.record(report, &timing))?;
        write_frame(self.simulation, &mut self.frames, &mut self.folder)?;
        self.record()?;
        let Simulation { clock, bodies, timing, domain, .. } = &*self.simulation;
        let sent = domain.comm().sent();
        self.samples.add(clock.step, bodies.len(), domain.traffic(), sent, timing);
        Ok(())
    }

    /// Collective. Writes the contact problem of the step, if requested.
    fn write_problem(&mut self) -> Result<()> {
        let Self { simulation, folder, options, .. } = self;
        simulation.timed(Phase::Output, |simulation| {
            let Simulation { diagnosis, domain, clock, warnings, .. } = simulation;
            let Some(whole) = diagnosis.problem.take() else { return Ok(()) };
            let comm = &**domain.comm();
            let (step, time) = (clock.step, clock.time);
            let path = fclib::path(folder.path(), step);
            let written = match whole {
                Ok(Some(whole)) => fclib::write_global(&path, &whole, &format!("{}, step {step}", options.scene)),
                Ok(None) => Ok(()),
                Err(reason) => {
                    let message = || format!("the problem of step {step} is not written: {reason}");
                    warnings.add(WarningKind::ProblemNotWritten, 1, (step, time), message);
                    Ok(())
                }
            };
            let failed = |reason| Error::system("write the problem of a step:", &path, reason);
            all_agree(comm, written.map_err(|error| error.to_string()))
                .map_err(|reason| failed(reason).everywhere(comm.is_root()))
        })
    }

    /// Collective. Records the measures that are due.
    fn record(&mut self) -> Result<()> {
        let Self { simulation, recorder, .. } = self;
        let (clock, h) = (simulation.clock, simulation.step_length());
        simulation.timed(Phase::Output, |own| recorder.record(clock.step, clock.time, h, || own.view()))
    }

    /// Collective. Completes all files and the summary.
    fn finish(mut self, end: LoopEnd) -> Result<RunEnding> {
        self.progress.finish();
        self.describe(&end);
        self.folder.flush()?;
        self.recorder.flush()?;
        self.write_last_state(&end)?;
        self.summary.set_times(&self.simulation.timing, self.start.elapsed().as_secs_f64());
        self.write_summary()?;
        Ok(match end {
            LoopEnd::Failed(error) => RunEnding::Failed(self.summary, error),
            LoopEnd::Stopped => RunEnding::Stopped(self.summary),
            LoopEnd::Reached(_) => RunEnding::Finished(self.summary),
        })
    }

    /// Adds the ending, the warnings and the number of frames to the summary.
    fn describe(&mut self, end: &LoopEnd) {
        self.summary.reached.ending = match end {
            LoopEnd::Failed(error) => error.to_string(),
            LoopEnd::Stopped => "stopped".into(),
            LoopEnd::Reached(None) => "finished".into(),
            LoopEnd::Reached(Some(message)) => format!("ended: {message}"),
        };
        if let Some(message) = self.summary.energy_warning() {
            let now = (self.simulation.clock.step, self.simulation.clock.time);
            self.simulation.warnings.add(WarningKind::EnergyBalance, 1, now, || message);
        }
        self.summary.warnings = self.simulation.warnings.all().to_vec();
        self.summary.frames = self.folder.frames();
    }

    /// Collective. Writes the final or the failing state; the state of a run that stopped is in its checkpoint.
    fn write_last_state(&mut self, end: &LoopEnd) -> Result<()> {
        let path = match end {
            LoopEnd::Stopped => return Ok(()),
            LoopEnd::Failed(_) => checkpoint::failed_path(self.folder.path()),
            LoopEnd::Reached(_) => checkpoint::final_path(self.folder.path()),
        };
        self.simulation.release_scratch();
        checkpoint::write(&path, &content(self.simulation, &self.summary.counts, &self.options.text))
    }

    /// Collective. Writes the samples of the ranks and the summary. A resumed run that had already ended keeps both.
    fn write_summary(&self) -> Result<()> {
        let path = self.folder.path().join("summary.json");
        let comm = &**self.simulation.domain().comm();
        let (now, first) = (self.simulation.clock.step, self.first.step);
        let is_complete = first > 0 && now == first && path.exists();
        if now > first {
            self.samples.write(comm, &self.folder.path().join("ranks.csv"))?;
        }
        if comm.is_root() && !is_complete {
            self.summary.write(&path)?;
        }
        Ok(())
    }
}

/// Collective. The summary before the first step.
fn initial_summary<X: Dim>(simulation: &Simulation<X>, options: &RunOptions) -> Summary {
    let Simulation { domain, model, bodies, clock, .. } = simulation;
    let mut summary = Summary {
        program: format!("nscdd {}", env!("CARGO_PKG_VERSION")),
        scene: options.scene.clone(),
        dimension: X::D,
        population: BodyCounts {
            bodies: domain.sum_over_bodies(bodies, |_| [1.0])[0] as usize,
            ..BodyCounts::default()
        },
        layout: ParallelLayout {
            subdomains: domain.parts(),
            threads: rayon::current_num_threads(),
            ranks: domain.comm().size(),
        },
        reached: RunExtent { steps: clock.step, simulated_s: clock.time, ..RunExtent::default() },
        end: EndState {
            kinetic_energy_j: domain.sum_over_bodies(bodies, |state| [model.kinetic_energy(state)])[0],
            ..EndState::default()
        },
        counts: options.counts.clone(),
        machine: Machine::of(&**domain.comm()),
        ..Summary::default()
    };
    summary.set_energy(simulation.sums.energy);
    summary
}

/// Collective. Writes a frame if one is due.
fn write_frame<X: Dim>(simulation: &mut Simulation<X>, schedule: &mut Schedule, folder: &mut RunFolder) -> Result<()> {
    let (clock, h) = (simulation.clock, simulation.step_length());
    if !schedule.is_due(clock.time, h) {
        return Ok(());
    }
    simulation.timed(Phase::Output, |simulation| {
        let (Simulation { model, bodies, .. }, domain) = (&*simulation, simulation.domain());
        folder.append_frame(&**domain.comm(), &frame(domain, model, bodies, simulation.loaded_nodes(), clock.time, h))
    })
}
