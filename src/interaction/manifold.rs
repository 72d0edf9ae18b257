//! Contact manifold of two bodies whose flat patches face each other along an axis.
//!
//! In: the axis and the flat patch of each body (`patch.rs`). Out: the corners of the overlap of the two patches,
//! projected along the axis, with gaps up to a limit: rim points fixed to the body, the deepest rim point of a tilted
//! disk, corners, end points, and crossings of boundaries. Gaps are measured along the axis between the two patches;
//! between two lines, which may cross at a small angle, from the end of one to the surface of the other. The name of a
//! point consists of the features in contact, so it persists under sliding and rolling.

use super::patch::{DiskPatch, FacePatch, LinePatch, PARALLEL, Patch, PointName, SPOKES};
use super::polytope::{SolidView, leads};
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Tolerance within which a point past a boundary counts as inside, relative to the scale.
const INSIDE: f64 = 1e-6;
/// If all contact points miss the nearest point by more than this, relative to the scale, the nearest point is added...
pub(super) const MISSED: f64 = 1e-6;
/// ...provided that they also miss it by more than this fraction of the gap.
pub(super) const PART: f64 = 1e-2;

/// Axis and scale of the contact between two bodies; points are relative to `middle`.
#[derive(Clone, Copy)]
pub(super) struct Manifold<X: Dim> {
    /// Unit vector from the first body to the second.
    pub(super) normal: X::Vector,
    /// Largest gap of a contact point, m.
    pub(super) limit: f64,
    pub(super) scale: f64,
    pub(super) middle: X::Vector,
    /// Are first and second body exchanged? Then the emitted points are mirrored.
    pub(super) flipped: bool,
}

/// Emits the corners of the overlap of the two patches; returns their number and the least gap.
pub(super) fn intersect<X: Dim>(
    manifold: &Manifold<X>,
    first: &Patch<X>,
    second: &Patch<X>,
    emit: &mut impl FnMut(ContactPoint<X>),
) -> (usize, f64) {
    let (mut count, mut least) = (0, f64::INFINITY);
    let mut counted = |touch: ContactPoint<X>| {
        (count, least) = (count + 1, least.min(touch.gap));
        emit(touch);
    };
    let forward = Manifold { flipped: false, ..*manifold };
    let backward = Manifold { normal: -manifold.normal, flipped: true, ..*manifold };
    // Of two patches of the same kind, the lower one along a fixed direction comes first, so that the order of the
    // bodies does not matter.
    let lead = leads::<X>(manifold.normal);
    match (first, second) {
        (Patch::Disk(a), Patch::Face(view, face, rounding)) => {
            forward.disk_face(a, &manifold.plane(view, *face), *rounding, &mut counted)
        }
        (Patch::Face(view, face, rounding), Patch::Disk(b)) => {
            backward.disk_face(b, &manifold.plane(view, *face), *rounding, &mut counted)
        }
        (Patch::Disk(a), Patch::Line(b)) => forward.disk_line(a, b, &mut counted),
        (Patch::Line(a), Patch::Disk(b)) => backward.disk_line(b, a, &mut counted),
        (Patch::Line(a), Patch::Face(view, face, rounding)) => {
            forward.line_face(a, &manifold.plane(view, *face), *rounding, &mut counted)
        }
        (Patch::Face(view, face, rounding), Patch::Line(b)) => {
            backward.line_face(b, &manifold.plane(view, *face), *rounding, &mut counted)
        }
        (Patch::Disk(a), Patch::Disk(b)) if lead => forward.disks(a, b, &mut counted),
        (Patch::Disk(a), Patch::Disk(b)) => backward.disks(b, a, &mut counted),
        (Patch::Line(a), Patch::Line(b)) if lead => forward.lines(a, b, &mut counted),
        (Patch::Line(a), Patch::Line(b)) => backward.lines(b, a, &mut counted),
        // `polytope::clip` handles two faces.
        (Patch::Face(..), Patch::Face(..)) | (Patch::Point, _) | (_, Patch::Point) => {}
    }
    (count, least)
}

impl<X: Dim> Manifold<X> {
    fn plane<'a>(&self, view: &'a SolidView<'a, X>, face: usize) -> FacePatch<'a, X> {
        FacePatch::new(view, face, INSIDE * self.scale)
    }

    /// Emits a point of the first body with the second at `height` above it along the axis, without the rounding
    /// `radii` of both surfaces.
    fn put(
        &self,
        on_first: X::Vector,
        height: f64,
        radii: [f64; 2],
        name: (PointName, bool),
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        self.put_along(self.normal, on_first, height, radii, name, emit);
    }

    fn put_along(
        &self,
        normal: X::Vector,
        on_first: X::Vector,
        height: f64,
        radii: [f64; 2],
        (name, second): (PointName, bool),
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let gap = height - (radii[0] + radii[1]);
        if gap <= self.limit {
            let point = self.middle + (on_first + normal * (0.5 * (height + (radii[0] - radii[1]))));
            let normal = if self.flipped { -normal } else { normal };
            emit(ContactPoint { feature: name.number(second != self.flipped), normal, point, gap });
        }
    }

    fn disk_face(
        &self,
        disk: &DiskPatch<X>,
        plane: &FacePatch<X>,
        rounding: f64,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let n = self.normal;
        let mut over = |point: X::Vector, name: PointName| {
            let height = plane.height(point, n);
            if height - rounding <= self.limit && plane.holds(point + n * height) {
                self.put(point, height, [0.0, rounding], (name, false), emit);
            }
        };
        for k in 0..SPOKES {
            over(disk.spoke(k), PointName::Spoke(disk.cap * SPOKES as u32 + k as u32));
        }
        if let Some(lowest) = disk.lowest(-plane.normal) {
            over(lowest, PointName::Lowest(disk.cap));
        }
        let corners = plane.corners();
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
            let [from, to] = [corner, next].map(|k| plane.view.corner(k));
            let [low, high] = [from, to].map(|p| p - n * disk.height(p, n));
            if disk.holds(low, 0.0) {
                let height = disk.height(from, n);
                self.put(low, height, [0.0, rounding], (PointName::Corner(corner), true), emit);
            }
            let Some(cuts) = disk.cut(low, high) else { continue };
            for (which, &t) in cuts.iter().enumerate() {
                if (0.0..1.0).contains(&t) {
                    let point = low + (high - low) * t;
                    let name = PointName::Crossing(corner, which as u32);
                    self.put(point, plane.height(point, n), [0.0, rounding], (name, true), emit);
                }
            }
        }
    }

    fn disk_line(&self, disk: &DiskPatch<X>, line: &LinePatch<X>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let n = self.normal;
        let (ends, radius) = line.surface(-n);
        let heights = ends.map(|end| disk.height(end, n));
        let low = [ends[0] - n * heights[0], ends[1] - n * heights[1]];
        let Some(cuts) = disk.cut(low[0], low[1]) else { return };
        if cuts[0] >= 1.0 || cuts[1] <= 0.0 {
            return;
        }
        for (which, t) in [cuts[0].max(0.0), cuts[1].min(1.0)].into_iter().enumerate() {
            let is_end = t == which as f64;
            let name = if is_end { line.names[which] } else { PointName::Crossing(disk.cap, which as u32) };
            let height = heights[0] + (heights[1] - heights[0]) * t;
            self.put(low[0] + (low[1] - low[0]) * t, height, [0.0, radius], (name, true), emit);
        }
    }

    fn line_face(
        &self,
        line: &LinePatch<X>,
        plane: &FacePatch<X>,
        rounding: f64,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let n = self.normal;
        let (ends, radius) = line.surface(n);
        let heights = ends.map(|end| plane.height(end, n));
        let over = [ends[0] + n * heights[0], ends[1] + n * heights[1]];
        let Some(cuts) = plane.cut(over[0], over[1]) else { return };
        for (which, (t, side)) in cuts.into_iter().enumerate() {
            let (name, second) =
                side.map_or((line.names[which], false), |corner| (PointName::Crossing(corner, which as u32), true));
            let height = heights[0] + (heights[1] - heights[0]) * t;
            self.put(ends[0] + (ends[1] - ends[0]) * t, height, [radius, rounding], (name, second), emit);
        }
    }

    /// Emits the rim points of each disk over the other, and the crossings of the rims. Projected along the axis, the
    /// second rim is an ellipse, within 0.5 % a circle, which provides the initial guess.
    fn disks(&self, a: &DiskPatch<X>, b: &DiskPatch<X>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let n = self.normal;
        let inside = INSIDE * self.scale;
        let mut over = |other: &DiskPatch<X>, point: X::Vector, name: PointName, second: bool| {
            let height = other.height(point, n);
            let below = point - n * height;
            if other.holds(below, inside) {
                let low = if second { below } else { point };
                self.put(low, if second { height } else { -height }, [0.0; 2], (name, second), emit);
            }
        };
        for (own, other, second) in [(a, b, false), (b, a, true)] {
            for k in 0..SPOKES {
                over(other, own.spoke(k), PointName::Spoke(own.cap * SPOKES as u32 + k as u32), second);
            }
            if let Some(lowest) = own.lowest(-other.outward) {
                over(other, lowest, PointName::Lowest(own.cap), second);
            }
        }
        let centre = b.centre - n * a.height(b.centre, n);
        let between = centre - a.centre;
        let apart = between.norm();
        if apart > inside && apart < a.radius + b.radius && apart > (a.radius - b.radius).abs() {
            let along = between * (1.0 / apart);
            let part = 0.5 * (apart + (a.radius - b.radius) * (a.radius + b.radius) / apart);
            let aside = X::across(a.outward, along) * (a.radius * a.radius - part * part).max(0.0).sqrt();
            for (which, aside) in [aside, -aside].into_iter().enumerate() {
                let Some(point) = self.rims_cross(a, b, along * part + aside) else { continue };
                let name = (PointName::Crossing(a.cap, which as u32), false);
                self.put(point, -b.height(point, n), [0.0; 2], name, emit);
            }
        }
    }

    /// The point of the rim of `a` that lies on the rim of `b` when projected along the axis; `from` is an initial
    /// guess relative to the centre of `a`.
    fn rims_cross(&self, a: &DiskPatch<X>, b: &DiskPatch<X>, from: X::Vector) -> Option<X::Vector> {
        let n = self.normal;
        let mut radial = from * (1.0 / from.norm());
        for _ in 0..10 {
            let point = a.centre + radial * a.radius;
            let over = point - n * b.height(point, n) - b.centre;
            let tangent = X::across(a.outward, radial);
            let along = tangent - n * (b.outward.dot(&tangent) / b.outward.dot(&n));
            let step = 0.5 * (b.radius * b.radius - over.norm2()) / (over.dot(&along) * a.radius);
            if step.abs() < 1e-12 {
                return Some(point);
            }
            radial += tangent * step.clamp(-0.3, 0.3);
            radial = radial * (1.0 / radial.norm());
        }
        None
    }

    /// Emits the ends of the overlap of two lines that are parallel within 0.1 rad, and nothing for other lines.
    fn lines(&self, a: &LinePatch<X>, b: &LinePatch<X>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let cosine = a.along().dot(&b.along());
        if cosine.abs() < PARALLEL {
            return;
        }
        for (own, other, second) in [(a, b, false), (b, a, true)] {
            let (along, own_along) = (other.along(), own.along());
            let length = (other.ends[1] - other.ends[0]).norm();
            for which in 0..2 {
                let end = own.ends[which];
                let mut foot = (end - other.ends[0]).dot(&along);
                let (mut point, mut left) = (end, own.radius);
                if !own.round && other.radius > 0.0 {
                    // The point of the end disk that is nearest to the other line.
                    let away = other.ends[0] + along * foot - end;
                    let flat = away - own_along * away.dot(&own_along);
                    let norm = flat.norm();
                    if norm > 0.0 {
                        (point, left) = (end + flat * (own.radius / norm), 0.0);
                        foot = (point - other.ends[0]).dot(&along);
                    }
                } else if !own.round {
                    // The foot of the end on the other line, projected along the own line.
                    foot = (end - other.ends[0]).dot(&own_along) / along.dot(&own_along);
                }
                let inside = INSIDE * self.scale;
                // Where two ends coincide, those of the second line are left out.
                let margin = if second { -inside } else { inside };
                if foot < -margin || foot > length + margin {
                    continue;
                }
                // A point beyond the axis of the other line overlaps deeply: the single nearest point handles that
                // case.
                let reach = other.ends[0] + along * foot - point;
                let reach = if second { -reach } else { reach };
                let height = reach.norm();
                let normal = reach * (1.0 / height);
                if height.is_nan() || height <= INSIDE * self.scale || normal.dot(&self.normal) < PARALLEL {
                    continue;
                }
                let radii = if second { [other.radius, left] } else { [left, other.radius] };
                let on_first = if second { point - reach } else { point };
                self.put_along(normal, on_first, height, radii, (own.names[which], second), emit);
            }
        }
    }
}
