//! Flat patches of body surfaces that can carry an extended contact: disks, faces and lines.
//!
//! In: the axis of a contact and a body. Out: the part of its surface that is perpendicular to the axis within 0.1 rad,
//! as a disk (the cap of a cylinder), a face of a polytope or a line (an edge, the side of a cylinder, a capsule), with
//! the names of its points, which are fixed to the body. `manifold.rs` intersects two patches.

use super::polytope::SolidView;
use crate::dim::{Dim, Vector};

/// Cosine of the angle (0.1 rad) up to which a patch counts as perpendicular to an axis, and lines as parallel.
pub(super) const PARALLEL: f64 = 0.995;
/// Sine of the same angle.
pub(super) const CROSSED: f64 = 0.0998749;
/// Tilt (radians) above which a disk has a unique deepest point.
const TILTED: f64 = 1e-6;
/// Number of points fixed to a rim.
pub(super) const SPOKES: usize = 8;

/// The feature a contact point is named after. It belongs to the first or the second body of the pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum PointName {
    /// Point fixed to a rim: cap times [`SPOKES`] plus number.
    Spoke(u32),
    /// Lowest point of the rim of a cap.
    Lowest(u32),
    /// Corner, or end of a line.
    Corner(u32),
    /// Crossing of two boundaries: the edge, and which of the two crossings.
    Crossing(u32, u32),
    /// The nearest point.
    Single,
}

impl PointName {
    /// The name as a number; `second`: the feature belongs to the second body.
    pub(super) fn number(self, second: bool) -> u64 {
        let (kind, index) = match self {
            PointName::Spoke(k) => (0, k),
            PointName::Lowest(cap) => (1, cap),
            PointName::Corner(k) => (2, k),
            PointName::Crossing(edge, which) => (3, edge << 1 | which),
            PointName::Single => return 4 << 28,
        };
        u64::from(kind << 28 | u32::from(second) << 27 | index & 0x07ff_ffff)
    }

    /// The number of the same name after the bodies are exchanged.
    pub(super) fn exchanged(number: u64) -> u64 {
        number ^ 1 << 27
    }
}

/// The cap of a cylinder.
#[derive(Clone, Copy)]
pub(super) struct DiskPatch<X: Dim> {
    pub(super) centre: X::Vector,
    /// Outward unit normal of the cap.
    pub(super) outward: X::Vector,
    pub(super) radius: f64,
    /// Unit vectors in its plane, fixed to the body.
    pub(super) spokes: [X::Vector; 2],
    /// Number of the cap, 0 or 1.
    pub(super) cap: u32,
}

impl<X: Dim> DiskPatch<X> {
    /// Rim point `k` fixed to the body.
    pub(super) fn spoke(&self, k: usize) -> X::Vector {
        let (sine, cosine) = SPOKE[k];
        self.centre + self.spokes[0] * (cosine * self.radius) + self.spokes[1] * (sine * self.radius)
    }

    /// The rim point farthest along `direction`, if the disk is measurably tilted against it.
    pub(super) fn lowest(&self, direction: X::Vector) -> Option<X::Vector> {
        let flat = direction - self.outward * direction.dot(&self.outward);
        let flat = flat - self.outward * flat.dot(&self.outward);
        let tilt = flat.norm();
        (tilt > TILTED).then(|| self.centre + flat * (self.radius / tilt))
    }

    /// Distance along `up` from the plane of the disk to `point`.
    pub(super) fn height(&self, point: X::Vector, up: X::Vector) -> f64 {
        self.outward.dot(&(point - self.centre)) / self.outward.dot(&up)
    }

    pub(super) fn holds(&self, point: X::Vector, inside: f64) -> bool {
        (point - self.centre).norm() <= self.radius + inside
    }

    /// The part of the line from `from` to `to` within the rim, as fractions of its length.
    pub(super) fn cut(&self, from: X::Vector, to: X::Vector) -> Option<[f64; 2]> {
        let (start, along) = (from - self.centre, to - from);
        let (aa, ab, bb) = (along.norm2(), along.dot(&start), start.norm2() - self.radius * self.radius);
        let root = ab * ab - aa * bb;
        (root > 0.0 && aa > 0.0).then(|| [(-ab - root.sqrt()) / aa, (-ab + root.sqrt()) / aa])
    }
}

/// Sines and cosines of the angles of the rim points.
const SPOKE: [(f64, f64); SPOKES] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [(0.0, 1.0), (H, H), (1.0, 0.0), (H, -H), (0.0, -1.0), (-H, -H), (-1.0, 0.0), (-H, H)]
};

/// An edge, a capsule, or the side of a cylinder: a segment with a radius.
#[derive(Clone, Copy)]
pub(super) struct LinePatch<X: Dim> {
    pub(super) ends: [X::Vector; 2],
    pub(super) names: [PointName; 2],
    pub(super) radius: f64,
    /// The ends are hemispheres, not disks.
    pub(super) round: bool,
}

impl<X: Dim> LinePatch<X> {
    pub(super) fn along(&self) -> X::Vector {
        let along = self.ends[1] - self.ends[0];
        along * (1.0 / along.norm())
    }

    /// The ends of the surface line farthest along `direction`, and the radius that remains about them.
    pub(super) fn surface(&self, direction: X::Vector) -> ([X::Vector; 2], f64) {
        if self.round {
            return (self.ends, self.radius);
        }
        let along = self.along();
        let flat = direction - along * direction.dot(&along);
        let out = flat * (self.radius / flat.norm());
        (self.ends.map(|end| end + out), 0.0)
    }
}

/// The part of a body that can carry an extended contact.
#[derive(Clone, Copy)]
pub(super) enum Patch<'a, X: Dim> {
    Disk(DiskPatch<X>),
    /// A face of a polytope, and its rounding radius.
    Face(&'a SolidView<'a, X>, usize, f64),
    Line(LinePatch<X>),
    /// Nothing flat: a corner or a rim.
    Point,
}

impl<'a, X: Dim> Patch<'a, X> {
    /// The patch of a polytope; `normal` points into the polytope.
    pub(super) fn of_polytope(view: &'a SolidView<'a, X>, normal: X::Vector, rounding: f64) -> Self {
        let against = view.to_body(-normal);
        let faces = view.polytope.faces.iter().enumerate();
        let most_aligned = faces.map(|(k, face)| (k, face.normal.dot(&against))).max_by(|x, y| x.1.total_cmp(&y.1));
        if let Some((face, _)) = most_aligned.filter(|(_, cosine)| *cosine >= PARALLEL) {
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
            let (ends, names) = (edge.map(|k| view.corner(k)), edge.map(PointName::Corner));
            Patch::Line(LinePatch { ends, names, radius: rounding, round: true })
        })
    }
}

/// A face as a plane bounded by sides.
pub(super) struct FacePatch<'a, X: Dim> {
    pub(super) view: &'a SolidView<'a, X>,
    face: usize,
    pub(super) normal: X::Vector,
    on: X::Vector,
    inside: f64,
}

impl<'a, X: Dim> FacePatch<'a, X> {
    pub(super) fn new(view: &'a SolidView<'a, X>, face: usize, inside: f64) -> Self {
        let on = view.corner(view.polytope.faces[face].corners[0]);
        Self { view, face, normal: view.normal(face), on, inside }
    }

    pub(super) fn corners(&self) -> &'a [u32] {
        &self.view.polytope.faces[self.face].corners
    }

    /// Distance along `up` from `point` to the plane.
    pub(super) fn height(&self, point: X::Vector, up: X::Vector) -> f64 {
        self.normal.dot(&(self.on - point)) / self.normal.dot(&up)
    }

    /// Calls `side` with the first corner of each side, a point on it and the unit vector out of the face across it,
    /// until it returns false.
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

    pub(super) fn holds(&self, point: X::Vector) -> bool {
        self.sides(|_, on, out| out.dot(&(point - on)) <= self.inside)
    }

    /// The part of a line in the plane that lies within the face: fractions, and the sides that cut it off, if any.
    pub(super) fn cut(&self, from: X::Vector, to: X::Vector) -> Option<[(f64, Option<u32>); 2]> {
        let mut part = [(0.0, None), (1.0, None)];
        let is_inside = self.sides(|corner, on, out| {
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
        (is_inside && part[0].0 <= part[1].0).then_some(part)
    }
}
