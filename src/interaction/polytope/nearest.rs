//! The nearest points of two polytopes: the point of least norm of {b - a}, by Wolfe's active-set method.
//!
//! In: a pair. Out: a separating axis wider than requested, or the nearest points (a common point of the two where they
//! overlap). P. Wolfe, Finding the nearest point in a polytope, Math. Programming 11 (1976); with the corners as the
//! only candidates this is the method of Gilbert, Johnson and Keerthi. The affine subproblem is solved by Gram-Schmidt
//! orthogonalisation with one repetition, so that the direction keeps its digits at small gaps.

use super::view::SolidPair;
use crate::dim::{Dim, Vector};

/// Rounding error of a separation, relative to the scale: smaller gains are noise.
const NOISE: f64 = 1e-15;
/// Distance, relative to the scale, below which the direction between the nearest points is meaningless.
const TOUCHING: f64 = 1e-15;
/// Maximum number of iterations, far more than ever needed; the norm decreases in all but a few.
const ITERATIONS: usize = 100;

/// The outcome of the search.
pub(super) enum NearestOutcome<X: Dim> {
    /// Further apart than requested: a separating axis and the width along it.
    Apart(X::Vector, f64),
    /// The nearest points.
    Near(NearestPoints<X>),
}

/// Nearest points, relative to the midpoint.
pub(super) struct NearestPoints<X: Dim> {
    pub(super) on_a: X::Vector,
    pub(super) on_b: X::Vector,
    /// Unit vector from `on_a` to `on_b` and the width of the slab along it; `None` where the bodies touch or overlap.
    pub(super) axis: Option<(X::Vector, f64)>,
    /// Lowest corners of the two features that contain the nearest points.
    pub(super) corners: [u32; 2],
}

/// Points of {b - a} around the nearest one, at most one more than the dimension. Each carries a mark that tells which
/// points of the two bodies it comes from.
#[derive(Clone, Copy)]
pub(in crate::interaction) struct ActiveSet<X: Dim, M: Copy> {
    pub(in crate::interaction) count: usize,
    point: [X::Vector; 4],
    mark: [M; 4],
    weight: [f64; 4],
}

/// Searches for the nearest points; stops as soon as the bodies are known to be further apart than `alert`.
pub(super) fn nearest<X: Dim>(pair: &SolidPair<X>, alert: f64) -> NearestOutcome<X> {
    let norm = pair.between.norm();
    let start = if norm > 0.0 { pair.between * (1.0 / norm) } else { X::Vector::axis(0) };
    let (width, i, j) = pair.separation(start);
    if width > alert {
        return NearestOutcome::Apart(start, width);
    }
    let mut active = ActiveSet::<X, [u32; 2]>::new(pair.b.corner(j) - pair.a.corner(i), [i, j]);
    let mut least = active.point[0];
    let mut distance = least.norm();
    // The widest slab so far: at small gaps the norm converges before the direction.
    let mut best: Option<(X::Vector, f64)> = None;
    let mut stagnated = 0;
    for _ in 0..ITERATIONS {
        if distance <= TOUCHING * pair.scale {
            return NearestOutcome::Near(active.result(pair, None));
        }
        let direction = least * (1.0 / distance);
        let (width, i, j) = pair.separation(direction);
        if width > alert {
            return NearestOutcome::Apart(direction, width);
        }
        if best.as_ref().is_none_or(|known| width > known.1) {
            best = Some((direction, width));
        }
        let known = active.mark[..active.count].contains(&[i, j]);
        if known || distance - width <= NOISE * pair.scale {
            break;
        }
        let mut grown = active;
        grown.push(pair.b.corner(j) - pair.a.corner(i), [i, j]);
        let Some(next) = grown.shrink() else { break };
        if grown.count == X::D + 1 {
            return NearestOutcome::Near(grown.result(pair, None));
        }
        let closer = next.norm();
        stagnated += usize::from(closer >= distance);
        if closer > distance + NOISE * pair.scale || stagnated > 3 {
            break;
        }
        (active, least, distance) = (grown, next, closer);
    }
    NearestOutcome::Near(active.result(pair, best))
}

impl<X: Dim, M: Copy> ActiveSet<X, M> {
    /// A set of one point.
    pub(in crate::interaction) fn new(point: X::Vector, mark: M) -> Self {
        Self { count: 1, point: [point; 4], mark: [mark; 4], weight: [1.0, 0.0, 0.0, 0.0] }
    }

    /// Adds a point; [`shrink`](Self::shrink) must follow.
    pub(in crate::interaction) fn push(&mut self, point: X::Vector, mark: M) {
        (self.point[self.count], self.mark[self.count], self.weight[self.count]) = (point, mark, 0.0);
        self.count += 1;
    }

    fn remove(&mut self, i: usize) {
        for k in i + 1..self.count {
            (self.point[k - 1], self.mark[k - 1], self.weight[k - 1]) = (self.point[k], self.mark[k], self.weight[k]);
        }
        self.count -= 1;
    }

    /// Drops points until the nearest point of the affine hull lies inside the rest; returns it. `None` where the
    /// newest point adds no dimension.
    pub(in crate::interaction) fn shrink(&mut self) -> Option<X::Vector> {
        loop {
            let (least, weight) = self.affine()?;
            // Move from the present weights towards the wanted ones as far as all stay positive.
            let (mut fraction, mut first) = (1.0, usize::MAX);
            for (i, (&wanted, &present)) in weight.iter().zip(&self.weight).enumerate().take(self.count) {
                if wanted <= 0.0 {
                    let reach = present / (present - wanted);
                    // Zero over zero: the newest point is not needed after all.
                    let reach = if reach.is_nan() { 0.0 } else { reach };
                    if first == usize::MAX || reach < fraction {
                        (fraction, first) = (reach, i);
                    }
                }
            }
            if first == usize::MAX {
                self.weight = weight;
                return Some(least);
            }
            for (present, wanted) in self.weight.iter_mut().zip(weight).take(self.count) {
                *present += fraction * (wanted - *present);
            }
            self.remove(first);
        }
    }

    /// The point of the affine hull nearest to the origin, and its weights.
    #[inline]
    fn affine(&self) -> Option<(X::Vector, [f64; 4])> {
        match self.count {
            1 => Some((self.point[0], [1.0, 0.0, 0.0, 0.0])),
            2 => self.affine_of::<1>(),
            3 => self.affine_of::<2>(),
            _ => self.affine_of::<3>(),
        }
    }

    /// The same for one point more than `EDGES`; the compiler unrolls the loops.
    #[inline(always)]
    fn affine_of<const EDGES: usize>(&self) -> Option<(X::Vector, [f64; 4])> {
        let base = self.point[0];
        let mut orthogonal = [X::Vector::zero(); EDGES];
        let mut inverse = [0.0; EDGES];
        let mut ratio = [[0.0; EDGES]; EDGES];
        for j in 0..EDGES {
            let edge = self.point[j + 1] - base;
            let mut q = edge;
            for i in 0..j {
                let r = q.dot(&orthogonal[i]) * inverse[i];
                q -= orthogonal[i] * r;
                ratio[i][j] = r;
            }
            let norm2 = q.norm2();
            if norm2 <= 1e-24 * edge.norm2() {
                return None;
            }
            (orthogonal[j], inverse[j]) = (q, 1.0 / norm2);
        }
        let mut least = base;
        let mut along = [0.0; EDGES];
        for _ in 0..2 {
            for i in 0..EDGES {
                let c = least.dot(&orthogonal[i]) * inverse[i];
                least -= orthogonal[i] * c;
                along[i] += c;
            }
        }
        let mut weight = [1.0, 0.0, 0.0, 0.0];
        for j in (0..EDGES).rev() {
            for i in 0..j {
                along[i] -= ratio[i][j] * along[j];
            }
            weight[j + 1] = -along[j];
            weight[0] += along[j];
        }
        Some((least, weight))
    }

    /// The weighted mean of the vectors that `read` returns for the marks.
    pub(in crate::interaction) fn weighted_mean(&self, read: impl Fn(M) -> X::Vector) -> X::Vector {
        (0..self.count).fold(X::Vector::zero(), |sum, k| sum + read(self.mark[k]) * self.weight[k])
    }
}

impl<X: Dim> ActiveSet<X, [u32; 2]> {
    fn result(&self, pair: &SolidPair<X>, axis: Option<(X::Vector, f64)>) -> NearestPoints<X> {
        let lowest = |side: usize| (0..self.count).fold(u32::MAX, |least, k| least.min(self.mark[k][side]));
        let on_a = self.weighted_mean(|[i, _]| pair.a.corner(i));
        let on_b = self.weighted_mean(|[_, j]| pair.b.corner(j));
        NearestPoints { on_a, on_b, axis, corners: [lowest(0), lowest(1)] }
    }
}
