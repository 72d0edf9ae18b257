//! Sections of Gmsh files about groups: their names, and the geometric entities (format 4.1) that belong to them.

use std::collections::{BTreeMap, HashMap};

use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;
use super::source::{NumberType, Source, shortened};

pub(super) const INTEGER: NumberType = NumberType::Signed(4);
pub(super) const SIZE: NumberType = NumberType::Unsigned(8);
pub(super) const REAL: NumberType = NumberType::Float(8);

/// Largest number of groups that an entity belongs to.
const MOST_GROUPS: usize = 64;

/// Numbers of the groups of each geometric entity, by its dimension and number.
pub(super) type Entities = HashMap<(i64, i64), Vec<i64>>;

/// Reads lines `dimension number "name"`; they are text in binary files too.
pub(super) fn read_names(
    source: &mut Source<'_>,
    names: &mut BTreeMap<(usize, i64), String>,
) -> Result<(), ReadTrouble> {
    let count = source.count(INTEGER, 1)?;
    source.rest_of_line();
    for _ in 0..count {
        let line = source.rest_of_line();
        let mut words = line.splitn(3, char::is_whitespace);
        let dimension = words.next().and_then(|word| word.parse().ok());
        let number = words.next().and_then(|word| word.parse().ok());
        let name = words.next().map(|name| name.trim().trim_matches('"').to_string());
        match (dimension, number, name) {
            (Some(dimension @ 0..=3), Some(number), Some(name)) if !name.is_empty() => {
                names.insert((dimension, number), name);
            }
            _ => {
                let what = format!("'{}' is not a dimension, a number and a name", shortened(&line));
                return Err(source.trouble(what, EXPORT_AGAIN));
            }
        }
    }
    Ok(())
}

/// Reads the groups of points, curves, surfaces and volumes.
pub(super) fn read_entities(source: &mut Source<'_>) -> Result<Entities, ReadTrouble> {
    let mut entities = Entities::new();
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.count(SIZE, 20)?;
    }
    for (dimension, count) in (0..).zip(counts) {
        // A point has a position, all others have a bounding box and a boundary.
        let coordinates = if dimension == 0 { 3 } else { 6 };
        for _ in 0..count {
            let number = source.integer(INTEGER)?;
            source.numbers(coordinates, REAL)?;
            let groups = read_list(source)?;
            if groups.len() > MOST_GROUPS {
                let what = format!("an entity belongs to {} groups, more than {MOST_GROUPS}", groups.len());
                return Err(source.trouble(what, "use fewer physical groups"));
            }
            if dimension > 0 {
                read_list(source)?;
            }
            // The sign tells the orientation of the entity in the group.
            entities.insert((dimension, number), groups.iter().map(|group| group.saturating_abs()).collect());
        }
    }
    Ok(entities)
}

/// Reads a count and as many integers.
fn read_list(source: &mut Source<'_>) -> Result<Vec<i64>, ReadTrouble> {
    let count = source.count(SIZE, 4)?;
    (0..count).map(|_| source.integer(INTEGER)).collect()
}
