//! Columns out of HDF5: fetches all that a file holds.
//!
//! In: the path of a sealed file. Out: its content in the order in which it was written, or the first thing amiss.

use std::path::Path;

use hdf5::types::{FloatSize, IntSize, TypeDescriptor, VarLenUnicode};
use hdf5::{Dataset, File, Group, IndexType, IterationOrder, Location};

use super::seal::check_seal;
use super::{Attribute, Column, Content, Values, access, reason};

pub(super) fn fetch(path: &Path) -> Result<Content, String> {
    check_seal(path)?;
    let file = File::with_options().with_fapl(access).open(path).map_err(|error| reason(&error))?;
    let mut content = Content { groups: Vec::new(), attributes: Vec::new() };
    let names = file.attr_names_by(IndexType::CreationOrder, IterationOrder::Increasing);
    for name in names.map_err(|error| reason(&error))? {
        let value = get_attribute(&file, &name).map_err(|why| format!("attribute {name}: {why}"))?;
        content.attributes.push((name, value));
    }
    for name in members(&file)? {
        let group = file.group(&name).map_err(|error| format!("group {name}: {}", reason(&error)))?;
        let columns = members(&group)?
            .into_iter()
            .map(|own| get_column(&group, &own).map_err(|why| format!("column {name}/{own}: {why}")))
            .collect::<Result<_, _>>()?;
        content.groups.push((name, columns));
    }
    Ok(content)
}

fn members(group: &Group) -> Result<Vec<String>, String> {
    group.member_names_by(IndexType::CreationOrder, IterationOrder::Increasing).map_err(|error| reason(&error))
}

fn get_column(group: &Group, name: &str) -> Result<Column, String> {
    let dataset = group.dataset(name).map_err(|error| reason(&error))?;
    let values = get_values(&dataset)?;
    let width = match dataset.shape()[..] {
        [_] => 1,
        [_, width] => width,
        _ => return Err("neither one nor two dimensions".to_owned()),
    };
    let (unit, about) = (get_text(&dataset, "unit")?, get_text(&dataset, "description")?);
    Ok(Column { name: name.to_owned(), unit: unit.into(), about: about.into(), width, values })
}

fn get_values(dataset: &Dataset) -> Result<Values, String> {
    let kind = dataset.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => dataset.read_raw().map(Values::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => dataset.read_raw().map(Values::Integer),
        TypeDescriptor::Unsigned(IntSize::U4) => dataset.read_raw().map(Values::Small),
        TypeDescriptor::VarLenUnicode => {
            let texts = dataset.read_raw::<VarLenUnicode>().map_err(|error| reason(&error))?;
            return texts.iter().map(fetched).collect::<Result<_, _>>().map(Values::Text);
        }
        other => return Err(format!("values of type {other}, which this program never writes")),
    }
    .map_err(|error| reason(&error))
}

fn get_attribute(place: &Location, name: &str) -> Result<Attribute, String> {
    let attribute = place.attr(name).map_err(|error| reason(&error))?;
    let kind = attribute.dtype().and_then(|kind| kind.to_descriptor());
    match kind.map_err(|error| reason(&error))? {
        TypeDescriptor::Float(FloatSize::U8) => attribute.read_scalar().map(Attribute::Float),
        TypeDescriptor::Unsigned(IntSize::U8) => attribute.read_scalar().map(Attribute::Integer),
        TypeDescriptor::VarLenUnicode => return get_text(place, name).map(Attribute::Text),
        other => return Err(format!("a value of type {other}, which this program never writes")),
    }
    .map_err(|error| reason(&error))
}

fn get_text(place: &Location, name: &str) -> Result<String, String> {
    let text = place.attr(name).and_then(|attribute| attribute.read_scalar::<VarLenUnicode>());
    fetched(&text.map_err(|error| format!("attribute {name}: {}", reason(&error)))?)
}

/// The crate takes a stored text for valid UTF-8 unseen; a damaged one need not be.
fn fetched(text: &VarLenUnicode) -> Result<String, String> {
    String::from_utf8(text.as_bytes().to_vec()).map_err(|_| "a text that is not UTF-8".to_owned())
}
