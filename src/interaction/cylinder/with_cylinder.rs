//! Contact of two cylinders.
//!
//! In: the two posed cylinders. Out: axis, distance, contact points. The candidate axes are those of the caps, of side
//! with side, of side with rims, and of rims with rims, unless the approximate nearest points rule them out. Both
//! bodies are symmetric about their centres, so of an axis and its opposite the one from centre to centre is wider.
//!
//! The lower cylinder along a fixed direction is treated as the first, so that exchanging the two mirrors every bit.

use super::critical_axes::critical_axes;
use super::near::NearPoints;
use super::pair::{PairFrame, PairGeometry};
use super::rims::climb;
use super::{Axis, AxisChoice, Cylinder, Separation};
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;
use crate::interaction::manifold::{MISSED, PART};
use crate::interaction::patch::{PARALLEL, Patch, PointName};
use crate::interaction::polytope::{PREFERENCE, leads};

/// Overlap, relative to the scale, above which two rims may have several critical axes.
const DEEP: f64 = 1e-4;

/// Cosine up to which an initial guess may point inwards at a rim: the climb may come back.
const INWARD: f64 = 0.1;

/// Angle, rad, below which axes are parallel.
const ALIGNED: f64 = 1e-15;

/// Cosine up to which a unit vector is perpendicular to an axis up to rounding.
const PERPENDICULAR: f64 = 2.0 * f64::EPSILON;

/// The two cylinders, relative to the midpoint between their centres.
struct CylinderPair<X: Dim> {
    a: Cylinder<X>,
    b: Cylinder<X>,
    between: X::Vector,
    middle: X::Vector,
    scale: f64,
    /// Are first and second exchanged?
    flipped: bool,
}

/// Distance of two cylinders.
pub fn distance_to_cylinder<X: Dim>(a: &Cylinder<X>, b: &Cylinder<X>) -> Separation<X> {
    let pair = CylinderPair::new(a, b);
    let (Axis { normal, separation, between }, _) = pair.widest(f64::INFINITY, 0.0);
    let normal = if pair.flipped { -normal } else { normal };
    Separation { distance: separation, normal, point: pair.middle + between }
}

/// Calls `emit` for each contact point of the two cylinders with a gap of at most `alert`.
pub fn touches_cylinder<X: Dim>(a: &Cylinder<X>, b: &Cylinder<X>, alert: f64, mut emit: impl FnMut(ContactPoint<X>)) {
    let pair = CylinderPair::new(a, b);
    if pair.between.norm() > pair.scale + alert {
        return;
    }
    let (axis, alternative) = pair.widest(alert, PREFERENCE);
    if axis.separation > alert {
        return;
    }
    // Names and normals refer to the bodies in the given order.
    let mut emit = |touch: ContactPoint<X>| {
        let is_named = touch.feature != PointName::Single.number(false);
        let feature = if pair.flipped && is_named { PointName::exchanged(touch.feature) } else { touch.feature };
        emit(ContactPoint { feature, normal: if pair.flipped { -touch.normal } else { touch.normal }, ..touch });
    };
    let (axis, count, least) = pair.patch_contacts((axis, alternative), alert, &mut emit);
    let gap = axis.separation;
    if count == 0 || least > gap + (MISSED * pair.scale).max(PART * gap.abs()) {
        let point = pair.middle + axis.between;
        emit(ContactPoint { feature: PointName::Single.number(false), normal: axis.normal, point, gap });
    }
    if count == 0 {
        pair.near_points(&axis, alert, &mut emit);
    }
}

impl<X: Dim> PairGeometry<X> for CylinderPair<X> {
    const STAGES: usize = 3;

    fn frame(&self) -> PairFrame<X> {
        PairFrame { between: self.between, middle: self.middle, scale: self.scale }
    }

    fn extreme(&self, n: X::Vector) -> [X::Vector; 2] {
        [self.a.extreme(n), self.b.extreme(-n)]
    }

    fn holds(&self, axis: &Axis<X>, margin: f64) -> bool {
        let half = axis.normal * (0.5 * axis.separation);
        self.a.holds(axis.between - half, margin) && self.b.holds(axis.between + half, margin)
    }

    fn patches(&self, normal: X::Vector) -> [Patch<'_, X>; 2] {
        [self.a.patch(normal), self.b.patch(-normal)]
    }

    fn offer(&self, stage: usize, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        match stage {
            0 => self.caps(choice),
            1 => self.sides(near, choice),
            _ => self.rims(near, choice),
        }
    }
}

impl<X: Dim> CylinderPair<X> {
    fn new(a: &Cylinder<X>, b: &Cylinder<X>) -> Self {
        let flipped = !leads::<X>(b.position - a.position);
        let (first, second) = if flipped { (b, a) } else { (a, b) };
        let between = second.position - first.position;
        Self {
            a: Cylinder { position: between * -0.5, ..*first },
            b: Cylinder { position: between * 0.5, ..*second },
            between,
            middle: (a.position + b.position) * 0.5,
            scale: first.reach() + second.reach(),
            flipped,
        }
    }

    fn slab(&self, n: X::Vector) -> f64 {
        n.dot(&self.between) - (self.a.support(n) + self.b.support(n))
    }

    /// `n` or its opposite, whichever points from the first centre to the second.
    fn toward(&self, n: X::Vector) -> X::Vector {
        n * 1f64.copysign(n.dot(&self.between))
    }

    fn caps(&self, choice: &mut AxisChoice<X>) {
        let n = self.toward(self.a.axis);
        let separation = self.slab(n);
        choice.offer_flat(n, separation, || self.b.extreme(-n) - n * (0.5 * separation));
        let n = self.toward(self.b.axis);
        let separation = self.slab(n);
        choice.offer_flat(n, separation, || self.a.extreme(n) + n * (0.5 * separation));
    }

    /// Offers the axes of side with side, and of each side with the rims of the other.
    fn sides(&self, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        let Self { a, b, .. } = self;
        let slack = near.slack(choice.width(), self.scale);
        let depths = [a.depths(near.on[0]), b.depths(near.on[1])];
        if depths[0][2] <= slack && depths[1][2] <= slack {
            let perpendicular = X::across(a.axis, b.axis);
            let norm2 = perpendicular.norm2();
            if norm2 > 1e-24 {
                let n = self.toward(perpendicular * (1.0 / norm2.sqrt()));
                // The point on the second cylinder where its axis passes that of the first.
                let (flat, from) = (a.flat(b.axis), a.flat(b.position - a.position));
                // Beyond an end of either, the nearest points lie on a rim, and the rims have axes of their own.
                let at = -from.dot(&flat) / flat.norm2();
                let on_b = b.position + b.axis * at.clamp(-b.half_length, b.half_length) - n * b.radius;
                let is_on = at.abs() <= b.half_length && a.is_beside(on_b);
                choice.offer(n, f64::INFINITY, || self.slab(n), |s| (on_b - n * (0.5 * s), is_on));
            }
        }
        let cases = [(a, b, depths[0], depths[1], 1.0), (b, a, depths[1], depths[0], -1.0)];
        for (own, other, own_depths, other_depths, sign) in cases {
            if own_depths[2] > slack {
                continue;
            }
            for (k, side) in [(0, -1.0), (1, 1.0)] {
                if other_depths[k] > slack && other_depths[2] > slack {
                    continue;
                }
                let beside = other.rim(side).beside(own.position, own.axis);
                let across = if near.width <= 0.0 { beside.outward_across() } else { None };
                for toward_own in [Some(beside.outward()), across].into_iter().flatten() {
                    // Oriented from the first to the second.
                    let n = toward_own * -sign;
                    let on = other.extreme(toward_own);
                    // The slab may end at the other rim: then that one is nearest, and has an axis of its own.
                    let is_this = toward_own.dot(&other.axis) * side >= -PERPENDICULAR;
                    let is_on = is_this && own.is_beside(on);
                    choice.offer(n, f64::INFINITY, || self.slab(n), |s| (on - n * (0.5 * s * sign), is_on));
                }
            }
        }
    }

    /// Offers the axis of the rims of parallel cylinders, which are nearest on the line of centres projected along the
    /// axes: at small gaps a climb locates it less accurately.
    fn parallel_rims(&self, choice: &mut AxisChoice<X>) {
        let Self { a, b, between, .. } = self;
        let Some(out) = a.radial(*between * (1.0 / between.norm())) else { return };
        if X::across(a.axis, b.axis).norm2() > ALIGNED * ALIGNED {
            return;
        }
        let up = self.toward(a.axis);
        let over = up.dot(between) - (a.half_length + b.half_length);
        let beside = out.dot(between) - (a.radius + b.radius);
        if over.min(beside) < -choice.missed {
            return;
        }
        let (over, beside) = (over.max(0.0), beside.max(0.0));
        let distance = over.hypot(beside);
        let n = if distance > 0.0 { up * (over / distance) + out * (beside / distance) } else { up };
        let on_a = a.position + up * a.half_length + out * a.radius;
        choice.offer(n, f64::INFINITY, || self.slab(n), |s| (on_a + n * (0.5 * s), true));
    }

    fn rims(&self, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        let Self { a, b, .. } = self;
        self.parallel_rims(choice);
        let depths = [a.depths(near.on[0]), b.depths(near.on[1])];
        let guess = choice.round.map_or(near.axis, |axis| axis.normal);
        for (k, side) in [(0, -1.0), (1, 1.0)] {
            for (m, other_side) in [(0, -1.0), (1, 1.0)] {
                let slack = near.slack(choice.width(), self.scale);
                let is_possible = |depths: [f64; 3], k: usize| depths[k] <= slack || depths[2] <= slack;
                if !is_possible(depths[0], k) || !is_possible(depths[1], m) {
                    continue;
                }
                let (rim, other) = (a.rim(side), b.rim(other_side));
                let width = choice.width();
                let mut try_start = |start: X::Vector| {
                    if choice.is_proven(|axis, margin| self.holds(axis, margin)) {
                        return;
                    }
                    if let Some(n) = climb(&rim, &other, start) {
                        choice.offer(
                            n,
                            f64::INFINITY,
                            || self.slab(n),
                            |s| {
                                let is_out = n.dot(&a.axis) * side >= 0.0 && n.dot(&b.axis) * other_side <= 0.0;
                                (a.extreme(n) + n * (0.5 * s), is_out)
                            },
                        );
                    }
                };
                self.tangent_start(near).into_iter().for_each(&mut try_start);
                [near.axis, guess, self.corner_start(side, other_side)].into_iter().for_each(&mut try_start);
                self.pole_starts(side, other_side).into_iter().flatten().for_each(&mut try_start);
                if slack > DEEP * self.scale {
                    // There are several local maxima, and any of them may be the global one.
                    critical_axes(&rim, &other, width, |n| {
                        if n.dot(&a.axis) * side >= -INWARD && n.dot(&b.axis) * other_side <= INWARD {
                            try_start(n);
                        }
                    });
                }
            }
        }
    }

    /// Initial guess perpendicular to the tangents of both rims beside the near points: good at any small gap or
    /// overlap.
    fn tangent_start(&self, near: &NearPoints<X>) -> Option<X::Vector> {
        let tangent = |c: &Cylinder<X>, on: X::Vector| c.radial(on - c.position).map(|out| X::across(c.axis, out));
        let perpendicular = X::across(tangent(&self.a, near.on[0])?, tangent(&self.b, near.on[1])?);
        let norm = perpendicular.norm();
        (norm > 1e-3).then(|| self.toward(perpendicular * (1.0 / norm)))
    }

    /// Initial guess that points out of both rims; between their poles, where these are close to each other.
    fn corner_start(&self, side: f64, other_side: f64) -> X::Vector {
        let Self { a, b, .. } = self;
        let (up, down) = (a.axis * side, b.axis * -other_side);
        let tilt = X::across(up, down);
        let sum = if up.dot(&down) > PARALLEL && tilt.norm2() > 0.0 {
            up + down + tilt
        } else {
            let out = |c: &Cylinder<X>, toward: X::Vector| c.radial(toward).unwrap_or(X::Vector::zero());
            up + down + out(a, self.between) + out(b, self.between)
        };
        let norm = sum.norm();
        if norm > 1e-9 { sum * (1.0 / norm) } else { self.toward(a.axis) }
    }

    /// Initial guesses for nearly coplanar rims, whose widest axis may have any angle to their poles down to their
    /// tilt.
    fn pole_starts(&self, side: f64, other_side: f64) -> [Option<X::Vector>; 4] {
        let (up, down) = (self.a.axis * side, self.b.axis * -other_side);
        let tilt = X::across(up, down).norm();
        let out = self.a.radial(self.between).filter(|_| up.dot(&down) > PARALLEL && tilt > 0.0);
        let root = tilt.sqrt().sqrt();
        [root, root * root, root * root * root, tilt].map(|angle| {
            let n = out.map(|out| up + out * angle);
            n.map(|n| n * (1.0 / n.norm()))
        })
    }

    /// Emits the lowest rim points of either cylinder close above the other along the axis.
    fn near_points(&self, axis: &Axis<X>, alert: f64, emit: &mut impl FnMut(ContactPoint<X>)) {
        let n = axis.normal;
        for (own, other, up, second) in [(&self.a, &self.b, -n, false), (&self.b, &self.a, n, true)] {
            let Some(down) = own.disk(1.0).lowest(-up).map(|low| low - own.cap(1.0)) else { continue };
            for (cap, side) in [(0, -1.0), (1, 1.0)] {
                let low = own.cap(side) + down;
                let Some(height) = other.height(low, up).filter(|h| *h <= alert) else { continue };
                let between = low - up * (0.5 * height);
                if (between - axis.between).norm() > MISSED * self.scale {
                    let feature = PointName::Lowest(cap).number(second);
                    emit(ContactPoint { feature, normal: n, point: self.middle + between, gap: height });
                }
            }
        }
    }
}
