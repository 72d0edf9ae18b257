//! Generators of meshes for simple shapes: boxes, disks, spheres, cylinders, polygons and convex polyhedra.
//!
//! Every generator takes a [`MeshTarget`] and places nodes exactly on the surface of the shape. Shapes are given
//! about the origin, as the shapes of rigid bodies are.

mod ball;
mod block;
mod convert;
mod delaunay;
mod disk;
mod extrude;
mod fill;
mod flips;
mod grading;
mod improve;
mod polygon;
mod polyhedron;
mod shell;

use std::fmt;

use crate::dim::Dim;

use super::{ElementKind, VolumeMesh};

/// Largest number of nodes that a generator makes.
const MOST_NODES: f64 = 4e6;

/// What a mesh shall consist of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshTarget {
    /// Length of the edges of elements, m.
    pub size: f64,
    /// Kind of the elements.
    pub kind: ElementKind,
}

/// The reason why a shape cannot be meshed.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshingFault {
    /// What is wrong.
    pub what: String,
    /// What the user can do.
    pub remedy: &'static str,
}

impl fmt::Display for MeshingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for MeshingFault {}

impl MeshingFault {
    fn new(what: impl Into<String>, remedy: &'static str) -> Self {
        Self { what: what.into(), remedy }
    }
}

impl MeshTarget {
    /// Checks the target for a shape with this volume (area).
    fn check<X: Dim>(&self, measure: f64) -> Result<(), MeshingFault> {
        check_kind::<X>(self.kind)?;
        if !(self.size.is_finite() && self.size > 0.0) {
            let what = format!("a mesh of elements of size {:e} m cannot be made", self.size);
            return Err(MeshingFault::new(what, "give a positive size"));
        }
        check_count(measure / self.size.powi(X::D as i32))
    }

    /// Number of intervals of this size on a length; at least one.
    fn intervals(&self, length: f64) -> usize {
        // A length that is a multiple of the size up to rounding gets no additional interval.
        (length / self.size - 1e-9).ceil().max(1.0) as usize
    }

    /// The target of the mesh of simplices that [`convert`] turns into elements of this kind and size.
    fn before_conversion(&self) -> Self {
        let size = if self.kind.is_simplex() { self.size } else { 2.0 * self.size };
        Self { size, kind: self.kind }
    }
}

fn check_kind<X: Dim>(kind: ElementKind) -> Result<(), MeshingFault> {
    if kind.dimension() == X::D {
        return Ok(());
    }
    let what = format!("{} elements have {} dimensions, the scene has {}", kind.name(), kind.dimension(), X::D);
    Err(MeshingFault::new(what, "use T3, T6 or Q4 in the plane; TET4, TET10 or HEX8 in space"))
}

fn check_count(nodes: f64) -> Result<(), MeshingFault> {
    if nodes <= MOST_NODES {
        return Ok(());
    }
    let what = format!("the mesh would have about {nodes:.0e} nodes, more than {MOST_NODES:.0e}");
    Err(MeshingFault::new(what, "give a larger size"))
}

fn check_length(name: &str, length: f64) -> Result<(), MeshingFault> {
    if (1e-60..1e60).contains(&length) {
        return Ok(());
    }
    Err(MeshingFault::new(format!("{name} is {length:e} m"), "give a length between 1e-60 and 1e60 m"))
}

/// The mesh, if it passes all checks.
fn accept<X: Dim>(mut mesh: VolumeMesh<X>, remedy: &'static str) -> Result<VolumeMesh<X>, MeshingFault> {
    // A point inside that no element uses is of no consequence.
    mesh.drop_unused_nodes();
    match mesh.check() {
        Ok(()) => Ok(mesh),
        Err(defect) => Err(MeshingFault::new(format!("the mesh made of the shape has a defect: {defect}"), remedy)),
    }
}
