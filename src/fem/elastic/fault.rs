//! Faults of meshes and materials that have no elastic operator, with what to do about them.

use crate::base::memory::bytes_for_people;

/// Why there is no elastic operator.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ElasticFault {
    /// A value of a material that is not allowed.
    #[error("elastic material {material}: {key} = {value} {expected}")]
    Material {
        /// Its index.
        material: usize,
        /// Which of its values.
        key: &'static str,
        /// That value.
        value: f64,
        /// What is expected instead.
        expected: &'static str,
    },
    /// Neither one material nor one for each group.
    #[error("{materials} elastic materials for {groups} groups of elements: give one for all or one for each group")]
    MaterialCount {
        /// Number of materials.
        materials: usize,
        /// Number of groups of the mesh.
        groups: usize,
    },
    /// An element without a group, although materials belong to groups.
    #[error(
        "element {element} is in no group of the mesh, so it has no material: put it in one, or give one material \
         for all"
    )]
    NoMaterial {
        /// Its index.
        element: usize,
    },
    /// A mesh without elements.
    #[error("the mesh has no elements")]
    Empty,
    /// An element of the wrong dimension.
    #[error("element {element} is a {kind}, of dimension {found}; the scene has {expected} dimensions")]
    Dimension {
        /// Its index.
        element: usize,
        /// Its kind.
        kind: &'static str,
        /// Its dimension.
        found: usize,
        /// That of the scene.
        expected: usize,
    },
    /// An element with a node that the mesh does not have.
    #[error("element {element} refers to node {node}, but the mesh has {nodes} nodes")]
    MissingNode {
        /// Its index.
        element: usize,
        /// The node.
        node: u32,
        /// Number of nodes of the mesh.
        nodes: usize,
    },
    /// An element that is flat or inside out.
    #[error(
        "element {element} ({kind}) is degenerate or inverted: its Jacobian is {jacobian:.3e} where an element of its \
         size should have about {expected:.3e}; repair the mesh there"
    )]
    Degenerate {
        /// Its index.
        element: usize,
        /// Its kind.
        kind: &'static str,
        /// The smallest determinant of the Jacobian.
        jacobian: f64,
        /// The determinant of a regular element of that size.
        expected: f64,
    },
    /// A node that no element has.
    #[error("node {node} belongs to no element: remove it from the mesh")]
    LooseNode {
        /// Its index.
        node: usize,
    },
    /// A step or theta that is not allowed.
    #[error(
        "an elastic body cannot move in steps of h = {h} s with theta = {theta}: h > 0 and 0 < theta <= 1 are needed"
    )]
    Step {
        /// Length of the step, s.
        h: f64,
        /// Theta.
        theta: f64,
    },
    /// A factor that does not fit into memory.
    #[error(
        "the factor of an elastic body of {unknowns} unknowns needs {}, and this machine has {}: choose a larger \
         mesh.size, or several smaller bodies",
        bytes_for_people(*bytes),
        bytes_for_people(*memory)
    )]
    TooLarge {
        /// Number of unknowns: one a node and axis.
        unknowns: usize,
        /// Bytes of the factor.
        bytes: u64,
        /// Bytes of memory of the machine or the job.
        memory: u64,
    },
    /// The matrix of the time step has no Cholesky factor.
    #[error(
        "the matrix of the elastic step is not positive definite ({reason}): check stiffness, density and step length, \
         and whether the mesh has slivers"
    )]
    NotPositiveDefinite {
        /// What the factorisation reports.
        reason: String,
    },
}
