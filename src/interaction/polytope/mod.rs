//! Narrow phase for convex polytopes: contact with polytopes and half-spaces (with spheres: `ball.rs`).
//!
//! In: two posed solids. Out: contact points with gaps up to the alert distance, independent of history. The contact
//! axis is the direction of largest separation (`axis.rs`). It is correct at any gap and under overlap, because every
//! candidate is judged by the empty slab along it. A face normal is preferred unless another axis is wider by more than
//! [`PREFERENCE`] of its separation. If the axis is a face normal, the incident face is the face of the other body that
//! contains its nearest corner and is most opposed to the axis; the sides of the reference face clip it (`clip.rs`).
//! All corners of the overlap within the alert distance are contact points, with gaps along the face normal. Otherwise
//! the contact points are the point between the nearest points, and every corner and crossing of edges within the alert
//! distance (`near.rs`). But where both bodies have a face perpendicular to the axis within 0.1 rad, and two or
//! more corners of the overlap of these faces are within the alert distance, these corners are the contact points; the
//! nearest points are added only if all corners are further apart by 1 % of the gap.
//!
//! Symmetric: exchanging the bodies mirrors the normals and changes no other bit, because all computations are relative
//! to the midpoint between the centres and ties are broken by a fixed direction in space (`axis::leads`). Two
//! concentric bodies are the exception. Names of features list the first body first.

mod axis;
mod ball;
mod candidate_edges;
mod clip;
mod near;
mod nearest;
mod notch;
#[cfg(test)]
pub(super) mod oracle;
#[cfg(test)]
mod tests;
mod view;

use super::manifold::{self, Manifold, PART, intersect};
use super::patch::{PARALLEL, Patch};
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;
use axis::{AxisSource, SeparatingAxis, widest};
use clip::{ClipCorner, ClippedFaces, FEW, MANY, corner_name, single_name};
use near::KnownPoints;
use view::{Contact, SolidPair};

pub use ball::touches_ball;

pub(super) use axis::leads;
pub(super) use candidate_edges::{EdgeSet, candidate_edges};
pub(super) use nearest::ActiveSet;
pub use view::Solid;
pub(super) use view::SolidView;

/// A face normal is the axis unless another axis is wider by more than this fraction of its separation.
pub const PREFERENCE: f64 = 1e-6;
/// Least depth of an overlap of faces, relative to the overlap along the axis, for parts of compounds.
const SHALLOW: f64 = 0.5;
/// Number of points of an overlap above which its surroundings are not searched.
const PATCH: usize = 8;
/// Two faces are equally perpendicular to an axis if the cosines differ by less.
const EQUAL: f64 = 1e-12;

/// Signed distance of two solids, and the unit axis from the first to the second along which it is measured.
pub fn distance<X: Dim>(a: &Solid<X>, b: &Solid<X>) -> (f64, X::Vector) {
    let pair = SolidPair::new(a, b);
    let rounding = a.rounding + b.rounding;
    match widest(&pair, f64::INFINITY, 0.0) {
        Ok(axis) => (axis.separation - rounding, axis.normal),
        Err((axis, width)) => (width - rounding, axis),
    }
}

/// Calls `emit` for each contact point of `a` and `b` with a gap of at most `alert`.
pub fn touches<X: Dim>(a: &Solid<X>, b: &Solid<X>, alert: f64, mut emit: impl FnMut(ContactPoint<X>)) {
    let limit = alert + (a.rounding + b.rounding);
    if (b.position - a.position).norm() > a.reach() + b.reach() + limit {
        return;
    }
    let pair = SolidPair::new(a, b);
    // Rounded edges need no preference: the normal varies continuously from face to edge.
    let relative = if a.rounding + b.rounding > 0.0 { 0.0 } else { PREFERENCE };
    let Ok(axis) = widest(&pair, limit, relative) else { return };
    let contact = Contact { pair: &pair, limit, rounding: [a.rounding, b.rounding] };
    if a.polytope.faces.is_empty() || b.polytope.faces.is_empty() {
        return contact.lines(&axis, alert, &mut emit);
    }
    match axis.source {
        AxisSource::FaceOfA(face) => {
            let incident = incident_face(&pair.b, axis.normal);
            contact.patch(&axis, [face, incident], false, &mut emit);
        }
        AxisSource::FaceOfB(face) => {
            let incident = incident_face(&pair.a, -axis.normal);
            contact.patch(&axis, [incident, face], true, &mut emit);
        }
        AxisSource::Between { on_a, on_b, corners } => {
            let (of_a, cosine_a) = most_aligned_face(&pair.a, axis.normal);
            let (of_b, cosine_b) = most_aligned_face(&pair.b, -axis.normal);
            let reference_second =
                cosine_b > cosine_a + EQUAL || (cosine_b >= cosine_a - EQUAL && !leads::<X>(axis.normal));
            let mut deepest = f64::INFINITY;
            let mut tracked = |touch: ContactPoint<X>| {
                deepest = deepest.min(touch.gap);
                emit(touch);
            };
            let flat = cosine_a.min(cosine_b) >= PARALLEL
                && contact.faces(of_a, of_b, reference_second, (2, f64::INFINITY), &mut tracked);
            let gap = axis.separation - (a.rounding + b.rounding);
            if !flat || deepest > gap + PART * gap.abs() {
                contact.single(&axis, (on_a + on_b) * 0.5, single_name(corners), &mut emit);
            }
            if !flat {
                contact.near(&axis, &KnownPoints { points: &[on_a, on_b], beside: 0 }, &mut emit);
            }
        }
    }
    let used = match axis.source {
        AxisSource::FaceOfA(face) => Some((face, false)),
        AxisSource::FaceOfB(face) => Some((face, true)),
        AxisSource::Between { .. } => None,
    };
    contact.notches(used, &mut emit);
}

/// Calls `emit` for each corner of `a` with a gap of at most `alert` to the half-space behind the plane through `point`
/// with the unit normal `outward`. The contact normal points into the half-space.
pub fn touches_half_space<X: Dim>(
    a: &Solid<X>,
    point: X::Vector,
    outward: X::Vector,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let view = SolidView::new(a, X::Vector::zero());
    let height = outward.dot(&(a.position - point)) - a.rounding;
    let direction = view.to_body(outward) * a.size;
    for (i, vertex) in a.polytope.vertices.iter().enumerate() {
        let gap = height + direction.dot(vertex);
        if gap <= alert {
            let corner = a.position + view.corner(i as u32);
            let point = corner - outward * (a.rounding + 0.5 * gap);
            emit(ContactPoint { feature: i as u64, normal: -outward, point, gap });
        }
    }
}

/// The face that contains the corner of `view` farthest against `normal` and is most opposed to it.
fn incident_face<X: Dim>(view: &SolidView<X>, normal: X::Vector) -> usize {
    let (corner, _) = view.support(-normal);
    let against = view.to_body(-normal);
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (k, face) in view.polytope.faces.iter().enumerate() {
        let cosine = face.normal.dot(&against);
        if cosine > most && face.corners.contains(&corner) {
            (best, most) = (k, cosine);
        }
    }
    best
}

/// The face whose normal is closest to `direction`, and the cosine of the angle between them.
fn most_aligned_face<X: Dim>(view: &SolidView<X>, direction: X::Vector) -> (usize, f64) {
    let direction = view.to_body(direction);
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (k, face) in view.polytope.faces.iter().enumerate() {
        let cosine = face.normal.dot(&direction);
        if cosine > most {
            (best, most) = (k, cosine);
        }
    }
    (best, most)
}

impl<X: Dim> Contact<'_, '_, X> {
    /// Emits the overlap of two faces, and the features around it that touch next.
    fn patch(
        &self,
        axis: &SeparatingAxis<X>,
        faces: [usize; 2],
        reference_second: bool,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let (mut count, mut known) = (0, [X::Vector::zero(); PATCH]);
        let mut recorded = |touch: ContactPoint<X>| {
            if count < PATCH {
                // Projected back onto the first body.
                known[count] = touch.point - self.pair.middle - axis.normal * (0.5 * touch.gap + self.rounding[0]);
            }
            count += 1;
            emit(touch);
        };
        // For parts of compounds only some faces count: if the overlap on this face is much shallower than the slab,
        // the face is not the exit.
        let is_part = !(self.pair.a.polytope.seams.is_empty() && self.pair.b.polytope.seams.is_empty());
        let highest = if is_part && axis.separation < 0.0 { SHALLOW * axis.separation } else { f64::INFINITY };
        if !self.faces(faces[0], faces[1], reference_second, (1, highest), &mut recorded) {
            self.nearest_corner(axis, &self.pairing(faces[0], faces[1], reference_second), &mut recorded);
        }
        if count <= PATCH && (count > 0 || !is_part) {
            self.near(axis, &KnownPoints { points: &known[..count], beside: 1 << 29 }, emit);
        }
    }

    /// Assigns the roles of reference and incident face.
    fn pairing(&self, of_a: usize, of_b: usize, reference_second: bool) -> ClippedFaces<'_, '_, X> {
        let SolidPair { a, b, scale, .. } = self.pair;
        if reference_second {
            let normal = b.normal(of_b);
            ClippedFaces {
                reference: b,
                reference_face: of_b,
                incident: a,
                incident_face: of_a,
                normal,
                reference_second: true,
                scale: *scale,
            }
        } else {
            let normal = a.normal(of_a);
            ClippedFaces {
                reference: a,
                reference_face: of_a,
                incident: b,
                incident_face: of_b,
                normal,
                reference_second: false,
                scale: *scale,
            }
        }
    }

    /// Emits the overlap of a face of each body, unless it has fewer points than the first value of `least` or lies
    /// entirely above the second; returns whether it did.
    fn faces(
        &self,
        of_a: usize,
        of_b: usize,
        reference_second: bool,
        least: (usize, f64),
        emit: &mut impl FnMut(ContactPoint<X>),
    ) -> bool {
        let faces = self.pairing(of_a, of_b, reference_second);
        let capacity = faces.capacity();
        if capacity <= FEW {
            let (mut buffer, mut scratch) = ([ClipCorner::blank(); FEW], [ClipCorner::blank(); FEW]);
            self.overlap(&faces, &mut buffer, &mut scratch, least, emit)
        } else if capacity <= MANY {
            let (mut buffer, mut scratch) = ([ClipCorner::blank(); MANY], [ClipCorner::blank(); MANY]);
            self.overlap(&faces, &mut buffer, &mut scratch, least, emit)
        } else {
            let (mut first, mut scratch) = (vec![ClipCorner::blank(); capacity], vec![ClipCorner::blank(); capacity]);
            self.overlap(&faces, &mut first, &mut scratch, least, emit)
        }
    }

    fn overlap(
        &self,
        faces: &ClippedFaces<X>,
        buffer: &mut [ClipCorner<X>],
        scratch: &mut [ClipCorner<X>],
        (least, highest): (usize, f64),
        emit: &mut impl FnMut(ContactPoint<X>),
    ) -> bool {
        let corners = faces.overlap(self.limit, buffer, scratch);
        let [a, b] = self.rounding;
        let (own, other) = if faces.reference_second { (b, a) } else { (a, b) };
        let normal = if faces.reference_second { -faces.normal } else { faces.normal };
        if corners.len() < least || corners.iter().all(|corner| corner.height > highest) {
            return false;
        }
        for corner in corners {
            // Half-way between the surfaces, from the incident face down to the reference face.
            let point = self.pair.middle + (corner.point - faces.normal * (0.5 * (corner.height - (own - other))));
            emit(ContactPoint { feature: corner.feature.into(), normal, point, gap: corner.height - (own + other) });
        }
        true
    }

    /// Emits the overlap of a line with a face or line, and the nearest point if the overlap misses it.
    fn lines(&self, axis: &SeparatingAxis<X>, alert: f64, emit: &mut impl FnMut(ContactPoint<X>)) {
        let SolidPair { a, b, scale, middle, .. } = self.pair;
        let normal = axis.normal;
        let parts = [Patch::of_polytope(a, -normal, self.rounding[0]), Patch::of_polytope(b, normal, self.rounding[1])];
        let manifold = Manifold { normal, limit: alert, scale: *scale, middle: *middle, flipped: false };
        let (count, deepest) = intersect(&manifold, &parts[0], &parts[1], emit);
        let gap = axis.separation - (self.rounding[0] + self.rounding[1]);
        let nearest = match axis.source {
            AxisSource::FaceOfA(_) => {
                let corner = b.corner(b.support(-normal).0);
                [corner - normal * axis.separation, corner]
            }
            AxisSource::FaceOfB(_) => {
                let corner = a.corner(a.support(normal).0);
                [corner, corner + normal * axis.separation]
            }
            AxisSource::Between { on_a, on_b, .. } => [on_a, on_b],
        };
        if count == 0 || deepest > gap + (manifold::MISSED * scale).max(PART * gap.abs()) {
            self.single(axis, (nearest[0] + nearest[1]) * 0.5, single_name([0, 0]), emit);
        }
        if count == 0 {
            let known = KnownPoints { points: &nearest, beside: 0 };
            self.near_corners(axis, &self.sides(axis), &known, emit);
        }
    }

    /// Emits the deepest corner alone, where the overlap of the faces misses it because edges just pass each other.
    fn nearest_corner(
        &self,
        axis: &SeparatingAxis<X>,
        faces: &ClippedFaces<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let (_, i, j) = self.pair.separation(axis.normal);
        let (point, feature) = if faces.reference_second {
            (self.pair.a.corner(i) + axis.normal * (0.5 * axis.separation), corner_name(i, false))
        } else {
            (self.pair.b.corner(j) - axis.normal * (0.5 * axis.separation), corner_name(j, true))
        };
        if faces.is_under(point, self.limit) {
            self.single(axis, point, feature, emit);
        }
    }

    /// Emits one point; `between` is half-way between the polytopes.
    fn single(
        &self,
        axis: &SeparatingAxis<X>,
        between: X::Vector,
        feature: u32,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let [a, b] = self.rounding;
        let point = self.pair.middle + (between + axis.normal * (0.5 * (a - b)));
        emit(ContactPoint { feature: feature.into(), normal: axis.normal, point, gap: axis.separation - (a + b) });
    }
}
