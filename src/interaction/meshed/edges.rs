//! Crossings of edges of two surfaces in space; in the plane there are none. With the nodes of either surface they are
//! the corners of the overlaps of facets, at which forces can transmit any pressure that is linear on each of them.
//! Against a rigid body only sharp edges count.

use super::facet::BEYOND;
use super::point::{MeshedPoint, PointKind, feature};
use super::side::{DeformedSurface, on_edge, unit};
use crate::body::NodeWeights;
use crate::contactor::Bounds;
use crate::contactor::facing::FacingEdge;
use crate::dim::{Dim, Vector};
use crate::interaction::ContactPoint;

/// Sine of the angle between two edges below which they are parallel and touch at their ends.
const PARALLEL: f64 = 1e-3;
/// Cosine of the angle to the normal of an edge beyond which a direction does not lead out of its body there.
const OUTWARD: f64 = 0.3;

/// An edge where it is at mid-step.
pub(super) struct SurfaceEdge<X: Dim> {
    /// Its nodes; none on a rigid body.
    nodes: Option<[u32; 2]>,
    ends: [X::Vector; 2],
    /// Unit normal out of the body.
    normal: X::Vector,
}

/// Where two edges pass each other.
struct CrossingOfEdges<X: Dim> {
    /// Position along either edge, between zero and one.
    shares: [f64; 2],
    normal: X::Vector,
    point: X::Vector,
    gap: f64,
}

impl<X: Dim> SurfaceEdge<X> {
    /// An edge of a rigid body.
    pub(super) fn rigid(ends: [X::Vector; 2], normal: X::Vector) -> Self {
        Self { nodes: None, ends, normal }
    }

    /// The edge of a surface between these nodes.
    fn of(side: &DeformedSurface<'_, X>, nodes: [u32; 2]) -> Self {
        let normal = unit(side.normal(nodes[0]) + side.normal(nodes[1]));
        Self { nodes: Some(nodes), ends: nodes.map(|node| side.at(node)), normal }
    }

    /// The edges of a surface that meet a box, with their numbers; with `smooth` all, otherwise the sharp ones.
    pub(super) fn near(side: &DeformedSurface<'_, X>, bounds: &Bounds<X>, smooth: bool) -> Vec<(usize, Self)> {
        let others = if smooth { &side.surface.smooth_edges[..] } else { &[] };
        let edges = side.surface.sharp_edges.iter().chain(others).enumerate();
        let edges = edges.map(|(number, &nodes)| (number, Self::of(side, nodes)));
        edges.filter(|(_, edge)| bounds.meets(&edge.bounds())).collect()
    }

    /// The smallest box around the edge.
    fn bounds(&self) -> Bounds<X> {
        Bounds::at(self.ends[0]).united(Bounds::at(self.ends[1]))
    }

    /// Where this edge passes the other with a gap of at most `alert`, both away from their ends.
    fn crossing(&self, other: &Self, alert: f64, depth: f64) -> Option<CrossingOfEdges<X>> {
        let (d, e) = (self.ends[1] - self.ends[0], other.ends[1] - other.ends[0]);
        let across = X::across(d, e);
        if across.norm() <= PARALLEL * d.norm() * e.norm() {
            return None;
        }
        let normal = unit(across);
        let normal = if normal.dot(&self.normal) < 0.0 { -normal } else { normal };
        if normal.dot(&self.normal) < OUTWARD || normal.dot(&other.normal) > -OUTWARD {
            return None;
        }
        let between = other.ends[0] - self.ends[0];
        let (dd, ee, de) = (d.norm2(), e.norm2(), d.dot(&e));
        let determinant = dd * ee - de * de;
        let s = (between.dot(&d) * ee - between.dot(&e) * de) / determinant;
        let t = (between.dot(&d) * de - between.dot(&e) * dd) / determinant;
        let gap = normal.dot(&between);
        let is_interior = [s, t].iter().all(|share| *share > BEYOND && *share < 1.0 - BEYOND);
        let point = (self.ends[0] + d * s + other.ends[0] + e * t) * 0.5;
        let is_close = gap <= alert && gap >= -depth;
        (is_interior && is_close).then_some(CrossingOfEdges { shares: [s, t], normal, point, gap })
    }

    /// The contact point where this edge, number `i`, crosses the other, number `j`.
    fn point_on(&self, other: &Self, [i, j]: [u64; 2], alert: f64, depth: f64) -> Option<MeshedPoint<X>> {
        let CrossingOfEdges { shares, normal, point, gap } = self.crossing(other, alert, depth)?;
        let point = ContactPoint { feature: feature(PointKind::Edges, i, j), normal, point, gap };
        Some(MeshedPoint { point, weights: [self.weights(shares[0]), other.weights(shares[1])] })
    }

    /// The nodes at a position along the edge.
    fn weights(&self, share: f64) -> NodeWeights {
        self.nodes.map_or(NodeWeights::default(), |nodes| on_edge(nodes, share))
    }
}

/// Crossings of the edges of two sides, each with the number of the edge.
pub(super) fn of_edges<X: Dim>(
    own: &[(usize, SurfaceEdge<X>)],
    others: &[(usize, SurfaceEdge<X>)],
    [alert, depth]: [f64; 2],
    mut emit: impl FnMut(MeshedPoint<X>),
) {
    for (i, a) in own {
        for (j, b) in others {
            if let Some(point) = a.point_on(b, [*i as u64, *j as u64], alert, depth) {
                emit(point);
            }
        }
    }
}

/// Crossings of the edges of two surfaces in a box.
pub(super) fn crossings<X: Dim>(
    first: &DeformedSurface<'_, X>,
    second: &DeformedSurface<'_, X>,
    bounds: &Bounds<X>,
    alert: f64,
    emit: impl FnMut(MeshedPoint<X>),
) {
    let [own, others] = [first, second].map(|side| SurfaceEdge::near(side, bounds, true));
    of_edges(&own, &others, [alert, first.depth.min(second.depth)], emit);
}

/// Crossings of edges of one surface that face each other.
pub(super) fn self_crossings<X: Dim>(
    side: &DeformedSurface<'_, X>,
    edges: &[FacingEdge<X>],
    alert: f64,
    mut emit: impl FnMut(MeshedPoint<X>),
) {
    let posed: Vec<SurfaceEdge<X>> = edges.iter().map(|edge| SurfaceEdge::of(side, edge.nodes)).collect();
    for (k, (own, a)) in edges.iter().zip(&posed).enumerate() {
        let around = a.bounds().inflated(alert.max(side.depth));
        for (other, b) in edges.iter().zip(&posed).skip(k + 1) {
            if around.meets(&b.bounds()) && own.faces(other) {
                let numbers = [own.number, other.number].map(u64::from);
                if let Some(point) = a.point_on(b, numbers, alert, side.depth) {
                    emit(point);
                }
            }
        }
    }
}
