//! Tilting gravity: rotated about an axis by a time-dependent angle, as if the whole scene were rotated the other way.

use super::Signal;
use crate::dim::{Dim, Orientation};

/// Rotation of gravity.
#[derive(Clone, Debug, PartialEq)]
pub struct Tilt<X: Dim> {
    /// Axis of rotation, a unit vector; in two dimensions the one out of the plane.
    pub axis: X::Spin,
    /// Angle, rad; counter-clockwise when looking against the axis.
    pub angle: Signal,
}

impl<X: Dim> Tilt<X> {
    /// Rotates `gravity` by the angle at time `t`.
    pub fn turn(&self, gravity: X::Vector, t: f64) -> X::Vector {
        X::Orientation::identity().turned(self.axis * self.angle.at(t)).rotate(gravity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector1, Vector2, Vector3};

    #[test]
    fn gravity_rotates_about_the_axis_and_keeps_its_length() {
        let ramp = |to| Signal::Ramp { from: 0.0, to, start: 0.0, end: 1.0 };
        let plane = Tilt::<Plane> { axis: Vector1::new(1.0), angle: ramp(0.5) };
        let rotated = plane.turn(Vector2::new(0.0, -10.0), 1.0);
        assert!((rotated - Vector2::new(10.0 * 0.5f64.sin(), -10.0 * 0.5f64.cos())).norm() < 1e-14);
        let space = Tilt::<Space> { axis: Vector3::new(0.0, 1.0, 0.0), angle: ramp(1.0) };
        let rotated = space.turn(Vector3::new(0.0, 3.0, -10.0), 0.5);
        assert!((rotated - Vector3::new(-10.0 * 0.5f64.sin(), 3.0, -10.0 * 0.5f64.cos())).norm() < 1e-14);
    }
}
