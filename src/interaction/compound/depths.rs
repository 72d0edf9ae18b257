//! Which overlaps of two parts are overlaps of the whole bodies.
//!
//! In: a contact point of two parts that overlap. Each of its two ends is on the surface of a part; only one that is on
//! the outline of its body says something about the bodies, and it lies inside the other only as deep as that one's outline is
//! near. An overlap that neither end bears out is between inner surfaces, or beside the bodies, and is dropped. One that
//! goes far deeper than its ends do leads out through inner parts: it is replaced by the nearest way out of the
//! deeper end. A corner of one outline inside the other that no contact point holds then gets one: its nearest way out.

use super::{Touch, parts};
use crate::contactor::{Placed, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// An end is on the outline if that lies no further from it, over the overlap.
const ON: f64 = 0.02;
/// How deep an end must lie, over the overlap: the way out between two edges is longer than to the sides of a ridge.
const DEEP: f64 = 0.5;
/// Overlaps up to this, over the reach of the smaller body, are too shallow for rounding, and do no harm.
const SHALLOW: f64 = 1e-5;

/// A contact point holds a corner if its overlap has this share of the depth of the corner...
const HELD: f64 = 0.4;
/// ...if it is no further from the corner, over the larger of the two...
const NEAR: f64 = 2.0;
/// ...and if its normal is the way out, within 60 degrees.
const ALIGNED: f64 = 0.5;
/// Overlaps that are remembered; beyond, a corner may be held twice.
const FEW: usize = 32;
/// In names, in place of a feature of the body that a corner is in.
const INSIDE: u64 = 0x7fff;

/// Two bodies, at least one of them of several parts.
pub(super) struct Outlines<'a, X: Dim> {
    bodies: [&'a Placed<'a, X>; 2],
    /// Overlaps up to here are left as they are, m.
    shallow: f64,
}

/// The overlaps found between two bodies.
pub(super) struct Overlaps<X: Dim> {
    known: [(X::Vector, X::Vector, f64); FEW],
    count: usize,
}

impl<X: Dim> Overlaps<X> {
    pub(super) fn none() -> Self {
        Self { known: [(X::Vector::zero(), X::Vector::zero(), 0.0); FEW], count: 0 }
    }

    pub(super) fn add(&mut self, touch: &Touch<X>) {
        if touch.gap < 0.0 && self.count < FEW {
            self.known[self.count] = (touch.point, touch.normal, -touch.gap);
            self.count += 1;
        }
    }

    /// Is `corner`, so `deep`, held along `normal`?
    fn hold(&self, corner: X::Vector, normal: X::Vector, deep: f64) -> bool {
        self.known[..self.count].iter().any(|(point, along, overlap)| {
            *overlap >= HELD * deep
                && (*point - corner).norm() <= NEAR * overlap.max(deep)
                && along.dot(&normal) >= ALIGNED
        })
    }
}

impl<'a, X: Dim> Outlines<'a, X> {
    pub(super) fn new(bodies: [&'a Placed<'a, X>; 2]) -> Self {
        let reach = bodies[0].reach().min(bodies[1].reach());
        // What has no inside, or no bounds, cannot be cut into parts: overlaps with it are right.
        let shallow = if bodies.iter().all(|body| has_inside(body.shape)) { SHALLOW * reach } else { f64::INFINITY };
        Self { bodies, shallow }
    }

    /// What the outlines have of the contact point `touch` of two parts.
    pub(super) fn judge(&self, touch: Touch<X>) -> Option<Touch<X>> {
        let overlap = -touch.gap;
        if overlap <= self.shallow {
            return Some(touch);
        }
        let margin = ON * overlap;
        let mut deepest: Option<Touch<X>> = None;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let (own, other) = (self.bodies[side], self.bodies[1 - side]);
            let outward = touch.normal * sign;
            let end = touch.point + outward * (0.5 * overlap);
            let is_on = own.holds(end, margin) && !own.holds(end + outward * margin, 0.0);
            if !is_on || !other.holds(end, 0.0) {
                continue;
            }
            let Some(exit) = other.exit(end, DEEP * overlap) else { return Some(touch) };
            if exit.depth > self.shallow && deepest.is_none_or(|known| -known.gap < exit.depth) {
                let (normal, point) = (exit.normal * -sign, end + exit.normal * (0.5 * exit.depth));
                deepest = Some(Touch { normal, point, gap: -exit.depth, ..touch });
            }
        }
        deepest
    }

    /// Emits the corners of one body inside the other that are not among the `overlaps`.
    pub(super) fn corners(&self, overlaps: &mut Overlaps<X>, emit: &mut dyn FnMut(Touch<X>)) {
        if self.shallow == f64::INFINITY {
            return;
        }
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let (own, other) = (self.bodies[side], self.bodies[1 - side]);
            let reach = other.reach();
            for (number, part) in parts(own) {
                let Shape::Polytope(block) = part.shape else { continue };
                if block.rounding > 0.0 || (part.position - other.position).norm() > part.reach() + reach {
                    continue;
                }
                for (holder, around) in parts(other) {
                    let across = around.reach();
                    if (part.position - around.position).norm() > part.reach() + across {
                        continue;
                    }
                    for (corner, vertex) in block.polytope.vertices.iter().enumerate() {
                        let at = part.position + part.orientation.rotate(*vertex * part.size);
                        let is_in = (at - around.position).norm2() < across * across && around.holds(at, -self.shallow);
                        if !is_in || !own.is_surface(number, at) {
                            continue;
                        }
                        // From a part of the other to its outline.
                        let Some(exit) = other.exit(at, f64::INFINITY) else { continue };
                        let normal = exit.normal * -sign;
                        if exit.depth <= self.shallow || overlaps.hold(at, normal, exit.depth) {
                            continue;
                        }
                        let corner = corner as u64 & INSIDE;
                        let (feature, numbers) = match side {
                            0 => (corner << 15 | INSIDE, [number, holder]),
                            _ => (INSIDE << 15 | corner, [holder, number]),
                        };
                        let feature = 3 << 30 | feature | (numbers[0] as u64) << 32 | (numbers[1] as u64) << 48;
                        let point = at + exit.normal * (0.5 * exit.depth);
                        let touch = Touch { feature, normal, point, gap: -exit.depth };
                        overlaps.add(&touch);
                        emit(touch);
                    }
                }
            }
        }
    }
}

/// Bounded, and with volume.
fn has_inside<X: Dim>(shape: &Shape<X>) -> bool {
    match shape {
        Shape::Polytope(block) => block.rounding > 0.0 || block.mass.volume > 0.0,
        Shape::Ball | Shape::Cylinder { .. } | Shape::Compound(_) => true,
        Shape::HalfSpace | Shape::Hollow => false,
    }
}
