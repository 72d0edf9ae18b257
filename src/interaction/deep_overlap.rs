//! Deep overlaps and fast bodies, where geometry at mid-step alone may name the wrong side.
//!
//! A body that has gone more than half-way through another leaves it by the nearest way, which is the wrong one. Where
//! the two overlap deeply at mid-step, or have moved against each other by a good part of their size since the
//! step began, the side is that of the start of the step: its contact points, carried along with the bodies. If they
//! overlapped deeply even then, nothing says which side is right: the contacts stay, and are counted.

use super::narrow_phase::{self, ContactPoint};
use crate::contactor::{PosedShape, Shape};
use crate::dim::{Dim, Orientation, Pair, Vector};

/// Overlap over the radius of the smaller body from which on it is deep.
const DEEP: f64 = 0.2;
/// Relative way during half a step, over the length of its thinnest part, from which on it is far.
const FAR: f64 = 0.25;

/// Two bodies at the start and in the middle of the step.
#[derive(Clone, Copy)]
pub struct MovingPair<'a, X: Dim> {
    /// Places at the start.
    pub start: [PosedShape<'a, X>; 2],
    /// Places at mid-step.
    pub middle: [PosedShape<'a, X>; 2],
}

/// What became of the contacts of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideVerdict {
    /// They are right as they are.
    Plain,
    /// Those of the start of the step took their place.
    Corrected,
    /// Nothing says which side is right.
    Ambiguous,
}

/// Could a pair with this alert distance, whose bodies are no smaller than `smallest`, move far in half a step?
pub fn is_fast(alert: f64, smallest: f64) -> bool {
    // The alert distance covers the way of the whole step.
    alert > 2.0 * FAR * smallest
}

impl<X: Dim> MovingPair<'_, X> {
    /// The length `of` the smaller body; none where the side cannot be wrong, because one of them has no bounds.
    fn smaller(&self, of: fn(&Shape<X>) -> Option<f64>) -> Option<f64> {
        let [a, b] = self.middle.each_ref().both(|p| of(p.shape).map(|c| c * p.size));
        Some(a?.min(b?))
    }

    /// How far the point `at` of body `side` has moved since the start, seen from its place then.
    fn way(&self, side: usize, at: X::Vector) -> X::Vector {
        let (start, middle) = (&self.start[side], &self.middle[side]);
        let arm = start.orientation.unrotate(at - start.position);
        middle.position + middle.orientation.rotate(arm) - at
    }

    /// From the moment at which the spheres around the bodies first touch on their way to mid-step, or come closest: bodies that go
    /// far meet with other normals than they had at the start.
    fn before_impact(&self) -> Self {
        let radii: f64 = self.middle.iter().map(|placed| placed.shape.reach() * placed.size).sum();
        let ways = [0, 1].both(|side| self.middle[side].position - self.start[side].position);
        let (apart, way) = (self.start[1].position - self.start[0].position, ways[1] - ways[0]);
        // |apart + t way| = radii: the first root, or the least distance.
        let (along, way2) = (apart.dot(&way), way.norm2());
        let under_root = along * along - way2 * (apart.norm2() - radii * radii);
        let t = ((-along - under_root.max(0.0).sqrt()) / way2).clamp(0.0, 1.0);
        let start = [0, 1].both(|side| self.start[side].moved(ways[side] * t));
        Self { start, middle: self.middle }
    }

    /// Looks at the contact points `found` at mid-step; returns what to do, and in `instead` the points to take.
    pub fn judge(&self, found: &[ContactPoint<X>], alert: f64, instead: &mut Vec<ContactPoint<X>>) -> SideVerdict {
        instead.clear();
        let (Some(size), Some(radius)) = (self.smaller(Shape::characteristic), self.smaller(Shape::radius)) else {
            return SideVerdict::Plain;
        };
        let deepest = found.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        let [a, b] = [0, 1].both(|side| self.middle[side].position - self.start[side].position);
        let far = (b - a).norm();
        if deepest >= -DEEP * radius && far <= FAR * size {
            return SideVerdict::Plain;
        }
        let before_impact = if far > size { self.before_impact() } else { *self };
        let start = &before_impact.start;
        narrow_phase::touches(&start[0], &start[1], alert + far, |touch| instead.push(touch));
        let before = instead.iter().map(|t| t.gap).fold(f64::INFINITY, f64::min);
        if before < -DEEP * radius {
            return SideVerdict::Ambiguous;
        }
        let side = |touches: &[ContactPoint<X>], gap: f64| touches.iter().find(|t| t.gap == gap).map(|t| t.normal);
        let agree = match (side(found, deepest), side(instead, before)) {
            (Some(now), Some(then)) => now.dot(&then) > 0.5,
            // Not near at the start, or through and gone by now: without a side there is no wrong one, and a body
            // that has passed through is held back by the side it came from.
            (_, None) => true,
            (None, Some(_)) => false,
        };
        if agree {
            return SideVerdict::Plain;
        }
        instead.retain_mut(|touch| {
            let [a, b] = [0, 1].both(|side| before_impact.way(side, touch.point));
            touch.gap += touch.normal.dot(&(b - a));
            touch.point += (a + b) * 0.5;
            // Who is not near any more has gone through, or away.
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

    fn judged(moving: &MovingPair<'_, Plane>) -> (SideVerdict, Vec<ContactPoint<Plane>>, Vec<ContactPoint<Plane>>) {
        let (mut found, mut instead) = (Vec::new(), Vec::new());
        narrow_phase::touches(&moving.middle[0], &moving.middle[1], 0.1, |t| found.push(t));
        let verdict = moving.judge(&found, 0.1, &mut instead);
        (verdict, found, instead)
    }

    #[test]
    fn a_ball_shot_half_way_through_a_wall_is_pushed_back_to_where_it_came_from() {
        let wall = Shape::segment(5.0);
        for end in [0.05, -0.05, -0.5, -0.95, -3.0] {
            let moving = MovingPair {
                start: [at(&Shape::Ball, 1.0, 0.0, 1.2), at(&wall, 1.0, 0.0, 0.0)],
                middle: [at(&Shape::Ball, 1.0, 0.0, end), at(&wall, 1.0, 0.0, 0.0)],
            };
            let (verdict, found, instead) = judged(&moving);
            let contacts = if verdict == SideVerdict::Corrected { &instead } else { &found };
            assert_eq!(contacts.len(), 1, "{end}: {verdict:?}");
            assert!((contacts[0].normal + Vector2::y()).norm() < 1e-15, "{end}: {verdict:?}");
            assert!((contacts[0].gap - (end - 1.0)).abs() < 1e-12, "{end}: {contacts:?}");
        }
    }

    #[test]
    fn a_ball_inside_another_from_the_start_is_reported() {
        let place = |x: f64| at(&Shape::Ball, 1.0, x, 0.0);
        let moving = MovingPair { start: [place(0.0), place(0.3)], middle: [place(0.0), place(0.31)] };
        assert_eq!(judged(&moving).0, SideVerdict::Ambiguous);
    }

    #[test]
    fn slow_and_shallow_contacts_are_left_alone_and_so_are_passers_by() {
        let place = |x: f64, y: f64| at(&Shape::Ball, 1.0, x, y);
        let resting =
            MovingPair { start: [place(0.0, 0.0), place(1.99, 0.0)], middle: [place(0.0, 0.0), place(1.98, 0.0)] };
        assert_eq!(judged(&resting).0, SideVerdict::Plain);
        let passing =
            MovingPair { start: [place(0.0, 0.0), place(-3.0, 2.05)], middle: [place(0.0, 0.0), place(0.0, 2.05)] };
        let (verdict, found, _) = judged(&passing);
        assert!(verdict == SideVerdict::Plain && found.len() == 1);
    }
}
