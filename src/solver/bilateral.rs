//! Bilateral contacts: without bounds the local problem is linear, and the inverse of its block solves it.
//!
//! Joints have long lever arms and thus blocks far from isotropic: the projection of `general` would need many sweeps
//! where one multiplication suffices.

use crate::dim::{Dim, Square};
use crate::law::Reduced;

/// The inverse of the local block, in world axes, of a contact whose tangential impulse is unbounded and whose normal
/// impulse is unbounded or zero; `None` for any other contact, or if the block is singular.
pub(super) fn inverse<X: Dim>(block: &X::Matrix, normal: X::Vector, law: &Reduced<X>) -> Option<X::Matrix> {
    let is_unbounded = law.normal == [f64::NEG_INFINITY, f64::INFINITY];
    let is_plain = law.knee == 0.0 && law.pull == 0.0 && law.spring == 0.0 && law.cap == f64::INFINITY;
    if law.cohesion != f64::INFINITY || !is_plain || !(is_unbounded || law.normal == [0.0, 0.0]) {
        return None;
    }
    // Without a normal impulse the normal is decoupled in the block, and its entries in the inverse are zero.
    let decoupled = |i: usize, j: usize| !is_unbounded && (i == 0 || j == 0);
    let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
    let block = X::Matrix::from_fn(|i, j| if decoupled(i, j) { identity(i, j) } else { block[(i, j)] });
    let inverse = block.inverted()?;
    let frame = X::frame(normal);
    let entry = |i: usize, j: usize| if decoupled(i, j) { 0.0 } else { inverse[(i, j)] };
    Some(X::Matrix::from_fn(|i, j| {
        let pairs = (0..X::D).flat_map(|k| (0..X::D).map(move |l| (k, l)));
        pairs.map(|(k, l)| frame[(k, i)] * entry(k, l) * frame[(l, j)]).sum()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Space, Vector};
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn the_inverse_undoes_the_block_in_world_axes_with_or_without_its_normal() {
        let block = Matrix3::new(2.0, 0.3, -0.4, 0.3, 1.0, 0.2, -0.4, 0.2, 5.0);
        let normal = Vector3::new(0.0, 0.6, 0.8);
        let frame = Space::frame(normal);
        let whole = frame.transpose() * block * frame;
        let bare = Reduced::<Space>::cone(Vector3::zero(), 0.0);
        assert!(inverse::<Space>(&block, normal, &bare).is_none());
        let held = Reduced { normal: [f64::NEG_INFINITY, f64::INFINITY], cohesion: f64::INFINITY, ..bare };
        let found = inverse::<Space>(&block, normal, &held).unwrap();
        assert!((found * whole - Matrix3::identity()).norm() < 1e-14);
        let across = inverse::<Space>(&block, normal, &Reduced { normal: [0.0, 0.0], ..held }).unwrap();
        assert!((across * normal).norm() < 1e-15);
        let tangent = frame.row(1).transpose();
        let image = whole * (across * tangent);
        assert!((image - tangent - normal * normal.dot(&image)).norm() < 1e-14);
    }
}
