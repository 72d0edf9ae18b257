//! Deformable bodies that touch themselves: the tines of a fork, closed by forces and by impacts.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::meshed::{add, bits_by_id, mesh_shape, target};
use crate::processes::on_processes;
use crate::support::{World, invariants, simulate};
use nalgebra::{Vector2, Vector3};
use nscdd::comm::{Comm, SerialComm};
use nscdd::contactor::facing::FacingParts;
use nscdd::dim::{Dim, Orientation, Plane, Space, Vector};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{ElementKind, VolumeMesh};
use nscdd::scene::Scene;
use nscdd::simulation::Simulation;

/// Columns of elements, their length, and those of the block that joins the tines, m.
const COLUMNS: usize = 20;
const LENGTH: f64 = 0.02;
const JOINED: usize = 5;
/// Heights of the rows of nodes of the upper half of a fork: the slot, half as high as the first, and a tine.
const HEIGHTS: [f64; 4] = [0.0, 0.005, 0.025, 0.045];

/// A fork, or its upper half, in Gmsh format; in space it is two elements deep.
fn fork<X: Dim>(is_half: bool) -> String {
    let lower = HEIGHTS.iter().skip(1).rev().map(|y| -y);
    let heights: Vec<f64> = if is_half { HEIGHTS.to_vec() } else { lower.chain(HEIGHTS).collect() };
    let layers = if X::HAS_DEPTH { 2 } else { 0 };
    let number = |i: usize, j: usize, k: usize| (k * heights.len() + j) * (COLUMNS + 1) + i;
    let is_slot = |i: usize, j: usize| i >= JOINED && (heights[j] + heights[j + 1]).abs() < 0.006;
    let cells: Vec<[usize; 3]> = (0..layers.max(1))
        .flat_map(|k| (0..heights.len() - 1).flat_map(move |j| (0..COLUMNS).map(move |i| [i, j, k])))
        .filter(|&[i, j, _]| !is_slot(i, j))
        .collect();
    let corners = |&[i, j, k]: &[usize; 3]| -> Vec<usize> {
        let face = |k| [number(i, j, k), number(i + 1, j, k), number(i + 1, j + 1, k), number(i, j + 1, k)];
        if X::HAS_DEPTH { face(k).into_iter().chain(face(k + 1)).collect() } else { face(k).to_vec() }
    };
    let elements: Vec<Vec<usize>> = cells.iter().map(corners).collect();
    let mut used: Vec<usize> = elements.concat();
    used.sort_unstable();
    used.dedup();
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", used.len());
    for &node in &used {
        let (i, rest) = (node % (COLUMNS + 1), node / (COLUMNS + 1));
        let (j, k) = (rest % heights.len(), rest / heights.len());
        let _ = writeln!(text, "{} {:?} {:?} {:?}", node + 1, i as f64 * LENGTH, heights[j], k as f64 * LENGTH);
    }
    let _ = write!(text, "$EndNodes\n$Elements\n{}\n", elements.len());
    let kind = if X::HAS_DEPTH { 5 } else { 3 };
    for (number, nodes) in elements.iter().enumerate() {
        let nodes: Vec<String> = nodes.iter().map(|node| (node + 1).to_string()).collect();
        let _ = writeln!(text, "{} {kind} 0 {}", number + 1, nodes.join(" "));
    }
    text + "$EndElements\n"
}

/// A scene with the mesh of a fork, or of its upper half, as `fork.msh`; the mesh is read while the scene is set up.
fn with_fork<X: Dim, R>(is_half: bool, text: &str, then: impl FnOnce(&Scene) -> R) -> R {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("fork.msh"), fork::<X>(is_half)).unwrap();
    let scene = Scene::parse(text, "fork", folder.path(), &[]).unwrap();
    then(&scene)
}

const SOFT: &str = "density = 1000, elastic = { young = 1e6, poisson = 0.3, damping = 2e-3 }";

/// Deflections of the upper side of the upper tine, from the block to the tip, of a fork that is pinched at its tips by
/// `force`.
fn pinched<X: Dim>(is_half: bool, force: f64) -> Vec<f64> {
    let (zero, up) = if X::HAS_DEPTH { ("[0, 0, 0]", "[0, 1, 0]") } else { ("[0, 0]", "[0, 1]") };
    // The centre of mass: the file is where the scene is. The joined part of the slot is 0.1 m long, the tines 0.4 m.
    let height = if is_half { (0.1 * 0.005 * 0.0025 + 0.4 * 0.04 * 0.025) / 0.0165 } else { 0.0 };
    let centre = [(0.1 * 0.005 * 0.05 + 0.4 * 0.04 * 0.2) / 0.0165, height, 0.02];
    let centre = format!("{:?}", &centre[..X::D]);
    let (axes, gravity) = if X::HAS_DEPTH { ("x = 0, y = 0, z = 0", zero) } else { ("x = 0, y = 0", zero) };
    let mut text = format!(
        "world = {{ dimension = {}, gravity = {gravity} }}\ntime = {{ step = 4.0, theta = 1, end = 99 }}\n\
         materials.soft = {{ {SOFT} }}\n[[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0 }}\n\
         [solver]\ntolerance = 1e-11\nvelocity_error = 1e-8\nmax_sweeps = 20000\n\
         [[bodies]]\nmaterial = \"soft\"\nposition = {centre}\nnodes.back.velocity = {{ {axes} }}\n\
         nodes.upper.force.y = {:?}\n",
        X::D,
        -force,
    );
    let groups = "back = { max = [0] }, upper = { min = [0.3999, 0.024] }";
    if is_half {
        let cut = "cut = { min = [0.001, -0.001], max = [0.1001, 0.001] }";
        let _ = write!(
            text,
            "mesh = {{ file = \"fork.msh\", groups = {{ {groups}, {cut} }} }}\nnodes.cut.velocity.y = 0\n"
        );
        let _ = writeln!(text, "[[bodies]]\nmaterial = \"soft\"\nplane.normal = {up}\nposition = {zero}\nfixed = true");
    } else {
        let lower = "lower = { min = [0.3999, -0.1], max = [0.4001, -0.024] }";
        let _ = writeln!(text, "mesh = {{ file = \"fork.msh\", groups = {{ {groups}, {lower} }} }}");
        let _ = writeln!(text, "nodes.lower.force.y = {force:?}");
    }
    with_fork::<X, _>(is_half, &text, |scene| {
        let mut simulation = simulate::<X>(scene);
        for step in 0..20 {
            let certificate = simulation.step().unwrap().certificate;
            assert!(certificate.residual < 1e-10, "step {step}: {certificate:?}");
        }
        // By their places, in micrometres.
        let mut upper: Vec<([i64; 2], f64)> = places(&simulation)
            .into_iter()
            .filter(|(at, _)| (at[1] - 0.045).abs() < 1e-6)
            .map(|(at, moved)| ([at[0], at[X::D - 1]].map(|x| (1e6 * x).round() as i64), moved[1]))
            .collect();
        upper.sort_by_key(|(at, _)| *at);
        upper.into_iter().map(|(_, moved)| moved).collect()
    })
}

/// Undeformed places in the file and displacements of the nodes of body 0, which is held.
fn places<X: Dim>(simulation: &Simulation<X>) -> Vec<(X::Vector, X::Vector)> {
    let state = simulation.bodies.states()[0];
    let mesh = simulation.model.shape(&state).as_meshed().unwrap();
    let nodes = mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0));
    let turned = |v: X::Vector| state.orientation.rotate(v);
    nodes.map(|(&x, node)| (state.position + turned(x), turned(node.displacement))).collect()
}

/// The tines of a fork that is pinched bend as its upper half does over a rigid plane in its middle.
fn bends_like_its_half<X: Dim>() {
    // Without and with contact of the tines; strains are below 2 %.
    for force in [2.0, 10.0] {
        let force = if X::HAS_DEPTH { 0.04 * force } else { force };
        let [whole, half] = [false, true].map(|is_half| pinched::<X>(is_half, force));
        assert_eq!(whole.len(), half.len());
        let deepest = half.iter().copied().fold(0.0, f64::min);
        for (a, b) in whole.iter().zip(&half) {
            // Facets of the tines tilt by up to 0.04 where they touch, and the normals of contacts with them: the
            // cosine.
            assert!((a - b).abs() < 1e-3 * deepest.abs(), "{force} N: {a} m against {b} m");
        }
        let tip = half.last().unwrap().abs();
        assert!(if force > 5.0 { tip > 0.005 } else { tip > 0.001 }, "{force} N: the tip moves by {tip} m");
    }
}

#[test]
fn a_pinched_fork_bends_like_its_half_over_a_plane() {
    bends_like_its_half::<Plane>();
}

#[test]
fn a_pinched_fork_in_space_bends_like_its_half_over_a_plane() {
    bends_like_its_half::<Space>();
}

/// A fork at rest, struck by a ball on its upper tine near the tip.
fn struck<X: Dim>() -> String {
    let (ball, depth) = if X::HAS_DEPTH { ("sphere", ", 0") } else { ("disk", "") };
    let zero = if X::HAS_DEPTH { "[0, 0, 0]" } else { "[0, 0]" };
    let mut text = format!(
        "world = {{ dimension = {}, gravity = {zero} }}\ntime = {{ step = 1e-3, end = 99 }}\n\
         materials.soft = {{ {SOFT} }}\nmaterials.heavy = {{ density = {:?} }}\n\
         [[laws]]\nbetween = [\"*\", \"*\"]\ncoulomb = {{ friction = 0.3 }}\n\
         [solver]\ntolerance = 1e-6\nvelocity_error = 1e-3\nmax_sweeps = 20000\n",
        X::D,
        if X::HAS_DEPTH { 8000.0 } else { 5000.0 },
    );
    let _ = write!(
        text,
        "[[bodies]]\nmaterial = \"soft\"\nmesh.file = \"fork.msh\"\nposition = {zero}\n\
         [[bodies]]\nmaterial = \"heavy\"\n{ball}.radius = 0.02\nposition = [0.17, 0.0655{depth}]\n\
         velocity = [0, -0.5{depth}]\n",
    );
    text
}

/// A fork that a ball closes keeps the momentum of both, gains no energy, and its tines do not pass through each other.
/// Returns the greatest change of the angular momentum over this.
fn closes<X: Dim>() -> f64 {
    with_fork::<X, _>(false, &struck::<X>(), |scene| {
        let mut simulation = simulate::<X>(scene);
        let (momentum, angular, _) = invariants(&simulation);
        let (mut worst, mut last, mut least) = ([0.0f64; 2], f64::INFINITY, f64::INFINITY);
        for step in 0..250 {
            let report = simulation.step().unwrap();
            let energy = report.energy.kinetic + report.energy.transfers.stored;
            assert!(energy < last * (1.0 + 1e-9), "step {step}: {energy} J after {last} J");
            assert!(report.certificate.residual < 1e-5, "step {step}: {:?}", report.certificate);
            let (p, l, _) = invariants(&simulation);
            worst[0] = worst[0].max((p - momentum).norm() / momentum.norm());
            worst[1] = worst[1].max((l - angular).norm() / angular.norm());
            last = energy;
            least = least.min(width_of_slot(&simulation));
        }
        assert!(worst[0] < 1e-12, "{worst:?}");
        assert!(least.abs() < 2e-4, "the slot of 10 mm closes to {least} m");
        worst[1]
    })
}

/// Least distance of the tines of fork 0 at nodes that face each other, in its axes.
fn width_of_slot<X: Dim>(simulation: &Simulation<X>) -> f64 {
    let mesh = simulation.model.shape(&simulation.bodies.states()[0]).as_meshed().unwrap();
    let nodes: Vec<(X::Vector, X::Vector)> =
        mesh.mesh.nodes.iter().zip(simulation.bodies.nodes().of(0)).map(|(&x, node)| (x, node.displacement)).collect();
    // The centre of mass is in the middle of the height; axes may be turned by half a turn.
    let face = |side: f64| nodes.iter().filter(move |(x, _)| (x[1] - side * 0.005).abs() < 1e-9);
    let mut least = f64::INFINITY;
    for (x, moved) in face(1.0) {
        let below = face(-1.0).find(|(y, _)| (*x - *y).norm() < 0.0101);
        if let Some((_, other)) = below {
            least = least.min(0.01 + moved[1] - other[1]);
        }
    }
    least
}

#[test]
fn a_fork_closed_by_an_impact_keeps_its_momenta_and_its_tines_stay_apart_in_the_plane() {
    let turned = closes::<Plane>();
    assert!(turned < 1e-12, "{turned:e} of the angular momentum");
}

#[test]
fn a_fork_closed_by_an_impact_keeps_its_momenta_and_its_tines_stay_apart_in_space() {
    let turned = closes::<Space>();
    assert!(turned < 1e-12, "{turned:e} of the angular momentum");
}

fn at<X: Dim>(x: f64, y: f64) -> X::Vector {
    X::Vector::from_fn(|k| [x, y, 0.0][k])
}

/// Six forks, two abreast, each struck by a ball.
fn forks<X: Dim>(subdomains: u32) -> World<X> {
    let mut world = World::<X>::new(1e-3).subdomains(subdomains).tolerance(1e-4, 1e-2).weightless();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fork.msh");
    std::fs::write(&path, fork::<X>(false)).unwrap();
    let soft = ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.3, damping: 2e-3, mass_damping: 0.0 };
    let shape = mesh_shape(&mut world, &VolumeMesh::read(&path).unwrap(), soft, PlaneState::Strain);
    for k in 0..6 {
        let place = at::<X>(0.5 * f64::from(k % 2), 0.2 * f64::from(k / 2));
        add(&mut world, shape, place);
        let ball = world.ball(place + at::<X>(0.15, 0.0655), 0.02);
        world.state(ball).velocity = at::<X>(0.0, -0.5);
        world.state(ball).mass *= 5.0;
    }
    world
}

fn same_bits<X: Dim>(comm: &Arc<dyn Comm>) {
    let after = |comm: &Arc<dyn Comm>, subdomains| {
        let mut simulation = forks::<X>(subdomains).build_on(comm.clone());
        let touching = (0..120).filter(|_| simulation.step().unwrap().totals.carrying > 6).count();
        (bits_by_id(&simulation, &**comm), touching)
    };
    let alone: Arc<dyn Comm> = Arc::new(SerialComm);
    for subdomains in [1, 4] {
        let (here, everywhere) = (after(&alone, subdomains), after(comm, subdomains));
        assert!(here.1 > 0, "tines touch");
        assert!(here == everywhere, "{subdomains} subdomains in {} dimensions", X::D);
    }
}

#[test]
fn forks_that_touch_themselves_give_the_same_bits_on_one_and_on_three_processes() {
    let name = "deformable_self_contact::forks_that_touch_themselves_give_the_same_bits_on_one_and_on_three_processes";
    on_processes(3, name, |comm| {
        same_bits::<Plane>(comm);
        same_bits::<Space>(comm);
    });
}

/// The parts of the surface of a mesh that face each other, and its nodes there.
fn facing<X: Dim>(mesh: &VolumeMesh<X>) -> (FacingParts<X>, Vec<X::Vector>) {
    let mut world = World::<X>::new(1e-3);
    let soft = ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };
    let number = mesh_shape(&mut world, mesh, soft, PlaneState::Strain);
    let shape = world.shapes[number as usize].as_meshed().unwrap();
    let parts = FacingParts::of(shape);
    let nodes = parts.nodes.iter().map(|&node| shape.mesh.nodes[node as usize]).collect();
    (parts, nodes)
}

#[test]
fn meshes_without_notches_have_no_parts_that_face_each_other() {
    let flat = |kind| target(0.03, kind);
    assert!(facing(&VolumeMesh::<Plane>::ball(0.1, flat(ElementKind::T3)).unwrap()).0.is_empty());
    assert!(facing(&VolumeMesh::<Plane>::block(Vector2::new(0.2, 0.1), flat(ElementKind::Q4)).unwrap()).0.is_empty());
    assert!(facing(&VolumeMesh::<Space>::ball(0.1, flat(ElementKind::Tet4)).unwrap()).0.is_empty());
    let thin = Vector3::new(0.4, 0.2, 0.01);
    assert!(facing(&VolumeMesh::<Space>::grid(thin, &[8, 4, 1], ElementKind::Hex8).unwrap()).0.is_empty());
    let corner = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.1], [0.1, 0.1], [0.1, 0.3], [0.0, 0.3]].map(Vector2::from);
    assert!(facing(&VolumeMesh::polygon(&corner, flat(ElementKind::T3)).unwrap()).0.is_empty());
}

#[test]
fn the_parts_of_a_fork_that_face_each_other_are_the_flanks_of_its_slot() {
    fn of_fork<X: Dim>() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fork.msh");
        std::fs::write(&path, fork::<X>(false)).unwrap();
        let (parts, nodes) = facing(&VolumeMesh::<X>::read(&path).unwrap());
        let layers = if X::HAS_DEPTH { 3 } else { 1 };
        assert_eq!(nodes.len(), 2 * layers * (COLUMNS - JOINED + 1));
        assert!(nodes.iter().all(|node| (node[1].abs() - 0.005).abs() < 1e-9), "{nodes:?}");
        assert_eq!(parts.edges.is_empty(), !X::HAS_DEPTH);
    }
    of_fork::<Plane>();
    of_fork::<Space>();
}
