//! The output of a parser: a polygon soup, that is, facets by vertex number without a guarantee that they fit together;
//! or what is wrong at which position of the file.

use nalgebra::Vector3;

use crate::contactor::polytope::MOST_POINTS;

/// Largest number of facets: a closed surface of triangles has at most twice as many facets as vertices.
pub(super) const MOST_FACETS: usize = 2 * MOST_POINTS;
/// Remedy for a file that is damaged.
pub(super) const EXPORT_AGAIN: &str = "export the file again";
/// Remedy for a file that is too large.
pub(super) const COARSER: &str = "give a coarser mesh";

/// A position in a file; facets and lines are counted from one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshLocation {
    /// Facet, in the order of the file.
    pub facet: Option<usize>,
    /// Line, in text files.
    pub line: Option<usize>,
}

/// An error in a file, before the file name is added.
pub(super) struct MeshIssue {
    pub(super) location: MeshLocation,
    pub(super) what: String,
    pub(super) remedy: &'static str,
}

impl MeshIssue {
    pub(super) fn at(location: MeshLocation, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { location, what: what.into(), remedy }
    }
}

/// A polygon soup: facets by vertex number.
#[derive(Default)]
pub(super) struct Soup {
    pub(super) vertices: Vec<Vector3<f64>>,
    pub(super) facets: Vec<Vec<u32>>,
    pub(super) locations: Vec<MeshLocation>,
}
