//! Axis of largest separation of two disks that touch at their rims.
//!
//! In: two circles and an initial guess. Out: a local maximum over unit vectors n of f(n) = n.q - r_a |n - a(n.a)| -
//! r_b |n - b(n.b)|, q from centre to centre. Newton's method on the unit sphere: the second derivative is -(r_a/A) t_a
//! t_a' - (r_b/B) t_b t_b' - f, with the tangents t of the circles.

use super::rim::Rim;
use crate::dim::{Dim, Vector};

/// Maximum number of Newton iterations; about five from a fair guess.
const ITERATIONS: usize = 25;
/// Sine of the angle to the axis below which the contact is with the cap, not with the rim.
const POLE: f64 = 1e-14;
/// Step length, radians, below which the width of the slab changes by less than its rounding.
const RESOLVED: f64 = 1e-7;
/// Longest step, radians.
const LONGEST: f64 = 0.2;

/// A direction n relative to a rim, in polar coordinates about the pole (the axis of the rim, on the side of n).
struct Polar<X: Dim> {
    pole: X::Vector,
    /// Unit vector perpendicular to the pole towards n.
    out: X::Vector,
    sine: f64,
    cosine: f64,
    /// Radius of the rim.
    radius: f64,
}

impl<X: Dim> Polar<X> {
    fn new(rim: &Rim<X>, n: X::Vector) -> Option<Self> {
        let along = n.dot(&rim.axis);
        let flat = n - rim.axis * along;
        let flat = flat - rim.axis * flat.dot(&rim.axis);
        let sine = flat.norm();
        let pole = rim.axis * 1f64.copysign(along);
        (sine > POLE).then(|| Self { pole, out: flat * (1.0 / sine), sine, cosine: along.abs(), radius: rim.radius })
    }

    /// The direction after a step in the angle from the pole and one along `around`, both lengths on the sphere.
    #[inline]
    fn moved(&self, around: X::Vector, step: f64, azimuth: f64) -> X::Vector {
        let out = self.out + around * (azimuth / self.sine);
        let out = out * (1.0 / out.norm());
        let (sine, cosine) = step.sin_cos();
        let n = self.pole * (self.cosine * cosine - self.sine * sine) + out * (self.sine * cosine + self.cosine * sine);
        n * (1.0 / n.norm())
    }
}

/// Climbs from `start` to a local maximum; `None` where the climb ends at a pole, which is a cap.
///
/// Near the pole of a rim, |n - a(n.a)| has a kink, but not as a function of the angle from the pole: steps are taken
/// in angle and azimuth about the nearer pole.
pub(super) fn climb<X: Dim>(a: &Rim<X>, b: &Rim<X>, start: X::Vector) -> Option<X::Vector> {
    let between = b.centre - a.centre;
    let noise = 1e-15 * (a.radius + b.radius);
    let mut n = start;
    for _ in 0..ITERATIONS {
        let (of_a, of_b) = (Polar::new(a, n)?, Polar::new(b, n)?);
        let width = n.dot(&between) - (a.radius * of_a.sine + b.radius * of_b.sine);
        let near = if of_a.sine <= of_b.sine { &of_a } else { &of_b };
        let around = X::across(near.pole, near.out);
        let (step, azimuth) = newton_step([&of_a, &of_b], near, around, between, width)?;
        let length = step.hypot(azimuth);
        let width_along = |n: X::Vector| {
            let off = |rim: &Rim<X>| (n - rim.axis * n.dot(&rim.axis)).norm();
            n.dot(&between) - (a.radius * off(a) + b.radius * off(b))
        };
        let mut fraction = 1.0;
        let mut next = near.moved(around, step * fraction, azimuth * fraction);
        // The last digits of the axis are below those of the width, whose curvature is r / sine.
        let resolved = RESOLVED * near.sine.sqrt();
        while length * fraction > resolved && width_along(next) < width - noise {
            fraction *= 0.3;
            next = near.moved(around, step * fraction, azimuth * fraction);
        }
        n = next;
        if length < 1e-15 || length * fraction < 1e-16 {
            break;
        }
    }
    Some(n)
}

/// Newton's step in the angle from the nearer pole and in the azimuth about it, bounded; `None` if it is not defined.
/// The azimuth is scaled by the sine, so that both coordinates are lengths on the sphere.
#[inline]
fn newton_step<X: Dim>(
    [of_a, of_b]: [&Polar<X>; 2],
    near: &Polar<X>,
    around: X::Vector,
    between: X::Vector,
    width: f64,
) -> Option<(f64, f64)> {
    let slope = between - (of_a.out * of_a.radius + of_b.out * of_b.radius);
    let down = near.out * near.cosine - near.pole * near.sine;
    // Negative second derivatives on the sphere, then in angle and azimuth.
    let tangents = [X::across(of_a.pole, of_a.out), X::across(of_b.pole, of_b.out)];
    let curvatures = [of_a.radius / of_a.sine, of_b.radius / of_b.sine];
    let entry = |u: &X::Vector, v: &X::Vector| {
        curvatures[0] * tangents[0].dot(u) * tangents[0].dot(v)
            + curvatures[1] * tangents[1].dot(u) * tangents[1].dot(v)
    };
    let (gd, ga) = (slope.dot(&down), slope.dot(&around));
    let dd = entry(&down, &down) + width;
    let da = entry(&down, &around) - ga * near.cosine / near.sine;
    let aa = entry(&around, &around) + width + gd * near.cosine / near.sine;
    let determinant = dd * aa - da * da;
    let (step, azimuth) = if dd > 0.0 && aa > 0.0 && determinant > 0.0 {
        ((gd * aa - ga * da) / determinant, (ga * dd - gd * da) / determinant)
    } else {
        // Where the function is not concave, follow the gradient.
        (gd / dd.abs(), ga / aa.abs())
    };
    if step.is_nan() || azimuth.is_nan() {
        return None;
    }
    // Each coordinate has its own bounds: where the angle is hardly determined, the azimuth still is.
    Some((step.clamp(-0.9 * near.sine, LONGEST), azimuth.clamp(-0.5 * near.sine, 0.5 * near.sine)))
}
