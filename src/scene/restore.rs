//! From a checkpoint and its scene to the model and the bodies of a run that goes on.

use partitioning::Cuts;

use super::population::population;
use super::setup::{Setup, bounds, gravity};
use super::{MaterialUse, Scene, law_table};
use crate::base::error::Error;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;
use crate::output::checkpoint::Restored;

/// The model of a scene whose bodies were made before and are restored from a file.
pub fn restore<X: Dim>(scene: &Scene, restored: Restored<X>) -> Result<(Setup<X>, ContactHistory<X>, Cuts<3>), Error> {
    scene.check()?;
    let Restored { shapes, materials, motions, links, bodies, history, cuts } = restored;
    // That every pair that can meet has a law was seen when the bodies were made.
    let nobody = vec![MaterialUse::default(); scene.materials.len()];
    let laws = law_table(scene, &nobody).map_err(|problem| scene.fail(problem))?;
    let tilt = scene.tilt().map_err(|problem| scene.fail(problem))?;
    let cell = scene.cell().map_err(|problem| scene.fail(problem))?;
    let membranes = scene.membranes().map_err(|problem| scene.fail(problem))?;
    let gravity = gravity::<X>(scene);
    let model = Model { shapes, materials, motions, laws, links, gravity, tilt, cell, membranes };
    let population = population(scene, &model).map_err(|problem| scene.fail(problem))?;
    Ok((Setup { model, bodies, bounds: bounds(scene), population }, history, cuts))
}
