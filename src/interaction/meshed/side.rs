//! A side of a contact: a rigid shape with its pose, or the surface of a meshed body in its deformed state.

use super::facet::{BEYOND, longest_side};
use super::quadrilateral;
use crate::body::NodeWeights;
use crate::contactor::surface::{Surface, SurfaceFacet};
use crate::contactor::{Bounds, MeshedShape, PosedShape};
use crate::dim::{Dim, Orientation, Vector};

/// One of the two bodies of a pair.
#[derive(Clone, Copy, Debug)]
pub enum ContactSide<'a, X: Dim> {
    /// A rigid body.
    Rigid(PosedShape<'a, X>),
    /// A meshed body.
    Meshed(DeformedSurface<'a, X>),
}

/// The surface of a meshed body at mid-step.
#[derive(Clone, Copy, Debug)]
pub struct DeformedSurface<'a, X: Dim> {
    /// Its facets.
    pub surface: &'a Surface,
    /// Positions of all nodes, m.
    pub points: &'a [X::Vector],
    /// Mean of the unit normals of the facets at every node of the surface, not normalised.
    pub normals: &'a [X::Vector],
    /// Translation of the periodic image, m.
    pub shift: X::Vector,
    /// Depth below the surface beyond which a point is not in contact, m.
    pub depth: f64,
}

/// Nodes of a meshed body where they are if it is not deformed, and their normals.
#[derive(Clone, Debug)]
pub struct UndeformedNodes<X: Dim> {
    points: Vec<X::Vector>,
    normals: Vec<X::Vector>,
}

impl<X: Dim> UndeformedNodes<X> {
    /// Of a mesh at this place.
    pub fn new(mesh: &MeshedShape<X>, position: X::Vector, orientation: &X::Orientation) -> Self {
        let points: Vec<X::Vector> = mesh.mesh.nodes.iter().map(|&node| position + orientation.rotate(node)).collect();
        let mut normals = vec![X::Vector::zero(); points.len()];
        mesh.surface.add_normals::<X>(&points, &mut normals);
        Self { points, normals }
    }

    /// The side of a contact that they are.
    pub fn side<'a>(&'a self, mesh: &'a MeshedShape<X>) -> ContactSide<'a, X> {
        ContactSide::Meshed(DeformedSurface {
            surface: &mesh.surface,
            points: &self.points,
            normals: &self.normals,
            shift: X::Vector::zero(),
            depth: DeformedSurface::depth_of(mesh),
        })
    }
}

impl<X: Dim> DeformedSurface<'_, X> {
    /// Depth below the surface of a mesh beyond which a point is not in contact, m.
    pub fn depth_of(mesh: &MeshedShape<X>) -> f64 {
        0.5 * mesh.radius
    }

    /// Position of a node.
    #[inline]
    pub(in crate::interaction) fn at(&self, node: u32) -> X::Vector {
        self.points[node as usize] + self.shift
    }

    /// Unit normal at a node.
    pub(super) fn normal(&self, node: u32) -> X::Vector {
        unit(self.normals[node as usize])
    }

    /// Positions of the nodes of a facet; in the plane the last is not used.
    #[inline]
    pub(super) fn corners(&self, facet: &SurfaceFacet) -> [X::Vector; 3] {
        let nodes = facet.nodes();
        std::array::from_fn(|k| nodes.get(k).map_or(X::Vector::zero(), |&node| self.at(node)))
    }

    /// The smallest box around the surface.
    pub(super) fn bounds(&self) -> Bounds<X> {
        self.surface.nodes.iter().map(|&node| Bounds::at(self.at(node))).collect()
    }

    /// Nodes of the surface in a box.
    pub(super) fn nodes_in<'b>(&'b self, bounds: &'b Bounds<X>) -> impl Iterator<Item = u32> + 'b {
        self.surface.nodes.iter().copied().filter(move |&node| bounds.meets(&Bounds::at(self.at(node))))
    }

    /// The smallest box around a facet.
    pub(super) fn facet_bounds(&self, facet: &SurfaceFacet) -> Bounds<X> {
        facet.nodes().iter().map(|&node| Bounds::at(self.at(node))).collect()
    }

    /// Facets that meet a box, with their numbers.
    pub(in crate::interaction) fn facets_in(&self, bounds: &Bounds<X>) -> Vec<(u32, SurfaceFacet)> {
        let meets = |facet: &SurfaceFacet| bounds.meets(&self.facet_bounds(facet));
        (0..).zip(&self.surface.facets).filter(|(_, facet)| meets(facet)).map(|(k, facet)| (k, *facet)).collect()
    }

    /// Distance beyond the border of one of these facets up to which a node counts as above it, m. One distance for
    /// all: a bond would be lost between two.
    pub(super) fn beyond(&self, near: &[(u32, SurfaceFacet)]) -> f64 {
        let lengths = near.iter().map(|(_, facet)| longest_side::<X>(&self.corners(facet), facet.nodes().len()));
        BEYOND * lengths.fold(f64::INFINITY, f64::min)
    }

    /// The nodes that carry a point of a facet, given by the weights of the corners of the facet: those corners, or all
    /// four of the face of which it is a half.
    pub(super) fn carriers(&self, facet: &SurfaceFacet, weights: [f64; 3]) -> NodeWeights {
        match facet.quadrilateral() {
            Some(nodes) => {
                let weights = quadrilateral::weights::<X>(&nodes.map(|node| self.at(node)), weights);
                carrying(nodes.into_iter().zip(weights))
            }
            None => carrying(facet.nodes().iter().copied().zip(weights)),
        }
    }

    /// The interpolated normal at a point of a facet.
    pub(super) fn normal_at(&self, facet: &SurfaceFacet, weights: [f64; 3]) -> X::Vector {
        let sum = facet.nodes().iter().zip(weights);
        unit(sum.fold(X::Vector::zero(), |sum, (&node, weight)| sum + self.normal(node) * weight))
    }
}

/// Two nodes at the ends of an edge, at this share of its length.
pub(super) fn on_edge(nodes: [u32; 2], share: f64) -> NodeWeights {
    carrying(nodes.into_iter().zip([1.0 - share, share]))
}

/// Nodes with weights; those of weight zero are left out.
fn carrying(nodes: impl Iterator<Item = (u32, f64)>) -> NodeWeights {
    NodeWeights::new(nodes.filter(|(_, weight)| *weight != 0.0))
}

/// One node.
pub(super) fn on_node(node: u32) -> NodeWeights {
    NodeWeights::new(std::iter::once((node, 1.0)))
}

/// The unit vector along `v`, or zero.
pub(super) fn unit<V: Vector>(v: V) -> V {
    let norm = v.norm();
    if norm > 0.0 { v * (1.0 / norm) } else { v }
}
