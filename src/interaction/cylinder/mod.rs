//! Narrow phase for cylinders: contact with half-spaces, spheres, polytopes, capsules, cylinders and the inside of
//! drums.
//!
//! In: posed bodies. Out: contact points with gaps up to the alert distance, independent of history. The contact axis
//! is the direction of largest separation over all unit vectors: s(n) = n.(c_b - c_a) - h_a(n) - h_b(-n), for a
//! cylinder h(n) = l |n.a| + r |n - a(n.a)|. Its critical axes are those of caps and faces, of the side (perpendicular
//! to the cylinder axis) with corners, edges and rims, and of rims with corners, edges and rims; each has a closed or
//! one-dimensional form (`rim.rs`; two rims: `rims.rs`, `critical_axes.rs`). Approximate nearest points (`near.rs`)
//! rule out most features; the remaining candidates are compared by the slab along them, so a bad candidate is never
//! chosen.
//!
//! Contact points: where both bodies have patches perpendicular to the axis within 0.1 rad, the corners of the overlap
//! of these patches (`../manifold.rs`); if these miss the nearest point, that point too; and if there are none, also
//! the corners and lowest rim points within the alert distance of the other body along the axis, which touch next.

mod critical_axes;
mod hollow;
mod near;
#[cfg(test)]
mod oracle;
mod pair;
#[cfg(test)]
mod pair_tests;
mod rim;
mod rims;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wall_tests;
mod with_cylinder;
mod with_polytope;

use super::manifold::MISSED;
use super::patch::{CROSSED, DiskPatch, LinePatch, PARALLEL, Patch, PointName, SPOKES};
use crate::dim::{Dim, Orientation, Vector};
use crate::interaction::contact_point::ContactPoint;
use rim::Rim;

pub use hollow::{Hollow, touches_hollow};
pub use with_cylinder::{distance_to_cylinder, touches_cylinder};
pub use with_polytope::{distance_to_polytope, touches_polytope};

/// Cosine to an axis below which a line counts as parallel to a cap or side.
const STEEP: f64 = 1e-9;

/// Angle (radians) to the axis below which a direction counts as along it.
const ALONG: f64 = 1e-14;

/// A cylinder with its pose. Its axis is the last body axis.
#[derive(Clone, Copy, Debug)]
pub struct Cylinder<X: Dim> {
    /// Unit vector along its axis, in world axes.
    pub axis: X::Vector,
    /// Half of its length, m.
    pub half_length: f64,
    /// Radius, m.
    pub radius: f64,
    /// Its centre, m.
    pub position: X::Vector,
    /// From body axes to world axes.
    pub orientation: X::Orientation,
}

impl<X: Dim> Cylinder<X> {
    /// A cylinder at `position` whose axis is the last of the body axes.
    pub fn new(position: X::Vector, orientation: X::Orientation, half_length: f64, radius: f64) -> Self {
        let axis = orientation.rotate(X::Vector::axis(X::D - 1));
        let axis = axis * (1.0 / axis.norm());
        Self { axis, half_length, radius, position, orientation }
    }

    /// The component of `v` perpendicular to the axis.
    #[inline]
    fn flat(&self, v: X::Vector) -> X::Vector {
        v - self.axis * v.dot(&self.axis)
    }

    /// Support function: how far the cylinder extends from its centre along the unit vector `n`.
    #[inline]
    fn support(&self, n: X::Vector) -> f64 {
        self.half_length * n.dot(&self.axis).abs() + self.radius * self.flat(n).norm()
    }

    /// The point farthest along `n`; if it is not unique, the centre of a cap, but an end of the side.
    #[inline]
    fn extreme(&self, n: X::Vector) -> X::Vector {
        let cap = self.cap(1f64.copysign(n.dot(&self.axis)));
        self.radial(n).map_or(cap, |out| cap + out * self.radius)
    }

    /// The unit vector perpendicular to the axis nearest to the unit vector `n`; `None` along the axis.
    #[inline]
    fn radial(&self, n: X::Vector) -> Option<X::Vector> {
        // Projects twice: what remains of a direction near the axis is mostly rounding.
        let flat = self.flat(n);
        let flat = self.flat(flat);
        let norm = flat.norm();
        (norm > ALONG).then(|| flat * (1.0 / norm))
    }

    /// Centre of the cap on side +1 or -1.
    #[inline]
    fn cap(&self, side: f64) -> X::Vector {
        self.position + self.axis * (side * self.half_length)
    }

    fn rim(&self, side: f64) -> Rim<X> {
        Rim { centre: self.cap(side), axis: self.axis, radius: self.radius }
    }

    /// Radius of the bounding sphere.
    fn reach(&self) -> f64 {
        self.half_length.hypot(self.radius)
    }

    fn disk(&self, side: f64) -> DiskPatch<X> {
        let spoke = self.orientation.rotate(X::Vector::axis(0));
        DiskPatch {
            centre: self.cap(side),
            outward: self.axis * side,
            radius: self.radius,
            spokes: [spoke, X::across(self.axis, spoke)],
            cap: u32::from(side > 0.0),
        }
    }

    /// The flat patch in direction `n`.
    fn patch(&self, n: X::Vector) -> Patch<'static, X> {
        let square = n.dot(&self.axis);
        if square.abs() >= PARALLEL {
            Patch::Disk(self.disk(1f64.copysign(square)))
        } else if square.abs() <= CROSSED {
            let ends = [self.cap(-1.0), self.cap(1.0)];
            Patch::Line(LinePatch {
                ends,
                names: [PointName::Lowest(0), PointName::Lowest(1)],
                radius: self.radius,
                round: false,
            })
        } else {
            Patch::Point
        }
    }

    /// Depth of `point` below cap -1, cap +1 and the side.
    fn depths(&self, point: X::Vector) -> [f64; 3] {
        let from = point - self.position;
        let along = from.dot(&self.axis);
        [self.half_length + along, self.half_length - along, self.radius - self.flat(from).norm()]
    }

    /// Is `point` between the planes of the caps?
    fn is_beside(&self, point: X::Vector) -> bool {
        (point - self.position).dot(&self.axis).abs() <= self.half_length
    }

    /// Is `point` inside, or no farther outside than `margin`?
    fn holds(&self, point: X::Vector, margin: f64) -> bool {
        self.depths(point).iter().all(|depth| *depth >= -margin)
    }

    /// Height of `point` above the surface along the unit vector `up`; `None` where no line along `up` meets the body.
    fn height(&self, point: X::Vector, up: X::Vector) -> Option<f64> {
        let from = point - self.position;
        let (along, slope) = (from.dot(&self.axis), up.dot(&self.axis));
        let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
        if slope.abs() > STEEP {
            let (s, t) = ((along - self.half_length) / slope, (along + self.half_length) / slope);
            (enter, leave) = (s.min(t), s.max(t));
        } else if along.abs() > self.half_length {
            return None;
        }
        let (flat, rise) = (self.flat(from), self.flat(up));
        let (aa, ab, bb) = (rise.norm2(), rise.dot(&flat), flat.norm2() - self.radius * self.radius);
        if aa > STEEP * STEEP {
            let root = ab * ab - aa * bb;
            if root < 0.0 {
                return None;
            }
            (enter, leave) = (enter.max((ab - root.sqrt()) / aa), leave.min((ab + root.sqrt()) / aa));
        } else if bb > 0.0 {
            return None;
        }
        (enter <= leave).then_some(enter)
    }
}

/// Calls `emit` for each contact point of `a` with the half-space behind the plane through `point` with the unit normal
/// `outward`: when standing on a cap, the rim points fixed to the body and the lowest one; otherwise the lowest points
/// of both rims, which are the ends of the lowest line of the side. The contact normal points into the half-space.
pub fn touches_half_space<X: Dim>(
    a: &Cylinder<X>,
    point: X::Vector,
    outward: X::Vector,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let origin = a.position;
    let height = outward.dot(&(origin - point));
    if height - a.support(outward) > alert {
        return;
    }
    let local = Cylinder { position: X::Vector::zero(), ..*a };
    let mut emit_point = |low: X::Vector, name: PointName| {
        let gap = height + outward.dot(&low);
        let is_near = gap <= alert;
        if is_near {
            let point = origin + (low - outward * (0.5 * gap));
            emit(ContactPoint { feature: name.number(false), normal: -outward, point, gap });
        }
        is_near
    };
    let slope = outward.dot(&a.axis);
    if slope.abs() >= PARALLEL {
        let disk = local.disk(-1f64.copysign(slope));
        let mut is_standing = false;
        for k in 0..SPOKES {
            is_standing |= emit_point(disk.spoke(k), PointName::Spoke(disk.cap * SPOKES as u32 + k as u32));
        }
        // With a very small tilt, the lowest point may be the only one in contact.
        let small_tilt = || local.radial(-outward).filter(|_| !is_standing).map(|out| disk.centre + out * a.radius);
        if let Some(low) = disk.lowest(-outward).or_else(small_tilt) {
            emit_point(low, PointName::Lowest(disk.cap));
        }
    } else {
        let flat = a.flat(outward);
        let down = flat * (-a.radius / flat.norm());
        emit_point(local.cap(-1.0) + down, PointName::Lowest(0));
        emit_point(local.cap(1.0) + down, PointName::Lowest(1));
    }
}

/// Calls `emit` for the contact point of `a` and a sphere, if its gap is at most `alert`. A centre inside the cylinder
/// leaves through the nearest of caps and side.
pub fn touches_ball<X: Dim>(
    a: &Cylinder<X>,
    centre: X::Vector,
    radius: f64,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let (separation, normal) = distance_to_point(a, centre);
    let gap = separation - radius;
    if gap <= alert {
        let point = centre - normal * (radius + 0.5 * gap);
        emit(ContactPoint { feature: PointName::Single.number(false), normal, point, gap });
    }
}

/// Signed distance of a point from the surface, and the outward unit normal towards it.
pub fn distance_to_point<X: Dim>(a: &Cylinder<X>, point: X::Vector) -> (f64, X::Vector) {
    let from = point - a.position;
    let along = from.dot(&a.axis);
    let up = a.axis * 1f64.copysign(along);
    let flat = a.flat(from);
    let far = flat.norm();
    let (over, beside) = (along.abs() - a.half_length, far - a.radius);
    // On the axis all radial directions are equivalent; take one fixed to the body.
    let out = if far > 0.0 { flat * (1.0 / far) } else { a.orientation.rotate(X::Vector::axis(0)) };
    if over > 0.0 && beside > 0.0 {
        let away = up * over + out * beside;
        let distance = away.norm();
        (distance, away * (1.0 / distance))
    } else if over > beside {
        (over, up)
    } else {
        (beside, out)
    }
}

/// Distance of two bodies, with its axis and location.
#[derive(Clone, Copy, Debug)]
pub struct Separation<X: Dim> {
    /// Signed distance, m.
    pub distance: f64,
    /// Unit axis along which it is measured, from the first body to the second.
    pub normal: X::Vector,
    /// Midpoint between the nearest points, m.
    pub point: X::Vector,
}

/// An axis from the first body to the second.
#[derive(Clone, Copy, Debug)]
struct Axis<X: Dim> {
    normal: X::Vector,
    separation: f64,
    /// Midpoint between the nearest points, relative to the midpoint between the centres.
    between: X::Vector,
}

/// The candidate axes; axes of flat parts are preferred.
struct AxisChoice<X: Dim> {
    flat: Option<Axis<X>>,
    round: Option<Axis<X>>,
    /// Do the nearest points of `round` lie on the features that define it?
    is_proper: bool,
    noise: f64,
    /// Tolerance on the distance of the features of an axis from the tangent planes of the bodies.
    tangency: f64,
    /// How much narrower the second choice may be.
    missed: f64,
    /// Width below which an axis does not count at all.
    floor: f64,
}

/// Rounding error of a separation, relative to the scale.
const NOISE: f64 = 1e-15;
/// Differences of widths below this multiple of the noise may be due to rounding.
const UNCERTAIN: f64 = 4.0;

impl<X: Dim> AxisChoice<X> {
    fn new(scale: f64, width: f64) -> Self {
        let (noise, tangency, missed) = (NOISE * scale, 1e-9 * scale, MISSED * scale);
        Self { flat: None, round: None, is_proper: false, noise, tangency, missed, floor: width - 1e-13 * scale }
    }

    /// The widest slab known.
    fn width(&self) -> f64 {
        let of = |axis: &Option<Axis<X>>| axis.as_ref().map_or(self.floor, |a| a.separation);
        self.floor.max(of(&self.flat)).max(of(&self.round))
    }

    /// Has an axis been found whose nearest points lie on both bodies, according to `holds`? For separated bodies no
    /// other axis can be wider.
    fn is_proven(&self, holds: impl Fn(&Axis<X>, f64) -> bool) -> bool {
        let proves = |axis: Option<Axis<X>>| axis.is_some_and(|a| a.separation > 0.0 && holds(&a, self.noise));
        proves(self.round) || proves(self.flat)
    }

    /// Offers the axis of a cap or face with unit normal `normal` and this separation.
    fn offer_flat(&mut self, normal: X::Vector, separation: f64, between: impl FnOnce() -> X::Vector) {
        if self.flat.is_none_or(|known| separation > known.separation + self.noise) {
            self.flat = Some(Axis { normal, separation, between: between() });
        }
    }

    /// Offers another axis. `bound` is an upper bound of its separation that is cheaper to compute: the separation of
    /// its defining features alone. `between` also returns whether the nearest points lie on these features. If they do
    /// not, the axis is accepted only if it is measurably wider, since at small gaps widths hardly determine
    /// directions.
    fn offer(
        &mut self,
        normal: X::Vector,
        bound: f64,
        separation: impl FnOnce() -> f64,
        between: impl FnOnce(f64) -> (X::Vector, bool),
    ) {
        let known = self.round.map_or(f64::NEG_INFINITY, |known| known.separation);
        if bound.is_nan() || bound < self.floor || bound < known - UNCERTAIN * self.noise {
            return;
        }
        let separation = separation();
        // Otherwise the slab ends at other features: if it counts, those features produce it.
        let is_near = bound.is_infinite() || bound - separation <= self.tangency;
        if !is_near || separation < self.floor || separation < known - UNCERTAIN * self.noise {
            return;
        }
        let (between, is_on) = between(separation);
        let is_proper = is_on && (bound.is_infinite() || bound - separation <= UNCERTAIN * self.noise);
        let margin = match (is_proper, self.is_proper) {
            (true, false) => -UNCERTAIN,
            (false, true) => UNCERTAIN,
            _ => 1.0,
        };
        if separation > known + margin * self.noise {
            self.round = Some(Axis { normal, separation, between });
            self.is_proper = is_proper;
        }
    }

    /// Selects the flat axis unless the other is wider by more than `relative` of its separation; `fallback` if there
    /// is none or it is wider than both. Where the nearest points of the flat axis do not lie on both bodies, according
    /// to `holds`, flat parts overlap or just miss each other. The second axis is for that case: the other axis if it
    /// is nearly as wide, else the same axis at the points found by `nearest`.
    fn decide(
        self,
        relative: f64,
        fallback: Axis<X>,
        holds: impl Fn(&Axis<X>, f64) -> bool,
        nearest: impl FnOnce() -> X::Vector,
    ) -> (Axis<X>, Option<Axis<X>>) {
        let slack = |a: &Axis<X>| self.noise + relative * a.separation.abs();
        // For separated bodies no axis is wider than one whose nearest points lie on both, even where rounding hides
        // it.
        let is_on = |axis: &Axis<X>| holds(axis, UNCERTAIN * self.noise);
        let is_nearest = |round: &Axis<X>, flat: &Axis<X>| {
            let is_proven = relative == 0.0 && self.is_proper && round.separation > 0.0;
            is_proven && round.separation >= flat.separation - self.noise && is_on(round) && !is_on(flat)
        };
        let best = match (self.flat, self.round) {
            (Some(flat), Some(round)) if is_nearest(&round, &flat) => round,
            (Some(flat), Some(round)) if round.separation > flat.separation + slack(&round) => round,
            (Some(flat), _) => flat,
            (None, Some(round)) => round,
            (None, None) => fallback,
        };
        if fallback.separation > best.separation + slack(&fallback).max(10.0 * self.noise) {
            return (fallback, None);
        }
        if holds(&best, self.missed) {
            return (best, None);
        }
        let near = self.round.filter(|r| r.separation >= best.separation - self.missed && holds(r, self.missed));
        (best, near.or_else(|| Some(Axis { between: nearest(), ..best })))
    }
}
