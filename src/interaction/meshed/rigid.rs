//! Contact points of a meshed surface with a rigid shape: nodes as spheres of radius zero, corners of the shape on
//! facets, a sphere on facets, and crossings of edges.

use super::edges::{self, SurfaceEdge};
use super::facet::nearest;
use super::node_target::NodeTarget;
use super::point::{MeshedPoint, PointKind, feature, is_known};
use super::side::{DeformedSurface, on_node, unit};
use super::two_sided;
use crate::body::NodeWeights;
use crate::contactor::surface::SurfaceFacet;
use crate::contactor::{Block, Bounds, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::{ContactPoint, simple_shapes};

/// Two points this close to each other, over the alert distance, are one.
const MERGED: f64 = 1e-6;
/// Points on each rim of a cylinder that are tried on facets.
const ON_RIM: u32 = 16;
/// A feature number holds the part of a compound above the feature of the shape.
const PART: u64 = 1 << 20;

/// Contact points of a surface with a shape that is not a compound, or with `part` of one, appended to `found`.
pub(super) fn touches<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    shape: &PosedShape<'_, X>,
    part: u64,
    alert: f64,
    found: &mut Vec<MeshedPoint<X>>,
) {
    if let Shape::Polytope(block) = shape.shape
        && block.mass.volume == 0.0
    {
        return two_sided::touches(surface, (shape, block), part, [alert, MERGED * alert], found);
    }
    let bounds = shape.bounds().inflated(alert);
    let from = found.len();
    for node in surface.nodes_in(&bounds) {
        let (position, orientation) = (surface.at(node), X::Orientation::identity());
        let point = PosedShape { shape: &Shape::Ball, size: 0.0, position, orientation };
        simple_shapes::touches(&point, shape, alert, |touch| {
            if touch.gap >= -surface.depth {
                let feature = feature(PointKind::FirstNode, node.into(), part * PART + touch.feature);
                let point = ContactPoint { feature, ..touch };
                found.push(MeshedPoint { point, weights: [on_node(node), NodeWeights::default()] });
            }
        });
    }
    let mut add = |point: MeshedPoint<X>| {
        if !is_known(&found[from..], point.point.point, MERGED * alert) {
            found.push(point);
        }
    };
    match shape.shape {
        Shape::Ball => sphere_on_facets(surface, shape.position, shape.size, (part, &bounds), alert, &mut add),
        Shape::Polytope(block) if block.rounding > 0.0 => {
            for corner in corners(block, shape) {
                sphere_on_facets(surface, corner, block.rounding * shape.size, (part, &bounds), alert, &mut add);
            }
        }
        Shape::Polytope(block) => {
            corners_on_facets(surface, shape, &corners(block, shape), part, alert, &mut add);
            let own = SurfaceEdge::near(surface, &bounds, false);
            edges::of_edges(&own, &edges_of(block, shape), [alert, surface.depth], edges::is_off_ends, add);
        }
        Shape::Cylinder { half_length } => {
            corners_on_facets(surface, shape, &rims(*half_length, shape), part, alert, &mut add);
        }
        // Only nodes touch them; a meshed shape is no part of a compound, and parts are handled one by one.
        Shape::HalfSpace | Shape::Hollow | Shape::Compound(_) | Shape::Meshed(_) => {}
    }
}

/// Corners of a polytope, m.
fn corners<X: Dim>(block: &Block<X>, shape: &PosedShape<'_, X>) -> Vec<X::Vector> {
    let at = |corner: &X::Vector| shape.position + shape.orientation.rotate(*corner * shape.size);
    block.polytope.vertices.iter().map(at).collect()
}

/// Edges of a polytope with outward normals.
fn edges_of<X: Dim>(block: &Block<X>, shape: &PosedShape<'_, X>) -> Vec<(usize, SurfaceEdge<X>)> {
    let corners = corners(block, shape);
    let posed = |&[a, b]: &[u32; 2]| {
        let ends = [corners[a as usize], corners[b as usize]];
        SurfaceEdge::rigid(ends, unit((ends[0] + ends[1]) * 0.5 - shape.position))
    };
    block.polytope.edges.iter().map(posed).enumerate().collect()
}

/// Points on the rims of a cylinder, m.
fn rims<X: Dim>(half_length: f64, shape: &PosedShape<'_, X>) -> Vec<X::Vector> {
    let on_rim = |k: u32| {
        let angle = std::f64::consts::TAU * f64::from(k % ON_RIM) / f64::from(ON_RIM);
        let end = if k < ON_RIM { half_length } else { -half_length };
        let own = [angle.cos(), angle.sin(), end];
        shape.position + shape.orientation.rotate(X::Vector::from_fn(|i| own[i]) * shape.size)
    };
    (0..2 * ON_RIM).map(on_rim).collect()
}

/// Corners of a rigid shape on facets of the surface.
fn corners_on_facets<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    shape: &PosedShape<'_, X>,
    corners: &[X::Vector],
    part: u64,
    alert: f64,
    add: &mut impl FnMut(MeshedPoint<X>),
) {
    let bounds = surface.bounds().inflated(alert);
    for (number, &at) in (0..).zip(corners).filter(|(_, corner)| bounds.meets(&Bounds::at(**corner))) {
        let near = surface.facets_in(&Bounds::at(at).inflated(alert.max(surface.depth)));
        let (normal, beyond) = (unit(at - shape.position), surface.beyond(&near));
        let target = NodeTarget { at, normal, alert, depth: surface.depth, beyond };
        if let Some((facet, on, normal, gap)) = target.facet_of(surface, &near) {
            let feature = feature(PointKind::SecondNode, number, part);
            let point = ContactPoint { feature, normal, point: (at + on.point) * 0.5, gap };
            add(MeshedPoint { point, weights: [surface.carriers(&facet, on.weights), NodeWeights::default()] });
        }
    }
}

/// A sphere on facets: on their interior, and in space on the edges between them. Nodes are found as such.
fn sphere_on_facets<X: Dim>(
    surface: &DeformedSurface<'_, X>,
    centre: X::Vector,
    radius: f64,
    (part, bounds): (u64, &Bounds<X>),
    alert: f64,
    add: &mut impl FnMut(MeshedPoint<X>),
) {
    for (number, facet) in surface.facets_in(bounds) {
        let on = nearest::<X>(&surface.corners(&facet), facet.nodes().len(), centre);
        let carrying = on.weights.iter().filter(|weight| **weight > 0.0).count();
        let away = centre - on.point;
        let height = away.dot(&on.normal);
        // The centre of a sphere that is pressed in up to its middle lies below the surface.
        let (normal, distance) = match on.is_inside {
            true => (on.normal, height),
            false => (unit(away), away.norm()),
        };
        let gap = distance - radius;
        if carrying < 2 || gap > alert || gap < -surface.depth - radius || (!on.is_inside && height <= 0.0) {
            continue;
        }
        let number = match on.is_inside {
            true => number.into(),
            false => edge_number(&facet, on.weights),
        };
        let point = on.point + normal * (0.5 * gap);
        let point = ContactPoint { feature: feature(PointKind::Facet, number, part), normal, point, gap };
        add(MeshedPoint { point, weights: [surface.carriers(&facet, on.weights), NodeWeights::default()] });
    }
}

/// A number for the edge of a facet on which a point with these weights lies, the same for both facets at the edge.
fn edge_number(facet: &SurfaceFacet, weights: [f64; 3]) -> u64 {
    let ends = facet.nodes().iter().zip(weights).filter(|(_, weight)| *weight > 0.0).map(|(&node, _)| u64::from(node));
    let [low, high] = ends.fold([u64::MAX, 0], |[low, high], node| [low.min(node), high.max(node)]);
    // Distinct from numbers of facets; two edges that share a number would only exchange warm starts.
    0x2000_0000 | (low.wrapping_mul(0x9e37_79b1) ^ high) & 0x1fff_ffff
}
