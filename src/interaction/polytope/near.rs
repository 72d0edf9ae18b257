//! What touches next around a single contact point: corners and crossings of edges close over the other body.
//!
//! Over the plane square to the axis the gap of two convex bodies is convex and piecewise linear. Its corners are
//! corners of either body and crossings of their edges; those within the alert distance become contact points. Unseen,
//! each change of the nearest features would leave an overlap behind.

use super::Contact;
use super::axis::{Axis, leads};
use super::clip::{corner_name, crossing_name};
use super::view::{Pair, View};
use crate::dim::{Dim, Vector};
use crate::interaction::fine::Touch;

/// A point within this part of the scale of a known point, across the axis, is that point.
const NEAREST: f64 = 1e-6;
/// A crossing this near to the end of an edge is a corner.
const END: f64 = 1e-9;
/// Edges looked at on each side.
const MOST: usize = 24;

impl<X: Dim> Contact<'_, '_, X> {
    /// Emits them with gaps along the axis, but for those that lie on or over one of the points `nearest`, which are
    /// contact points already.
    pub(super) fn near(&self, axis: &Axis<X>, nearest: &[X::Vector], emit: &mut impl FnMut(Touch<X>)) {
        self.near_corners(axis, nearest, emit);
        self.near_crossings(axis, nearest, emit);
    }

    fn is_known(&self, point: X::Vector, n: X::Vector, nearest: &[X::Vector]) -> bool {
        let aside = |away: X::Vector| (away - n * n.dot(&away)).norm();
        nearest.iter().any(|known| aside(point - *known) <= NEAREST * self.pair.scale)
    }

    fn near_corners(&self, axis: &Axis<X>, nearest: &[X::Vector], emit: &mut impl FnMut(Touch<X>)) {
        let Pair { a, b, middle, .. } = self.pair;
        let lead = leads::<X>(axis.normal);
        for of_second in [lead, !lead] {
            let (own, other, up) = if of_second { (b, a, axis.normal) } else { (a, b, -axis.normal) };
            let (_, support) = other.support(up);
            let rounding = [self.rounding[usize::from(of_second)], self.rounding[usize::from(!of_second)]];
            for i in 0..own.polytope.vertices.len() as u32 {
                let corner = own.corner(i);
                let from_other = corner - other.centre;
                let known = self.is_known(corner, axis.normal, nearest);
                if known || up.dot(&from_other) - support > self.limit {
                    continue;
                }
                if let Some(height) = other.height(from_other, up).filter(|&height| height <= self.limit) {
                    let point = *middle + (corner - up * (0.5 * (height + rounding[0] - rounding[1])));
                    let gap = height - (rounding[0] + rounding[1]);
                    emit(Touch { feature: corner_name(i, of_second).into(), normal: axis.normal, point, gap });
                }
            }
        }
    }

    fn near_crossings(&self, axis: &Axis<X>, nearest: &[X::Vector], emit: &mut impl FnMut(Touch<X>)) {
        let Pair { a, b, middle, .. } = self.pair;
        let n = axis.normal;
        let room = self.limit - axis.separation;
        let (mut of_a, mut of_b) = ([0; MOST], [0; MOST]);
        let (of_a, of_b) = (close_edges(a, n, room, &mut of_a), close_edges(b, -n, room, &mut of_b));
        let [rounding_a, rounding_b] = self.rounding;
        for &i in of_a {
            let [p, p_end] = a.polytope.edges[i as usize].map(|corner| a.corner(corner));
            let d = p_end - p;
            for &j in of_b {
                let [q, q_end] = b.polytope.edges[j as usize].map(|corner| b.corner(corner));
                let e = q_end - q;
                let turn = X::across(d, e).dot(&n);
                // Parallel edges do not cross.
                if turn * turn <= 1e-20 * d.norm2() * e.norm2() {
                    continue;
                }
                let (s, t) = (X::across(q - p, e).dot(&n) / turn, X::across(q - p, d).dot(&n) / turn);
                let within = END..=1.0 - END;
                if !within.contains(&s) || !within.contains(&t) {
                    continue;
                }
                let (below, above) = (p + d * s, q + e * t);
                let height = n.dot(&(above - below));
                let known = self.is_known(below, n, nearest);
                if known || height > self.limit {
                    continue;
                }
                let point = *middle + ((below + above) * 0.5 + n * (0.5 * (rounding_a - rounding_b)));
                let feature = crossing_name(i | 0x4000, j | 0x4000).into();
                emit(Touch { feature, normal: n, point, gap: height - (rounding_a + rounding_b) });
            }
        }
    }
}

/// Edges that come within `room` of the farthest point along `n`.
fn close_edges<'r, X: Dim>(view: &View<X>, n: X::Vector, room: f64, found: &'r mut [u32; MOST]) -> &'r [u32] {
    let direction = view.inward(n) * view.size;
    let (_, support) = view.support(n);
    let mut count = 0;
    for (k, edge) in view.polytope.edges.iter().enumerate() {
        let high = edge.map(|corner| view.polytope.vertices[corner as usize].dot(&direction));
        if support - high[0].max(high[1]) <= room && count < MOST {
            found[count] = k as u32;
            count += 1;
        }
    }
    &found[..count]
}
