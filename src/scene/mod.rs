//! The scene: the complete input of a run, read from one TOML file.
//!
//! [`Scene::load`] reads a file, applies the changes of `--set`, and rejects invalid input;
//! [`setup`](crate::scene::setup::setup) creates the bodies from it. Every mistake is an error that shows the line,
//! states what was expected and found, and suggests a fix.

pub(crate) mod crowd;
pub(crate) mod halt;
pub(crate) mod linking;
pub mod restore;
pub mod setup;
pub(crate) mod stand_in;
pub mod starting;

mod arch;
mod block;
mod body;
mod boundary;
mod bounding;
mod cell;
mod changes;
mod check;
mod column;
mod driven;
mod error;
mod explain;
mod generating;
mod generator;
mod laws;
mod laying;
mod link;
mod loose;
mod masonry;
mod measure;
mod membrane;
mod motion;
mod order;
mod path;
mod placing;
pub(crate) mod population;
mod reference;
mod restored;
mod schema;
mod set;
mod settings;
mod sheet;
mod simulation;
mod solid;
mod source;
mod stop;
mod words;

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::base::error::Error;
use crate::contactor::keys;
use crate::law::LawEntry;

pub use arch::ArchEntry;
pub use block::{PolygonEntry, PolyhedronEntry};
pub use body::{AxisAngle, BallEntry, BodyEntry, BoxEntry, DrumEntry, PlaneEntry, SegmentEntry};
pub use boundary::{FeedEntry, RemovalEntry, SinkEntry, WhenEntry};
pub use cell::{CellEntry, ShearEntry};
pub use changes::{Changes, changes};
pub use column::ColumnEntry;
pub use driven::{Degrees, Driven, RampEntry, SignalEntry, SignalTable, SinusoidEntry};
pub use error::{Checked, SceneError, SceneProblem};
pub use generator::{CsvEntry, DepositEntry, GeneratorEntry, LatticeEntry, RadiusEntry, RadiusTable, WallsEntry};
pub use link::{BallJointEntry, HingeEntry, LinkEntry, RodEntry, SpringEntry, WireEntry};
pub use loose::{Loose, NumberOrArray, Ways};
pub use masonry::{MasonryEntry, OpeningEntry};
pub use measure::{
    ContactsMeasure, CutMeasure, EnergyMeasure, ForcesMeasure, MeasureEntry, ProfileMeasure, ReactionMeasure,
    StressMeasure, TrackMeasure,
};
pub use membrane::MembraneEntry;
pub use path::KeyPath;
pub use restored::Which;
pub use schema::{reference, schema};
pub use settings::{BoxBounds, CheckpointEntry, Frames, MaterialEntry, OutputEntry, Outside, TiltEntry, Time, World};
pub use solid::{CapsuleEntry, CylinderEntry, GrainEntry, PartEntry};
pub use stop::{BodiesStop, DisplacementStop, EnergyStop, StopEntry, StrainStop};

pub(crate) use cell::check_fit;
pub(crate) use check::between;
pub(crate) use generating::{Generated, radii};
pub(crate) use laws::{MaterialUse, law_table};
pub(crate) use order::{motion_order, shape_order};
pub(crate) use placing::{SceneBody, direction, vector};
pub(crate) use stop::axis_number;
pub(crate) use words::short;

/// A scene of nscdd: rigid bodies in contact. SI units throughout.
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
    source: source::SceneSource,
}

impl Scene {
    /// Reads a scene from a file, applies `sets` (`key=value` each), and checks it.
    pub fn load(path: &Path, sets: &[String]) -> Result<Self, Error> {
        source::SceneSource::read(path, sets).and_then(Self::read).map_err(input)
    }

    /// As [`load`](Self::load), from a text. Messages call it `name`; files it refers to are sought in `folder`.
    pub fn parse(text: &str, name: &str, folder: &Path, sets: &[String]) -> Result<Self, Error> {
        let source = source::SceneSource::new(name.to_owned(), folder.to_owned(), text.to_owned(), sets);
        source.and_then(Self::read).map_err(input)
    }

    fn read(source: source::SceneSource) -> Result<Self, SceneError> {
        check::finite(source.root()).map_err(|problem| source.error(problem))?;
        match toml::from_str::<Scene>(source.text()) {
            Ok(mut scene) => {
                scene.source = source;
                match scene.problem() {
                    Ok(()) => Ok(scene),
                    Err(problem) => Err(scene.source.error(problem)),
                }
            }
            Err(error) => Err(source.error(explain::explain(&source, &error))),
        }
    }

    /// Checks everything that does not require the bodies. [`load`](Self::load) has done so; call it again after
    /// changing a scene in memory.
    pub fn check(&self) -> Result<(), Error> {
        self.problem().map_err(|problem| self.fail(problem))
    }

    /// The scene as run, with every `--set` applied. Files it refers to are given by their absolute path, so that a
    /// copy elsewhere still finds them.
    pub fn text(&self) -> String {
        let Ok(mut document) = self.source.text().parse::<toml_edit::DocumentMut>() else {
            return self.source.text().to_owned();
        };
        for path in self.files() {
            let (_, found) = path.follow(document.as_item());
            let Some(file) = found.text() else { continue };
            let beside = self.source.beside(Path::new(file));
            let full = std::path::absolute(&beside).unwrap_or(beside);
            let set = set::Set::new(&path, full.display().to_string());
            // The path was just followed to a value, so the replacement cannot fail.
            let _ = set.apply(&mut document);
        }
        document.to_string()
    }

    /// The path of a file that the scene refers to as `file`.
    pub(crate) fn beside(&self, file: &Path) -> std::path::PathBuf {
        self.source.beside(file)
    }

    /// The keys under which the scene refers to other files.
    fn files(&self) -> Vec<KeyPath> {
        let generated = self.generators.iter().enumerate().filter(|(_, g)| g.csv.is_some());
        let mut paths: Vec<KeyPath> =
            generated.map(|(i, _)| KeyPath::from("generators").then(i).then("csv").then("file")).collect();
        for (i, generator) in self.generators.iter().enumerate() {
            let at = KeyPath::from("generators").then(i).then("shape");
            paths.extend(generator.shape.iter().flat_map(|shape| shape.files(&at)));
        }
        for (i, feed) in self.feeds.iter().enumerate() {
            let at = KeyPath::from("feeds").then(i).then("shape");
            paths.extend(feed.shape.iter().flat_map(|shape| shape.files(&at)));
        }
        let tilt = self.world.tilt.as_ref().and_then(|tilt| tilt.angle.as_ref());
        if matches!(tilt, Some(Loose::Table(table)) if table.table.is_some()) {
            paths.push(KeyPath::from("world.tilt.angle.table"));
        }
        for (i, membrane) in self.membranes.iter().enumerate() {
            if matches!(&membrane.pressure, Loose::Table(table) if table.table.is_some()) {
                paths.push(KeyPath::from("membranes").then(i).then("pressure").then("table"));
            }
        }
        for (i, body) in self.bodies.iter().enumerate() {
            if body.from.is_some() {
                paths.push(KeyPath::from("bodies").then(i).then("from"));
            }
            let at = KeyPath::from("bodies").then(i).then(keys::COMPOUND);
            paths.extend(body.compound.iter().flatten().enumerate().flat_map(|(k, part)| part.files(&at.then(k))));
            if body.polyhedron.as_ref().is_some_and(|p| p.file.is_some()) {
                paths.push(KeyPath::from("bodies").then(i).then(keys::POLYHEDRON).then("file"));
            }
            let Some(driven) = &body.driven else { continue };
            for (kind, degrees) in [("velocity", &driven.velocity), ("force", &driven.force)] {
                for (name, signal) in degrees.given() {
                    if matches!(signal, Loose::Table(table) if table.table.is_some()) {
                        let at = KeyPath::from("bodies").then(i).then("driven");
                        paths.push(at.then(kind).then(name).then("table"));
                    }
                }
            }
        }
        paths
    }

    /// Converts a problem into the error of this scene.
    pub fn fail(&self, problem: SceneProblem) -> Error {
        input(self.source.error(problem))
    }
}

fn input(error: SceneError) -> Error {
    Error::Input(Box::new(error))
}
