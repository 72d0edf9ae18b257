//! Contact of meshed bodies, deformed as they are at mid-step, with rigid bodies and with each other.
//!
//! Contact points are nodes of one surface on facets of the other, from both sides (two-pass node-to-segment): in the plane
//! these are the ends of the overlap of two segments, so that a uniform pressure passes exactly. In space the crossings of
//! sharp edges join them. Against a rigid shape a node is a sphere of radius zero, and the corners of the shape are tried on
//! the facets.

mod edges;
mod facet;
mod rigid;
mod side;
mod surfaces;

use super::ContactPoint;
use crate::body::NodeWeights;
use crate::contactor::PosedShape;
use crate::dim::{Dim, Vector};

pub use side::{ContactSide, DeformedSurface};

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
    fn swapped(self) -> Self {
        let [first, second] = self.weights;
        Self { point: self.point.swapped(), weights: [second, first] }
    }
}

/// What distinguishes the contact points of a pair: the feature of which side it is.
#[derive(Clone, Copy, Debug)]
enum PointKind {
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
fn feature(kind: PointKind, own: u64, other: u64) -> u64 {
    // The upper half must not be all ones, which marks links.
    ((other & 0x7fff_ffff) << 32) | ((kind as u64) << 30) | (own & 0x3fff_ffff)
}

/// Contact points of two bodies of which at least one is meshed, appended to `found`: those whose gap is at most `alert`.
pub fn touches<X: Dim>(sides: [ContactSide<'_, X>; 2], alert: f64, found: &mut Vec<MeshedPoint<X>>) {
    let from = found.len();
    match sides {
        [ContactSide::Meshed(first), ContactSide::Meshed(second)] => surfaces::touches(&first, &second, alert, found),
        [ContactSide::Meshed(surface), ContactSide::Rigid(shape)] => rigid_touches(&surface, &shape, alert, found),
        [ContactSide::Rigid(shape), ContactSide::Meshed(surface)] => {
            rigid_touches(&surface, &shape, alert, found);
            found[from..].iter_mut().for_each(|point| *point = point.swapped());
        }
        [ContactSide::Rigid(_), ContactSide::Rigid(_)] => {}
    }
}

/// Contact points of a surface with a rigid shape, part by part.
fn rigid_touches<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    shape: &PosedShape<'_, X>,
    alert: f64,
    found: &mut Vec<MeshedPoint<X>>,
) {
    match shape.shape.as_compound() {
        None => rigid::touches(surface, shape, 0, alert, found),
        Some(compound) => {
            for (number, part) in (0..).zip(&compound.parts) {
                rigid::touches(surface, &part.placed(shape), number, alert, found);
            }
        }
    }
}

/// Is a point already among those found, up to `margin`?
fn is_known<X: Dim>(found: &[MeshedPoint<X>], point: X::Vector, margin: f64) -> bool {
    found.iter().any(|known| (known.point.point - point).norm() <= margin)
}
