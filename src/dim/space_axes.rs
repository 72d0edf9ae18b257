//! Principal axes in 3D: eigenvectors of the inertia tensor, chosen so that equal bodies get equal axes.
//!
//! Input axes that are already principal are kept (a box keeps its axes). Otherwise the axes are ordered by ascending
//! moments; for a body of revolution the arbitrary pair is aligned with the nearest input axis. Signs: the largest
//! component of each of the first two axes is positive; the third completes a right-handed frame.

use nalgebra::{Matrix3, Vector3};

use super::Quaternion;

/// Tolerance, relative to the largest moment, within which moments count as equal and products of inertia as zero.
const EQUAL: f64 = 1e-12;

/// Principal axes and moments from the second moments per unit mass about the centre.
pub(super) fn principal(second: &Matrix3<f64>) -> (Quaternion, Vector3<f64>) {
    let tensor = Matrix3::identity() * second.trace() - second;
    let largest = tensor.diagonal().amax();
    let (tensor, axes) = diagonalised(tensor);
    let moments = tensor.diagonal();
    if is_diagonal(second, largest) || moments.max() - moments.min() <= EQUAL * largest {
        let tensor = Matrix3::identity() * second.trace() - second;
        return (Quaternion([1.0, 0.0, 0.0, 0.0]), with_equal_moments(tensor.diagonal()));
    }
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| moments[i].total_cmp(&moments[j]));
    let moments = with_equal_moments(Vector3::from_fn(|i, _| moments[order[i]]));
    let axes = Matrix3::from_fn(|i, j| axes[(i, order[j])]);
    let (first, second) = if moments.x == moments.y {
        let third = positive(axes.column(2).into());
        let first = nearest_input_axis(third);
        (first, third.cross(&first))
    } else if moments.y == moments.z {
        let first = positive(axes.column(0).into());
        (first, nearest_input_axis(first))
    } else {
        (positive(axes.column(0).into()), positive(axes.column(1).into()))
    };
    (quaternion(&Matrix3::from_columns(&[first, second, first.cross(&second)])), moments)
}

fn is_diagonal(matrix: &Matrix3<f64>, largest: f64) -> bool {
    [(0, 1), (0, 2), (1, 2)].iter().all(|&k| matrix[k].abs() <= EQUAL * largest)
}

/// Makes moments that differ only by rounding equal, so that rotational symmetry is recognised.
fn with_equal_moments(moments: Vector3<f64>) -> Vector3<f64> {
    let is_near = |i: usize, j: usize| (moments[i] - moments[j]).abs() <= EQUAL * moments.max();
    if is_near(0, 1) && is_near(1, 2) && is_near(0, 2) {
        return Vector3::repeat(moments.mean());
    }
    let mut equalised = moments;
    for (i, j) in [(0, 1), (1, 2), (0, 2)] {
        if is_near(i, j) {
            (equalised[i], equalised[j]) = (0.5 * (moments[i] + moments[j]), 0.5 * (moments[i] + moments[j]));
            break;
        }
    }
    equalised
}

/// Jacobi eigenvalue iteration: the diagonal matrix, and the orthonormal columns of the eigenvectors.
fn diagonalised(mut a: Matrix3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let mut axes = Matrix3::identity();
    for _ in 0..30 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[(p, q)] == 0.0 {
                continue;
            }
            let theta = (a[(q, q)] - a[(p, p)]) / (2.0 * a[(p, q)]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let mut rotation = Matrix3::identity();
            (rotation[(p, p)], rotation[(q, q)], rotation[(p, q)], rotation[(q, p)]) = (c, c, t * c, -t * c);
            a = rotation.transpose() * a * rotation;
            (a[(p, q)], a[(q, p)]) = (0.0, 0.0);
            axes *= rotation;
        }
        if [(0, 1), (0, 2), (1, 2)].iter().all(|&k| a[k].abs() <= 1e-17 * a.diagonal().amax()) {
            break;
        }
    }
    (a, axes)
}

/// Axis with its sign chosen so that its largest component, of nearly equal ones the first, is positive.
fn positive(axis: Vector3<f64>) -> Vector3<f64> {
    let largest = axis.iter().position(|x| x.abs() >= axis.amax() - 1e-9).unwrap_or(0);
    if axis[largest] < 0.0 { -axis } else { axis }
}

/// Direction normal to `axis` and nearest to an input axis; of equally near ones, the first.
fn nearest_input_axis(axis: Vector3<f64>) -> Vector3<f64> {
    let least = axis.iter().position(|x| x.abs() <= axis.amin() + 1e-9).unwrap_or(0);
    let input = Vector3::ith(least, 1.0);
    (input - axis * axis.dot(&input)).normalize()
}

/// Shepperd's method: divides by the largest component.
fn quaternion(m: &Matrix3<f64>) -> Quaternion {
    let (xx, yy, zz) = (m[(0, 0)], m[(1, 1)], m[(2, 2)]);
    let (x, y, z) = (m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)]);
    let (xy, xz, yz) = (m[(0, 1)] + m[(1, 0)], m[(0, 2)] + m[(2, 0)], m[(1, 2)] + m[(2, 1)]);
    let candidates = [xx + yy + zz, xx - yy - zz, yy - zz - xx, zz - xx - yy];
    let best = (0..4).fold(0, |b, i| if candidates[i] > candidates[b] { i } else { b });
    let largest = 1.0 + candidates[best];
    match best {
        0 => Quaternion::new(largest, x, y, z),
        1 => Quaternion::new(x, largest, xy, xz),
        2 => Quaternion::new(y, xy, largest, yz),
        _ => Quaternion::new(z, xz, yz, largest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Orientation;

    fn rotated(second: Vector3<f64>, by: Vector3<f64>) -> Matrix3<f64> {
        let r = Quaternion::identity().turned(by).matrix();
        r * Matrix3::from_diagonal(&second) * r.transpose()
    }

    #[test]
    fn axes_make_the_tensor_diagonal() {
        for (second, by) in [
            (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.3, -1.0, 2.0)),
            (Vector3::new(2.0, 2.0, 1.0), Vector3::new(3.1, 0.2, 0.4)),
            (Vector3::new(1.0, 2.0, 2.0), Vector3::new(0.1, 3.0, 0.3)),
            (Vector3::new(1e-6, 1.0, 1.5), Vector3::new(0.5, 0.6, 3.0)),
        ] {
            let second = rotated(second, by);
            let (axes, moments) = principal(&second);
            let r = axes.matrix();
            let back = r.transpose() * (Matrix3::identity() * second.trace() - second) * r;
            assert!((back - Matrix3::from_diagonal(&moments)).norm() < 1e-14 * moments.max());
            assert!(moments.x <= moments.y && moments.y <= moments.z);
        }
    }

    #[test]
    fn axes_already_principal_and_free_axes_are_kept() {
        let (axes, moments) = principal(&Matrix3::from_diagonal(&Vector3::new(1.0, 3.0, 2.0)));
        assert_eq!((axes, moments), (Quaternion::identity(), Vector3::new(5.0, 3.0, 4.0)));
        let (axes, moments) = principal(&rotated(Vector3::repeat(1.0 / 3.0), Vector3::new(1.0, 2.0, 3.0)));
        assert_eq!(axes, Quaternion::identity());
        assert!(moments.x == moments.y && moments.y == moments.z);
    }
}
