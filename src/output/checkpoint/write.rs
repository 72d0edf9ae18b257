//! Writing of checkpoints.

use std::path::Path;

use super::FORMAT;
use super::definitions::pack;
use super::rows::table;
use crate::base::error::{Error, Result};
use crate::body::{Bodies, NodeRow};
use crate::dim::{Dim, Vector};
use crate::domain::Domain;
use crate::interaction::ContactHistory;
use crate::model::Model;
use crate::output::columns::{Attribute, Column, ColumnTable, ColumnValues, RowOwners, write_together};
use crate::output::rows::IdIndex;
use crate::output::summary::RunCounts;
use crate::population::PopulationCounters;
use crate::simulation::warnings::Warnings;
use crate::solver::EnergyBalance;

/// Content of a checkpoint: a run between two steps.
pub struct CheckpointContent<'a, X: Dim> {
    /// The model, constant during the run.
    pub model: &'a Model<X>,
    /// The domain decomposition.
    pub domain: &'a Domain<X>,
    /// The bodies of this process.
    pub bodies: &'a Bodies<X>,
    /// Their contact history.
    pub history: &'a ContactHistory<X>,
    /// Steps made.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// The energy balance.
    pub energy: &'a EnergyBalance,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub mean_impulse: f64,
    /// Counters of feeds, sinks, removals and stop conditions.
    pub counters: &'a PopulationCounters,
    /// Counts of the run so far.
    pub counts: &'a RunCounts,
    /// Warnings of the run so far.
    pub warnings: &'a Warnings,
    /// Text of the scene as run.
    pub scene: &'a str,
}

/// Collective. Writes the checkpoint by all processes together; all succeed or all fail.
pub fn write<X: Dim>(path: &Path, moment: &CheckpointContent<X>) -> Result<()> {
    let comm = &**moment.domain.comm();
    let id_index = moment.domain.id_index(moment.bodies);
    let nodes = moment.bodies.node_rows();
    let tables = tables(moment, &id_index, &nodes).map_err(|reason| Error::system("write", path, reason))?;
    let written = write_together(comm, path, tables, &attributes(moment));
    written.map_err(|error| Error::system("write", path, error.reason).everywhere(comm.is_root()))
}

fn attributes<X: Dim>(moment: &CheckpointContent<X>) -> Vec<(&'static str, Attribute)> {
    let counts = moment.counts;
    let energies = EnergyBalance::NAMES.into_iter().zip(moment.energy.values().map(Attribute::Float));
    let facts = [
        ("program", Attribute::Text(format!("nscdd {}", env!("CARGO_PKG_VERSION")))),
        ("format", Attribute::Integer(FORMAT)),
        ("dimension", Attribute::Integer(X::D as u64)),
        ("step", Attribute::Integer(moment.step)),
        ("time", Attribute::Float(moment.time)),
        ("mean_impulse", Attribute::Float(moment.mean_impulse)),
        ("next_id", Attribute::Integer(moment.counters.next_id)),
        ("spheres", Attribute::Integer(moment.counters.spheres)),
        ("smallest", Attribute::Float(moment.counters.smallest)),
        ("left_the_world", Attribute::Integer(moment.counters.left)),
        ("sweeps", Attribute::Integer(counts.sweeps)),
        ("contact_updates", Attribute::Integer(counts.contact_updates)),
        ("unconverged_steps", Attribute::Integer(counts.unconverged_steps)),
        ("worst_residual", Attribute::Float(counts.worst_residual)),
        ("worst_velocity_error", Attribute::Float(counts.worst_velocity_error)),
        ("max_penetration", Attribute::Float(counts.max_penetration)),
        ("painleve_contacts", Attribute::Integer(counts.painleve_contacts)),
        ("ambiguous_contacts", Attribute::Integer(counts.ambiguous_contacts)),
        ("scene_hash", Attribute::Text(hash(moment.scene))),
        ("scene", Attribute::Text(moment.scene.to_owned())),
    ];
    facts.into_iter().chain(energies).collect()
}

/// 64-bit FNV-1a hash of a text, in hexadecimal.
fn hash(text: &str) -> String {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, mix))
}

fn tables<'a, X: Dim>(
    moment: &CheckpointContent<'a, X>,
    id_index: &'a IdIndex,
    nodes: &'a [NodeRow<X>],
) -> std::result::Result<Vec<ColumnTable<'a>>, String> {
    let CheckpointContent { model, domain, bodies, history, .. } = *moment;
    let (rows, records) = (domain.body_rows(moment.bodies, id_index), domain.count_records(moment.bodies, history));
    let (shape_lengths, shape_bytes) = pack(&model.shapes)?;
    let (motion_lengths, motion_bytes) = pack(&model.motions)?;
    let PopulationCounters { born, swallowed, removed, held, starts, .. } = moment.counters;
    let count = |name, about, counts: &Vec<u64>| Column::new(name, "", about, 1, ColumnValues::Integer(counts.clone()));
    let begin = Column::new("start", "m", "where its body was at the start", 1, ColumnValues::Float(starts.clone()));
    let (link_lengths, link_bytes) = pack(model.links.all())?;
    let known = |name, columns| ColumnTable { name, columns, rows: RowOwners::Known };
    let mut tables = vec![
        table("bodies", rows.total, || rows),
        table("contacts", records, move || domain.record_rows(history, id_index)),
        known("materials", material_columns(model)),
        known("shapes", shape_columns(model, shape_lengths)),
        known("shape_corners", vec![corner_column(model)]),
        known("shape_definitions", vec![shape_bytes]),
        known("motions", vec![motion_lengths]),
        known("motion_definitions", vec![motion_bytes]),
        known("links", vec![link_lengths]),
        known("link_definitions", vec![link_bytes]),
        known("cuts", vec![cut_column(domain)]),
        known("feeds", vec![count("born", "bodies born of it so far", born)]),
        known("sinks", vec![count("swallowed", "bodies gone into it so far", swallowed)]),
        known("removals", vec![count("done", "1 once the body is gone", removed)]),
        known("stops", vec![count("held", "steps on end for which it has held", held), begin]),
        known("warnings", super::warnings::columns(moment.warnings)?),
    ];
    let nodes_of_all = domain.sum_over_indexed(bodies, |body, _| [bodies.nodes().of(body).len() as f64])[0] as usize;
    if nodes_of_all > 0 {
        tables.push(table("nodes", nodes_of_all, move || domain.node_rows(bodies, nodes, id_index)));
    }
    Ok(tables)
}

fn material_columns<X: Dim>(model: &Model<X>) -> Vec<Column> {
    let names = ColumnValues::Text(model.materials.iter().map(|m| m.name.clone()).collect());
    let densities = ColumnValues::Float(model.materials.iter().map(|m| m.density).collect());
    vec![
        Column::new("name", "", "name in the scene", 1, names),
        Column::new("density", "kg/m3", "mass per volume (per area in two dimensions)", 1, densities),
    ]
}

fn shape_columns<X: Dim>(model: &Model<X>, lengths: Column) -> Vec<Column> {
    let kinds = ColumnValues::Text(model.shapes.iter().map(|s| s.name().into()).collect());
    let counts = ColumnValues::Small(model.shapes.iter().map(|s| s.corners().len() as u32).collect());
    vec![
        Column::new("kind", "", "name of the shape", 1, kinds),
        Column::new("corners", "", "how many rows of /shape_corners are its own, in order", 1, counts),
        lengths,
    ]
}

fn corner_column<X: Dim>(model: &Model<X>) -> Column {
    let corners =
        ColumnValues::Float(model.shapes.iter().flat_map(|s| s.corners()).flat_map(|v| v.in_space()).collect());
    Column::new("position", "m", "corner at size one, about the centre of mass", 3, corners)
}

fn cut_column<X: Dim>(domain: &Domain<X>) -> Column {
    let about = "dimension, parts, then axis, place (m) and parts to the left of each plane from the root down, then the colours";
    Column::new("numbers", "", about, 1, ColumnValues::Float(domain.cuts().to_numbers()))
}
