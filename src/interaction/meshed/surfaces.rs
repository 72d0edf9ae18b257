//! Contact points of two meshed surfaces: nodes of each on facets of the other, and crossings of edges.
//!
//! As surfaces slide on each other, a node leaves the other surface over its border, and another point takes its place:
//! a node of the border near by, or the crossing of an edge that ends at the node with the border. In every step exactly
//! one of them is a contact point, so that a bond passes from one to the other. Two nodes that come next to each other
//! become one point; if both have bonds, one bond ends.

use super::edges::{self, SurfaceEdge};
use super::node_target::{NodePoint, NodeTarget};
use super::point::{MeshedPoint, PointKind, is_known};
use super::side::DeformedSurface;
use crate::contactor::Bounds;
use crate::contactor::surface::SurfaceFacet;
use crate::dim::{Dim, Vector};

/// Two points this close to each other, over the length of a facet or the alert distance, are one.
pub(super) const MERGED: f64 = 1e-6;
/// Radius around a node within which it stands for other nodes and crossings of its edges, over the distance beyond the
/// border at which it leaves: edges at 30 degrees to the border cross it within.
const ZONE: f64 = 2.0;

/// A node of a surface that is a contact point.
type FoundNode<X> = (u32, NodePoint<X>);

/// The nodes of one surface, and the other surface on whose facets they are looked for.
struct NodesOnFacets<'a, 'b, X: Dim> {
    nodes: &'a DeformedSurface<'b, X>,
    facets: &'a DeformedSurface<'b, X>,
    /// Facets of the latter that may be in contact.
    near: &'a [(u32, SurfaceFacet)],
    bounds: &'a Bounds<X>,
    kind: PointKind,
    alert: f64,
    /// Distance beyond a border at which a node leaves, m.
    beyond: f64,
}

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
    let bounds = &Bounds { min: own.min.upper(&other.min), max: own.max.lower(&other.max) }.inflated(0.5 * alert);
    let [near_first, near_second] = [first, second].map(|side| side.facets_in(bounds));
    let beyond = first.beyond(&near_first).min(second.beyond(&near_second));
    let zone = ZONE * beyond;
    let pass = |nodes, facets, near, kind| NodesOnFacets { nodes, facets, near, bounds, kind, alert, beyond };
    let passes = [
        pass(first, second, &near_second[..], PointKind::FirstNode),
        pass(second, first, &near_first[..], PointKind::SecondNode),
    ];
    let from = found.len();
    let [own, mut others] = passes.each_ref().map(NodesOnFacets::above);
    let above = [&own[..], &others[..]].map(numbers);
    found.extend(own.iter().map(|(_, node)| node.point));
    others.retain(|(node, place)| !is_replaced(&own, [first, second], (*node, place), zone));
    found.extend(others.iter().map(|(_, node)| node.point.swapped()));
    let present = [&own[..], &others[..]].map(numbers);
    let counts = |edges: [&SurfaceEdge<X>; 2], shares: [f64; 2]| {
        (0..2).all(|k| !edges[k].ends_near(shares[k], zone).any(|node| present[k].binary_search(&node).is_ok()))
    };
    let [own_edges, other_edges] = [first, second].map(|side| SurfaceEdge::near(side, bounds, true));
    edges::of_edges(&own_edges, &other_edges, [alert, first.depth.min(second.depth)], counts, |point| {
        if !is_known(&found[from..], point.point.point, MERGED * alert) {
            found.push(point);
        }
    });
    for (pass, above) in passes.iter().zip(&above) {
        for (_, node) in pass.at_border(above) {
            // The crossings and nodes that follow a node which has left are next to it.
            if !is_known(&found[from..], node.point.point.point, node.aside.max(zone)) {
                found.push(if matches!(pass.kind, PointKind::FirstNode) { node.point } else { node.point.swapped() });
            }
        }
    }
}

/// Numbers of nodes, increasing.
fn numbers<X: Dim>(nodes: &[FoundNode<X>]) -> Vec<u32> {
    nodes.iter().map(|(node, _)| *node).collect()
}

/// Is the contact of a node of the second surface that of a node of the first? It is if they are next to each other, and
/// if that one lies beyond the border next to it: it follows when that one has left.
fn is_replaced<X: Dim>(
    own: &[FoundNode<X>],
    [first, second]: [&DeformedSurface<'_, X>; 2],
    (node, place): (u32, &NodePoint<X>),
    zone: f64,
) -> bool {
    own.iter().any(|(other, of_other)| {
        let is_next = (place.foot - first.at(*other)).norm() <= zone;
        is_next || (!of_other.is_inside && (of_other.foot - second.at(node)).norm() <= zone)
    })
}

impl<X: Dim> NodesOnFacets<'_, '_, X> {
    /// Nodes above a facet.
    fn above(&self) -> Vec<FoundNode<X>> {
        self.each(|target, node| target.above(self.facets, self.near, self.kind, node), |_| true)
    }

    /// Nodes next to the border of a facet, without those that are `above` one.
    fn at_border(&self, above: &[u32]) -> Vec<FoundNode<X>> {
        self.each(
            |target, node| target.at_border(self.facets, self.near, self.kind, node),
            |node| above.binary_search(&node).is_err(),
        )
    }

    /// What a rule finds at every node that is looked at, by increasing number of the node.
    fn each(
        &self,
        rule: impl Fn(&NodeTarget<X>, u32) -> Option<NodePoint<X>>,
        is_looked_at: impl Fn(u32) -> bool,
    ) -> Vec<FoundNode<X>> {
        if self.near.is_empty() {
            return Vec::new();
        }
        let depth = self.nodes.depth.min(self.facets.depth);
        let nodes = self.nodes.nodes_in(self.bounds).filter(|node| is_looked_at(*node));
        let found = nodes.filter_map(|node| {
            let (at, normal) = (self.nodes.at(node), self.nodes.normal(node));
            let target = NodeTarget { at, normal, alert: self.alert, depth, beyond: self.beyond };
            rule(&target, node).map(|point| (node, point))
        });
        found.collect()
    }
}
