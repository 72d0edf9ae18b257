//! `nscdd check`: read a scene as `run` would, and say what is in it.

use super::SceneArgs;
use crate::dim::{Dim, Plane, Space};
use crate::error::{EXIT_DONE, Result};
use crate::io::scene::Scene;
use crate::io::setup::setup;

pub(super) fn check(args: &SceneArgs) -> Result<i32> {
    let scene = Scene::load(&args.scene, &args.sets)?;
    match scene.world.dimension {
        2 => describe::<Plane>(&scene, args),
        _ => describe::<Space>(&scene, args),
    }
}

fn describe<X: Dim>(scene: &Scene, args: &SceneArgs) -> Result<i32> {
    let setup = setup::<X>(scene)?;
    let (model, states) = (&setup.model, setup.bodies.states());
    let obstacles = states.iter().filter(|s| model.is_prescribed(s)).count();
    let free = states.len() - obstacles;
    // A sum of nothing is -0.
    let mass = setup.bodies.by_id().iter().filter(|s| !model.is_prescribed(s)).map(|s| s.mass).sum::<f64>() + 0.0;
    let steps = (scene.time.end / scene.time.step - 1e-9).ceil().max(0.0);
    println!("{}: no errors", args.scene.display());
    println!("  {}D, {free} bodies of {mass:.6} kg together, {obstacles} obstacles", X::D);
    println!("  {steps} steps of {} s to {} s", scene.time.step, scene.time.end);
    let parts = scene.domain.subdomains.resolve(free);
    println!("  {parts} subdomain{} of about {} bodies", if parts == 1 { "" } else { "s" }, free.div_ceil(parts));
    println!("  run it: nscdd run {}", args.scene.display());
    Ok(EXIT_DONE)
}
