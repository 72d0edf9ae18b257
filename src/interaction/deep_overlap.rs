//! Contact normals of deep overlaps and fast bodies, where the geometry at mid-step alone may select the wrong side.
//!
//! The shortest exit from an overlap is the wrong one for a body that has passed more than half-way through another.
//! Where two bodies overlap deeply at mid-step, or have moved relative to each other by a large fraction of their size
//! since the start of the step, the side is taken from the start of the step: its contact points, transported with the
//! bodies. If the bodies overlapped deeply already then, the normal cannot be determined: the contacts are kept, and
//! counted.

use super::narrow_phase;
use crate::contactor::{PosedShape, Shape};
use crate::dim::{Dim, Orientation, Pair, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Overlap, relative to the radius of the smaller body, above which it is deep.
const DEEP: f64 = 0.2;
/// Relative displacement during half a step, over the length of the thinner body (its thinnest part), above which it is
/// large.
const FAR: f64 = 0.25;

/// Two bodies at the start and in the middle of the step.
#[derive(Clone, Copy)]
pub struct MovingPair<'a, X: Dim> {
    /// Poses at the start.
    pub start: [PosedShape<'a, X>; 2],
    /// Poses at mid-step.
    pub middle: [PosedShape<'a, X>; 2],
}

/// The decision about the contact points of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideVerdict {
    /// The points at mid-step are correct.
    Plain,
    /// The points of the start of the step replace them.
    Corrected,
    /// The correct side cannot be determined.
    Ambiguous,
}

/// Can a pair with this alert distance, whose bodies are no smaller than `smallest`, have a large displacement in half
/// a step?
pub fn is_fast(alert: f64, smallest: f64) -> bool {
    // The alert distance covers the displacement of the whole step.
    alert > 2.0 * FAR * smallest
}

impl<X: Dim> MovingPair<'_, X> {
    /// The length `of` the smaller body; `None` where the side cannot be wrong because one of the bodies is unbounded.
    fn smaller(&self, of: fn(&Shape<X>) -> Option<f64>) -> Option<f64> {
        let [a, b] = self.middle.each_ref().both(|p| of(p.shape).map(|c| c * p.size));
        Some(a?.min(b?))
    }

    /// Displacement since the start of the material point of body `side` that was at `at` then.
    fn displacement(&self, side: usize, at: X::Vector) -> X::Vector {
        let (start, middle) = (&self.start[side], &self.middle[side]);
        let arm = start.orientation.unrotate(at - start.position);
        middle.position + middle.orientation.rotate(arm) - at
    }

    /// The same pair, starting from the moment at which the bounding spheres first touch on the path to mid-step, or
    /// are closest: after a large displacement the normals at contact differ from those at the start of the step.
    fn before_impact(&self) -> Self {
        let radii: f64 = self.middle.iter().map(|placed| placed.shape.reach() * placed.size).sum();
        let displacements = [0, 1].both(|side| self.middle[side].position - self.start[side].position);
        let (apart, displacement) =
            (self.start[1].position - self.start[0].position, displacements[1] - displacements[0]);
        // Solves |apart + t displacement| = radii: the first root, or the point of closest approach.
        let (along, norm2) = (apart.dot(&displacement), displacement.norm2());
        let under_root = along * along - norm2 * (apart.norm2() - radii * radii);
        let t = ((-along - under_root.max(0.0).sqrt()) / norm2).clamp(0.0, 1.0);
        let start = [0, 1].both(|side| self.start[side].moved(displacements[side] * t));
        Self { start, middle: self.middle }
    }

    /// Judges the contact points `found` at mid-step; returns the verdict, and in `replacement` the points that replace
    /// them.
    pub fn classify(
        &self,
        found: &[ContactPoint<X>],
        alert: f64,
        replacement: &mut Vec<ContactPoint<X>>,
    ) -> SideVerdict {
        replacement.clear();
        let (Some(size), Some(radius)) = (self.smaller(Shape::characteristic), self.smaller(Shape::radius)) else {
            return SideVerdict::Plain;
        };
        let deepest = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        let [a, b] = [0, 1].both(|side| self.middle[side].position - self.start[side].position);
        let distance = (b - a).norm();
        if deepest >= -DEEP * radius && distance <= FAR * size {
            return SideVerdict::Plain;
        }
        let before_impact = if distance > size { self.before_impact() } else { *self };
        let start = &before_impact.start;
        narrow_phase::touches(&start[0], &start[1], alert + distance, |touch| replacement.push(touch));
        let before = replacement.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if before < -DEEP * radius {
            return SideVerdict::Ambiguous;
        }
        let side = |touches: &[ContactPoint<X>], gap: f64| touches.iter().find(|t| t.gap == gap).map(|t| t.normal);
        let agree = match (side(found, deepest), side(replacement, before)) {
            (Some(now), Some(then)) => now.dot(&then) > 0.5,
            // Without points at the start there is no other side to compare with. Without points at mid-step the body
            // has passed through; the contact of the side that it came from stops it.
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if agree {
            return SideVerdict::Plain;
        }
        replacement.retain_mut(|touch| {
            let [a, b] = [0, 1].both(|side| before_impact.displacement(side, touch.point));
            touch.gap += touch.normal.dot(&(b - a));
            touch.point += (a + b) * 0.5;
            // A point that is no longer near belongs to a body that has passed through, or moved away.
            touch.gap <= if found.is_empty() { 0.0 } else { alert }
        });
        SideVerdict::Corrected
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Angle, Plane};
    use nalgebra::Vector2;

    fn at<'a>(shape: &'a Shape<Plane>, size: f64, x: f64, y: f64) -> PosedShape<'a, Plane> {
        PosedShape { shape, size, position: Vector2::new(x, y), orientation: Angle(0.0) }
    }

    fn classified(moving: &MovingPair<'_, Plane>) -> (SideVerdict, Vec<ContactPoint<Plane>>, Vec<ContactPoint<Plane>>) {
        let (mut found, mut replacement) = (Vec::new(), Vec::new());
        narrow_phase::touches(&moving.middle[0], &moving.middle[1], 0.1, |t| found.push(t));
        let verdict = moving.classify(&found, 0.1, &mut replacement);
        (verdict, found, replacement)
    }

    #[test]
    fn a_ball_shot_half_way_through_a_wall_is_pushed_back_to_where_it_came_from() {
        let wall = Shape::segment(5.0);
        for end in [0.05, -0.05, -0.5, -0.95, -3.0] {
            let moving = MovingPair {
                start: [at(&Shape::Ball, 1.0, 0.0, 1.2), at(&wall, 1.0, 0.0, 0.0)],
                middle: [at(&Shape::Ball, 1.0, 0.0, end), at(&wall, 1.0, 0.0, 0.0)],
            };
            let (verdict, found, replacement) = classified(&moving);
            let contacts = if verdict == SideVerdict::Corrected { &replacement } else { &found };
            assert_eq!(contacts.len(), 1, "{end}: {verdict:?}");
            assert!((contacts[0].normal + Vector2::y()).norm() < 1e-15, "{end}: {verdict:?}");
            assert!((contacts[0].gap - (end - 1.0)).abs() < 1e-12, "{end}: {contacts:?}");
        }
    }

    #[test]
    fn a_ball_inside_another_from_the_start_is_reported() {
        let ball = |x: f64| at(&Shape::Ball, 1.0, x, 0.0);
        let moving = MovingPair { start: [ball(0.0), ball(0.3)], middle: [ball(0.0), ball(0.31)] };
        assert_eq!(classified(&moving).0, SideVerdict::Ambiguous);
    }

    #[test]
    fn slow_and_shallow_contacts_and_passing_bodies_are_not_corrected() {
        let ball = |x: f64, y: f64| at(&Shape::Ball, 1.0, x, y);
        let resting =
            MovingPair { start: [ball(0.0, 0.0), ball(1.99, 0.0)], middle: [ball(0.0, 0.0), ball(1.98, 0.0)] };
        assert_eq!(classified(&resting).0, SideVerdict::Plain);
        let passing =
            MovingPair { start: [ball(0.0, 0.0), ball(-3.0, 2.05)], middle: [ball(0.0, 0.0), ball(0.0, 2.05)] };
        let (verdict, found, _) = classified(&passing);
        assert!(verdict == SideVerdict::Plain && found.len() == 1);
    }
}
