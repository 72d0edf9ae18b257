//! Contact of a cylinder with the inside of a drum: the obstacle is everything farther than a radius from a line.
//!
//! In: a cylinder and a drum. Out: the points of its rims that are locally closest to the wall. The farthest points of
//! the cylinder from a line are on its rims; projected along the line a rim is an ellipse, which has one or two locally
//! farthest points (`rim.rs`). A cylinder parallel to the drum touches with both ends of its outermost line.

use super::Cylinder;
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;
use crate::interaction::patch::PointName;

/// The inside of a drum without end walls.
#[derive(Clone, Copy, Debug)]
pub struct Hollow<X: Dim> {
    /// A point of its axis, m.
    pub point: X::Vector,
    /// Unit vector along its axis.
    pub axis: X::Vector,
    /// Radius, m.
    pub radius: f64,
}

/// Calls `emit` for each point of the rims of `a` that is locally closest to the wall, with a gap of at most `alert`.
/// The normal points away from the axis of the drum, into the wall.
pub fn touches_hollow<X: Dim>(a: &Cylinder<X>, drum: &Hollow<X>, alert: f64, mut emit: impl FnMut(ContactPoint<X>)) {
    let from = a.position - drum.point;
    let off = from - drum.axis * from.dot(&drum.axis);
    if drum.radius - (off.norm() + a.reach()) > alert {
        return;
    }
    // Relative to the centre of the cylinder, so that no digits are lost far from the origin.
    let local = Cylinder { position: X::Vector::zero(), ..*a };
    let aside = X::across(drum.axis, a.axis);
    for (cap, side) in [(0, -1.0), (1, 1.0)] {
        let rim = local.rim(side);
        let (farthest, other) = rim.beside(-off, drum.axis).farthest();
        for radial in [Some(farthest), other].into_iter().flatten() {
            let point = rim.centre + radial * a.radius;
            let arm = off + point;
            let arm = arm - drum.axis * arm.dot(&drum.axis);
            let far = arm.norm();
            let gap = drum.radius - far;
            if gap <= alert && far > 0.0 {
                let normal = arm * (1.0 / far);
                let which = u32::from(other.is_some() && radial.dot(&aside) > 0.0);
                let feature = if other.is_some() { PointName::Crossing(cap, which) } else { PointName::Lowest(cap) };
                let touch = ContactPoint {
                    feature: feature.number(false),
                    normal,
                    gap,
                    point: a.position + (point + normal * (0.5 * gap)),
                };
                emit(touch);
            }
        }
    }
}
