//! Mass properties of cylinders and capsules in closed form, in any dimension.
//!
//! The axis is the last body axis; in the plane a cylinder is a rectangle, and a capsule a stadium.

use super::{Block, MassProperties, Polytope, Shape, keys};
use crate::dim::{Dim, Square, Vector};

impl<X: Dim> Shape<X> {
    /// A capsule of radius one around a segment of the given half-length along the last body axis.
    pub fn capsule(half_length: f64) -> Self {
        let (polytope, mass) = (Polytope::segment(half_length), MassProperties::capsule(half_length));
        Shape::Polytope(Box::new(Block { name: keys::CAPSULE.into(), polytope, rounding: 1.0, mass }))
    }
}

impl<X: Dim> MassProperties<X> {
    /// Of a cylinder of radius one.
    pub fn cylinder(half_length: f64) -> Self {
        let d = X::D as f64;
        let volume = 2.0 * half_length * X::unit_section();
        Self::upright(volume, 1.0 / (d + 1.0), half_length * half_length / 3.0)
    }

    /// Of a capsule of radius one: a cylinder between two hemispheres.
    pub fn capsule(half_length: f64) -> Self {
        let d = X::D as f64;
        let (cylinder, ball) = (2.0 * half_length * X::unit_section(), X::unit_ball());
        let volume = cylinder + ball;
        // Distance of the centres of mass of the hemispheres from their flat sides.
        let centre = 2.0 * X::unit_section() / (ball * (d + 1.0));
        let across = (cylinder / (d + 1.0) + ball / (d + 2.0)) / volume;
        let ends = half_length * half_length + 2.0 * half_length * centre + 1.0 / (d + 2.0);
        let along = (cylinder * half_length * half_length / 3.0 + ball * ends) / volume;
        Self::upright(volume, across, along)
    }

    /// With these second moments across and along the last axis.
    fn upright(volume: f64, across: f64, along: f64) -> Self {
        let diagonal = |i: usize| if i + 1 == X::D { along } else { across };
        let second = X::Matrix::from_fn(|i, j| if i == j { diagonal(i) } else { 0.0 });
        let (orientation, inertia) = X::principal(&second);
        Self { volume, centre: X::Vector::zero(), orientation, inertia }
    }
}

#[cfg(test)]
mod tests {
    use crate::contactor::{MassProperties, Shape};
    use crate::dim::{Orientation, Plane, Quaternion, Space};
    use std::f64::consts::PI;

    #[test]
    fn cylinders_and_capsules_have_the_moments_of_the_textbook() {
        let drum = MassProperties::<Space>::cylinder(1.5);
        assert!((drum.volume - 3.0 * PI).abs() < 1e-14);
        assert!((drum.inertia.z - 0.5).abs() < 1e-15 && (drum.inertia.x - (3.0 + 9.0) / 12.0).abs() < 1e-15);
        assert_eq!(drum.orientation, Quaternion::identity());
        let pill = MassProperties::<Space>::capsule(1.5);
        let (cylinder, ball) = (3.0 * PI, 4.0 / 3.0 * PI);
        assert!((pill.volume - (cylinder + ball)).abs() < 1e-14);
        let axial = (cylinder * 0.5 + ball * 0.4) / pill.volume;
        let across = (cylinder * 1.0 + ball * (0.4 + 2.25 + 0.75 * 1.5)) / pill.volume;
        assert!((pill.inertia.z - axial).abs() < 1e-15 && (pill.inertia.x - across).abs() < 1e-14);
        // With zero length it is a sphere.
        assert!((MassProperties::<Space>::capsule(0.0).inertia.x - 0.4).abs() < 1e-15);
        assert!((MassProperties::<Plane>::capsule(0.0).inertia.x - 0.5).abs() < 1e-15);
        let stadium = MassProperties::<Plane>::capsule(1.0);
        assert!((stadium.volume - (4.0 + PI)).abs() < 1e-14);
        let polar = (4.0 * (1.0 / 3.0 + 1.0 / 3.0) + PI * (0.5 + 1.0 + 2.0 * 4.0 / (3.0 * PI))) / stadium.volume;
        assert!((stadium.inertia.x - polar).abs() < 1e-14);
        assert_eq!(Shape::<Space>::capsule(1.5).reach(), 2.5);
    }
}
