//! Columns into HDF5: fills a new file.
//!
//! In: groups of columns, attributes. Out: a closed file whose bytes depend on them alone, still without its seal.

use std::path::Path;

use hdf5::file::{AttrCreationOrder, LinkCreationOrder};
use hdf5::types::VarLenUnicode;
use hdf5::{File, Group, H5Type, Location};

use super::seal::HEAD_BYTES;
use super::{Attribute, Column, Values, access, reason};

/// A chunk is what HDF5 checks and moves at once; one of these fits its cache of 1 MiB.
const CHUNK_BYTES: usize = 1 << 20;

pub(super) fn fill(
    path: &Path,
    groups: &[(&str, Vec<Column>)],
    attributes: &[(&str, Attribute)],
) -> Result<(), String> {
    let file = File::with_options()
        .with_fapl(access)
        .with_fcpl(|list| {
            list.userblock(HEAD_BYTES)
                .obj_track_times(false)
                .link_creation_order(LinkCreationOrder::Indexed)
                .attr_creation_order(AttrCreationOrder::Indexed)
        })
        .create(path)
        .map_err(|error| reason(&error))?;
    for (name, value) in attributes {
        let done = match value {
            Attribute::Text(text) => put_text(&file, name, text),
            Attribute::Integer(value) => put_scalar(&file, name, value),
            Attribute::Float(value) => put_scalar(&file, name, value),
        };
        done.map_err(|error| format!("attribute {name}: {}", reason(&error)))?;
    }
    for (name, columns) in groups {
        let group = file
            .create_group_builder()
            .obj_track_times(false)
            .with_gcpl(|list| list.link_creation_order(LinkCreationOrder::Indexed))
            .create(*name)
            .map_err(|error| format!("group {name}: {}", reason(&error)))?;
        for column in columns {
            put_column(&group, column).map_err(|why| format!("column {name}/{}: {why}", column.name))?;
        }
    }
    // A failed flush can be reported; a failed close would leave the handle half open.
    file.flush().and_then(|()| file.close()).map_err(|error| reason(&error))
}

fn put_column(group: &Group, column: &Column) -> Result<(), String> {
    let shape = column.shape()?;
    match &column.values {
        Values::Float(values) => put_values(group, column, &shape, values),
        Values::Integer(values) => put_values(group, column, &shape, values),
        Values::Small(values) => put_values(group, column, &shape, values),
        Values::Text(texts) => texts
            .iter()
            .map(|text| stored(text))
            .collect::<hdf5::Result<Vec<_>>>()
            .and_then(|texts| put_values(group, column, &shape, &texts)),
    }
    .map_err(|error| reason(&error))
}

fn put_values<T: H5Type>(group: &Group, column: &Column, shape: &[usize], values: &[T]) -> hdf5::Result<()> {
    let mut builder = group.new_dataset::<T>();
    let is_text = matches!(column.values, Values::Text(_));
    if !values.is_empty() && !is_text {
        // As many chunks as the size asks for, all about equally full: the file pays for whole ones.
        let chunks = size_of_val(values).div_ceil(CHUNK_BYTES);
        let mut chunk = shape.to_vec();
        chunk[0] = shape[0].div_ceil(chunks);
        builder = builder.chunk(chunk).fletcher32();
    }
    let dataset = builder.shape(shape).create(column.name.as_str())?;
    dataset.write_raw(values)?;
    // A chunk still in the cache would be written when the handle is dropped, and the word that the
    // disk is full be lost.
    dataset.flush()?;
    put_text(&dataset, "unit", &column.unit)?;
    put_text(&dataset, "description", &column.about)
}

fn put_scalar<T: H5Type>(place: &Location, name: &str, value: &T) -> hdf5::Result<()> {
    place.new_attr::<T>().create(name)?.write_scalar(value)
}

fn put_text(place: &Location, name: &str, text: &str) -> hdf5::Result<()> {
    put_scalar(place, name, &stored(text)?)
}

fn stored(text: &str) -> hdf5::Result<VarLenUnicode> {
    text.parse().map_err(|error| hdf5::Error::Internal(format!("{text:?}: {error}")))
}
