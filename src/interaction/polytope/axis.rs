//! The axis of largest separation of two polytopes.
//!
//! In: a pair. Out: unit axis, signed distance, and the features it stems from. Overlapping polytopes are least deep
//! along the normal of a face of {b - a}, which is that of a face of either or square to an edge of each; disjoint
//! ones are furthest apart along the line of their nearest points. Every candidate is judged by the slab between the
//! two that is square to it, so a bad candidate loses and cannot lie. Most candidates never are tried:
//! a point c of the other body bounds the slab along face normal n by n.c - offset, and along any axis on the arc
//! between the normals of two faces by the larger of the two bounds, where that is negative.

use super::nearest::{NearestOutcome, NearestPoints, nearest};
use super::view::{SolidPair, SolidView};
use crate::contactor::Face;
use crate::dim::{Dim, Square, Vector};

/// A face normal is as good as any axis wider by less than this, in units of the scale: the noise of rounding.
const NOISE: f64 = 1e-15;
/// Where the nearest points are further apart than this, in units of the scale, their direction beats all edges.
const CLEAR: f64 = 1e-7;
/// How deep behind a face, in alert distances, a body may be that is separated from the part only along an axis the
/// whole does not have, and still be held by that face. One, for a step moves nothing further than the alert
/// distance: what came over the end of the face in a notch is no deeper, and what is deeper came another way, where
/// other parts hold it. Less lets go of corners that sank into a notch by more than that share of it.
const PASSED: f64 = 1.0;
/// Faces whose bounds are remembered.
const FEW: usize = 64;
/// Decides between equals.
const UP: [f64; 3] = [0.3217, 0.5763, 0.7512];

/// Axis from the first to the second.
pub(super) struct SeparatingAxis<X: Dim> {
    pub(super) normal: X::Vector,
    pub(super) separation: f64,
    pub(super) source: AxisSource<X>,
}

/// Where the axis comes from.
pub(super) enum AxisSource<X: Dim> {
    /// A face of the first.
    FaceOfA(usize),
    /// A face of the second.
    FaceOfB(usize),
    /// No face: the nearest points on the two, and the lowest corner of the edge or the corner they lie on.
    Between { on_a: X::Vector, on_b: X::Vector, corners: [u32; 2] },
}

/// An axis between two edges.
struct EdgeCrossing<X: Dim> {
    normal: X::Vector,
    separation: f64,
    first: [u32; 2],
    second: [u32; 2],
}

/// Finds the axis; `Err` with a separating one as soon as the two are shown to be further apart than `alert`. Face
/// normals are taken as long as no other axis is wider by more than `relative` times its own separation.
pub(super) fn widest<X: Dim>(
    pair: &SolidPair<X>,
    alert: f64,
    relative: f64,
) -> Result<SeparatingAxis<X>, (X::Vector, f64)> {
    let near = match nearest(pair, alert) {
        NearestOutcome::Apart(axis, width) => return Err((axis, width)),
        NearestOutcome::Near(near) => near,
    };
    // Past a seam another part goes on: what separates two parts there separates no bodies.
    let is_apart = near.axis.is_some();
    let near = NearestPoints { axis: near.axis.filter(|(axis, _)| pair.admits(*axis)), ..near };
    // Then only a face that the other body has hardly passed can be what it touches.
    let deepest = match (near.axis, is_apart) {
        (None, true) => -PASSED * alert.max(0.0),
        _ => f64::NEG_INFINITY,
    };
    let slack = |separation: f64| NOISE * pair.scale + relative * separation.abs();
    // Faces this much worse than the nearest points need no trial.
    let floor = near.axis.map_or(f64::NEG_INFINITY, |(_, width)| width - slack(width));
    let of_a = best_face(&pair.a, &pair.b, pair.between, near.on_b, floor);
    let tie = NOISE * pair.scale;
    let known = of_a.map_or(floor, |(_, s)| floor.max(s - tie));
    let of_b = best_face(&pair.b, &pair.a, -pair.between, near.on_a, known);
    let faces = of_a.map_or(f64::NEG_INFINITY, |f| f.1).max(of_b.map_or(f64::NEG_INFINITY, |f| f.1));
    if faces < deepest {
        return Err((pair.between, f64::INFINITY));
    }
    if faces > alert {
        // Only a face can show a separation that the nearest points missed by their rounding.
        let axis = of_a.filter(|f| f.1 == faces).map(|f| pair.a.normal(f.0));
        let axis = axis.or(of_b.map(|f| -pair.b.normal(f.0)));
        return Err((axis.unwrap_or(pair.between), faces));
    }
    let mut best = faces;
    let mut source = None;
    if let Some((axis, width)) = near.axis
        && width > best + slack(width)
    {
        (best, source) = (width, Some((axis, between(&near))));
    }
    let is_line = pair.a.polytope.faces.is_empty() || pair.b.polytope.faces.is_empty();
    if is_line || near.axis.is_none_or(|(_, width)| width <= CLEAR * pair.scale) {
        let handicap = if source.is_some() { tie } else { slack(best) };
        if let Some(edges) = best_edges(pair, &near, best + handicap) {
            best = edges.separation;
            source = Some((edges.normal, crossing(pair, &edges)));
        }
    }
    if is_line && let Some((normal, separation, found)) = best_corners(pair, &near, best + tie) {
        (best, source) = (separation, Some((normal, found)));
    }
    if let Some((normal, source)) = source {
        return Ok(SeparatingAxis { normal, separation: best, source });
    }
    let take_b = |face: (usize, f64)| SeparatingAxis {
        normal: -pair.b.normal(face.0),
        separation: face.1,
        source: AxisSource::FaceOfB(face.0),
    };
    match (of_a, of_b) {
        (Some(a), b) => {
            let normal = pair.a.normal(a.0);
            match b {
                Some(b) if b.1 > a.1 + tie || (b.1 >= a.1 - tie && !leads::<X>(normal - pair.b.normal(b.0))) => {
                    Ok(take_b(b))
                }
                _ => Ok(SeparatingAxis { normal, separation: a.1, source: AxisSource::FaceOfA(a.0) }),
            }
        }
        (None, Some(b)) => Ok(take_b(b)),
        // Two lines without faces on each other, or one through a corner of the other.
        (None, None) if !is_line => Err((pair.between, f64::INFINITY)), // Parts that others cover all around.
        (None, None) => {
            let normal = aside(pair);
            Ok(SeparatingAxis { normal, separation: pair.separation(normal).0, source: between(&near) })
        }
    }
}

/// A unit vector square to an edge of either, as far as it can be from the first to the second.
fn aside<X: Dim>(pair: &SolidPair<X>) -> X::Vector {
    let view = if pair.a.polytope.edges.is_empty() { &pair.b } else { &pair.a };
    let edge = view.polytope.edges.first().map(|e| view.corner(e[1]) - view.corner(e[0]));
    let along = edge.filter(|e| e.norm2() > 0.0).map_or(X::Vector::axis(0), |e| e * (1.0 / e.norm()));
    let off = pair.between - along * pair.between.dot(&along);
    let norm = off.norm();
    if norm > NOISE * pair.scale { off * (1.0 / norm) } else { X::frame(along).row_vector(1) }
}

/// Which of two equal faces is the reference does not depend on who is first: the one below along a fixed direction
/// that no common wall, slope or lattice is square to. `upward` points from the first to the second.
pub(in crate::interaction) fn leads<X: Dim>(upward: X::Vector) -> bool {
    upward.dot(&X::Vector::read(&UP)) > 0.0
}

fn steepness<X: Dim>(normal: X::Vector) -> f64 {
    normal.dot(&X::Vector::read(&UP)).abs()
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
    let cut = own.inward(cut - own.centre);
    // What other parts cover counts for nothing.
    let bound = |face: usize| {
        let Face { normal, covered, .. } = &own.polytope.faces[face];
        if *covered { f64::NEG_INFINITY } else { normal.dot(&cut) - own.offset(face) }
    };
    let slab = |face: usize| {
        let normal = own.normal(face);
        let (corner, reach) = other.support(-normal);
        if !other.polytope.admits(corner, other.inward(-normal)) {
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

/// Edges that can carry an axis wider than `floor`: those of faces that `cut` does not rule out, all of a body
/// without faces.
pub(in crate::interaction) fn live_edges<X: Dim>(own: &SolidView<X>, cut: X::Vector, floor: f64, found: &mut EdgeSet) {
    if own.polytope.edges.is_empty() {
        return;
    }
    if own.polytope.faces.is_empty() {
        own.polytope.edges.iter().for_each(|&edge| found.insert(edge));
    }
    let cut = own.inward(cut - own.centre);
    for (k, face) in own.polytope.faces.iter().enumerate() {
        if face.normal.dot(&cut) - own.offset(k) < floor.min(0.0) {
            continue;
        }
        let count = face.corners.len();
        for i in 0..count {
            let (p, q) = (face.corners[i], face.corners[if i + 1 == count { 0 } else { i + 1 }]);
            found.insert([p.min(q), p.max(q)]);
        }
    }
}

/// The widest axis square to an edge of each, wider than `floor`.
fn best_edges<X: Dim>(pair: &SolidPair<X>, near: &NearestPoints<X>, floor: f64) -> Option<EdgeCrossing<X>> {
    let (mut of_a, mut of_b) = (EdgeSet::default(), EdgeSet::default());
    live_edges(&pair.a, near.on_b, floor, &mut of_a);
    live_edges(&pair.b, near.on_a, floor, &mut of_b);
    let mut best = None;
    let mut least = floor;
    let noise = 4.0 * NOISE * pair.scale;
    let place = |view: &SolidView<X>, edge: [u32; 2]| {
        let start = view.corner(edge[0]);
        (start, view.corner(edge[1]) - start)
    };
    let mut placed = [(X::Vector::zero(), X::Vector::zero()); 32];
    for (room, &edge) in placed.iter_mut().zip(of_b.all()) {
        *room = place(&pair.b, edge);
    }
    for &first in of_a.all() {
        let (start, edge) = place(&pair.a, first);
        for (k, &second) in of_b.all().iter().enumerate() {
            let (other, along) = if k < placed.len() { placed[k] } else { place(&pair.b, second) };
            let square = X::across(edge, along);
            let norm2 = square.norm2();
            // Parallel edges: a face or the nearest points do as well.
            if norm2 <= 1e-20 * edge.norm2() * along.norm2() {
                continue;
            }
            let Some(outward) = pair.sign(square, start, other) else { continue };
            let normal = square * (outward / norm2.sqrt());
            // Three bounds of the slab along this axis, from points of either body; rounding must not decide here.
            let bound = normal.dot(&(other - start));
            let least_bound = bound.min(normal.dot(&(near.on_b - start))).min(normal.dot(&(other - near.on_a)));
            if least_bound < least - noise {
                continue;
            }
            let admits = |view: &SolidView<X>, edge: [u32; 2], direction: X::Vector| {
                edge.iter().all(|&corner| view.polytope.admits(corner, view.inward(direction)))
            };
            if !admits(&pair.a, first, normal) || !admits(&pair.b, second, -normal) {
                continue;
            }
            let (separation, ..) = pair.separation(normal);
            // The slab ends at other features: if it counts, they will come up.
            if bound - separation > noise {
                continue;
            }
            // Of equals the steeper, so that the order of the two bodies does not matter.
            let equal =
                |known: &EdgeCrossing<X>| separation == least && steepness::<X>(normal) > steepness::<X>(known.normal);
            if separation > least || best.as_ref().is_some_and(equal) {
                least = separation;
                best = Some(EdgeCrossing { normal, separation, first, second });
            }
        }
    }
    best
}

/// The widest axis from a corner of either to an edge of the other, wider than `floor`. For lines: nearly parallel to
/// an edge they are too much for the nearest points.
fn best_corners<X: Dim>(
    pair: &SolidPair<X>,
    near: &NearestPoints<X>,
    floor: f64,
) -> Option<(X::Vector, f64, AxisSource<X>)> {
    let (mut of_a, mut of_b) = (EdgeSet::default(), EdgeSet::default());
    live_edges(&pair.a, near.on_b, floor, &mut of_a);
    live_edges(&pair.b, near.on_a, floor, &mut of_b);
    let foot = |view: &SolidView<X>, edge: [u32; 2], point: X::Vector| {
        let (from, to) = (view.corner(edge[0]), view.corner(edge[1]));
        let along = to - from;
        from + along * ((point - from).dot(&along) / along.norm2()).clamp(0.0, 1.0)
    };
    let (mut best, mut least) = (None, floor);
    let mut offer = |on_a: X::Vector, on_b: X::Vector, corners: [u32; 2]| {
        let away = on_b - on_a;
        let norm = away.norm();
        // The slab is no wider than the distance of two points.
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

/// The nearest points of two crossing edges, each kept within its edge.
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

/// A set of edges, on the stack unless there are many.
pub(in crate::interaction) struct EdgeSet {
    few: [[u32; 2]; 64],
    count: usize,
    many: Vec<[u32; 2]>,
}

impl Default for EdgeSet {
    fn default() -> Self {
        Self { few: [[0; 2]; 64], count: 0, many: Vec::new() }
    }
}

impl EdgeSet {
    pub(in crate::interaction) fn all(&self) -> &[[u32; 2]] {
        if self.many.is_empty() { &self.few[..self.count] } else { &self.many }
    }

    fn insert(&mut self, edge: [u32; 2]) {
        if self.all().contains(&edge) {
            return;
        }
        if self.many.is_empty() && self.count < self.few.len() {
            self.few[self.count] = edge;
            self.count += 1;
        } else {
            if self.many.is_empty() {
                self.many.extend_from_slice(&self.few);
            }
            self.many.push(edge);
        }
    }
}
