//! A snapshot as an HDF5 file: contacts, grains and the results of the measures, in the order of ids, written
//! collectively by all processes.

use std::path::Path;

use super::contacts::slides;
use super::quantity::Quantity;
use super::rattlers::{Backbone, BackboneGrain};
use crate::base::error::{Error, Result};
use crate::body::State;
use crate::comm::{Comm, Exchange};
use crate::dim::{Dim, Vector};
use crate::output::columns::{Attribute, Column, ColumnTable, ColumnValues, RowOwners, write_together};
use crate::output::rows::{IdRanges, before};
use crate::simulation::{ActiveContact, Snapshot};

/// Result of a measure.
pub struct MeasureRows {
    /// Name of the measure.
    pub name: String,
    /// Its columns.
    pub quantities: Vec<Quantity>,
    /// Its rows.
    pub rows: Vec<Vec<f64>>,
}

/// Collective. Writes the snapshot and the results to `path`; succeeds on all processes or fails on all.
pub fn write<X: Dim>(path: &Path, snapshot: &Snapshot<X>, results: &[MeasureRows]) -> Result<()> {
    let names: Vec<String> = results.iter().map(|result| format!("measure_{}", result.name)).collect();
    let comm = snapshot.comm();
    let id_ranges = snapshot.domain.shares(snapshot.all);
    let contacts = redistributed_contacts(snapshot.comm(), &snapshot.active_contacts, &id_ranges);
    let backbone = Backbone::new(snapshot, |id| id_ranges.host(id), |_| true);
    let grains = redistributed_grains(snapshot, |id| id_ranges.host(id));
    let [(contacts_before, contacts_total), (grains_before, grains_total)] =
        before(comm, [contacts.len() as u64, grains.len() as u64]);
    let mut tables = vec![
        ColumnTable {
            name: "contacts",
            columns: contact_columns(snapshot, &contacts),
            rows: RowOwners::Spread { start: contacts_before, total: contacts_total },
        },
        ColumnTable {
            name: "grains",
            columns: grain_columns(snapshot, &grains, &backbone.grains),
            rows: RowOwners::Spread { start: grains_before, total: grains_total },
        },
    ];
    let columns_of = |result: &'_ MeasureRows| {
        let column = |(k, quantity): (usize, &Quantity)| Column {
            name: quantity.name.clone(),
            unit: quantity.unit.into(),
            about: format!("{} of the measure {}", quantity.name.replace('_', " "), result.name).into(),
            width: 1,
            values: ColumnValues::Float(result.rows.iter().map(|row| row[k]).collect()),
        };
        result.quantities.iter().enumerate().map(column).collect::<Vec<_>>()
    };
    for (result, name) in results.iter().zip(&names) {
        tables.push(ColumnTable { name, columns: columns_of(result), rows: RowOwners::Known });
    }
    let written = write_together(comm, path, tables, &attributes(snapshot));
    written.map_err(|error| Error::system("write", path, error.reason).everywhere(comm.is_root()))
}

fn attributes<X: Dim>(snapshot: &Snapshot<X>) -> Vec<(&'static str, Attribute)> {
    vec![
        ("program", Attribute::Text(format!("nscdd {}", env!("CARGO_PKG_VERSION")))),
        ("dimension", Attribute::Integer(X::D as u64)),
        ("step", Attribute::Integer(snapshot.now.step)),
        ("time", Attribute::Float(snapshot.now.time)),
        ("step_length", Attribute::Float(snapshot.now.h)),
    ]
}

fn vectors<V: Vector>(all: impl Iterator<Item = V>) -> ColumnValues {
    ColumnValues::Float(all.flat_map(|v| v.as_slice().to_vec()).collect())
}

fn flags(all: impl Iterator<Item = bool>) -> ColumnValues {
    ColumnValues::Small(all.map(u32::from).collect())
}

fn contact_columns<X: Dim>(snapshot: &Snapshot<X>, contacts: &[ActiveContact<X>]) -> Vec<Column> {
    let ids = |side: usize| ColumnValues::Integer(contacts.iter().map(|contact| contact.bodies[side].0).collect());
    let grains = |side: usize| flags(contacts.iter().map(|contact| contact.is_grain[side]));
    let features = ColumnValues::Integer(contacts.iter().map(|contact| contact.feature).collect());
    vec![
        Column::new("first", "", "the lower id", 1, ids(0)),
        Column::new("second", "", "the higher id", 1, ids(1)),
        Column::new("feature", "", "which features of the shapes meet", 1, features),
        Column::new("first_is_grain", "", "1 if the first body is a grain, 0 if it is a wall", 1, grains(0)),
        Column::new("second_is_grain", "", "the same of the second", 1, grains(1)),
        Column::new(
            "is_link",
            "",
            "1 if it is no contact but a link",
            1,
            flags(contacts.iter().map(ActiveContact::is_link)),
        ),
        Column::new("point", "m", "where they touch", X::D, vectors(contacts.iter().map(|contact| contact.point))),
        Column::new(
            "normal",
            "",
            "from the first to the second",
            X::D,
            vectors(contacts.iter().map(|contact| contact.normal)),
        ),
        Column::new(
            "branch",
            "m",
            "from the centre of the first to that of the second; of a wall, the point of contact",
            X::D,
            vectors(contacts.iter().map(ActiveContact::branch)),
        ),
        Column::new(
            "force",
            "N",
            "on the second body",
            X::D,
            vectors(contacts.iter().map(|contact| snapshot.force(contact))),
        ),
        Column::new("slides", "", "1 if friction bears all it can", 1, flags(contacts.iter().map(slides))),
    ]
}

fn grain_columns<X: Dim>(snapshot: &Snapshot<X>, states: &[State<X>], grains: &[BackboneGrain]) -> Vec<Column> {
    let model = snapshot.model;
    let ids = ColumnValues::Integer(states.iter().map(|state| state.id.0).collect());
    let numbers = |of: &dyn Fn(&State<X>) -> f64| ColumnValues::Float(states.iter().map(of).collect());
    let counts = |of: fn(&BackboneGrain) -> u32| ColumnValues::Small(grains.iter().map(of).collect());
    vec![
        Column::new("id", "", "number of the body", 1, ids),
        Column::new("position", "m", "centre of mass", X::D, vectors(states.iter().map(|state| state.position))),
        Column::new("velocity", "m/s", "of the centre", X::D, vectors(states.iter().map(|state| state.velocity))),
        Column::new("mass", "kg", "mass", 1, numbers(&|state| state.mass)),
        Column::new("volume", X::VOLUME_UNIT, "mass over density", 1, numbers(&|state| model.volume(state))),
        Column::new("contacts", "", "contacts that carry an impulse", 1, counts(|grain| grain.contacts)),
        Column::new("contacts_kept", "", "those left without rattlers", 1, counts(|grain| grain.kept)),
        Column::new("is_rattler", "", "1 if it has fewer than two", 1, counts(|grain| u32::from(!grain.is_kept))),
    ]
}

/// Collective. Redistributes the grains, wrapped into the periodic cell, to the processes given by `host`, sorted by
/// id.
fn redistributed_grains<X: Dim>(snapshot: &Snapshot<X>, host: impl Fn(crate::body::BodyId) -> usize) -> Vec<State<X>> {
    let comm = snapshot.comm();
    let mut out = Exchange::default();
    for grain in &snapshot.grains {
        out.to(host(grain.id)).write(&snapshot.model.at_home(grain, snapshot.now.time));
    }
    let mut states: Vec<State<X>> = out.swap_items(comm);
    states.sort_unstable_by_key(|state| state.id);
    states
}

/// Collective. Sends every contact to the process whose id range contains its first body; sorted by ids.
fn redistributed_contacts<X: Dim>(
    comm: &dyn Comm,
    active_contacts: &[ActiveContact<X>],
    id_ranges: &IdRanges,
) -> Vec<ActiveContact<X>> {
    let mut out = Exchange::default();
    active_contacts.iter().for_each(|contact| out.to(id_ranges.host(contact.bodies[0])).write(contact));
    let mut all: Vec<ActiveContact<X>> = out.swap_items(comm);
    all.sort_unstable_by(ActiveContact::compare);
    all
}
