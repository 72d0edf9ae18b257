//! Three dimensions: quaternions, three spin components, two tangents, the gyroscopic term.

use nalgebra::{Matrix3, Vector3};

use super::hull::{Degenerate, Facets};
use super::quaternion::Quaternion;
use super::{Dim, Gyroscopic, Many, Orientation, space_axes, space_hull, space_top};

/// Three-dimensional space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Space;

/// Alignment of a row of eight numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(64))]
pub struct AlignedInSpace;

impl Dim for Space {
    const D: usize = 3;
    const R: usize = 3;
    const BALL: f64 = 2.5;
    const ONE_TANGENT: bool = false;
    const HAS_DEPTH: bool = true;
    const HAS_ROTATION_AXIS: bool = true;
    const BALL_NAME: &'static str = "sphere";
    const POLYTOPE_NAME: &'static str = "polyhedron";
    const AXES: &'static [&'static str] = &["x", "y", "z"];
    const STRESS_UNIT: &'static str = "Pa";
    const VOLUME_UNIT: &'static str = "m3";
    type Vector = Vector3<f64>;
    type Spin = Vector3<f64>;
    type Orientation = Quaternion;
    type Matrix = Matrix3<f64>;
    type Tensor = Matrix3<f64>;
    type Rest = f64;
    type Aligned = AlignedInSpace;

    #[inline(always)]
    fn torque(arm: Vector3<f64>, force: Vector3<f64>) -> Vector3<f64> {
        arm.cross(&force)
    }
    #[inline(always)]
    fn cross(spin: Vector3<f64>, arm: Vector3<f64>) -> Vector3<f64> {
        spin.cross(&arm)
    }
    #[inline(always)]
    fn torques<T: Many>([a, b, c]: [T; 3], [x, y, z]: [T; 3]) -> [T; 3] {
        [c.times_from(y, b.times(z)), a.times_from(z, c.times(x)), b.times_from(x, a.times(y))]
    }
    #[inline(always)]
    fn minus_cross<T: Many>([u, v, w]: [T; 3], [a, b, c]: [T; 3], [x, y, z]: [T; 3]) -> [T; 3] {
        [c.times_plus(y, b.times_from(z, u)), a.times_plus(z, c.times_from(x, v)), b.times_plus(x, a.times_from(y, w))]
    }
    fn packed_symmetric(t: &Matrix3<f64>) -> [f64; 6] {
        [t[(0, 0)], t[(1, 1)], t[(2, 2)], t[(0, 1)], t[(0, 2)], t[(1, 2)]]
    }
    #[inline(always)]
    fn apply_symmetric<T: Many>([xx, yy, zz, xy, xz, yz]: [T; 6], [a, b, c]: [T; 3]) -> [T; 3] {
        [
            xz.times_plus(c, xy.times_plus(b, xx.times(a))),
            yz.times_plus(c, yy.times_plus(b, xy.times(a))),
            zz.times_plus(c, yz.times_plus(b, xz.times(a))),
        ]
    }
    fn frame(n: Vector3<f64>) -> Matrix3<f64> {
        // The axis least aligned with the normal defines the first tangent, so the two are never nearly parallel.
        let least = (0..3).fold(0, |k, i| if n[i].abs() < n[k].abs() { i } else { k });
        let mut axis = Vector3::zeros();
        axis[least] = 1.0;
        let t = n.cross(&axis).normalize();
        let s = n.cross(&t);
        Matrix3::from_rows(&[n.transpose(), t.transpose(), s.transpose()])
    }
    fn tangent_bound(block: &Matrix3<f64>) -> f64 {
        let (a, b, c) = (block[(1, 1)], block[(2, 2)], block[(1, 2)]);
        let mean = 0.5 * (a + b);
        mean + (0.25 * (a - b) * (a - b) + c * c).sqrt()
    }
    fn unit_ball() -> f64 {
        4.0 / 3.0 * std::f64::consts::PI
    }
    /// Volume of a spherical cap.
    fn ball_below(height: f64) -> f64 {
        let t = height.clamp(-1.0, 1.0);
        (2.0 + 3.0 * t - t * t * t) / 4.0
    }
    /// Shoemake, Uniform random rotations, Graphics Gems III (1992).
    fn random_orientation(uniform: [f64; 4]) -> Quaternion {
        let tau = 2.0 * std::f64::consts::PI;
        let ((s, c), (t, d)) = ((tau * uniform[0]).sin_cos(), (tau * uniform[1]).sin_cos());
        let (r1, r2) = ((1.0 - uniform[2]).sqrt(), uniform[2].sqrt());
        Quaternion::new(r1 * s, r1 * c, r2 * t, r2 * d)
    }
    fn unit_section() -> f64 {
        std::f64::consts::PI
    }
    fn second_moments(inertia: Vector3<f64>) -> Vector3<f64> {
        Vector3::repeat(0.5 * inertia.sum()) - inertia
    }
    fn world_tensor(orientation: &Quaternion, moments: Vector3<f64>) -> Matrix3<f64> {
        if !Self::precesses(moments) {
            return Matrix3::from_diagonal(&moments);
        }
        let r = orientation.matrix();
        let mut t = r * Matrix3::from_diagonal(&moments) * r.transpose();
        // Symmetric to the last bit, so that swapping indices never changes a result.
        (t[(1, 0)], t[(2, 0)], t[(2, 1)]) = (t[(0, 1)], t[(0, 2)], t[(1, 2)]);
        t
    }
    fn precesses(moments: Vector3<f64>) -> bool {
        moments.x != moments.y || moments.y != moments.z
    }
    fn free_spin(moments: Vector3<f64>, spin: Vector3<f64>, h: f64, scheme: Gyroscopic) -> Vector3<f64> {
        if !Self::precesses(moments) {
            return spin;
        }
        match scheme {
            _ if spin.norm_squared() * h * h > 1.0 => {
                space_top::rotate_freely(moments, Quaternion::identity(), spin, h).1
            }
            Gyroscopic::Explicit => spin + space_top::rate(moments, spin) * h,
            Gyroscopic::Implicit => space_top::implicit_midpoint(moments, spin, h),
        }
    }
    fn rotate_freely(
        moments: Vector3<f64>,
        orientation: Quaternion,
        spin: Vector3<f64>,
        t: f64,
    ) -> (Quaternion, Vector3<f64>) {
        if !Self::precesses(moments) {
            return (orientation.turned(orientation.rotate_spin(spin) * t), spin);
        }
        space_top::rotate_freely(moments, orientation, spin, t)
    }
    fn spin_in_space(spin: Vector3<f64>) -> [f64; 3] {
        spin.into()
    }
    fn quaternion(orientation: &Quaternion) -> [f64; 4] {
        orientation.0
    }
    fn drawn<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>> {
        faces.map(<[u32]>::to_vec).collect()
    }
    fn curve_key(point: Vector3<f64>, min: Vector3<f64>, max: Vector3<f64>) -> u64 {
        partitioning::hilbert::key::<3>(&point.into(), &min.into(), &max.into())
    }
    fn pointing(direction: Vector3<f64>) -> Quaternion {
        // Half-way quaternion from the x axis; for the opposite direction, half a turn about z.
        if direction.x < -1.0 + 1e-12 {
            return Quaternion([0.0, 0.0, 0.0, 1.0]);
        }
        Quaternion::new(1.0 + direction.x, 0.0, -direction.z, direction.y)
    }
    fn hull(points: &[Vector3<f64>], flatness: f64) -> Result<Facets, Degenerate> {
        space_hull::hull(points, flatness)
    }
    fn segment_facets() -> Facets {
        Facets { corners: vec![0, 1], faces: Vec::new(), edges: vec![[0, 1]] }
    }
    fn determinant(v: &[Vector3<f64>]) -> f64 {
        v[0].cross(&v[1]).dot(&v[2])
    }
    fn area_vector(corners: &[Vector3<f64>]) -> Vector3<f64> {
        let fan = corners[1..].windows(2).map(|pair| (pair[0] - corners[0]).cross(&(pair[1] - corners[0])));
        fan.fold(Vector3::zeros(), |sum, triangle| sum + triangle)
    }
    fn principal(second: &Matrix3<f64>) -> (Quaternion, Vector3<f64>) {
        space_axes::principal(second)
    }
    #[inline(always)]
    fn across(first: Vector3<f64>, second: Vector3<f64>) -> Vector3<f64> {
        first.cross(&second)
    }
    #[inline(always)]
    fn beyond(edge: Vector3<f64>, normal: Vector3<f64>) -> Vector3<f64> {
        edge.cross(&normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_orthonormal_and_right_handed_for_any_normal() {
        for n in [Vector3::x(), -Vector3::z(), Vector3::new(1.0, 1.0, 1.0).normalize(), Vector3::new(1e-9, -1.0, 1e-9)]
        {
            let f = Space::frame(n.normalize());
            assert!((f * f.transpose() - Matrix3::identity()).norm() < 1e-14);
            assert!((f.determinant() - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn pointing_turns_the_first_axis_into_the_direction() {
        for d in [Vector3::new(0.0, 0.6, 0.8), -Vector3::x(), Vector3::x()] {
            assert!((Space::pointing(d).rotate(Vector3::x()) - d).norm() < 1e-15);
        }
    }

    #[test]
    fn the_implicit_gyroscopic_term_keeps_energy_and_momentum_norm() {
        let moments = Vector3::new(1.0, 2.0, 3.0);
        let (mut w, h) = (Vector3::new(0.01, 5.0, 0.02), 0.01);
        let energy = |w: Vector3<f64>| w.dot(&moments.component_mul(&w));
        let (e0, l0) = (energy(w), moments.component_mul(&w).norm());
        for _ in 0..10_000 {
            w = Space::free_spin(moments, w, h, Gyroscopic::Implicit);
        }
        assert!((energy(w) / e0 - 1.0).abs() < 1e-11);
        assert!((moments.component_mul(&w).norm() / l0 - 1.0).abs() < 1e-11);
    }
}
