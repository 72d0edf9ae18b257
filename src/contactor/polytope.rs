//! A convex polygon or polyhedron.
//!
//! Vertices about the centre of mass in principal axes, faces with outward normals. In the plane a face is an edge.

use crate::dim::Dim;

/// One flat side.
#[derive(Clone, Debug, PartialEq)]
pub struct Face<X: Dim> {
    /// Outward unit normal.
    pub normal: X::Vector,
    /// Distance of the face from the origin along the normal, m.
    pub offset: f64,
    /// Its corners: two in the plane (counter-clockwise around the polygon), three or more in space
    /// (counter-clockwise seen from outside).
    pub corners: Vec<u32>,
}

/// A convex body given by its corners.
#[derive(Clone, Debug, PartialEq)]
pub struct Polytope<X: Dim> {
    /// Corners, m.
    pub vertices: Vec<X::Vector>,
    /// Sides; coplanar triangles are merged into one face.
    pub faces: Vec<Face<X>>,
    /// Edges between faces as pairs of corners, lower first; empty in the plane, where faces are the edges.
    pub edges: Vec<[u32; 2]>,
}
