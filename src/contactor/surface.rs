//! The surface of a meshed body: straight facets between nodes, oriented outward.

use serde::{Deserialize, Serialize};

use crate::dim::{Dim, Vector};

/// A segment in the plane, a triangle in space; nodes are counter-clockwise seen from outside (in the plane: the body
/// is on the left).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SurfaceFacet {
    count: u32,
    nodes: [u32; 3],
    /// The fourth node of the quadrilateral of which the facet is a half; it lies between the last and the first.
    fourth: Option<u32>,
}

impl SurfaceFacet {
    /// The facet with these nodes: two in the plane, three in space.
    pub fn new(nodes: &[u32]) -> Self {
        let mut all = [0; 3];
        let count = nodes.len().min(3);
        all[..count].copy_from_slice(&nodes[..count]);
        Self { count: count as u32, nodes: all, fourth: None }
    }

    /// The halves of a quadrilateral face, divided by the diagonal from its first node.
    pub fn halves([a, b, c, d]: [u32; 4]) -> [Self; 2] {
        [([a, b, c], d), ([c, d, a], b)].map(|(nodes, fourth)| Self { fourth: Some(fourth), ..Self::new(&nodes) })
    }

    /// The nodes of the quadrilateral face of which it is a half, in order.
    pub fn quadrilateral(&self) -> Option<[u32; 4]> {
        let [a, b, c] = self.nodes;
        self.fourth.map(|d| [a, b, c, d])
    }

    /// Is this a node of the facet, or of the face of which it is a half?
    pub fn has(&self, node: u32) -> bool {
        self.nodes().contains(&node) || self.fourth == Some(node)
    }

    /// Its nodes.
    #[inline]
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count as usize]
    }
}

/// The surface of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Facets; quadratic and quadrilateral faces of elements are cut into several.
    pub facets: Vec<SurfaceFacet>,
    /// Nodes on the surface, increasing.
    pub nodes: Vec<u32>,
    /// Edges in space at which the surface bends by more than [`SHARP`](Self::SHARP); none in the plane.
    pub sharp_edges: Vec<[u32; 2]>,
    /// All other edges in space.
    pub smooth_edges: Vec<[u32; 2]>,
}

impl Surface {
    /// Angle between the normals of two facets above which their common edge is sharp, rad.
    pub const SHARP: f64 = 0.35;

    /// Adds the unit normal of every facet to its nodes, which are at these positions.
    pub fn add_normals<X: Dim>(&self, positions: &[X::Vector], normals: &mut [X::Vector]) {
        for facet in &self.facets {
            let mut corners = [X::Vector::zero(); 3];
            for (corner, &node) in corners.iter_mut().zip(facet.nodes()) {
                *corner = positions[node as usize];
            }
            let normal = X::area_vector(&corners[..facet.nodes().len()]);
            let unit = normal * (1.0 / normal.norm().max(f64::MIN_POSITIVE));
            facet.nodes().iter().for_each(|&node| normals[node as usize] += unit);
        }
    }
}
