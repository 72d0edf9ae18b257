//! `[[bodies]]`: one body as the scene writes it.

use schemars::JsonSchema;
use serde::Deserialize;

use super::block::{PolygonEntry, PolyhedronEntry};
use super::driven::Driven;
use super::loose::{Loose, NumberOrArray, Ways};

/// One body. Exactly one of the shapes `sphere`, `disk`, `box`, `polygon`, `polyhedron`, `plane`, `segment` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Number of the body in all output; no two bodies have the same. By default the lowest number left.
    pub id: Option<u64>,
    /// Name of the material, one of `[materials]`.
    pub material: String,
    /// A sphere, in three dimensions: { radius = 0.05 }.
    pub sphere: Option<BallEntry>,
    /// A disk, in two dimensions: { radius = 0.05 }.
    pub disk: Option<BallEntry>,
    /// A box, or a rectangle in two dimensions: { size = [0.1, 0.2] }.
    #[serde(rename = "box")]
    pub cuboid: Option<BoxEntry>,
    /// A convex polygon, in two dimensions: { sides = 5, radius = 0.05 } or { vertices = [[0, 0], [1, 0], [0, 1]] }.
    pub polygon: Option<PolygonEntry>,
    /// A convex polyhedron, in three dimensions: { name = "octahedron", radius = 0.05 }, { vertices = [[0, 0, 0], ...] }
    /// or { file = "stone.stl" }.
    pub polyhedron: Option<PolyhedronEntry>,
    /// A flat wall without end through `position`, solid behind its normal: { normal = [0, 1] }.
    pub plane: Option<PlaneEntry>,
    /// A straight wall between two points, in two dimensions: { from = [0, 0], to = [1, 0] }.
    pub segment: Option<SegmentEntry>,
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

impl BodyEntry {
    /// Names of all shapes.
    pub const SHAPES: [&'static str; 7] = ["sphere", "disk", "box", "polygon", "polyhedron", "plane", "segment"];

    /// Names of the shapes given.
    pub fn shapes(&self) -> Vec<&'static str> {
        let given = [
            self.sphere.is_some(),
            self.disk.is_some(),
            self.cuboid.is_some(),
            self.polygon.is_some(),
            self.polyhedron.is_some(),
            self.plane.is_some(),
            self.segment.is_some(),
        ];
        Self::SHAPES.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name)).collect()
    }
}

/// A disk or sphere.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallEntry {
    /// Radius of the ball, m.
    pub radius: f64,
}

/// A rectangle or box.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxEntry {
    /// Lengths of the edges, m, one for each axis of the body.
    pub size: Vec<f64>,
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

/// A turn about an axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxisAngle {
    /// The axis, of any length.
    pub axis: Vec<f64>,
    /// The angle, rad.
    pub angle: f64,
}

impl Ways for AxisAngle {
    const EXPECTED: &'static str = "an angle, a quaternion [w, x, y, z], or { axis = [x, y, z], angle = rad }";
    const ARRAY: bool = true;
    const TABLE: bool = true;
}
