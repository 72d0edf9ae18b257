//! Contact points of a meshed surface with a straight wall without thickness. The wall has no inside that would tell on
//! which side a node belongs; the outward normal of the body at the node does.

use super::node_target::NodeTarget;
use super::point::{MeshedPoint, PointKind, feature, is_known};
use super::side::{DeformedSurface, on_node, unit};
use crate::body::NodeWeights;
use crate::contactor::{Block, Bounds, PosedShape};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::ContactPoint;

/// Contact points of a surface with the wall `block` in this pose, appended to `found`.
pub(super) fn touches<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    (shape, block): (&PosedShape<'_, X>, &Block<X>),
    part: u64,
    [alert, merged]: [f64; 2],
    found: &mut Vec<MeshedPoint<X>>,
) {
    let &[first, last] = &block.polytope.vertices[..] else { return };
    let ends = [first, last].map(|end| shape.position + shape.orientation.rotate(end * shape.size));
    let (along, across) = (unit(ends[1] - ends[0]), unit(shape.orientation.rotate(X::Vector::axis(1))));
    let length = (ends[1] - ends[0]).norm();
    let reach = alert.max(surface.depth);
    let from = found.len();
    for node in surface.nodes_in(&shape.bounds().inflated(reach)) {
        let (at, outward) = (surface.at(node), surface.normal(node));
        let side = if outward.dot(&across) < 0.0 { across } else { -across };
        let (arm, height) = (at - ends[0], (at - ends[0]).dot(&side));
        if (0.0..=length).contains(&arm.dot(&along)) && (-surface.depth..=alert).contains(&height) {
            let feature = feature(PointKind::FirstNode, node.into(), part << 20);
            let point = ContactPoint { feature, normal: -side, point: at - side * (0.5 * height), gap: height };
            found.push(MeshedPoint { point, weights: [on_node(node), NodeWeights::default()] });
        }
    }
    for (number, at) in (0..).zip(ends) {
        let near = surface.facets_in(&Bounds::at(at).inflated(reach));
        let beyond = surface.beyond(&near);
        for side in [across, -across] {
            let target = NodeTarget { at, normal: side, alert, depth: surface.depth, beyond };
            let Some((facet, on, normal, gap)) = target.facet_of(surface, &near) else { continue };
            let feature = feature(PointKind::SecondNode, number, part);
            let point = ContactPoint { feature, normal, point: (at + on.point) * 0.5, gap };
            if !is_known(&found[from..], point.point, merged) {
                found.push(MeshedPoint {
                    point,
                    weights: [surface.carriers(&facet, on.weights), NodeWeights::default()],
                });
            }
        }
    }
}
