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
const INTERVALS: usize = 16;
/// Half width, radians, below which all roots in an interval count as one: a climb from there finds the maximum.
const CLUSTER: f64 = 1e-3;
/// Number of Newton iterations; the error is at most 0.2 and at least halved at first, then squared.
const ITERATIONS: usize = 6;
/// Capacity of the stack of intervals: the initial ones, and one for each bisection of an interval.
const STACK: usize = INTERVALS + 16;
/// Largest difference, relative to the size, between the width at the guess of a cluster and at its maximum.
const TOLERANCE: f64 = 1e-3;
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
        let mut polynomial = Self { mean: 0.0, cosines: [0.0; DEGREE], sines: [0.0; DEGREE] };
        for j in 0..VALUES {
            let angle = std::f64::consts::TAU * j as f64 / VALUES as f64;
            let term = value(angle) * (2.0 / VALUES as f64);
            polynomial.mean += 0.5 * term;
            for (k, (sine, cosine)) in multiples(angle).into_iter().enumerate() {
                polynomial.cosines[k] += term * cosine;
                polynomial.sines[k] += term * sine;
            }
        }
        polynomial
    }

    /// Value and first two derivatives.
    fn at(&self, angle: f64) -> [f64; 3] {
        let (mut value, mut slope, mut curvature) = (self.mean, 0.0, 0.0);
        for (k, (sine, cosine)) in multiples(angle).into_iter().enumerate() {
            let (order, term) = ((k + 1) as f64, self.cosines[k] * cosine + self.sines[k] * sine);
            value += term;
            slope += order * (self.sines[k] * cosine - self.cosines[k] * sine);
            curvature -= order * order * term;
        }
        [value, slope, curvature]
    }

    /// Upper bound on the derivative of that order.
    fn derivative_bound(&self, order: i32) -> f64 {
        let of = |k: usize| ((k + 1) as f64).powi(order) * self.cosines[k].hypot(self.sines[k]);
        (0..DEGREE).map(of).sum()
    }

    /// Calls `found` near every root, and possibly where there is nearly one.
    fn roots(&self, mut found: impl FnMut(f64)) {
        let third_derivative = self.derivative_bound(3);
        let mut stack = [(0.0, 0.0); STACK];
        let first = std::f64::consts::PI / INTERVALS as f64;
        for (k, interval) in stack.iter_mut().enumerate().take(INTERVALS) {
            *interval = ((2 * k + 1) as f64 * first, first);
        }
        let mut count = INTERVALS;
        while count > 0 {
            count -= 1;
            let (middle, half) = stack[count];
            let [value, slope, curvature] = self.at(middle);
            // Upper bound on the change of the slope towards the ends of the interval.
            let change = (curvature.abs() + 0.5 * third_derivative * half) * half;
            if value.abs() > (slope.abs() + 0.5 * curvature.abs() * half + third_derivative * half * half / 6.0) * half
            {
                continue;
            }
            if slope.abs() > 2.0 * change {
                // The slope changes by less than half: there is at most one root, and every iteration at least halves
                // the error.
                let (mut angle, mut step) = (middle, value / slope);
                for _ in 0..ITERATIONS {
                    angle = (angle - step).clamp(middle - half, middle + half);
                    let [value, slope, _] = self.at(angle);
                    step = value / slope;
                }
                if step.abs() < CLUSTER {
                    found(angle);
                }
            } else if half < CLUSTER || count + 2 > STACK {
                found(middle);
            } else {
                stack[count] = (middle - 0.5 * half, 0.5 * half);
                stack[count + 1] = (middle + 0.5 * half, 0.5 * half);
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
pub(super) fn critical_axes<X: Dim>(a: &Rim<X>, b: &Rim<X>, least: f64, mut found: impl FnMut(X::Vector)) {
    let between = b.centre - a.centre;
    let size = between.norm() + a.radius + b.radius;
    let spoke = X::frame(a.axis).row_vector(1);
    let other = X::across(a.axis, spoke);
    let rim_point = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        (spoke * cosine + other * sine, other * cosine - spoke * sine)
    };
    let in_plane = |v: X::Vector| v - b.axis * v.dot(&b.axis);
    let polynomial = TrigonometricPolynomial::through(|angle| {
        let (out, tangent) = rim_point(angle);
        let p = in_plane(between - out * a.radius);
        let (one, two) = (between.dot(&tangent), b.radius * p.dot(&tangent));
        one * one * p.norm2() - two * two
    });
    if polynomial.derivative_bound(2) <= FLAT * size.powi(4) {
        return;
    }
    let margin = TOLERANCE * size;
    polynomial.roots(|angle| {
        let (out, tangent) = rim_point(angle);
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
    fn every_root_of_a_polynomial_is_found_approximately() {
        let mut seed = 3u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let tau = std::f64::consts::TAU;
        let apart = |s: f64, t: f64| (s - t).rem_euclid(tau).min((t - s).rem_euclid(tau));
        for round in 0..3000 {
            let near = 1e-6 * uniform();
            // Roots at chosen positions; in one of three rounds two of them nearly coincide, in another two pairs
            // coincide.
            let mut roots: [f64; 8] = std::array::from_fn(|_| uniform() * std::f64::consts::PI);
            match round % 3 {
                0 => roots[1] = roots[0] + near,
                1 => (roots[1], roots[3]) = (roots[0], roots[2]),
                _ => {}
            }
            let count = 2 * (round % 5);
            let value = |t: f64| roots[..count].iter().map(|p| (0.5 * (t - p)).sin()).product::<f64>();
            let mut found = Vec::new();
            TrigonometricPolynomial::through(value).roots(|t| found.push(t));
            assert!(found.len() <= 128 && (count > 0 || found.is_empty()), "{round}: {}", found.len());
            for root in &roots[..count] {
                assert!(found.iter().any(|t| apart(*t, *root) < 3.0 * CLUSTER), "{round}: {root} {found:?}");
            }
        }
    }
}
