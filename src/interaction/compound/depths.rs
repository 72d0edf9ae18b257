//! Which overlaps of two parts are overlaps of the whole bodies.
//!
//! In: a contact point of two parts that overlap. Each of its two ends is on the surface of a part; only one that is on
//! the outline of its body says something about the bodies, and it lies inside the other only as deep as that one's outline is
//! near. An overlap that neither end bears out is between inner surfaces, or beside the bodies, and is dropped. One that
//! goes far deeper than its ends do leads out through inner parts: it is replaced by the nearest way out of the
//! deeper end.

use crate::contactor::{Face, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::narrow_phase::ContactPoint;

/// An end is on the outline if that lies no further from it, over the overlap.
const ON: f64 = 0.02;
/// How deep an end must lie, over the overlap...
const DEEP: f64 = 0.5;
/// ...or, where no face of the two parts is a shorter way out, so that seams had no say: the way out between two edges is
/// longer than to the sides of their ridges.
const RIDGE: f64 = 0.2;
/// By how much, over the overlap, a way out must be shorter.
const SHORTER: f64 = 0.1;
/// Overlaps up to this, over the reach of the smaller body, are too shallow for rounding, and do no harm.
const SHALLOW: f64 = 1e-5;

/// Two bodies, at least one of them of several parts.
pub(super) struct Outlines<'a, X: Dim> {
    pub(super) bodies: [&'a PosedShape<'a, X>; 2],
    /// Overlaps up to here are left as they are, m; infinite where all are.
    pub(super) shallow: f64,
}

impl<'a, X: Dim> Outlines<'a, X> {
    pub(super) fn new(bodies: [&'a PosedShape<'a, X>; 2]) -> Self {
        let reach = bodies[0].reach().min(bodies[1].reach());
        // What has no inside, or no bounds, cannot be cut into parts: overlaps with it are right.
        let shallow = if bodies.iter().all(|body| has_inside(body.shape)) { SHALLOW * reach } else { f64::INFINITY };
        Self { bodies, shallow }
    }

    /// What the outlines have of the contact point `touch` of two `parts`.
    pub(super) fn judge(&self, touch: ContactPoint<X>, parts: [&PosedShape<'_, X>; 2]) -> Option<ContactPoint<X>> {
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

/// Do the two parts come apart by less than `overlap` along the normal of a face, covered ones included? Where one is round,
/// this is not known.
fn has_shorter_face<X: Dim>(parts: [&PosedShape<'_, X>; 2], overlap: f64) -> bool {
    let least = (1.0 - SHORTER) * overlap;
    [(0, 1), (1, 0)].into_iter().any(|(own, other)| {
        let (own, other) = (parts[own], parts[other]);
        let Shape::Polytope(block) = own.shape else { return true };
        let normal = |face: &Face<X>| own.orientation.rotate(face.normal);
        let level = |face: &Face<X>, n: X::Vector| n.dot(&own.position) + face.offset * own.size;
        let shorter = |face: &Face<X>, n: X::Vector| level(face, n) + other.support(-n) < least;
        block.rounding > 0.0 || block.polytope.faces.iter().any(|face| shorter(face, normal(face)))
    })
}

/// Bounded, and with volume.
fn has_inside<X: Dim>(shape: &Shape<X>) -> bool {
    match shape {
        Shape::Polytope(block) => block.rounding > 0.0 || block.mass.volume > 0.0,
        Shape::Ball | Shape::Cylinder { .. } | Shape::Compound(_) => true,
        Shape::HalfSpace | Shape::Hollow => false,
    }
}
