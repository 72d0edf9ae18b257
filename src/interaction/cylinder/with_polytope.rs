//! Contact of a cylinder with a polytope or capsule.
//!
//! In: the two posed bodies. Out: axis, distance, contact points. All features that the approximate nearest points do
//! not rule out are tried: caps and faces; side with corners and edges; rims with corners and edges.

use super::near::NearPoints;
use super::pair::{PairFrame, PairGeometry};
use super::{Axis, AxisChoice, Cylinder, Separation};
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;
use crate::interaction::manifold::{MISSED, PART};
use crate::interaction::patch::{Patch, PointName};
use crate::interaction::polytope::{EdgeSet, PREFERENCE, Solid, SolidView, candidate_edges};

/// The two bodies, relative to the midpoint between their centres.
struct CylinderPolytopePair<'a, X: Dim> {
    a: Cylinder<X>,
    b: SolidView<'a, X>,
    rounding: f64,
    between: X::Vector,
    middle: X::Vector,
    scale: f64,
}

/// Distance of the two bodies.
pub fn distance_to_polytope<X: Dim>(a: &Cylinder<X>, b: &Solid<X>) -> Separation<X> {
    let pair = CylinderPolytopePair::new(a, b);
    let (Axis { normal, separation, between }, _) = pair.widest(f64::INFINITY, 0.0);
    let point = pair.middle + (between - normal * (0.5 * b.rounding));
    Separation { distance: separation - b.rounding, normal, point }
}

/// Calls `emit` for each contact point of the two bodies with a gap of at most `alert`.
pub fn touches_polytope<X: Dim>(a: &Cylinder<X>, b: &Solid<X>, alert: f64, mut emit: impl FnMut(ContactPoint<X>)) {
    let pair = CylinderPolytopePair::new(a, b);
    let limit = alert + b.rounding;
    if pair.between.norm() > pair.scale + limit {
        return;
    }
    // Rounded edges need no preference: the normal varies continuously from face to edge.
    let (axis, alternative) = pair.widest(limit, if b.rounding > 0.0 { 0.0 } else { PREFERENCE });
    if axis.separation > limit {
        return;
    }
    let (axis, count, least) = pair.patch_contacts((axis, alternative), alert, &mut emit);
    let gap = axis.separation - b.rounding;
    if count == 0 || least > gap + (MISSED * pair.scale).max(PART * gap.abs()) {
        let point = pair.middle + (axis.between - axis.normal * (0.5 * b.rounding));
        emit(ContactPoint { feature: PointName::Single.number(false), normal: axis.normal, point, gap });
    }
    if count == 0 {
        pair.near_points(&axis, alert, &mut emit);
    }
}

impl<X: Dim> PairGeometry<X> for CylinderPolytopePair<'_, X> {
    const STAGES: usize = 2;

    fn frame(&self) -> PairFrame<X> {
        PairFrame { between: self.between, middle: self.middle, scale: self.scale }
    }

    fn extreme(&self, n: X::Vector) -> [X::Vector; 2] {
        [self.a.extreme(n), self.b.corner(self.b.support(-n).0)]
    }

    fn holds(&self, axis: &Axis<X>, margin: f64) -> bool {
        let half = axis.normal * (0.5 * axis.separation);
        let on_b = self.b.to_body(axis.between + half - self.b.centre);
        let mut faces = self.b.polytope.faces.iter().enumerate();
        self.a.holds(axis.between - half, margin)
            && faces.all(|(k, face)| face.normal.dot(&on_b) - self.b.offset(k) <= margin)
    }

    fn patches(&self, normal: X::Vector) -> [Patch<'_, X>; 2] {
        [self.a.patch(normal), Patch::of_polytope(&self.b, normal, self.rounding)]
    }

    fn offer(&self, stage: usize, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        match stage {
            0 => self.flats(near, choice),
            _ => self.rounds(near, choice),
        }
    }
}

impl<'a, X: Dim> CylinderPolytopePair<'a, X> {
    fn new(a: &Cylinder<X>, b: &Solid<'a, X>) -> Self {
        let between = b.position - a.position;
        let view = SolidView::new(b, between * 0.5);
        let scale = a.reach() + view.reach();
        let middle = (a.position + b.position) * 0.5;
        Self { a: Cylinder { position: between * -0.5, ..*a }, b: view, rounding: b.rounding, between, middle, scale }
    }

    fn slab(&self, n: X::Vector) -> f64 {
        n.dot(&self.between) - (self.a.support(n) + self.b.support(-n).1)
    }

    fn flats(&self, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        let Self { a, b, .. } = self;
        let depths = a.depths(near.on[0]);
        for (k, side) in [(0, -1.0), (1, 1.0)] {
            if depths[k] <= near.slack(choice.width(), self.scale) {
                let n = a.axis * side;
                let (corner, below) = b.support(-n);
                let separation = n.dot(&self.between) - (a.half_length + below);
                choice.offer_flat(n, separation, || b.corner(corner) - n * (0.5 * separation));
            }
        }
        let inside = b.to_body(near.on[1] - b.centre);
        for (k, face) in b.polytope.faces.iter().enumerate() {
            if b.offset(k) - face.normal.dot(&inside) <= near.slack(choice.width(), self.scale) {
                let n = -b.normal(k);
                let separation = n.dot(&self.between) - (a.support(n) + b.offset(k));
                choice.offer_flat(n, separation, || a.extreme(n) + n * (0.5 * separation));
            }
        }
    }

    fn rounds(&self, near: &NearPoints<X>, choice: &mut AxisChoice<X>) {
        let Self { a, b, .. } = self;
        let slack = near.slack(choice.width(), self.scale);
        let depths = a.depths(near.on[0]);
        let mut edges = EdgeSet::default();
        candidate_edges(b, near.on[1], -slack, &mut edges);
        let has_side = depths[2] <= slack;
        for &[i, j] in edges.all() {
            let ends = [b.corner(i), b.corner(j)];
            let edge = ends[1] - ends[0];
            if has_side {
                for end in ends {
                    self.side_corner(end, choice);
                }
                self.side_edge(ends[0], edge, choice);
            }
            for (k, side) in [(0, -1.0), (1, 1.0)] {
                if has_side || depths[k] <= slack {
                    self.rim_edge(side, ends, edge, near.width <= 0.0, choice);
                }
            }
            if choice.is_proven(|axis, margin| self.holds(axis, margin)) {
                return;
            }
        }
    }

    fn side_corner(&self, corner: X::Vector, choice: &mut AxisChoice<X>) {
        let flat = self.a.flat(corner - self.a.position);
        let far = flat.norm();
        if far > 0.0 {
            let n = flat * (1.0 / far);
            choice.offer(
                n,
                far - self.a.radius,
                || self.slab(n),
                |s| (corner - n * (0.5 * s), self.a.is_beside(corner)),
            );
        }
    }

    fn side_edge(&self, start: X::Vector, edge: X::Vector, choice: &mut AxisChoice<X>) {
        let perpendicular = X::across(self.a.axis, edge);
        let norm2 = perpendicular.norm2();
        // The edge is parallel to the axis: its corners give the same axes.
        if norm2 <= 1e-24 * edge.norm2() {
            return;
        }
        let from = start - self.a.position;
        let flat = self.a.flat(edge);
        for sign in [1.0, -1.0] {
            let n = perpendicular * (sign / norm2.sqrt());
            let at = -from.dot(&flat) / flat.norm2();
            let (t, is_on) = (at.clamp(0.0, 1.0), (0.0..=1.0).contains(&at));
            let bound = n.dot(&from) - self.a.radius;
            choice.offer(
                n,
                bound,
                || self.slab(n),
                |s| {
                    let on_b = start + edge * t;
                    (on_b - n * (0.5 * s), is_on && self.a.is_beside(on_b))
                },
            );
        }
    }

    fn rim_edge(&self, side: f64, ends: [X::Vector; 2], edge: X::Vector, overlap: bool, choice: &mut AxisChoice<X>) {
        let (rim, k) = (self.a.rim(side), usize::from(side > 0.0));
        let a = &self.a;
        let bound = |n: X::Vector| n.dot(&(ends[0] - a.position)).min(n.dot(&(ends[1] - a.position))) - a.support(n);
        for (end, other) in [(ends[0], ends[1]), (ends[1], ends[0])] {
            // Where the slab ends at the other corner, that one is the nearest, and has an axis of its own.
            if let Some(n) = rim.toward(end).filter(|n| n.dot(&(other - end)) >= -choice.tangency) {
                let own = n.dot(&(end - a.position)) - a.support(n);
                choice.offer(n, own, || self.slab(n), |s| (end - n * (0.5 * s), a.depths(end)[k] <= 0.0));
            }
        }
        // Where the axis is that of the cap, any point of the edge above the cap is nearest: take the one closest to
        // the cylinder axis.
        let from = a.flat(ends[0] - a.position);
        let flat = a.flat(edge);
        let innermost = ends[0] + edge * (-from.dot(&flat) / flat.norm2().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let is_over = a.depths(innermost)[2] >= -choice.noise;
        let beside = rim.beside(ends[0], edge * (1.0 / edge.norm()));
        let across = if overlap { beside.outward_across() } else { None };
        for n in [Some(beside.outward()), across].into_iter().flatten() {
            choice.offer(
                n,
                bound(n),
                || self.slab(n),
                |s| {
                    if a.radial(n).is_none() {
                        return (innermost - n * (0.5 * s), is_over);
                    }
                    let on_a = a.extreme(n);
                    let t = (on_a + n * s - ends[0]).dot(&edge) / edge.norm2();
                    (on_a + n * (0.5 * s), (0.0..=1.0).contains(&t) && n.dot(&a.axis) * side >= 0.0)
                },
            );
        }
    }

    /// Emits corners of the polytope, and the lowest rim points of the cylinder, close above the other body along the
    /// axis.
    fn near_points(&self, axis: &Axis<X>, alert: f64, emit: &mut impl FnMut(ContactPoint<X>)) {
        let Self { a, b, rounding, middle, .. } = self;
        let n = axis.normal;
        let nearest = |point: X::Vector, up: X::Vector, height: f64| {
            (point - up * (0.5 * height) - axis.between).norm() <= MISSED * self.scale
        };
        let limit = alert + rounding;
        let top = a.support(n) + n.dot(&a.position);
        for i in 0..b.polytope.vertices.len() as u32 {
            let corner = b.corner(i);
            if n.dot(&corner) - top > limit {
                continue;
            }
            if let Some(height) = a.height(corner, n).filter(|h| *h <= limit && !nearest(corner, n, *h)) {
                let point = *middle + (corner - n * (0.5 * (height + rounding)));
                let feature = PointName::Corner(i).number(true);
                emit(ContactPoint { feature, normal: n, point, gap: height - rounding });
            }
        }
        let Some(down) = a.disk(1.0).lowest(n).map(|low| low - a.cap(1.0)) else { return };
        for (cap, side) in [(0, -1.0), (1, 1.0)] {
            let low = a.cap(side) + down;
            if let Some(height) = b.height(low - b.centre, -n, limit).filter(|h| !nearest(low, -n, *h)) {
                let point = *middle + (low + n * (0.5 * (height - rounding)));
                let feature = PointName::Lowest(cap).number(false);
                emit(ContactPoint { feature, normal: n, point, gap: height - rounding });
            }
        }
    }
}
