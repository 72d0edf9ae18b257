//! Bonds whose constants belong to a unit area: the energy of a crack is that of its surface, whatever the mesh.

use std::path::Path;

use crate::long::or_long;
use crate::support::simulate;
use nscdd::dim::{Dim, Plane, Space};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// Energy of a unit area of crack, J/m2.
const ENERGY: f64 = 10.0;

/// Where the upper block is moved to, m.
const ASIDE: [f64; 2] = [0.05, 0.02];

/// Two blocks on each other, the upper one moved aside, bonded: the scene, and the area that they have in common. A
/// mesh is moved by 1.2 mm along the axis of number `along`, a rigid block leaves upwards at 0.8 m/s. `meshes` are sizes
/// of elements, or zero for rigid blocks.
fn blocks<X: Dim>(
    meshes: [f64; 2],
    element: &str,
    law: &str,
    (along, [x, y]): (usize, [f64; 2]),
) -> (Simulation<X>, f64) {
    let (size, aside, area) = match X::HAS_DEPTH {
        true => ("[0.2, 0.1, 0.1]", format!("{x}, {y}"), (0.2 - x) * (0.1 - y)),
        false => ("[0.2, 0.1]", format!("{x}"), 0.2 - x),
    };
    let (rest, zero) = if X::HAS_DEPTH { ("0, 0", "x = 0, y = 0, z = 0") } else { ("0", "x = 0, y = 0") };
    let no_turn = if X::HAS_DEPTH { "rx = 0, ry = 0, rz = 0" } else { "r = 0" };
    let moved = ["x", "y", "z"][along];
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
    let hold = zero.replace(&format!("{moved} = 0"), &format!("{moved} = {ramp}"));
    let lower = body(meshes[0], rest, 0.0, end("max", X::D - 1), &format!("nodes.end.velocity = {{ {zero} }}\n"));
    let upper = body(meshes[1], &aside, 0.1, end("min", X::D - 1), &format!("nodes.end.displacement = {{ {hold} }}\n"));
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

/// What a crack dissipates, opened or sheared along the axis of number `along`, is the energy of the area that the
/// blocks have in common.
fn cracks_along<X: Dim>(along: usize, meshes: [f64; 2], element: &str) {
    cracks_aside::<X>(along, meshes, element, ASIDE);
}

/// The same for blocks of which the upper one is moved aside by this.
fn cracks_aside<X: Dim>(along: usize, meshes: [f64; 2], element: &str, aside: [f64; 2]) {
    let law = format!("cohesive_zone = {{ stiffness = [1e9, 1e9], energy = {ENERGY}, per_area = true }}");
    let (mut simulation, area) = blocks::<X>(meshes, element, &law, (along, aside));
    // A mesh has come to its end after 1200 steps.
    let steps = if meshes[1] > 0.0 { 1300 } else { 2500 };
    let last = (0..steps).map(|_| simulation.step().unwrap()).last().unwrap();
    let dissipation = simulation.sums.energy.dissipation;
    let dissipated = dissipation.normal + dissipation.friction;
    let own = if along + 1 == X::D { dissipation.normal } else { dissipation.friction };
    println!("{element} {meshes:?} along {along}: {:.4}", dissipated / (ENERGY * area));
    assert!(
        (dissipated / (ENERGY * area) - 1.0).abs() < 0.015 && (own / dissipated - 1.0).abs() < 1e-3,
        "{element} {meshes:?}: {dissipation:?} of {} J, {:?}",
        ENERGY * area,
        last.certificate
    );
    assert!(simulation.history.iter().all(|record| record.memory.state <= 0.0), "all bonds are broken");
}

/// Opened.
fn cracks<X: Dim>(meshes: [f64; 2], element: &str) {
    cracks_along::<X>(X::D - 1, meshes, element);
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

#[test]
fn a_crack_that_is_sheared_dissipates_the_energy_of_its_surface_too() {
    cracks_along::<Plane>(0, [0.04, 0.03], "t3");
    cracks_along::<Plane>(0, [0.03, 0.04], "q4");
    if or_long(false, true) {
        cracks_along::<Plane>(0, [0.03, 0.04], "t3");
        cracks_along::<Plane>(0, [0.04, 0.03], "t6");
    }
}

#[test]
fn a_crack_that_is_sheared_in_space_dissipates_the_energy_of_its_surface_too() {
    cracks_along::<Space>(0, [0.07, 0.04], "hex8");
    if or_long(false, true) {
        cracks_along::<Space>(1, [0.07, 0.04], "tet4");
    }
}

#[test]
fn a_crack_between_coinciding_meshes_that_is_sheared_dissipates_the_energy_of_its_surface_too() {
    // Nodes of either mesh slide over the border of the other.
    for element in or_long(&["hex8"][..], &["hex8", "tet4"]) {
        cracks_aside::<Space>(0, [0.05, 0.05], element, [0.0, 0.0]);
        cracks_aside::<Space>(1, [0.05, 0.05], element, [0.0, 0.0]);
        cracks_aside::<Space>(2, [0.05, 0.05], element, [0.0, 0.0]);
        cracks_aside::<Space>(0, [0.05, 0.05], element, ASIDE);
        cracks_aside::<Space>(0, [0.05, 0.025], element, [0.0, 0.0]);
    }
}

#[test]
fn a_bond_at_the_end_of_a_sheared_crack_holds_where_the_corner_of_one_mesh_leaves_a_node_of_the_other() {
    // The upper block slides off a node of the lower one that coincides with its corner.
    cracks_along::<Plane>(0, [0.05, 0.02], "q4");
}

#[test]
fn the_crack_of_a_notched_beam_dissipates_the_energy_of_the_area_that_it_has_run_through() {
    let scene = Scene::load(Path::new("scenes/notched-beam.toml"), &[]).unwrap();
    let mut simulation = simulate::<Plane>(&scene);
    (0..800).for_each(|_| _ = simulation.step().unwrap());
    // 100 J/m2, on the 0.07 m above the notch; a bond of intensity beta has spent the share 1 - beta.
    let halves = simulation.history.iter().filter(|record| [record.id.a.0, record.id.b.0] == [0, 1]);
    let left: f64 = halves.map(|record| record.memory.state.max(0.0) * record.memory.area).sum();
    let expected = 100.0 * (0.07 - left);
    let dissipated = simulation.sums.energy.dissipation.normal;
    println!("{dissipated} J, {expected} J for the area");
    assert!(expected > 5.0 && (dissipated / expected - 1.0).abs() < 0.02, "{dissipated} J, {expected} expected");
}
