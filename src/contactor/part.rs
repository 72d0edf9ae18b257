//! Parts of a compound: their pose in a body, and their surfaces.

use super::{Part, PosedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};

/// Cosine above which a direction is that of a face.
const FLUSH: f64 = 1.0 - 1e-12;

/// Tolerance for points on the surface, relative to the reach of a part.
pub(super) const SURFACE: f64 = 1e-6;

impl<X: Dim> Part<X> {
    /// The pose of the part in a body with the pose of `body`.
    #[inline]
    pub fn placed<'a>(&'a self, body: &PosedShape<'_, X>) -> PosedShape<'a, X> {
        PosedShape {
            shape: &self.shape,
            size: self.size * body.size,
            position: body.position + body.orientation.rotate(self.position * body.size),
            orientation: body.orientation.times(&self.orientation),
        }
    }

    /// Does the part have an uncovered face, or a round surface, with the outward normal `n` (axes of the compound)?
    pub(super) fn has_face(&self, n: X::Vector) -> bool {
        let Some(block) = self.shape.as_polytope() else { return true };
        let n = self.orientation.unrotate(n);
        block.rounding > 0.0 || block.polytope.faces.iter().any(|f| !f.covered && f.normal.dot(&n) >= FLUSH)
    }

    /// Does `point` lie on or in this part?
    pub(super) fn has_point(&self, body: &PosedShape<'_, X>, point: X::Vector) -> bool {
        let placed = self.placed(body);
        placed.holds(point, SURFACE * placed.shape.reach() * placed.size)
    }

    /// Largest distance of its points from the centre of the compound.
    pub(super) fn farthest(&self) -> f64 {
        match &self.shape {
            Shape::Polytope(block) => {
                let corners = block.polytope.vertices.iter();
                let from_centre = corners.map(|v| (self.position + self.orientation.rotate(*v * self.size)).norm());
                from_centre.fold(0.0, f64::max) + block.rounding * self.size
            }
            Shape::Cylinder { half_length } => {
                let axis = self.orientation.rotate(X::Vector::axis(X::D - 1));
                let along = axis.dot(&self.position);
                let across = (self.position - axis * along).norm() + self.size;
                (along.abs() + half_length * self.size).hypot(across)
            }
            Shape::Ball | Shape::Compound(_) | Shape::Meshed(_) | Shape::HalfSpace | Shape::Hollow => {
                self.position.norm() + self.shape.reach() * self.size
            }
        }
    }
}
