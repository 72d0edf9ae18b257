//! Crossings of edges of two surfaces in space; in the plane there are none. With the nodes of either surface they are
//! the corners of the overlaps of facets, at which forces can transmit any pressure that is linear on each of them.
//! Against a rigid body only sharp edges count.

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

/// Part of an edge at either end where a crossing is left to the node there.
const END: f64 = 1e-3;

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

    /// The ends within this distance of a position along the edge.
    pub(super) fn ends_near(&self, share: f64, distance: f64) -> impl Iterator<Item = u32> {
        let length = (self.ends[1] - self.ends[0]).norm();
        let ends = self.nodes.into_iter().flatten().zip([share, 1.0 - share]);
        ends.filter(move |(_, share)| share * length <= distance).map(|(node, _)| node)
    }

    /// Where this edge passes the other with a gap of at most `alert`.
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
        let is_between = [s, t].iter().all(|share| (0.0..=1.0).contains(share));
        let point = (self.ends[0] + d * s + other.ends[0] + e * t) * 0.5;
        let is_close = gap <= alert && gap >= -depth;
        (is_between && is_close).then_some(CrossingOfEdges { shares: [s, t], normal, point, gap })
    }

    /// The contact point of a crossing of this edge, number `i`, with the other, number `j`.
    fn point_on(&self, other: &Self, [i, j]: [u64; 2], crossing: &CrossingOfEdges<X>) -> MeshedPoint<X> {
        let &CrossingOfEdges { shares, normal, point, gap } = crossing;
        let point = ContactPoint { feature: feature(PointKind::Edges, i, j), normal, point, gap };
        MeshedPoint { point, weights: [self.weights(shares[0]), other.weights(shares[1])] }
    }

    /// The nodes at a position along the edge.
    fn weights(&self, share: f64) -> NodeWeights {
        self.nodes.map_or(NodeWeights::default(), |nodes| on_edge(nodes, share))
    }
}

/// Is a crossing at these positions along two edges away from their ends?
pub(super) fn is_off_ends<X: Dim>(_: [&SurfaceEdge<X>; 2], shares: [f64; 2]) -> bool {
    shares.iter().all(|share| *share > END && *share < 1.0 - END)
}

/// Crossings of the edges of two sides, each with the number of the edge, that `counts` lets count: it gets the edges
/// and the positions along them.
pub(super) fn of_edges<X: Dim>(
    own: &[(usize, SurfaceEdge<X>)],
    others: &[(usize, SurfaceEdge<X>)],
    [alert, depth]: [f64; 2],
    counts: impl Fn([&SurfaceEdge<X>; 2], [f64; 2]) -> bool,
    mut emit: impl FnMut(MeshedPoint<X>),
) {
    for (i, a) in own {
        for (j, b) in others {
            let crossing = a.crossing(b, alert, depth);
            if let Some(crossing) = crossing.filter(|crossing| counts([a, b], crossing.shares)) {
                emit(a.point_on(b, [*i as u64, *j as u64], &crossing));
            }
        }
    }
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
                let crossing = a.crossing(b, alert, side.depth);
                if let Some(crossing) = crossing.filter(|crossing| is_off_ends([a, b], crossing.shares)) {
                    emit(a.point_on(b, [own.number, other.number].map(u64::from), &crossing));
                }
            }
        }
    }
}
