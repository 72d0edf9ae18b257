//! A shape with its pose in the world, and its bounding box.

use super::Shape;
use crate::comm::Comm;
use crate::dim::{Dim, Orientation, Vector};

/// A shape with size, position and orientation: the input of the narrow phase.
#[derive(Clone, Copy, Debug)]
pub struct PosedShape<'a, X: Dim> {
    /// The template.
    pub shape: &'a Shape<X>,
    /// Its scale; for a sphere the radius, m.
    pub size: f64,
    /// Centre, m.
    pub position: X::Vector,
    /// From body axes to world axes.
    pub orientation: X::Orientation,
}

/// An axis-aligned bounding box; may be unbounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds<X: Dim> {
    /// Lower corner, m.
    pub min: X::Vector,
    /// Upper corner, m.
    pub max: X::Vector,
}

impl<X: Dim> Bounds<X> {
    /// The box of a single point.
    pub fn at(point: X::Vector) -> Self {
        Self { min: point, max: point }
    }

    /// All of space.
    pub fn unbounded() -> Self {
        let far = X::Vector::from_fn(|_| f64::INFINITY);
        Self { min: -far, max: far }
    }

    /// The smallest box around both boxes.
    #[inline]
    pub fn united(self, other: Self) -> Self {
        Self { min: self.min.lower(&other.min), max: self.max.upper(&other.max) }
    }

    /// Collective. The smallest box around those of all processes.
    pub fn of_all(&self, comm: &dyn Comm) -> Self {
        let (mut min, mut max) = (self.min.in_space(), self.max.in_space());
        comm.min(&mut min[..X::D]);
        comm.max(&mut max[..X::D]);
        Self { min: X::Vector::read(&min), max: X::Vector::read(&max) }
    }

    /// The box enlarged by `margin` on every side.
    pub fn inflated(&self, margin: f64) -> Self {
        let by = X::Vector::from_fn(|_| margin);
        Self { min: self.min - by, max: self.max + by }
    }

    /// Do the closed boxes overlap?
    pub fn meets(&self, other: &Self) -> bool {
        (0..X::D).all(|i| self.min[i] <= other.max[i] && other.min[i] <= self.max[i])
    }
}

/// The smallest box around all boxes; if there are none, its `min` is above its `max`.
impl<X: Dim> FromIterator<Bounds<X>> for Bounds<X> {
    #[inline]
    fn from_iter<I: IntoIterator<Item = Self>>(boxes: I) -> Self {
        let Self { min, max } = Self::unbounded();
        boxes.into_iter().fold(Self { min: max, max: min }, Self::united)
    }
}

impl<X: Dim> PosedShape<'_, X> {
    /// The shape translated by `displacement`.
    pub fn moved(&self, displacement: X::Vector) -> Self {
        Self { position: self.position + displacement, ..*self }
    }

    /// The point of the surface of an unbounded shape that is nearest to `point`; for a bounded shape its centre.
    pub fn foot(&self, point: X::Vector) -> X::Vector {
        match self.shape {
            Shape::HalfSpace => {
                let normal = self.outward();
                point - normal * normal.dot(&(point - self.position))
            }
            Shape::Hollow => {
                let out = self.radial(point);
                point + out * (self.size / out.norm().max(f64::MIN_POSITIVE) - 1.0)
            }
            Shape::Ball | Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Compound(_) | Shape::Meshed(_) => {
                self.position
            }
        }
    }

    /// Largest distance of a point of the shape from its position, m.
    pub fn reach(&self) -> f64 {
        self.shape.reach() * self.size
    }

    /// The smallest box around the shape, if it is not deformed.
    pub fn undeformed_bounds(&self) -> Bounds<X> {
        let at = |node: &X::Vector| Bounds::at(self.position + self.orientation.rotate(*node * self.size));
        match self.shape.as_meshed() {
            Some(mesh) => mesh.mesh.nodes.iter().map(at).collect(),
            None => self.bounds(),
        }
    }

    /// The smallest box around the shape, however it may be deformed. A half-space whose face is perpendicular to an axis
    /// is bounded on that side.
    pub fn bounds(&self) -> Bounds<X> {
        match self.shape {
            Shape::Ball => {
                let r = X::Vector::from_fn(|_| self.size);
                Bounds { min: self.position - r, max: self.position + r }
            }
            Shape::Polytope(block) => {
                let (mut min, mut max) = (self.position, self.position);
                for i in 0..X::D {
                    let axis = self.orientation.unrotate(X::Vector::axis(i)) * self.size;
                    let (mut low, mut high) = (0.0, 0.0);
                    for vertex in &block.polytope.vertices {
                        let x = axis.dot(vertex);
                        low = if x < low { x } else { low };
                        high = if x > high { x } else { high };
                    }
                    min[i] += low - block.rounding * self.size;
                    max[i] += high + block.rounding * self.size;
                }
                Bounds { min, max }
            }
            Shape::Cylinder { half_length } => {
                let axis = self.axis();
                let reach = |i: usize| half_length * axis[i].abs() + (1.0 - axis[i] * axis[i]).max(0.0).sqrt();
                let reach = X::Vector::from_fn(|i| self.size * reach(i));
                Bounds { min: self.position - reach, max: self.position + reach }
            }
            Shape::Compound(compound) => compound.bounds(self),
            Shape::Meshed(mesh) => self.undeformed_bounds().inflated((mesh.deformed_reach() - mesh.reach) * self.size),
            Shape::Hollow => Bounds::unbounded(),
            Shape::HalfSpace => {
                let n = self.outward();
                let Bounds { mut min, mut max } = Bounds::<X>::unbounded();
                for i in 0..X::D {
                    if n[i] == 1.0 {
                        max[i] = self.position[i];
                    } else if n[i] == -1.0 {
                        min[i] = self.position[i];
                    }
                }
                Bounds { min, max }
            }
        }
    }

    /// The last body axis: that of a cylinder or a drum.
    pub fn axis(&self) -> X::Vector {
        self.orientation.rotate(X::Vector::axis(X::D - 1))
    }

    /// Vector from the axis of a drum (in the plane, its centre) to `point`, perpendicular to the axis.
    pub fn radial(&self, point: X::Vector) -> X::Vector {
        let mut local = self.orientation.unrotate(point - self.position);
        for k in 2..X::D {
            local[k] = 0.0;
        }
        self.orientation.rotate(local)
    }

    /// Is `point` in the shape, or no farther than `margin` outside? At edges the margin is an estimate.
    pub fn holds(&self, point: X::Vector, margin: f64) -> bool {
        let local = self.orientation.unrotate(point - self.position);
        match self.shape {
            Shape::Ball => local.norm() <= self.size + margin,
            Shape::Polytope(block) if block.rounding > 0.0 => {
                // Only segments are rounded.
                let ends = [0, 1].map(|k| block.polytope.vertices[k] * self.size);
                let along = ends[1] - ends[0];
                let fraction = ((local - ends[0]).dot(&along) / along.norm2().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
                (local - ends[0] - along * fraction).norm() <= block.rounding * self.size + margin
            }
            Shape::Polytope(block) => {
                let faces = &block.polytope.faces;
                faces.iter().all(|f| f.normal.dot(&local) <= f.offset * self.size + margin)
            }
            Shape::Cylinder { half_length } => {
                let along = local[X::D - 1];
                let mut across = local;
                across[X::D - 1] = 0.0;
                along.abs() <= half_length * self.size + margin && across.norm() <= self.size + margin
            }
            Shape::Compound(compound) => compound.holds(self, point, margin),
            Shape::Meshed(mesh) => mesh.holds(local * (1.0 / self.size), margin / self.size),
            Shape::HalfSpace => self.outward().dot(&(point - self.position)) <= margin,
            Shape::Hollow => self.radial(point).norm() >= self.size - margin,
        }
    }

    /// Support function: how far the shape extends along the unit vector `n`, from the world origin.
    pub fn support(&self, n: X::Vector) -> f64 {
        let centre = n.dot(&self.position);
        match self.shape {
            Shape::Ball => centre + self.size,
            Shape::Polytope(block) => {
                let local = self.orientation.unrotate(n);
                let corners = block.polytope.vertices.iter().map(|v| v.dot(&local));
                centre + self.size * (corners.fold(f64::NEG_INFINITY, f64::max) + block.rounding)
            }
            Shape::Cylinder { half_length } => {
                let along = n.dot(&self.axis());
                centre + self.size * (half_length * along.abs() + (1.0 - along * along).max(0.0).sqrt())
            }
            Shape::Compound(compound) => {
                compound.parts.iter().map(|part| part.placed(self).support(n)).fold(f64::NEG_INFINITY, f64::max)
            }
            Shape::Meshed(mesh) => {
                let own = self.orientation.unrotate(n);
                centre + self.size * mesh.mesh.nodes.iter().map(|node| node.dot(&own)).fold(f64::NEG_INFINITY, f64::max)
            }
            Shape::HalfSpace | Shape::Hollow => f64::INFINITY,
        }
    }

    /// The outward normal of a half-space; exactly along an axis if it is along it up to rounding, as for most walls.
    pub fn outward(&self) -> X::Vector {
        let n = self.orientation.rotate(X::Vector::axis(0));
        let along = (0..X::D).find(|&k| (n - X::Vector::axis(k) * n[k].signum()).norm() < 1e-15);
        along.map_or(n, |k| X::Vector::axis(k) * n[k].signum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Angle, Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn the_box_around_a_turned_square_is_larger_by_root_two() {
        let shape = Shape::cuboid(Vector2::new(1.0, 1.0)).unwrap();
        let square = PosedShape::<Plane> {
            shape: &shape,
            size: 3.0,
            position: Vector2::new(1.0, 0.0),
            orientation: Angle(std::f64::consts::FRAC_PI_4),
        };
        let b = square.bounds();
        assert!((b.max - Vector2::new(1.0 + 3.0 * 2f64.sqrt(), 3.0 * 2f64.sqrt())).norm() < 1e-14);
    }

    #[test]
    fn an_upright_half_space_is_bounded_above() {
        let floor = PosedShape::<Space> {
            shape: &Shape::HalfSpace,
            size: 1.0,
            position: Vector3::new(0.0, 0.0, 2.0),
            orientation: crate::dim::Quaternion::new(1.0, 0.0, -1.0, 0.0),
        };
        assert_eq!(floor.outward(), Vector3::z());
        assert_eq!(floor.bounds().max.z, 2.0);
    }
}
