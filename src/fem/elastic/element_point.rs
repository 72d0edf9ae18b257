//! The map from a reference element to the body at a point: Jacobian J_ij = sum_a X_a,i dN_a/dxi_j, and gradients
//! J^-T dN_a/dxi of shape functions.

use super::shape_functions::{ReferencePoint, ShapeFunctions, centre};
use crate::dim::{Dim, Square, Vector};
use crate::fem::mesh::{ElementKind, NODES_OF_AN_ELEMENT};

/// Determinants of the Jacobian below this fraction of that of a regular element of the same size are taken as zero.
const FLAT: f64 = 1e-12;

/// Shape functions at a point of an element in the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementPoint<X: Dim> {
    /// Values of the shape functions.
    pub(super) values: [f64; NODES_OF_AN_ELEMENT],
    /// Their gradients, 1/m.
    pub(super) gradients: [X::Vector; NODES_OF_AN_ELEMENT],
    /// Determinant of the Jacobian.
    pub(super) determinant: f64,
    /// Inverse of the Jacobian.
    inverse: X::Matrix,
}

/// A Jacobian that is not positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BadJacobian {
    /// Its determinant.
    pub(super) determinant: f64,
    /// That of a regular element of the same size.
    pub(super) regular: f64,
}

/// Columns of the Jacobian of an element with its nodes at `positions`.
fn jacobian<X: Dim>(positions: &[X::Vector], shape: &ShapeFunctions) -> [X::Vector; 3] {
    let mut columns = [X::Vector::zero(); 3];
    for (position, slope) in positions.iter().zip(&shape.slopes) {
        for (column, slope) in columns.iter_mut().zip(slope) {
            *column += *position * *slope;
        }
    }
    columns
}

/// Determinant of the Jacobian at a point.
pub(super) fn jacobian_at<X: Dim>(kind: ElementKind, positions: &[X::Vector], point: ReferencePoint) -> f64 {
    X::determinant(&jacobian::<X>(positions, &ShapeFunctions::at(kind, point))[..X::D])
}

/// Determinant of the Jacobian of a regular element as large as this one.
fn regular_jacobian<X: Dim>(positions: &[X::Vector]) -> f64 {
    let farthest = positions.iter().map(|p| (*p - positions[0]).norm2()).fold(0.0, f64::max);
    farthest.sqrt().powi(X::D as i32)
}

impl<X: Dim> ElementPoint<X> {
    /// At a point of an element with its nodes at `positions`.
    pub(super) fn at(kind: ElementKind, positions: &[X::Vector], point: ReferencePoint) -> Result<Self, BadJacobian> {
        let shape = ShapeFunctions::at(kind, point);
        let columns = jacobian::<X>(positions, &shape);
        let determinant = X::determinant(&columns[..X::D]);
        let regular = regular_jacobian::<X>(positions);
        let bad = BadJacobian { determinant, regular };
        if determinant.is_nan() || determinant <= FLAT * regular {
            return Err(bad);
        }
        let inverse = X::Matrix::from_fn(|i, j| columns[j][i]).inverted().ok_or(bad)?;
        let gradients = shape.slopes.map(|slope| inverse.apply_transposed(X::Vector::from_fn(|k| slope[k])));
        Ok(Self { values: shape.values, gradients, determinant, inverse })
    }

    /// Gradients of the incompatible modes 1 - x_k^2 (Taylor, Beresford and Wilson, Int. J. Numer. Meth. Engng 10
    /// (1976) 1211) at a point of this element whose centre is `middle`: taken with the Jacobian of the centre and the
    /// factor j0/j, their integrals vanish, so that constant strains remain exact in any shape.
    pub(super) fn mode_gradient(&self, middle: &Self, axis: usize, point: ReferencePoint) -> X::Vector {
        let slope = X::Vector::from_fn(|k| if k == axis { -2.0 * point[axis] } else { 0.0 });
        middle.inverse.apply_transposed(slope) * (middle.determinant / self.determinant)
    }

    /// At the centre of an element.
    pub(super) fn at_centre(kind: ElementKind, positions: &[X::Vector]) -> Result<Self, BadJacobian> {
        Self::at(kind, positions, centre(kind))
    }
}
