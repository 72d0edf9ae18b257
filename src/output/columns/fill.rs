//! Layout of a column file by process 0: all datasets, and the values that every process has.
//!
//! In: tables and attributes. Out: a closed file with space for the rows of all processes, still without checksum.
//! Since one process lays out everything, the file does not depend on the number of processes.

use std::path::Path;

use hdf5::dataset::{AllocTime, FillTime};
use hdf5::file::{AttrCreationOrder, LinkCreationOrder};
use hdf5::types::VarLenUnicode;
use hdf5::{Dataset, File, Group, H5Type, Location};

use super::checksum::HEAD_BYTES;
use super::table::{Attribute, Column, ColumnTable, ColumnValues, RowOwners, access, reason};
use crate::output::hyperslab::{self, Hyperslab, Transfer};

/// On process 0: creates the file with all its datasets.
pub(crate) fn lay_out(path: &Path, tables: &[ColumnTable], attributes: &[(&str, Attribute)]) -> Result<(), String> {
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
    for ColumnTable { name, columns, rows, .. } in tables {
        let group = file
            .create_group_builder()
            .obj_track_times(false)
            .with_gcpl(|list| list.link_creation_order(LinkCreationOrder::Indexed))
            .create(*name)
            .map_err(|error| format!("group {name}: {}", reason(&error)))?;
        for column in columns {
            create_column(&group, column, rows).map_err(|why| format!("column {name}/{}: {why}", column.name))?;
        }
    }
    // A failed flush can be reported; a failed close would leave the handle half open.
    file.flush().and_then(|()| file.close()).map_err(|error| reason(&error))?;
    allocate(path).map_err(|error| error.to_string())
}

/// Allocates the whole file on disk, so that a full disk is noticed before several processes write.
fn allocate(path: &Path) -> std::io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    let file = std::fs::OpenOptions::new().write(true).open(path)?;
    match fallocate(&file, FallocateFlags::empty(), 0, file.metadata()?.len()) {
        // Some cluster file systems do not support this; there a full disk is noticed later.
        Err(rustix::io::Errno::OPNOTSUPP) => Ok(()),
        done => Ok(done?),
    }
}

fn create_column(group: &Group, column: &Column, rows: &RowOwners) -> Result<(), String> {
    let total = rows.total().unwrap_or(column.rows());
    let shape = column.shape(total)?;
    let dataset = match &column.values {
        ColumnValues::Float(_) => empty::<f64>(group, column, &shape),
        ColumnValues::Integer(_) => empty::<u64>(group, column, &shape),
        ColumnValues::Small(_) => empty::<u32>(group, column, &shape),
        ColumnValues::Byte(_) => empty::<u8>(group, column, &shape),
        ColumnValues::Text(_) => empty::<VarLenUnicode>(group, column, &shape),
    };
    let dataset = dataset.map_err(|error| reason(&error))?;
    if matches!(rows, RowOwners::Known) {
        put_rows(&dataset, column, 0, &Transfer::Alone)?;
    }
    let described =
        put_text(&dataset, "unit", &column.unit).and_then(|()| put_text(&dataset, "description", &column.about));
    described.map_err(|error| reason(&error))
}

/// Creates an empty dataset. Its space is allocated at once, so that its position does not depend on the order of
/// writes.
fn empty<T: H5Type>(group: &Group, column: &Column, shape: &[usize]) -> hdf5::Result<Dataset> {
    // HDF5 requires a fill value for texts.
    let fill = if matches!(column.values, ColumnValues::Text(_)) { FillTime::Alloc } else { FillTime::Never };
    let builder = group.new_dataset::<T>().alloc_time(Some(AllocTime::Early)).fill_time(fill);
    builder.obj_track_times(false).shape(shape).create(column.name.as_str())
}

pub(crate) fn put_rows(dataset: &Dataset, column: &Column, start: usize, transfer: &Transfer) -> Result<(), String> {
    let slab = Hyperslab { start, count: column.rows(), width: column.width };
    match &column.values {
        ColumnValues::Float(values) => hyperslab::put(dataset, slab, values, transfer),
        ColumnValues::Integer(values) => hyperslab::put(dataset, slab, values, transfer),
        ColumnValues::Small(values) => hyperslab::put(dataset, slab, values, transfer),
        ColumnValues::Byte(values) => hyperslab::put(dataset, slab, values, transfer),
        ColumnValues::Text(texts) => {
            let texts: hdf5::Result<Vec<_>> = texts.iter().map(|text| hdf5_text(text)).collect();
            hyperslab::put(dataset, slab, &texts.map_err(|error| reason(&error))?, transfer)
        }
    }
}

fn put_scalar<T: H5Type>(location: &Location, name: &str, value: &T) -> hdf5::Result<()> {
    location.new_attr::<T>().create(name)?.write_scalar(value)
}

fn put_text(location: &Location, name: &str, text: &str) -> hdf5::Result<()> {
    put_scalar(location, name, &hdf5_text(text)?)
}

fn hdf5_text(text: &str) -> hdf5::Result<VarLenUnicode> {
    text.parse().map_err(|error| hdf5::Error::Internal(format!("{text:?}: {error}")))
}
