//! The facet in front of which a node, or a corner of a rigid shape, lies.

use super::facet::{NearestOnFacet, nearest};
use super::point::{MeshedPoint, PointKind, feature};
use super::side::{DeformedSurface, on_node, unit};
use crate::contactor::surface::SurfaceFacet;
use crate::dim::{Dim, Vector};
use crate::interaction::ContactPoint;

/// Cosine of the angle between the interpolated normal and that of a facet below which an edge is too sharp to have a
/// normal.
const SMOOTH: f64 = 0.98;
/// Least cosine of the angle between the normal and the direction to a node beyond a border.
const ALONG: f64 = 0.9;

/// A node, or a corner of a rigid shape, that looks for a facet.
pub(super) struct NodeTarget<X: Dim> {
    /// Position, m.
    pub(super) at: X::Vector,
    /// Unit normal out of its own body.
    pub(super) normal: X::Vector,
    pub(super) alert: f64,
    /// Depth below a facet beyond which it is not in contact with it, m.
    pub(super) depth: f64,
    /// Distance beyond the border of a facet up to which it counts as above it, m.
    pub(super) beyond: f64,
}

/// A contact point of a node, and where the node is in relation to the facet.
pub(super) struct NodePoint<X: Dim> {
    pub(super) point: MeshedPoint<X>,
    /// The nearest point of the facet, m.
    pub(super) foot: X::Vector,
    /// Does the node project onto the facet, not beyond its border?
    pub(super) is_inside: bool,
    /// Largest extent of the facet, m.
    pub(super) length: f64,
    /// Distance of the node from the normal through its foot, m.
    pub(super) aside: f64,
}

/// A facet near a node: the nearest point on it, the normal out of it there and the gap along the normal.
type FoundFacet<X> = (SurfaceFacet, NearestOnFacet<X>, <X as Dim>::Vector, f64);

impl<X: Dim> NodeTarget<X> {
    /// The contact point of node number `node` with the nearest of these facets that it lies above.
    pub(super) fn above(
        &self,
        surface: &DeformedSurface<'_, X>,
        near: &[(u32, SurfaceFacet)],
        kind: PointKind,
        node: u32,
    ) -> Option<NodePoint<X>> {
        self.facet_of(surface, near).map(|found| self.point_on(surface, found, kind, node))
    }

    /// The contact point of node number `node` with the border of one of these facets, of which it lies above none.
    pub(super) fn at_border(
        &self,
        surface: &DeformedSurface<'_, X>,
        near: &[(u32, SurfaceFacet)],
        kind: PointKind,
        node: u32,
    ) -> Option<NodePoint<X>> {
        self.border_of(surface, near).map(|found| self.point_on(surface, found, kind, node))
    }

    fn point_on(
        &self,
        surface: &DeformedSurface<'_, X>,
        (facet, on, normal, gap): FoundFacet<X>,
        kind: PointKind,
        node: u32,
    ) -> NodePoint<X> {
        let away = self.at - on.point;
        let aside = (away - normal * away.dot(&normal)).norm();
        let feature = feature(kind, node.into(), 0);
        let point = ContactPoint { feature, normal: -normal, point: (self.at + on.point) * 0.5, gap };
        let point = MeshedPoint { point, weights: [on_node(node), surface.carriers(&facet, on.weights)] };
        NodePoint { point, foot: on.point, is_inside: on.is_inside, length: on.length, aside }
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
            let is_above = on.is_inside || aside <= self.beyond;
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
