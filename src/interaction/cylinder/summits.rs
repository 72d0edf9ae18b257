//! Initial guesses for all critical axes of two rims that may be the widest.
//!
//! In: two circles. Out: every axis n = w / |w| or its opposite that is perpendicular to the tangents of both circles,
//! w from a point of the first to a point of the second, as an initial guess for a climb (`rims.rs`). For the point c +
//! r u(t) of the first circle, the point of the second where w is perpendicular to its tangent is known: v = p / |p| or
//! its opposite, p the component in the plane of the second circle of m = q - r_a u, q from centre to centre. There
//! remains one equation in t, q.u' + r_b v.u' = 0; squared, g(t) = (q.u')^2 |p|^2 - (r_b p.u')^2 = 0, a trigonometric
//! polynomial of degree 4 with at most 8 roots. Intervals of the circle are bisected until a bound shows that they
//! contain no root or one, or are so small that all roots in them count as one.

use super::rim::Rim;
use crate::dim::{Dim, Square, Vector};

/// Degree of g.
const DEGREE: usize = 4;
/// Number of values that determine g.
const VALUES: usize = 2 * DEGREE + 1;
/// Initial number of intervals.
const PIECES: usize = 16;
/// Half width, radians, below which all roots in an interval count as one: a climb from there finds the maximum.
const CLUSTER: f64 = 1e-3;
/// Number of Newton iterations; the error is at most 0.2 and at least halved at first, then squared.
const ROUNDS: usize = 6;
/// Capacity of the stack of intervals: the initial ones, and one for each bisection of an interval.
const WAITING: usize = PIECES + 16;
/// Largest difference, relative to the size, between the width at the guess of a cluster and at its maximum.
const OFF: f64 = 1e-3;
/// Distance, relative to the size, below which points coincide.
const TOUCHING: f64 = 1e-14;
/// Curvature of g, relative to the size, below which g is zero up to rounding: the rims are coaxial.
const FLAT: f64 = 1e-13;

/// A trigonometric polynomial.
struct TrigonometricPolynomial {
    mean: f64,
    cosines: [f64; DEGREE],
    sines: [f64; DEGREE],
}

impl TrigonometricPolynomial {
    /// The polynomial that interpolates `value`.
    fn through(value: impl Fn(f64) -> f64) -> Self {
        let mut wave = Self { mean: 0.0, cosines: [0.0; DEGREE], sines: [0.0; DEGREE] };
        for j in 0..VALUES {
            let angle = std::f64::consts::TAU * j as f64 / VALUES as f64;
            let part = value(angle) * (2.0 / VALUES as f64);
            wave.mean += 0.5 * part;
            for (k, (sine, cosine)) in multiples(angle).into_iter().enumerate() {
                wave.cosines[k] += part * cosine;
                wave.sines[k] += part * sine;
            }
        }
        wave
    }

    /// Value and first two derivatives.
    fn at(&self, angle: f64) -> [f64; 3] {
        let (mut value, mut slope, mut bend) = (self.mean, 0.0, 0.0);
        for (k, (sine, cosine)) in multiples(angle).into_iter().enumerate() {
            let (order, part) = ((k + 1) as f64, self.cosines[k] * cosine + self.sines[k] * sine);
            value += part;
            slope += order * (self.sines[k] * cosine - self.cosines[k] * sine);
            bend -= order * order * part;
        }
        [value, slope, bend]
    }

    /// Upper bound on the derivative of that order.
    fn most(&self, order: i32) -> f64 {
        let of = |k: usize| ((k + 1) as f64).powi(order) * self.cosines[k].hypot(self.sines[k]);
        (0..DEGREE).map(of).sum()
    }

    /// Calls `found` near every root, and possibly where there is nearly one.
    fn roots(&self, mut found: impl FnMut(f64)) {
        let most = self.most(3);
        let mut waiting = [(0.0, 0.0); WAITING];
        let first = std::f64::consts::PI / PIECES as f64;
        for (k, piece) in waiting.iter_mut().enumerate().take(PIECES) {
            *piece = ((2 * k + 1) as f64 * first, first);
        }
        let mut count = PIECES;
        while count > 0 {
            count -= 1;
            let (middle, half) = waiting[count];
            let [value, slope, bend] = self.at(middle);
            // Upper bound on the change of the slope towards the ends of the interval.
            let change = (bend.abs() + 0.5 * most * half) * half;
            if value.abs() > (slope.abs() + 0.5 * bend.abs() * half + most * half * half / 6.0) * half {
                continue;
            }
            if slope.abs() > 2.0 * change {
                // The slope changes by less than half: there is at most one root, and every iteration at least halves
                // the error.
                let (mut angle, mut step) = (middle, value / slope);
                for _ in 0..ROUNDS {
                    angle = (angle - step).clamp(middle - half, middle + half);
                    let [value, slope, _] = self.at(angle);
                    step = value / slope;
                }
                if step.abs() < CLUSTER {
                    found(angle);
                }
            } else if half < CLUSTER || count + 2 > WAITING {
                found(middle);
            } else {
                waiting[count] = (middle - 0.5 * half, 0.5 * half);
                waiting[count + 1] = (middle + 0.5 * half, 0.5 * half);
                count += 2;
            }
        }
    }
}

/// Sines and cosines of the first multiples of an angle.
fn multiples(angle: f64) -> [(f64, f64); DEGREE] {
    let (sine, cosine) = angle.sin_cos();
    let mut all = [(sine, cosine); DEGREE];
    for k in 1..DEGREE {
        let (s, c) = all[k - 1];
        all[k] = (s * cosine + c * sine, c * cosine - s * sine);
    }
    all
}

/// Calls `found` with an axis from `a` to `b` near every critical axis of width `least` or more.
pub(super) fn summits<X: Dim>(a: &Rim<X>, b: &Rim<X>, least: f64, mut found: impl FnMut(X::Vector)) {
    let between = b.centre - a.centre;
    let size = between.norm() + a.radius + b.radius;
    let spoke = X::frame(a.axis).row_vector(1);
    let other = X::across(a.axis, spoke);
    let turned = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        (spoke * cosine + other * sine, other * cosine - spoke * sine)
    };
    let in_plane = |v: X::Vector| v - b.axis * v.dot(&b.axis);
    let wave = TrigonometricPolynomial::through(|angle| {
        let (out, tangent) = turned(angle);
        let p = in_plane(between - out * a.radius);
        let (one, two) = (between.dot(&tangent), b.radius * p.dot(&tangent));
        one * one * p.norm2() - two * two
    });
    if wave.most(2) <= FLAT * size.powi(4) {
        return;
    }
    let margin = OFF * size;
    wave.roots(|angle| {
        let (out, tangent) = turned(angle);
        let from = between - out * a.radius;
        let p = in_plane(from);
        let norm = p.norm();
        if norm <= TOUCHING * size {
            return;
        }
        for toward in [p * (1.0 / norm), p * (-1.0 / norm)] {
            let w = from + toward * b.radius;
            let far = w.norm();
            let mut offer = |n: X::Vector, width: f64| {
                // The rims must be where the disks extend furthest.
                if n.dot(&out) * far >= -margin && n.dot(&toward) * far <= margin && width >= least - margin {
                    found(n);
                }
            };
            if far > TOUCHING * size {
                // Separated along w, or overlapping.
                offer(w * (1.0 / far), far);
                offer(w * (-1.0 / far), -far);
            }
            if far <= margin {
                // At such a small distance the tangents are more accurate than w, which is a difference of much longer
                // vectors.
                let square = X::across(tangent, X::across(b.axis, toward));
                let norm = square.norm();
                if norm > CLUSTER {
                    offer(square * (1.0 / norm), far);
                    offer(square * (-1.0 / norm), -far);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_every_root_of_a_wave_one_is_found() {
        let mut seed = 3u64;
        let mut roll = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let turn = std::f64::consts::TAU;
        let apart = |s: f64, t: f64| (s - t).rem_euclid(turn).min((t - s).rem_euclid(turn));
        for round in 0..3000 {
            let near = 1e-6 * roll();
            // Roots at chosen positions; in one of three rounds two of them nearly coincide, in another two pairs
            // coincide.
            let mut places: [f64; 8] = std::array::from_fn(|_| roll() * std::f64::consts::PI);
            match round % 3 {
                0 => places[1] = places[0] + near,
                1 => (places[1], places[3]) = (places[0], places[2]),
                _ => {}
            }
            let count = 2 * (round % 5);
            let value = |t: f64| places[..count].iter().map(|p| (0.5 * (t - p)).sin()).product::<f64>();
            let mut found = Vec::new();
            TrigonometricPolynomial::through(value).roots(|t| found.push(t));
            assert!(found.len() <= 128 && (count > 0 || found.is_empty()), "{round}: {}", found.len());
            for place in &places[..count] {
                assert!(found.iter().any(|t| apart(*t, *place) < 3.0 * CLUSTER), "{round}: {place} {found:?}");
            }
        }
    }
}
