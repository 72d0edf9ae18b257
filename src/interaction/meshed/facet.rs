//! The point of a facet nearest to a given point.

use crate::dim::{Dim, Vector};

/// The nearest point of a facet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NearestOnFacet<X: Dim> {
    /// The point, m.
    pub(super) point: X::Vector,
    /// Unit normal of the facet.
    pub(super) normal: X::Vector,
    /// Weights of its nodes.
    pub(super) weights: [f64; 3],
    /// Does the given point project onto the facet, not beyond its border?
    pub(super) is_inside: bool,
    /// Largest extent of the facet, m.
    pub(super) length: f64,
}

/// Distance beyond the border over the size of a facet within which a point counts as above it, so that rounding leaves
/// no gap between adjacent facets.
const BORDER: f64 = 1e-9;

/// Part of the length of a facet by which a node may lie beyond its border and still be in contact with it.
pub(super) const BEYOND: f64 = 1e-3;

/// The nearest point of the facet with `count` of these corners: a segment with the body on its left, or a triangle
/// seen counter-clockwise from outside.
pub(super) fn nearest<X: Dim>(corners: &[X::Vector; 3], count: usize, point: X::Vector) -> NearestOnFacet<X> {
    let normal = X::area_vector(&corners[..count]);
    let normal = normal * (1.0 / normal.norm().max(f64::MIN_POSITIVE));
    let length = longest_side::<X>(corners, count);
    let (weights, is_inside) = match count {
        2 => on_segment::<X>(corners[0], corners[1], point),
        _ => on_triangle::<X>(corners, normal, point),
    };
    let nearest = corners[..count].iter().zip(weights);
    let nearest = nearest.fold(X::Vector::zero(), |sum, (corner, weight)| sum + *corner * weight);
    NearestOnFacet { point: nearest, normal, weights, is_inside, length }
}

/// Largest extent of the facet with `count` of these corners, m.
pub(super) fn longest_side<X: Dim>(corners: &[X::Vector; 3], count: usize) -> f64 {
    (0..count).map(|k| (corners[(k + 1) % count] - corners[k]).norm()).fold(0.0, f64::max)
}

/// Weights of the ends of a segment at its point nearest to `point`; does `point` project onto it?
fn on_segment<X: Dim>(a: X::Vector, b: X::Vector, point: X::Vector) -> ([f64; 3], bool) {
    let along = b - a;
    let share = along.dot(&(point - a)) / along.norm2().max(f64::MIN_POSITIVE);
    let clamped = share.clamp(0.0, 1.0);
    ([1.0 - clamped, clamped, 0.0], (share - clamped).abs() <= BORDER)
}

/// Weights of the corners of a triangle at its point nearest to `point`; does `point` project onto it?
fn on_triangle<X: Dim>(corners: &[X::Vector; 3], normal: X::Vector, point: X::Vector) -> ([f64; 3], bool) {
    // The weight of a corner is the area opposite to it; its sign tells the side of the opposite edge.
    let area = |k: usize| {
        let (from, to) = (corners[(k + 1) % 3], corners[(k + 2) % 3]);
        X::area_vector(&[point, from, to]).dot(&normal)
    };
    let areas = [area(0), area(1), area(2)];
    let total: f64 = areas.iter().sum();
    if areas.iter().all(|area| *area >= -BORDER * total) {
        let clipped = areas.map(|area| area.max(0.0));
        let total: f64 = clipped.iter().sum();
        return (clipped.map(|area| area / total.max(f64::MIN_POSITIVE)), true);
    }
    // The nearest point lies on an edge.
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for k in 0..3 {
        let (from, to) = ((k + 1) % 3, (k + 2) % 3);
        let ([first, second, _], _) = on_segment::<X>(corners[from], corners[to], point);
        let distance = (corners[from] * first + corners[to] * second - point).norm();
        if distance < best.1 {
            let mut weights = [0.0; 3];
            (weights[from], weights[to]) = (first, second);
            best = (weights, distance);
        }
    }
    (best.0, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn the_nearest_point_of_a_segment_is_its_foot_or_its_end() {
        let corners = [Vector2::new(1.0, 0.0), Vector2::new(0.0, 0.0), Vector2::zeros()];
        let found = nearest::<Plane>(&corners, 2, Vector2::new(0.25, 0.5));
        assert!(found.is_inside && (found.point - Vector2::new(0.25, 0.0)).norm() < 1e-15);
        assert!((found.normal - Vector2::y()).norm() < 1e-15);
        let found = nearest::<Plane>(&corners, 2, Vector2::new(1.5, 0.5));
        assert!(!found.is_inside && (found.point - corners[0]).norm() < 1e-15);
    }

    #[test]
    fn the_nearest_point_of_a_triangle_is_that_of_a_fine_sampling() {
        let corners = [Vector3::new(0.1, 0.0, 0.2), Vector3::new(1.0, 0.2, 0.0), Vector3::new(0.3, 0.9, -0.1)];
        for seed in 0..200 {
            let roll = |k: u32| {
                f64::from((seed * 2654435761u32).wrapping_mul(k + 3).wrapping_add(k * 40503) % 1000) / 400.0 - 0.7
            };
            let point = Vector3::new(roll(1), roll(2), roll(3));
            let found = nearest::<Space>(&corners, 3, point);
            let mut least = f64::INFINITY;
            for i in 0..=60 {
                for j in 0..=60 - i {
                    let (a, b) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                    let sample = corners[0] * (1.0 - a - b) + corners[1] * a + corners[2] * b;
                    least = least.min((sample - point).norm());
                }
            }
            let distance = (found.point - point).norm();
            assert!(distance <= least + 1e-12 && distance > least - 0.03, "{seed}: {distance} against {least}");
        }
    }
}
