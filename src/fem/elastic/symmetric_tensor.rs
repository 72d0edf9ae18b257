//! Symmetric tensors in space, as bodies in the plane also have stress or strain along the third axis.

use nalgebra::Matrix3;

use crate::dim::{Dim, Vector};

/// A stress or a strain: xx, yy, zz, xy, xz, yz (components of the tensor, not twice the shear).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymmetricTensor(pub [f64; 6]);

/// Row and column of each component.
const PLACES: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

impl SymmetricTensor {
    /// Strain of displacements with these gradients of shape functions: the symmetric part of the sum of u g'.
    pub(super) fn strain<X: Dim>(gradients: &[X::Vector], displacements: impl Fn(usize) -> X::Vector) -> Self {
        let mut sum = [[0.0; 3]; 3];
        for (a, gradient) in gradients.iter().enumerate() {
            let (u, g) = (displacements(a).in_space(), gradient.in_space());
            for (row, u) in sum.iter_mut().zip(u) {
                for (entry, g) in row.iter_mut().zip(g) {
                    *entry += u * g;
                }
            }
        }
        Self(PLACES.map(|(i, j)| 0.5 * (sum[i][j] + sum[j][i])))
    }

    /// The component in row `i` and column `j`.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.0[if i == j { i } else { 2 + i + j }]
    }

    /// xx + yy + zz.
    pub fn trace(&self) -> f64 {
        self.0[0] + self.0[1] + self.0[2]
    }

    /// Von Mises' equivalent of a stress: sqrt(3/2 s:s) with the deviator s.
    pub fn von_mises(&self) -> f64 {
        let [xx, yy, zz, xy, xz, yz] = self.0;
        let squares = |a: f64, b: f64, c: f64| a * a + b * b + c * c;
        (0.5 * squares(xx - yy, yy - zz, zz - xx) + 3.0 * squares(xy, xz, yz)).sqrt()
    }

    /// Principal values, decreasing; NaN if a component is not finite.
    pub fn principal(&self) -> [f64; 3] {
        if self.0.iter().any(|component| !component.is_finite()) {
            return [f64::NAN; 3];
        }
        let [xx, yy, zz, xy, xz, yz] = self.0;
        let mut values: [f64; 3] = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).symmetric_eigenvalues().into();
        values.sort_by(|a, b| b.total_cmp(a));
        values
    }

    /// This times `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self(self.0.map(|component| component * factor))
    }

    /// Component-wise sum.
    pub fn plus(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] + other.0[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invariants_are_those_of_the_textbook() {
        let pulled = SymmetricTensor([5.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!((pulled.von_mises(), pulled.principal()), (5.0, [5.0, 0.0, 0.0]));
        let sheared = SymmetricTensor([0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert!((sheared.von_mises() - 2.0 * 3f64.sqrt()).abs() < 1e-15);
        let [first, second, third] = sheared.principal();
        assert!((first - 2.0).abs() + second.abs() + (third + 2.0).abs() < 1e-14);
        let pressed = SymmetricTensor([-3.0, -3.0, -3.0, 0.0, 0.0, 0.0]);
        assert_eq!((pressed.trace(), pressed.von_mises()), (-9.0, 0.0));
        let tensor = SymmetricTensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(PLACES.iter().zip(tensor.0).all(|(&(i, j), x)| tensor.entry(i, j) == x && tensor.entry(j, i) == x));
        assert!(SymmetricTensor([f64::NAN; 6]).principal()[0].is_nan());
    }
}
