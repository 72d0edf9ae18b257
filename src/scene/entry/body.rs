//! `[[bodies]]`: the scene entry of a single body.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::driven::Driven;
use super::loose::{Loose, NumberOrArray};
use super::mesh::{MeshEntry, NodesEntry};
use super::solid::{
    AxisAngle, BallEntry, BoxEntry, CapsuleEntry, CylinderEntry, GrainEntry, PartEntry, PolygonEntry, PolyhedronEntry,
    SolidEntry, entry_with_solids,
};

entry_with_solids! {
    /// One body. Exactly one of the shapes `sphere`, `disk`, `box`, `polygon`, `polyhedron`, `cylinder`, `capsule`,
    /// `grain`,
    /// `compound`, `plane`, `segment`, `drum` is given, or `from`.
    // One field for each key of the file.
    pub struct BodyEntry {
        {
            /// Id of the body in all output; ids are unique. By default the lowest free number.
            pub id: Option<u64>,
            /// Name of the material, one of `[materials]`. Bodies taken `from` a file keep their own material unless
            /// this is given.
            pub material: Option<String>,
            /// Takes the bodies of another run instead of one new body: path of its final.h5 or of one of its
            /// checkpoints. They keep their ids, shapes and materials.
            pub from: Option<PathBuf>,
            /// Bodies of the file that are taken: "free" (the default) or "all".
            #[serde(default)]
            pub which: Which,
            /// The bodies of the file start at rest.
            #[serde(default)]
            pub at_rest: bool,
        }
        sphere: "A sphere, in three dimensions: { radius = 0.05 }.",
        disk: "A disk, in two dimensions: { radius = 0.05 }.",
        box: "A box, or a rectangle in two dimensions: { size = [0.1, 0.2] }.",
        polygon: "A polygon, in two dimensions: regular { sides = 5, radius = 0.05 }, convex { vertices = [[0, 0], [1, 0], [0, 1]]\n\
            }, not convex { outline = [[0, 0], ...] }, or a star { points = 5, inner = 0.4, radius = 0.05 }.",
        polyhedron: "A convex polyhedron, in three dimensions: { name = \"octahedron\", radius = 0.05 }, { vertices = [[0, 0, 0], ...] }\n\
            or { file = \"stone.stl\" }.",
        cylinder: "A cylinder around the last axis, in three dimensions: { radius = 0.05, length = 0.2 }.",
        capsule: "All points within `radius` of a segment along the last axis: { radius = 0.05, length = 0.2 }.",
        grain: "A random convex grain: { corners = 12, radius = 0.05 }.",
        compound: "Several shapes in one rigid body: [{ sphere = { radius = 0.1 }, position = [0, 0, 0] }, ...]. The parts are\n\
            placed in the frame of the body; without `position`, in the world frame. The masses of the parts add.",
        {
            /// An infinite plane through `position`, solid on the side opposite to its normal: { normal = [0, 1] }.
            pub plane: Option<PlaneEntry>,
            /// A straight wall between two points, in two dimensions: { from = [0, 0], to = [1, 0] }.
            pub segment: Option<SegmentEntry>,
            /// The inside of a drum around `position`, solid beyond its radius: { radius = 1, axis = [0, 1, 0] }.
            pub drum: Option<DrumEntry>,
            /// Makes the body deformable: the mesh of its shape, { size = 0.01 }, or one from a file, { file =
            /// "body.msh" }.
            pub mesh: Option<MeshEntry>,
            /// Centre of mass, m, one number for each axis. A plane passes through this point; a segment has no
            /// position.
            pub position: Option<Vec<f64>>,
            /// Orientation: in two dimensions an angle, rad; in three a quaternion [w, x, y, z] or { axis = [x, y, z],
            /// angle = rad }.
            pub orientation: Option<Loose<AxisAngle>>,
            /// Initial velocity, m/s, one number for each axis. Driven degrees of freedom start with their prescribed
            /// velocity.
            pub velocity: Option<Vec<f64>>,
            /// Initial angular velocity, rad/s: a number in two dimensions, [x, y, z] in three.
            pub spin: Option<Loose<NumberOrArray>>,
            /// Mass, kg (per metre of depth in two dimensions). By default it follows from the density of the material.
            pub mass: Option<f64>,
            /// The body never moves.
            #[serde(default)]
            pub fixed: bool,
            /// Prescribed velocities and additional forces.
            pub driven: Option<Driven>,
            /// Forces, pressures and prescribed velocities of groups of nodes of a deformable body, by the names of the
            /// groups: those of `mesh.groups` or of the file.
            #[serde(default)]
            pub nodes: BTreeMap<String, NodesEntry>,
        }
    }
}

/// Selection of bodies of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Bodies that are not prescribed in every degree of freedom: grains, not walls.
    #[default]
    Free,
    /// All bodies, including obstacles with their prescribed motions.
    All,
}

/// A half-space.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneEntry {
    /// Normal that points out of the solid, of any length.
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

/// The inside of a hollow cylinder; of a hollow disk in two dimensions.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DrumEntry {
    /// Inner radius, m.
    pub radius: f64,
    /// Direction of the axis, of any length, in three dimensions. By default the last axis of the body. The drum has no
    /// ends: close it with planes.
    pub axis: Option<Vec<f64>>,
}
