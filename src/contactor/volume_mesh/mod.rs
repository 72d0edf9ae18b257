//! The data of a mesh of finite elements: nodes, elements, and named groups of them. The module `fem` reads, checks and
//! makes meshes.

mod kind;

use serde::{Deserialize, Serialize};

use crate::dim::Dim;

/// Largest number of nodes of an element.
pub const NODES_OF_AN_ELEMENT: usize = 10;

/// Kinds of elements. Nodes are numbered as in Gmsh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ElementKind {
    /// Triangle with linear shape functions.
    T3,
    /// Triangle with quadratic shape functions.
    T6,
    /// Quadrilateral with bilinear shape functions.
    Q4,
    /// Tetrahedron with linear shape functions.
    Tet4,
    /// Tetrahedron with quadratic shape functions.
    Tet10,
    /// Hexahedron with trilinear shape functions.
    Hex8,
}

/// A finite element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Element {
    /// Its kind.
    pub kind: ElementKind,
    /// Index of its group in [`VolumeMesh::groups`], or `u32::MAX` without one.
    pub group: u32,
    nodes: [u32; NODES_OF_AN_ELEMENT],
}

impl Element {
    /// The [`group`](Self::group) of an element without one.
    pub const NO_GROUP: u32 = u32::MAX;

    /// The element with these nodes, corners first; nodes beyond those of its kind are ignored.
    pub fn new(kind: ElementKind, nodes: &[u32], group: u32) -> Self {
        let mut all = [0; NODES_OF_AN_ELEMENT];
        let count = nodes.len().min(kind.node_count());
        all[..count].copy_from_slice(&nodes[..count]);
        Self { kind, group, nodes: all }
    }

    /// Its nodes, corners first.
    #[inline]
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.kind.node_count()]
    }

    /// Its nodes at corners.
    #[inline]
    pub fn corners(&self) -> &[u32] {
        &self.nodes[..self.kind.corner_count()]
    }
}

/// A named set of nodes, with the elements or the faces that they are nodes of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MeshGroup {
    /// Name; `group-N` with the number of the file where it has none.
    pub name: String,
    /// Dimension of its members: that of the mesh for elements, one less for faces, zero for nodes.
    pub dimension: usize,
    /// Its nodes, increasing.
    pub nodes: Vec<u32>,
    /// Nodes of each of its faces, if it consists of faces.
    pub faces: Vec<Vec<u32>>,
}

/// A mesh of finite elements.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct VolumeMesh<X: Dim> {
    /// Positions of the nodes, m.
    pub nodes: Vec<X::Vector>,
    /// Elements.
    pub elements: Vec<Element>,
    /// Groups.
    pub groups: Vec<MeshGroup>,
}

impl<X: Dim> VolumeMesh<X> {
    /// A mesh of these nodes and elements, without groups and unchecked.
    pub fn from_arrays(nodes: Vec<X::Vector>, elements: Vec<Element>) -> Self {
        Self { nodes, elements, groups: Vec::new() }
    }

    /// Positions of the nodes of an element.
    pub fn positions(&self, element: &Element) -> Vec<X::Vector> {
        element.nodes().iter().map(|&k| self.nodes[k as usize]).collect()
    }
}
