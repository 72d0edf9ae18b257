//! Two rims beside each other: the axis along which two disks are furthest apart, both met at their rims.
//!
//! In: two circles and a first guess. Out: a local maximum over unit vectors n of
//! f(n) = n.q - r_a |n - a(n.a)| - r_b |n - b(n.b)|, q from centre to centre. Newton's method on the sphere: the
//! second derivative is -(r_a/A) t_a t_a' - (r_b/B) t_b t_b' - f, with the tangents t of the circles.

use super::rim::Rim;
use crate::dim::{Dim, Square, Vector};

/// Rounds of Newton's method; about five from a fair guess.
const ROUNDS: usize = 25;
/// Nearer than this to an axis the rim is lost to the cap.
const POLE: f64 = 1e-9;
/// Longest step, radians.
const STRIDE: f64 = 0.5;

/// Climbs from `start`; none where the climb leaves the rims.
pub(super) fn climb<X: Dim>(a: &Rim<X>, b: &Rim<X>, start: X::Vector) -> Option<X::Vector> {
    let between = b.centre - a.centre;
    let radial = |rim: &Rim<X>, n: X::Vector| {
        let flat = n - rim.axis * n.dot(&rim.axis);
        (flat, flat.norm())
    };
    let width =
        |n: X::Vector| n.dot(&between) - a.radius * radial(a, n).1 - b.radius * radial(b, n).1;
    let mut n = start;
    let mut known = width(n);
    for _ in 0..ROUNDS {
        let ((flat_a, off_a), (flat_b, off_b)) = (radial(a, n), radial(b, n));
        if off_a < POLE || off_b < POLE {
            return None;
        }
        let (out_a, out_b) = (flat_a * (1.0 / off_a), flat_b * (1.0 / off_b));
        let slope = between - (out_a * a.radius + out_b * b.radius);
        let frame = X::frame(n);
        let (s, t) = (frame.row_vector(1), frame.row_vector(X::D - 1));
        let (tangent_a, tangent_b) = (X::across(a.axis, out_a), X::across(b.axis, out_b));
        let (bend_a, bend_b) = (a.radius / off_a, b.radius / off_b);
        let entry = |u: &X::Vector, v: &X::Vector| {
            bend_a * tangent_a.dot(u) * tangent_a.dot(v) + bend_b * tangent_b.dot(u) * tangent_b.dot(v)
        };
        let (gs, gt) = (slope.dot(&s), slope.dot(&t));
        let (mut ss, st, mut tt) = (entry(&s, &s) + known, entry(&s, &t), entry(&t, &t) + known);
        // Where the surface bends away the other way, up the slope.
        let least = 0.5 * (ss + tt) - (0.25 * (ss - tt) * (ss - tt) + st * st).sqrt();
        let shift = (1e-3 * (ss + tt).abs() - least).max(0.0);
        let lift = if least > 0.0 { 0.0 } else { shift };
        (ss, tt) = (ss + lift, tt + lift);
        let determinant = ss * tt - st * st;
        let (ds, dt) = ((gs * tt - gt * st) / determinant, (gt * ss - gs * st) / determinant);
        let length = (ds * ds + dt * dt).sqrt();
        if !length.is_finite() {
            return None;
        }
        let mut part = if length > STRIDE { STRIDE / length } else { 1.0 };
        let mut next = n;
        let mut gained = f64::NEG_INFINITY;
        for _ in 0..20 {
            next = n + (s * ds + t * dt) * part;
            next = next * (1.0 / next.norm());
            gained = width(next);
            // The last digits of the axis are below those of the width.
            if gained >= known || length * part < 1e-7 {
                break;
            }
            part *= 0.3;
        }
        if gained < known && length * part >= 1e-7 {
            return Some(n);
        }
        (n, known) = (next, gained);
        if length < 1e-15 {
            break;
        }
    }
    Some(n)
}
