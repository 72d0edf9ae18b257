//! Two dimensions or three: the only module that knows the difference.
//!
//! A vector, a spin, an orientation, a cross product and an inertia tensor are all the mechanics of rigid
//! bodies needs; [`Dim`] names them once and [`Plane`] and [`Space`] supply them. Everything else is written
//! as `fn f<X: Dim>`.

pub mod hull;
mod pair;
mod plane;
mod plane_hull;
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
pub use space::{Quaternion, Space};
pub use vector::{Square, Vector};

/// How a body is turned from its own frame to the world's.
pub trait Orientation<V, S>: Copy + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// How many numbers describe it in a file.
    const NUMBERS: usize;
    /// Their unit, or empty.
    const UNIT: &'static str;
    /// Body frame and world frame agree.
    fn identity() -> Self;
    /// A body vector seen from the world.
    fn rotate(&self, body: V) -> V;
    /// A world vector seen from the body.
    fn unrotate(&self, world: V) -> V;
    /// Turned further by the rotation vector `angle` (radians, world axes): the objective update.
    fn turned(&self, angle: S) -> Self;
    /// First `inner`, then this.
    fn times(&self, inner: &Self) -> Self;
    /// The turn back.
    fn inverse(&self) -> Self;
    /// A body spin seen from the world.
    fn rotate_spin(&self, body: S) -> S;
    /// A world spin seen from the body.
    fn unrotate_spin(&self, world: S) -> S;
    /// Write into `out`, [`NUMBERS`](Self::NUMBERS) long.
    fn write(&self, out: &mut [f64]);
    /// Read back what [`write`](Self::write) wrote.
    fn read(numbers: &[f64]) -> Self;
}

/// Several numbers that are treated alike, for kernels that work on many contacts at once.
pub trait Many: Copy {
    /// self b.
    fn times(self, b: Self) -> Self;
    /// self b + c, rounded once.
    fn times_plus(self, b: Self, c: Self) -> Self;
    /// c - self b, rounded once.
    fn times_from(self, b: Self, c: Self) -> Self;
    /// self b - c, rounded once.
    fn times_less(self, b: Self, c: Self) -> Self;
}

/// The dimension of space, chosen once when a scene is read.
pub trait Dim: Copy + Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Number of components of a position.
    const D: usize;
    /// Number of rotational degrees of freedom.
    const R: usize;
    /// J^-1 of a ball in units of its inverse mass, spins scaled by the radius: 5/2 for spheres, 2 for disks.
    const BALL: f64;
    /// Is there one tangent at a contact, so that the disk of friction is an interval?
    const ONE_TANGENT: bool;
    /// What a ball is called here.
    const BALL_NAME: &'static str;
    /// Names of the axes.
    const AXES: &'static [&'static str];
    /// Unit of a force on a face over the face.
    const STRESS_UNIT: &'static str;
    /// Unit of what a ball fills.
    const VOLUME_UNIT: &'static str;
    /// Positions, velocities, impulses.
    type Vector: Vector;
    /// Angular velocities and torques.
    type Spin: Vector;
    /// Angle or quaternion.
    type Orientation: Orientation<Self::Vector, Self::Spin>;
    /// Maps vectors to vectors: frames and local Delassus blocks.
    type Matrix: Square<Self::Vector>;
    /// Maps spins to torques.
    type Tensor: Square<Self::Spin>;
    /// What a vector, a spin and one more number lack to a row of four or eight numbers.
    type Rest: Copy + Debug + Default + PartialEq + Send + Sync + 'static;
    /// Nothing, aligned as such a row should be: to its length.
    type Aligned: Copy + Debug + Default + PartialEq + Send + Sync + 'static;

    /// arm x force.
    fn torque(arm: Self::Vector, force: Self::Vector) -> Self::Spin;
    /// spin x arm: velocity of the end of the arm.
    fn swing(spin: Self::Spin, arm: Self::Vector) -> Self::Vector;
    /// arm x force of many at once; of all arrays here the first D or R components count.
    fn torques<T: Many>(arm: [T; 3], force: [T; 3]) -> [T; 3];
    /// velocity - spin x arm of many at once.
    fn less_swings<T: Many>(velocity: [T; 3], spin: [T; 3], arm: [T; 3]) -> [T; 3];
    /// The six numbers of a symmetric tensor: its diagonal, then xy, xz, yz; one in the plane, and zeros.
    fn six(tensor: &Self::Tensor) -> [f64; 6];
    /// Tensors of six numbers times vectors, many at once.
    fn turns<T: Many>(six: [T; 6], vector: [T; 3]) -> [T; 3];
    /// Rows: the unit vector `normal`, then unit tangents; right-handed.
    fn frame(normal: Self::Vector) -> Self::Matrix;
    /// Largest eigenvalue of the tangential part of a local block (row 0 is the normal).
    fn tangent_bound(block: &Self::Matrix) -> f64;
    /// Volume (area) of a ball of radius one.
    fn unit_ball() -> f64;
    /// Share of a ball of radius one about the origin that lies below `height` along any axis.
    fn ball_below(height: f64) -> f64;
    /// Volume of a ball of radius one in one dimension less: the section of a cylinder.
    fn unit_section() -> f64;
    /// Second moments along the principal axes, from the moments of inertia (in the plane, half of it along each).
    fn second_moments(inertia: Self::Spin) -> Self::Vector;
    /// The tensor of principal moments `moments`, in world axes, for a body turned by `orientation`.
    fn world_tensor(orientation: &Self::Orientation, moments: Self::Spin) -> Self::Tensor;
    /// Body-frame spin after a torque-free step of length `h` of a body with principal `moments`.
    fn free_spin(moments: Self::Spin, spin: Self::Spin, h: f64, scheme: Gyroscopic) -> Self::Spin;
    /// Orientation and body-frame spin after a torque-free time `t`, however far that turns: energy and angular momentum stay what they
    /// were.
    fn turn_freely(
        moments: Self::Spin,
        orientation: Self::Orientation,
        spin: Self::Spin,
        t: f64,
    ) -> (Self::Orientation, Self::Spin);
    /// A spin as three components, for files that know only space.
    fn spin_in_space(spin: Self::Spin) -> [f64; 3];
    /// An orientation as a quaternion (w, x, y, z), for files that know only space.
    fn quaternion(orientation: &Self::Orientation) -> [f64; 4];
    /// Place of `point` along a space-filling curve through the box from `min` to `max`.
    fn curve_key(point: Self::Vector, min: Self::Vector, max: Self::Vector) -> u64;
    /// An orientation from four numbers in [0, 1): all orientations are equally likely.
    fn random_orientation(uniform: [f64; 4]) -> Self::Orientation;
    /// The orientation that turns the first axis into `direction` (unit).
    fn pointing(direction: Self::Vector) -> Self::Orientation;
    /// Convex hull of distinct points in lexicographic order; what is flat within `flatness` (times the largest
    /// extent) is flat.
    fn hull(points: &[Self::Vector], flatness: f64) -> Result<hull::Facets, hull::Degenerate>;
    /// Determinant of the first `D` of the given vectors: `D!` times the volume of the simplex from the origin.
    fn determinant(vectors: &[Self::Vector]) -> f64;
    /// Outward normal of a face with these corners in order, times a positive measure of its extent.
    fn area_vector(corners: &[Self::Vector]) -> Self::Vector;
    /// Principal axes (to the frame of `second`) and moments per unit mass of a body whose second moments about its
    /// centre of mass, per unit mass, are `second`. Axes that are principal already are kept.
    fn principal(second: &Self::Matrix) -> (Self::Orientation, Self::Spin);
    /// The direction square to two edges of bodies; zero in the plane, where edges are faces.
    fn across(first: Self::Vector, second: Self::Vector) -> Self::Vector;
    /// Out of a face with outward `normal`, within its plane, past the end of its boundary `edge` (counter-clockwise
    /// seen from outside; in the plane the edge is the face).
    fn beyond(edge: Self::Vector, normal: Self::Vector) -> Self::Vector;
    /// The polygons to draw a polytope by, from the corners of its faces: in the plane its edges in turn make one.
    fn drawn<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Vec<Vec<u32>>;
}

/// How the gyroscopic term of a spinning body is integrated. It vanishes in the plane and for balls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Gyroscopic {
    /// Implicit mid-point: keeps the kinetic energy and the norm of the angular momentum exactly.
    #[default]
    Implicit,
    /// Explicit: cheaper, gains energy slowly; for slow spins only.
    Explicit,
}
