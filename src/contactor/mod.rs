//! Shapes: what a body is made of geometrically, and its exact mass properties.
//!
//! A closed enum, so that the compiler lists every pair of shapes still to be written in fine detection.
//! A shape is a template about its centre of mass in principal axes; a body enlarges it by its `size`.

mod placed;
mod polytope;

use crate::dim::{Dim, Vector};

pub use placed::{Bounds, Placed};
pub use polytope::{Face, Polytope};

/// The shapes, two- and three-dimensional alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape<X: Dim> {
    /// Disk or sphere of radius one.
    Ball,
    /// Rectangle or box with the given half-extents, m. A wall segment has one half-extent of zero: no volume,
    /// so it can only be an obstacle.
    Cuboid {
        /// Half the length of each edge.
        half: X::Vector,
    },
    /// Everything behind a plane through the body's position; the first body axis points out of the solid.
    /// Unbounded: an obstacle only.
    HalfSpace,
}

impl<X: Dim> Shape<X> {
    /// Volume at size one (area in the plane); zero or infinite for what can only be an obstacle.
    pub fn volume(&self) -> f64 {
        match self {
            Shape::Ball => X::unit_ball(),
            Shape::Cuboid { half } => half.as_slice().iter().map(|x| 2.0 * x).product(),
            Shape::HalfSpace => f64::INFINITY,
        }
    }

    /// Mass of a body of this shape and size, kg; density in kg/m3 (kg/m2 in the plane).
    pub fn mass(&self, size: f64, density: f64) -> f64 {
        density * self.volume() * size.powi(X::D as i32)
    }

    /// Principal moments of inertia over mass at size one, m2. Multiply by mass and size squared.
    pub fn inertia(&self) -> X::Spin {
        match self {
            Shape::Ball => X::Spin::from_fn(|_| 1.0 / X::BALL),
            Shape::Cuboid { half } => X::cuboid_inertia(*half),
            Shape::HalfSpace => X::Spin::from_fn(|_| 1.0),
        }
    }

    /// Can it be a body with mass of its own?
    pub fn has_volume(&self) -> bool {
        let v = self.volume();
        v.is_finite() && v > 0.0
    }

    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Shape::Ball => X::BALL_NAME,
            Shape::Cuboid { .. } if self.volume() == 0.0 => "segment",
            Shape::Cuboid { .. } => "box",
            Shape::HalfSpace => "plane",
        }
    }

    /// Numbers that, with the name, say all about the shape (for files).
    pub fn numbers(&self) -> [f64; 3] {
        match self {
            Shape::Cuboid { half } => half.in_space(),
            Shape::Ball | Shape::HalfSpace => [0.0; 3],
        }
    }

    /// A length that stands for the shape at size one: the radius of a ball, the least half-extent of a box.
    /// Penetrations and alert distances are measured against it. Unbounded shapes have none.
    pub fn characteristic(&self) -> Option<f64> {
        match self {
            Shape::Ball => Some(1.0),
            Shape::Cuboid { half } => {
                let least = half.as_slice().iter().copied().filter(|&x| x > 0.0).fold(f64::INFINITY, f64::min);
                least.is_finite().then_some(least)
            }
            Shape::HalfSpace => None,
        }
    }

    /// Largest distance of a point of the shape from its centre at size one; infinite for a half-space.
    pub fn reach(&self) -> f64 {
        match self {
            Shape::Ball => 1.0,
            Shape::Cuboid { half } => half.norm(),
            Shape::HalfSpace => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn masses_and_inertias_are_those_of_the_textbook() {
        let sphere = Shape::<Space>::Ball;
        assert!(
            (sphere.mass(0.05, 2600.0) - 2600.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3)).abs() < 1e-15
        );
        assert_eq!(sphere.inertia(), Vector3::repeat(0.4));
        assert_eq!(Shape::<Plane>::Ball.inertia()[0], 0.5);
        let brick = Shape::<Space>::Cuboid { half: Vector3::new(0.5, 1.0, 1.5) };
        assert_eq!(brick.mass(2.0, 1.0), 6.0 * 8.0);
        assert!((brick.inertia() - Vector3::new(13.0, 10.0, 5.0) / 12.0).norm() < 1e-15);
        let tile = Shape::<Plane>::Cuboid { half: Vector2::new(1.0, 2.0) };
        assert!((tile.inertia()[0] - 20.0 / 12.0).abs() < 1e-15);
    }

    #[test]
    fn a_segment_and_a_half_space_cannot_carry_mass() {
        assert!(!Shape::<Plane>::Cuboid { half: Vector2::new(1.0, 0.0) }.has_volume());
        assert!(!Shape::<Space>::HalfSpace.has_volume());
    }
}
