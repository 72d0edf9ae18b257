//! Contact points of two meshed surfaces: nodes of each on facets of the other, and crossings of edges.

use super::edges;
use super::facet::{BEYOND, NearestOnFacet, nearest};
use super::point::{MeshedPoint, PointKind, feature, is_known};
use super::side::{DeformedSurface, on_node, unit};
use crate::contactor::Bounds;
use crate::contactor::surface::SurfaceFacet;
use crate::dim::{Dim, Vector};
use crate::interaction::ContactPoint;

/// Two points this close to each other, over the length of a facet, are one.
pub(super) const MERGED: f64 = 1e-6;
/// Rounding of the weight of a node that carries a point alone.
const NEAR_ONE: f64 = 1e-9;
/// Cosine of the angle between the interpolated normal and that of a facet below which an edge is too sharp to have a
/// normal.
const SMOOTH: f64 = 0.98;
/// Least cosine of the angle between the normal and the direction to a node beyond a border.
const ALONG: f64 = 0.9;

/// Contact points of two surfaces, appended to `found`.
pub(super) fn touches<X: Dim>(
    first: &DeformedSurface<'_, X>,
    second: &DeformedSurface<'_, X>,
    alert: f64,
    found: &mut Vec<MeshedPoint<X>>,
) {
    let [own, other] = [first, second].map(|side| side.bounds().inflated(0.5 * alert));
    if !own.meets(&other) {
        return;
    }
    let bounds = Bounds { min: own.min.upper(&other.min), max: own.max.lower(&other.max) }.inflated(0.5 * alert);
    let from = found.len();
    let mut taken = Vec::new();
    pass(first, second, &bounds, PointKind::FirstNode, alert, |length, point| {
        taken.extend(node_beside([first, second], &point, BEYOND * length));
        found.push(point);
    });
    pass(second, first, &bounds, PointKind::SecondNode, alert, |length, point| {
        let point = point.swapped();
        let is_taken = point.weights[1].iter().any(|(node, _)| taken.contains(&node));
        if !is_taken && !is_known(&found[from..], point.point.point, MERGED * length) {
            found.push(point);
        }
    });
    edges::crossings(first, second, &bounds, alert, |point| {
        if !is_known(&found[from..], point.point.point, MERGED * alert) {
            found.push(point);
        }
    });
}

/// The node of the second surface that a node of the first lies beside, beyond the border of its facets by at most
/// `reach`: their contact is that of the first until it has left. With two, a bond would stay with the one that leaves.
fn node_beside<X: Dim>(
    [first, second]: [&DeformedSurface<'_, X>; 2],
    found: &MeshedPoint<X>,
    reach: f64,
) -> Option<u32> {
    let [own, other] = found.weights.each_ref().map(|weights| weights.iter().max_by(|a, b| a.1.total_cmp(&b.1)));
    let ((own, _), (other, share)) = (own?, other?);
    let (away, normal) = (first.at(own) - second.at(other), found.point.normal);
    let aside = (away - normal * away.dot(&normal)).norm();
    (share > 1.0 - NEAR_ONE && aside <= reach).then_some(other)
}

/// Nodes of one surface on the facets of the other; `emit` also gets the length of the facet.
fn pass<X: Dim>(
    nodes: &DeformedSurface<'_, X>,
    facets: &DeformedSurface<'_, X>,
    bounds: &Bounds<X>,
    kind: PointKind,
    alert: f64,
    mut emit: impl FnMut(f64, MeshedPoint<X>),
) {
    let near = facets.facets_in(bounds);
    if near.is_empty() {
        return;
    }
    let depth = nodes.depth.min(facets.depth);
    for node in nodes.nodes_in(bounds) {
        let target = NodeTarget { at: nodes.at(node), normal: nodes.normal(node), alert, depth };
        if let Some((length, point)) = target.point_on(facets, &near, kind, node) {
            emit(length, point);
        }
    }
}

/// A node, or a corner of a rigid shape, that looks for a facet.
pub(super) struct NodeTarget<X: Dim> {
    /// Position, m.
    pub(super) at: X::Vector,
    /// Unit normal out of its own body.
    pub(super) normal: X::Vector,
    pub(super) alert: f64,
    /// Depth below a facet beyond which it is not in contact with it, m.
    pub(super) depth: f64,
}

/// A facet near a node: the nearest point on it, the normal out of it there and the gap along the normal.
type FoundFacet<X> = (SurfaceFacet, NearestOnFacet<X>, <X as Dim>::Vector, f64);

impl<X: Dim> NodeTarget<X> {
    /// The contact point of node number `node` with one of these facets, and the length of the facet.
    pub(super) fn point_on(
        &self,
        surface: &DeformedSurface<'_, X>,
        near: &[(u32, SurfaceFacet)],
        kind: PointKind,
        node: u32,
    ) -> Option<(f64, MeshedPoint<X>)> {
        let found = self.facet_of(surface, near).or_else(|| self.border_of(surface, near));
        let (facet, on, normal, gap) = found?;
        let feature = feature(kind, node.into(), 0);
        let point = ContactPoint { feature, normal: -normal, point: (self.at + on.point) * 0.5, gap };
        Some((on.length, MeshedPoint { point, weights: [on_node(node), surface.carriers(&facet, on.weights)] }))
    }

    /// The nearest facet that faces the node and lies below it.
    pub(super) fn facet_of(
        &self,
        surface: &DeformedSurface<'_, X>,
        near: &[(u32, SurfaceFacet)],
    ) -> Option<FoundFacet<X>> {
        self.nearest_facet(surface, near, |facet, on, away, distance| {
            // Farther beyond a border only a smooth surface has a normal.
            let aside = (away - on.normal * away.dot(&on.normal)).norm();
            let is_above = on.is_inside || aside <= BEYOND * on.length;
            let normal = match is_above {
                true => on.normal,
                false => surface.normal_at(facet, on.weights),
            };
            let gap = away.dot(&normal);
            let is_smooth = is_above || normal.dot(&on.normal) > SMOOTH && gap.abs() > ALONG * distance;
            (is_smooth && gap >= -self.depth).then_some((normal, gap))
        })
    }

    /// The nearest point on the border of a facet, for a node that no facet faces: as two corners, or a corner and an
    /// edge, approach each other. The normal is the mean of the normals of both surfaces, the gap is positive.
    fn border_of(&self, surface: &DeformedSurface<'_, X>, near: &[(u32, SurfaceFacet)]) -> Option<FoundFacet<X>> {
        self.nearest_facet(surface, near, |facet, on, away, distance| {
            let normal = unit(surface.normal_at(facet, on.weights) - self.normal);
            let gap = away.dot(&normal);
            (!on.is_inside && gap > ALONG * distance).then_some((normal, gap))
        })
    }

    /// The nearest of the facets that face the node and at which the node has a normal and a gap, of at most the alert
    /// distance. The rule gets a facet, the nearest point on it, the vector from there to the node, and its length.
    fn nearest_facet(
        &self,
        surface: &DeformedSurface<'_, X>,
        near: &[(u32, SurfaceFacet)],
        rule: impl Fn(&SurfaceFacet, &NearestOnFacet<X>, X::Vector, f64) -> Option<(X::Vector, f64)>,
    ) -> Option<FoundFacet<X>> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for (_, facet) in near {
            let on = nearest::<X>(&surface.corners(facet), facet.nodes().len(), self.at);
            let away = self.at - on.point;
            let distance = away.norm();
            if distance >= least || on.normal.dot(&self.normal) >= 0.0 {
                continue;
            }
            if let Some((normal, gap)) = rule(facet, &on, away, distance).filter(|(_, gap)| *gap <= self.alert) {
                least = distance;
                best = Some((*facet, on, normal, gap));
            }
        }
        best
    }
}
