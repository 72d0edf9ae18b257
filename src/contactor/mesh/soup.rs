//! The output of a parser: facets by vertex number, or what is wrong at which place of the file.

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
pub struct MeshPlace {
    /// Facet, in the order of the file.
    pub facet: Option<usize>,
    /// Line, in text files.
    pub line: Option<usize>,
}

/// An error found by a parser, before the file name is added.
pub(super) struct Trouble {
    pub(super) place: MeshPlace,
    pub(super) what: String,
    pub(super) remedy: &'static str,
}

impl Trouble {
    pub(super) fn at(place: MeshPlace, what: impl Into<String>, remedy: &'static str) -> Self {
        Self { place, what: what.into(), remedy }
    }
}

/// The output of a parser: facets by vertex number.
#[derive(Default)]
pub(super) struct Soup {
    pub(super) vertices: Vec<Vector3<f64>>,
    pub(super) facets: Vec<Vec<u32>>,
    pub(super) places: Vec<MeshPlace>,
}
