//! Shapes of bodies (contactors) and their exact mass properties.
//!
//! [`Shape`] is a closed enum, so that the compiler lists every pair of shapes that the narrow phase does not handle
//! yet. A shape is a template about its centre of mass in principal axes; a body scales it by its `size`.

pub(crate) mod radii;

pub use radii::Radii;
mod approximate;
mod compound;
mod decompose;
mod derived;
pub mod facing;
mod grain;
pub mod keys;
mod library;
mod mass;
pub mod mesh;
mod meshed;
mod outline;
mod part;
mod polytope;
mod posed;
mod round;
mod seams;
mod substitution;
pub mod surface;
pub mod volume_mesh;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::dim::hull::Facets;
use crate::dim::{Dim, Orientation, Vector};

pub use decompose::{PolygonFault, convex_parts};
pub use grain::Grain;
pub use library::Made;
pub use mass::MassProperties;
pub use meshed::{MOST_DISPLACED, MeshedShape};
pub use outline::Exit;
pub use polytope::{Face, MOST_POINTS, Polytope, ShapeFault};
pub use posed::{Bounds, PosedShape};
pub(crate) use substitution::{STREAM, ShapeSubstitution};

/// The shapes, in two and three dimensions alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum Shape<X: Dim> {
    /// Disk or sphere of radius one.
    Ball,
    /// Convex polygon or polyhedron, including boxes and wall segments.
    Polytope(Box<Block<X>>),
    /// A cylinder of radius one about the last body axis, in space.
    Cylinder {
        /// Half its length, relative to its radius.
        half_length: f64,
    },
    /// Several of the above in one rigid body.
    Compound(Box<Compound<X>>),
    /// A mesh of finite elements, deformable.
    Meshed(Box<MeshedShape<X>>),
    /// Everything behind a plane through the body's position; the first body axis points out of the solid. Unbounded:
    /// an obstacle only.
    HalfSpace,
    /// Everything farther than one from the last body axis (in the plane: from the body's position): the inside of a
    /// drum. Unbounded: an obstacle only.
    Hollow,
}

/// A convex polytope as a shape: its geometry, mass properties, and name in scenes. A capsule is a rounded segment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Block<X: Dim> {
    /// Name of the key in scenes.
    pub name: Cow<'static, str>,
    /// Corners, faces and edges at size one.
    pub polytope: Polytope<X>,
    /// Rounding radius at size one: the shape is the Minkowski sum of the polytope and a sphere; zero for sharp edges.
    pub rounding: f64,
    /// Mass properties at size one; a wall segment has no volume.
    pub mass: MassProperties<X>,
}

/// A body of several parts, given about the centre of mass in principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Compound<X: Dim> {
    /// Name of the key in scenes.
    pub name: Cow<'static, str>,
    /// The parts, at least one.
    pub parts: Vec<Part<X>>,
    /// Mass properties at size one; centre and orientation refer to the frame in which the parts were given.
    pub mass: MassProperties<X>,
    /// Radius of an inscribed sphere of the outline at size one.
    pub radius: f64,
}

/// A convex part with its pose in the compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Part<X: Dim> {
    /// A sphere, polytope or cylinder.
    pub shape: Shape<X>,
    /// Its scale, relative to that of the compound.
    pub size: f64,
    /// Its centre at size one.
    pub position: X::Vector,
    /// From its own axes to those of the compound.
    pub orientation: X::Orientation,
}

impl<X: Dim> Shape<X> {
    /// A rectangle or box with the given half-extents, m.
    pub fn cuboid(half: X::Vector) -> Result<Self, ShapeFault> {
        let (polytope, mass) = Polytope::cuboid(half)?;
        Ok(Self::block(keys::BOX, polytope, mass))
    }

    /// A polytope under the name of its key in scenes.
    pub fn block(name: &'static str, polytope: Polytope<X>, mass: MassProperties<X>) -> Self {
        Shape::Polytope(Box::new(Block { name: name.into(), polytope, rounding: 0.0, mass }))
    }

    /// A two-sided straight wall along the first axis, in the plane: no volume, an obstacle only.
    pub fn segment(half_length: f64) -> Self {
        let facets = Facets { corners: vec![0, 1], faces: vec![vec![0, 1], vec![1, 0]], edges: Vec::new() };
        let ends = vec![X::Vector::axis(0) * -half_length, X::Vector::axis(0) * half_length];
        let mass = MassProperties {
            volume: 0.0,
            centre: X::Vector::zero(),
            orientation: X::Orientation::identity(),
            inertia: X::Spin::from_fn(|_| 1.0),
        };
        Self::block(keys::SEGMENT, Polytope::assembled(ends, facets), mass)
    }

    /// Volume at size one (area in the plane); zero or infinite for shapes that can only be obstacles.
    pub fn volume(&self) -> f64 {
        match self {
            Shape::Ball => X::unit_ball(),
            Shape::Polytope(block) => block.mass.volume,
            Shape::Cylinder { half_length } => MassProperties::<X>::cylinder(*half_length).volume,
            Shape::Compound(compound) => compound.mass.volume,
            Shape::Meshed(mesh) => mesh.mass.volume,
            Shape::HalfSpace | Shape::Hollow => f64::INFINITY,
        }
    }

    /// Mass of a body of this shape and size, kg; density in kg/m3 (kg/m2 in the plane).
    pub fn mass(&self, size: f64, density: f64) -> f64 {
        match self.as_meshed() {
            // Its materials have densities of their own.
            Some(mesh) => mesh.weight,
            None => density * self.volume() * size.powi(X::D as i32),
        }
    }

    /// Principal moments of inertia over mass at size one, m2. Multiply by mass and size squared.
    pub fn inertia(&self) -> X::Spin {
        match self {
            Shape::Ball => X::Spin::from_fn(|_| 1.0 / X::BALL),
            Shape::Polytope(block) => block.mass.inertia,
            Shape::Cylinder { half_length } => MassProperties::<X>::cylinder(*half_length).inertia,
            Shape::Compound(compound) => compound.mass.inertia,
            Shape::Meshed(mesh) => mesh.mass.inertia,
            Shape::HalfSpace | Shape::Hollow => X::Spin::from_fn(|_| 1.0),
        }
    }

    /// Is it a disk or sphere?
    #[inline]
    pub fn is_ball(&self) -> bool {
        matches!(self, Shape::Ball)
    }

    /// Cost of its contacts in a step, as the number of spheres whose contacts cost as much: a face of an angular body
    /// touches another one at several points.
    pub fn cost(&self) -> u64 {
        if self.is_ball() { 1 } else { 2 }
    }

    /// Is it invariant under rotation about its centre or its axis, so that its spin moves no surface?
    pub fn is_round(&self) -> bool {
        match self {
            Shape::Ball | Shape::HalfSpace | Shape::Hollow => true,
            Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Compound(_) | Shape::Meshed(_) => false,
        }
    }

    /// Its corners, faces and edges, if its surface consists of them, rounded or not.
    #[inline]
    pub fn as_polytope(&self) -> Option<&Block<X>> {
        match self {
            Shape::Polytope(block) => Some(block),
            Shape::Ball
            | Shape::Cylinder { .. }
            | Shape::Compound(_)
            | Shape::Meshed(_)
            | Shape::HalfSpace
            | Shape::Hollow => None,
        }
    }

    /// Its parts, if it has several.
    #[inline]
    pub fn as_compound(&self) -> Option<&Compound<X>> {
        match self {
            Shape::Compound(compound) => Some(compound),
            Shape::Ball
            | Shape::Polytope(_)
            | Shape::Cylinder { .. }
            | Shape::Meshed(_)
            | Shape::HalfSpace
            | Shape::Hollow => None,
        }
    }

    /// Has it flat faces, on which it can have an area in common with another body?
    pub fn has_faces(&self) -> bool {
        match self {
            Shape::Polytope(block) => block.rounding == 0.0,
            Shape::Compound(compound) => compound.parts.iter().any(|part| part.shape.has_faces()),
            Shape::Meshed(_) | Shape::HalfSpace => true,
            Shape::Ball | Shape::Cylinder { .. } | Shape::Hollow => false,
        }
    }

    /// Its mesh, if it has one.
    #[inline]
    pub fn as_meshed(&self) -> Option<&MeshedShape<X>> {
        match self {
            Shape::Meshed(mesh) => Some(mesh),
            Shape::Ball
            | Shape::Polytope(_)
            | Shape::Cylinder { .. }
            | Shape::Compound(_)
            | Shape::HalfSpace
            | Shape::Hollow => None,
        }
    }

    /// Can it be a body with a mass of its own?
    pub fn has_volume(&self) -> bool {
        let v = self.volume();
        v.is_finite() && v > 0.0
    }

    /// Its name in scenes.
    pub fn name(&self) -> &str {
        match self {
            Shape::Ball => X::BALL_NAME,
            Shape::Polytope(block) => &block.name,
            Shape::Cylinder { .. } => keys::CYLINDER,
            Shape::Compound(compound) => &compound.name,
            Shape::Meshed(mesh) => &mesh.name,
            Shape::HalfSpace => keys::PLANE,
            Shape::Hollow => keys::DRUM,
        }
    }

    /// Its corners at size one (for files); for a compound those of all parts.
    pub fn corners(&self) -> Vec<X::Vector> {
        match self {
            Shape::Polytope(block) => block.polytope.vertices.clone(),
            Shape::Compound(compound) => compound.corners(),
            Shape::Meshed(mesh) => mesh.surface.nodes.iter().map(|&node| mesh.mesh.nodes[node as usize]).collect(),
            Shape::Ball | Shape::Cylinder { .. } | Shape::HalfSpace | Shape::Hollow => Vec::new(),
        }
    }

    /// Numbers that, together with the name, define the shape completely.
    pub fn numbers(&self) -> Vec<f64> {
        match self {
            Shape::Ball | Shape::HalfSpace | Shape::Hollow => Vec::new(),
            Shape::Polytope(block) => {
                let corners = block.polytope.vertices.iter().flat_map(|v| v.as_slice().to_vec());
                corners.chain([block.rounding]).collect()
            }
            Shape::Cylinder { half_length } => vec![*half_length],
            Shape::Compound(compound) => compound.numbers(),
            Shape::Meshed(mesh) => mesh.numbers(),
        }
    }

    /// Characteristic length of the shape at size one: the radius of a sphere, the distance of the nearest face from
    /// the centre, the least of the parts of a compound. Alert distances are relative to it. `None` for unbounded
    /// shapes.
    #[inline]
    pub fn characteristic(&self) -> Option<f64> {
        match self {
            Shape::Ball => Some(1.0),
            Shape::Polytope(block) if block.rounding > 0.0 => Some(block.rounding),
            Shape::Polytope(block) if block.mass.volume == 0.0 => Some(block.polytope.reach()),
            Shape::Polytope(block) => Some(block.polytope.inner_radius()),
            Shape::Cylinder { half_length } => Some(half_length.min(1.0)),
            Shape::Compound(compound) => Some(compound.characteristic()),
            Shape::Meshed(mesh) => Some(mesh.radius),
            Shape::HalfSpace | Shape::Hollow => None,
        }
    }

    /// Radius of an inscribed sphere at size one: the length to which overlaps are compared. For a compound it is that
    /// of the outline, independent of the cuts into parts. `None` for unbounded shapes.
    #[inline]
    pub fn radius(&self) -> Option<f64> {
        match self {
            Shape::Compound(compound) => Some(compound.radius),
            Shape::Ball
            | Shape::Polytope(_)
            | Shape::Cylinder { .. }
            | Shape::Meshed(_)
            | Shape::HalfSpace
            | Shape::Hollow => self.characteristic(),
        }
    }

    /// Largest distance of a point of the shape from its centre at size one; infinite for an unbounded shape.
    pub fn reach(&self) -> f64 {
        match self {
            Shape::Ball => 1.0,
            Shape::Polytope(block) => block.polytope.reach() + block.rounding,
            Shape::Cylinder { half_length } => half_length.hypot(1.0),
            Shape::Compound(compound) => compound.reach(),
            Shape::Meshed(mesh) => mesh.deformed_reach(),
            Shape::HalfSpace | Shape::Hollow => f64::INFINITY,
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
        let expected = 2600.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3);
        assert!((sphere.mass(0.05, 2600.0) - expected).abs() < 1e-15);
        assert_eq!(sphere.inertia(), Vector3::repeat(0.4));
        assert_eq!(Shape::<Plane>::Ball.inertia()[0], 0.5);
        let brick = Shape::<Space>::cuboid(Vector3::new(0.5, 1.0, 1.5)).unwrap();
        assert!((brick.mass(2.0, 1.0) - 6.0 * 8.0).abs() < 1e-13);
        assert!((brick.inertia() - Vector3::new(13.0, 10.0, 5.0) / 12.0).norm() < 1e-14);
        let tile = Shape::<Plane>::cuboid(Vector2::new(1.0, 2.0)).unwrap();
        assert!((tile.inertia()[0] - 20.0 / 12.0).abs() < 1e-14);
    }

    #[test]
    fn a_segment_and_a_half_space_cannot_carry_mass() {
        assert!(!Shape::<Plane>::segment(1.0).has_volume());
        assert!(!Shape::<Space>::HalfSpace.has_volume());
    }

    #[test]
    fn a_box_stays_in_its_own_axes() {
        let Shape::Polytope(brick) = Shape::<Space>::cuboid(Vector3::new(0.5, 1.0, 1.5)).unwrap() else { panic!() };
        for v in &brick.polytope.vertices {
            assert!((v.abs() - Vector3::new(0.5, 1.0, 1.5)).norm() < 1e-15, "{v:?}");
        }
    }
}
