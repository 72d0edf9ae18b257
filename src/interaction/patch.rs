//! Where two bodies lie on each other along an axis: disks, faces and lines as the parts of their surfaces that do.
//!
//! In: the axis, and of each body the flat part within 0.1 rad of square to it. Out: the corners of the overlap of the
//! two parts, seen along the axis, with a gap up to a limit: rim points fixed to the body, the deepest rim point where
//! a disk is tilted, corners, ends, and crossings of boundaries. Gaps are measured along the axis between the
//! two flat parts; between two lines, which may cross at a small angle, from the end of one to the surface of the
//! other. Names are made of the parts that meet, so they survive sliding and rolling.

use super::fine::Touch;
use super::polytope::{View, leads};
use crate::dim::{Dim, Vector};

/// Cosine of the angle (0.1 rad) up to which flat parts count as square to an axis, and lines as parallel.
pub(super) const PARALLEL: f64 = 0.995;
/// Its sine.
pub(super) const CROSSED: f64 = 0.0998749;
/// A disk tilted by more (radians) has a deepest point.
const TILTED: f64 = 1e-6;
/// How far past a boundary still counts as inside, in units of the scale.
const INSIDE: f64 = 1e-6;
/// Contact points that miss the nearest point by more than this, in units of the scale, are joined by it.
pub(super) const MISSED: f64 = 1e-6;
/// Nor by more than this part of its distance.
pub(super) const PART: f64 = 1e-2;
/// Points fixed to a rim.
pub(super) const SPOKES: usize = 8;

/// What a contact point is named after. The body it belongs to is the first or the second of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    /// Point fixed to a rim: cap times [`SPOKES`] plus number.
    Spoke(u32),
    /// Lowest point of the rim of a cap.
    Lowest(u32),
    /// Corner, or end of a line.
    Corner(u32),
    /// Crossing of two boundaries: the edge, and which of two.
    Crossing(u32, u32),
    /// The nearest point.
    Single,
}

impl Name {
    /// As a number; `second`: of the second body.
    pub(super) fn number(self, second: bool) -> u64 {
        let (kind, index) = match self {
            Name::Spoke(k) => (0, k),
            Name::Lowest(cap) => (1, cap),
            Name::Corner(k) => (2, k),
            Name::Crossing(edge, which) => (3, edge << 1 | which),
            Name::Single => return 4 << 28,
        };
        u64::from(kind << 28 | u32::from(second) << 27 | index & 0x07ff_ffff)
    }

    /// The number of the same name when first and second are exchanged.
    pub(super) fn exchanged(number: u64) -> u64 {
        number ^ 1 << 27
    }
}

/// A cap.
#[derive(Clone, Copy)]
pub(super) struct Disk<X: Dim> {
    pub(super) centre: X::Vector,
    /// Out of the cap.
    pub(super) outward: X::Vector,
    pub(super) radius: f64,
    /// Unit vectors in its plane, fixed to the body.
    pub(super) spokes: [X::Vector; 2],
    /// 0 or 1.
    pub(super) cap: u32,
}

impl<X: Dim> Disk<X> {
    /// Rim points fixed to the body.
    pub(super) fn spoke(&self, k: usize) -> X::Vector {
        let (sine, cosine) = SPOKE[k];
        self.centre + self.spokes[0] * (cosine * self.radius) + self.spokes[1] * (sine * self.radius)
    }

    /// The rim point farthest along `direction`, where the disk is measurably tilted to it.
    pub(super) fn lowest(&self, direction: X::Vector) -> Option<X::Vector> {
        let flat = direction - self.outward * direction.dot(&self.outward);
        let flat = flat - self.outward * flat.dot(&self.outward);
        let tilt = flat.norm();
        (tilt > TILTED).then(|| self.centre + flat * (self.radius / tilt))
    }

    /// How far along `up` from the plane to `point`.
    fn height(&self, point: X::Vector, up: X::Vector) -> f64 {
        self.outward.dot(&(point - self.centre)) / self.outward.dot(&up)
    }

    fn holds(&self, point: X::Vector, inside: f64) -> bool {
        (point - self.centre).norm() <= self.radius + inside
    }

    /// The part of the line from `from` to `to` within the rim, as fractions.
    fn cut(&self, from: X::Vector, to: X::Vector) -> Option<[f64; 2]> {
        let (start, along) = (from - self.centre, to - from);
        let (aa, ab, bb) = (along.norm2(), along.dot(&start), start.norm2() - self.radius * self.radius);
        let root = ab * ab - aa * bb;
        (root > 0.0 && aa > 0.0).then(|| [(-ab - root.sqrt()) / aa, (-ab + root.sqrt()) / aa])
    }
}

/// Sine and cosine of the angles of the rim points.
const SPOKE: [(f64, f64); SPOKES] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(0.0, 1.0), (H, H), (1.0, 0.0), (H, -H), (0.0, -1.0), (-H, -H), (-1.0, 0.0), (-H, H)]
};

/// An edge, a capsule, or the side of a cylinder: a segment and a radius about it.
#[derive(Clone, Copy)]
pub(super) struct Line<X: Dim> {
    pub(super) ends: [X::Vector; 2],
    pub(super) names: [Name; 2],
    pub(super) radius: f64,
    /// Ends are balls, not disks.
    pub(super) round: bool,
}

impl<X: Dim> Line<X> {
    fn along(&self) -> X::Vector {
        let along = self.ends[1] - self.ends[0];
        along * (1.0 / along.norm())
    }

    /// The ends of the line of its surface that is farthest along `direction`, and the radius still about them.
    fn surface(&self, direction: X::Vector) -> ([X::Vector; 2], f64) {
        if self.round {
            return (self.ends, self.radius);
        }
        let along = self.along();
        let flat = direction - along * direction.dot(&along);
        let out = flat * (self.radius / flat.norm());
        (self.ends.map(|end| end + out), 0.0)
    }
}

/// The part of a body that may lie on another.
#[derive(Clone, Copy)]
pub(super) enum Patch<'a, X: Dim> {
    Disk(Disk<X>),
    /// A face of a polytope, and the radius rolled around it.
    Face(&'a View<'a, X>, usize, f64),
    Line(Line<X>),
    /// Nothing flat: a corner, or a rim.
    Point,
}

impl<'a, X: Dim> Patch<'a, X> {
    /// The part of a polytope that may lie on another body; `normal` points into the polytope.
    pub(super) fn of_polytope(view: &'a View<'a, X>, normal: X::Vector, rounding: f64) -> Self {
        let against = view.inward(-normal);
        let faces = view.polytope.faces.iter().enumerate();
        let squarest = faces.map(|(k, face)| (k, face.normal.dot(&against))).max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((face, _)) = squarest.filter(|(_, cosine)| *cosine >= PARALLEL) {
            return Patch::Face(view, face, rounding);
        }
        let (corner, _) = view.support(-normal);
        let mut flattest = (CROSSED, None);
        for edge in &view.polytope.edges {
            if edge.contains(&corner) {
                let along = view.polytope.vertices[edge[1] as usize] - view.polytope.vertices[edge[0] as usize];
                let slope = along.dot(&against).abs() / along.norm();
                if slope < flattest.0 {
                    flattest = (slope, Some(*edge));
                }
            }
        }
        flattest.1.map_or(Patch::Point, |edge| {
            let (ends, names) = (edge.map(|k| view.corner(k)), edge.map(Name::Corner));
            Patch::Line(Line { ends, names, radius: rounding, round: true })
        })
    }
}

/// The meeting of two bodies; points are from `middle`.
#[derive(Clone, Copy)]
pub(super) struct Meeting<X: Dim> {
    /// Unit axis from the first to the second.
    pub(super) normal: X::Vector,
    /// Largest gap, m.
    pub(super) limit: f64,
    pub(super) scale: f64,
    pub(super) middle: X::Vector,
    /// First and second are exchanged: mirror what comes out.
    pub(super) flipped: bool,
}

/// Emits the corners of the overlap of the two parts; returns how many and the least gap.
pub(super) fn meet<X: Dim>(
    meeting: &Meeting<X>,
    first: &Patch<X>,
    second: &Patch<X>,
    emit: &mut impl FnMut(Touch<X>),
) -> (usize, f64) {
    let mut tally = (0, f64::INFINITY);
    let mut counted = |touch: Touch<X>| {
        tally = (tally.0 + 1, tally.1.min(touch.gap));
        emit(touch);
    };
    let forward = Meeting { flipped: false, ..*meeting };
    let backward = Meeting { normal: -meeting.normal, flipped: true, ..*meeting };
    // Of equals the one below along a fixed direction, so that the order of the two does not matter.
    let lead = leads::<X>(meeting.normal);
    match (first, second) {
        (Patch::Disk(a), Patch::Face(view, face, rounding)) => {
            forward.disk_face(a, view, *face, *rounding, &mut counted)
        }
        (Patch::Face(view, face, rounding), Patch::Disk(b)) => {
            backward.disk_face(b, view, *face, *rounding, &mut counted)
        }
        (Patch::Disk(a), Patch::Line(b)) => forward.disk_line(a, b, &mut counted),
        (Patch::Line(a), Patch::Disk(b)) => backward.disk_line(b, a, &mut counted),
        (Patch::Line(a), Patch::Face(view, face, rounding)) => {
            forward.line_face(a, view, *face, *rounding, &mut counted)
        }
        (Patch::Face(view, face, rounding), Patch::Line(b)) => {
            backward.line_face(b, view, *face, *rounding, &mut counted)
        }
        (Patch::Disk(a), Patch::Disk(b)) if lead => forward.disks(a, b, &mut counted),
        (Patch::Disk(a), Patch::Disk(b)) => backward.disks(b, a, &mut counted),
        (Patch::Line(a), Patch::Line(b)) if lead => forward.lines(a, b, &mut counted),
        (Patch::Line(a), Patch::Line(b)) => backward.lines(b, a, &mut counted),
        // Two faces are the business of `polytope::clip`.
        (Patch::Face(..), Patch::Face(..)) | (Patch::Point, _) | (_, Patch::Point) => {}
    }
    tally
}

impl<X: Dim> Meeting<X> {
    /// A point of the first with the second `height` above it along the axis; radii of the two still to be added.
    fn put(
        &self,
        on_first: X::Vector,
        height: f64,
        radii: [f64; 2],
        name: (Name, bool),
        emit: &mut impl FnMut(Touch<X>),
    ) {
        self.put_along(self.normal, on_first, height, radii, name, emit);
    }

    fn put_along(
        &self,
        normal: X::Vector,
        on_first: X::Vector,
        height: f64,
        radii: [f64; 2],
        (name, second): (Name, bool),
        emit: &mut impl FnMut(Touch<X>),
    ) {
        let gap = height - (radii[0] + radii[1]);
        if gap <= self.limit {
            let point = self.middle + (on_first + normal * (0.5 * (height + (radii[0] - radii[1]))));
            let normal = if self.flipped { -normal } else { normal };
            emit(Touch { feature: name.number(second != self.flipped), normal, point, gap });
        }
    }

    fn disk_face(&self, disk: &Disk<X>, view: &View<X>, face: usize, rounding: f64, emit: &mut impl FnMut(Touch<X>)) {
        let plane = Plate::new(view, face, INSIDE * self.scale);
        let n = self.normal;
        let mut over = |point: X::Vector, name: Name| {
            let height = plane.height(point, n);
            if height - rounding <= self.limit && plane.holds(point + n * height) {
                self.put(point, height, [0.0, rounding], (name, false), emit);
            }
        };
        for k in 0..SPOKES {
            over(disk.spoke(k), Name::Spoke(disk.cap * SPOKES as u32 + k as u32));
        }
        if let Some(lowest) = disk.lowest(-plane.normal) {
            over(lowest, Name::Lowest(disk.cap));
        }
        let corners = plane.corners();
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[if i + 1 == corners.len() { 0 } else { i + 1 }];
            let [from, to] = [corner, next].map(|k| view.corner(k));
            let [low, high] = [from, to].map(|p| p - n * disk.height(p, n));
            if disk.holds(low, 0.0) {
                let height = disk.height(from, n);
                self.put(low, height, [0.0, rounding], (Name::Corner(corner), true), emit);
            }
            let Some(cuts) = disk.cut(low, high) else { continue };
            for (which, &t) in cuts.iter().enumerate() {
                if (0.0..1.0).contains(&t) {
                    let point = low + (high - low) * t;
                    let name = Name::Crossing(corner, which as u32);
                    self.put(point, plane.height(point, n), [0.0, rounding], (name, true), emit);
                }
            }
        }
    }

    fn disk_line(&self, disk: &Disk<X>, line: &Line<X>, emit: &mut impl FnMut(Touch<X>)) {
        let n = self.normal;
        let (ends, radius) = line.surface(-n);
        let heights = ends.map(|end| disk.height(end, n));
        let low = [ends[0] - n * heights[0], ends[1] - n * heights[1]];
        let Some(cuts) = disk.cut(low[0], low[1]) else { return };
        if cuts[0] >= 1.0 || cuts[1] <= 0.0 {
            return;
        }
        for (which, t) in [cuts[0].max(0.0), cuts[1].min(1.0)].into_iter().enumerate() {
            let whole = t == which as f64;
            let name = if whole { line.names[which] } else { Name::Crossing(disk.cap, which as u32) };
            let height = heights[0] + (heights[1] - heights[0]) * t;
            self.put(low[0] + (low[1] - low[0]) * t, height, [0.0, radius], (name, true), emit);
        }
    }

    fn line_face(&self, line: &Line<X>, view: &View<X>, face: usize, rounding: f64, emit: &mut impl FnMut(Touch<X>)) {
        let plane = Plate::new(view, face, INSIDE * self.scale);
        let n = self.normal;
        let (ends, radius) = line.surface(n);
        let heights = ends.map(|end| plane.height(end, n));
        let over = [ends[0] + n * heights[0], ends[1] + n * heights[1]];
        let Some(cuts) = plane.cut(over[0], over[1]) else { return };
        for (which, (t, side)) in cuts.into_iter().enumerate() {
            let (name, second) =
                side.map_or((line.names[which], false), |corner| (Name::Crossing(corner, which as u32), true));
            let height = heights[0] + (heights[1] - heights[0]) * t;
            self.put(ends[0] + (ends[1] - ends[0]) * t, height, [radius, rounding], (name, second), emit);
        }
    }

    /// Both disks' rim points over the other, and where the rims cross: seen along the axis the second rim is an
    /// ellipse, within 0.5 % a circle, which gives a first guess.
    fn disks(&self, a: &Disk<X>, b: &Disk<X>, emit: &mut impl FnMut(Touch<X>)) {
        let n = self.normal;
        let inside = INSIDE * self.scale;
        let mut over = |other: &Disk<X>, point: X::Vector, name: Name, second: bool| {
            let height = other.height(point, n);
            let below = point - n * height;
            if other.holds(below, inside) {
                let low = if second { below } else { point };
                self.put(low, if second { height } else { -height }, [0.0; 2], (name, second), emit);
            }
        };
        for (own, other, second) in [(a, b, false), (b, a, true)] {
            for k in 0..SPOKES {
                over(other, own.spoke(k), Name::Spoke(own.cap * SPOKES as u32 + k as u32), second);
            }
            if let Some(lowest) = own.lowest(-other.outward) {
                over(other, lowest, Name::Lowest(own.cap), second);
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
                let name = (Name::Crossing(a.cap, which as u32), false);
                self.put(point, -b.height(point, n), [0.0; 2], name, emit);
            }
        }
    }

    /// The point of the rim of `a` that lies on the rim of `b` along the axis, near a point `from` its centre.
    fn rims_cross(&self, a: &Disk<X>, b: &Disk<X>, from: X::Vector) -> Option<X::Vector> {
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

    /// The ends of the overlap of two lines within 0.1 rad of parallel, and none of others.
    fn lines(&self, a: &Line<X>, b: &Line<X>, emit: &mut impl FnMut(Touch<X>)) {
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
                    // The end of the line of its surface nearest to the other.
                    let away = other.ends[0] + along * foot - end;
                    let flat = away - own_along * away.dot(&own_along);
                    let norm = flat.norm();
                    if norm > 0.0 {
                        (point, left) = (end + flat * (own.radius / norm), 0.0);
                        foot = (point - other.ends[0]).dot(&along);
                    }
                } else if !own.round {
                    // Where the other passes the end.
                    foot = (end - other.ends[0]).dot(&own_along) / along.dot(&own_along);
                }
                let inside = INSIDE * self.scale;
                // Where two ends are side by side, those of the second are left out.
                let margin = if second { -inside } else { inside };
                if foot < -margin || foot > length + margin {
                    continue;
                }
                // A point beyond the axis of the other is deep inside: the single point takes care of that.
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

/// A face seen as a plane with sides.
struct Plate<'a, X: Dim> {
    view: &'a View<'a, X>,
    face: usize,
    normal: X::Vector,
    on: X::Vector,
    inside: f64,
}

impl<'a, X: Dim> Plate<'a, X> {
    fn new(view: &'a View<'a, X>, face: usize, inside: f64) -> Self {
        let on = view.corner(view.polytope.faces[face].corners[0]);
        Self { view, face, normal: view.normal(face), on, inside }
    }

    fn corners(&self) -> &'a [u32] {
        &self.view.polytope.faces[self.face].corners
    }

    /// How far along `up` from `point` to the plane.
    fn height(&self, point: X::Vector, up: X::Vector) -> f64 {
        self.normal.dot(&(self.on - point)) / self.normal.dot(&up)
    }

    /// Calls `side` with a point on each side and the unit vector out of the face across it, until it says no.
    fn sides(&self, mut side: impl FnMut(u32, X::Vector, X::Vector) -> bool) -> bool {
        let corners = self.corners();
        let mut from = self.on;
        for i in 0..corners.len() {
            let to = if i + 1 == corners.len() { self.on } else { self.view.corner(corners[i + 1]) };
            let edge = to - from;
            if !side(corners[i], to, X::beyond(edge, self.normal) * (1.0 / edge.norm())) {
                return false;
            }
            from = to;
        }
        true
    }

    fn holds(&self, point: X::Vector) -> bool {
        self.sides(|_, on, out| out.dot(&(point - on)) <= self.inside)
    }

    /// The part of a line in the plane that is over the face: fractions, and the side that cuts it off, if one does.
    fn cut(&self, from: X::Vector, to: X::Vector) -> Option<[(f64, Option<u32>); 2]> {
        let mut part = [(0.0, None), (1.0, None)];
        let some = self.sides(|corner, on, out| {
            let (start, end) = (out.dot(&(from - on)), out.dot(&(to - on)));
            if start > self.inside && end > self.inside {
                return false;
            }
            if start > self.inside {
                let t = start / (start - end);
                if t > part[0].0 {
                    part[0] = (t, Some(corner));
                }
            } else if end > self.inside {
                let t = start / (start - end);
                if t < part[1].0 {
                    part[1] = (t, Some(corner));
                }
            }
            true
        });
        (some && part[0].0 <= part[1].0).then_some(part)
    }
}
