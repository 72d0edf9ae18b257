//! `[[bodies]]`: the scene entry of a single body.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::driven::Driven;
use super::loose::{Loose, NumberOrArray};
use super::solid::{
    AxisAngle, BallEntry, BoxEntry, CapsuleEntry, CylinderEntry, GrainEntry, PartEntry, PolygonEntry, PolyhedronEntry,
};

/// One body. Exactly one of the shapes `sphere`, `disk`, `box`, `polygon`, `polyhedron`, `cylinder`, `capsule`, `grain`,
/// `compound`, `plane`, `segment`, `drum` is given, or `from`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Number of the body in all output; no two bodies have the same. By default the lowest number left.
    pub id: Option<u64>,
    /// Name of the material, one of `[materials]`. Bodies `from` a file keep their own unless it is given.
    pub material: Option<String>,
    /// Not one body but those of another run as it left them: its final.h5, or one of its checkpoints. They keep their
    /// ids, shapes and materials.
    pub from: Option<PathBuf>,
    /// Which bodies of the file: "free" (by default) or "all".
    #[serde(default)]
    pub which: Which,
    /// The bodies of the file start without velocity.
    #[serde(default)]
    pub at_rest: bool,
    /// A sphere, in three dimensions: { radius = 0.05 }.
    pub sphere: Option<BallEntry>,
    /// A disk, in two dimensions: { radius = 0.05 }.
    pub disk: Option<BallEntry>,
    /// A box, or a rectangle in two dimensions: { size = [0.1, 0.2] }.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxEntry>,
    /// A polygon, in two dimensions: { sides = 5, radius = 0.05 }, { vertices = [[0, 0], [1, 0], [0, 1]] } if it is
    /// convex, { outline = [[0, 0], ...] } if not, or a star { points = 5, inner = 0.4, radius = 0.05 }.
    pub polygon: Option<PolygonEntry>,
    /// A convex polyhedron, in three dimensions: { name = "octahedron", radius = 0.05 }, { vertices = [[0, 0, 0], ...] }
    /// or { file = "stone.stl" }.
    pub polyhedron: Option<PolyhedronEntry>,
    /// A cylinder around the last axis, in three dimensions: { radius = 0.05, length = 0.2 }.
    pub cylinder: Option<CylinderEntry>,
    /// All points within `radius` of a segment along the last axis: { radius = 0.05, length = 0.2 }.
    pub capsule: Option<CapsuleEntry>,
    /// A random convex grain: { corners = 12, radius = 0.05 }.
    pub grain: Option<GrainEntry>,
    /// Several shapes in one rigid body: [{ sphere = { radius = 0.1 }, position = [0, 0, 0] }, ...]. The positions of
    /// the parts are in the body's frame; without `position` it is the world's. Masses of the parts add.
    pub compound: Option<Vec<PartEntry>>,
    /// A flat wall without end through `position`, solid behind its normal: { normal = [0, 1] }.
    pub plane: Option<PlaneEntry>,
    /// A straight wall between two points, in two dimensions: { from = [0, 0], to = [1, 0] }.
    pub segment: Option<SegmentEntry>,
    /// The inside of a drum around `position`, solid beyond its radius: { radius = 1, axis = [0, 1, 0] }.
    pub drum: Option<DrumEntry>,
    /// Centre of mass, m, one number for each axis. A plane passes through it; a segment has none.
    pub position: Option<Vec<f64>>,
    /// How the body is turned: in two dimensions an angle, rad; in three a quaternion [w, x, y, z] or
    /// { axis = [x, y, z], angle = rad }.
    pub orientation: Option<Loose<AxisAngle>>,
    /// Velocity at the start, m/s, one number for each axis. Driven degrees of freedom start as driven.
    pub velocity: Option<Vec<f64>>,
    /// Angular velocity at the start, rad/s: a number in two dimensions, [x, y, z] in three.
    pub spin: Option<Loose<NumberOrArray>>,
    /// Mass, kg (per metre of depth in two dimensions). By default from the material's density.
    pub mass: Option<f64>,
    /// The body never moves.
    #[serde(default)]
    pub fixed: bool,
    /// Prescribed velocities and extra forces.
    pub driven: Option<Driven>,
}

/// Which bodies of a file are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Those that are not prescribed in every degree of freedom: grains, not walls.
    #[default]
    Free,
    /// All of them, obstacles with their motions too.
    All,
}

/// A half-space.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneEntry {
    /// Direction out of the solid, of any length.
    pub normal: Vec<f64>,
}

/// A wall between two points.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SegmentEntry {
    /// One end, m.
    pub from: Vec<f64>,
    /// The other end, m.
    pub to: Vec<f64>,
}

/// The inside of a drum; of a hollow disk in two dimensions.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrumEntry {
    /// Inner radius, m.
    pub radius: f64,
    /// Direction of its axis, of any length, in three dimensions. By default the last axis of the body. It has no
    /// ends: close it with planes.
    pub axis: Option<Vec<f64>>,
}
