//! Contact points around a single nearest point: corners and crossings of edges close above the other body.
//!
//! Over the plane perpendicular to the axis, the gap of two convex bodies is a convex, piecewise linear function. Its
//! vertices are corners of either body and crossings of their edges; those within the alert distance become contact
//! points. Without them, each change of the nearest features would leave an overlap behind.

use super::axis::{SeparatingAxis, leads};
use super::clip::{corner_name, crossing_name};
use super::view::{Contact, SolidPair, SolidView};
use crate::contactor::Polytope;
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;

/// A point within this distance (relative to the scale, perpendicular to the axis) of a known point is that point.
const NEAREST: f64 = 1e-6;
/// A crossing this close to the end of an edge, as a fraction of its length, is a corner.
const END: f64 = 1e-9;
/// Cosine to the axis above which an edge rises out of reach next to its corner, which is found by itself.
const STEEP: f64 = 0.5;
/// Angle, rad, below which edges do not cross: bodies stacked flush keep their corners.
const PARALLEL: f64 = 1e-4;
/// Largest number of edges considered on each side.
const MOST: usize = 24;
/// Upper bound on the rounding errors here, relative to the scale.
const ROUNDING: f64 = 1e-12;
/// Number of corners whose heights are cached.
const FEW: usize = 32;

/// Contact points found already.
pub(super) struct KnownPoints<'a, X: Dim> {
    /// On the first body, relative to the midpoint.
    pub(super) points: &'a [X::Vector],
    /// Added to the names of corners, so that they differ from the names of the face overlap.
    pub(super) beside: u32,
}

impl<X: Dim> Contact<'_, '_, X> {
    /// Emits the features that touch next, with gaps along the axis, except for known points.
    pub(super) fn near(
        &self,
        axis: &SeparatingAxis<X>,
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        // For rounded bodies, heights above the cores do not give the gaps of the surfaces.
        if self.rounding != [0.0; 2] {
            return;
        }
        self.near_corners(axis, known, emit);
        self.near_crossings(axis, known, emit);
    }

    fn is_known(&self, point: X::Vector, n: X::Vector, known: &KnownPoints<X>) -> bool {
        let aside = |away: X::Vector| (away - n * n.dot(&away)).norm();
        known.points.iter().any(|other| aside(point - *other) <= NEAREST * self.pair.scale)
    }

    pub(super) fn near_corners(
        &self,
        axis: &SeparatingAxis<X>,
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let SolidPair { a, b, middle, .. } = self.pair;
        let lead = leads::<X>(axis.normal);
        for of_second in [lead, !lead] {
            let (own, other, up) = if of_second { (b, a, axis.normal) } else { (a, b, -axis.normal) };
            let (_, support) = other.support(up);
            // A cheap bound in body axes rules out most corners; its margin covers rounding.
            let low = up.dot(&(own.centre - other.centre)) - support;
            let inward = own.to_body(up) * own.size;
            let out_of_reach = self.limit + ROUNDING * self.pair.scale;
            let rounding = [self.rounding[usize::from(of_second)], self.rounding[usize::from(!of_second)]];
            for (i, vertex) in (0..).zip(&own.polytope.vertices) {
                if low + inward.dot(vertex) > out_of_reach {
                    continue;
                }
                let corner = own.corner(i);
                let from_other = corner - other.centre;
                let feature = u64::from(corner_name(i | known.beside, of_second));
                let skip = up.dot(&from_other) - support > self.limit
                    || !own.polytope.admits(i, own.to_body(-up))
                    || self.is_known(corner, axis.normal, known);
                if skip {
                    continue;
                }
                if let Some(height) = other.height(from_other, up, self.limit) {
                    let point = *middle + (corner - up * (0.5 * (height + rounding[0] - rounding[1])));
                    let gap = height - (rounding[0] + rounding[1]);
                    emit(ContactPoint { feature, normal: axis.normal, point, gap });
                }
            }
        }
    }

    fn near_crossings(&self, axis: &SeparatingAxis<X>, known: &KnownPoints<X>, emit: &mut impl FnMut(ContactPoint<X>)) {
        let SolidPair { a, b, .. } = self.pair;
        let n = axis.normal;
        let margin = self.limit - axis.separation;
        let (mut of_a, mut of_b) = ([0; MOST], [0; MOST]);
        let (of_a, of_b) = (close_edges(a, n, margin, &mut of_a), close_edges(b, -n, margin, &mut of_b));
        // The order of the loops does not depend on which body is first.
        if leads::<X>(n) {
            self.cross((b, of_b), (a, of_a), n, true, known, emit);
        } else {
            self.cross((a, of_a), (b, of_b), n, false, known, emit);
        }
    }

    /// Emits the crossings of edges of one body with those of the other; `second` if the one is the second body.
    fn cross(
        &self,
        (one, of_one): (&SolidView<X>, &[u32]),
        (other, of_other): (&SolidView<X>, &[u32]),
        n: X::Vector,
        second: bool,
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        if of_one.is_empty() || of_other.is_empty() {
            return;
        }
        let mut posed_edges = [PosedEdge::of(other, of_other[0]); MOST];
        for (posed_edge, &edge) in posed_edges.iter_mut().zip(of_other).skip(1) {
            *posed_edge = PosedEdge::of(other, edge);
        }
        for &edge in of_one {
            let posed_edge = PosedEdge::of(one, edge);
            // Only edges with their ends on opposite sides cross it.
            let aside = X::beyond(posed_edge.along, n);
            let close = ROUNDING * self.pair.scale * aside.norm();
            for across in &posed_edges[..of_other.len()] {
                let start = aside.dot(&(across.from - posed_edge.from));
                let end = start + aside.dot(&across.along);
                if start.min(end) > close || start.max(end) < -close {
                    continue;
                }
                let (first, last) = if second { (across, &posed_edge) } else { (&posed_edge, across) };
                self.crossing(first, last, n, known, emit);
            }
        }
    }

    /// Emits the crossing of an edge of the first body with one of the second.
    fn crossing(
        &self,
        a: &PosedEdge<X>,
        b: &PosedEdge<X>,
        n: X::Vector,
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let [rounding_a, rounding_b] = self.rounding;
        let (p, d, q, e) = (a.from, a.along, b.from, b.along);
        let triple_product = X::across(d, e).dot(&n);
        if triple_product * triple_product <= PARALLEL * PARALLEL * d.norm2() * e.norm2() {
            return;
        }
        let (s, t) = (X::across(q - p, e).dot(&n) / triple_product, X::across(q - p, d).dot(&n) / triple_product);
        let within = END..=1.0 - END;
        if !within.contains(&s) || !within.contains(&t) {
            return;
        }
        let (below, above) = (p + d * s, q + e * t);
        let height = n.dot(&(above - below));
        if height > self.limit || self.is_known(below, n, known) {
            return;
        }
        let point = self.pair.middle + ((below + above) * 0.5 + n * (0.5 * (rounding_a - rounding_b)));
        let feature = crossing_name(a.edge | 0x4000, b.edge | 0x4000).into();
        emit(ContactPoint { feature, normal: n, point, gap: height - (rounding_a + rounding_b) });
    }
}

/// An edge in world axes, relative to the midpoint.
#[derive(Clone, Copy)]
struct PosedEdge<X: Dim> {
    edge: u32,
    from: X::Vector,
    along: X::Vector,
}

impl<X: Dim> PosedEdge<X> {
    fn of(view: &SolidView<X>, edge: u32) -> Self {
        let [from, to] = view.polytope.edges[edge as usize].map(|corner| view.corner(corner));
        Self { edge, from, along: to - from }
    }
}

/// Edges that come within `margin` of the farthest point along `n`, are not steep, and are not on a seam.
fn close_edges<'r, X: Dim>(view: &SolidView<X>, n: X::Vector, margin: f64, found: &'r mut [u32; MOST]) -> &'r [u32] {
    let Polytope { vertices, edges, .. } = view.polytope;
    let direction = view.to_body(n);
    let mut heights = [f64::NEG_INFINITY; FEW];
    for (height, vertex) in heights.iter_mut().zip(vertices) {
        *height = vertex.dot(&direction);
    }
    let height = |corner: u32| {
        let known = heights.get(corner as usize).copied();
        known.unwrap_or_else(|| vertices[corner as usize].dot(&direction))
    };
    let support = (FEW..vertices.len()).map(|i| height(i as u32)).chain(heights).fold(f64::NEG_INFINITY, f64::max);
    let support = support * view.size / view.size;
    let mut count = 0;
    for (k, edge) in edges.iter().enumerate() {
        let [low, high] = edge.map(height);
        if (support - low.max(high)) * view.size > margin || count == MOST {
            continue;
        }
        let rise = high - low;
        let [p, q] = edge.map(|corner| vertices[corner as usize]);
        let is_open = || edge.iter().all(|&corner| view.polytope.admits(corner, direction));
        if rise * rise <= STEEP * STEEP * (q - p).norm2() && is_open() {
            found[count] = k as u32;
            count += 1;
        }
    }
    &found[..count]
}
