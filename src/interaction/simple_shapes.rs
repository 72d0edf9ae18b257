//! Contact points of two simple shapes: spheres, polytopes, cylinders, half-spaces, drums.
//!
//! The `match` below covers every pair of the closed list of shapes.

use super::contact_point::ContactPoint;
use super::polytope::{self, Solid};
use super::{cylinder, hollow};
use crate::contactor::{Block, PosedShape, Shape};
use crate::dim::{Dim, Vector};

/// Calls `emit` for each contact point of `a` and `b` whose gap is at most `alert`; neither is a compound.
#[inline]
pub(super) fn touches<X: Dim>(
    a: &PosedShape<'_, X>,
    b: &PosedShape<'_, X>,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    use Shape::{Ball, Compound, Cylinder, HalfSpace, Hollow, Meshed, Polytope};
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
        (Cylinder { half_length }, _) => with_cylinder(&cylinder_of(*half_length, a), b, alert, emit),
        (_, Cylinder { half_length }) => with_cylinder(&cylinder_of(*half_length, b), a, alert, |t| emit(t.swapped())),
        // `compound` calls this function for the parts of compounds, which are simple shapes;
        // `meshed` handles meshes.
        (Compound(_) | Meshed(_), _) | (_, Compound(_) | Meshed(_)) => {}
        // Two obstacles never act on each other.
        (HalfSpace | Hollow, HalfSpace | Hollow) => {}
    }
}

/// The contact points of a cylinder and `other`.
fn with_cylinder<X: Dim>(
    own: &cylinder::Cylinder<X>,
    other: &PosedShape<'_, X>,
    alert: f64,
    emit: impl FnMut(ContactPoint<X>),
) {
    match other.shape {
        Shape::Ball => cylinder::touches_ball(own, other.position, other.size, alert, emit),
        Shape::HalfSpace => cylinder::touches_half_space(own, other.position, other.outward(), alert, emit),
        Shape::Polytope(block) => cylinder::touches_polytope(own, &solid(block, other), alert, emit),
        Shape::Cylinder { half_length } => {
            cylinder::touches_cylinder(own, &cylinder_of(*half_length, other), alert, emit)
        }
        Shape::Hollow => cylinder::touches_hollow(own, &hollow_of(other), alert, emit),
        Shape::Compound(_) | Shape::Meshed(_) => {}
    }
}

/// A cylinder with its pose.
fn cylinder_of<X: Dim>(half_length: f64, placed: &PosedShape<'_, X>) -> cylinder::Cylinder<X> {
    cylinder::Cylinder::new(placed.position, placed.orientation, half_length * placed.size, placed.size)
}

/// The inside of a drum with its pose.
fn hollow_of<X: Dim>(placed: &PosedShape<'_, X>) -> cylinder::Hollow<X> {
    cylinder::Hollow { point: placed.position, axis: placed.axis(), radius: placed.size }
}

/// A polytope, rounded or not, with its pose.
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
    let fraction = a.size / (a.size + b.size);
    Some(ContactPoint { feature: 0, normal, point: a.position + normal * (fraction * distance), gap })
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
