//! A moment of a run into a file.

use std::path::Path;

use rayon::prelude::*;

use super::FORMAT;
use super::definitions::pack;
use crate::dim::{Dim, Vector};
use crate::domain::{Domain, Spread};
use crate::error::{Error, Result};
use crate::io::columns::{Attribute, Column, Rows, Table, Values, write_together};
use crate::io::summary::Tally;
use crate::model::Model;
use crate::state::{Bodies, FieldSpec, History, Kind, Record, State};

/// A run between two steps.
pub struct Moment<'a, X: Dim> {
    /// What does not change.
    pub model: &'a Model<X>,
    /// The decomposition.
    pub domain: &'a Domain<X>,
    /// The bodies of this process.
    pub bodies: &'a Bodies<X>,
    /// What their contacts remember.
    pub history: &'a History<X>,
    /// Steps made.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// Energy dissipated so far, J.
    pub dissipated: f64,
    /// What the run has counted so far.
    pub tally: &'a Tally,
    /// The scene as run.
    pub scene: &'a str,
}

/// Write it, by all processes together; all succeed or all fail.
pub fn write<X: Dim>(path: &Path, moment: &Moment<X>) -> Result<()> {
    let comm = &**moment.domain.comm();
    let tables = tables(moment).map_err(|reason| Error::system("write", path, reason))?;
    let written = write_together(comm, path, &tables, &attributes(moment));
    written.map_err(|error| Error::system("write", path, error.reason).everywhere(comm.rank()))
}

fn attributes<X: Dim>(moment: &Moment<X>) -> Vec<(&'static str, Attribute)> {
    let tally = moment.tally;
    vec![
        ("program", Attribute::Text(format!("nscdd {}", env!("CARGO_PKG_VERSION")))),
        ("format", Attribute::Integer(FORMAT)),
        ("dimension", Attribute::Integer(X::D as u64)),
        ("step", Attribute::Integer(moment.step)),
        ("time", Attribute::Float(moment.time)),
        ("dissipated_energy", Attribute::Float(moment.dissipated)),
        ("sweeps", Attribute::Integer(tally.sweeps)),
        ("contact_updates", Attribute::Integer(tally.contact_updates)),
        ("unconverged_steps", Attribute::Integer(tally.unconverged_steps)),
        ("worst_residual", Attribute::Float(tally.worst_residual)),
        ("worst_velocity_error", Attribute::Float(tally.worst_velocity_error)),
        ("max_penetration", Attribute::Float(tally.max_penetration)),
        ("painleve_contacts", Attribute::Integer(tally.painleve_contacts)),
        ("ambiguous_contacts", Attribute::Integer(tally.ambiguous_contacts)),
        ("scene_hash", Attribute::Text(hash(moment.scene))),
        ("scene", Attribute::Text(moment.scene.to_owned())),
    ]
}

/// FNV-1a of a text, 64 bits, in hexadecimal.
fn hash(text: &str) -> String {
    let stir = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, stir))
}

fn tables<X: Dim>(moment: &Moment<X>) -> std::result::Result<Vec<Table<'static>>, String> {
    let model = moment.model;
    let spread = moment.domain.spread(moment.bodies, moment.history);
    let bodies = Rows::Spread { start: spread.states_before, total: spread.states_total };
    let contacts = Rows::Spread { start: spread.records_before, total: spread.records_total };
    let cuts = Values::Float(moment.domain.cuts().to_numbers());
    let cuts = Column::new(
        "numbers",
        "",
        "dimension, parts, then axis, place (m) and parts to the left of each plane from the root down, then the colours",
        1,
        cuts,
    );
    let names = Values::Text(model.materials.iter().map(|m| m.name.clone()).collect());
    let densities = Values::Float(model.materials.iter().map(|m| m.density).collect());
    let materials = vec![
        Column::new("name", "", "name in the scene", 1, names),
        Column::new("density", "kg/m3", "mass per volume (per area in two dimensions)", 1, densities),
    ];
    let kinds = Values::Text(model.shapes.iter().map(|s| s.name().into()).collect());
    let counts = Values::Small(model.shapes.iter().map(|s| s.corners().len() as u32).collect());
    let (shape_lengths, shape_bytes) = pack(&model.shapes)?;
    let shapes = vec![
        Column::new("kind", "", "name of the shape", 1, kinds),
        Column::new("corners", "", "how many rows of /shape_corners are its own, in order", 1, counts),
        shape_lengths,
    ];
    let corners = Values::Float(model.shapes.iter().flat_map(|s| s.corners()).flat_map(|v| v.in_space()).collect());
    let corners = vec![Column::new("position", "m", "corner at size one, about the centre of mass", 3, corners)];
    let (motion_lengths, motion_bytes) = pack(&model.motions)?;
    let known = |name, columns| Table { name, columns, rows: Rows::Known };
    Ok(vec![
        Table { name: "bodies", columns: body_columns(&spread), rows: bodies },
        Table { name: "contacts", columns: contact_columns(&spread.records), rows: contacts },
        known("materials", materials),
        known("shapes", shapes),
        known("shape_corners", corners),
        known("shape_definitions", vec![shape_bytes]),
        known("motions", vec![motion_lengths]),
        known("motion_definitions", vec![motion_bytes]),
        known("cuts", vec![cuts]),
    ])
}

fn body_columns<X: Dim>(spread: &Spread<X>) -> Vec<Column> {
    let row_bytes = State::<X>::row_bytes();
    let rows = spread.states.par_chunks(4096).map(|states| {
        let mut rows = Vec::with_capacity(states.len() * row_bytes);
        states.iter().for_each(|s| s.write_row(&mut rows));
        rows
    });
    let rows = rows.collect::<Vec<_>>().concat();
    State::<X>::fields().par_iter().map(|field| column(field, &rows, row_bytes)).collect()
}

fn contact_columns<X: Dim>(records: &[Record<X>]) -> Vec<Column> {
    let ids = |id: fn(&Record<X>) -> u64| Values::Integer(records.iter().map(id).collect());
    let normals = Values::Float(records.iter().map(|r| r.normal).collect());
    let tangents = records.iter().flat_map(|r| (0..X::D).map(|k| r.tangent[k])).collect();
    vec![
        Column::new("first", "", "lower id of the two bodies", 1, ids(|r| r.id.a.0)),
        Column::new("second", "", "higher id of the two bodies", 1, ids(|r| r.id.b.0)),
        Column::new("feature", "", "which features of the two shapes meet", 1, ids(|r| r.id.feature)),
        Column::new("normal_impulse", "N s", "normal impulse of the last step", 1, normals),
        Column::new("tangential_impulse", "N s", "tangential impulse, world axes", X::D, Values::Float(tangents)),
    ]
}

/// Cut one field out of all rows.
fn column(field: &FieldSpec, rows: &[u8], row_bytes: usize) -> Column {
    let size = field.kind.size();
    let elements =
        rows.chunks_exact(row_bytes).flat_map(|row| row[field.offset..][..size * field.width].chunks_exact(size));
    // A chunk of `size` bytes always converts to a number of that size.
    let values = match field.kind {
        Kind::F64 => Values::Float(elements.map(|b| f64::from_le_bytes(array(b))).collect()),
        Kind::U64 => Values::Integer(elements.map(|b| u64::from_le_bytes(array(b))).collect()),
        Kind::U32 => Values::Small(elements.map(|b| u32::from_le_bytes(array(b))).collect()),
    };
    Column::new(field.name, field.unit, field.about, field.width, values)
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    std::array::from_fn(|i| bytes[i])
}
