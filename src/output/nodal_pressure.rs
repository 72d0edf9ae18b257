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
        let (area, vector) = side
            .fold((0.0, X::Vector::zero()), |sum, part| (sum.0 + part.area, sum.1 + part.normal * part.area));
        has_area[node] = area > 0.0;
        if area > 0.0 {
            pressures[node] = -forces[node].dot(&vector) / (vector.norm() * area).max(f64::MIN_POSITIVE);
        }
    }
    fill_from_neighbours(shape, &has_area, &mut pressures);
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

/// Gives nodes of the surface without an area, the corners of quadratic triangles, the mean of their neighbours.
fn fill_from_neighbours<X: Dim>(shape: &MeshedShape<X>, has_area: &[bool], pressures: &mut [f64]) {
    let mut sums = vec![(0.0, 0.0); pressures.len()];
    for nodes in shape.surface.facets.iter().map(|facet| facet.nodes()) {
        for &node in nodes.iter().filter(|node| !has_area[**node as usize]) {
            for &other in nodes.iter().filter(|other| has_area[**other as usize]) {
                let sum = &mut sums[node as usize];
                *sum = (sum.0 + pressures[other as usize], sum.1 + 1.0);
            }
        }
    }
    for (pressure, (sum, count)) in pressures.iter_mut().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
        *pressure = sum / count;
    }
}
