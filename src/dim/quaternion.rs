//! Orientations in space: unit quaternions, and their products and rotations.

use nalgebra::{Matrix3, Vector3};

use super::Orientation;

/// Unit quaternion (w, x, y, z) from the body frame to the world frame.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Quaternion(pub [f64; 4]);

impl Quaternion {
    /// Creates a normalised quaternion; zero becomes the identity.
    pub fn new(w: f64, x: f64, y: f64, z: f64) -> Self {
        let norm = (w * w + x * x + y * y + z * z).sqrt();
        if norm > 0.0 { Quaternion([w / norm, x / norm, y / norm, z / norm]) } else { Self::identity() }
    }

    /// Renormalises after an operation that preserves the norm up to rounding: one Newton step then suffices.
    #[inline]
    fn renormalised(self) -> Self {
        let [w, x, y, z] = self.0;
        let excess = (w * w + x * x) + (y * y + z * z) - 1.0;
        if excess.abs() < 1e-8 {
            let corrected = |x: f64| x - x * (0.5 * excess);
            Quaternion([corrected(w), corrected(x), corrected(y), corrected(z)])
        } else {
            Self::new(w, x, y, z)
        }
    }

    fn vector(&self) -> Vector3<f64> {
        Vector3::new(self.0[1], self.0[2], self.0[3])
    }

    /// Rotation matrix from the body frame to the world frame.
    pub fn matrix(&self) -> Matrix3<f64> {
        let [w, x, y, z] = self.0;
        Matrix3::new(
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        )
    }
}

/// cos(x) and sin(x)/x from x^2, by their series: exact to rounding up to x = 0.1, which the rotation of a step seldom
/// exceeds.
#[inline]
fn cosine_and_sinc(square: f64) -> (f64, f64) {
    if square > 0.01 {
        let x = square.sqrt();
        return (x.cos(), x.sin() / x);
    }
    let series = |ratios: &[f64; 5]| ratios.iter().rev().fold(1.0, |sum, ratio| 1.0 - square * ratio * sum);
    const COSINE: [f64; 5] = [1.0 / 2.0, 1.0 / 12.0, 1.0 / 30.0, 1.0 / 56.0, 1.0 / 90.0];
    const SINC: [f64; 5] = [1.0 / 6.0, 1.0 / 20.0, 1.0 / 42.0, 1.0 / 72.0, 1.0 / 110.0];
    (series(&COSINE), series(&SINC))
}

impl Orientation<Vector3<f64>, Vector3<f64>> for Quaternion {
    const NUMBERS: usize = 4;
    const UNIT: &'static str = "";
    fn identity() -> Self {
        Quaternion([1.0, 0.0, 0.0, 0.0])
    }
    fn rotate(&self, v: Vector3<f64>) -> Vector3<f64> {
        let q = self.vector();
        let t = q.cross(&v) * 2.0;
        v + t * self.0[0] + q.cross(&t)
    }
    fn unrotate(&self, v: Vector3<f64>) -> Vector3<f64> {
        let q = -self.vector();
        let t = q.cross(&v) * 2.0;
        v + t * self.0[0] + q.cross(&t)
    }
    #[inline]
    fn turned(&self, angle: Vector3<f64>) -> Self {
        let (c, sinc) = cosine_and_sinc(0.25 * angle.norm_squared());
        let s = angle * (0.5 * sinc);
        let (w, v) = (self.0[0], self.vector());
        let vector = v * c + s * w + s.cross(&v);
        Quaternion([c * w - s.dot(&v), vector.x, vector.y, vector.z]).renormalised()
    }
    fn times(&self, inner: &Self) -> Self {
        if *inner == Self::identity() {
            return *self;
        }
        let (w, v, x, u) = (self.0[0], self.vector(), inner.0[0], inner.vector());
        let vector = u * w + v * x + v.cross(&u);
        Quaternion::new(w * x - v.dot(&u), vector.x, vector.y, vector.z)
    }
    fn inverse(&self) -> Self {
        let [w, x, y, z] = self.0;
        Quaternion([w, -x, -y, -z])
    }
    fn rotate_spin(&self, spin: Vector3<f64>) -> Vector3<f64> {
        self.rotate(spin)
    }
    fn unrotate_spin(&self, spin: Vector3<f64>) -> Vector3<f64> {
        self.unrotate(spin)
    }
    #[inline]
    fn write(&self, out: &mut [f64]) {
        out[..4].copy_from_slice(&self.0);
    }
    fn read(numbers: &[f64]) -> Self {
        Quaternion([numbers[0], numbers[1], numbers[2], numbers[3]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_of_small_angles_are_exact_to_rounding() {
        for i in 0..=2000 {
            let x = 0.0001 * f64::from(i);
            let (cosine, sinc) = cosine_and_sinc(x * x);
            let expected = if i == 0 { 1.0 } else { x.sin() / x };
            assert!((cosine - x.cos()).abs() < 3e-16 && (sinc - expected).abs() < 3e-16, "{x}");
        }
        let mut q = Quaternion::new(0.1, -0.7, 0.4, 0.2);
        for _ in 0..100_000 {
            q = q.turned(Vector3::new(0.01, -0.003, 0.02));
        }
        assert!((q.0.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn rotating_by_two_halves_is_rotating_by_the_full_angle() {
        let angle = Vector3::new(0.3, -0.2, 0.9);
        let once = Quaternion::identity().turned(angle);
        let twice = Quaternion::identity().turned(angle * 0.5).turned(angle * 0.5);
        assert!((0..4).all(|i| (once.0[i] - twice.0[i]).abs() < 1e-15));
    }
}
