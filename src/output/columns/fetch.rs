//! Reading of column files: the whole content, or some rows.
//!
//! In: the path of a file with a checksum. Out: its content in the order in which it was written, or the first error.

use std::ops::Range;
use std::path::{Path, PathBuf};

use hdf5::types::{FloatSize, IntSize, TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, File, Group, IndexType, IterationOrder, Location};

use super::checksum::verify_checksum;
use super::table::{Attribute, Column, ColumnValues, ColumnsError, FileContent, access, reason};
use crate::comm::Comm;
use crate::output::hyperslab::{self, Hyperslab};

/// A file with a valid checksum, open for reading.
pub struct VerifiedFile {
    path: PathBuf,
    file: File,
}

impl VerifiedFile {
    /// Collective. Opens a file after all processes of `comm` have verified it together; all succeed or all fail.
    pub fn open(comm: &dyn Comm, path: &Path) -> Result<Self, ColumnsError> {
        let opened = verify_checksum(comm, path).and_then(|()| {
            let file = File::with_options().with_fapl(access).open(path).map_err(|error| reason(&error));
            crate::comm::all_agree(comm, file)
        });
        let file = opened.map_err(|reason| ColumnsError { action: "read", path: path.to_owned(), reason })?;
        Ok(Self { path: path.to_owned(), file })
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole content.
    pub fn content(&self) -> Result<FileContent, ColumnsError> {
        let fetch = || {
            let mut content = FileContent { groups: Vec::new(), attributes: self.read_attributes()? };
            for name in members(&self.file)? {
                let group = self.file.group(&name).map_err(|error| format!("group {name}: {}", reason(&error)))?;
                let columns = members(&group)?
                    .into_iter()
                    .map(|own| get_column(&group, &own, None).map_err(|why| format!("column {name}/{own}: {why}")))
                    .collect::<Result<_, _>>()?;
                content.groups.push((name, columns));
            }
            Ok(content)
        };
        fetch().map_err(|reason: String| self.fail(reason))
    }

    /// The attributes of the file.
    pub fn attributes(&self) -> Result<Vec<(String, Attribute)>, ColumnsError> {
        self.read_attributes().map_err(|reason| self.fail(reason))
    }

    /// Names of the columns of a group, in order; empty if there is no such group.
    pub fn columns(&self, group: &str) -> Result<Vec<String>, ColumnsError> {
        if !self.file.link_exists(group) {
            return Ok(Vec::new());
        }
        let group = self.file.group(group).map_err(|error| reason(&error));
        group.and_then(|group| members(&group)).map_err(|reason| self.fail(reason))
    }

    /// Names of the groups, in order.
    pub fn groups(&self) -> Result<Vec<String>, ColumnsError> {
        members(&self.file).map_err(|reason| self.fail(reason))
    }

    /// Number of rows of a column.
    pub fn rows(&self, group: &str, name: &str) -> Result<usize, ColumnsError> {
        let dataset = self.file.dataset(&format!("{group}/{name}")).map_err(|error| self.fail(reason(&error)))?;
        Ok(dataset.shape().first().copied().unwrap_or(0))
    }

    /// Rows of a column, or all of them.
    pub fn column(&self, group: &str, name: &str, rows: Option<Range<usize>>) -> Result<Column, ColumnsError> {
        let found = self.file.group(group).map_err(|error| reason(&error));
        let column = found.and_then(|found| get_column(&found, name, rows));
        column.map_err(|why| self.fail(format!("column {group}/{name}: {why}")))
    }

    /// An error about this file.
    pub fn fail(&self, reason: impl Into<String>) -> ColumnsError {
        ColumnsError { action: "read", path: self.path.clone(), reason: reason.into() }
    }

    fn read_attributes(&self) -> Result<Vec<(String, Attribute)>, String> {
        let names = self.file.attr_names_by(IndexType::CreationOrder, IterationOrder::Increasing);
        let attribute = |name: String| {
            let value = get_attribute(&self.file, &name).map_err(|why| format!("attribute {name}: {why}"))?;
            Ok((name, value))
        };
        names.map_err(|error| reason(&error))?.into_iter().map(attribute).collect()
    }
}

fn members(group: &Group) -> Result<Vec<String>, String> {
    group.member_names_by(IndexType::CreationOrder, IterationOrder::Increasing).map_err(|error| reason(&error))
}

fn get_column(group: &Group, name: &str, rows: Option<Range<usize>>) -> Result<Column, String> {
    let dataset = group.dataset(name).map_err(|error| reason(&error))?;
    let (all, width) = match dataset.shape()[..] {
        [all] => (all, 1),
        [all, width] => (all, width),
        _ => return Err("neither one nor two dimensions".to_owned()),
    };
    let rows = rows.unwrap_or(0..all);
    if rows.start > rows.end || rows.end > all {
        return Err(format!("rows {} to {} of {all}", rows.start, rows.end));
    }
    let values = get_values(&dataset, Hyperslab { start: rows.start, count: rows.len(), width })?;
    let (unit, about) = (get_text(&dataset, "unit")?, get_text(&dataset, "description")?);
    Ok(Column { name: name.to_owned(), unit: unit.into(), about: about.into(), width, values })
}

fn get_values(dataset: &Dataset, slab: Hyperslab) -> Result<ColumnValues, String> {
    let kind = dataset.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => hyperslab::get(dataset, slab).map(ColumnValues::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => hyperslab::get(dataset, slab).map(ColumnValues::Integer),
        TypeDescriptor::Unsigned(IntSize::U4) => hyperslab::get(dataset, slab).map(ColumnValues::Small),
        TypeDescriptor::Unsigned(IntSize::U1) => hyperslab::get(dataset, slab).map(ColumnValues::Byte),
        TypeDescriptor::VarLenUnicode => {
            // Texts are few: they are read completely.
            let texts = dataset.read_raw::<VarLenUnicode>().map_err(|error| reason(&error))?;
            let texts = texts.iter().skip(slab.start * slab.width).take(slab.count * slab.width);
            texts.map(utf8).collect::<Result<_, _>>().map(ColumnValues::Text)
        }
        other => Err(format!("values of type {other}, which this program never writes")),
    }
}

fn get_attribute(location: &Location, name: &str) -> Result<Attribute, String> {
    let attribute = location.attr(name).map_err(|error| reason(&error))?;
    let kind = attribute.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => attribute.read_scalar().map(Attribute::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => attribute.read_scalar().map(Attribute::Integer),
        TypeDescriptor::VarLenUnicode => return get_text(location, name).map(Attribute::Text),
        other => return Err(format!("a value of type {other}, which this program never writes")),
    }
    .map_err(|error| reason(&error))
}

fn get_text(location: &Location, name: &str) -> Result<String, String> {
    let text = location.attr(name).and_then(|attribute| attribute.read_scalar::<VarLenUnicode>());
    utf8(&text.map_err(|error| format!("attribute {name}: {}", reason(&error)))?)
}

/// The `hdf5` crate assumes that a stored text is valid UTF-8; a damaged one need not be.
fn utf8(text: &VarLenUnicode) -> Result<String, String> {
    String::from_utf8(text.as_bytes().to_vec()).map_err(|_| "a text that is not UTF-8".to_owned())
}
