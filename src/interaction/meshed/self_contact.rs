//! Contact of a meshed body with itself: across a slot or a notch that closes.
//!
//! Nodes and facets of one surface come into contact only if the node is in front of the facet in the undeformed body:
//! a node on the far side of a thin wall lies behind it, and is no overlap.

use super::edges;
use super::node_target::{NodePoint, NodeTarget};
use super::point::{MeshedPoint, PointKind, is_known};
use super::side::DeformedSurface;
use super::surfaces::MERGED;
use crate::contactor::facing::FacingParts;
use crate::contactor::{Bounds, MeshedShape};
use crate::dim::Dim;

/// Contact points of a surface with itself, appended to `found`.
pub fn self_touches<X: Dim>(
    side: &DeformedSurface<'_, X>,
    (mesh, facing): (&MeshedShape<X>, &FacingParts<X>),
    alert: f64,
    found: &mut Vec<MeshedPoint<X>>,
) {
    let from = found.len();
    let bounds = |number: u32| side.facet_bounds(&side.surface.facets[number as usize]);
    let facets: Vec<(u32, Bounds<X>)> = facing.facets.iter().map(|&number| (number, bounds(number))).collect();
    let mut near = Vec::new();
    for &node in &facing.nodes {
        let (at, normal) = (side.at(node), side.normal(node));
        let around = Bounds::at(at).inflated(alert.max(side.depth));
        let meets = facets.iter().filter(|(_, bounds)| around.meets(bounds));
        let posed = meets.map(|&(number, _)| (number, side.surface.facets[number as usize]));
        near.clear();
        near.extend(posed.filter(|(_, facet)| mesh.is_in_front(node, facet)));
        let target = NodeTarget { at, normal, alert, depth: side.depth, beyond: side.beyond(&near) };
        let above = target.above(side, &near, PointKind::FirstNode, node);
        let node = above.or_else(|| target.at_border(side, &near, PointKind::FirstNode, node));
        if let Some(NodePoint { point, length, .. }) = node
            && !is_known(&found[from..], point.point.point, MERGED * length)
        {
            found.push(point);
        }
    }
    edges::self_crossings(side, &facing.edges, alert, |point| {
        if !is_known(&found[from..], point.point.point, MERGED * alert) {
            found.push(point);
        }
    });
}
