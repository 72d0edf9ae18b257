//! Restart: creates the model and the bodies of a continued run from a checkpoint and its scene.

use partitioning::Cuts;

use super::elastic::elastic_operators;
use super::population::population;
use super::setup::{Setup, bounds, gravity};
use super::{MaterialUse, Scene, law_table};
use crate::base::error::Error;
use crate::contactor::facing::FacingParts;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::model::Model;
use crate::output::checkpoint::Restored;

/// The setup of a scene whose bodies are restored from a file.
pub fn restore<X: Dim>(scene: &Scene, restored: Restored<X>) -> Result<(Setup<X>, ContactHistory<X>, Cuts<3>), Error> {
    scene.check()?;
    let Restored { shapes, materials, motions, links, bodies, history, cuts } = restored;
    // When the bodies were created, every pair that can come into contact was checked to have a law.
    let nobody = vec![MaterialUse::default(); scene.materials.len()];
    let laws = law_table(scene, &nobody).map_err(|problem| scene.fail(problem))?;
    let tilt = scene.tilt().map_err(|problem| scene.fail(problem))?;
    let cell = scene.cell().map_err(|problem| scene.fail(problem))?;
    let membranes = scene.membranes().map_err(|problem| scene.fail(problem))?;
    let gravity = gravity::<X>(scene);
    let deformables = elastic_operators(&shapes, scene).map_err(|problem| scene.fail(problem))?;
    let facing = FacingParts::of_all(&shapes);
    let model = Model { shapes, materials, motions, laws, links, gravity, tilt, cell, membranes, deformables, facing };
    let population = population(scene, &model).map_err(|problem| scene.fail(problem))?;
    Ok((Setup { model, bodies, bounds: bounds(scene), population }, history, cuts))
}
