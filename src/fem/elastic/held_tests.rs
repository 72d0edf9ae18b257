//! Bodies with held nodes.

use super::test_support::{STEEL, STONE, elastic_noise, grid, matrices, noise, prepared, settle, step};
use super::{ElasticBody, ElasticMaterial, ElasticStep, HeldNode, PlaneState};
use crate::body::{Deformable, NodalLoads, Node};
use crate::dim::{Dim, Plane, Space, Vector};
use crate::fem::mesh::ElementKind;

/// A body of a grid whose nodes with the least first coordinate are held along all axes, every other one of them along
/// the first only.
fn held<X: Dim>(kind: ElementKind, material: ElasticMaterial, step: ElasticStep) -> (ElasticBody<X>, Vec<HeldNode>) {
    let matrices = matrices(grid::<X>(kind, &[8, 3, 2], &[0.4, 0.15, 0.1]), material, PlaneState::Strain);
    let nodes = &matrices.mesh().nodes;
    let end = nodes.iter().map(|node| node[0]).fold(f64::INFINITY, f64::min);
    let at_end = (0u32..).zip(nodes).filter(|(_, node)| node[0] < end + 1e-9).map(|(node, _)| node);
    let held: Vec<HeldNode> = at_end.enumerate().map(|(k, node)| (node, [true, k % 2 == 0, true])).collect();
    (prepared(matrices.elastic().clone(), step, &held), held)
}

fn follows_and_balances<X: Dim>(kind: ElementKind, theta: f64, damping: f64) {
    let material = ElasticMaterial { young: 1e8, damping, mass_damping: 1e6 * damping, ..STONE };
    let (body, held) = held::<X>(kind, material, ElasticStep { h: 2e-4, theta, centrifugal: true });
    let [displacements, velocities] = [1e-4, 0.3].map(|size| elastic_noise(&body, size, size));
    let pairs = displacements.into_iter().zip(velocities);
    let before: Vec<Node<X>> = pairs.map(|(displacement, velocity)| Node { displacement, velocity }).collect();
    let gravity = X::Vector::from_fn(|k| if k == 1 { -9.81 } else { 0.0 });
    let forces: Vec<(u32, X::Vector)> =
        noise::<X>(3, 0.7).iter().zip([7, 11, 13]).map(|(f, k)| (k, *f * 1e3)).collect();
    let targets: Vec<(u32, X::Vector)> =
        held.iter().zip(noise::<X>(held.len(), 0.2)).map(|((node, _), v)| (*node, v)).collect();
    let impulses: Vec<(u32, X::Vector)> =
        noise::<X>(2, 0.1).iter().zip([held[0].0, 9]).map(|(p, k)| (k, *p * 0.5)).collect();
    let loads = NodalLoads { gravity, held: &targets, ..NodalLoads::free(X::Spin::zero(), &forces) };
    let after = step(&body, &before, &loads, &impulses);
    for ((node, axes), (_, target)) in held.iter().zip(&targets) {
        for k in (0..X::D).filter(|&k| axes[k]) {
            assert!((after[*node as usize].velocity[k] - target[k]).abs() < 1e-14);
        }
    }
    let total = |nodes: &[Node<X>]| body.kinetic_energy(nodes) + body.matrices().strain_energy(nodes);
    let mean = |k: u32| (before[k as usize].velocity + after[k as usize].velocity) * 0.5;
    let struck: f64 = impulses.iter().map(|(k, p)| p.dot(&mean(*k))).sum();
    let work = body.work(&before, &after, &loads, &impulses);
    let gained = total(&after) - total(&before);
    let off = gained - (struck + work.loads + work.held - body.flows(&before, &after).damped);
    assert!(
        off.abs() < 1e-12 * total(&after) && work.held.abs() > 1e-3 * total(&before),
        "{kind:?}: {off} of {gained}"
    );
}

#[test]
fn held_nodes_move_as_prescribed_and_the_energy_balance_closes() {
    for (theta, damping) in [(0.5, 0.0), (0.5, 2e-5), (1.0, 2e-5)] {
        follows_and_balances::<Plane>(ElementKind::T3, theta, damping);
        follows_and_balances::<Plane>(ElementKind::T6, theta, damping);
        follows_and_balances::<Space>(ElementKind::Hex8, theta, damping);
        follows_and_balances::<Space>(ElementKind::Tet10, theta, damping);
    }
}

/// Forces on the held nodes of a body at rest are the opposite of all loads.
fn carries_its_loads<X: Dim>(kind: ElementKind) {
    let (body, _) = held::<X>(kind, STEEL, ElasticStep { h: 1e-2, theta: 1.0, centrifugal: true });
    let forces = [(5, X::Vector::from_fn(|k| 100.0 + k as f64)), (8, X::Vector::from_fn(|k| -30.0 * k as f64))];
    let gravity = X::Vector::from_fn(|k| -3.0 + k as f64);
    let loads = NodalLoads { gravity, ..NodalLoads::free(X::Spin::zero(), &forces) };
    let at_rest: Vec<Node<X>> = settle(&body, &loads)
        .into_iter()
        .map(|displacement| Node { displacement, velocity: X::Vector::zero() })
        .collect();
    let reactions = body.reactions(&at_rest, &at_rest, &loads, &[]);
    let mut sum =
        forces.iter().fold(gravity * body.matrices().mass().data().iter().sum::<f64>(), |sum, (_, force)| sum + *force);
    let scale = sum.norm();
    for (&unknown, reaction) in body.held_unknowns().iter().zip(reactions) {
        sum[unknown % X::D] += reaction;
    }
    assert!(sum.norm() < 1e-9 * scale, "{kind:?}: {sum:?} of {scale}");
}

#[test]
fn held_nodes_carry_all_loads_of_a_body_at_rest() {
    carries_its_loads::<Plane>(ElementKind::Q4);
    carries_its_loads::<Space>(ElementKind::Tet4);
}
