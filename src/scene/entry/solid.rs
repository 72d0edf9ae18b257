//! Shapes with volume: the same keys for a body, for a part of a compound, and for the shape substituted for the balls
//! of a generator.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::loose::{Loose, Notation};

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

/// A rotation about an axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AxisAngle {
    /// The axis, of any length.
    pub axis: Vec<f64>,
    /// The angle, rad.
    pub angle: f64,
}

impl Notation for AxisAngle {
    const EXPECTED: &'static str = "an angle, a quaternion [w, x, y, z], or { axis = [x, y, z], angle = rad }";
    const ARRAY: bool = true;
    const TABLE: bool = true;
}

/// A polygon. Exactly one of `vertices`, `outline`, `sides` and `points` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolygonEntry {
    /// Vertices [x, y], m, in any order, in the frame of the body; without `position`, in the world frame.
    pub vertices: Option<Vec<Vec<f64>>>,
    /// Vertices [x, y], m, in order around a polygon that need not be convex; it is decomposed into convex parts.
    pub outline: Option<Vec<Vec<f64>>>,
    /// Number of sides of a regular polygon, with `radius`.
    pub sides: Option<u32>,
    /// Number of points of a star, with `radius` and `inner`.
    pub points: Option<u32>,
    /// Radius of the notches of a star over the radius of its points, between 0 and 1. By default 0.5.
    pub inner: Option<f64>,
    /// Distance of the vertices of a regular polygon, or of the points of a star, from its centre, m.
    pub radius: Option<f64>,
}

/// A polyhedron. Exactly one of `vertices`, `name` and `file` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolyhedronEntry {
    /// Vertices [x, y, z], m, in any order, in the frame of the body; without `position`, in the world frame.
    pub vertices: Option<Vec<Vec<f64>>>,
    /// A polyhedron by name, with `radius`: tetrahedron, cube, octahedron, dodecahedron, icosahedron, ballast.
    pub name: Option<String>,
    /// Distance of the farthest vertex of a named polyhedron from its centre, m.
    pub radius: Option<f64>,
    /// File with a closed surface in STL or OBJ format; a relative path starts at the folder of the scene. The surface
    /// must be convex unless `parts` is given. In m unless `scale` is given.
    pub file: Option<PathBuf>,
    /// Factor from the units of the file to m.
    pub scale: Option<f64>,
    /// For a surface that is not convex: the greatest number of convex parts that approximate it. Mass and inertia
    /// remain exact.
    pub parts: Option<u32>,
}

/// A cylinder around the last axis of the body.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderEntry {
    /// Radius of the cylinder, m.
    pub radius: f64,
    /// Distance between its two flat ends, m.
    pub length: f64,
}

/// A capsule around the last axis of the body: all points within `radius` of a segment.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleEntry {
    /// Radius of the capsule, m.
    pub radius: f64,
    /// Length of the segment, m: the distance between the centres of the two round ends.
    pub length: f64,
}

/// A random convex grain: a polygon or polyhedron with its corners on an ellipse or ellipsoid.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GrainEntry {
    /// Number of corners: at least 3 in two dimensions, 4 in three.
    pub corners: u32,
    /// Distance of the farthest corner from the centre of mass, m. Not in a generator, where the ball determines it.
    pub radius: Option<f64>,
    /// Shortest axis over longest axis, above 0 and at most 1.
    #[serde(default = "one")]
    pub aspect: f64,
    /// Irregularity of the spacing of the corners, from 0 to below 1.
    #[serde(default = "third")]
    pub irregularity: f64,
    /// Seed of the random shape. In a generator every body has its own grain, up to `variety` different ones.
    #[serde(default = "first")]
    pub seed: u64,
}

fn one() -> f64 {
    1.0
}

fn third() -> f64 {
    0.3
}

fn first() -> u64 {
    1
}

/// A shape with volume given in an entry.
#[derive(Clone, Copy)]
pub(crate) enum SolidEntry<'a> {
    Ball(&'a BallEntry),
    Box(&'a BoxEntry),
    Polygon(&'a PolygonEntry),
    Polyhedron(&'a PolyhedronEntry),
    Cylinder(&'a CylinderEntry),
    Capsule(&'a CapsuleEntry),
    Grain(&'a GrainEntry),
    Compound(&'a [PartEntry]),
}

/// Defines an entry that has a key for each shape with volume, between other keys. The texts of these keys in the
/// schema differ from entry to entry.
macro_rules! entry_with_solids {
    (
        $(#[$about:meta])*
        pub struct $name:ident {
            { $($first:tt)* }
            sphere: $sphere:literal,
            disk: $disk:literal,
            box: $cuboid:literal,
            polygon: $polygon:literal,
            polyhedron: $polyhedron:literal,
            cylinder: $cylinder:literal,
            capsule: $capsule:literal,
            grain: $grain:literal,
            compound: $compound:literal,
            { $($last:tt)* }
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            $($first)*
            #[doc = $sphere]
            pub sphere: Option<BallEntry>,
            #[doc = $disk]
            pub disk: Option<BallEntry>,
            #[doc = $cuboid]
            #[serde(rename = "box")]
            pub cuboid: Option<BoxEntry>,
            #[doc = $polygon]
            pub polygon: Option<PolygonEntry>,
            #[doc = $polyhedron]
            pub polyhedron: Option<PolyhedronEntry>,
            #[doc = $cylinder]
            pub cylinder: Option<CylinderEntry>,
            #[doc = $capsule]
            pub capsule: Option<CapsuleEntry>,
            #[doc = $grain]
            pub grain: Option<GrainEntry>,
            #[doc = $compound]
            pub compound: Option<Vec<PartEntry>>,
            $($last)*
        }

        impl $name {
            /// The shapes with volume, in the order of [`keys::SOLIDS`](crate::contactor::keys::SOLIDS).
            pub(crate) fn solids(&self) -> [Option<SolidEntry<'_>>; 9] {
                [
                    self.sphere.as_ref().map(SolidEntry::Ball),
                    self.disk.as_ref().map(SolidEntry::Ball),
                    self.cuboid.as_ref().map(SolidEntry::Box),
                    self.polygon.as_ref().map(SolidEntry::Polygon),
                    self.polyhedron.as_ref().map(SolidEntry::Polyhedron),
                    self.cylinder.as_ref().map(SolidEntry::Cylinder),
                    self.capsule.as_ref().map(SolidEntry::Capsule),
                    self.grain.as_ref().map(SolidEntry::Grain),
                    self.compound.as_deref().map(SolidEntry::Compound),
                ]
            }
        }
    };
}
pub(super) use entry_with_solids;

entry_with_solids! {
    /// A shape with volume, and its placement in a compound. Exactly one shape is given.
    pub struct PartEntry {
        {}
        sphere: "A sphere, in three dimensions: { radius = 0.05 }.",
        disk: "A disk, in two dimensions: { radius = 0.05 }.",
        box: "A box, or a rectangle in two dimensions: { size = [0.1, 0.2] }.",
        polygon: "A polygon, in two dimensions.",
        polyhedron: "A polyhedron, in three dimensions.",
        cylinder: "A cylinder, in three dimensions: { radius = 0.05, length = 0.2 }.",
        capsule: "A capsule: { radius = 0.05, length = 0.2 }.",
        grain: "A random grain: { corners = 12, radius = 0.05 }.",
        compound: "Several shapes in one rigid body.",
        {
            /// Centre of the part in the frame of the compound, m. By default its origin.
            pub position: Option<Vec<f64>>,
            /// Orientation of the part in the frame of the compound.
            pub orientation: Option<Loose<AxisAngle>>,
        }
    }
}
