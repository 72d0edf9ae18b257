//! Two or three dimensions: the only module that knows the difference.
//!
//! Rigid-body mechanics needs a vector, a spin, an orientation, a cross product and an inertia tensor. [`Dim`] declares
//! them once; [`Plane`] and [`Space`] implement them. All other code is generic: `fn f<X: Dim>`.

pub mod hull;
mod pair;
mod plane;
mod plane_hull;
mod quaternion;
mod space;
mod space_axes;
mod space_faces;
mod space_hull;
mod space_top;
mod vector;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use pair::Pair;
pub use plane::{Angle, Plane};
pub use quaternion::Quaternion;
pub use space::Space;
pub use vector::{Square, Vector};

/// Orientation of a body: rotation from the body frame to the world frame.
pub trait Orientation<V, S>: Copy + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// Number of values that describe it in a file.
    const NUMBERS: usize;
    /// Unit of these values, or empty.
    const UNIT: &'static str;
    /// The body frame coincides with the world frame.
    fn identity() -> Self;
    /// Transforms a vector from the body frame to the world frame.
    fn rotate(&self, body: V) -> V;
    /// Transforms a vector from the world frame to the body frame.
    fn unrotate(&self, world: V) -> V;
    /// Rotates further by the rotation vector `angle` (rad, world axes): the objective update.
    fn turned(&self, angle: S) -> Self;
    /// Composition: first `inner`, then this.
    fn times(&self, inner: &Self) -> Self;
    /// The inverse rotation.
    fn inverse(&self) -> Self;
    /// Transforms a spin from the body frame to the world frame.
    fn rotate_spin(&self, body: S) -> S;
    /// Transforms a spin from the world frame to the body frame.
    fn unrotate_spin(&self, world: S) -> S;
    /// Writes to `out`, which has length [`NUMBERS`](Self::NUMBERS).
    fn write(&self, out: &mut [f64]);
    /// Reads what [`write`](Self::write) wrote.
    fn read(numbers: &[f64]) -> Self;
}

/// The matrix of a rotation from the body frame to the world frame, for many vectors.
pub fn rotation_matrix<X: Dim>(orientation: &X::Orientation) -> X::Matrix {
    let mut columns = [X::Vector::zero(); 3];
    (0..X::D).for_each(|k| columns[k] = orientation.rotate(X::Vector::axis(k)));
    X::Matrix::from_fn(|i, j| columns[j][i])
}

/// A number or a SIMD vector of numbers, for kernels that process several contacts at once.
pub trait Many: Copy {
    /// self b.
    fn times(self, b: Self) -> Self;
    /// self b + c, with a single rounding.
    fn times_plus(self, b: Self, c: Self) -> Self;
    /// c - self b, with a single rounding.
    fn times_from(self, b: Self, c: Self) -> Self;
    /// self b - c, with a single rounding.
    fn times_less(self, b: Self, c: Self) -> Self;
}

/// The dimension of space, chosen once when a scene is read.
pub trait Dim: Copy + Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Number of components of a position.
    const D: usize;
    /// Number of rotational degrees of freedom.
    const R: usize;
    /// J^-1 of a sphere (disk) in units of its inverse mass, with spins scaled by the radius: 5/2 for spheres, 2 for
    /// disks.
    const BALL: f64;
    /// True if a contact has a single tangent, so that the friction disk is an interval.
    const ONE_TANGENT: bool;
    /// True if bodies extend along a third axis: a circle in the first two is then a cylinder or part of a sphere.
    const HAS_DEPTH: bool;
    /// True if a rotation has an axis, so that a spin is a vector; else it is a number.
    const HAS_ROTATION_AXIS: bool;
    /// Name of a sphere (disk) in this dimension.
    const BALL_NAME: &'static str;
    /// Name of a polyhedron (polygon) in this dimension.
    const POLYTOPE_NAME: &'static str;
    /// Names of the axes.
    const AXES: &'static [&'static str];
    /// Unit of a stress.
    const STRESS_UNIT: &'static str;
    /// Unit of a volume (area).
    const VOLUME_UNIT: &'static str;
    /// Positions, velocities, impulses.
    type Vector: Vector;
    /// Angular velocities and torques.
    type Spin: Vector;
    /// Angle or quaternion.
    type Orientation: Orientation<Self::Vector, Self::Spin>;
    /// Matrix acting on vectors: contact frames and local Delassus blocks.
    type Matrix: Square<Self::Vector>;
    /// Matrix that maps spins to torques.
    type Tensor: Square<Self::Spin>;
    /// Padding of a vector, a spin and one scalar to a row of four or eight numbers.
    type Rest: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// Zero-sized type with the alignment of such a row: its length.
    type Aligned: Copy + Debug + Default + PartialEq + Send + Sync + 'static;

    /// arm x force.
    fn torque(arm: Self::Vector, force: Self::Vector) -> Self::Spin;
    /// spin x arm: velocity of the end of the lever arm.
    fn cross(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// arm x force for several contacts at once; only the first D or R components of the arrays are used.
    fn torques<T: Many>(arm: [T; 3], force: [T; 3]) -> [T; 3];
    /// velocity - spin x arm for several contacts at once.
    fn minus_cross<T: Many>(velocity: [T; 3], spin: [T; 3], arm: [T; 3]) -> [T; 3];
    /// Packed symmetric tensor: diagonal, then xy, xz, yz; in 2D a single value, then zeros.
    fn packed_symmetric(tensor: &Self::Tensor) -> [f64; 6];
    /// Applies packed symmetric tensors to vectors, for several contacts at once.
    fn apply_symmetric<T: Many>(packed: [T; 6], vector: [T; 3]) -> [T; 3];
    /// Contact frame with rows `normal` (unit) and unit tangents; right-handed.
    fn frame(normal: Self::Vector) -> Self::Matrix;
    /// Largest eigenvalue of the tangential part of a local block (row 0 is the normal).
    fn tangent_bound(block: &Self::Matrix) -> f64;
    /// Volume (area) of the unit sphere (disk).
    fn unit_ball() -> f64;
    /// Fraction of the unit sphere (disk) about the origin that lies below `height` along any axis.
    fn ball_below(height: f64) -> f64;
    /// Volume of the unit sphere in one dimension less: the cross-section of a cylinder.
    fn unit_section() -> f64;
    /// Second moments along the principal axes, from the moments of inertia (in 2D, half of it along each axis).
    fn second_moments(inertia: Self::Spin) -> Self::Vector;
    /// Tensor with principal moments `moments` of a body with this `orientation`, in world axes.
    fn world_tensor(orientation: &Self::Orientation, moments: Self::Spin) -> Self::Tensor;
    /// Does a body with these principal moments precess, that is, does its spin change without torques?
    fn precesses(moments: Self::Spin) -> bool;
    /// Spin in the body frame after a torque-free step of length `h`, for principal `moments`.
    fn free_spin(moments: Self::Spin, spin: Self::Spin, h: f64, scheme: Gyroscopic) -> Self::Spin;
    /// Orientation and spin in the body frame after a torque-free time `t`, for any angle of rotation; conserves energy
    /// and angular momentum.
    fn rotate_freely(
        moments: Self::Spin,
        orientation: Self::Orientation,
        spin: Self::Spin,
        t: f64,
    ) -> (Self::Orientation, Self::Spin);
    /// Spin as three components, for file formats that are always three-dimensional.
    fn spin_in_space(spin: Self::Spin) -> [f64; 3];
    /// Orientation as a quaternion (w, x, y, z), for file formats that are always three-dimensional.
    fn quaternion(orientation: &Self::Orientation) -> [f64; 4];
    /// Position of `point` along a space-filling curve through the box from `min` to `max`.
    fn curve_key(point: Self::Vector, min: Self::Vector, max: Self::Vector) -> u64;
    /// Uniformly distributed orientation from four numbers in [0, 1).
    fn random_orientation(uniform: [f64; 4]) -> Self::Orientation;
    /// Orientation that rotates the first axis to `direction` (unit).
    fn pointing(direction: Self::Vector) -> Self::Orientation;
    /// Convex hull of distinct points in lexicographic order; deviations from a plane within `flatness` (times the
    /// largest extent) count as flat.
    fn hull(points: &[Self::Vector], flatness: f64) -> Result<hull::Facets, hull::Degenerate>;
    /// Faces and edges of a segment between two points: two faces in the plane, a single edge in space.
    fn segment_facets() -> hull::Facets;
    /// Determinant of the first `D` of the given vectors: `D!` times the volume of the simplex with the origin.
    fn determinant(vectors: &[Self::Vector]) -> f64;
    /// Outward normal of a face with these corners in order, times a positive measure of its extent.
    fn area_vector(corners: &[Self::Vector]) -> Self::Vector;
    /// Principal axes (relative to the frame of `second`) and principal moments per unit mass, from the second moments
    /// `second` about the centre of mass, per unit mass. Axes that are already principal are kept.
    fn principal(second: &Self::Matrix) -> (Self::Orientation, Self::Spin);
    /// Direction normal to two edges of bodies, first x second; zero in 2D, where edges are faces.
    fn across(first: Self::Vector, second: Self::Vector) -> Self::Vector;
    /// In-plane outward direction at the boundary `edge` (counter-clockwise seen from outside) of a face with outward
    /// `normal`, edge x normal; in 2D the edge is the face, and the direction points past its end.
    fn beyond(edge: Self::Vector, normal: Self::Vector) -> Self::Vector;
    /// Polygons that draw a polytope, from the corners of its faces; in 2D its edges, in order, form a single one.
    fn drawn<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>>;
}

/// Integration of the gyroscopic term of a spinning body. The term vanishes in the plane and for balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// Implicit mid-point rule: conserves the kinetic energy and the norm of the angular momentum exactly.
    #[default]
    Implicit,
    /// Explicit: cheaper, but energy grows slowly; for slow spins only.
    Explicit,
}
