//! Contact pressure at the nodes of a deformable body: the normal part of the contact force on a node over its tributary
//! area, the integral of its shape function over the surface. At a sharp edge only the side that the force acts on counts.

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
    let is_middle = middles_of_edges(shape);
    let parts = tributaries(shape, positions, &is_middle);
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

/// Is a node in the middle of an edge of a quadratic element?
fn middles_of_edges<X: Dim>(shape: &MeshedShape<X>) -> Vec<bool> {
    let mut is_middle = vec![false; shape.mesh.nodes.len()];
    for element in &shape.mesh.elements {
        element.nodes()[element.corners().len()..].iter().for_each(|&node| is_middle[node as usize] = true);
    }
    is_middle
}

/// The integral of the shape function of every node over every facet at it, sorted by node. Four facets divide a quadratic
/// triangle: its corners have no integral, and two middles of edges share a facet at a corner. Two facets divide a quadratic
/// edge: its middle has two thirds of each.
fn tributaries<X: Dim>(shape: &MeshedShape<X>, positions: &[X::Vector], is_middle: &[bool]) -> Vec<Tributary<X>> {
    let mut parts = Vec::new();
    for facet in &shape.surface.facets {
        let nodes = facet.nodes();
        let corners: Vec<X::Vector> = nodes.iter().map(|&node| positions[node as usize]).collect();
        // In space the area vector is twice the area long, as that of a parallelogram.
        let vector = X::area_vector(&corners);
        let length = vector.norm();
        let (area, normal) = (length / (nodes.len() - 1) as f64, vector * (1.0 / length.max(f64::MIN_POSITIVE)));
        let middles = nodes.iter().filter(|node| is_middle[**node as usize]).count();
        for &node in nodes {
            let share = match (middles, is_middle[node as usize], X::HAS_DEPTH) {
                (0, ..) => 1.0 / nodes.len() as f64,
                (_, true, true) => 1.0 / middles as f64,
                (_, false, true) => 0.0,
                (_, true, false) => 2.0 / 3.0,
                (_, false, false) => 1.0 / 3.0,
            };
            parts.push(Tributary { node, area: area * share, normal });
        }
    }
    parts.sort_by_key(|part| part.node);
    parts
}

/// Gives nodes of the surface without an area, the corners of quadratic triangles, the mean of their neighbours on the side of
/// the surface that is pressed most.
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
