//! `nscdd run`: simulates a scene from its initial state.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::RunArgs;
use super::launch::{Launch, LaunchContext, agree, catch_signals, on_all_processes, plan, pool, scene_name};
use super::placement::Placement;
use crate::base::error::Result;
use crate::comm::Comm;
use crate::dim::{Dim, Plane, Space};
use crate::output::folder::RunFolder;
use crate::output::summary::RunCounts;
use crate::scene::Scene;
use crate::scene::setup::{Setup, setup, setup_share};
use crate::simulation::Simulation;

pub(super) fn run(args: &RunArgs, quiet: bool) -> Result<i32> {
    let stop = catch_signals()?;
    on_all_processes(|comm| {
        let scene = match agree(&**comm, Scene::load(&args.scene.scene, &args.scene.sets))? {
            Ok(scene) => scene,
            Err(code) => return Ok(code),
        };
        let placement = Placement::of(&**comm);
        let context = LaunchContext { comm, placement: &placement, stop: &stop, quiet };
        pool(args.engine.threads, &placement)?.install(|| match scene.world.dimension {
            2 => simulate::<Plane>(&scene, args, &context),
            _ => simulate::<Space>(&scene, args, &context),
        })
    })
}

fn simulate<X: Dim>(scene: &Scene, args: &RunArgs, context: &LaunchContext) -> Result<i32> {
    let comm = context.comm;
    let simulation = match begin::<X>(scene, comm)? {
        Ok(simulation) => simulation,
        Err(code) => return Ok(code),
    };
    let path = folder_path(scene, args);
    let selection = scene.output.selection();
    let folder = match comm.is_root() {
        true => RunFolder::create(&path, &scene.text(), selection, args.overwrite),
        false => Ok(RunFolder::on_other_process(&path, selection)),
    };
    let folder = match agree(&**comm, folder)? {
        Ok(folder) => folder,
        Err(code) => return Ok(code),
    };
    let name = scene_name(&args.scene.scene);
    let (counts, args) = (RunCounts::default(), &args.engine);
    Launch { scene, name, path, folder, counts, args, context, resumed: false }.start(simulation)
}

/// Collective. Builds the simulation with the bodies of this process, or returns an exit code. On an error, process 0
/// builds the whole scene, so that the message is the same as on a single process.
pub(super) fn begin<X: Dim>(scene: &Scene, comm: &Arc<dyn Comm>) -> Result<std::result::Result<Simulation<X>, i32>> {
    let mut own = setup_share::<X>(scene, &**comm);
    let mut failed = [f64::from(u8::from(own.is_err()))];
    comm.max(&mut failed);
    if failed[0] > 0.0 && comm.is_root() && comm.size() > 1 {
        own = setup::<X>(scene).and(own);
    }
    let Setup { model, bodies, bounds, population } = match agree(&**comm, own)? {
        Ok(setup) => setup,
        Err(code) => return Ok(Err(code)),
    };
    let mut simulation = Simulation::on(Arc::clone(comm), model, bodies, bounds, plan(scene)).with(population);
    if simulation.has_initial_overlap() {
        let checked = if comm.is_root() { setup::<X>(scene).map(drop) } else { Ok(()) };
        if let Err(code) = agree(&**comm, checked)? {
            return Ok(Err(code));
        }
    }
    Ok(Ok(simulation))
}

fn folder_path(scene: &Scene, args: &RunArgs) -> PathBuf {
    let given = args.out.clone().or_else(|| scene.output.directory.clone());
    given.unwrap_or_else(|| Path::new("out").join(scene_name(&args.scene.scene)))
}
