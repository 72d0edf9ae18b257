//! Invariants of tensors, and ratios.

use crate::dim::Dim;

/// `a`/`b`; NaN if `b` is zero.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if b == 0.0 { f64::NAN } else { a / b }
}

/// Trace of a row-major tensor divided by the dimension.
pub(super) fn mean_of<X: Dim>(tensor: &[f64]) -> f64 {
    (0..X::D).map(|i| tensor[i * X::D + i]).sum::<f64>() / X::D as f64
}

/// sqrt(s:s/2), where s is the symmetric deviator of a row-major tensor; in 2D, half the difference of the principal
/// values.
pub(super) fn deviator_of<X: Dim>(tensor: &[f64]) -> f64 {
    let mean = mean_of::<X>(tensor);
    let mut sum = 0.0;
    for i in 0..X::D {
        for j in 0..X::D {
            let symmetric = 0.5 * (tensor[i * X::D + j] + tensor[j * X::D + i]);
            let s = if i == j { symmetric - mean } else { symmetric };
            sum += s * s;
        }
    }
    (0.5 * sum).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};

    #[test]
    fn the_deviator_in_the_plane_is_half_the_difference_of_the_principal_values() {
        assert_eq!(deviator_of::<Plane>(&[5.0, 0.0, 0.0, 1.0]), 2.0);
        assert!((deviator_of::<Plane>(&[3.0, 2.0, 2.0, 3.0]) - 2.0).abs() < 1e-15);
        assert_eq!((mean_of::<Space>(&[1.0, 9.0, 9.0, 9.0, 2.0, 9.0, 9.0, 9.0, 6.0]), ratio(1.0, 2.0)), (3.0, 0.5));
        assert!(ratio(0.0, 0.0).is_nan());
    }
}
