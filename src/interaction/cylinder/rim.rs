//! The rim of a cylinder against a line or a point.
//!
//! In: a circle and a line. Out: axes perpendicular to the line along which disk and line are furthest apart (or
//! overlap least), and points of the circle farthest from the line. Projected along the line, the circle is an ellipse
//! with half-axes r and r c, c the cosine between line and axis, and the line is a point (y0, y1). Points of the
//! ellipse with a normal through (y0, y1) are roots of (A / t)^2 + (B / (t + D))^2 = 1 with D = r^2 (1 - c^2): convex
//! between its poles, so Newton's method from the side of the pole is monotone (D. Eberly, Distance from a point to an
//! ellipse, 2013).

use crate::dim::{Dim, Square, Vector};

/// Maximum number of Newton iterations; a handful suffice.
const ITERATIONS: usize = 60;
/// Squared sine between line and axis below which the ellipse is a circle.
const ALONG: f64 = 1e-28;

/// A circle in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rim<X: Dim> {
    pub(super) centre: X::Vector,
    /// Unit normal of its plane.
    pub(super) axis: X::Vector,
    pub(super) radius: f64,
}

/// A circle projected along a line.
pub(super) struct RimSection<X: Dim> {
    /// Unit vectors along the half-axes of the ellipse, towards the point.
    major: X::Vector,
    minor: X::Vector,
    /// Coordinates of the point along these, not negative.
    y: [f64; 2],
    radius: f64,
    /// Cosine between line and axis.
    cosine: f64,
    /// r^2 (1 - c^2).
    excess: f64,
    /// In the plane of the circle and perpendicular to `major`, towards `minor`.
    rise: X::Vector,
}

impl<X: Dim> Rim<X> {
    /// Projection along the unit vector `along`; the line passes through `through`.
    pub(super) fn beside(&self, through: X::Vector, along: X::Vector) -> RimSection<X> {
        let cosine = along.dot(&self.axis);
        let tilted = self.axis - along * cosine;
        let sine2 = tilted.norm2();
        let (minor, sine2) = if sine2 > ALONG {
            // Perpendicular to the line to the last digit, however small the tilt.
            let again = tilted - along * tilted.dot(&along);
            (again * (1.0 / again.norm()), sine2)
        } else {
            (X::frame(along).row_vector(1), 0.0)
        };
        let major = X::across(along, minor);
        let offset = through - self.centre;
        let (y0, y1) = (offset.dot(&major), offset.dot(&minor));
        let (major, minor) = (major * 1f64.copysign(y0), minor * 1f64.copysign(y1));
        let rise = X::across(self.axis, major);
        let rise = rise * 1f64.copysign(rise.dot(&minor));
        let excess = self.radius * self.radius * sine2;
        RimSection { major, minor, y: [y0.abs(), y1.abs()], radius: self.radius, cosine: cosine.abs(), excess, rise }
    }

    /// Unit vector from the nearest point of the circle to `point`, if there is one.
    pub(super) fn toward(&self, point: X::Vector) -> Option<X::Vector> {
        let offset = point - self.centre;
        let along = offset.dot(&self.axis);
        let flat = offset - self.axis * along;
        let flat = flat - self.axis * flat.dot(&self.axis);
        let far = flat.norm();
        // In the plane of axis and point to the last digit: outside that plane the disk extends further.
        let away = self.axis * along + flat * ((far - self.radius) / far);
        let norm = away.norm();
        (far > 0.0 && norm > 0.0).then(|| away * (1.0 / norm))
    }
}

impl<X: Dim> RimSection<X> {
    /// Unit axis from the disk to the line along which they are furthest apart.
    pub(super) fn outward(&self) -> X::Vector {
        let [y0, y1] = self.y;
        let (a, b) = (self.radius * self.cosine * y1, self.radius * y0);
        let t = root(a, b, self.excess);
        self.axis(t, b / (t + self.excess), 1.0, y1)
    }

    /// The axis of least overlap across the major half-axis, for a line that passes through the disk.
    pub(super) fn outward_across(&self) -> Option<X::Vector> {
        let [y0, y1] = self.y;
        let (a, b) = (self.radius * self.cosine * y1, self.radius * y0);
        let t = root_across(a, b, self.excess)?;
        Some(self.axis(t, b / (self.excess - t), -1.0, y1))
    }

    /// The axis from the root `t`, the major coordinate `g` in units of its half-axis, and the side.
    fn axis(&self, t: f64, g: f64, side: f64, y1: f64) -> X::Vector {
        let steep = g * g >= 0.5 && t > 0.0;
        // Two forms of the same direction: the first degenerates where t vanishes, the second where the ellipse is
        // flat.
        let (x0, x1) = if steep { (g / self.radius, y1 / t) } else { (self.cosine * g, (1.0 - g * g).max(0.0).sqrt()) };
        let direction = self.major * x0 + self.minor * (side * x1);
        let norm = direction.norm();
        if norm > 0.0 && norm.is_finite() { direction * (1.0 / norm) } else { self.minor }
    }

    /// Radial unit vectors of the circle to the points farthest from the line: the global maximum, and the other local
    /// maximum if there is one.
    pub(super) fn farthest(&self) -> (X::Vector, Option<X::Vector>) {
        let [y0, y1] = self.y;
        let (a, b) = (self.radius * y0, self.radius * self.cosine * y1);
        let radial = |t: f64, g: f64, side: f64| {
            let p = if g * g >= 0.5 && t > 0.0 { a / t } else { (1.0 - g * g).max(0.0).sqrt() };
            let radial = self.major * (side * p) - self.rise * g;
            let norm = radial.norm();
            if norm > 0.0 && norm.is_finite() { radial * (1.0 / norm) } else { self.major }
        };
        let t = root(a, b, self.excess);
        let other = root_across(a, b, self.excess).map(|t| radial(t, b / (self.excess - t), 1.0));
        (radial(t, b / (t + self.excess), -1.0), other)
    }
}

/// The root t >= 0 of (a / t)^2 + (b / (t + d))^2 = 1; zero where a is zero and b less than d.
fn root(a: f64, b: f64, d: f64) -> f64 {
    let mut t = a.max(b - d);
    if t <= 0.0 {
        return 0.0;
    }
    for _ in 0..ITERATIONS {
        let (p, q) = (a / t, b / (t + d));
        let slope = 2.0 * (p * p / t + q * q / (t + d));
        let step = (p * p + q * q - 1.0) / slope;
        t += step.max(0.0);
        if step.is_nan() || step <= 2e-16 * t {
            break;
        }
    }
    t
}

/// The least root t of (a / t)^2 + (b / (d - t))^2 = 1 between 0 and d, if there is one.
fn root_across(a: f64, b: f64, d: f64) -> Option<f64> {
    let mut t = a;
    if t <= 0.0 {
        return (b < d).then_some(0.0);
    }
    for _ in 0..ITERATIONS {
        if t >= d {
            return None;
        }
        let (p, q) = (a / t, b / (d - t));
        let slope = 2.0 * (p * p / t - q * q / (d - t));
        if slope <= 0.0 {
            return None;
        }
        let step = (p * p + q * q - 1.0) / slope;
        t += step.max(0.0);
        if step <= 2e-16 * t {
            break;
        }
    }
    (t < d).then_some(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    /// The largest width over all directions perpendicular to the line, by brute force.
    fn widest(rim: &Rim<Space>, through: Vector3<f64>, along: Vector3<f64>) -> f64 {
        let u = along.cross(&Vector3::new(0.31, 0.7, -0.2)).normalize();
        let v = along.cross(&u);
        let width = |t: f64| slab(rim, through, u * t.cos() + v * t.sin());
        let best = (0..4000).map(|k| k as f64 * 1e-3 * std::f64::consts::FRAC_PI_2);
        let start = best.max_by(|s, t| width(*s).total_cmp(&width(*t))).unwrap();
        let (mut at, mut step) = (start, 1e-3);
        while step > 1e-12 {
            let better = [at - step, at + step].into_iter().find(|t| width(*t) > width(at));
            match better {
                Some(t) => at = t,
                None => step *= 0.5,
            }
        }
        width(at)
    }

    fn slab(rim: &Rim<Space>, through: Vector3<f64>, n: Vector3<f64>) -> f64 {
        n.dot(&(through - rim.centre)) - rim.radius * (n - rim.axis * n.dot(&rim.axis)).norm()
    }

    #[test]
    fn the_axis_between_disk_and_line_is_the_widest_at_any_tilt_and_depth() {
        let mut seed = 1u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for round in 0..2000 {
            let mut any = || Vector3::new(uniform(), uniform(), uniform());
            let axis = any().normalize();
            let mut along = any().normalize();
            let through = any() * 1.5;
            match round % 5 {
                0 => along = (along - axis * along.dot(&axis)).normalize(),
                1 => along = axis,
                2 => along = (axis + along * 1e-9).normalize(),
                3 => along = (along - axis * (along.dot(&axis) * (1.0 - 1e-9))).normalize(),
                _ => {}
            }
            let rim = Rim::<Space> { centre: Vector3::zeros(), axis, radius: 0.8 };
            let beside = rim.beside(through, along);
            let n: Vector3<f64> = beside.outward();
            assert!((n.norm() - 1.0).abs() < 1e-15 && n.dot(&along).abs() < 1e-15);
            let (found, right) = (slab(&rim, through, n), widest(&rim, through, along));
            assert!((found - right).abs() < 1e-12, "{round}: {found} {right}");
            let (far, other) = beside.farthest();
            let from = |radial: Vector3<f64>| (radial * 0.8 - through).cross(&along).norm();
            let (s, t) = (axis.cross(&far), far);
            let most = (0..6284).map(|k| from(t * (k as f64 * 1e-3).cos() + s * (k as f64 * 1e-3).sin()));
            let most = most.fold(0.0, f64::max);
            assert!(from(far) >= most - 1e-12 && from(far) < most + 1e-5, "{round}: {} {most}", from(far));
            if let Some(other) = other {
                let side = |h: f64| from(other * h.cos() + axis.cross(&other) * h.sin());
                assert!(from(other) >= side(1e-4) - 1e-13 && from(other) >= side(-1e-4) - 1e-13, "{round}");
            }
        }
    }
}
