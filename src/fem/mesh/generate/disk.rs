//! Meshes of disks: rings of triangles about the centre.

use std::f64::consts::TAU;

use nalgebra::Vector2;

use crate::dim::{Plane, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::{MeshingFault, check_count, check_length, convert};

impl VolumeMesh<Plane> {
    /// Triangles between `rings` concentric rings of nodes at equal distances, `around` of them on the rim and
    /// proportionally fewer on the inner ones; the centre is a node, and so is (radius, 0). T6 and Q4, which are made
    /// of these triangles, have twice as many nodes on the rim.
    pub fn disk_of_rings(
        radius: f64,
        around: usize,
        rings: usize,
        kind: ElementKind,
    ) -> Result<VolumeMesh<Plane>, MeshingFault> {
        super::check_kind::<Plane>(kind)?;
        check_length("the radius", radius)?;
        check_count(0.5 * around as f64 * rings as f64)?;
        let (around, rings) = (around.max(3), rings.max(1));
        let mut nodes = vec![Vector2::zeros()];
        let mut elements = Vec::new();
        let mut inner = 0..1;
        for ring in 1..=rings {
            let share = ring as f64 / rings as f64;
            let count = ((around as f64 * share).round() as usize).max(3);
            let start = nodes.len();
            nodes.extend((0..count).map(|k| on_circle(radius * share, k as f64 / count as f64)));
            triangles_between(&nodes, inner, start..nodes.len(), &mut elements);
            inner = start..nodes.len();
        }
        let mesh = VolumeMesh::from_arrays(nodes, elements);
        Ok(convert::to_kind(mesh, kind, &|ends, mean| round(radius, ends, mean)))
    }
}

/// The point of a circle after a share of a turn.
fn on_circle(radius: f64, share: f64) -> Vector2<f64> {
    let (sine, cosine) = (TAU * share).sin_cos();
    Vector2::new(radius * cosine, radius * sine)
}

/// Triangles between two rings of nodes, of which the inner may be a single one: the shorter diagonal each time.
fn triangles_between(
    nodes: &[Vector2<f64>],
    inner: std::ops::Range<usize>,
    outer: std::ops::Range<usize>,
    elements: &mut Vec<Element>,
) {
    let in_ring = |ring: &std::ops::Range<usize>, k: usize| ring.start + k % ring.len();
    let distance = |i: usize, j: usize| (nodes[in_ring(&inner, i)] - nodes[in_ring(&outer, j)]).norm();
    let inner_count = if inner.len() == 1 { 0 } else { inner.len() };
    let (mut i, mut j) = (0, 0);
    while i < inner_count || j < outer.len() {
        let step_outside =
            i == inner_count || (j < outer.len() && distance(i, j + 1) <= distance(i + 1, j) * (1.0 + 1e-12));
        let (a, b) = (in_ring(&inner, i), in_ring(&outer, j));
        let third = if step_outside { in_ring(&outer, j + 1) } else { in_ring(&inner, i + 1) };
        elements.push(Element::new(ElementKind::T3, &[a as u32, b as u32, third as u32], Element::NO_GROUP));
        if step_outside {
            j += 1;
        } else {
            i += 1;
        }
    }
}

/// Moves a point between points of a circle or sphere about the origin onto it.
pub(super) fn round<V: Vector>(radius: f64, ends: &[V], mean: V) -> V {
    let is_on = |p: &V| (p.norm() - radius).abs() < 1e-9 * radius;
    if ends.iter().all(is_on) { mean * (radius / mean.norm()) } else { mean }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rim(mesh: &VolumeMesh<Plane>, radius: f64) -> usize {
        let surface = mesh.surface();
        assert!(surface.nodes.iter().all(|&k| (mesh.nodes[k as usize].norm() - radius).abs() < 1e-15 * radius));
        surface.nodes.len()
    }

    #[test]
    fn the_disk_of_the_reference_has_41_nodes_and_60_elements() {
        let mesh = VolumeMesh::disk_of_rings(0.1, 20, 3, ElementKind::T3).unwrap();
        assert_eq!((mesh.nodes.len(), mesh.elements.len(), rim(&mesh, 0.1)), (41, 60, 20));
        mesh.check().unwrap();
        let exact = 10.0 * 0.01 * (TAU / 20.0).sin();
        assert!((mesh.measure() - exact).abs() < 1e-15);
        let mesh = VolumeMesh::disk_of_rings(0.1, 80, 12, ElementKind::T3).unwrap();
        assert_eq!(mesh.nodes.len(), 521);
        assert!(mesh.quality().smallest_angle > 25f64.to_radians(), "{:?}", mesh.quality());
    }

    #[test]
    fn quadratic_and_quadrilateral_disks_have_their_nodes_on_the_circle() {
        let mesh = VolumeMesh::disk_of_rings(0.1, 20, 3, ElementKind::T6).unwrap();
        assert_eq!(rim(&mesh, 0.1), 40);
        mesh.check().unwrap();
        let exact = 20.0 * 0.01 * (TAU / 40.0).sin();
        assert!((mesh.measure() - exact).abs() < 1e-15);
        let mesh = VolumeMesh::disk_of_rings(0.1, 10, 2, ElementKind::Q4).unwrap();
        assert_eq!(rim(&mesh, 0.1), 20);
        mesh.check().unwrap();
    }
}
