//! The scene: the complete input of a run, read from one TOML file.
//!
//! [`Scene::load`] reads a file, applies the changes of `--set`, and rejects invalid input;
//! [`setup`](crate::scene::setup::setup) creates the bodies from it. Every mistake is an error that shows the line,
//! states what was expected and found, and suggests a fix.

mod group_meshes;
mod halt;
pub(crate) mod linking;
pub mod restore;
pub(crate) mod scene_bodies;
pub mod setup;
pub mod starting;
pub(crate) mod substitution;

mod arch;
mod block;
mod boundaries;
mod cell;
mod changes;
mod check;
mod column;
mod csv_table;
mod elastic;
mod entry;
mod error;
mod explain;
mod generating;
mod laws;
mod laying;
mod link;
mod load;
mod masonry;
mod measure;
mod membrane;
mod meshing;
mod motion;
mod node_control;
mod order;
mod path;
mod placing;
pub(crate) mod population;
mod reference;
mod restored;
mod schema;
mod set;
mod simulation;
mod solid;
mod source;
mod stop;
mod syntax;
mod values;
mod vectors;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::law::LawEntry;
use source::SceneSource;

pub use changes::{Changes, changes};
pub use entry::{
    ArchEntry, AxisAngle, BallEntry, BallJointEntry, BodiesStop, BodyEntry, BoxBounds, BoxEntry, CapsuleEntry,
    CellEntry, CheckpointEntry, ColumnEntry, ContactsMeasure, CsvEntry, CutMeasure, CylinderEntry, Degrees,
    DepositEntry, DisplacementStop, Driven, DrumEntry, ElasticEntry, ElementChoice, EnergyMeasure, EnergyStop,
    FeedEntry, ForcesMeasure, Frames, GeneratorEntry, GrainEntry, HingeEntry, LatticeEntry, LinkEntry, Loose,
    MasonryEntry, MaterialEntry, MeasureEntry, MembraneEntry, MeshEntry, NodesMeasure, Notation, NumberOrArray,
    OpeningEntry, OutputEntry, Outside, PartEntry, PlaneChoice, PlaneEntry, PolygonEntry, PolyhedronEntry,
    ProfileMeasure, RadiusEntry, RadiusTable, RampEntry, ReactionMeasure, RemovalEntry, RodEntry, SegmentEntry,
    ShearEntry, SignalEntry, SignalTable, SinkEntry, SinusoidEntry, SpringEntry, StopEntry, StrainStop, StressMeasure,
    TiltEntry, Time, TrackMeasure, WallsEntry, WhenEntry, Which, WireEntry, World,
};
pub use error::{Checked, SceneError, SceneProblem};
pub use path::KeyPath;
pub use schema::{reference, schema};

pub(crate) use cell::check_fit;
pub(crate) use entry::SolidEntry;
pub(crate) use generating::{Generated, radii};
pub(crate) use laws::{MaterialUse, law_table};
pub(crate) use order::{motion_order, shape_order};
pub(crate) use placing::SceneBody;
pub(crate) use stop::axis_number;
pub(crate) use values::between;
pub(crate) use vectors::{direction, vector};
pub(crate) use words::short;

/// A scene of nscdd: rigid and deformable bodies in contact. SI units throughout.
// One field for each key of the file; the methods are checks and readers of one key each, by file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Dimension, gravity and bounds.
    pub world: World,
    /// Time step, end of the run and time scheme.
    pub time: Time,
    /// Periodic cell.
    pub cell: Option<CellEntry>,
    /// Decomposition into subdomains and treatment of the interface.
    #[serde(default)]
    pub domain: crate::domain::DomainSettings,
    /// Solver of the contact problem.
    #[serde(default)]
    pub solver: crate::solver::SolverSettings,
    /// Contact detection.
    #[serde(default)]
    pub detection: crate::interaction::DetectionSettings,
    /// Materials by name.
    #[serde(default)]
    pub materials: BTreeMap<String, MaterialEntry>,
    /// Interaction laws between materials.
    #[serde(default)]
    pub laws: Vec<LawEntry>,
    /// Single bodies.
    #[serde(default)]
    pub bodies: Vec<BodyEntry>,
    /// Generators of many bodies.
    #[serde(default)]
    pub generators: Vec<GeneratorEntry>,
    /// Wires, rods, springs and joints between bodies.
    #[serde(default)]
    pub links: Vec<LinkEntry>,
    /// Sources that add bodies during the run.
    #[serde(default)]
    pub feeds: Vec<FeedEntry>,
    /// Boxes that remove bodies.
    #[serde(default)]
    pub sinks: Vec<SinkEntry>,
    /// Removal of single bodies, for example gates.
    #[serde(default)]
    pub removals: Vec<RemovalEntry>,
    /// Flexible boundaries under pressure.
    #[serde(default)]
    pub membranes: Vec<MembraneEntry>,
    /// Conditions that end the run early.
    #[serde(default)]
    pub stop: Vec<StopEntry>,
    /// Measures during the run.
    #[serde(default)]
    pub measure: Vec<MeasureEntry>,
    /// Output files and their schedule.
    #[serde(default)]
    pub output: OutputEntry,
    #[serde(skip)]
    source: SceneSource,
}
