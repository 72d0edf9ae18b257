//! Entries of a scene file: the keys that may be written, with their defaults. Other files check and interpret them.

mod body;
mod boundary;
mod cell;
mod driven;
mod generator;
mod link;
mod loose;
mod measure;
mod membrane;
mod mesh;
mod settings;
mod solid;
mod stop;

pub use body::{BodyEntry, DrumEntry, PlaneEntry, SegmentEntry, Which};
pub use boundary::{FeedEntry, RemovalEntry, SinkEntry, WhenEntry};
pub use cell::{CellEntry, ShearEntry};
pub use driven::{Degrees, Driven, RampEntry, SignalEntry, SignalTable, SinusoidEntry};
pub use generator::{
    ArchEntry, ColumnEntry, CsvEntry, DepositEntry, GeneratorEntry, LatticeEntry, MasonryEntry, OpeningEntry,
    RadiusEntry, RadiusTable, WallsEntry,
};
pub use link::{BallJointEntry, HingeEntry, LinkEntry, RodEntry, SpringEntry, WireEntry};
pub use loose::{Loose, Notation, NumberOrArray};
pub use measure::{
    ContactsMeasure, CutMeasure, EnergyMeasure, ForcesMeasure, MeasureEntry, NodesMeasure, ProfileMeasure,
    ReactionMeasure, StressMeasure, TrackMeasure,
};
pub use membrane::MembraneEntry;
pub use mesh::{ElasticEntry, ElementChoice, MeshEntry, PlaneChoice};
pub(crate) use mesh::{NodeBox, NodesEntry, Translations};
pub use settings::{BoxBounds, CheckpointEntry, Frames, MaterialEntry, OutputEntry, Outside, TiltEntry, Time, World};
pub(crate) use solid::SolidEntry;
pub use solid::{
    AxisAngle, BallEntry, BoxEntry, CapsuleEntry, CylinderEntry, GrainEntry, PartEntry, PolygonEntry, PolyhedronEntry,
};
pub use stop::{BodiesStop, DisplacementStop, EnergyStop, StopEntry, StrainStop};
