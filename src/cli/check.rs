//! `nscdd check`: reads a scene as `run` does and summarises it.

use super::args::SceneArgs;
use super::terminal::print;
use crate::base::error::{Result, called_as};
use crate::base::memory::bytes_for_people;
use crate::body::State;
use crate::dim::{Dim, Plane, Space};
use crate::integrator::FAR_TURN;
use crate::scene::Scene;
use crate::scene::setup::{Setup, setup};
use crate::simulation::limits::{rotation_in_step, rotation_warning};

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
    // An empty sum is -0; adding +0 prints it as 0.
    let mass = setup.bodies.by_id().iter().filter(|s| !model.is_prescribed(s)).map(|s| s.mass).sum::<f64>() + 0.0;
    let steps = (scene.time.end / scene.time.step - 1e-9).ceil().max(0.0);
    let parts = setup.subdomains(scene);
    let file = args.scene.display();
    let warnings: String =
        warnings(&setup, scene.time.step).iter().map(|warning| format!("  warning: {warning}\n")).collect();
    print(&format!(
        "{file}: no errors\n  {}D, {free} bodies of {mass:.6} kg together, {obstacles} obstacles\n  {steps} steps of {} s \
         to {} s\n  {parts} subdomain{} of about {} bodies\n{}{warnings}  run it: {} run {file}\n",
        X::D,
        scene.time.step,
        scene.time.end,
        if parts == 1 { "" } else { "s" },
        free.div_ceil(parts),
        deformables(&setup),
        called_as()
    ))
}

/// Deformable bodies and the memory of their meshes; a process has the factors of its own bodies only. Empty if there
/// are none.
fn deformables<X: Dim>(setup: &Setup<X>) -> String {
    let (model, states) = (&setup.model, setup.bodies.states());
    let sizes: Vec<usize> = states.iter().filter_map(|state| model.deformable(state)).map(|own| own.nodes()).collect();
    let operators: Vec<[usize; 2]> = model.deformables.iter().flatten().map(|operator| operator.bytes()).collect();
    if sizes.is_empty() {
        return String::new();
    }
    let [factors, compliances] = [0, 1].map(|k| operators.iter().map(|bytes| bytes[k]).sum::<usize>());
    let more = match compliances {
        0 => String::new(),
        bytes => format!(", up to {} more as contacts touch new nodes", bytes_for_people(bytes as u64)),
    };
    format!(
        "  {} deformable bodies of {} nodes together; {} mesh{} of {} of matrices and factors{more}\n",
        sizes.len(),
        sizes.iter().sum::<usize>(),
        operators.len(),
        if operators.len() == 1 { "" } else { "es" },
        bytes_for_people(factors as u64)
    )
}

/// Warnings that a run would give in its first step.
fn warnings<X: Dim>(setup: &Setup<X>, h: f64) -> Option<String> {
    let rotation = |state: &State<X>| rotation_in_step(&setup.model, state, h);
    let fastest =
        setup.bodies.states().iter().max_by(|a, b| rotation(a).total_cmp(&rotation(b)).then(b.id.cmp(&a.id)))?;
    (rotation(fastest) > FAR_TURN).then(|| rotation_warning(fastest.id.0, rotation(fastest), h))
}
