//! Shape functions of a quadrilateral face at a point of one of its halves.
//!
//! The distance to a face is that to its halves, which are triangles; a force at the point acts on all four nodes, so
//! that a uniform pressure acts on them as in the element.

use crate::dim::{Dim, Vector};

/// Newton steps; a parallelogram needs none, the faces of usual meshes two or three.
const STEPS: usize = 8;
/// Change of the coordinates below which they are known.
const KNOWN: f64 = 1e-14;

/// Weights of the corners of a quadrilateral at the point that has the given weights in the triangle of the first three
/// corners: bilinear shape functions at the point of the face that is nearest to it.
pub(super) fn weights<X: Dim>(corners: &[X::Vector; 4], [u, v, w]: [f64; 3]) -> [f64; 4] {
    if u == 0.0 || w == 0.0 {
        // On an edge of the face two nodes suffice.
        return [u, v, w, 0.0];
    }
    let [a, b, c, d] = *corners;
    let point = a * u + b * v + c * w;
    // The solution in a parallelogram.
    let (mut s, mut t) = (v + w, w);
    let (along, across, twist) = (b - a, d - a, a - b + c - d);
    for _ in 0..STEPS {
        let off = point - (a + along * s + across * t + twist * (s * t));
        let (by_s, by_t) = (along + twist * t, across + twist * s);
        let (ss, tt, st) = (by_s.norm2(), by_t.norm2(), by_s.dot(&by_t));
        let determinant = ss * tt - st * st;
        // At a corner of 180 degrees the coordinates are not unique.
        if determinant <= 1e-6 * ss * tt {
            break;
        }
        let (p, q) = (by_s.dot(&off), by_t.dot(&off));
        let change = [(p * tt - q * st) / determinant, (q * ss - p * st) / determinant];
        (s, t) = ((s + change[0]).clamp(0.0, 1.0), (t + change[1]).clamp(0.0, 1.0));
        if change[0].abs().max(change[1].abs()) <= KNOWN {
            break;
        }
    }
    [(1.0 - s) * (1.0 - t), s * (1.0 - t), s * t, (1.0 - s) * t]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    #[test]
    fn the_weights_of_a_flat_quadrilateral_interpolate_the_point_and_are_those_of_an_edge_on_it() {
        let corners = [
            Vector3::new(0.0, 0.0, 1.0),
            Vector3::new(1.0, 0.1, 1.0),
            Vector3::new(0.9, 0.8, 1.0),
            Vector3::new(-0.2, 0.6, 1.0),
        ];
        for (i, j) in (0..=10).flat_map(|i| (0..=10 - i).map(move |j| (i, j))) {
            let (v, w) = (f64::from(i) / 10.0, f64::from(j) / 10.0);
            let point = corners[0] * (1.0 - v - w) + corners[1] * v + corners[2] * w;
            let weights = weights::<Space>(&corners, [1.0 - v - w, v, w]);
            let sum = corners.iter().zip(weights).fold(Vector3::zeros(), |sum, (corner, weight)| sum + corner * weight);
            assert!((sum - point).norm() < 1e-14, "{i} {j}: {sum} {point}");
            assert!(weights.iter().all(|weight| *weight >= 0.0));
            if w == 0.0 {
                assert!((weights[1] - v).abs() < 1e-14 && weights[2] == 0.0 && weights[3] == 0.0, "{weights:?}");
            }
        }
    }
}
