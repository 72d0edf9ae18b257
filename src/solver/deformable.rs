//! Contacts of deformable bodies: their ends act on a block of velocity rows.
//!
//! Besides the row of its rigid motion, a deformable body has one row for each node. The velocity of that row is the
//! velocity of the node relative to the rigid motion, in world axes; its spin is zero. Sweeps, momentum and the
//! interface treat these rows like all others. A contact reads the nodes at its point, and its impulse changes all
//! nodes of the body.

use std::ops::Range;
use std::sync::Arc;

use super::velocities::VelocityRows;
use super::{BodyVelocity, Velocity};
use crate::body::{Deformable, NodeWeights};
use crate::dim::{Dim, Orientation, Square, Vector};

/// What the two ends of a contact add to those of rigid bodies.
pub(super) trait ContactEnds<X: Dim> {
    /// Adds the relative velocity of the nodes at the contact to that of the rigid motions.
    fn add_velocity(&self, rigid: X::Vector, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector;
    /// Adds the effect of an impulse on the second body, and of its opposite on the first, to the nodes.
    fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector);
}

/// Ends at rigid bodies, which have no nodes.
#[derive(Clone, Copy)]
pub(super) struct RigidEnds;

impl<X: Dim> ContactEnds<X> for RigidEnds {
    #[inline(always)]
    fn add_velocity(&self, rigid: X::Vector, _: &(impl VelocityRows<X> + ?Sized)) -> X::Vector {
        rigid
    }
    #[inline(always)]
    fn apply(&self, _: &mut (impl VelocityRows<X> + ?Sized), _: X::Vector) {}
}

/// A deformable body of a problem.
#[derive(Clone, Debug)]
pub struct DeformableBody<X: Dim> {
    /// Local indices of the rows of its nodes.
    pub nodes: Range<u32>,
    /// Its operator, in body axes.
    pub operator: Arc<dyn Deformable<X>>,
    /// Orientation at mid-step.
    pub orientation: X::Orientation,
    /// Factor on its compliance: that of a split copy.
    pub factor: f64,
}

/// Operators are equal if they are the same one.
impl<X: Dim> PartialEq for DeformableBody<X> {
    fn eq(&self, other: &Self) -> bool {
        let same = (&self.nodes, self.orientation, self.factor) == (&other.nodes, other.orientation, other.factor);
        same && Arc::ptr_eq(&self.operator, &other.operator)
    }
}

impl<X: Dim> DeformableBody<X> {
    /// Twice the kinetic energy of the difference between the present and other node velocities, J.
    pub(super) fn norm2<'a>(
        &self,
        row: impl Fn(usize) -> &'a BodyVelocity<X>,
        other: impl Fn(usize) -> Velocity<X>,
    ) -> f64 {
        let difference = |index: usize| self.orientation.unrotate(row(index).velocity - other(index).velocity);
        let nodes = self.nodes.start as usize..self.nodes.end as usize;
        self.operator.norm2(&nodes.map(difference).collect::<Vec<_>>())
    }
}

/// One end of a contact at a deformable body.
#[derive(Clone, Debug, PartialEq)]
struct DeformableEnd<X: Dim> {
    /// Local index of the row of the first node.
    first: u32,
    /// The nodes at the contact point.
    weights: NodeWeights,
    /// Change of the velocity of every node per unit impulse at the contact point, in world axes.
    response: Vec<X::Matrix>,
}

impl<X: Dim> DeformableEnd<X> {
    fn new(body: &DeformableBody<X>, point: X::Vector) -> Self {
        let DeformableBody { nodes, operator, orientation, factor } = body;
        let weights = operator.weights(orientation.unrotate(point));
        let mut response = vec![X::Matrix::from_fn(|_, _| 0.0); nodes.len()];
        operator.response(&weights, &mut response);
        let axes: Vec<X::Vector> = (0..X::D).map(|k| orientation.unrotate(X::Vector::axis(k))).collect();
        for matrix in &mut response {
            let columns: Vec<X::Vector> = axes.iter().map(|axis| orientation.rotate(matrix.apply(*axis))).collect();
            *matrix = X::Matrix::from_fn(|i, j| columns[j][i]).scaled(*factor);
        }
        Self { first: nodes.start, weights, response }
    }

    #[inline]
    fn velocity(&self, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector {
        let nodes = self.weights.iter();
        nodes.fold(X::Vector::zero(), |sum, (node, weight)| sum + rows[(self.first + node) as usize].velocity * weight)
    }

    fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector) {
        for (index, matrix) in (self.first as usize..).zip(&self.response) {
            rows[index].velocity += matrix.apply(impulse);
        }
    }

    /// The contribution to the local Delassus block, in world axes.
    fn block(&self) -> X::Matrix {
        X::Matrix::from_fn(|i, j| self.weights.iter().map(|(node, w)| w * self.response[node as usize][(i, j)]).sum())
    }
}

/// The ends of a general contact of which at least one is at a deformable body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeformableContact<X: Dim> {
    /// Index of the general contact.
    pub(super) contact: u32,
    ends: [Option<DeformableEnd<X>>; 2],
}

impl<X: Dim> DeformableContact<X> {
    /// Ends of contact number `contact` at these deformable bodies, if any, each with the arm from its centre to the
    /// contact point.
    pub(super) fn new(contact: u32, bodies: [Option<(&DeformableBody<X>, X::Vector)>; 2]) -> Option<Self> {
        let ends = bodies.map(|end| end.map(|(body, arm)| DeformableEnd::new(body, arm)));
        ends.iter().any(Option::is_some).then_some(Self { contact, ends })
    }

    /// The contribution to the local Delassus block, in the contact frame.
    pub(super) fn block(&self, normal: X::Vector) -> X::Matrix {
        let frame = X::frame(normal);
        let blocks = [0, 1].map(|side| self.ends[side].as_ref().map(DeformableEnd::block));
        X::Matrix::from_fn(|i, j| {
            let part = |block: &X::Matrix| block.apply(frame.row_vector(j)).dot(&frame.row_vector(i));
            blocks.iter().flatten().map(part).sum()
        })
    }

    /// Local indices of all node rows of its bodies.
    pub(super) fn node_indices(&self) -> impl Iterator<Item = usize> {
        self.ends.iter().flatten().flat_map(|end| (end.first as usize..).take(end.response.len()))
    }
}

impl<X: Dim> ContactEnds<X> for DeformableContact<X> {
    fn add_velocity(&self, rigid: X::Vector, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector {
        let side = |side: usize| self.ends[side].as_ref().map_or(X::Vector::zero(), |end| end.velocity(rows));
        rigid + (side(1) - side(0))
    }

    fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector) {
        for (end, sign) in self.ends.iter().zip([-1.0, 1.0]) {
            if let Some(end) = end {
                end.apply(rows, impulse * sign);
            }
        }
    }
}
