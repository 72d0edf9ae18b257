//! Approximate nearest points of two convex bodies, accurate enough to rule out most features.
//!
//! In: the extreme points of the two bodies along any axis. Out: a point of each, their distance, and the widest slab
//! found. For an axis with a slab at least as wide, the tangent planes pass these two points within distance - width:
//! see [`NearPoints::slack`]. The method is that of the polytopes (`polytope/nearest.rs`), stopped early.

use super::Axis;
use crate::dim::{Dim, Vector};
use crate::interaction::polytope::ActiveSet;

/// Accuracy that suffices to rule out features, relative to the scale.
pub(super) const ENOUGH: f64 = 1e-3;
/// Accuracy that suffices for a contact point, relative to the scale.
pub(super) const CLOSE: f64 = 1e-8;
/// Distance, relative to the scale, below which the bodies have a common point.
const TOUCHING: f64 = 1e-15;
/// Maximum number of iterations; five are usual.
const ITERATIONS: usize = 40;

/// The result; points are relative to the midpoint between the centres.
pub(super) struct NearPoints<X: Dim> {
    pub(super) on: [X::Vector; 2],
    pub(super) distance: f64,
    /// The widest slab found and its axis.
    pub(super) width: f64,
    pub(super) axis: X::Vector,
}

impl<X: Dim> NearPoints<X> {
    /// Upper bound on the distance between a near point and the tangent plane of its body perpendicular to an axis
    /// whose slab is wider than `width`: s(n) = n.(x_b - x_a) - (h_a(n) - n.x_a) - (h_b(-n) + n.x_b).
    pub(super) fn slack(&self, width: f64, scale: f64) -> f64 {
        self.distance - width.max(self.width) + 1e-12 * scale
    }

    /// The axis of the widest slab found.
    pub(super) fn fallback(&self) -> Axis<X> {
        Axis { normal: self.axis, separation: self.width, between: (self.on[0] + self.on[1]) * 0.5 }
    }
}

/// Finds points of the two bodies from `extreme(n)`: the point of the first farthest along the unit vector n, and of
/// the second farthest against it. Stops as soon as a slab is wider than `limit`, or distance and width differ by no
/// more than `accuracy` times the scale.
pub(super) fn near<X: Dim>(
    start: X::Vector,
    scale: f64,
    limit: f64,
    accuracy: f64,
    extreme: impl Fn(X::Vector) -> [X::Vector; 2],
) -> NearPoints<X> {
    let norm = start.norm();
    let mut direction = if norm > 0.0 { start * (1.0 / norm) } else { X::Vector::axis(0) };
    let mut on = extreme(direction);
    let mut active = ActiveSet::<X, [X::Vector; 2]>::new(on[1] - on[0], on);
    let mut found = NearPoints::<X> { on, distance: (on[1] - on[0]).norm(), width: f64::NEG_INFINITY, axis: direction };
    for _ in 0..ITERATIONS {
        let width = direction.dot(&(on[1] - on[0]));
        if width > found.width {
            (found.width, found.axis) = (width, direction);
        }
        if width > limit || found.distance - found.width <= accuracy * scale || found.distance <= TOUCHING * scale {
            break;
        }
        direction = (found.on[1] - found.on[0]) * (1.0 / found.distance);
        on = extreme(direction);
        let mut grown = active;
        grown.push(on[1] - on[0], on);
        let Some(closer) = grown.shrink().map(|least| least.norm()).filter(|norm| *norm < found.distance) else {
            break;
        };
        active = grown;
        found.on = [active.weighted_mean(|on| on[0]), active.weighted_mean(|on| on[1])];
        found.distance = closer;
    }
    found.distance = (found.on[1] - found.on[0]).norm();
    found
}
