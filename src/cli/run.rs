//! `nscdd run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::RunArgs;
use crate::dim::{Dim, Plane, Space};
use crate::error::{EXIT_DONE, EXIT_STOPPED, Error, Result};
use crate::integrator::Theta;
use crate::io::folder::{Folder, Wishes};
use crate::io::scene::Scene;
use crate::io::setup::{Setup, setup};
use crate::strategy::{self, Ending, Options, Plan, Simulation};

pub(super) fn run(args: &RunArgs, quiet: bool) -> Result<i32> {
    let scene = Scene::load(&args.scene.scene, &args.scene.sets)?;
    let threads = args.threads.unwrap_or(0);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::system("start", "threads", e))?;
    pool.install(|| match scene.world.dimension {
        2 => simulate::<Plane>(&scene, args, quiet),
        _ => simulate::<Space>(&scene, args, quiet),
    })
}

/// The part of a scene that says how to simulate.
pub fn plan(scene: &Scene) -> Plan {
    Plan {
        integrator: Theta { h: scene.time.step, theta: scene.time.theta, gyroscopic: scene.time.gyroscopic },
        domain: scene.domain.clone(),
        solver: scene.solver.clone(),
        detection: scene.detection.clone(),
    }
}

fn simulate<X: Dim>(scene: &Scene, args: &RunArgs, quiet: bool) -> Result<i32> {
    let Setup { model, bodies, bounds } = setup::<X>(scene)?;
    let path = folder_path(scene, args);
    let wishes = Wishes {
        frames_every: scene.output.frames.as_ref().map(|f| f.every),
        history: scene.output.history,
        overwrite: args.overwrite,
    };
    let text = scene.text();
    let folder = Folder::create(&path, &text, wishes)?;
    let mut simulation = Simulation::new(model, bodies, bounds, plan(scene));
    tracing::info!(
        bodies = simulation.bodies.len(),
        subdomains = simulation.domain().subdomains().len(),
        threads = rayon::current_num_threads(),
        "simulating"
    );
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // A second signal ends the program at once, in case a step takes long.
        let registered = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)));
        registered.map_err(|e| Error::system("catch", "signals", e))?;
    }
    let options = Options { end: scene.time.end, scene: name_of(&args.scene.scene), text, quiet, stop: &stop };
    let (summary, code) = match strategy::run(&mut simulation, folder, &options)? {
        Ending::Finished(summary) => (summary, Ok(EXIT_DONE)),
        Ending::Stopped(summary) => (summary, Ok(EXIT_STOPPED)),
        Ending::Failed(summary, error) => (summary, Err(error)),
    };
    if !quiet {
        println!("{}", summary.text(&path));
        if code.as_ref().is_ok_and(|&c| c == EXIT_STOPPED) {
            println!("stopped on request after step {}: everything up to there is written", summary.steps);
        }
    }
    code
}

fn name_of(scene: &Path) -> String {
    scene.file_stem().map_or_else(|| "scene".into(), |s| s.to_string_lossy().into_owned())
}

fn folder_path(scene: &Scene, args: &RunArgs) -> PathBuf {
    let given = args.out.clone().or_else(|| scene.output.directory.clone());
    given.unwrap_or_else(|| Path::new("out").join(name_of(&args.scene.scene)))
}
