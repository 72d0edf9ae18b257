//! Contact pressure at the nodes of a deformable body: the normal part of the contact force on a node over its
//! tributary area, the integral of its shape function over the surface. At a sharp edge only the side that the force
//! acts on counts.

use crate::contactor::MeshedShape;
use crate::contactor::surface::Surface;
use crate::dim::{Dim, Vector};

/// Part of the surface that belongs to a node.
struct Tributary<X: Dim> {
    node: u32,
    /// m2 (m in the plane).
    area: f64,
    /// Outward unit normal.
    normal: X::Vector,
}

/// Pressure at every node, Pa, positive in compression; `positions` and `forces` (N) of all nodes are in the same axes.
pub(super) fn contact_pressures<X: Dim>(
    shape: &MeshedShape<X>,
    positions: &[X::Vector],
    forces: &[X::Vector],
) -> Vec<f64> {
    let mut pressures = vec![0.0; positions.len()];
    if forces.iter().all(|force| *force == X::Vector::zero()) {
        return pressures;
    }
    let parts = tributaries(shape, positions);
    let smooth = Surface::SHARP.cos();
    let mut has_area = vec![false; positions.len()];
    for run in parts.chunk_by(|a, b| a.node == b.node) {
        let node = run[0].node as usize;
        let along = |part: &Tributary<X>| forces[node].dot(&part.normal).abs();
        let pressed = run.iter().fold(&run[0], |best, part| if along(part) > along(best) { part } else { best });
        let side = run.iter().filter(|part| part.normal.dot(&pressed.normal) >= smooth);
        let (area, vector) =
            side.fold((0.0, X::Vector::zero()), |sum, part| (sum.0 + part.area, sum.1 + part.normal * part.area));
        has_area[node] = area > 0.0;
        if area > 0.0 {
            pressures[node] = -forces[node].dot(&vector) / (vector.norm() * area).max(f64::MIN_POSITIVE);
        }
    }
    fill_from_neighbours(shape, positions, &has_area, &mut pressures);
    pressures
}

/// The area of every node on every face at it, sorted by node.
fn tributaries<X: Dim>(shape: &MeshedShape<X>, positions: &[X::Vector]) -> Vec<Tributary<X>> {
    let mut parts = Vec::new();
    for face in shape.mesh.nodal_areas(positions) {
        for (&node, vector) in face.nodes.iter().zip(face.areas).filter(|(_, vector)| vector.norm2() > 0.0) {
            let area = vector.norm();
            parts.push(Tributary { node, area, normal: vector * (1.0 / area) });
        }
    }
    parts.sort_by_key(|part| part.node);
    parts
}

/// Gives nodes of the surface without an area, the corners of quadratic triangles, the mean of their neighbours on the
/// side of the surface that is pressed most.
fn fill_from_neighbours<X: Dim>(
    shape: &MeshedShape<X>,
    positions: &[X::Vector],
    has_area: &[bool],
    pressures: &mut [f64],
) {
    // Facets at such nodes: node, mean of its neighbours there, normal.
    let mut facets: Vec<(u32, f64, X::Vector)> = Vec::new();
    for nodes in shape.surface.facets.iter().map(|facet| facet.nodes()) {
        for &node in nodes.iter().filter(|node| !has_area[**node as usize]) {
            let others: Vec<f64> =
                nodes.iter().filter(|n| has_area[**n as usize]).map(|&n| pressures[n as usize]).collect();
            let corners: Vec<X::Vector> = nodes.iter().map(|&node| positions[node as usize]).collect();
            let normal = X::area_vector(&corners);
            let mean = others.iter().sum::<f64>() / others.len().max(1) as f64;
            facets.push((node, mean, normal * (1.0 / normal.norm().max(f64::MIN_POSITIVE))));
        }
    }
    facets.sort_by_key(|(node, ..)| *node);
    let smooth = Surface::SHARP.cos();
    for run in facets.chunk_by(|a, b| a.0 == b.0) {
        let pressed = run.iter().fold(&run[0], |best, own| if own.1.abs() > best.1.abs() { own } else { best });
        let side = run.iter().filter(|(.., normal)| normal.dot(&pressed.2) >= smooth);
        let (sum, count) = side.fold((0.0, 0.0), |all, (_, mean, _)| (all.0 + mean, all.1 + 1.0));
        pressures[run[0].0 as usize] = sum / count;
    }
}
