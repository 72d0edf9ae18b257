//! `nscdd run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::RunArgs;
use super::launch::{Launch, agreed, name_of, plan, pool, together};
use crate::comm::Comm;
use crate::dim::{Dim, Plane, Space};
use crate::error::Result;
use crate::io::folder::{Folder, Wishes};
use crate::io::scene::Scene;
use crate::io::setup::{Setup, setup};
use crate::io::summary::Tally;
use crate::model::Model;
use crate::state::{Bodies, State};
use crate::strategy::Simulation;

pub(super) fn run(args: &RunArgs, quiet: bool) -> Result<i32> {
    together(|comm| {
        let scene = match agreed(&**comm, Scene::load(&args.scene.scene, &args.scene.sets))? {
            Ok(scene) => scene,
            Err(code) => return Ok(code),
        };
        pool(&args.engine, &**comm)?.install(|| match scene.world.dimension {
            2 => simulate::<Plane>(&scene, args, quiet, comm),
            _ => simulate::<Space>(&scene, args, quiet, comm),
        })
    })
}

fn simulate<X: Dim>(scene: &Scene, args: &RunArgs, quiet: bool, comm: &Arc<dyn Comm>) -> Result<i32> {
    let Setup { model, bodies, bounds } = match agreed(&**comm, setup::<X>(scene))? {
        Ok(setup) => setup,
        Err(code) => return Ok(code),
    };
    let path = folder_path(scene, args);
    let wishes = Wishes::of(&scene.output);
    let folder = (comm.rank() == 0).then(|| Folder::create(&path, &scene.text(), wishes, args.overwrite)).transpose();
    let folder = match agreed(&**comm, folder)? {
        Ok(folder) => folder,
        Err(code) => return Ok(code),
    };
    let bodies = share(&model, bodies, &**comm);
    let simulation = Simulation::on(Arc::clone(comm), model, bodies, bounds, plan(scene));
    let name = name_of(&args.scene.scene);
    Launch { scene, name, path, folder, tally: Tally::default(), args: &args.engine, quiet }.go(simulation)
}

/// The bodies that this process starts with: its share of the free ones, and all obstacles.
fn share<X: Dim>(model: &Model<X>, bodies: Bodies<X>, comm: &dyn Comm) -> Bodies<X> {
    let (rank, size) = (comm.rank(), comm.size());
    if size == 1 {
        return bodies;
    }
    let mine = |(i, state): &(usize, State<X>)| i % size == rank || model.is_prescribed(state);
    Bodies::new(bodies.by_id().into_iter().enumerate().filter(mine).map(|(_, state)| state).collect())
}

fn folder_path(scene: &Scene, args: &RunArgs) -> PathBuf {
    let given = args.out.clone().or_else(|| scene.output.directory.clone());
    given.unwrap_or_else(|| Path::new("out").join(name_of(&args.scene.scene)))
}
