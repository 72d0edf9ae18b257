//! A side of a contact: a rigid shape with its pose, or the surface of a meshed body in its deformed state.

use crate::body::NodeWeights;
use crate::contactor::surface::{Surface, SurfaceFacet};
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Vector};

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

impl<X: Dim> DeformedSurface<'_, X> {
    /// Position of a node.
    #[inline]
    pub(super) fn at(&self, node: u32) -> X::Vector {
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

    /// Facets that meet a box, with their numbers.
    pub(super) fn facets_in(&self, bounds: &Bounds<X>) -> Vec<(u32, SurfaceFacet)> {
        let meets = |facet: &SurfaceFacet| {
            let own: Bounds<X> = facet.nodes().iter().map(|&node| Bounds::at(self.at(node))).collect();
            bounds.meets(&own)
        };
        (0..).zip(&self.surface.facets).filter(|(_, facet)| meets(facet)).map(|(k, facet)| (k, *facet)).collect()
    }

    /// The interpolated normal at a point of a facet.
    pub(super) fn normal_at(&self, facet: &SurfaceFacet, weights: [f64; 3]) -> X::Vector {
        let sum = facet.nodes().iter().zip(weights);
        unit(sum.fold(X::Vector::zero(), |sum, (&node, weight)| sum + self.normal(node) * weight))
    }
}

/// The nodes of a facet with weights; those of weight zero are left out.
pub(super) fn on_facet(facet: &SurfaceFacet, weights: [f64; 3]) -> NodeWeights {
    NodeWeights::new(facet.nodes().iter().copied().zip(weights).filter(|(_, weight)| *weight != 0.0))
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
