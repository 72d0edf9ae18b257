//! Deformable bodies as operators on their degrees of freedom.
//!
//! The motion of a deformable body is a rigid motion, which has the degrees of freedom of any body, and the velocities
//! of its nodes relative to it. The contact problem needs of the latter: the velocity at a contact point, the change of
//! all node velocities by an impulse there, and their kinetic norm. A rigid body has no nodes.

use std::fmt::Debug;

use super::Node;
use crate::dim::Dim;

/// Largest number of nodes that carry one contact point.
pub const NODES_AT_A_POINT: usize = 8;

/// The nodes at a contact point and their shape functions there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeWeights {
    count: usize,
    nodes: [(u32, f64); NODES_AT_A_POINT],
}

impl NodeWeights {
    /// These nodes with their weights; at most [`NODES_AT_A_POINT`] count.
    pub fn new(nodes: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut weights = Self::default();
        for (slot, node) in weights.nodes.iter_mut().zip(nodes) {
            *slot = node;
            weights.count += 1;
        }
        weights
    }

    /// Nodes and weights.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        self.nodes[..self.count].iter().copied()
    }
}

/// A deformable body, for one time step length and theta. All vectors are in body axes.
pub trait Deformable<X: Dim>: Debug + Send + Sync {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Position of a node in the undeformed body, m; for output only.
    fn position(&self, node: usize) -> X::Vector;

    /// Overwrites `free` with the node velocities at the end of the step if there were no contact impulses.
    fn predict(&self, nodes: &[Node<X>], free: &mut [X::Vector]);

    /// The nodes at a point of the surface.
    fn weights(&self, point: X::Vector) -> NodeWeights;

    /// Overwrites `response` with the change of every node velocity by an impulse at a point: one matrix for each node.
    fn response(&self, at: &NodeWeights, response: &mut [X::Matrix]);

    /// Twice the kinetic energy of the node velocities, J; the norm in which impulses and velocities are dual.
    fn norm2(&self, velocities: &[X::Vector]) -> f64;
}
