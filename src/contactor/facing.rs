//! Parts of the surface of a mesh that face each other across a gap, and may come into contact as the body deforms: the
//! flanks of a slot or a notch. A convex mesh has none.

use super::meshed::MOST_DISPLACED;
use super::surface::SurfaceFacet;
use super::{MeshedShape, Shape};
use crate::dim::{Dim, Vector};

/// Distance below the plane of a facet over the extent of the body within which a node counts as in front of it; and
/// what the scalar product of two normals at a right angle may be.
const ROUNDING: f64 = 1e-9;
/// Parts that are farther apart than this, over the extent of the body, do not come into contact: nodes of both may
/// move by [`MOST_DISPLACED`], and half as much allows for the alert distance.
const FARTHEST: f64 = 2.5 * MOST_DISPLACED;

/// Nodes, facets and edges of a surface that may come into contact with others of the same surface.
#[derive(Clone, Debug, PartialEq)]
pub struct FacingParts<X: Dim> {
    /// Nodes with a facet in front of them, increasing.
    pub nodes: Vec<u32>,
    /// Numbers of the facets with a node in front of them, increasing.
    pub facets: Vec<u32>,
    /// Edges between such nodes, in space.
    pub edges: Vec<FacingEdge<X>>,
}

/// An edge, with what of the undeformed body tells which edges are in front of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FacingEdge<X: Dim> {
    /// Its number among the sharp edges followed by the smooth ones.
    pub number: u32,
    /// Its nodes.
    pub nodes: [u32; 2],
    /// Its middle in the undeformed body, m.
    middle: X::Vector,
    /// The sum of the normals at its nodes there.
    normal: X::Vector,
}

impl<X: Dim> Default for FacingParts<X> {
    fn default() -> Self {
        Self { nodes: Vec::new(), facets: Vec::new(), edges: Vec::new() }
    }
}

impl<X: Dim> FacingParts<X> {
    /// Of each of these shapes; of none if there are no meshes among them.
    pub fn of_all(shapes: &[Shape<X>]) -> Vec<Self> {
        match shapes.iter().any(|shape| shape.as_meshed().is_some()) {
            true => shapes.iter().map(|shape| shape.as_meshed().map_or_else(Self::default, Self::of)).collect(),
            false => Vec::new(),
        }
    }

    /// Of the surface of a mesh.
    pub fn of(shape: &MeshedShape<X>) -> Self {
        let (points, surface) = (&shape.mesh.nodes, &shape.surface);
        let mut normals = vec![X::Vector::zero(); points.len()];
        surface.add_normals::<X>(points, &mut normals);
        let mut has_facet = vec![false; points.len()];
        let mut facets = Vec::new();
        for (number, facet) in (0..).zip(&surface.facets) {
            let plane = FacetPlane::of(shape, facet);
            let mut is_faced = false;
            for &node in &surface.nodes {
                let at = points[node as usize];
                let faces = plane.normal.dot(&normals[node as usize]) < -ROUNDING && plane.is_in_front(at);
                if faces && plane.is_near(at, FARTHEST * shape.reach) && !facet.has(node) {
                    (has_facet[node as usize], is_faced) = (true, true);
                }
            }
            facets.extend(is_faced.then_some(number));
        }
        let nodes = surface.nodes.iter().copied().filter(|&node| has_facet[node as usize]).collect();
        let edges = (0..).zip(surface.sharp_edges.iter().chain(&surface.smooth_edges));
        let edges = edges.filter(|(_, ends)| ends.iter().all(|&node| has_facet[node as usize]));
        let edge = |(number, &nodes): (u32, &[u32; 2])| {
            let [a, b] = nodes.map(|node| node as usize);
            FacingEdge { number, nodes, middle: (points[a] + points[b]) * 0.5, normal: normals[a] + normals[b] }
        };
        Self { nodes, facets, edges: edges.map(edge).collect() }
    }

    /// Is nothing of the surface in front of any other part of it?
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

impl<X: Dim> FacingEdge<X> {
    /// Is either edge in front of the other in the undeformed body?
    pub fn faces(&self, other: &Self) -> bool {
        let between = other.middle - self.middle;
        between.dot(&self.normal) > 0.0
            && between.dot(&other.normal) < 0.0
            && !self.nodes.iter().any(|node| other.nodes.contains(node))
    }
}

impl<X: Dim> MeshedShape<X> {
    /// Is a node in front of a facet in the undeformed body, and not one of its nodes? Only then may they come into
    /// contact.
    pub fn is_in_front(&self, node: u32, facet: &SurfaceFacet) -> bool {
        !facet.has(node) && FacetPlane::of(self, facet).is_in_front(self.mesh.nodes[node as usize])
    }
}

/// The plane of an undeformed facet (in the plane, the line).
struct FacetPlane<X: Dim> {
    middle: X::Vector,
    normal: X::Vector,
    /// Largest distance of a corner from the middle, m.
    radius: f64,
    /// Distance below it that counts as in front, m.
    margin: f64,
}

impl<X: Dim> FacetPlane<X> {
    fn of(shape: &MeshedShape<X>, facet: &SurfaceFacet) -> Self {
        let mut corners = [X::Vector::zero(); 3];
        let count = facet.nodes().len();
        for (corner, &node) in corners.iter_mut().zip(facet.nodes()) {
            *corner = shape.mesh.nodes[node as usize];
        }
        let corners = &corners[..count];
        let middle = corners.iter().fold(X::Vector::zero(), |sum, corner| sum + *corner) * (1.0 / count as f64);
        let area = X::area_vector(corners);
        let normal = area * (1.0 / area.norm().max(f64::MIN_POSITIVE));
        let radius = corners.iter().map(|corner| (*corner - middle).norm()).fold(0.0, f64::max);
        Self { middle, normal, radius, margin: ROUNDING * shape.reach }
    }

    fn is_in_front(&self, point: X::Vector) -> bool {
        (point - self.middle).dot(&self.normal) >= -self.margin
    }

    fn is_near(&self, point: X::Vector, distance: f64) -> bool {
        (point - self.middle).norm() <= distance + self.radius
    }
}
