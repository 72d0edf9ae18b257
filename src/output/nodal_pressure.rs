//! Contact pressure at the nodes of a deformable body: the normal part of the contact force on a node over its tributary
//! area, the integral of its shape function over the surface. At a sharp edge only the side that the force acts on counts.

use crate::contactor::surface::Surface;
use crate::dim::{Dim, Vector};

/// Pressure at every node, Pa, positive in compression; `positions` and `forces` (N) of all nodes are in the same axes.
pub(super) fn contact_pressures<X: Dim>(
    surface: &Surface,
    positions: &[X::Vector],
    forces: &[X::Vector],
) -> Vec<f64> {
    let mut pressures = vec![0.0; positions.len()];
    if forces.iter().all(|force| *force == X::Vector::zero()) {
        return pressures;
    }
    // The facets at loaded nodes: node, share of the area, outward unit normal.
    let mut shares: Vec<(u32, f64, X::Vector)> = Vec::new();
    for facet in &surface.facets {
        let corners: Vec<X::Vector> = facet.nodes().iter().map(|&node| positions[node as usize]).collect();
        // In space the area vector is twice the area long, as that of a parallelogram.
        let vector = X::area_vector(&corners);
        let (length, count) = (vector.norm(), corners.len() as f64);
        let area = length / (count - 1.0);
        let normal = vector * (1.0 / length.max(f64::MIN_POSITIVE));
        let is_loaded = |node: &&u32| forces[**node as usize] != X::Vector::zero();
        shares.extend(facet.nodes().iter().filter(is_loaded).map(|&node| (node, area / count, normal)));
    }
    shares.sort_by_key(|(node, ..)| *node);
    let smooth = Surface::SHARP.cos();
    for run in shares.chunk_by(|a, b| a.0 == b.0) {
        let node = run[0].0 as usize;
        let along = |normal: &X::Vector| forces[node].dot(normal).abs();
        let pressed = run.iter().fold(run[0].2, |best, (.., own)| if along(own) > along(&best) { *own } else { best });
        let side = run.iter().filter(|(.., normal)| normal.dot(&pressed) >= smooth);
        let (area, vector) =
            side.fold((0.0, X::Vector::zero()), |sum, (_, area, normal)| (sum.0 + area, sum.1 + *normal * *area));
        pressures[node] = -forces[node].dot(&vector) / (vector.norm() * area).max(f64::MIN_POSITIVE);
    }
    pressures
}
