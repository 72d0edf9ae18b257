//! A flexible membrane that applies a given pressure to one side of a sample.
//!
//! A grid of rays runs along its axis; each ray presses on the outermost free body it meets with the pressure times the
//! area of a grid cell. The load therefore follows the sample as it bulges, and its sum is the pressure times the area
//! projected along the axis. The lateral force of an inclined membrane is neglected, and so are its weight and
//! stiffness.

use super::Signal;
use crate::contactor::{Bounds, PosedShape, Shape};
use crate::dim::{Dim, Vector};

/// Pressure from one side.
#[derive(Clone, Debug, PartialEq)]
pub struct Membrane<X: Dim> {
    /// Axis of the rays.
    pub axis: usize,
    /// Side of the sample: 1 above, -1 below.
    pub side: f64,
    /// Pressure, Pa (N/m in the plane).
    pub pressure: Signal,
    /// Ray spacing, m; by default proportional to the size of the smallest body.
    pub spacing: Option<f64>,
    /// If given, the membrane presses only on bodies whose centre lies in this box.
    pub region: Option<Bounds<X>>,
}

/// Default ray spacing over the length of the smallest body.
const SPACING: f64 = 0.25;

impl<X: Dim> Membrane<X> {
    /// Ray spacing if the smallest body has this length, m.
    pub fn spacing(&self, smallest: f64) -> f64 {
        self.spacing.unwrap_or(SPACING * smallest)
    }

    /// May the membrane press on a body at this position?
    pub fn covers(&self, position: X::Vector) -> bool {
        self.region.is_none_or(|Bounds { min, max }| (0..X::D).all(|k| (min[k]..=max[k]).contains(&position[k])))
    }

    /// Force of one ray at time `t`, N, for rays `spacing` apart.
    pub fn force(&self, spacing: f64, t: f64) -> X::Vector {
        X::Vector::axis(self.axis) * (-self.side * self.pressure.at(t) * spacing.powi(X::D as i32 - 1))
    }

    /// Height, towards the membrane, at which the ray through `point` meets a body; the coordinate of `point` along the
    /// axis is ignored. Spheres are met on their surface, other bodies on their bounding box, deformable ones as if they
    /// were not deformed.
    pub fn meets(&self, body: &PosedShape<'_, X>, bounds: &Bounds<X>, point: X::Vector) -> Option<f64> {
        let mut offset = point - body.position;
        offset[self.axis] = 0.0;
        let centre = self.side * body.position[self.axis];
        match body.shape {
            Shape::Ball => {
                let height2 = body.size * body.size - offset.norm2();
                (height2 >= 0.0).then(|| centre + height2.sqrt())
            }
            Shape::Polytope(_)
            | Shape::Cylinder { .. }
            | Shape::Compound(_)
            | Shape::Meshed(_)
            | Shape::HalfSpace
            | Shape::Hollow => {
                let is_over = |k: usize| k == self.axis || (bounds.min[k]..=bounds.max[k]).contains(&point[k]);
                let top = if self.side > 0.0 { bounds.max[self.axis] } else { -bounds.min[self.axis] };
                (0..X::D).all(is_over).then_some(top)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Angle, Plane};
    use nalgebra::Vector2;

    #[test]
    fn a_ray_meets_a_disk_on_its_surface_and_a_square_on_its_box() {
        let membrane = |side| Membrane::<Plane> {
            axis: 0,
            side,
            pressure: Signal::Constant(100.0),
            spacing: Some(0.1),
            region: None,
        };
        let shape = Shape::cuboid(Vector2::new(1.0, 1.0)).unwrap();
        let at = |shape, x: f64| PosedShape::<Plane> {
            shape,
            size: 2.0,
            position: Vector2::new(x, 1.0),
            orientation: Angle(0.0),
        };
        let meets = |side, body: PosedShape<'_, Plane>, y: f64| {
            membrane(side).meets(&body, &body.bounds(), Vector2::new(99.0, y))
        };
        let disk = at(&Shape::Ball, 5.0);
        assert_eq!(meets(1.0, disk, 1.0), Some(7.0));
        assert_eq!(meets(-1.0, disk, 1.0), Some(-3.0));
        assert!((meets(1.0, disk, 1.0 + 2f64.sqrt()).unwrap() - 5.0 - 2f64.sqrt()).abs() < 1e-15);
        assert_eq!((meets(1.0, disk, 3.5), meets(1.0, at(&shape, 5.0), 2.9)), (None, Some(7.0)));
        assert_eq!(membrane(1.0).force(0.1, 0.0), Vector2::new(-10.0, 0.0));
    }
}
