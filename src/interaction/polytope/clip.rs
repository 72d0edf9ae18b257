//! Overlap of two faces: one clipped by the sides of the other (Sutherland and Hodgman, 1974).
//!
//! In: a reference face, whose normal is the axis, and an incident face of the other body. Out: every corner of their
//! overlap, on the incident face, with its height above the reference face and a name. In the plane a face is a polygon
//! of two corners.
//!
//! Names: a corner of the overlap is a corner of either face or a crossing of an edge of each, whichever face is the
//! reference, so the name persists when the two faces exchange roles. A corner of the incident face no further than
//! [`INSIDE`] past a side counts as inside: bodies stacked flush keep their corners while they creep.

use super::view::SolidView;
use crate::dim::{Dim, Vector};

/// Distance past a side, relative to the scale, up to which a point counts as inside.
const INSIDE: f64 = 1e-6;
/// Distance past a side, relative to the height, up to which the nearest corner may lie where a face normal is
/// preferred to its direction.
const ASIDE: f64 = 2e-3;
/// Distance, relative to the scale, below which points are merged: the lowest is kept; of equals a corner rather than a
/// crossing, else the first.
const MERGED: f64 = 1e-9;
/// Difference, relative to the scale, below which heights are equal.
const NOISE: f64 = 1e-15;
/// Total number of corners of two faces up to which a small stack buffer suffices.
pub(super) const FEW: usize = 16;
/// Total number of corners up to which a larger stack buffer suffices.
pub(super) const MANY: usize = 64;

/// No side.
const NONE: u16 = u16::MAX;

/// A corner of the polygon being clipped.
#[derive(Clone, Copy)]
pub(super) struct ClipCorner<X: Dim> {
    /// On the incident face, relative to the midpoint.
    pub(super) point: X::Vector,
    /// Height above the reference face, m.
    pub(super) height: f64,
    /// Name of the features in contact.
    pub(super) feature: u32,
    /// The line that leaves this corner.
    line: ClipLine,
    /// Sides of the reference face that this corner lies on.
    sides: [u16; 2],
}

#[derive(Clone, Copy)]
enum ClipLine {
    /// Edge of the incident face that starts at its corner of that number.
    Incident(u16),
    /// Side of the reference face that starts at its corner of that number.
    Reference(u16),
}

impl<X: Dim> ClipCorner<X> {
    /// A placeholder that fills buffers.
    pub(super) fn blank() -> Self {
        Self { point: X::Vector::zero(), height: 0.0, feature: 0, line: ClipLine::Incident(0), sides: [NONE; 2] }
    }
}

/// The name of a corner of the first or the second body.
pub(super) fn corner_name(corner: u32, of_second: bool) -> u32 {
    corner & 0x3fff_ffff | u32::from(of_second) << 30
}

/// The name of the crossing of an edge of each face; an edge is named by its first corner around the face.
pub(super) fn crossing_name(of_first: u32, of_second: u32) -> u32 {
    2 << 30 | (of_first & 0x7fff) << 15 | of_second & 0x7fff
}

/// The name of the single point between a corner or edge of each body.
pub(super) fn single_name(corners: [u32; 2]) -> u32 {
    3 << 30 | (corners[0] & 0x7fff) << 15 | corners[1] & 0x7fff
}

/// A reference face and the incident face that it clips.
pub(super) struct ClippedFaces<'a, 'b, X: Dim> {
    pub(super) reference: &'a SolidView<'b, X>,
    pub(super) reference_face: usize,
    pub(super) incident: &'a SolidView<'b, X>,
    pub(super) incident_face: usize,
    /// Outward unit normal of the reference face.
    pub(super) normal: X::Vector,
    /// Does the reference face belong to the second body?
    pub(super) reference_second: bool,
    /// The scale of the pair, m.
    pub(super) scale: f64,
}

impl<X: Dim> ClippedFaces<'_, '_, X> {
    /// The largest number of corners that an overlap can have.
    pub(super) fn capacity(&self) -> usize {
        self.corners().0.len() + self.corners().1.len()
    }

    fn corners(&self) -> (&[u32], &[u32]) {
        let reference = &self.reference.polytope.faces[self.reference_face].corners;
        (reference, &self.incident.polytope.faces[self.incident_face].corners)
    }

    /// Corners of the overlap no higher than `limit`, in `buffer`; `scratch` has the same length, at least
    /// [`capacity`](Self::capacity).
    pub(super) fn overlap<'r>(
        &self,
        limit: f64,
        mut buffer: &'r mut [ClipCorner<X>],
        mut scratch: &'r mut [ClipCorner<X>],
    ) -> &'r [ClipCorner<X>] {
        let (reference, incident) = self.corners();
        let mut count = incident.len();
        for (k, &corner) in incident.iter().enumerate() {
            buffer[k] = ClipCorner { point: self.incident.corner(corner), ..ClipCorner::blank() };
            buffer[k].line = ClipLine::Incident(k as u16);
        }
        let sides = reference.len();
        let mut from = self.reference.corner(reference[0]);
        let origin = from;
        for side in 0..sides {
            let to = if side + 1 == sides { origin } else { self.reference.corner(reference[side + 1]) };
            let edge = to - from;
            let out = X::beyond(edge, self.normal) * (1.0 / edge.norm());
            let end = to + out * if self.continues(reference, side) { limit.max(0.0) } else { 0.0 };
            if self.clip_side(out, end, side as u16, &mut buffer[..count], scratch, &mut count) {
                std::mem::swap(&mut buffer, &mut scratch);
            }
            from = to;
        }
        self.name_and_merge(origin, limit, count, buffer, scratch)
    }

    /// Does `point` lie above the reference face, or no further past it than the overlap may extend? Tested for parts
    /// of compounds only: for whole bodies it always does.
    pub(super) fn is_under(&self, point: X::Vector, limit: f64) -> bool {
        let is_whole = [self.reference, self.incident].iter().all(|view| view.polytope.seams.is_empty());
        is_whole || self.is_past(point, limit).is_some()
    }

    /// Does `point` lie past the reference face in a notch, by no more than `limit`, rather than above the face? `None`
    /// if it does neither.
    pub(super) fn is_past(&self, point: X::Vector, limit: f64) -> Option<bool> {
        let reference = self.corners().0;
        let height = self.normal.dot(&(point - self.reference.corner(reference[0])));
        let aside = INSIDE * self.scale + ASIDE * height.abs();
        let mut in_notch = false;
        for side in 0..reference.len() {
            let next = reference[if side + 1 == reference.len() { 0 } else { side + 1 }];
            let [from, to] = [reference[side], next].map(|corner| self.reference.corner(corner));
            let edge = to - from;
            let past = X::beyond(edge, self.normal).dot(&(point - to)) / edge.norm();
            if past > aside {
                if past > limit || !self.continues(reference, side) {
                    return None;
                }
                in_notch = true;
            }
        }
        Some(in_notch)
    }

    /// Does another part of the same body rise beyond this side of the reference face? Then points in the notch between
    /// the two parts, no further away than a body can move in a step, are not cut off.
    fn continues(&self, reference: &[u32], side: usize) -> bool {
        let polytope = self.reference.polytope;
        if polytope.seams.is_empty() {
            return false;
        }
        let normal = polytope.faces[self.reference_face].normal;
        let next = reference[(side + 1) % reference.len()];
        // In the plane a side is a corner.
        let ends = if reference.len() == 2 { [next, next] } else { [reference[side], next] };
        ends.iter().all(|&corner| !polytope.admits(corner, normal))
    }

    /// Cuts off what lies past `through` along `out`. Returns true if the remaining polygon is in `rest`, false if
    /// nothing was cut and `polygon` is unchanged.
    fn clip_side(
        &self,
        out: X::Vector,
        through: X::Vector,
        side: u16,
        polygon: &mut [ClipCorner<X>],
        rest: &mut [ClipCorner<X>],
        count: &mut usize,
    ) -> bool {
        let inside = INSIDE * self.scale;
        let mut cut = false;
        for corner in polygon.iter_mut() {
            // The height is not known yet: its field stores the distance past this side.
            corner.height = out.dot(&(corner.point - through));
            cut |= corner.height > inside;
            if corner.height.abs() <= inside {
                corner.sides = [corner.sides[1], side];
            }
        }
        if !cut {
            return false;
        }
        let mut kept = 0;
        let mut keep = |corner: ClipCorner<X>| {
            if kept < rest.len() {
                rest[kept] = corner;
                kept += 1;
            }
        };
        for i in 0..polygon.len() {
            let (here, next) = (polygon[i], polygon[if i + 1 == polygon.len() { 0 } else { i + 1 }]);
            let crossing = || {
                let t = (here.height / (here.height - next.height)).clamp(0.0, 1.0);
                // The inner end is the base point, so that a cut gives the same point from either direction.
                let point = if here.height <= next.height {
                    here.point + (next.point - here.point) * t
                } else {
                    next.point + (here.point - next.point) * (1.0 - t)
                };
                // Of the sides met so far, the crossing lies on those that both ends lie on.
                let earlier = here.sides.into_iter().find(|s| *s != side && *s != NONE && next.sides.contains(s));
                ClipCorner { point, sides: [earlier.unwrap_or(NONE), side], ..here }
            };
            if here.height <= inside {
                keep(here);
                if next.height > inside {
                    keep(ClipCorner { line: ClipLine::Reference(side), ..crossing() });
                }
            } else if next.height <= inside {
                keep(crossing());
            }
        }
        *count = kept;
        true
    }

    /// Computes heights and names, and merges coincident points; returns the corners that remain.
    fn name_and_merge<'r>(
        &self,
        on_reference: X::Vector,
        limit: f64,
        count: usize,
        buffer: &'r mut [ClipCorner<X>],
        scratch: &'r mut [ClipCorner<X>],
    ) -> &'r [ClipCorner<X>] {
        let noise = NOISE * self.scale;
        let merged = (MERGED * self.scale) * (MERGED * self.scale);
        let mut kept = 0;
        for i in 0..count {
            let mut corner = buffer[i];
            corner.height = self.normal.dot(&(corner.point - on_reference));
            if corner.height > limit {
                continue;
            }
            let before = buffer[if i == 0 { count - 1 } else { i - 1 }].line;
            corner.feature = self.name(before, &corner);
            let duplicate = (0..kept).find(|&k| (scratch[k].point - corner.point).norm2() <= merged);
            match duplicate {
                Some(k) => {
                    let (lower, named) = (scratch[k].height - corner.height, !is_crossing(corner.feature));
                    if lower > noise || (lower >= -noise && is_crossing(scratch[k].feature) && named) {
                        scratch[k] = corner;
                    }
                }
                None => {
                    scratch[kept] = corner;
                    kept += 1;
                }
            }
        }
        self.share_names(&mut scratch[..kept]);
        &scratch[..kept]
    }

    fn name(&self, before: ClipLine, corner: &ClipCorner<X>) -> u32 {
        let (reference, incident) = self.corners();
        let own = |side: u16| corner_name(reference[(side as usize + 1) % reference.len()], self.reference_second);
        match (before, corner.line) {
            (ClipLine::Incident(_), ClipLine::Incident(k)) => corner_name(incident[k as usize], !self.reference_second),
            // Relative to the incident face the sides come in reverse order.
            (ClipLine::Reference(_), ClipLine::Reference(side)) => own(side),
            // In the plane a side is a corner.
            (ClipLine::Incident(_), ClipLine::Reference(side)) | (ClipLine::Reference(side), ClipLine::Incident(_))
                if reference.len() == 2 =>
            {
                own(side)
            }
            (ClipLine::Incident(k), ClipLine::Reference(side)) | (ClipLine::Reference(side), ClipLine::Incident(k)) => {
                let (own, other) = (reference[side as usize], incident[k as usize]);
                if self.reference_second { crossing_name(other, own) } else { crossing_name(own, other) }
            }
        }
    }

    /// The corner of the reference face between two sides that `corner` lies on.
    fn reference_corner(&self, corner: &ClipCorner<X>) -> Option<u32> {
        let reference = self.corners().0;
        let count = reference.len();
        let [s, t] = corner.sides.map(usize::from);
        if corner.sides[1] == NONE {
            None
        } else if count == 2 {
            Some(reference[(t + 1) % 2])
        } else if s + 1 == t {
            Some(reference[t])
        } else {
            (s == 0 && t + 1 == count).then_some(reference[0])
        }
    }

    /// Names a point on a corner of the reference face after that corner, unless it is also a corner of an incident
    /// face of the first body, or the name is taken.
    fn share_names(&self, corners: &mut [ClipCorner<X>]) {
        for i in 0..corners.len() {
            let of_first = corners[i].feature >> 30 == 0;
            if of_first || (self.reference_second && !is_crossing(corners[i].feature)) {
                continue;
            }
            if let Some(shared) = self.reference_corner(&corners[i]) {
                let name = corner_name(shared, self.reference_second);
                if corners.iter().all(|c| c.feature != name) {
                    corners[i].feature = name;
                }
            }
        }
    }
}

fn is_crossing(feature: u32) -> bool {
    feature >> 31 == 1
}
