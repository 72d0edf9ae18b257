//! Hertz' contact of a disk and of a sphere with a rigid plane.
//!
//! With E' = E/(1 - nu^2): a disk of radius R under a load P per length has a patch of half-width a, a^2 = 4 P R/(pi
//! E'), with the greatest pressure 2 P/(pi a); its centre approaches the plane by P/(pi E') (2 ln(4 R/a) - 1) (Johnson,
//! Contact mechanics, 5.57). A sphere has a^3 = 3 F R/(4 E'), 3 F/(2 pi a^2) and a^2/R. A pressure in the shape of a
//! half-ellipse has the mean square distance a^2/4 from its centre, one in the shape of a half-ellipsoid 2 a^2/5.

use std::collections::BTreeMap;
use std::f64::consts::{FRAC_PI_4, PI};

use crate::meshed::{add, mesh_shape, nodes, target};
use crate::support::World;
use nalgebra::{Matrix3, Vector2, Vector3};
use nscdd::dim::{Dim, Plane, Space};
use nscdd::fem::elastic::{ElasticMaterial, PlaneState};
use nscdd::fem::mesh::{Element, ElementKind, VolumeMesh};
use nscdd::law::Frictionless;
use nscdd::model::{Control, Motion, NodeControl, Signal};
use nscdd::simulation::Simulation;

const RADIUS: f64 = 0.1;
const STONE: ElasticMaterial =
    ElasticMaterial { density: 2500.0, young: 50e9, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };
/// E/(1 - nu^2), Pa.
const MODULUS: f64 = 50e9 / (1.0 - 0.09);

/// A frictionless world in statics: steps that damp the vibrations of the body on its contact.
fn statics<X: Dim>() -> World<X> {
    let mut world = World::<X>::new(2e-4).weightless().law(Frictionless {}).tolerance(1e-8, 1e-4);
    world.plan.integrator.theta = 1.0;
    world.plan.solver.deformable_overlaps = 1.0;
    // The far nodes of the surface are no contacts.
    world.plan.detection.alert = Some(2e-5);
    world
}

/// Contact forces on body `id`: where they act, and their components along the last axis, N.
fn forces<X: Dim>(simulation: &Simulation<X>, id: u64) -> Vec<(X::Vector, f64)> {
    let mut found = Vec::new();
    for subdomain in simulation.domain().subdomains() {
        for contact in simulation.domain().contacts(subdomain, &simulation.bodies) {
            assert!(contact.bodies[1].id.0 == id);
            if contact.impulse[X::D - 1] > 0.0 {
                found.push((contact.detected.point, contact.impulse[X::D - 1] / simulation.step_length()));
            }
        }
    }
    found
}

/// Sum of contact forces, and the mean square of their horizontal distances from `centre`.
fn patch<X: Dim>(forces: &[(X::Vector, f64)], centre: X::Vector) -> (f64, f64) {
    let total: f64 = forces.iter().map(|(_, force)| force).sum();
    let square = |x: &X::Vector| (0..X::D - 1).map(|k| (x[k] - centre[k]).powi(2)).sum::<f64>();
    (total, forces.iter().map(|(x, force)| force * square(x)).sum::<f64>() / total)
}

/// Load of a disk, N/m.
const LOAD: f64 = 4e6;

/// Half-width of the patch of a disk under the load by the mean square of the contact points, m, the pressure at its
/// lowest node, Pa, and the approach of its centre, m.
fn pressed_disk(mesh: &VolumeMesh<Plane>) -> [f64; 3] {
    let mut world = statics::<Plane>();
    let shape = mesh_shape(&mut world, mesh, STONE, PlaneState::Strain);
    let undeformed = world.shapes[shape as usize].as_meshed().unwrap().mesh.nodes.clone();
    let lowest = undeformed.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    world.floor();
    let disk = add(&mut world, shape, Vector2::new(0.0, -lowest));
    // The load acts opposite to the contact; the disk neither slides nor rolls.
    let top: Vec<u32> = (0u32..).zip(&undeformed).filter(|(_, x)| x.y > 0.995 * RADIUS).map(|(k, _)| k).collect();
    let control = NodeControl {
        group: "top".into(),
        nodes: top.iter().map(|&node| (node, 1.0 / top.len() as f64)).collect(),
        controls: vec![Control::Free, Control::Force(Signal::Constant(-LOAD))],
        pressure: None,
        areas: Vec::new(),
    };
    let held = || Control::Velocity(Signal::Constant(0.0));
    world.motions.push(Motion { controls: vec![held(), Control::Free, held()], gravity: false, nodes: vec![control] });
    world.state(disk).motion = 1;
    let mut simulation = world.build();
    for _ in 0..15 {
        assert!(simulation.step().unwrap().certificate.converged);
    }
    let forces = forces(&simulation, disk);
    let (total, square) = patch::<Plane>(&forces, Vector2::zeros());
    assert!((total / LOAD - 1.0).abs() < 1e-6, "{total} N");
    let width = 2.0 * square.sqrt();
    // Force over the length that the lowest node stands for.
    let mut carrying: Vec<(f64, f64)> = forces.iter().map(|(x, force)| (x.x, *force)).collect();
    carrying.sort_by(|a, b| a.0.total_cmp(&b.0));
    let middle = carrying.iter().position(|(x, _)| x.abs() < 2e-5).unwrap();
    let pressure = carrying[middle].1 / (0.5 * (carrying[middle + 1].0 - carrying[middle - 1].0));
    // The displacement of the centre: of the nodes near it by a linear fit.
    let state = simulation.bodies.find(disk).unwrap();
    let near = undeformed.iter().zip(nodes(&simulation, disk));
    let origin = Vector2::new(0.0, lowest + RADIUS);
    let (mut matrix, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for (x, node) in near.filter(|(x, _)| (*x - origin).norm() < 0.02) {
        let row = Vector3::new(1.0, x.x - origin.x, x.y - origin.y);
        matrix += row * row.transpose();
        right += row * (state.position.y + lowest + node.displacement.y);
    }
    let approach = -(matrix.try_inverse().unwrap() * right).x;
    [width, pressure, approach]
}

#[test]
fn a_disk_pressed_on_a_plane_has_the_patch_the_pressure_and_the_approach_of_hertz() {
    let mesh = VolumeMesh::disk_graded(RADIUS, target(4e-3, ElementKind::T3), (-0.5 * PI, 1.5e-4, 0.05)).unwrap();
    let [width, pressure, approach] = pressed_disk(&mesh);
    let half_width = (4.0 * LOAD * RADIUS / (PI * MODULUS)).sqrt();
    let greatest = 2.0 * LOAD / (PI * half_width);
    let expected = LOAD / (PI * MODULUS) * (2.0 * (4.0 * RADIUS / half_width).ln() - 1.0);
    assert!((width / half_width - 1.0).abs() < 0.01, "{width:e} m, {half_width:e} expected");
    assert!((pressure / greatest - 1.0).abs() < 0.01, "{pressure:e} Pa, {greatest:e} expected");
    assert!((approach / expected - 1.0).abs() < 0.01, "{approach:e} m, {expected:e} expected");
}

#[test]
fn a_disk_of_coarse_elements_has_the_pressure_and_the_approach_of_a_reference_computation() {
    // Seven nodes touch the plane. A prototype of the scheme found 8.52e8 Pa and 2.0149e-4 m on such a mesh, this program
    // on that very mesh 8.585e8 Pa and 2.0141e-4 m. Other meshes of this coarseness differ by 4 % in the pressure.
    let mesh = VolumeMesh::disk_graded(RADIUS, target(4e-3, ElementKind::T3), (-0.5 * PI, 9.17e-4, 0.05)).unwrap();
    let [_, pressure, approach] = pressed_disk(&mesh);
    assert!((pressure / 8.52e8 - 1.0).abs() < 0.05, "{pressure:e} Pa");
    assert!((approach / 2.0149e-4 - 1.0).abs() < 0.01, "{approach:e} m");
}

/// A ball of hexahedra of radius one: a cube of `n`^3 elements in its middle and `layers` around it.
fn ball_of_hexahedra(n: usize, layers: usize) -> VolumeMesh<Space> {
    let mut mesh = VolumeMesh::<Space>::default();
    let mut known = BTreeMap::new();
    let mut node = |nodes: &mut Vec<Vector3<f64>>, at: [usize; 3], layer: usize| {
        *known.entry((at, layer)).or_insert_with(|| {
            let lattice = Vector3::from_fn(|k, _| (FRAC_PI_4 * (2.0 * at[k] as f64 / n as f64 - 1.0)).tan());
            let most = lattice.amax();
            let radial = if most > 0.0 { lattice * (most / lattice.norm()) } else { lattice };
            let inside = (lattice * 0.6 + radial * 0.4) * 0.5;
            let share = layer as f64 / layers as f64;
            nodes.push(inside * (1.0 - share) + radial * share);
            nodes.len() as u32 - 1
        })
    };
    let mut cells: Vec<[([usize; 3], usize); 8]> = Vec::new();
    let square = [[0, 0], [1, 0], [1, 1], [0, 1]];
    for (i, j, k) in (0..n * n * n).map(|c| (c % n, c / n % n, c / n / n)) {
        cells.push(std::array::from_fn(|c| ([i + square[c % 4][0], j + square[c % 4][1], k + c / 4], 0)));
    }
    for (axis, side, layer) in (0..6 * layers).map(|f| (f % 3, f / 3 % 2 * n, f / 6)) {
        for (i, j) in (0..n * n).map(|c| (c % n, c / n)) {
            cells.push(std::array::from_fn(|c| {
                let mut at = [side; 3];
                // Seen from outside, the corners of the outer face turn counter-clockwise.
                let [u, v] = if side > 0 { square[c % 4] } else { [square[c % 4][1], square[c % 4][0]] };
                (at[(axis + 1) % 3], at[(axis + 2) % 3]) = (i + u, j + v);
                (at, layer + c / 4)
            }));
        }
    }
    for cell in cells {
        let corners = cell.map(|(at, layer)| node(&mut mesh.nodes, at, layer));
        mesh.elements.push(Element::new(ElementKind::Hex8, &corners, Element::NO_GROUP));
    }
    mesh
}

/// The unit ball mapped onto itself by the conformal map that refines its lowest point by (1 - b)/(1 + b).
fn refined_below(x: Vector3<f64>, b: f64) -> Vector3<f64> {
    let shift = Vector3::new(0.0, 0.0, -b);
    let (product, square) = (1.0 + 2.0 * shift.dot(&x), x.norm_squared());
    (x * (1.0 - b * b) + shift * (product + square)) / (product + b * b * square)
}

#[test]
fn a_sphere_that_lies_on_a_plane_has_the_patch_and_the_approach_of_hertz() {
    let radius = 0.04 * RADIUS;
    let force = 4.0 * MODULUS * radius.powi(3) / (3.0 * RADIUS);
    let mut world = statics::<Space>();
    let mut mesh = ball_of_hexahedra(8, 6);
    mesh.nodes.iter_mut().for_each(|x| *x = refined_below(*x, 0.9) * RADIUS);
    mesh.check().unwrap();
    let shape = mesh_shape(&mut world, &mesh, STONE, PlaneState::Strain);
    let meshed = world.shapes[shape as usize].as_meshed().unwrap();
    let (weight, axes, centre) = (meshed.weight, meshed.mass.orientation, meshed.mass.centre);
    let pole = mesh.nodes.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    world.floor();
    let ball = add(&mut world, shape, Vector3::z() * -pole + centre);
    world.state(ball).orientation = axes;
    world.gravity = Vector3::z() * (-force / weight);
    let mut simulation = world.build();
    for _ in 0..20 {
        assert!(simulation.step().unwrap().certificate.converged);
    }
    let forces = forces(&simulation, ball);
    let (total, square) = patch::<Space>(&forces, Vector3::zeros());
    assert!((total / force - 1.0).abs() < 1e-4, "{total} N, {force} expected");
    let found = (2.5 * square).sqrt();
    assert!((found / radius - 1.0).abs() < 0.01, "{found:e} m, {radius:e} expected");
    // The centre is not at infinity: there, a half-space would settle under the load by (1 + nu)(3 - 2 nu) F/(2 pi E
    // R).
    let far = 1.3 * 2.4 * force / (2.0 * PI * STONE.young * RADIUS);
    let expected = radius * radius / RADIUS - far;
    let approach = centre.z - pole - simulation.bodies.find(ball).unwrap().position.z;
    assert!((approach / expected - 1.0).abs() < 0.03, "{approach:e} m, {expected:e} expected");
}
