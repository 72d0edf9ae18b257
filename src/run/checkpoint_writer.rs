//! Checkpoints of a run: writes each one when it is due, after the history up to it, and then removes old ones.

use crate::base::error::{Error, Result};
use crate::comm::all_agree;
use crate::dim::Dim;
use crate::measure::Recorder;
use crate::output::checkpoint::{self, CheckpointContent, Checkpoints};
use crate::output::folder::RunFolder;
use crate::output::schedule::CheckpointSchedule;
use crate::output::summary::RunCounts;
use crate::run::RunOptions;
use crate::simulation::Simulation;
use crate::simulation::timing::Phase;

/// Writes checkpoints on schedule.
pub(super) struct CheckpointWriter<'a> {
    pub(super) schedule: CheckpointSchedule,
    set: Checkpoints,
    text: &'a str,
    /// Step of the last checkpoint; `None` in a new run.
    saved: Option<u64>,
}

impl<'a> CheckpointWriter<'a> {
    pub(super) fn new<X: Dim>(options: &'a RunOptions, folder: &RunFolder, simulation: &Simulation<X>) -> Self {
        let (clock, h) = (simulation.clock, simulation.step_length());
        let schedule = CheckpointSchedule::new(&options.checkpoint.intervals(), clock.time, h);
        let set = Checkpoints::new(folder.path(), options.checkpoint.keep as usize);
        Self { schedule, set, text: &options.text, saved: options.resumed.then_some(clock.step) }
    }

    /// Collective. Writes a checkpoint, after the history up to it, unless this step has one.
    pub(super) fn save<X: Dim>(
        &mut self,
        simulation: &mut Simulation<X>,
        folder: &mut RunFolder,
        recorder: &mut Recorder<X>,
        counts: &RunCounts,
    ) -> Result<()> {
        let step = simulation.clock.step;
        if self.saved == Some(step) {
            return Ok(());
        }
        simulation.release_scratch();
        simulation.timed(Phase::Output, |simulation| {
            let comm = &**simulation.domain.comm();
            let is_root = comm.is_root();
            let path = folder.path().to_owned();
            let failed = |reason| Error::system("write a checkpoint into", &path, reason).everywhere(comm.is_root());
            let flushed = folder.flush().and_then(|()| recorder.flush()).map_err(|error| error.to_string());
            let prepared = if is_root { self.set.prepare() } else { Ok(()) };
            all_agree(comm, flushed.and(prepared.map_err(|error| error.to_string()))).map_err(failed)?;
            checkpoint::write(&self.set.path(step), &content(simulation, counts, self.text))?;
            let pruned = if is_root { self.set.prune(step) } else { Ok(()) };
            all_agree(comm, pruned.map_err(|error| error.to_string())).map_err(failed)
        })?;
        self.schedule.done();
        self.saved = Some(step);
        tracing::info!(step, "checkpoint written");
        Ok(())
    }
}

/// The present state as the content of a checkpoint.
pub(super) fn content<'a, X: Dim>(
    simulation: &'a Simulation<X>,
    counts: &'a RunCounts,
    scene: &'a str,
) -> CheckpointContent<'a, X> {
    CheckpointContent {
        model: &simulation.model,
        domain: &simulation.domain,
        bodies: &simulation.bodies,
        history: &simulation.history,
        step: simulation.clock.step,
        time: simulation.clock.time,
        energy: &simulation.sums.energy,
        mean_impulse: simulation.sums.mean_impulse,
        counters: &simulation.population.counters,
        counts,
        warnings: &simulation.warnings,
        scene,
    }
}
