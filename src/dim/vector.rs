//! Operations on small vectors and small square matrices of any size.
//!
//! One blanket implementation over `nalgebra`'s statically sized types serves positions, spins and blocks.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, Neg, Sub, SubAssign};

use bytemuck::Pod;
use nalgebra::{SMatrix, SVector};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A vector of `N` numbers.
pub trait Vector:
    Copy
    + Debug
    + PartialEq
    + Pod
    + Send
    + Sync
    + Serialize
    + DeserializeOwned
    + Add<Output = Self>
    + Sub<Output = Self>
    + Neg<Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
    + Index<usize, Output = f64>
    + IndexMut<usize, Output = f64>
    + 'static
{
    /// Number of components.
    const N: usize;
    /// The zero vector.
    fn zero() -> Self;
    /// Component `i` is `f(i)`.
    fn from_fn(f: impl FnMut(usize) -> f64) -> Self;
    /// Inner product.
    fn dot(&self, other: &Self) -> f64;
    /// Component-wise product.
    fn times(&self, other: &Self) -> Self;
    /// Components in order.
    fn as_slice(&self) -> &[f64];

    /// Squared Euclidean norm.
    fn norm2(&self) -> f64 {
        self.dot(self)
    }
    /// Euclidean norm.
    fn norm(&self) -> f64 {
        self.norm2().sqrt()
    }
    /// Unit vector along axis `i`.
    fn axis(i: usize) -> Self {
        Self::from_fn(|k| if k == i { 1.0 } else { 0.0 })
    }
    /// The smaller of each two components.
    #[inline]
    fn lower(&self, other: &Self) -> Self {
        Self::from_fn(|k| self[k].min(other[k]))
    }
    /// The larger of each two components.
    #[inline]
    fn upper(&self, other: &Self) -> Self {
        Self::from_fn(|k| self[k].max(other[k]))
    }
    /// Reads the components from the start of `numbers`.
    fn read(numbers: &[f64]) -> Self {
        Self::from_fn(|i| numbers[i])
    }
    /// Returns true if no component is infinite or NaN.
    fn is_finite(&self) -> bool {
        self.as_slice().iter().all(|x| x.is_finite())
    }
    /// Pads with zeros to three components, for file formats that are always three-dimensional.
    fn in_space(&self) -> [f64; 3] {
        let mut out = [0.0; 3];
        out[..Self::N].copy_from_slice(self.as_slice());
        out
    }
}

impl<const N: usize> Vector for SVector<f64, N>
where
    SVector<f64, N>: Serialize + DeserializeOwned,
{
    const N: usize = N;
    #[inline(always)]
    fn zero() -> Self {
        Self::from_element(0.0)
    }
    #[inline(always)]
    fn from_fn(mut f: impl FnMut(usize) -> f64) -> Self {
        SVector::<f64, N>::from_fn(|i, _| f(i))
    }
    #[inline(always)]
    fn dot(&self, other: &Self) -> f64 {
        // Written out: the order of summation is part of the guaranteed bits.
        let mut sum = self[0] * other[0];
        for i in 1..N {
            sum += self[i] * other[i];
        }
        sum
    }
    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        self.component_mul(other)
    }
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        SVector::as_slice(self)
    }
}

/// A square matrix acting on vectors `V`.
pub trait Square<V: Vector>:
    Copy + Debug + PartialEq + Send + Sync + Serialize + DeserializeOwned + Index<(usize, usize), Output = f64> + 'static
{
    /// Entry (i, j) is `f(i, j)`.
    fn from_fn(f: impl FnMut(usize, usize) -> f64) -> Self;
    /// Matrix times vector.
    fn apply(&self, v: V) -> V;
    /// Transposed matrix times vector.
    fn apply_transposed(&self, v: V) -> V;
    /// Row `i`.
    fn row_vector(&self, i: usize) -> V;
    /// Multiplies every entry by `factor`.
    fn scaled(&self, factor: f64) -> Self;
    /// Self times a matrix times the transpose of self: with a rotation, the matrix in other axes.
    fn conjugate(&self, matrix: &Self) -> Self;
    /// The inverse, if it exists.
    fn inverted(&self) -> Option<Self>;

    /// Diagonal matrix.
    fn diagonal(d: V) -> Self {
        Self::from_fn(|i, j| if i == j { d[i] } else { 0.0 })
    }
    /// The zero matrix.
    fn null() -> Self {
        Self::from_fn(|_, _| 0.0)
    }
}

impl<const N: usize> Square<SVector<f64, N>> for SMatrix<f64, N, N>
where
    SVector<f64, N>: Serialize + DeserializeOwned,
    SMatrix<f64, N, N>: Serialize + DeserializeOwned,
{
    #[inline(always)]
    fn from_fn(f: impl FnMut(usize, usize) -> f64) -> Self {
        SMatrix::<f64, N, N>::from_fn(f)
    }
    #[inline(always)]
    fn apply(&self, v: SVector<f64, N>) -> SVector<f64, N> {
        self * v
    }
    #[inline(always)]
    fn apply_transposed(&self, v: SVector<f64, N>) -> SVector<f64, N> {
        self.transpose() * v
    }
    #[inline(always)]
    fn conjugate(&self, matrix: &Self) -> Self {
        self * matrix * self.transpose()
    }
    #[inline(always)]
    fn row_vector(&self, i: usize) -> SVector<f64, N> {
        self.row(i).transpose()
    }
    #[inline(always)]
    fn scaled(&self, factor: f64) -> Self {
        self * factor
    }
    fn inverted(&self) -> Option<Self> {
        // LU decomposition with partial pivoting; nalgebra's general inverse needs trait bounds that this trait would
        // have to carry everywhere.
        let (mut a, mut b) = (*self, Self::identity());
        for k in 0..N {
            let pivot = (k..N).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs()))?;
            if a[(pivot, k)] == 0.0 || !a[(pivot, k)].is_finite() {
                return None;
            }
            a.swap_rows(k, pivot);
            b.swap_rows(k, pivot);
            for i in 0..N {
                if i != k {
                    let factor = a[(i, k)] / a[(k, k)];
                    for j in 0..N {
                        a[(i, j)] -= factor * a[(k, j)];
                        b[(i, j)] -= factor * b[(k, j)];
                    }
                }
            }
        }
        Some(Self::from_fn(|i, j| b[(i, j)] / a[(i, i)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let m = Matrix3::new(0.0, 2.0, 1.0, 3.0, 1.0, 0.5, 1.0, 0.0, 4.0);
        let product = m * m.inverted().unwrap();
        assert!((product - Matrix3::identity()).norm() < 1e-14);
    }

    #[test]
    fn a_singular_matrix_has_no_inverse() {
        assert!(<Matrix3<f64> as Square<Vector3<f64>>>::null().inverted().is_none());
    }
}
