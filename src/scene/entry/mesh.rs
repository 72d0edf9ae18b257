//! The mesh of a deformable body, and the elastic constants of a material.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::driven::SignalEntry;

/// The mesh of a deformable body: of a shape, with `size`, or from a `file`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshEntry {
    /// Length of the edges of elements, m: the shape of the body is meshed.
    pub size: Option<f64>,
    /// File with a mesh, instead of a shape: Gmsh (.msh), VTK (.vtk) or VTU (.vtu); a relative path starts at the
    /// folder of the scene. In m unless `scale` is given.
    pub file: Option<PathBuf>,
    /// Factor from the units of the file to m.
    pub scale: Option<f64>,
    /// Kind of the elements, without a file: "t3", "t6" or "q4" in two dimensions, "tet4", "tet10" or "hex8" in three.
    /// By default quadrilaterals or hexahedra for boxes, linear triangles or tetrahedra for all other shapes.
    pub elements: Option<ElementChoice>,
    /// Materials of groups of elements in the file, by the names of the groups; all other elements have the material of
    /// the body.
    #[serde(default)]
    pub materials: BTreeMap<String, String>,
    /// Groups of nodes by boxes: { left = { max = [-0.5] } } holds the nodes with x <= -0.5 in the frame of the shape
    /// or file. Used by `nodes` of the body.
    #[serde(default)]
    pub groups: BTreeMap<String, NodeBox>,
    /// In two dimensions: "strain" (the default) for a section of a long body, "stress" for a thin sheet.
    #[serde(default)]
    pub plane: PlaneChoice,
}

/// A box of nodes, in the frame in which shape or file are given, before the body is placed.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeBox {
    /// Least coordinates, m; axes that are left out at the end are unbounded.
    #[serde(default)]
    pub min: Vec<f64>,
    /// Greatest coordinates, m; axes that are left out at the end are unbounded.
    #[serde(default)]
    pub max: Vec<f64>,
}

/// What is prescribed for a group of nodes of a deformable body. Axes that are not named are free.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodesEntry {
    /// Prescribed velocity of all nodes of the group, m/s, by axis: { x = 0, y = 0 } holds them. The body then deforms
    /// in a frame that rests, or moves with the velocities of `driven`; this velocity is relative to the frame.
    #[serde(default)]
    pub velocity: Translations,
    /// Prescribed displacement of all nodes of the group relative to the frame of the body, m, by axis; instead of a
    /// velocity.
    #[serde(default)]
    pub displacement: Translations,
    /// Force on the group, N, by axis, shared by its nodes by area.
    #[serde(default)]
    pub force: Translations,
    /// Pressure on the faces of the group, Pa: a number, or a table with one of ramp, sinusoid, table, points. It turns
    /// with the body.
    pub pressure: Option<SignalEntry>,
}

/// A value for each axis.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Translations {
    /// Along the first axis: a number, or a table with one of ramp, sinusoid, table, points.
    pub x: Option<SignalEntry>,
    /// Along the second axis: a number, or a table with one of ramp, sinusoid, table, points.
    pub y: Option<SignalEntry>,
    /// Along the third axis, in three dimensions: as for x.
    pub z: Option<SignalEntry>,
}

impl Translations {
    /// The given axes: name, number, signal.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, usize, &SignalEntry)> {
        let all = [("x", 0, &self.x), ("y", 1, &self.y), ("z", 2, &self.z)];
        all.into_iter().filter_map(|(name, axis, signal)| signal.as_ref().map(|signal| (name, axis, signal)))
    }
}

/// Kinds of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ElementChoice {
    /// Linear triangles.
    T3,
    /// Quadratic triangles.
    T6,
    /// Bilinear quadrilaterals.
    Q4,
    /// Linear tetrahedra.
    Tet4,
    /// Quadratic tetrahedra.
    Tet10,
    /// Trilinear hexahedra with incompatible modes.
    Hex8,
}

/// What a body in the plane is a section of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneChoice {
    /// A long body, which cannot extend across the plane.
    #[default]
    Strain,
    /// A thin sheet, without stress across it.
    Stress,
}

/// Elastic constants of a material.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElasticEntry {
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio, above -1 and below 0.5.
    pub poisson: f64,
    /// Damping in proportion to stiffness, s: vibrations of angular frequency w lose w^2 damping/2 of their amplitude a
    /// second. By default a tenth of the time step, which only damps what the step cannot resolve; 0 for waves.
    pub damping: Option<f64>,
    /// Damping in proportion to mass, 1/s, of the motion relative to the rigid one; for statics.
    #[serde(default)]
    pub mass_damping: f64,
}
