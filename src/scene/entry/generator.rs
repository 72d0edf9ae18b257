//! `[[generators]]`: the scene entry of a generator, which creates many bodies.

use std::f64::consts::PI;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::loose::{Loose, Notation, NumberOrArray};
use super::mesh::MeshEntry;
use super::solid::{BoxEntry, PartEntry};

/// Many bodies of one material. Exactly one of `lattice`, `deposit`, `walls`, `csv`, `masonry`, `arch`, `column` is
/// given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeneratorEntry {
    /// Name of the material, one of `[materials]`.
    pub material: String,
    /// Id of its first body; the others follow consecutively. By default the lowest free ids.
    pub first_id: Option<u64>,
    /// Seed of the random numbers.
    #[serde(default = "one")]
    pub seed: u64,
    /// Shape that replaces each ball, in a random orientation, with its farthest point on the ball's surface: { polygon
    /// = { sides = 5, radius = 1 } }, { grain = { corners = 12 } }, { compound = [...] }. Its own size is ignored. For
    /// `lattice`, `deposit` and `csv`.
    pub shape: Option<PartEntry>,
    /// Makes the bodies deformable: the mesh of each ball or of the shape that replaces it, or of each block of a
    /// building but fixed ones, { size = 0.01 }. Every radius and every kind of block has a mesh of its own: give a few
    /// radii.
    pub mesh: Option<MeshEntry>,
    /// Greatest number of different shapes if `shape` is random (a grain), 1 to 1000000; by default 1000. Up to this
    /// number of bodies, each has its own shape; beyond it, each body takes one of the shapes at random.
    pub variety: Option<u64>,
    /// Balls on a rectangular lattice.
    pub lattice: Option<LatticeEntry>,
    /// Dense packing of balls in a box, as if dropped one by one.
    pub deposit: Option<DepositEntry>,
    /// Fixed planes around a box.
    pub walls: Option<WallsEntry>,
    /// Balls read from a file.
    pub csv: Option<CsvEntry>,
    /// A wall of bricks.
    pub masonry: Option<MasonryEntry>,
    /// An arch of wedge-shaped blocks.
    pub arch: Option<ArchEntry>,
    /// A column of drums.
    pub column: Option<ColumnEntry>,
}

fn one() -> u64 {
    1
}

impl GeneratorEntry {
    /// Names of all kinds.
    pub const KINDS: [&'static str; 7] = ["lattice", "deposit", "walls", "csv", "masonry", "arch", "column"];

    /// Names of the kinds given in this entry.
    pub fn kinds(&self) -> Vec<&'static str> {
        let given = [
            self.lattice.is_some(),
            self.deposit.is_some(),
            self.walls.is_some(),
            self.csv.is_some(),
            self.masonry.is_some(),
            self.arch.is_some(),
            self.column.is_some(),
        ];
        Self::KINDS.into_iter().zip(given).filter_map(|(name, given)| given.then_some(name)).collect()
    }
}

/// Balls on a rectangular lattice.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatticeEntry {
    /// Number of balls along each axis.
    pub count: Vec<u64>,
    /// Distance between centres, m: one number, or one for each axis.
    pub spacing: Loose<NumberOrArray>,
    /// Lower corner of the lattice, m; the first centre is half a spacing away from it along each axis.
    pub origin: Vec<f64>,
    /// Random displacement of each ball as a share of the free space around it, 0 to 1. It never causes overlaps.
    #[serde(default)]
    pub jitter: f64,
    /// Radius, m, or a distribution of radii: { uniform = [min, max] }, { two = [small, large], share = 0.3 } or { list
    /// = [...] }.
    pub radius: RadiusEntry,
    /// Initial velocity, m/s, one number for each axis.
    pub velocity: Option<Vec<f64>>,
}

/// Dense packing of balls in a box. The last axis is up. Either `count` or `height` is given. A box at least 48 of the
/// largest diameters wide is filled in parallel.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DepositEntry {
    /// Lower corner of the box, m.
    pub min: Vec<f64>,
    /// Upper corner of the box, m.
    pub max: Vec<f64>,
    /// Number of balls.
    pub count: Option<u64>,
    /// Fill the box up to this height above its floor, m.
    pub height: Option<f64>,
    /// Radius, m, or a distribution of radii: { uniform = [min, max] }, { two = [small, large], share = 0.3 } or { list
    /// = [...] }.
    pub radius: RadiusEntry,
}

/// Fixed planes on the sides of a box.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallsEntry {
    /// Lower corner of the box, m.
    pub min: Vec<f64>,
    /// Upper corner of the box, m.
    pub max: Vec<f64>,
    /// Sides without a wall: "-x", "+x", "-y", ...
    #[serde(default)]
    pub open: Vec<String>,
}

/// Balls read from a file with a header and the columns x, y, (z,) r in m.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CsvEntry {
    /// Path of the file; a relative path starts at the folder of the scene.
    pub file: PathBuf,
    /// Initial velocity, m/s, one number for each axis.
    pub velocity: Option<Vec<f64>>,
}

/// An arch of equal wedge-shaped blocks between two circles, in the plane of the first and the last axis.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchEntry {
    /// Radius of the inner circle, m.
    pub inner_radius: f64,
    /// Distance between the inner and the outer circle, m. A semicircle needs about 0.11 of the mean radius to stand.
    pub thickness: f64,
    /// Number of wedges.
    pub voussoirs: u64,
    /// Total angle of the wedges, rad: pi, a semicircle, by default. Up to 4.712 for a horseshoe arch.
    #[serde(default = "semicircle")]
    pub angle: f64,
    /// Depth, m, in three dimensions.
    pub depth: Option<f64>,
    /// Centre of the circles, m; in three dimensions at half the depth.
    pub centre: Vec<f64>,
    /// Adds fixed blocks at both ends that support the arch.
    #[serde(default = "yes")]
    pub abutments: bool,
}

fn semicircle() -> f64 {
    PI
}

fn yes() -> bool {
    true
}

/// A column of equal drums: prisms, or rectangles in two dimensions. The last axis is up.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnEntry {
    /// Number of drums.
    pub drums: u64,
    /// Distance of the corners of a drum from the axis, m; in two dimensions half its width.
    pub radius: f64,
    /// Height of one drum, m.
    pub height: f64,
    /// Number of sides of a drum, in three dimensions. By default 16.
    pub sides: Option<u32>,
    /// Centre of the base of the column, m.
    pub origin: Vec<f64>,
    /// A box on top of the last drum: { size = [a, b, c] }.
    pub capital: Option<BoxEntry>,
}

/// A wall of bricks in running bond along the first axis; the last axis is up. Every second course is shifted by half a
/// brick and completed by half bricks, so that both ends are flush.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MasonryEntry {
    /// Edges of a brick, m: [length, height], or [length, depth, height] in three dimensions.
    pub brick: Vec<f64>,
    /// Number of courses.
    pub courses: u64,
    /// Number of bricks in the first course.
    pub bricks: u64,
    /// Lower corner of the wall, m.
    pub origin: Vec<f64>,
    /// Clearance between neighbours in a course and between courses, m.
    #[serde(default)]
    pub joint: f64,
    /// Windows and doors. Bricks inside an opening are omitted, bricks at its edge are cut; pieces smaller than a tenth
    /// of a brick are dropped. Nothing supports the courses above: make the opening one course higher than the window
    /// and add a lintel to that course.
    #[serde(default)]
    pub openings: Vec<OpeningEntry>,
}

/// A window or a door, as seen from the front.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpeningEntry {
    /// Lower corner relative to the origin of the wall, m: [along, up].
    pub min: Vec<f64>,
    /// Upper corner relative to the origin of the wall, m: [along, up].
    pub max: Vec<f64>,
}

/// A radius, or one of the distributions of [`RadiusTable`].
pub type RadiusEntry = Loose<RadiusTable>;

/// Distribution of radii. One of `uniform`, `two` with `share`, or `list` is given.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadiusTable {
    /// Uniform distribution between the smallest and the largest radius, [min, max], m.
    pub uniform: Option<Vec<f64>>,
    /// Two radii, [small, large], m; the share `share` of the balls is large.
    pub two: Option<Vec<f64>>,
    /// Share of large balls by number, 0 to 1.
    pub share: Option<f64>,
    /// Radii, m; each ball gets one of them with equal probability.
    pub list: Option<Vec<f64>>,
}

impl Notation for RadiusTable {
    const EXPECTED: &'static str = "a number, or a table with uniform, or two and share, or list";
    const ARRAY: bool = false;
    const TABLE: bool = true;
}
