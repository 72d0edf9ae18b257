//! A contact point of a meshed body, its feature number, and its nodes.

use crate::body::NodeWeights;
use crate::dim::{Dim, Vector};
use crate::interaction::ContactPoint;

/// A contact point and the nodes that carry it on either side; none on a rigid side.
#[derive(Clone, Copy, Debug)]
pub struct MeshedPoint<X: Dim> {
    /// The point, its normal from the first side to the second, and its gap.
    pub point: ContactPoint<X>,
    /// The nodes of either side.
    pub weights: [NodeWeights; 2],
}

impl<X: Dim> MeshedPoint<X> {
    /// The same point seen from the other side.
    pub(super) fn swapped(self) -> Self {
        let [first, second] = self.weights;
        Self { point: self.point.swapped(), weights: [second, first] }
    }
}

/// What distinguishes the contact points of a pair: the feature of which side it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum PointKind {
    /// A node of the first surface.
    FirstNode,
    /// A node or corner of the second.
    SecondNode,
    /// A facet of the first surface, under a sphere.
    Facet,
    /// Two edges.
    Edges,
}

/// The feature number of a contact point: its kind, and the numbers of its features.
pub(super) fn feature(kind: PointKind, own: u64, other: u64) -> u64 {
    // The upper half must not be all ones, which marks links.
    ((other & 0x7fff_ffff) << 32) | ((kind as u64) << 30) | (own & 0x3fff_ffff)
}

/// Is a point already among those found, up to `margin`?
pub(super) fn is_known<X: Dim>(found: &[MeshedPoint<X>], point: X::Vector, margin: f64) -> bool {
    found.iter().any(|known| (known.point.point - point).norm() <= margin)
}
