//! Contact of the inside of a drum with spheres and polytopes: the solid is everything outside a radius about the axis.
//!
//! A convex body inside the drum can touch the wall with its corners only; each corner near the wall is a contact
//! point.

use crate::contactor::PosedShape;
use crate::dim::{Dim, Vector};
use crate::interaction::contact_point::ContactPoint;

/// Calls `emit` for each of the points (with their features), rounded with radius `rounding`, whose gap to the wall of
/// `drum` is at most `alert`. The normal points into the wall.
pub(super) fn touches<X: Dim>(
    drum: &PosedShape<'_, X>,
    points: impl IntoIterator<Item = (u64, X::Vector)>,
    rounding: f64,
    alert: f64,
    mut emit: impl FnMut(ContactPoint<X>),
) {
    for (feature, point) in points {
        let radial = drum.radial(point);
        let distance = radial.norm();
        let gap = drum.size - distance - rounding;
        if gap > alert {
            continue;
        }
        let normal = if distance > 0.0 { radial * (1.0 / distance) } else { any_radial(drum) };
        emit(ContactPoint { feature, normal, point: point + normal * (rounding + 0.5 * gap), gap });
    }
}

/// A unit vector perpendicular to the axis of the drum: on the axis all radial directions are equivalent.
fn any_radial<X: Dim>(drum: &PosedShape<'_, X>) -> X::Vector {
    let radials = (0..X::D).map(|k| drum.radial(drum.position + X::Vector::axis(k)));
    let longest =
        radials.fold(X::Vector::zero(), |best, radial| if radial.norm() > best.norm() { radial } else { best });
    longest * (1.0 / longest.norm())
}

#[cfg(test)]
mod tests {
    use crate::contactor::{PosedShape, Shape};
    use crate::dim::{Orientation, Plane, Quaternion, Space};
    use crate::interaction::contact_point::ContactPoint;
    use crate::interaction::narrow_phase::touches;
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn a_ball_on_the_axis_of_a_drum_has_a_normal_wherever_the_axis_points() {
        for turn in [Vector3::zeros(), Vector3::x() * 1.5, Vector3::y() * std::f64::consts::FRAC_PI_2, Vector3::z()] {
            let orientation = Quaternion::identity().turned(turn);
            let drum =
                PosedShape::<Space> { shape: &Shape::Hollow, size: 0.5, position: Vector3::zeros(), orientation };
            let ball = PosedShape { shape: &Shape::Ball, position: Vector3::zeros(), ..drum };
            let mut found: Vec<ContactPoint<Space>> = Vec::new();
            touches(&ball, &drum, 0.2, |t| found.push(t));
            assert!((found[0].normal.norm() - 1.0).abs() < 1e-14 && found[0].gap == 0.0, "{turn}: {:?}", found[0]);
        }
    }

    #[test]
    fn a_ball_in_a_drum_touches_the_nearest_wall_anywhere_along_the_axis() {
        let lying = Quaternion::identity().turned(Vector3::x() * -std::f64::consts::FRAC_PI_2);
        let drum = PosedShape::<Space> { shape: &Shape::Hollow, size: 2.0, position: Vector3::x(), orientation: lying };
        for y in [-7.0, 0.0, 3.0] {
            let position = Vector3::new(1.0, y, -1.4);
            let ball = PosedShape { shape: &Shape::Ball, size: 0.5, position, orientation: Quaternion::identity() };
            let mut found: Vec<ContactPoint<Space>> = Vec::new();
            touches(&ball, &drum, 0.2, |t| found.push(t));
            assert_eq!(found.len(), 1);
            assert!((found[0].gap - 0.1).abs() < 1e-14 && (found[0].normal + Vector3::z()).norm() < 1e-14);
            assert!((found[0].point - Vector3::new(1.0, y, -1.95)).norm() < 1e-14);
            touches(&drum, &ball, 0.2, |t| found.push(t));
            assert!((found[1].normal - Vector3::z()).norm() < 1e-14 && found[1].gap == found[0].gap);
            touches(&ball, &drum, 0.05, |t| found.push(t));
            assert_eq!(found.len(), 2);
        }
    }

    #[test]
    fn a_square_in_a_hollow_disk_stands_on_two_corners() {
        let shape = Shape::<Plane>::cuboid(Vector2::new(0.6, 0.2)).unwrap();
        let position = |y: f64| Vector2::new(0.0, y);
        let identity = crate::dim::Angle(0.0);
        let floor = -(1.0f64 - 0.36).sqrt() + 0.2;
        let tile = PosedShape { shape: &shape, size: 1.0, position: position(floor), orientation: identity };
        let drum = PosedShape { shape: &Shape::Hollow, size: 1.0, position: position(0.0), orientation: identity };
        let mut gaps = Vec::new();
        touches(&tile, &drum, 1e-3, |t: ContactPoint<Plane>| gaps.push(t.gap));
        assert!(gaps.len() == 2 && gaps.iter().all(|g| g.abs() < 1e-15), "{gaps:?}");
    }
}
