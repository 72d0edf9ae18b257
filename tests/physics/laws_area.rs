//! Bonds whose constants belong to a unit area: the energy of a crack is that of its surface, whatever the mesh.

use std::path::Path;

use crate::support::simulate;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// Energy of a unit area of crack, J/m2.
const ENERGY: f64 = 10.0;

/// Two blocks on each other, the upper one moved aside, bonded; a mesh is pulled off by 1.2 mm, a rigid block leaves at 0.8 m/s: the scene, and the area that
/// they have in common. `meshes` are sizes of elements, or zero for rigid blocks.
fn blocks<X: Dim>(meshes: [f64; 2], element: &str, law: &str) -> (Simulation<X>, f64) {
    let (size, aside, area) = match X::HAS_DEPTH {
        true => ("[0.2, 0.1, 0.1]", "0.05, 0.02", 0.15 * 0.08),
        false => ("[0.2, 0.1]", "0.05", 0.15),
    };
    let (rest, zero) = if X::HAS_DEPTH { ("0, 0", "x = 0, y = 0, z = 0") } else { ("0", "x = 0, y = 0") };
    let no_turn = if X::HAS_DEPTH { "rx = 0, ry = 0, rz = 0" } else { "r = 0" };
    let up = ["y", "z"][X::D - 2];
    let end = |side: &str, unbounded: usize| {
        let free = if side == "min" { "-1, " } else { "1, " };
        format!("{side} = [{}{}]", free.repeat(unbounded), if side == "min" { "0.05" } else { "-0.05" })
    };
    let body = |mesh: f64, at: &str, height: f64, group: String, moved: &str| match mesh > 0.0 {
        true => format!(
            "[[bodies]]\nmaterial = \"stuff\"\nbox.size = {size}\nposition = [{at}, {height}]\n\
             mesh = {{ size = {mesh}, elements = \"{element}\", groups.end = {{ {group} }} }}\n{moved}"
        ),
        false => format!("[[bodies]]\nmaterial = \"stuff\"\nbox.size = {size}\nposition = [{at}, {height}]\n"),
    };
    let ramp = "{ ramp = { from = 0, to = 1.2e-3, start = 0, end = 0.12 } }";
    let hold = zero.replace(&format!("{up} = 0"), &format!("{up} = {ramp}"));
    let lower = body(meshes[0], rest, 0.0, end("max", X::D - 1), &format!("nodes.end.velocity = {{ {zero} }}\n"));
    let upper = body(meshes[1], aside, 0.1, end("min", X::D - 1), &format!("nodes.end.displacement = {{ {hold} }}\n"));
    let lower = lower + if meshes[0] > 0.0 { "" } else { "fixed = true\n" };
    let upper = upper
        + &if meshes[1] > 0.0 {
            String::new()
        } else {
            format!("velocity = [{rest}, 0.8]\ndriven.velocity = {{ {no_turn} }}\n")
        };
    let step = if meshes[1] > 0.0 { 1e-4 } else { 1e-6 };
    let text = format!(
        "world = {{ dimension = {}, gravity = [0, {rest}] }}\ntime = {{ step = {step:e}, theta = 1, end = 99 }}\n\
         materials.stuff = {{ density = 1000, elastic = {{ young = 1e10, poisson = 0.2 }} }}\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\n{law}\n\
         [solver]\ntolerance = 1e-6\nvelocity_error = 1e-3\nmax_sweeps = 20000\n{lower}{upper}",
        X::D
    );
    (simulate(&Scene::parse(&text, "bonded", Path::new(""), &[]).unwrap()), area)
}

/// What a crack dissipates is the energy of the area that the blocks have in common.
fn cracks<X: Dim>(meshes: [f64; 2], element: &str) {
    let law = format!("cohesive_zone = {{ stiffness = [1e9, 1e9], energy = {ENERGY}, per_area = true }}");
    let (mut simulation, area) = blocks::<X>(meshes, element, &law);
    let last = (0..2500).map(|_| simulation.step().unwrap()).last().unwrap();
    let dissipated = simulation.sums.energy.dissipation.normal;
    assert!(
        (dissipated / (ENERGY * area) - 1.0).abs() < 0.015,
        "{element} {meshes:?}: {dissipated} of {} J, {:?}",
        ENERGY * area,
        last.certificate
    );
    assert!(simulation.history.iter().all(|record| record.memory.state <= 0.0), "all bonds are broken");
}

#[test]
fn a_crack_between_rigid_blocks_dissipates_the_energy_of_its_surface() {
    cracks::<Plane>([0.0, 0.0], "");
    cracks::<Space>([0.0, 0.0], "");
}

#[test]
fn a_crack_between_meshes_dissipates_the_energy_of_its_surface_whatever_their_elements() {
    for element in ["t3", "q4", "t6"] {
        // Nodes that coincide, that lie between each other, and a rigid block on a mesh.
        for meshes in [[0.025, 0.025], [0.05, 0.02], [0.02, 0.05], [0.0, 0.03], [0.04, 0.0]] {
            cracks::<Plane>(meshes, element);
        }
    }
    cracks::<Space>([0.05, 0.05], "hex8");
    cracks::<Space>([0.05, 0.034], "hex8");
    cracks::<Space>([0.05, 0.04], "tet4");
    cracks::<Space>([0.0, 0.05], "tet4");
}
