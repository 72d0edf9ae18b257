//! Narrow phase: contact points of a pair of shapes, independent of history and symmetric under exchange of the two.

use super::contact_point::ContactPoint;
use super::{compound, simple_shapes};
use crate::contactor::PosedShape;
use crate::dim::Dim;

/// Calls `emit` for each contact point of `a` and `b` whose gap is at most `alert`.
#[inline]
pub fn touches<X: Dim>(
    a: &PosedShape<'_, X>,
    b: &PosedShape<'_, X>,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    if a.shape.as_compound().is_some() || b.shape.as_compound().is_some() {
        compound::touches(a, b, alert, &mut emit);
    } else {
        simple_shapes::touches(a, b, alert, emit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Shape;
    use crate::dim::{Angle, Orientation, Plane, Quaternion, Space};
    use nalgebra::{Vector2, Vector3};

    fn all<X: Dim>(a: &PosedShape<'_, X>, b: &PosedShape<'_, X>, alert: f64) -> Vec<ContactPoint<X>> {
        let mut found = Vec::new();
        touches(a, b, alert, |t| found.push(t));
        found
    }

    fn placed(shape: &Shape<Space>, size: f64, position: [f64; 3]) -> PosedShape<'_, Space> {
        PosedShape { shape, size, position: position.into(), orientation: Quaternion::identity() }
    }

    #[test]
    fn swapping_two_shapes_mirrors_the_contact() {
        let turned = Quaternion::new(1.0, 0.2, 0.3, -0.1);
        let shape = Shape::cuboid(Vector3::new(0.5, 0.4, 0.3)).unwrap();
        let mut cuboid = placed(&shape, 1.0, [0.1, 0.0, 0.2]);
        cuboid.orientation = turned;
        let ball = placed(&Shape::Ball, 0.3, [0.7, 0.1, 0.3]);
        let mut floor = placed(&Shape::HalfSpace, 1.0, [0.0, 0.0, -0.3]);
        floor.orientation = Space::pointing(Vector3::z());
        for (a, b) in [(ball, cuboid), (ball, floor), (cuboid, floor), (ball, placed(&Shape::Ball, 0.2, [0.0; 3]))] {
            let (ab, ba) = (all(&a, &b, 1.0), all(&b, &a, 1.0));
            assert!(!ab.is_empty());
            for (x, y) in ab.iter().zip(&ba) {
                assert_eq!(x.gap, y.gap);
                assert!((x.normal + y.normal).norm() == 0.0 && (x.point - y.point).norm() < 1e-15);
                assert_eq!(x.feature, y.feature);
            }
        }
    }

    #[test]
    fn a_ball_meets_face_edge_corner_and_inside_of_a_box_at_the_right_distance() {
        let shape = Shape::cuboid(Vector3::new(1.0, 1.0, 1.0)).unwrap();
        let cuboid = placed(&shape, 1.0, [0.0; 3]);
        let gap = |p: [f64; 3]| all(&placed(&Shape::Ball, 0.5, p), &cuboid, 10.0)[0].gap;
        assert_eq!(gap([2.0, 0.0, 0.3]), 0.5);
        assert!((gap([2.0, 2.0, 0.0]) - (2f64.sqrt() - 0.5)).abs() < 1e-15);
        assert!((gap([2.0, 2.0, 2.0]) - (3f64.sqrt() - 0.5)).abs() < 1e-15);
        assert!((gap([0.0, 0.9, 0.0]) - (-0.1 - 0.5)).abs() < 1e-15);
    }

    #[test]
    fn a_square_lying_on_the_ground_touches_with_two_corners_and_a_cube_with_four() {
        let ground = PosedShape::<Plane> {
            shape: &Shape::HalfSpace,
            size: 1.0,
            position: Vector2::zeros(),
            orientation: Plane::pointing(Vector2::y()),
        };
        let shape = Shape::cuboid(Vector2::new(0.5, 0.5)).unwrap();
        let square =
            PosedShape::<Plane> { shape: &shape, size: 1.0, position: Vector2::new(0.0, 0.5), orientation: Angle(0.0) };
        assert_eq!(all(&square, &ground, 1e-3).len(), 2);
        let mut floor = placed(&Shape::HalfSpace, 1.0, [0.0; 3]);
        floor.orientation = Space::pointing(Vector3::z());
        let shape = Shape::cuboid(Vector3::new(0.5, 0.5, 0.5)).unwrap();
        let cube = placed(&shape, 1.0, [0.0, 0.0, 0.5]);
        let mut features: Vec<u64> = all(&cube, &floor, 1e-3).iter().map(|t| t.feature).collect();
        features.sort_unstable();
        features.dedup();
        assert_eq!(features.len(), 4);
    }

    #[test]
    fn a_ball_on_a_wall_segment_is_held_off_at_its_ends_too() {
        let shape = Shape::segment(1.0);
        let wall =
            PosedShape::<Plane> { shape: &shape, size: 1.0, position: Vector2::zeros(), orientation: Angle(0.0) };
        let ball = |x: f64, y: f64| PosedShape::<Plane> {
            shape: &Shape::Ball,
            size: 0.5,
            position: Vector2::new(x, y),
            orientation: Angle(0.0),
        };
        assert_eq!(all(&ball(0.2, 0.7), &wall, 1.0)[0].gap, 0.7 - 0.5);
        assert!((all(&ball(1.3, 0.4), &wall, 1.0)[0].gap).abs() < 1e-15);
    }
}
