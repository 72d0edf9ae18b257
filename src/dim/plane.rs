//! Two dimensions: one angle, one spin component, one tangent.

use nalgebra::{Matrix1, Matrix2, Vector1, Vector2};

use super::hull::{Degenerate, Facets};
use super::{Dim, Gyroscopic, Many, Orientation, plane_hull};

/// Two-dimensional space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane;

/// Angle from the body frame to the world frame, rad, counter-clockwise; not reduced modulo 2 pi, so that revolutions
/// can be counted.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Angle(pub f64);

impl Orientation<Vector2<f64>, Vector1<f64>> for Angle {
    const NUMBERS: usize = 1;
    const UNIT: &'static str = "rad";
    fn identity() -> Self {
        Angle(0.0)
    }
    fn rotate(&self, v: Vector2<f64>) -> Vector2<f64> {
        let (s, c) = self.0.sin_cos();
        Vector2::new(c * v.x - s * v.y, s * v.x + c * v.y)
    }
    fn unrotate(&self, v: Vector2<f64>) -> Vector2<f64> {
        let (s, c) = self.0.sin_cos();
        Vector2::new(c * v.x + s * v.y, c * v.y - s * v.x)
    }
    fn turned(&self, angle: Vector1<f64>) -> Self {
        Angle(self.0 + angle.x)
    }
    fn times(&self, inner: &Self) -> Self {
        Angle(self.0 + inner.0)
    }
    fn inverse(&self) -> Self {
        Angle(-self.0)
    }
    fn rotate_spin(&self, spin: Vector1<f64>) -> Vector1<f64> {
        spin
    }
    fn unrotate_spin(&self, spin: Vector1<f64>) -> Vector1<f64> {
        spin
    }
    #[inline]
    fn write(&self, out: &mut [f64]) {
        out[0] = self.0;
    }
    fn read(numbers: &[f64]) -> Self {
        Angle(numbers[0])
    }
}

/// Alignment of a row of four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub struct AlignedInPlane;

impl Dim for Plane {
    const D: usize = 2;
    const R: usize = 1;
    const BALL: f64 = 2.0;
    const ONE_TANGENT: bool = true;
    const HAS_DEPTH: bool = false;
    const HAS_ROTATION_AXIS: bool = false;
    const BALL_NAME: &'static str = "disk";
    const POLYTOPE_NAME: &'static str = "polygon";
    const AXES: &'static [&'static str] = &["x", "y"];
    const STRESS_UNIT: &'static str = "N/m";
    const VOLUME_UNIT: &'static str = "m2";
    type Vector = Vector2<f64>;
    type Spin = Vector1<f64>;
    type Orientation = Angle;
    type Matrix = Matrix2<f64>;
    type Tensor = Matrix1<f64>;
    type Rest = ();
    type Aligned = AlignedInPlane;

    #[inline(always)]
    fn torque(arm: Vector2<f64>, force: Vector2<f64>) -> Vector1<f64> {
        Vector1::new(arm.x * force.y - arm.y * force.x)
    }
    #[inline(always)]
    fn cross(spin: Vector1<f64>, arm: Vector2<f64>) -> Vector2<f64> {
        Vector2::new(-spin.x * arm.y, spin.x * arm.x)
    }
    #[inline(always)]
    fn torques<T: Many>(arm: [T; 3], force: [T; 3]) -> [T; 3] {
        [arm[1].times_from(force[0], arm[0].times(force[1])); 3]
    }
    #[inline(always)]
    fn minus_cross<T: Many>(velocity: [T; 3], spin: [T; 3], arm: [T; 3]) -> [T; 3] {
        [spin[0].times_plus(arm[1], velocity[0]), spin[0].times_from(arm[0], velocity[1]), velocity[2]]
    }
    fn packed_symmetric(t: &Matrix1<f64>) -> [f64; 6] {
        [t[(0, 0)], 0.0, 0.0, 0.0, 0.0, 0.0]
    }
    #[inline(always)]
    fn apply_symmetric<T: Many>(packed: [T; 6], vector: [T; 3]) -> [T; 3] {
        [packed[0].times(vector[0]); 3]
    }
    fn frame(n: Vector2<f64>) -> Matrix2<f64> {
        Matrix2::new(n.x, n.y, -n.y, n.x)
    }
    fn tangent_bound(block: &Matrix2<f64>) -> f64 {
        block[(1, 1)]
    }
    fn unit_ball() -> f64 {
        std::f64::consts::PI
    }
    /// Area of a circular segment.
    fn ball_below(height: f64) -> f64 {
        let t = height.clamp(-1.0, 1.0);
        0.5 + (t.asin() + t * (1.0 - t * t).sqrt()) / std::f64::consts::PI
    }
    fn random_orientation(uniform: [f64; 4]) -> Angle {
        Angle((uniform[0] - 0.5) * 2.0 * std::f64::consts::PI)
    }
    fn unit_section() -> f64 {
        2.0
    }
    fn second_moments(inertia: Vector1<f64>) -> Vector2<f64> {
        Vector2::repeat(0.5 * inertia.x)
    }
    fn world_tensor(_: &Angle, moments: Vector1<f64>) -> Matrix1<f64> {
        Matrix1::new(moments.x)
    }
    fn precesses(_: Vector1<f64>) -> bool {
        false
    }
    fn free_spin(_: Vector1<f64>, spin: Vector1<f64>, _: f64, _: Gyroscopic) -> Vector1<f64> {
        spin
    }
    fn rotate_freely(_: Vector1<f64>, orientation: Angle, spin: Vector1<f64>, t: f64) -> (Angle, Vector1<f64>) {
        (orientation.turned(spin * t), spin)
    }
    fn spin_in_space(spin: Vector1<f64>) -> [f64; 3] {
        [0.0, 0.0, spin.x]
    }
    fn quaternion(orientation: &Angle) -> [f64; 4] {
        let (s, c) = (0.5 * orientation.0).sin_cos();
        [c, 0.0, 0.0, s]
    }
    fn drawn<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>> {
        vec![faces.map(|edge| edge[0]).collect()]
    }
    fn curve_key(point: Vector2<f64>, min: Vector2<f64>, max: Vector2<f64>) -> u64 {
        partitioning::hilbert::key::<2>(&point.into(), &min.into(), &max.into())
    }
    fn pointing(direction: Vector2<f64>) -> Angle {
        Angle(direction.y.atan2(direction.x))
    }
    fn hull(points: &[Vector2<f64>], flatness: f64) -> Result<Facets, Degenerate> {
        plane_hull::hull(points, flatness)
    }
    fn segment_facets() -> Facets {
        Facets { corners: vec![0, 1], faces: vec![vec![0, 1], vec![1, 0]], edges: Vec::new() }
    }
    fn determinant(v: &[Vector2<f64>]) -> f64 {
        v[0].perp(&v[1])
    }
    fn area_vector(corners: &[Vector2<f64>]) -> Vector2<f64> {
        let along = corners[1] - corners[0];
        Vector2::new(along.y, -along.x)
    }
    fn principal(second: &Matrix2<f64>) -> (Angle, Vector1<f64>) {
        (Angle(0.0), Vector1::new(second.trace()))
    }
    #[inline(always)]
    fn across(_: Vector2<f64>, _: Vector2<f64>) -> Vector2<f64> {
        Vector2::zeros()
    }
    #[inline(always)]
    fn beyond(edge: Vector2<f64>, _: Vector2<f64>) -> Vector2<f64> {
        edge
    }
}
