//! Measures of a mesh that reports and checks print: counts, lengths of edges and angles between faces.

use crate::dim::{Dim, Vector};

use super::VolumeMesh;

/// Sizes and shapes of the elements of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshQuality {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of elements.
    pub elements: usize,
    /// Shortest edge between corners, m.
    pub smallest_edge: f64,
    /// Longest edge between corners, m.
    pub largest_edge: f64,
    /// Smallest angle between two faces of an element (in the plane: two edges), rad.
    pub smallest_angle: f64,
    /// Largest angle between two faces of an element, rad.
    pub largest_angle: f64,
}

impl<X: Dim> VolumeMesh<X> {
    /// Measures the mesh.
    pub fn quality(&self) -> MeshQuality {
        let mut quality = MeshQuality {
            nodes: self.nodes.len(),
            elements: self.elements.len(),
            smallest_edge: f64::INFINITY,
            largest_edge: 0.0,
            smallest_angle: f64::INFINITY,
            largest_angle: 0.0,
        };
        for element in &self.elements {
            let corners: Vec<X::Vector> = element.corners().iter().map(|&k| self.nodes[k as usize]).collect();
            for &[a, b] in element.kind.edges() {
                let length = (corners[a] - corners[b]).norm();
                quality.smallest_edge = quality.smallest_edge.min(length);
                quality.largest_edge = quality.largest_edge.max(length);
            }
            let kind = element.kind.linear();
            let normals: Vec<X::Vector> = kind.faces().iter().map(|face| face_normal::<X>(&corners, face)).collect();
            for (i, first) in kind.faces().iter().enumerate() {
                for (j, second) in kind.faces().iter().enumerate().take(i) {
                    if first.iter().filter(|k| second.contains(k)).count() + 1 == X::D {
                        let angle = (-normals[i].dot(&normals[j])).clamp(-1.0, 1.0).acos();
                        quality.smallest_angle = quality.smallest_angle.min(angle);
                        quality.largest_angle = quality.largest_angle.max(angle);
                    }
                }
            }
        }
        quality
    }
}

fn face_normal<X: Dim>(corners: &[X::Vector], face: &[usize]) -> X::Vector {
    let positions: Vec<X::Vector> = face.iter().map(|&k| corners[k]).collect();
    let area = X::area_vector(&positions);
    area * (1.0 / area.norm())
}
