//! Patch test of contact: blocks with meshes that do not match are pressed together by a uniform pressure.

use std::path::Path;

use crate::support::simulate;
use nscdd::body::PrincipalValues;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

const PRESSURE: f64 = 1e3;

/// A block on a frictionless floor and a block on it, whose free end bears the pressure; turned by `angle`, in
/// statics.
fn pressed<X: Dim>(kind: &str, sizes: [f64; 2], angle: f64) -> Simulation<X> {
    let (sine, cosine) = angle.sin_cos();
    let list = |numbers: [f64; 3]| format!("{:?}", &numbers[..X::D]);
    // Height y along the normal of the floor, which is the last axis turned about the third (the second in space) one.
    let up =
        |y: f64| if X::HAS_DEPTH { list([-y * sine, 0.0, y * cosine]) } else { list([-y * sine, y * cosine, 0.0]) };
    let turned =
        if X::HAS_DEPTH { format!("{{ axis = [0, 1, 0], angle = {:?} }}", -angle) } else { format!("{angle:?}") };
    let extent = if X::HAS_DEPTH { "[1, 1, 0.5]" } else { "[1, 0.5]" };
    let end = if X::HAS_DEPTH { "[-1, -1, 0.25]" } else { "[-1, 0.25]" };
    let mut text = format!(
        "world = {{ dimension = {}, gravity = {} }}\ntime = {{ step = 0.02, theta = 1, end = 99 }}\n\
         materials.stuff = {{ density = 1000, elastic = {{ young = 1e7, poisson = 0.3 }} }}\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\nfrictionless = {{}}\n\
         [solver]\ntolerance = 1e-10\nvelocity_error = 1e-4\nmax_sweeps = 100000\ndeformable_overlaps = 1\n\
         [[bodies]]\nmaterial = \"stuff\"\nplane.normal = {}\nposition = {}\nfixed = true\n",
        X::D,
        list([0.0; 3]),
        up(1.0),
        list([0.0; 3])
    );
    for (size, height, load) in [(sizes[0], 0.25, ""), (sizes[1], 0.75, "nodes.end.pressure = 1e3\n")] {
        let plane = if X::HAS_DEPTH { "" } else { "plane = \"stress\", " };
        text += &format!(
            "[[bodies]]\nmaterial = \"stuff\"\nbox.size = {extent}\nposition = {}\norientation = {turned}\n{load}\
             mesh = {{ size = {size:?}, elements = \"{kind}\", {plane}groups = {{ end = {{ min = {end} }} }} }}\n",
            up(height)
        );
    }
    simulate(&Scene::parse(&text, "patch", Path::new(""), &[]).unwrap())
}

/// The largest difference of the stress at a node from the pressure along the normal, over the pressure.
fn error<X: Dim>(simulation: &Simulation<X>) -> f64 {
    let bodies = simulation.bodies.states().iter().enumerate();
    let meshed = bodies.filter_map(|(k, state)| Some((k, simulation.model.deformable(state)?)));
    let stresses = meshed.flat_map(|(k, operator)| operator.principal_values(simulation.bodies.nodes().of(k)));
    let off = |values: PrincipalValues| {
        let [first, second, third] = values.stress;
        first.abs().max(second.abs()).max((third + PRESSURE).abs())
    };
    stresses.map(off).fold(0.0, f64::max) / PRESSURE
}

fn passes<X: Dim>(kind: &str, sizes: [f64; 2], angle: f64) {
    let mut simulation = pressed::<X>(kind, sizes, angle);
    for _ in 0..25 {
        simulation.step().unwrap();
    }
    let error = error(&simulation);
    assert!(error < 1e-6, "{kind}, turned by {angle}: {error:e}");
}

#[test]
fn a_uniform_pressure_passes_between_blocks_of_five_and_of_seven_elements() {
    for angle in [0.0, 0.65] {
        passes::<Plane>("q4", [0.2, 1.0 / 7.0], angle);
        passes::<Plane>("t3", [1.0 / 7.0, 0.2], angle);
    }
}

#[test]
fn a_uniform_pressure_passes_between_blocks_of_hexahedra_whose_meshes_match() {
    for angle in [0.0, 0.65] {
        passes::<Space>("hex8", [0.25, 0.25], angle);
    }
}

#[test]
fn a_uniform_pressure_passes_between_blocks_of_hexahedra_whose_meshes_do_not_match() {
    for angle in [0.0, 0.65] {
        passes::<Space>("hex8", [0.5, 1.0 / 3.0], angle);
    }
}

#[test]
fn a_uniform_pressure_passes_between_blocks_of_tetrahedra_whose_meshes_do_not_match() {
    passes::<Space>("tet4", [0.5, 1.0 / 3.0], 0.0);
}
