//! A whole run: steps until the end of time, a request to stop, or a failure; everything kept in the run's folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Simulation;
use crate::dim::Dim;
use crate::error::{Error, Result};
use crate::io::final_state;
use crate::io::folder::{Folder, Schedule};
use crate::io::frame::frame;
use crate::io::progress::Progress;
use crate::io::summary::Summary;
use crate::io::timing::Phase;

/// What a run is told besides its scene.
pub struct Options<'a> {
    /// Simulated time at which to end, s.
    pub end: f64,
    /// Name of the scene, for the summary.
    pub scene: String,
    /// The scene as run.
    pub text: String,
    /// Simulated seconds between frames; none if absent.
    pub frames_every: Option<f64>,
    /// No progress bar.
    pub quiet: bool,
    /// Set from outside to end after the current step.
    pub stop: &'a AtomicBool,
}

/// How a run ended.
pub enum Ending {
    /// It reached its end.
    Finished(Summary),
    /// It was asked to stop; all there is has been written.
    Stopped(Summary),
    /// It failed; the state that shows why has been written.
    Failed(Summary, Error),
}

/// Run `simulation` and write into `folder`, which process 0 has. An error is one of the system's: a file that could
/// not be written; it concerns one process only, and the others must be told.
pub fn run<X: Dim>(simulation: &mut Simulation<X>, mut folder: Option<Folder>, options: &Options) -> Result<Ending> {
    let start = Instant::now();
    let h = simulation.step_length();
    let steps = (options.end / h - 1e-9).ceil().max(0.0) as u64;
    let progress = Progress::new(steps, options.quiet);
    let mut summary = Summary {
        program: format!("nscdd {}", env!("CARGO_PKG_VERSION")),
        scene: options.scene.clone(),
        dimension: X::D,
        bodies: simulation.domain().sum_over_bodies(&simulation.bodies, |_| [1.0])[0] as usize,
        subdomains: simulation.domain().parts(),
        ranks: simulation.domain().comm().size(),
        threads: rayon::current_num_threads(),
        ..Summary::default()
    };
    let mut schedule = Schedule::new(options.frames_every);
    simulation.show(&mut schedule, folder.as_mut())?;
    let mut failure = None;
    while simulation.clock.step < steps && !simulation.is_stopped(options.stop) {
        match simulation.step() {
            Ok(report) => {
                progress.step(&report);
                summary.add(&report);
                let timing = simulation.timing;
                if let Some(folder) = &mut folder {
                    simulation.timing.phase(Phase::Output, || folder.record(&report, &timing))?;
                }
                simulation.show(&mut schedule, folder.as_mut())?;
            }
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    progress.finish();
    let finished = simulation.clock.step >= steps;
    summary.ending = match (&failure, finished) {
        (Some(error), _) => error.to_string(),
        (None, true) => "finished".into(),
        (None, false) => "stopped".into(),
    };
    let all = simulation.domain().collect(&simulation.bodies);
    summary.set_times(&simulation.timing, start.elapsed().as_secs_f64());
    if let (Some(folder), Some(all)) = (&mut folder, &all) {
        summary.frames = folder.frames();
        folder.flush()?;
        let path = folder.path().join("final.h5");
        final_state::write(&path, &simulation.model, all, simulation.clock.step, h, &options.text)?;
        summary.set_times(&simulation.timing, start.elapsed().as_secs_f64());
        summary.write(&folder.path().join("summary.json"))?;
    }
    Ok(match failure {
        Some(error) => Ending::Failed(summary, error),
        None if finished => Ending::Finished(summary),
        None => Ending::Stopped(summary),
    })
}

impl<X: Dim> Simulation<X> {
    /// Write a frame if one is due.
    fn show(&mut self, schedule: &mut Schedule, folder: Option<&mut Folder>) -> Result<()> {
        let Self { timing, model, bodies, domain, clock, plan, .. } = self;
        if !schedule.is_due(clock.time, plan.integrator.h) {
            return Ok(());
        }
        timing.phase(Phase::Output, || {
            let (all, chains) = (domain.collect(bodies), domain.collect_chains(bodies));
            match (folder, all) {
                (Some(folder), Some(all)) => folder.show(&frame(model, &all, &chains, clock.time, plan.integrator.h)),
                _ => Ok(()),
            }
        })
    }

    /// Has any process been asked to stop?
    fn is_stopped(&self, stop: &AtomicBool) -> bool {
        let mut asked = [f64::from(u8::from(stop.load(Ordering::Relaxed)))];
        self.domain.comm().max(&mut asked);
        asked[0] > 0.0
    }
}
