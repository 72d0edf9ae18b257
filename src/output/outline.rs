//! Outlines of shapes in frames: polygonal faces, and spheres as points with a radius.
//!
//! Polytopes are shown as they are; cylinders and capsules by a fine inscribed polytope.

use std::f64::consts::PI;

use crate::contactor::{Polytope, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// Vertices around a circle.
const CIRCLE_VERTICES: usize = 32;

/// Outline of one shape at size one.
#[derive(Clone, Debug)]
pub(crate) struct ShapeOutline<X: Dim> {
    /// Vertices about the centre, in body axes.
    pub(crate) corners: Vec<X::Vector>,
    /// Polygons as indices into `corners`.
    pub(crate) sides: Vec<Vec<u32>>,
    /// Centres and radii of the spheres that are part of it.
    pub(crate) balls: Vec<(X::Vector, f64)>,
}

impl<X: Dim> ShapeOutline<X> {
    /// Outline of a shape; empty for spheres, which a point with a radius represents, and for unbounded shapes.
    pub(crate) fn of(shape: &Shape<X>) -> Self {
        let mut outline = Self { corners: Vec::new(), sides: Vec::new(), balls: Vec::new() };
        if !shape.is_ball() {
            let unit =
                PosedShape { shape, size: 1.0, position: X::Vector::zero(), orientation: X::Orientation::identity() };
            outline.add(&unit);
        }
        outline
    }

    fn add(&mut self, posed: &PosedShape<'_, X>) {
        match posed.shape {
            Shape::Ball => self.balls.push((posed.position, posed.size)),
            Shape::Polytope(block) if block.rounding == 0.0 => self.add_polytope(&block.polytope, posed),
            Shape::Polytope(block) => {
                let ends = block.polytope.vertices.iter();
                let points = ends.flat_map(|&end| directions::<X>().map(move |d| end + d * block.rounding));
                self.add_hull(points.collect(), posed);
            }
            Shape::Cylinder { half_length } => {
                let axis = X::Vector::axis(X::D - 1);
                let rim = |end: f64| ring::<X>().map(move |d| d + axis * end);
                self.add_hull(rim(*half_length).chain(rim(-half_length)).collect(), posed);
            }
            Shape::Compound(compound) => compound.parts.iter().for_each(|part| self.add(&part.placed(posed))),
            // Meshed bodies are drawn by their nodes.
            Shape::Meshed(_) | Shape::HalfSpace | Shape::Hollow => {}
        }
    }

    /// Adds the hull of surface points. A hull that fails leaves a gap in the picture; the run continues.
    fn add_hull(&mut self, points: Vec<X::Vector>, posed: &PosedShape<'_, X>) {
        if let Ok((polytope, mass)) = Polytope::hull(&points) {
            let orientation = posed.orientation.times(&mass.orientation);
            let position = posed.position + posed.orientation.rotate(mass.centre * posed.size);
            self.add_polytope(&polytope, &PosedShape { position, orientation, ..*posed });
        }
    }

    fn add_polytope(&mut self, polytope: &Polytope<X>, posed: &PosedShape<'_, X>) {
        let first = self.corners.len() as u32;
        let to_world = |v: &X::Vector| posed.position + posed.orientation.rotate(*v * posed.size);
        self.corners.extend(polytope.vertices.iter().map(to_world));
        let sides = X::drawn(polytope.faces.iter().map(|face| face.corners.as_slice()));
        let numbered = |side: Vec<u32>| side.into_iter().map(|corner| first + corner).collect::<Vec<u32>>();
        // A wall segment has two faces that enclose no area.
        self.sides.extend(sides.into_iter().filter(|side| side.len() > 2).map(numbered));
    }
}

/// Unit circle in the first two axes; in 2D the two points on the first axis.
fn ring<X: Dim>() -> impl Iterator<Item = X::Vector> {
    (0..CIRCLE_VERTICES).map(|k| {
        let (s, c) = (2.0 * PI * k as f64 / CIRCLE_VERTICES as f64).sin_cos();
        let mut on_axis = X::Vector::read(&[c, s, 0.0]);
        if !X::HAS_DEPTH {
            on_axis = X::Vector::axis(0) * 1f64.copysign(c);
        }
        on_axis
    })
}

/// Points on the unit sphere: circles of latitude about the last axis; in 2D one circle.
fn directions<X: Dim>() -> impl Iterator<Item = X::Vector> {
    let layers = if X::HAS_DEPTH { CIRCLE_VERTICES / 2 } else { 1 };
    (0..=layers).flat_map(move |layer| {
        let latitude = PI * (layer as f64 / layers as f64 - 0.5);
        let (z, flat) = if X::HAS_DEPTH { latitude.sin_cos() } else { (0.0, 1.0) };
        (0..CIRCLE_VERTICES).map(move |k| {
            let (s, c) = (2.0 * PI * k as f64 / CIRCLE_VERTICES as f64).sin_cos();
            X::Vector::read(&[flat * c, flat * s, z])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::{Compound, Part};
    use crate::dim::{Plane, Space};
    use nalgebra::Vector3;

    #[test]
    fn cylinders_and_capsules_are_drawn_by_fine_polytopes_of_their_extent() {
        let extent = |shape: &Shape<Space>| {
            let outline = ShapeOutline::of(shape);
            assert!(outline.sides.len() > CIRCLE_VERTICES && outline.balls.is_empty());
            outline.corners.iter().map(|v| v.z).fold(0.0, f64::max)
        };
        assert!((extent(&Shape::Cylinder { half_length: 2.0 }) - 2.0).abs() < 1e-12);
        assert!((extent(&Shape::capsule(2.0)) - 3.0).abs() < 1e-12);
        let stadium = ShapeOutline::of(&Shape::<Plane>::capsule(2.0));
        assert_eq!(stadium.sides.len(), 1);
        assert!(stadium.corners.len() > CIRCLE_VERTICES);
    }

    #[test]
    fn a_compound_shows_its_balls_and_its_blocks() {
        let part =
            |shape, x: f64| Part { shape, size: 1.0, position: Vector3::x() * x, orientation: Orientation::identity() };
        let cube = Shape::<Space>::cuboid(Vector3::repeat(1.0)).unwrap();
        let outline = ShapeOutline::of(&Shape::Compound(Box::new(Compound::new(
            "compound",
            vec![part(cube, 0.0), part(Shape::Ball, 3.0)],
        ))));
        assert_eq!((outline.sides.len(), outline.corners.len(), outline.balls.len()), (6, 8, 1));
    }
}
