//! Disks: free, spinning, pressed.

use nalgebra::{Vector1, Vector2};

use super::test_support::{STONE, body, elastic_noise, settle, step, without_centrifugal};
use crate::body::{Deformable, NodalLoads, Node};
use crate::dim::Plane;
use crate::fem::mesh::{ElementKind, VolumeMesh};

const RADIUS: f64 = 0.1;

fn disk(around: usize, rings: usize) -> VolumeMesh<Plane> {
    VolumeMesh::disk_of_rings(RADIUS, around, rings, ElementKind::T3).unwrap()
}

#[test]
fn a_free_spinning_disk_keeps_its_energy_and_its_frame_for_ten_thousand_steps() {
    let body = without_centrifugal(&body(disk(20, 3), &[STONE], 1e-3, 0.5));
    assert_eq!(body.nodes(), 41);
    let velocities = elastic_noise(&body, 0.1, 0.0);
    let mut nodes: Vec<Node<Plane>> =
        velocities.iter().map(|&velocity| Node { displacement: Vector2::zeros(), velocity }).collect();
    let energy = |nodes: &[Node<Plane>]| body.kinetic_energy(nodes) + body.matrices().strain_energy(nodes);
    let start = energy(&nodes);
    let loads = NodalLoads::free(Vector1::new(10.0), &[]);
    for _ in 0..10_000 {
        nodes = step(&body, &nodes, &loads, &[]);
    }
    let off = energy(&nodes) / start - 1.0;
    assert!(off.abs() < 1e-10, "{off:e}");
    // Momentum and angular momentum relative to the rigid motion, over what single nodes have.
    let mass = body.matrices().mass();
    let [mut momentum, mut turn, mut size] = [Vector2::zeros(), Vector2::zeros(), Vector2::zeros()];
    for (m, (a, b)) in mass.iter() {
        momentum += nodes[b].velocity * *m;
        turn.x += m * body.position(a).perp(&nodes[b].velocity);
        turn.y += m * body.position(a).perp(&nodes[b].displacement);
        size += Vector2::new(nodes[b].velocity.norm(), nodes[b].displacement.norm()) * *m;
    }
    assert!(momentum.norm() < 1e-14 * size.x && turn.x.abs() < 1e-14 * size.x * RADIUS, "{momentum} {turn}");
    assert!(turn.y.abs() < 1e-12 * size.y * RADIUS, "{turn}");
}

#[test]
fn the_rim_of_a_spinning_disk_moves_outward_by_the_closed_form() {
    let body = body(disk(60, 10), &[STONE], 1e-2, 1.0);
    let displacements = settle(&body, &NodalLoads::free(Vector1::new(1000.0), &[]));
    let outward = |k: usize| displacements[k].dot(&body.position(k)) / RADIUS;
    let rim: Vec<f64> = (0..body.nodes()).filter(|&k| body.position(k).norm() > 0.999 * RADIUS).map(outward).collect();
    let mean = rim.iter().sum::<f64>() / rim.len() as f64;
    assert_eq!(rim.len(), 60);
    // Plane strain: (1 - nu') rho omega^2 R^3 / (4 E') with E' = E/(1 - nu^2), nu' = nu/(1 - nu).
    assert!((mean / 6.5e-6 - 1.0).abs() < 0.005, "{mean:e}");
}

#[test]
fn a_disk_pressed_between_two_points_has_the_stress_of_the_brazilian_test() {
    let body = body(disk(80, 12), &[STONE], 1e-2, 1.0);
    let force = 1e6;
    let at =
        |y: f64| (0..body.nodes()).find(|&k| (body.position(k) - Vector2::new(0.0, y)).norm() < 1e-9).unwrap() as u32;
    let forces = [(at(RADIUS), Vector2::new(0.0, -force)), (at(-RADIUS), Vector2::new(0.0, force))];
    let displacements = settle(&body, &NodalLoads::free(Vector1::zeros(), &forces));
    let stress = body.elastic().stress(&displacements).nodes[0].0;
    let theory = force / (std::f64::consts::PI * RADIUS);
    let [across, along] = [stress[0] / theory, stress[1] / (-3.0 * theory)];
    assert!((across - 1.0).abs() < 0.01 && (along - 1.0).abs() < 0.01, "{across} {along}");
}
