//! A whole run: steps until the end of time, a request to stop, or a failure; everything kept in the run's folder.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::Simulation;
use crate::dim::Dim;
use crate::error::{Error, Result};
use crate::io::final_state;
use crate::io::folder::Folder;
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

/// Run `simulation` and write into `folder`. An error is one of the system's: a file that could not be written.
pub fn run<X: Dim>(simulation: &mut Simulation<X>, mut folder: Folder, options: &Options) -> Result<Ending> {
    let start = Instant::now();
    let h = simulation.step_length();
    let steps = (options.end / h - 1e-9).ceil().max(0.0) as u64;
    let progress = Progress::new(steps, options.quiet);
    let mut summary = Summary {
        program: format!("nscdd {}", env!("CARGO_PKG_VERSION")),
        scene: options.scene.clone(),
        dimension: X::D,
        bodies: simulation.bodies.len(),
        subdomains: simulation.domain().subdomains().len(),
        threads: rayon::current_num_threads(),
        ..Summary::default()
    };
    simulation.show(&mut folder)?;
    let mut failure = None;
    while simulation.clock.step < steps && !options.stop.load(Ordering::Relaxed) {
        match simulation.step() {
            Ok(report) => {
                progress.step(&report);
                summary.add(&report);
                let timing = simulation.timing;
                simulation.timing.phase(Phase::Output, || folder.record(&report, &timing))?;
                simulation.show(&mut folder)?;
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
    summary.frames = folder.frames();
    folder.flush()?;
    let path = folder.path().join("final.h5");
    final_state::write(&path, &simulation.model, &simulation.bodies, simulation.clock.step, h, &options.text)?;
    summary.set_times(&simulation.timing, start.elapsed().as_secs_f64());
    summary.write(&folder.path().join("summary.json"))?;
    Ok(match failure {
        Some(error) => Ending::Failed(summary, error),
        None if finished => Ending::Finished(summary),
        None => Ending::Stopped(summary),
    })
}

impl<X: Dim> Simulation<X> {
    /// Write a frame if one is due.
    fn show(&mut self, folder: &mut Folder) -> Result<()> {
        let Self { timing, model, bodies, domain, clock, plan, .. } = self;
        timing.phase(Phase::Output, || folder.show(model, bodies, domain, clock.time, plan.integrator.h))
    }
}
