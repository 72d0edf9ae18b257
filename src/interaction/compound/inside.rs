//! Corners and edges of one outline inside the other that no contact point of two parts accounts for.
//!
//! In: the contact points found. Out: one more for each such corner, and for each such edge at the middle of its
//! segment inside a part of the other body, along the shortest exit. Seams hide the axis of two parts from
//! detection, and a feature that enters a body there would otherwise sink in undetected.

use super::depths::{Outlines, parts};
use crate::contactor::{Polytope, PosedShape};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::contact_point::ContactPoint;

/// A contact point accounts for a corner or edge if its overlap is at least this fraction of the depth...
const COVERED: f64 = 0.4;
/// ...if it is no further away than this, relative to the larger of the two...
const NEAR: f64 = 2.0;
/// ...and if its normal is the direction of the exit within 60 degrees (cosine).
const ALIGNED: f64 = 0.5;
/// Number of overlaps that are recorded; beyond it, a corner may get two contact points.
const FEW: usize = 32;
/// In feature numbers, stands for the body that contains the corner.
const INSIDE: u64 = 0x7fff;
/// Distinguishes edges from corners in feature numbers.
const EDGE: u64 = 0x4000;

/// The overlaps found between two bodies.
pub(super) struct Overlaps<X: Dim> {
    known: [(X::Vector, X::Vector, f64); FEW],
    count: usize,
}

impl<X: Dim> Overlaps<X> {
    pub(super) fn none() -> Self {
        Self { known: [(X::Vector::zero(), X::Vector::zero(), 0.0); FEW], count: 0 }
    }

    pub(super) fn add(&mut self, touch: &ContactPoint<X>) {
        if touch.gap < 0.0 && self.count < FEW {
            self.known[self.count] = (touch.point, touch.normal, -touch.gap);
            self.count += 1;
        }
    }

    /// Does a known overlap account for the point `at` at depth `depth` along `normal`?
    fn cover(&self, at: X::Vector, normal: X::Vector, depth: f64) -> bool {
        self.known[..self.count].iter().any(|(point, along, overlap)| {
            let reach = NEAR * overlap.max(depth);
            *overlap >= COVERED * depth && (*point - at).norm2() <= reach * reach && along.dot(&normal) >= ALIGNED
        })
    }
}

impl<X: Dim> Outlines<'_, X> {
    /// Emits the corners and edges of each body inside the other that `overlaps` does not account for.
    pub(super) fn inside(&self, overlaps: &mut Overlaps<X>, emit: &mut dyn FnMut(ContactPoint<X>)) {
        if self.shallow == f64::INFINITY {
            return;
        }
        for side in [0, 1] {
            let (own, other) = (self.bodies[side], self.bodies[1 - side]);
            let other_reach = other.reach();
            for (number, part) in parts(own) {
                let Some(block) = part.shape.as_polytope() else { continue };
                let reach = part.reach();
                if block.rounding > 0.0 || (part.position - other.position).norm() > reach + other_reach {
                    continue;
                }
                for (container, around) in parts(other) {
                    let around_reach = around.reach();
                    if (part.position - around.position).norm() > reach + around_reach {
                        continue;
                    }
                    let mut emit_at = |at: X::Vector, name: u64| {
                        if let Some(touch) = self.exit_point(side, number, at)
                            && !overlaps.cover(at, touch.normal, -touch.gap)
                        {
                            let (name, [i, j]) = match side {
                                0 => (name << 15 | INSIDE, [number, container]),
                                _ => (INSIDE << 15 | name, [container, number]),
                            };
                            overlaps.add(&touch);
                            emit(ContactPoint {
                                feature: 3 << 30 | name | (i as u64) << 32 | (j as u64) << 48,
                                ..touch
                            });
                        }
                    };
                    self.corners_in(&part, &block.polytope, &around, around_reach, &mut emit_at);
                    self.edges_in(&part, &block.polytope, &around, around_reach, &mut emit_at);
                }
            }
        }
    }

    fn corners_in(
        &self,
        part: &PosedShape<'_, X>,
        polytope: &Polytope<X>,
        around: &PosedShape<'_, X>,
        around_reach: f64,
        emit_at: &mut impl FnMut(X::Vector, u64),
    ) {
        for (name, vertex) in (0..).zip(&polytope.vertices) {
            let at = part.position + part.orientation.rotate(*vertex * part.size);
            if (at - around.position).norm2() < around_reach * around_reach && around.holds(at, -self.shallow) {
                emit_at(at, name & (EDGE - 1));
            }
        }
    }

    /// Edges with both ends outside.
    fn edges_in(
        &self,
        part: &PosedShape<'_, X>,
        polytope: &Polytope<X>,
        around: &PosedShape<'_, X>,
        around_reach: f64,
        emit_at: &mut impl FnMut(X::Vector, u64),
    ) {
        let Some(other) = around.shape.as_polytope() else { return };
        if other.rounding > 0.0 {
            return;
        }
        for (name, edge) in (0..).zip(&polytope.edges) {
            let ends = edge.map(|k| {
                let at = part.position + part.orientation.rotate(polytope.vertices[k as usize] * part.size);
                at - around.position
            });
            let reach = around_reach + 0.5 * (ends[1] - ends[0]).norm();
            if (ends[0] + ends[1]).norm2() > 4.0 * reach * reach {
                continue;
            }
            let [from, to] = ends.map(|end| around.orientation.unrotate(end));
            let mut span = [0.0, 1.0];
            for face in &other.polytope.faces {
                let [low, high] = [from, to].map(|end| face.normal.dot(&end) - face.offset * around.size);
                if low > 0.0 {
                    span[0] = if high < 0.0 { f64::max(span[0], low / (low - high)) } else { 1.0 };
                } else if high > 0.0 {
                    span[1] = f64::min(span[1], low / (low - high));
                }
                if span[0] >= span[1] {
                    break;
                }
            }
            if 0.0 < span[0] && span[0] < span[1] && span[1] < 1.0 {
                let middle = 0.5 * (span[0] + span[1]);
                emit_at(around.position + ends[0] + (ends[1] - ends[0]) * middle, name & (EDGE - 1) | EDGE);
            }
        }
    }

    /// The contact point that leads the point `at` of part `number` of body `side` out of the other body; `None` if the
    /// point is not on the outline.
    fn exit_point(&self, side: usize, number: usize, at: X::Vector) -> Option<ContactPoint<X>> {
        let (own, other) = (self.bodies[side], self.bodies[1 - side]);
        if !own.is_surface(number, at) {
            return None;
        }
        let exit = other.exit(at, f64::INFINITY).filter(|exit| exit.depth > self.shallow)?;
        let normal = if side == 0 { -exit.normal } else { exit.normal };
        let is_extreme = own.is_extreme(number, at, -exit.normal);
        is_extreme.then(|| ContactPoint {
            feature: 0,
            normal,
            point: at + exit.normal * (0.5 * exit.depth),
            gap: -exit.depth,
        })
    }
}
