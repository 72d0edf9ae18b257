//! Deformable bodies as operators on their degrees of freedom.
//!
//! The motion of a deformable body is a rigid motion, which has the degrees of freedom of any body, and the
//! displacements and velocities of its nodes relative to it. The contact problem needs of the latter only the
//! compliance between nodes of the surface: how much an impulse on one changes the velocity of another within the step.
//! A rigid body has no nodes.

use std::fmt::Debug;

use super::Node;
use crate::dim::{Dim, Vector};

/// Largest number of nodes that carry one contact point.
pub const NODES_AT_A_POINT: usize = 5;

/// The nodes at a contact point and their shape functions there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeWeights {
    count: u32,
    nodes: [u32; NODES_AT_A_POINT],
    weights: [f64; NODES_AT_A_POINT],
}

impl NodeWeights {
    /// These nodes with their weights; at most [`NODES_AT_A_POINT`] count.
    pub fn new(nodes: impl Iterator<Item = (u32, f64)>) -> Self {
        let mut all = Self::default();
        for (k, (node, weight)) in nodes.take(NODES_AT_A_POINT).enumerate() {
            (all.nodes[k], all.weights[k]) = (node, weight);
            all.count += 1;
        }
        all
    }

    /// What the nodes at a contact point of a body with itself add to its relative velocity: those of the second end
    /// less those of the first.
    pub fn difference([first, second]: [&Self; 2]) -> Self {
        Self::new(second.iter().chain(first.iter().map(|(node, weight)| (node, -weight))))
    }

    /// Nodes and weights.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (u32, f64)> {
        let count = self.count as usize;
        self.nodes[..count].iter().copied().zip(self.weights[..count].iter().copied())
    }

    /// No nodes: the point lies on a rigid body.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// Loads on a deformable body in a step, besides contacts; all vectors in body axes.
#[derive(Clone, Copy, Debug)]
pub struct NodalLoads<'a, X: Dim> {
    /// Angular velocity, rad/s.
    pub spin: X::Spin,
    /// Gravity less the acceleration of the body, if it acts on the nodes and not on a rigid motion: in bodies with
    /// held nodes, m/s2.
    pub gravity: X::Vector,
    /// Angular acceleration of the frame of a body with held nodes, else zero, rad/s2.
    pub spin_rate: X::Spin,
    /// Forces on nodes, N.
    pub forces: &'a [(u32, X::Vector)],
    /// Velocities of nodes at the end of the step along the axes in which they are held, m/s; others are zero.
    pub held: &'a [(u32, X::Vector)],
}

impl<'a, X: Dim> NodalLoads<'a, X> {
    /// Loads on a body that moves as a whole.
    pub fn free(spin: X::Spin, forces: &'a [(u32, X::Vector)]) -> Self {
        Self { spin, gravity: X::Vector::zero(), spin_rate: X::Spin::zero(), forces, held: &[] }
    }

    /// Whether a force acts on every node in proportion to its mass.
    pub fn accelerate(&self) -> bool {
        self.gravity.norm2() > 0.0 || self.spin_rate.norm2() > 0.0
    }

    /// This force per unit mass at a position in the undeformed body: gravity, and the inertia of a frame whose spin
    /// changes.
    pub fn acceleration(&self, position: X::Vector) -> X::Vector {
        self.gravity - X::cross(self.spin_rate, position)
    }
}

/// Work of loads on the nodes of a deformable body in a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodalWork {
    /// Of centrifugal forces.
    pub centrifugal: f64,
    /// Of gravity and forces on nodes.
    pub loads: f64,
    /// Of the forces that hold nodes.
    pub held: f64,
}

/// What becomes of the energy of the nodes of a deformable body in a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElasticFlows {
    /// Gain of strain energy.
    pub stored: f64,
    /// Dissipated by the damping of material and time scheme.
    pub damped: f64,
}

/// How far a deformable body is from its undeformed state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deformation {
    /// Largest absolute value of a principal strain; zero if it is small.
    pub strain: f64,
    /// Largest displacement of a node over the distance of the farthest node from the centre.
    pub displacement: f64,
    /// The first element that is turned inside out, if any.
    pub inverted: Option<usize>,
}

/// Principal values at a node, decreasing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PrincipalValues {
    /// Of the stress, Pa.
    pub stress: [f64; 3],
    /// Of the strain.
    pub strain: [f64; 3],
}

/// The stress of an element, in body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementStress<X: Dim> {
    /// Mean of the positions of its nodes, m.
    pub centre: X::Vector,
    /// Its undeformed volume, m3 (m2 in the plane).
    pub volume: f64,
    /// Mean Cauchy stress, positive in tension, Pa.
    pub stress: X::Matrix,
}

/// A deformable body, for one time step length and theta. All vectors are in body axes.
pub trait Deformable<X: Dim>: Debug + Send + Sync {
    /// Number of nodes.
    fn nodes(&self) -> usize;

    /// Memory of matrices and, once it is made, of the factor, in bytes, and of the compliance if contacts touch all
    /// nodes of the surface.
    fn bytes(&self) -> [usize; 2];

    /// Is there a factor, so that the body can move?
    fn is_prepared(&self) -> bool;

    /// Makes the factor, unless there is one. True if this call made it; else what is wrong.
    fn prepare(&self) -> Result<bool, String>;

    /// Position of a node in the undeformed body, m.
    fn position(&self, node: usize) -> X::Vector;

    /// Overwrites `free` with the node velocities at the end of the step if there were no contact impulses.
    fn predict(&self, nodes: &[Node<X>], loads: &NodalLoads<'_, X>, free: &mut [X::Vector]);

    /// Change of the velocity of node `of` by a unit impulse on node `by`, 1/kg. Both lie on the surface.
    fn compliance(&self, of: u32, by: u32) -> X::Matrix;

    /// Adds the effect of impulses on nodes of the surface to the velocities of all nodes.
    fn respond(&self, impulses: &[(u32, X::Vector)], velocities: &mut [X::Vector]);

    /// Kinetic energy of nodes relative to the rigid motion, J.
    fn kinetic_energy(&self, nodes: &[Node<X>]) -> f64;

    /// Strain energy and damping in a step in which nodes move from `before` to `after`.
    fn flows(&self, before: &[Node<X>], after: &[Node<X>]) -> ElasticFlows;

    /// Strain and displacement of nodes in this state.
    fn deformation(&self, nodes: &[Node<X>]) -> Deformation;

    /// Principal values of stress and strain at every node.
    fn principal_values(&self, nodes: &[Node<X>]) -> Vec<PrincipalValues>;

    /// Mean stress of every element.
    fn element_stresses(&self, nodes: &[Node<X>]) -> Vec<ElementStress<X>>;

    /// Forces that hold nodes in a step in which they move from `before` to `after`, with contact `impulses` on nodes:
    /// one for every node, zero where it is free, N.
    fn holding_forces(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> Vec<X::Vector>;

    /// Work of loads in such a step, with contact `impulses` on nodes.
    fn work(
        &self,
        before: &[Node<X>],
        after: &[Node<X>],
        loads: &NodalLoads<'_, X>,
        impulses: &[(u32, X::Vector)],
    ) -> NodalWork;
}
