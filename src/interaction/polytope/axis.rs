//! The axis of largest separation of two polytopes.
//!
//! In: a pair. Out: unit axis, signed distance, and the features that define it. The least overlap of overlapping
//! polytopes is along the normal of a face of {b - a}, which is the normal of a face of either body or perpendicular to
//! an edge of each; disjoint polytopes are furthest apart along the line of their nearest points. Every candidate is
//! judged by the slab perpendicular to it between the two bodies, so a bad candidate cannot win. Most candidates are
//! never tried: a point c of the other body bounds the slab along face normal n by n.c - offset, and along any axis on
//! the arc between the normals of two faces by the larger of the two bounds, where that is negative.

use super::candidate_edges::{EdgeSet, candidate_edges};
use super::nearest::{NearestOutcome, NearestPoints, nearest};
use super::view::{SolidPair, SolidView};
use crate::contactor::Face;
use crate::dim::{Dim, Square, Vector};

/// Rounding error of a separation, relative to the scale: a face normal is preferred to an axis that is wider by less.
const NOISE: f64 = 1e-15;
/// Distance of the nearest points, relative to the scale, above which their direction beats all edges.
const CLEAR: f64 = 1e-7;
/// Depth behind a face, in alert distances, up to which the face carries a contact with a body that is separated from
/// this part only along an axis that the compound does not have. Nothing moves further than the alert distance in a
/// step: a body that passed the end of the face into a notch is no deeper, and other parts carry the contact of a
/// deeper one. A smaller value loses corners that sank into a notch by more than that fraction of the alert distance.
const PASSED: f64 = 1.0;
/// Number of faces whose bounds are cached.
const FEW: usize = 32;
/// Fixed direction that breaks ties.
const TIE_BREAK: [f64; 3] = [0.3217, 0.5763, 0.7512];

/// An axis from the first body to the second.
pub(super) struct SeparatingAxis<X: Dim> {
    pub(super) normal: X::Vector,
    pub(super) separation: f64,
    pub(super) source: AxisSource<X>,
}

/// The features that define the axis.
pub(super) enum AxisSource<X: Dim> {
    /// A face of the first body.
    FaceOfA(usize),
    /// A face of the second body.
    FaceOfB(usize),
    /// No face: the nearest points on the two bodies, and the lowest corner of the edge or the corner they lie on.
    Between { on_a: X::Vector, on_b: X::Vector, corners: [u32; 2] },
}

/// An axis perpendicular to an edge of each body.
struct EdgeCrossing<X: Dim> {
    normal: X::Vector,
    separation: f64,
    first: [u32; 2],
    second: [u32; 2],
}

/// Finds the axis; returns `Err` with a separating axis as soon as the bodies are known to be further apart than
/// `alert`. Face normals are preferred unless another axis is wider by more than `relative` times its own separation.
pub(super) fn widest<X: Dim>(
    pair: &SolidPair<X>,
    alert: f64,
    relative: f64,
) -> Result<SeparatingAxis<X>, (X::Vector, f64)> {
    let near = match nearest(pair, alert) {
        NearestOutcome::Apart(axis, width) => return Err((axis, width)),
        NearestOutcome::Near(near) => near,
    };
    // Beyond a seam another part of the same body continues: an axis that separates two parts there does not separate
    // the bodies.
    let is_apart = near.axis.is_some();
    let near = NearestPoints { axis: near.axis.filter(|(axis, _)| pair.admits(*axis)), ..near };
    // In that case the contact can only be on a face that the other body has hardly passed.
    let deepest = match (near.axis, is_apart) {
        (None, true) => -PASSED * alert.max(0.0),
        _ => f64::NEG_INFINITY,
    };
    // Faces narrower than this cannot beat the nearest points and need not be tried.
    let floor = near.axis.map_or(f64::NEG_INFINITY, |(_, width)| width - slack(pair, relative, width));
    let faces = WidestFaces::find(pair, &near, floor);
    if faces.separation < deepest {
        return Err((pair.between, f64::INFINITY));
    }
    if faces.separation > alert {
        // Only a face can reveal a separation that the nearest points missed by rounding.
        return Err((faces.axis(pair).unwrap_or(pair.between), faces.separation));
    }
    let is_line = pair.a.polytope.faces.is_empty() || pair.b.polytope.faces.is_empty();
    if let Some(axis) = wider_than_faces(pair, &near, relative, faces.separation, is_line) {
        return Ok(axis);
    }
    match faces.reference(pair) {
        Some(axis) => Ok(axis),
        // Two lines without faces that coincide, or one that passes through a corner of the other.
        None if !is_line => Err((pair.between, f64::INFINITY)), // Other parts cover these on all sides.
        None => {
            let normal = aside(pair);
            Ok(SeparatingAxis { normal, separation: pair.separation(normal).0, source: between(&near) })
        }
    }
}

/// Width by which another axis must exceed one of this separation.
#[inline]
fn slack<X: Dim>(pair: &SolidPair<X>, relative: f64, separation: f64) -> f64 {
    NOISE * pair.scale + relative * separation.abs()
}

/// The face of each body with the widest slab, and the width of that slab.
struct WidestFaces {
    of_a: Option<(usize, f64)>,
    of_b: Option<(usize, f64)>,
    /// The larger of the two widths.
    separation: f64,
}

impl WidestFaces {
    /// Tries the faces that can reach `floor`.
    #[inline]
    fn find<X: Dim>(pair: &SolidPair<X>, near: &NearestPoints<X>, floor: f64) -> Self {
        let of_a = best_face(&pair.a, &pair.b, pair.between, near.on_b, floor);
        let tie = NOISE * pair.scale;
        let known = of_a.map_or(floor, |(_, s)| floor.max(s - tie));
        let of_b = best_face(&pair.b, &pair.a, -pair.between, near.on_a, known);
        let separation = of_a.map_or(f64::NEG_INFINITY, |f| f.1).max(of_b.map_or(f64::NEG_INFINITY, |f| f.1));
        Self { of_a, of_b, separation }
    }

    /// The normal of the widest slab, from the first body to the second.
    #[inline]
    fn axis<X: Dim>(&self, pair: &SolidPair<X>) -> Option<X::Vector> {
        let axis = self.of_a.filter(|f| f.1 == self.separation).map(|f| pair.a.normal(f.0));
        axis.or(self.of_b.map(|f| -pair.b.normal(f.0)))
    }

    /// The axis of the reference face: the wider one, or one of two equally wide ones by a fixed direction.
    #[inline]
    fn reference<X: Dim>(&self, pair: &SolidPair<X>) -> Option<SeparatingAxis<X>> {
        let tie = NOISE * pair.scale;
        let take_b = |face: (usize, f64)| SeparatingAxis {
            normal: -pair.b.normal(face.0),
            separation: face.1,
            source: AxisSource::FaceOfB(face.0),
        };
        let Some(a) = self.of_a else { return self.of_b.map(take_b) };
        let normal = pair.a.normal(a.0);
        match self.of_b {
            Some(b) if b.1 > a.1 + tie || (b.1 >= a.1 - tie && !leads::<X>(normal - pair.b.normal(b.0))) => {
                Some(take_b(b))
            }
            _ => Some(SeparatingAxis { normal, separation: a.1, source: AxisSource::FaceOfA(a.0) }),
        }
    }
}

/// The widest axis that is no normal of a face, if it exceeds the separation `faces` of the faces by enough.
#[inline]
fn wider_than_faces<X: Dim>(
    pair: &SolidPair<X>,
    near: &NearestPoints<X>,
    relative: f64,
    faces: f64,
    is_line: bool,
) -> Option<SeparatingAxis<X>> {
    let tie = NOISE * pair.scale;
    let mut best = faces;
    let mut source = None;
    if let Some((axis, width)) = near.axis
        && width > best + slack(pair, relative, width)
    {
        (best, source) = (width, Some((axis, between(near))));
    }
    if is_line || near.axis.is_none_or(|(_, width)| width <= CLEAR * pair.scale) {
        let margin = if source.is_some() { tie } else { slack(pair, relative, best) };
        if let Some(edges) = best_edges(pair, near, best + margin) {
            best = edges.separation;
            source = Some((edges.normal, crossing(pair, &edges)));
        }
    }
    if is_line && let Some((normal, separation, found)) = best_corners(pair, near, best + tie) {
        (best, source) = (separation, Some((normal, found)));
    }
    source.map(|(normal, source)| SeparatingAxis { normal, separation: best, source })
}

/// A unit vector perpendicular to an edge of either body, as closely as possible from the first to the second.
fn aside<X: Dim>(pair: &SolidPair<X>) -> X::Vector {
    let view = if pair.a.polytope.edges.is_empty() { &pair.b } else { &pair.a };
    let edge = view.polytope.edges.first().map(|e| view.corner(e[1]) - view.corner(e[0]));
    let along = edge.filter(|e| e.norm2() > 0.0).map_or(X::Vector::axis(0), |e| e * (1.0 / e.norm()));
    let off = pair.between - along * pair.between.dot(&along);
    let norm = off.norm();
    if norm > NOISE * pair.scale { off * (1.0 / norm) } else { X::frame(along).row_vector(1) }
}

/// Is the first of two equal faces the reference? The choice does not depend on the order of the bodies: it is the
/// lower one along a fixed direction to which no common wall, slope or lattice is perpendicular. `upward` points from
/// the first to the second.
pub(in crate::interaction) fn leads<X: Dim>(upward: X::Vector) -> bool {
    upward.dot(&X::Vector::read(&TIE_BREAK)) > 0.0
}

/// Cosine between a unit vector and the fixed direction.
fn alignment<X: Dim>(normal: X::Vector) -> f64 {
    normal.dot(&X::Vector::read(&TIE_BREAK)).abs()
}

fn between<X: Dim>(near: &NearestPoints<X>) -> AxisSource<X> {
    AxisSource::Between { on_a: near.on_a, on_b: near.on_b, corners: near.corners }
}

/// The face of `own` with the widest slab to `other`, if any reaches `floor`; `cut` is a point of `other`.
fn best_face<X: Dim>(
    own: &SolidView<X>,
    other: &SolidView<X>,
    toward: X::Vector,
    cut: X::Vector,
    floor: f64,
) -> Option<(usize, f64)> {
    let cut = own.to_body(cut - own.centre);
    // Faces covered by other parts do not count.
    let bound = |face: usize| {
        let Face { normal, covered, .. } = &own.polytope.faces[face];
        if *covered { f64::NEG_INFINITY } else { normal.dot(&cut) - own.offset(face) }
    };
    let slab = |face: usize| {
        let normal = own.normal(face);
        let (corner, reach) = other.support(-normal);
        if !other.polytope.admits(corner, other.to_body(-normal)) {
            return f64::NEG_INFINITY;
        }
        normal.dot(&toward) - own.offset(face) - reach
    };
    let (mut first, mut most) = (usize::MAX, f64::NEG_INFINITY);
    let mut bounds = [f64::NEG_INFINITY; FEW];
    for face in 0..own.polytope.faces.len() {
        let b = bound(face);
        if let Some(known) = bounds.get_mut(face) {
            *known = b;
        }
        if b > most {
            (first, most) = (face, b);
        }
    }
    if first == usize::MAX || most < floor {
        return None;
    }
    let (mut best, mut width) = (first, slab(first));
    for face in 0..own.polytope.faces.len() {
        let b = bounds.get(face).copied().unwrap_or_else(|| bound(face));
        if b > width.max(floor) && face != first {
            let s = slab(face);
            if s > width {
                (best, width) = (face, s);
            }
        }
    }
    (width >= floor && width > f64::NEG_INFINITY).then_some((best, width))
}

/// The widest axis perpendicular to an edge of each body, if wider than `floor`.
fn best_edges<X: Dim>(pair: &SolidPair<X>, near: &NearestPoints<X>, floor: f64) -> Option<EdgeCrossing<X>> {
    let (mut of_a, mut of_b) = (EdgeSet::default(), EdgeSet::default());
    candidate_edges(&pair.a, near.on_b, floor, &mut of_a);
    candidate_edges(&pair.b, near.on_a, floor, &mut of_b);
    let mut best = None;
    let mut least = floor;
    let noise = 4.0 * NOISE * pair.scale;
    let posed_edge = |view: &SolidView<X>, edge: [u32; 2]| {
        let start = view.corner(edge[0]);
        (start, view.corner(edge[1]) - start)
    };
    let mut posed_edges = [(X::Vector::zero(), X::Vector::zero()); 32];
    for (entry, &edge) in posed_edges.iter_mut().zip(of_b.all()) {
        *entry = posed_edge(&pair.b, edge);
    }
    for &first in of_a.all() {
        let (start, edge) = posed_edge(&pair.a, first);
        for (k, &second) in of_b.all().iter().enumerate() {
            let (other, along) = if k < posed_edges.len() { posed_edges[k] } else { posed_edge(&pair.b, second) };
            let perpendicular = X::across(edge, along);
            let norm2 = perpendicular.norm2();
            // For parallel edges a face or the nearest points give the axis.
            if norm2 <= 1e-20 * edge.norm2() * along.norm2() {
                continue;
            }
            let Some(outward) = pair.sign(perpendicular, start, other) else { continue };
            let normal = perpendicular * (outward / norm2.sqrt());
            // Three upper bounds of the slab along this axis, from points of either body, with a margin against
            // rounding.
            let bound = normal.dot(&(other - start));
            let least_bound = bound.min(normal.dot(&(near.on_b - start))).min(normal.dot(&(other - near.on_a)));
            if least_bound < least - noise {
                continue;
            }
            let admits = |view: &SolidView<X>, edge: [u32; 2], direction: X::Vector| {
                edge.iter().all(|&corner| view.polytope.admits(corner, view.to_body(direction)))
            };
            if !admits(&pair.a, first, normal) || !admits(&pair.b, second, -normal) {
                continue;
            }
            let (separation, ..) = pair.separation(normal);
            // The slab ends at other features: if it counts, those features produce it.
            if bound - separation > noise {
                continue;
            }
            // Of equal axes the one closer to the fixed direction is taken, so that the order of the bodies does not
            // matter.
            let equal =
                |known: &EdgeCrossing<X>| separation == least && alignment::<X>(normal) > alignment::<X>(known.normal);
            if separation > least || best.as_ref().is_some_and(equal) {
                least = separation;
                best = Some(EdgeCrossing { normal, separation, first, second });
            }
        }
    }
    best
}

/// The widest axis from a corner of either body to an edge of the other, if wider than `floor`. It is needed for lines:
/// nearly parallel to an edge, they are ill-conditioned for the nearest-point algorithm.
fn best_corners<X: Dim>(
    pair: &SolidPair<X>,
    near: &NearestPoints<X>,
    floor: f64,
) -> Option<(X::Vector, f64, AxisSource<X>)> {
    let (mut of_a, mut of_b) = (EdgeSet::default(), EdgeSet::default());
    candidate_edges(&pair.a, near.on_b, floor, &mut of_a);
    candidate_edges(&pair.b, near.on_a, floor, &mut of_b);
    let foot = |view: &SolidView<X>, edge: [u32; 2], point: X::Vector| {
        let (from, to) = (view.corner(edge[0]), view.corner(edge[1]));
        let along = to - from;
        from + along * ((point - from).dot(&along) / along.norm2()).clamp(0.0, 1.0)
    };
    let (mut best, mut least) = (None, floor);
    let mut offer = |on_a: X::Vector, on_b: X::Vector, corners: [u32; 2]| {
        let away = on_b - on_a;
        let norm = away.norm();
        // The slab is no wider than the distance of any two points.
        if norm <= least.max(0.0) {
            return;
        }
        let normal = away * (1.0 / norm);
        let (separation, ..) = pair.separation(normal);
        if separation > least {
            least = separation;
            best = Some((normal, separation, AxisSource::Between { on_a, on_b, corners }));
        }
    };
    for &first in of_a.all() {
        for &second in of_b.all() {
            for i in first {
                let corner = pair.a.corner(i);
                offer(corner, foot(&pair.b, second, corner), [i, second[0]]);
            }
            for j in second {
                let corner = pair.b.corner(j);
                offer(foot(&pair.a, first, corner), corner, [first[0], j]);
            }
        }
    }
    best
}

/// The nearest points of two crossing edges, each clamped to its edge.
fn crossing<X: Dim>(pair: &SolidPair<X>, edges: &EdgeCrossing<X>) -> AxisSource<X> {
    let (p, q) = (pair.a.corner(edges.first[0]), pair.b.corner(edges.second[0]));
    let (d, e) = (pair.a.corner(edges.first[1]) - p, pair.b.corner(edges.second[1]) - q);
    let (dd, ee, de, r) = (d.norm2(), e.norm2(), d.dot(&e), q - p);
    let determinant = dd * ee - de * de;
    let s = (d.dot(&r) * ee - e.dot(&r) * de) / determinant;
    let t = (d.dot(&r) * de - e.dot(&r) * dd) / determinant;
    AxisSource::Between {
        on_a: p + d * s.clamp(0.0, 1.0),
        on_b: q + e * t.clamp(0.0, 1.0),
        corners: [edges.first[0], edges.second[0]],
    }
}
