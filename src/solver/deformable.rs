//! Contacts of deformable bodies: their ends act on a block of rows besides that of the rigid motion.
//!
//! A deformable body has one row for every node of its surface that carries a contact somewhere. The row holds the
//! impulse F_b on the node, in world axes, as its velocity; its spin is zero. The velocity at a contact point with nodal
//! weights w_a is that of the rigid motion and sum_ab w_a R W_ab R^T F_b, with the compliance W of the body in a step; an
//! impulse p on the point adds w_a p to F_a. As both are linear, sweeps, momentum, split copies and the interface
//! treat these rows like all others: a split copy with a factor f on its compliance adds f p, and the difference over f
//! is the impulse that it sends.

use std::ops::Range;
use std::sync::Arc;

use super::velocities::VelocityRows;
use super::{BodyVelocity, Velocity};
use crate::body::{Deformable, NodeWeights};
use crate::dim::{Dim, Square, Vector, rotation_matrix};

/// What the two ends of a contact add to those of rigid bodies.
pub(super) trait ContactEnds<X: Dim> {
    /// Adds the relative velocity of the nodes at the contact to that of the rigid motions.
    fn add_velocity(&self, rigid: X::Vector, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector;
    /// Adds an impulse on the second body, and its opposite on the first, to the nodes.
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
    /// Local indices of the rows of its loaded nodes.
    pub rows: Range<u32>,
    /// The nodes of these rows, increasing.
    pub nodes: Vec<u32>,
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
        let same = (&self.rows, self.orientation, self.factor) == (&other.rows, other.orientation, other.factor);
        same && self.nodes == other.nodes && Arc::ptr_eq(&self.operator, &other.operator)
    }
}

impl<X: Dim> DeformableBody<X> {
    /// Twice the elastic part of the kinetic norm of the difference between the present and other rows, F . W F, J.
    pub(super) fn norm2<'a>(
        &self,
        row: impl Fn(usize) -> &'a BodyVelocity<X>,
        other: impl Fn(usize) -> Velocity<X>,
    ) -> f64 {
        let axes = rotation_matrix::<X>(&self.orientation);
        let difference =
            |index: u32| axes.apply_transposed(row(index as usize).velocity - other(index as usize).velocity);
        let impulses: Vec<X::Vector> = self.rows.clone().map(difference).collect();
        let mut sum = 0.0;
        for (&by, impulse) in self.nodes.iter().zip(&impulses).filter(|(_, impulse)| **impulse != X::Vector::zero()) {
            for (&of, other) in self.nodes.iter().zip(&impulses) {
                sum += self.operator.compliance(of, by).apply(*impulse).dot(other);
            }
        }
        sum
    }
}

/// One end of a contact at a deformable body.
#[derive(Clone, Debug, PartialEq)]
struct DeformableEnd {
    /// Local index of the row of the first loaded node.
    first: u32,
    /// The nodes at the contact point, by their position among the loaded nodes; the weights contain the factor of a
    /// split copy.
    weights: NodeWeights,
    /// Position of sum_a w_a R W_ab R^T in the list of compliances, for every loaded node b.
    compliances: Range<u32>,
}

/// The ends of a general contact of which at least one is at a deformable body.
#[derive(Clone, Debug, PartialEq)]
struct EndPair {
    /// Index of the general contact.
    contact: u32,
    ends: [Option<DeformableEnd>; 2],
}

/// The ends of all general contacts at deformable bodies, in the order of the contacts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DeformableContacts<X: Dim> {
    pairs: Vec<EndPair>,
    compliances: Vec<X::Matrix>,
}

impl<X: Dim> Default for DeformableContacts<X> {
    fn default() -> Self {
        Self { pairs: Vec::new(), compliances: Vec::new() }
    }
}

impl<X: Dim> DeformableContacts<X> {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
        self.compliances.clear();
    }

    /// Adds the ends of contact number `contact`, the greatest so far, at these deformable bodies, if any, each with
    /// the nodes at the contact point.
    pub(super) fn add(&mut self, contact: u32, ends: [Option<(&DeformableBody<X>, &NodeWeights)>; 2]) -> bool {
        if ends.iter().all(Option::is_none) {
            return false;
        }
        let ends = ends.map(|end| end.map(|(body, weights)| self.end(body, weights)));
        self.pairs.push(EndPair { contact, ends });
        true
    }

    fn end(&mut self, body: &DeformableBody<X>, weights: &NodeWeights) -> DeformableEnd {
        let from = self.compliances.len() as u32;
        let axes = rotation_matrix::<X>(&body.orientation);
        for &by in &body.nodes {
            let blocks = weights.iter().map(|(of, weight)| body.operator.compliance(of, by).scaled(weight));
            self.compliances.push(axes.conjugate(&sum::<X>(blocks)));
        }
        // Every node at a contact point is a loaded node.
        let position = |node: u32| body.nodes.binary_search(&node).unwrap_or(0) as u32;
        DeformableEnd {
            first: body.rows.start,
            weights: NodeWeights::new(weights.iter().map(|(node, weight)| (position(node), weight * body.factor))),
            compliances: from..self.compliances.len() as u32,
        }
    }

    /// The contribution of the last contact to its local Delassus block, in the contact frame.
    pub(super) fn last_block(&self, normal: X::Vector) -> X::Matrix {
        let frame = X::frame(normal);
        let ends = self.pairs.last().into_iter().flat_map(|pair| pair.ends.iter().flatten());
        let block = sum::<X>(ends.map(|end| end.block::<X>(&self.compliances)));
        X::Matrix::from_fn(|i, j| block.apply(frame.row_vector(j)).dot(&frame.row_vector(i)))
    }

    /// The ends in the order of the contacts.
    pub(super) fn in_order(&self) -> EndsInOrder<'_, X> {
        EndsInOrder { next: self.pairs.iter().peekable(), compliances: &self.compliances }
    }

    /// Has this general contact an end at a deformable body?
    pub(super) fn has(&self, contact: u32) -> bool {
        self.pairs.binary_search_by_key(&contact, |pair| pair.contact).is_ok()
    }
}

/// Sum of matrices.
fn sum<X: Dim>(blocks: impl Iterator<Item = X::Matrix>) -> X::Matrix {
    let mut total = X::Matrix::from_fn(|_, _| 0.0);
    for block in blocks {
        total = X::Matrix::from_fn(|i, j| total[(i, j)] + block[(i, j)]);
    }
    total
}

/// Finds the ends of contacts that are visited in increasing order.
pub(super) struct EndsInOrder<'a, X: Dim> {
    next: std::iter::Peekable<std::slice::Iter<'a, EndPair>>,
    compliances: &'a [X::Matrix],
}

impl<'a, X: Dim> EndsInOrder<'a, X> {
    /// The ends of this contact, if any is at a deformable body.
    #[inline(always)]
    pub(super) fn of(&mut self, contact: usize) -> Option<EndsOfContact<'a, X>> {
        let pair = self.next.next_if(|pair| pair.contact as usize == contact)?;
        Some(EndsOfContact { pair, compliances: self.compliances })
    }
}

/// The ends of one contact.
#[derive(Clone, Copy)]
pub(super) struct EndsOfContact<'a, X: Dim> {
    pair: &'a EndPair,
    compliances: &'a [X::Matrix],
}

impl<X: Dim> EndsOfContact<'_, X> {
    /// Local indices of the rows that the contact changes.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        let ends = self.pair.ends.iter().flatten();
        ends.flat_map(|end| end.weights.iter().map(|(node, _)| (end.first + node) as usize))
    }

    /// A bound of the change of the velocity at each end by a unit impulse there, with the row of the first loaded node
    /// of its body.
    pub(super) fn norms(self) -> impl Iterator<Item = (usize, f64)> {
        self.pair.ends.iter().flatten().map(move |end| {
            let block = end.block::<X>(self.compliances);
            (end.first as usize, (0..X::D).map(|i| block[(i, i)]).sum())
        })
    }
}

impl DeformableEnd {
    #[inline]
    fn velocity<X: Dim>(&self, rows: &(impl VelocityRows<X> + ?Sized), compliances: &[X::Matrix]) -> X::Vector {
        let own = &compliances[self.compliances.start as usize..self.compliances.end as usize];
        let mut velocity = X::Vector::zero();
        for (row, compliance) in (self.first as usize..).zip(own) {
            velocity += compliance.apply(rows[row].velocity);
        }
        velocity
    }

    #[inline]
    fn apply<X: Dim>(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector) {
        for (node, weight) in self.weights.iter() {
            rows[(self.first + node) as usize].velocity += impulse * weight;
        }
    }

    /// Change of the velocity at the contact point by a unit impulse there.
    fn block<X: Dim>(&self, compliances: &[X::Matrix]) -> X::Matrix {
        let own = &compliances[self.compliances.start as usize..];
        sum::<X>(self.weights.iter().map(|(node, weight)| own[node as usize].scaled(weight)))
    }
}

impl<X: Dim> ContactEnds<X> for EndsOfContact<'_, X> {
    #[inline]
    fn add_velocity(&self, rigid: X::Vector, rows: &(impl VelocityRows<X> + ?Sized)) -> X::Vector {
        // Not a map over the array, which the compiler does not inline.
        let [first, second] = &self.pair.ends;
        let mut relative = rigid;
        if let Some(end) = second {
            relative += end.velocity::<X>(rows, self.compliances);
        }
        if let Some(end) = first {
            relative -= end.velocity::<X>(rows, self.compliances);
        }
        relative
    }

    #[inline]
    fn apply(&self, rows: &mut (impl VelocityRows<X> + ?Sized), impulse: X::Vector) {
        let [first, second] = &self.pair.ends;
        if let Some(end) = first {
            end.apply::<X>(rows, -impulse);
        }
        if let Some(end) = second {
            end.apply::<X>(rows, impulse);
        }
    }
}
