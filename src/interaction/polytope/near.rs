//! Contact points around a single nearest point: corners and crossings of edges close above the other body.
//!
//! Over the plane perpendicular to the axis, the gap of two convex bodies is a convex, piecewise linear function. Its
//! vertices are corners of either body and crossings of their edges; those within the alert distance become contact
//! points. Without them, each change of the nearest features would leave an overlap behind.

use super::axis::{SeparatingAxis, leads};
use super::clip::{corner_name, crossing_name};
use super::view::{Contact, SolidView};
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
/// Number of edges for which less memory is cleared.
const FEW_EDGES: usize = 8;

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
        let sides = self.sides(axis);
        self.near_corners(axis, &sides, known, emit);
        self.near_crossings(axis, &sides, known, emit);
    }

    fn is_known(&self, point: X::Vector, n: X::Vector, known: &KnownPoints<X>) -> bool {
        let aside = |away: X::Vector| (away - n * n.dot(&away)).norm();
        known.points.iter().any(|other| aside(point - *other) <= NEAREST * self.pair.scale)
    }

    /// Both bodies, each seen from the other.
    pub(super) fn sides(&self, axis: &SeparatingAxis<X>) -> [FacingSide<'_, '_, X>; 2] {
        [FacingSide::new(&self.pair.a, axis.normal), FacingSide::new(&self.pair.b, -axis.normal)]
    }

    pub(super) fn near_corners(
        &self,
        axis: &SeparatingAxis<X>,
        sides: &[FacingSide<X>; 2],
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let lead = leads::<X>(axis.normal);
        for of_second in [lead, !lead] {
            let (one, facing) = (&sides[usize::from(of_second)], &sides[usize::from(!of_second)]);
            let (own, other) = (one.view, facing.view);
            let up = if of_second { axis.normal } else { -axis.normal };
            let support = facing.top * other.size;
            // The heights along the axis rule out most corners; the margin covers rounding.
            let low = up.dot(&(own.centre - other.centre)) - support;
            let out_of_reach = self.limit + ROUNDING * self.pair.scale;
            let rounding = [self.rounding[usize::from(of_second)], self.rounding[usize::from(!of_second)]];
            for i in 0..own.polytope.vertices.len() as u32 {
                if low - one.height(i) * own.size > out_of_reach {
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
                    let point = self.pair.middle + (corner - up * (0.5 * (height + rounding[0] - rounding[1])));
                    let gap = height - (rounding[0] + rounding[1]);
                    emit(ContactPoint { feature, normal: axis.normal, point, gap });
                }
            }
        }
    }

    fn near_crossings(
        &self,
        axis: &SeparatingAxis<X>,
        sides: &[FacingSide<X>; 2],
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        let n = axis.normal;
        let margin = self.limit - axis.separation;
        let of_a = sides[0].close_edges(margin);
        if of_a.count == 0 {
            return;
        }
        let of_b = sides[1].close_edges(margin);
        // The order of the loops does not depend on which body is first.
        let second = leads::<X>(n);
        let (one, other) = if second { (&of_b, &of_a) } else { (&of_a, &of_b) };
        if other.count <= FEW_EDGES {
            self.cross::<FEW_EDGES>(one, other, (n, margin), second, known, emit);
        } else {
            self.cross::<MOST>(one, other, (n, margin), second, known, emit);
        }
    }

    /// Emits the crossings of edges of one body with those of the other, at most `N`; `second` if the one is the second
    /// body. No crossing of two edges is closer than their depths together.
    fn cross<const N: usize>(
        &self,
        one: &CloseEdges<X>,
        other: &CloseEdges<X>,
        (n, margin): (X::Vector, f64),
        second: bool,
        known: &KnownPoints<X>,
        emit: &mut impl FnMut(ContactPoint<X>),
    ) {
        if one.count == 0 || other.count == 0 {
            return;
        }
        let margin = margin + ROUNDING * self.pair.scale;
        let mut posed_edges = [PosedEdge::of(other.view, other.edges[0]); N];
        for (posed_edge, &edge) in posed_edges.iter_mut().zip(&other.edges[..other.count]).skip(1) {
            *posed_edge = PosedEdge::of(other.view, edge);
        }
        for (&edge, &depth) in one.edges.iter().zip(&one.depths).take(one.count) {
            if depth + other.least > margin {
                continue;
            }
            let posed_edge = PosedEdge::of(one.view, edge);
            // Only edges with their ends on opposite sides cross it.
            let aside = X::beyond(posed_edge.along, n);
            let close = ROUNDING * self.pair.scale * aside.norm();
            for (across, &below) in posed_edges.iter().zip(&other.depths).take(other.count) {
                if depth + below > margin {
                    continue;
                }
                let start = aside.dot(&(across.from - posed_edge.from));
                let end = start + aside.dot(&across.along);
                if (start > close && end > close) || (start < -close && end < -close) {
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

/// A body seen from the other one: how far its corners extend along the axis.
pub(super) struct FacingSide<'a, 'b, X: Dim> {
    view: &'a SolidView<'b, X>,
    /// The direction to the other body, in body axes.
    toward: X::Vector,
    /// Heights of the first corners along it, at size one.
    heights: [f64; FEW],
    /// Height of the highest corner, at size one.
    top: f64,
}

impl<'a, 'b, X: Dim> FacingSide<'a, 'b, X> {
    fn new(view: &'a SolidView<'b, X>, direction: X::Vector) -> Self {
        let toward = view.to_body(direction);
        let (mut heights, mut top) = ([f64::NEG_INFINITY; FEW], f64::NEG_INFINITY);
        for (i, vertex) in view.polytope.vertices.iter().enumerate() {
            let height = vertex.dot(&toward);
            if let Some(known) = heights.get_mut(i) {
                *known = height;
            }
            top = if height > top { height } else { top };
        }
        Self { view, toward, heights, top }
    }

    #[inline]
    fn height(&self, corner: u32) -> f64 {
        match self.heights.get(corner as usize) {
            Some(known) => *known,
            None => self.view.polytope.vertices[corner as usize].dot(&self.toward),
        }
    }

    /// Edges that come within `margin` of the highest corner, are not steep, and are not on a seam.
    #[inline(always)]
    fn close_edges(&self, margin: f64) -> CloseEdges<'a, 'b, X> {
        let Polytope { vertices, edges, seams, .. } = self.view.polytope;
        let size = self.view.size;
        let top = self.top * size / size;
        let mut found =
            CloseEdges { view: self.view, count: 0, edges: [0; MOST], depths: [0.0; MOST], least: f64::INFINITY };
        for (k, &[p, q]) in edges.iter().enumerate() {
            let (from, to) = (self.height(p), self.height(q));
            let depth = (top - if from > to { from } else { to }) * size;
            if depth > margin {
                continue;
            }
            if found.count == MOST {
                break;
            }
            let rise = to - from;
            let along = vertices[q as usize] - vertices[p as usize];
            let is_open = || [p, q].iter().all(|&corner| self.view.polytope.admits(corner, self.toward));
            if rise * rise <= STEEP * STEEP * along.norm2() && (seams.is_empty() || is_open()) {
                (found.edges[found.count], found.depths[found.count]) = (k as u32, depth);
                found.least = if depth < found.least { depth } else { found.least };
                found.count += 1;
            }
        }
        found
    }
}

/// Edges of a body that can cross one of the other within the alert distance.
struct CloseEdges<'a, 'b, X: Dim> {
    view: &'a SolidView<'b, X>,
    count: usize,
    edges: [u32; MOST],
    /// How far each lies below the highest corner, m.
    depths: [f64; MOST],
    /// The least of these.
    least: f64,
}

#[cfg(test)]
mod tests {
    use super::super::axis::widest;
    use super::super::oracle::{TestRandom, cuboid, prism, random};
    use super::super::view::{Solid, SolidPair};
    use super::*;
    use crate::dim::{Quaternion, Space};
    use nalgebra::Vector3;

    /// Names and gaps of the crossings that `find` emits, in order.
    fn emitted(find: impl FnOnce(&mut dyn FnMut(ContactPoint<Space>))) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        find(&mut |touch| found.push((touch.feature, touch.gap.to_bits())));
        found
    }

    #[test]
    fn the_bounds_on_crossings_rule_out_none_within_the_alert_distance() {
        let (mut rng, mut crossings) = (TestRandom(19), 0);
        let solids = [cuboid(Vector3::new(1.0, 0.6, 0.4)), prism(7, 0.5)];
        let templates: Vec<_> = solids.into_iter().chain([10, 24].map(|n| random(n, &mut rng))).collect();
        for round in 0..20_000 {
            let [p, q] = [0, 1].map(|_| &templates[(rng.uniform() * 4.0) as usize]);
            let turn = |rng: &mut TestRandom| Quaternion::new(rng.signed(), rng.signed(), rng.signed(), rng.signed());
            let orientation = turn(&mut rng);
            let a = Solid { polytope: p, size: 1.0, position: rng.direction::<Space>(), orientation, rounding: 0.0 };
            let orientation = if round % 3 == 0 { orientation } else { turn(&mut rng) };
            let mut b = Solid { polytope: q, orientation, size: 0.5 + rng.uniform(), ..a };
            b.position += rng.direction::<Space>() * 2.2;
            let (apart, axis) = super::super::distance(&a, &b);
            b.position += axis * (10f64.powf(-6.0 * rng.uniform() - 1.0) * rng.signed() - apart);
            let (pair, limit) = (SolidPair::new(&a, &b), 0.2 * rng.uniform());
            let Ok(axis) = widest(&pair, limit, 0.0) else { continue };
            let contact = Contact { pair: &pair, limit, rounding: [0.0; 2] };
            let (sides, known) = (contact.sides(&axis), KnownPoints { points: &[], beside: 0 });
            let found = emitted(|emit| contact.near_crossings(&axis, &sides, &known, &mut |touch| emit(touch)));
            let [of_a, of_b] = [0, 1].map(|side| sides[side].close_edges(limit - axis.separation));
            let posed = |of: &CloseEdges<Space>| {
                let edges = of.edges[..of.count].iter();
                edges.map(|&edge| PosedEdge::of(of.view, edge)).collect::<Vec<_>>()
            };
            let (first, last) = (posed(&of_a), posed(&of_b));
            let mut all = emitted(|emit| {
                for (x, y) in first.iter().flat_map(|x| last.iter().map(move |y| (x, y))) {
                    contact.crossing(x, y, axis.normal, &known, &mut |touch| emit(touch));
                }
            });
            let mut sorted = found.clone();
            all.sort_unstable();
            sorted.sort_unstable();
            assert_eq!(sorted, all, "{round}");
            crossings += found.len();
        }
        assert!(crossings > 20_000, "{crossings}");
    }
}
