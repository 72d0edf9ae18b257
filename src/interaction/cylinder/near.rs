//! Nearly nearest points of two convex bodies, enough to rule out most features.
//!
//! In: the extreme points of the two along any axis. Out: a point of each, their distance, and the widest slab seen.
//! An axis wider than that slab by no more than distance - width passes the two points just as closely: see
//! [`NearPoints::slack`]. The method is that of the polytopes (`polytope/nearest.rs`), stopped early.

use super::Axis;
use crate::dim::{Dim, Vector};
use crate::interaction::polytope::ActiveSet;

/// Good enough to rule out features, in units of the scale.
pub(super) const ENOUGH: f64 = 1e-3;
/// Good enough to be a contact point.
pub(super) const CLOSE: f64 = 1e-8;
/// No distance at all, in units of the scale: the two have this point in common.
const NONE: f64 = 1e-15;
/// Rounds; five are usual.
const ROUNDS: usize = 40;

/// What was found; points are from the point half-way.
pub(super) struct NearPoints<X: Dim> {
    pub(super) on: [X::Vector; 2],
    pub(super) distance: f64,
    /// The widest slab seen and its axis.
    pub(super) width: f64,
    pub(super) axis: X::Vector,
}

impl<X: Dim> NearPoints<X> {
    /// A plane that touches a body and is square to an axis with a slab wider than `width` is no farther than this
    /// from the body's near point: s(n) = n.(x_b - x_a) - (h_a(n) - n.x_a) - (h_b(-n) + n.x_b).
    pub(super) fn slack(&self, width: f64, scale: f64) -> f64 {
        self.distance - width.max(self.width) + 1e-12 * scale
    }

    /// The axis of the widest slab seen.
    pub(super) fn fallback(&self) -> Axis<X> {
        Axis { normal: self.axis, separation: self.width, between: (self.on[0] + self.on[1]) * 0.5 }
    }
}

/// Points of the two, found from `extreme(n)`: the points of the first farthest along the unit vector n, and of the
/// second farthest against it. Stops as soon as a slab is wider than `limit`, or distance and width differ by no more than `enough` times
/// the scale.
pub(super) fn near<X: Dim>(
    start: X::Vector,
    scale: f64,
    limit: f64,
    enough: f64,
    extreme: impl Fn(X::Vector) -> [X::Vector; 2],
) -> NearPoints<X> {
    let norm = start.norm();
    let mut direction = if norm > 0.0 { start * (1.0 / norm) } else { X::Vector::axis(0) };
    let mut on = extreme(direction);
    let mut corral = ActiveSet::<X, [X::Vector; 2]>::new(on[1] - on[0], on);
    let mut found = NearPoints::<X> { on, distance: (on[1] - on[0]).norm(), width: f64::NEG_INFINITY, axis: direction };
    for _ in 0..ROUNDS {
        let width = direction.dot(&(on[1] - on[0]));
        if width > found.width {
            (found.width, found.axis) = (width, direction);
        }
        if width > limit || found.distance - found.width <= enough * scale || found.distance <= NONE * scale {
            break;
        }
        direction = (found.on[1] - found.on[0]) * (1.0 / found.distance);
        on = extreme(direction);
        let mut grown = corral;
        grown.push(on[1] - on[0], on);
        let Some(closer) = grown.shrink().map(|least| least.norm()).filter(|norm| *norm < found.distance) else {
            break;
        };
        corral = grown;
        found.on = [corral.blend(|on| on[0]), corral.blend(|on| on[1])];
        found.distance = closer;
    }
    found.distance = (found.on[1] - found.on[0]).norm();
    found
}
