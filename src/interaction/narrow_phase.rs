//! Narrow phase: contact points of a pair of shapes, independent of history and symmetric under exchange of the two.
//!
//! The `match` below covers every pair of the closed list of shapes.

use super::polytope::{self, Solid};
use super::{compound, cylinder, hollow};
use crate::contactor::{Block, PosedShape, Shape};
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Calls `emit` for each contact point of `a` and `b` whose gap is at most `alert`.
#[inline]
pub fn touches<X: Dim>(
    a: &PosedShape<'_, X>,
    b: &PosedShape<'_, X>,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    use Shape::{Ball, Compound, Cylinder, HalfSpace, Hollow, Polytope};
    match (a.shape, b.shape) {
        (Ball, Ball) => {
            if let Some(touch) = balls(a, b, alert) {
                emit(touch);
            }
        }
        (Ball, HalfSpace) => ball_half_space(a, b, alert, emit),
        (HalfSpace, Ball) => ball_half_space(b, a, alert, |t| emit(t.swapped())),
        (Polytope(x), Ball) => polytope::touches_ball(&solid(x, a), b.position, b.size, alert, emit),
        (Ball, Polytope(y)) => {
            polytope::touches_ball(&solid(y, b), a.position, a.size, alert, |t| emit(t.swapped()));
        }
        (Polytope(x), HalfSpace) => {
            polytope::touches_half_space(&solid(x, a), b.position, b.outward(), alert, emit);
        }
        (HalfSpace, Polytope(y)) => {
            polytope::touches_half_space(&solid(y, b), a.position, a.outward(), alert, |t| emit(t.swapped()));
        }
        (Polytope(x), Polytope(y)) => polytope::touches(&solid(x, a), &solid(y, b), alert, emit),
        (Ball, Hollow) => hollow::touches(b, [(0, a.position)], a.size, alert, emit),
        (Hollow, Ball) => hollow::touches(a, [(0, b.position)], b.size, alert, |t| emit(t.swapped())),
        (Polytope(x), Hollow) => {
            hollow::touches(b, solid(x, a).corners(), x.rounding * a.size, alert, emit);
        }
        (Hollow, Polytope(y)) => {
            hollow::touches(a, solid(y, b).corners(), y.rounding * b.size, alert, |t| emit(t.swapped()));
        }
        (Cylinder { half_length }, Ball) => {
            cylinder::touches_ball(&drum(*half_length, a), b.position, b.size, alert, emit);
        }
        (Ball, Cylinder { half_length }) => {
            cylinder::touches_ball(&drum(*half_length, b), a.position, a.size, alert, |t| emit(t.swapped()));
        }
        (Cylinder { half_length }, HalfSpace) => {
            cylinder::touches_half_space(&drum(*half_length, a), b.position, b.outward(), alert, emit);
        }
        (HalfSpace, Cylinder { half_length }) => {
            let emit = |t: ContactPoint<X>| emit(t.swapped());
            cylinder::touches_half_space(&drum(*half_length, b), a.position, a.outward(), alert, emit);
        }
        (Cylinder { half_length }, Polytope(y)) => {
            cylinder::touches_polytope(&drum(*half_length, a), &solid(y, b), alert, emit);
        }
        (Polytope(x), Cylinder { half_length }) => {
            cylinder::touches_polytope(&drum(*half_length, b), &solid(x, a), alert, |t| emit(t.swapped()));
        }
        (Cylinder { half_length: x }, Cylinder { half_length: y }) => {
            cylinder::touches_cylinder(&drum(*x, a), &drum(*y, b), alert, emit);
        }
        (Cylinder { half_length }, Hollow) => {
            cylinder::touches_hollow(&drum(*half_length, a), &hole(b), alert, emit);
        }
        (Hollow, Cylinder { half_length }) => {
            cylinder::touches_hollow(&drum(*half_length, b), &hole(a), alert, |t| emit(t.swapped()));
        }
        // Part by part.
        (Compound(_), _) | (_, Compound(_)) => compound::touches(a, b, alert, &mut emit),
        // Two obstacles never act on each other.
        (HalfSpace | Hollow, HalfSpace | Hollow) => {}
    }
}

/// A cylinder with its pose.
fn drum<X: Dim>(half_length: f64, placed: &PosedShape<'_, X>) -> cylinder::Cylinder<X> {
    cylinder::Cylinder::new(placed.position, placed.orientation, half_length * placed.size, placed.size)
}

/// The inside of a drum with its pose.
fn hole<X: Dim>(placed: &PosedShape<'_, X>) -> cylinder::Hollow<X> {
    cylinder::Hollow { point: placed.position, axis: placed.axis(), radius: placed.size }
}

/// A convex block with its pose.
fn solid<'a, X: Dim>(block: &'a Block<X>, placed: &PosedShape<'_, X>) -> Solid<'a, X> {
    Solid {
        polytope: &block.polytope,
        size: placed.size,
        position: placed.position,
        orientation: placed.orientation,
        rounding: block.rounding * placed.size,
    }
}

#[inline]
fn balls<X: Dim>(a: &PosedShape<'_, X>, b: &PosedShape<'_, X>, alert: f64) -> Option<ContactPoint<X>> {
    let between = b.position - a.position;
    let reach = a.size + b.size + alert;
    let distance2 = between.norm2();
    if distance2 > reach * reach {
        return None;
    }
    let distance = distance2.sqrt();
    // Concentric spheres have no normal; any fixed direction pushes them apart.
    let normal = if distance > 0.0 { between * (1.0 / distance) } else { X::Vector::axis(X::D - 1) };
    let gap = distance - (a.size + b.size);
    // The ratio of the radii allows the point to be stored as one number, its distance along the line of centres.
    let share = a.size / (a.size + b.size);
    Some(ContactPoint { feature: 0, normal, point: a.position + normal * (share * distance), gap })
}

fn ball_half_space<X: Dim>(
    ball: &PosedShape<'_, X>,
    plane: &PosedShape<'_, X>,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    let outward = plane.outward();
    let gap = outward.dot(&(ball.position - plane.position)) - ball.size;
    if gap <= alert {
        let point = ball.position - outward * (ball.size + 0.5 * gap);
        emit(ContactPoint { feature: 0, normal: -outward, point, gap });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
