//! Meshes from files with physical groups: several materials in a body, loads on named lines and surfaces.

use std::fmt::Write as _;

use crate::deformable_loads::measured;
use crate::support::simulate;
use nscdd::body::PrincipalValues;
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::scene::{MeasureEntry, NodesMeasure, Scene};
use nscdd::simulation::Simulation;

/// Length and height of a bar, m; in space it is as deep as it is high.
const LENGTH: f64 = 1.0;
const HEIGHT: f64 = 0.1;
/// Elements along the bar and across it, and those of the group "first".
const COLUMNS: usize = 10;
const ROWS: usize = 2;
const FIRST: usize = 4;

/// A bar in Gmsh format, of quadrilaterals or hexahedra in the groups "first" and "second"; its ends are the groups
/// "left" and "right" of lines or surfaces.
fn bar<X: Dim>() -> String {
    let layers = if X::HAS_DEPTH { ROWS } else { 0 };
    let number = |i: usize, j: usize, k: usize| (k * (ROWS + 1) + j) * (COLUMNS + 1) + i + 1;
    let dimension = X::D;
    let mut text = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n{dimension} 1 \"first\"\n{dimension} 2 \"second\"\n\
         {} 3 \"left\"\n{} 4 \"right\"\n$EndPhysicalNames\n$Nodes\n{}\n",
        dimension - 1,
        dimension - 1,
        (COLUMNS + 1) * (ROWS + 1) * (layers + 1)
    );
    for (k, j, i) in (0..=layers).flat_map(|k| (0..=ROWS).flat_map(move |j| (0..=COLUMNS).map(move |i| (k, j, i)))) {
        let [x, y, z] = [(i, LENGTH / COLUMNS as f64), (j, HEIGHT / ROWS as f64), (k, HEIGHT / ROWS as f64)]
            .map(|(count, step)| count as f64 * step);
        let _ = writeln!(text, "{} {x:?} {y:?} {z:?}", number(i, j, k));
    }
    // Kind, group and nodes.
    let mut elements: Vec<(u32, u32, Vec<usize>)> = Vec::new();
    for (k, j) in (0..layers.max(1)).flat_map(|k| (0..ROWS).map(move |j| (k, j))) {
        for (i, group) in [(0, 3), (COLUMNS, 4)] {
            elements.push(match X::HAS_DEPTH {
                true => {
                    (3, group, vec![number(i, j, k), number(i, j + 1, k), number(i, j + 1, k + 1), number(i, j, k + 1)])
                }
                false => (1, group, vec![number(i, j, k), number(i, j + 1, k)]),
            });
        }
        for i in 0..COLUMNS {
            let face = |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
            let nodes = if X::HAS_DEPTH { [face(k), face(k + 1)].concat() } else { face(k).to_vec() };
            elements.push((if X::HAS_DEPTH { 5 } else { 3 }, if i < FIRST { 1 } else { 2 }, nodes));
        }
    }
    let _ = write!(text, "$EndNodes\n$Elements\n{}\n", elements.len());
    for (number, (kind, group, nodes)) in elements.iter().enumerate() {
        let nodes: Vec<String> = nodes.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "{} {kind} 2 {group} 1 {}", number + 1, nodes.join(" "));
    }
    text + "$EndElements\n"
}

/// The bar in statics after some steps; `mesh` are keys beside its file, `nodes` what acts on it.
fn loaded<X: Dim>(turned: &str, mesh: &str, nodes: &str) -> Simulation<X> {
    let zero = format!("{:?}", vec![0.0; X::D]);
    let text = format!(
        "world = {{ dimension = {}, gravity = {zero} }}\ntime = {{ step = 0.5, theta = 1, end = 99 }}\n\
         materials.soft = {{ density = 1000, elastic = {{ young = 1e6, poisson = 0 }} }}\n\
         materials.stiff = {{ density = 2000, elastic = {{ young = 7e6, poisson = 0 }} }}\n\
         materials.stuff = {{ density = 1000, elastic = {{ young = 1e6, poisson = 0.3 }} }}\n\
         laws = [{{ between = [\"*\", \"*\"], frictionless = {{}} }}]\n\
         [[bodies]]\nposition = {zero}\norientation = {turned}\nmesh = {{ file = \"bar.msh\"{mesh} }}\n{nodes}",
        X::D
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bar.msh"), bar::<X>()).unwrap();
    let mut simulation = simulate::<X>(&Scene::parse(&text, "bar", folder.path(), &[]).unwrap());
    (0..20).for_each(|_| _ = simulation.step().unwrap());
    simulation
}

/// Two materials one behind the other: each part stretches by its own F l/(E S).
fn stretches<X: Dim>() {
    let force = 1e5 * HEIGHT.powi(X::D as i32 - 1);
    let axes = if X::HAS_DEPTH { "x = 0, y = 0, z = 0" } else { "x = 0, y = 0" };
    let plane = if X::HAS_DEPTH { "" } else { ", plane = \"stress\"" };
    let straight = if X::HAS_DEPTH { "[1, 0, 0, 0]" } else { "0" };
    let share = FIRST as f64 / COLUMNS as f64;
    for (own, other, moduli) in [("soft", "second = \"stiff\"", [1e6, 7e6]), ("soft", "first = \"stiff\"", [7e6, 1e6])]
    {
        let mesh = format!("{plane}, materials = {{ {other} }}");
        let nodes =
            format!("material = \"{own}\"\nnodes.left.velocity = {{ {axes} }}\nnodes.right.force.x = {force:?}\n");
        let simulation = loaded::<X>(straight, &mesh, &nodes);
        let expected = 1e5 * LENGTH * (share / moduli[0] + (1.0 - share) / moduli[1]);
        let group = NodesMeasure { bodies: vec![0], group: "right".into() };
        let entry = MeasureEntry { nodes: Some(group), ..MeasureEntry::default() };
        let found = measured(&simulation, entry, "body_0_displacement_x_m");
        assert!((found / expected - 1.0).abs() < 1e-9, "{other}: {found} m, {expected} expected");
        let mass = HEIGHT.powi(X::D as i32 - 1) * LENGTH;
        let mass = mass
            * if moduli[0] < moduli[1] {
                1000.0 * share + 2000.0 * (1.0 - share)
            } else {
                2000.0 * share + 1000.0 * (1.0 - share)
            };
        assert!((simulation.bodies.states()[0].mass / mass - 1.0).abs() < 1e-12, "{other}");
    }
}

#[test]
fn a_bar_of_two_materials_by_the_groups_of_its_file_stretches_by_the_sum_of_both_parts() {
    stretches::<Plane>();
    stretches::<Space>();
}

/// Pressures on the groups of both ends of a free, turned bar: the stress is uniaxial everywhere, and the bar rests.
fn compresses<X: Dim>() {
    let pressure = 1e3;
    let plane = if X::HAS_DEPTH { "" } else { ", plane = \"stress\"" };
    let turned = if X::HAS_DEPTH { "{ axis = [1, 2, -1], angle = 0.7 }" } else { "0.7" };
    let nodes = format!("material = \"stuff\"\nnodes.left.pressure = {pressure}\nnodes.right.pressure = {pressure}\n");
    let simulation = loaded::<X>(turned, plane, &nodes);
    let state = simulation.bodies.states()[0];
    let operator = simulation.model.deformable(&state).unwrap();
    let nodes = simulation.bodies.nodes().of(0);
    let off = |values: PrincipalValues| {
        let [first, second, third] = values.stress;
        first.abs().max(second.abs()).max((third + pressure).abs())
    };
    let off = operator.principal_values(nodes).into_iter().map(off).fold(0.0, f64::max);
    assert!(off < 1e-9 * pressure, "{off} Pa");
    assert!(state.velocity.norm() < 1e-12 && state.position.norm() < 1e-12, "{:?}", state.velocity);
}

#[test]
fn a_pressure_on_the_lines_or_surfaces_of_a_group_of_the_file_makes_the_uniaxial_stress() {
    compresses::<Plane>();
    compresses::<Space>();
}
