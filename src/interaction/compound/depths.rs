//! Selection of the overlaps of two parts that are overlaps of the bodies.
//!
//! In: a contact point of two overlapping parts. Each of its two ends lies on the surface of a part. Only an end on the
//! outline of its own body is evidence of an overlap of the bodies, and its depth is the distance to the outline of the
//! other body. An overlap that neither end supports is between inner surfaces, or beside the bodies, and is dropped. An
//! overlap much deeper than its ends leads out through inner parts: it is replaced by the shortest exit of the deeper
//! end.

use crate::contactor::{Face, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Largest distance of an end from the outline, relative to the overlap, at which it counts as on the outline.
const ON: f64 = 0.02;
/// Least depth of an end, relative to the overlap...
const DEEP: f64 = 0.5;
/// ...or the same where no face of the two parts is a shorter exit, so that seams had no influence: the exit between
/// two edges is longer than the distance to the sides of their ridges.
const RIDGE: f64 = 0.2;
/// By how much, relative to the overlap, an exit must be shorter.
const SHORTER: f64 = 0.1;
/// Overlap, relative to the reach of the smaller body, up to which it is harmless, and too shallow to be judged in
/// spite of rounding.
const SHALLOW: f64 = 1e-5;

/// Two bodies, at least one of which has several parts.
pub(super) struct Outlines<'a, X: Dim> {
    pub(super) bodies: [&'a PosedShape<'a, X>; 2],
    /// Overlap up to which contact points are left unchanged, m; infinite if all are.
    pub(super) shallow: f64,
}

impl<'a, X: Dim> Outlines<'a, X> {
    pub(super) fn new(bodies: [&'a PosedShape<'a, X>; 2]) -> Self {
        let reach = bodies[0].reach().min(bodies[1].reach());
        // A body without interior or without bounds cannot be cut into parts: overlaps with it are correct.
        let shallow = if bodies.iter().all(|body| has_inside(body.shape)) { SHALLOW * reach } else { f64::INFINITY };
        Self { bodies, shallow }
    }

    /// The contact point of the outlines that corresponds to the contact point `touch` of two `parts`, if there is one.
    pub(super) fn filter(&self, touch: ContactPoint<X>, parts: [&PosedShape<'_, X>; 2]) -> Option<ContactPoint<X>> {
        let overlap = -touch.gap;
        if overlap <= self.shallow {
            return Some(touch);
        }
        let margin = ON * overlap;
        let mut deepest: Option<ContactPoint<X>> = None;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let (own, other) = (self.bodies[side], self.bodies[1 - side]);
            let outward = touch.normal * sign;
            let end = touch.point + outward * (0.5 * overlap);
            let is_on = own.holds(end, margin) && !own.holds(end + outward * margin, 0.0);
            if !is_on || !other.holds(end, 0.0) {
                continue;
            }
            let Some(exit) = other.exit(end, DEEP * overlap) else { return Some(touch) };
            if exit.depth >= RIDGE * overlap && !has_shorter_face(parts, overlap) {
                return Some(touch);
            }
            if exit.depth > self.shallow && deepest.is_none_or(|known| -known.gap < exit.depth) {
                let (normal, point) = (exit.normal * -sign, end + exit.normal * (0.5 * exit.depth));
                deepest = Some(ContactPoint { normal, point, gap: -exit.depth, ..touch });
            }
        }
        deepest
    }
}

/// Can the two parts be separated by less than `overlap` along the normal of a face, covered faces included? Where a
/// part is round this is unknown, and assumed.
fn has_shorter_face<X: Dim>(parts: [&PosedShape<'_, X>; 2], overlap: f64) -> bool {
    let least = (1.0 - SHORTER) * overlap;
    [(0, 1), (1, 0)].into_iter().any(|(own, other)| {
        let (own, other) = (parts[own], parts[other]);
        let Some(block) = own.shape.as_polytope() else { return true };
        let normal = |face: &Face<X>| own.orientation.rotate(face.normal);
        let level = |face: &Face<X>, n: X::Vector| n.dot(&own.position) + face.offset * own.size;
        let shorter = |face: &Face<X>, n: X::Vector| level(face, n) + other.support(-n) < least;
        block.rounding > 0.0 || block.polytope.faces.iter().any(|face| shorter(face, normal(face)))
    })
}

/// Is the shape bounded, with a volume?
fn has_inside<X: Dim>(shape: &Shape<X>) -> bool {
    match shape {
        Shape::Polytope(block) => block.rounding > 0.0 || block.mass.volume > 0.0,
        Shape::Ball | Shape::Cylinder { .. } | Shape::Compound(_) | Shape::Meshed(_) => true,
        Shape::HalfSpace | Shape::Hollow => false,
    }
}

/// The parts of a body with their numbers; a simple shape is one part.
pub(super) fn parts<'a, X: Dim>(placed: &PosedShape<'a, X>) -> impl Iterator<Item = (usize, PosedShape<'a, X>)> {
    let (body, compound) = (*placed, placed.shape.as_compound());
    let simple = if compound.is_some() { None } else { Some(body) };
    let several = compound.into_iter().flat_map(move |c| c.parts.iter().map(move |part| part.placed(&body)));
    several.chain(simple).enumerate()
}
