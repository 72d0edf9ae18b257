//! Walls of a picture: half-spaces, drums and segments. Frames do not contain them; checkpoints do.

use super::point::ImagePoint;
use crate::body::{Bodies, State};
use crate::contactor::Shape;
use crate::dim::{Dim, Orientation, Vector};
use crate::model::{Control, Model, Signal};

/// Number of facets of a drum.
const DRUM_FACETS: usize = 96;

/// An obstacle that frames do not contain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawnWall {
    /// A half-space bounded by a plane.
    Plane {
        /// A point of the plane, m.
        point: ImagePoint,
        /// Outward unit normal of the solid.
        normal: ImagePoint,
    },
    /// The outside of a cylinder.
    Drum {
        /// A point of the axis, m.
        centre: ImagePoint,
        /// Unit vector along the axis; in 2D, normal to the plane of drawing.
        axis: ImagePoint,
        /// Radius, m.
        radius: f64,
    },
    /// A straight wall in 2D.
    Segment {
        /// Id of the body.
        id: u64,
        /// End points, m.
        ends: [ImagePoint; 2],
    },
}

impl DrawnWall {
    /// The walls among all bodies; `static_only` leaves out those whose position changes with time.
    pub(super) fn all<X: Dim>(model: &Model<X>, bodies: &Bodies<X>, static_only: bool) -> Vec<Self> {
        let states = bodies.by_id();
        let shown = states.iter().filter(|state| !static_only || is_static(model, state));
        shown.filter_map(|state| Self::of(model, state)).collect()
    }

    fn of<X: Dim>(model: &Model<X>, state: &State<X>) -> Option<Self> {
        let posed = model.placed(state);
        let centre = ImagePoint::from(state.position.in_space());
        match model.shape(state) {
            Shape::HalfSpace => Some(DrawnWall::Plane { point: centre, normal: posed.outward().in_space().into() }),
            Shape::Hollow => {
                let orientation = X::quaternion(&state.orientation);
                let orientation =
                    nalgebra::Quaternion::new(orientation[0], orientation[1], orientation[2], orientation[3]);
                let axis = nalgebra::UnitQuaternion::new_normalize(orientation) * ImagePoint::z();
                Some(DrawnWall::Drum { centre, axis, radius: state.size })
            }
            Shape::Polytope(block) if block.mass.volume == 0.0 => {
                let to_world = |v: &X::Vector| state.position + state.orientation.rotate(*v * state.size);
                let ends: Vec<ImagePoint> =
                    block.polytope.vertices.iter().map(|v| ImagePoint::from(to_world(v).in_space())).collect();
                Some(DrawnWall::Segment { id: state.id.0, ends: ends.try_into().ok()? })
            }
            _ => None,
        }
    }

    /// Closest point of its surface to `point`.
    pub(super) fn foot(&self, point: ImagePoint) -> ImagePoint {
        match *self {
            DrawnWall::Plane { point: own, normal } => point - normal * normal.dot(&(point - own)),
            DrawnWall::Drum { centre, axis, radius } => {
                let arm = point - centre;
                let out = arm - axis * axis.dot(&arm);
                point + out * (radius / out.norm().max(f64::MIN_POSITIVE) - 1.0)
            }
            DrawnWall::Segment { ends: [a, b], .. } => {
                let along = b - a;
                let share = along.dot(&(point - a)) / along.norm_squared().max(f64::MIN_POSITIVE);
                a + along * share.clamp(0.0, 1.0)
            }
        }
    }
}

/// Returns true if its surface is the same at all times, which includes a rotating drum.
fn is_static<X: Dim>(model: &Model<X>, state: &State<X>) -> bool {
    let rests = |control: &Control| matches!(control, Control::Velocity(Signal::Constant(0.0)));
    let free = if matches!(model.shape(state), Shape::Hollow) { X::D } else { X::D + X::R };
    model.motion(state).is_some_and(|motion| motion.controls.iter().take(free).all(rests))
}

/// Part of a convex polygon in front of a plane.
pub(super) fn clip(polygon: &[ImagePoint], point: ImagePoint, normal: ImagePoint) -> Vec<ImagePoint> {
    let height = |corner: &ImagePoint| normal.dot(&(corner - point));
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (a, b) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
        let (height_a, height_b) = (height(a), height(b));
        if height_a >= 0.0 {
            kept.push(*a);
        }
        if (height_a >= 0.0) != (height_b >= 0.0) {
            kept.push(a + (b - a) * (height_a / (height_a - height_b)));
        }
    }
    kept
}

/// Visible faces of all half-spaces within the box, each with the normal of its wall: convex polygons; in 2D, strips of
/// unit depth normal to the plane of drawing.
pub(super) fn faces(walls: &[DrawnWall], [min, max]: [ImagePoint; 2]) -> Vec<(Vec<ImagePoint>, ImagePoint)> {
    let planes = || {
        walls.iter().filter_map(|wall| match *wall {
            DrawnWall::Plane { point, normal } => Some((point, normal)),
            _ => None,
        })
    };
    let (middle, size) = (0.5 * (min + max), (max - min).norm());
    let mut found = Vec::new();
    for (point, normal) in planes() {
        let across = if normal.z.abs() < 0.9 { ImagePoint::z() } else { ImagePoint::x() };
        let (u, v) = (normal.cross(&across).normalize(), normal.cross(&normal.cross(&across)).normalize());
        let foot = middle - normal * normal.dot(&(middle - point));
        let far = 2.0 * size;
        let mut face = vec![foot + (u + v) * far, foot + (v - u) * far, foot - (u + v) * far, foot + (u - v) * far];
        for (other, its) in planes().filter(|&(_, its)| its != normal) {
            // Clip with a small tolerance, so that both walls keep a common edge.
            face = clip(&face, other - its * (1e-9 * size), its);
        }
        for k in 0..3 {
            let axis = ImagePoint::ith(k, 1.0);
            face = clip(&clip(&face, min, axis), max, -axis);
        }
        if face.len() > 2 {
            found.push((face, normal));
        }
    }
    found
}

/// A face of a wall in 3D as seen from the bodies.
pub(crate) struct InnerFace {
    pub(crate) corners: Vec<ImagePoint>,
    /// A point of the face.
    pub(super) at: ImagePoint,
    /// Normal towards the bodies.
    pub(crate) normal: ImagePoint,
}

/// Inner faces of walls around a box, planar and convex. A floor extends beyond the box; other walls end with their
/// contents.
pub(crate) fn inner_faces(walls: &[DrawnWall], [min, max]: [ImagePoint; 2]) -> Vec<InnerFace> {
    let size = (max - min).norm();
    let wide = [min.add_scalar(-0.5 * size), max.add_scalar(0.5 * size)];
    let close = [min.add_scalar(-0.02 * size), max.add_scalar(0.02 * size)];
    let mut found = Vec::new();
    for (mut face, normal) in faces(walls, wide) {
        let is_floor = normal.z > 0.9;
        for axis in [ImagePoint::x(), ImagePoint::y(), ImagePoint::z()].into_iter().filter(|_| !is_floor) {
            face = clip(&clip(&face, close[0], axis), close[1], -axis);
        }
        if face.len() > 2 {
            found.push(InnerFace { at: face[0], corners: face, normal });
        }
    }
    for wall in walls {
        let DrawnWall::Drum { centre, axis, radius } = *wall else { continue };
        let across = if axis.z.abs() < 0.9 { ImagePoint::z() } else { ImagePoint::x() };
        let (u, v) = (axis.cross(&across).normalize(), axis.cross(&axis.cross(&across)).normalize());
        let heights = [min, max].map(|corner| axis.dot(&(corner - centre)));
        let (low, high) = (heights[0].min(heights[1]), heights[0].max(heights[1]));
        let at = |k: usize, height: f64| {
            let (s, c) = (std::f64::consts::TAU * k as f64 / DRUM_FACETS as f64).sin_cos();
            centre + (u * c + v * s) * radius + axis * height
        };
        for k in 0..DRUM_FACETS {
            let corners = vec![at(k, low), at(k + 1, low), at(k + 1, high), at(k, high)];
            let middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
            let arm = middle - centre;
            found.push(InnerFace { corners, at: middle, normal: axis * axis.dot(&arm) - arm });
        }
    }
    found
}

/// In 2D, the lines that bound the half-spaces within a box, each with the normal of its wall.
pub(crate) fn wall_lines(walls: &[DrawnWall], [min, max]: [ImagePoint; 2]) -> Vec<([ImagePoint; 2], ImagePoint)> {
    let depth = ImagePoint::z();
    let line = |(face, normal): (Vec<ImagePoint>, ImagePoint)| {
        let along = normal.cross(&depth);
        let order = |a: &&ImagePoint, b: &&ImagePoint| along.dot(a).total_cmp(&along.dot(b));
        let (&from, &to) = (face.iter().min_by(order)?, face.iter().max_by(order)?);
        Some(([from, to], normal))
    };
    faces(walls, [min - depth, max + depth]).into_iter().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walls_of_a_box_end_where_they_meet() {
        let wall = |point: [f64; 3], normal: [f64; 3]| DrawnWall::Plane { point: point.into(), normal: normal.into() };
        let walls = [
            wall([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            wall([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
            wall([2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        ];
        let faces = faces(&walls, [ImagePoint::new(-5.0, -5.0, -5.0), ImagePoint::new(5.0, 5.0, 5.0)]);
        assert_eq!(faces.len(), 3);
        let floor: Vec<f64> = faces[0].0.iter().map(|corner| corner.x).collect();
        let (low, high) = floor.iter().fold((f64::INFINITY, 0.0f64), |(l, h), &x| (l.min(x), h.max(x)));
        assert!(low.abs() < 1e-6 && (high - 2.0).abs() < 1e-6, "{low} {high}");
        assert!(faces[1].0.iter().all(|corner| corner.z > -1e-6 && corner.x.abs() < 1e-6));
    }

    #[test]
    fn the_foot_on_a_straight_wall_is_on_it() {
        let wall = DrawnWall::Segment { id: 1, ends: [ImagePoint::zeros(), ImagePoint::x()] };
        assert_eq!(wall.foot(ImagePoint::new(0.5, 1.0, 0.0)), ImagePoint::new(0.5, 0.0, 0.0));
        assert_eq!(wall.foot(ImagePoint::new(7.0, 1.0, 0.0)), ImagePoint::x());
    }
}
