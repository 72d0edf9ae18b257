//! Names of the shapes: their keys in scenes, and what files and messages call them.

use crate::dim::{Dim, Plane, Space};

/// A sphere, in three dimensions.
pub const SPHERE: &str = Space::BALL_NAME;
/// A disk, in two dimensions.
pub const DISK: &str = Plane::BALL_NAME;
/// A box or rectangle.
pub const BOX: &str = "box";
/// A polygon, in two dimensions.
pub const POLYGON: &str = Plane::POLYTOPE_NAME;
/// A polyhedron, in three dimensions.
pub const POLYHEDRON: &str = Space::POLYTOPE_NAME;
/// A cylinder, in three dimensions.
pub const CYLINDER: &str = "cylinder";
/// All points within a distance of a segment.
pub const CAPSULE: &str = "capsule";
/// A random convex polygon or polyhedron.
pub const GRAIN: &str = "grain";
/// Several shapes in one rigid body.
pub const COMPOUND: &str = "compound";
/// A half-space.
pub const PLANE: &str = "plane";
/// A wall between two points, in two dimensions.
pub const SEGMENT: &str = "segment";
/// The inside of a drum.
pub const DRUM: &str = "drum";

/// A mesh of finite elements, deformable.
pub const MESH: &str = "mesh";

/// The shapes with volume, in the order in which messages list them.
pub const SOLIDS: [&str; 9] = [SPHERE, DISK, BOX, POLYGON, POLYHEDRON, CYLINDER, CAPSULE, GRAIN, COMPOUND];
/// The shapes of obstacles only, in the order in which messages list them.
pub const OBSTACLES: [&str; 3] = [PLANE, SEGMENT, DRUM];
