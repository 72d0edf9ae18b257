//! Comparison of two checkpoints.

use crate::output::columns::{Attribute, ColumnValues, FileContent};

/// A difference between two files.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// An attribute, and its two values.
    Fact(String, [String; 2]),
    /// A group, and its two numbers of rows.
    Rows(String, [usize; 2]),
    /// A value: its row (`body 7`), its column with the group, and the two values.
    Value(String, String, [String; 2]),
    /// An attribute or column that only one of them has.
    Missing(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Difference::Fact(name, [a, b]) => write!(f, "{name}: {a} and {b}"),
            Difference::Rows(name, [a, b]) => write!(f, "{name}: {a} rows and {b}"),
            Difference::Value(row, field, [a, b]) => write!(f, "{row}: {field} is {a} and {b}"),
            Difference::Missing(name) => write!(f, "{name}: present in only one of the files"),
        }
    }
}

/// All attributes and row counts that differ and, for each column, the first value that differs; bits are compared.
pub fn compare(a: &FileContent, b: &FileContent) -> Vec<Difference> {
    let mut found = Vec::new();
    for (name, value) in &a.attributes {
        match b.attribute(name) {
            None => found.push(Difference::Missing(name.clone())),
            Some(other) if !same_fact(value, other) => {
                found.push(Difference::Fact(name.clone(), [told(value), told(other)]));
            }
            Some(_) => {}
        }
    }
    let more = b.attributes.iter().filter(|(name, _)| a.attribute(name).is_none());
    found.extend(more.map(|(name, _)| Difference::Missing(name.clone())));
    for (group, columns) in &a.groups {
        let mut counted = false;
        for column in columns {
            let name = format!("{group}/{}", column.name);
            let Some(other) = b.column(group, &column.name) else {
                found.push(Difference::Missing(name));
                continue;
            };
            if column.rows() != other.rows() && !counted {
                found.push(Difference::Rows(group.clone(), [column.rows(), other.rows()]));
                counted = true;
            }
            let differs = |i: &usize| !same(&column.values, &other.values, *i);
            let shared = column.values.len().min(other.values.len());
            if let Some(i) = (0..shared).find(differs) {
                let row = i / column.width.max(1);
                let values = [show(&column.values, i), show(&other.values, i)];
                found.push(Difference::Value(row_name(a, group, row), name, values));
            }
        }
    }
    let of_a = |group: &str, name: &str| a.column(group, name).is_some();
    for (group, columns) in &b.groups {
        let more = columns.iter().filter(|column| !of_a(group, &column.name));
        found.extend(more.map(|column| Difference::Missing(format!("{group}/{}", column.name))));
    }
    found
}

/// Name of a row.
fn row_name(content: &FileContent, group: &str, row: usize) -> String {
    let id = |name: &str| match content.column(group, name).map(|column| &column.values) {
        Some(ColumnValues::Integer(values)) => values.get(row).copied(),
        _ => None,
    };
    match (id("id"), id("first"), id("second")) {
        (Some(body), ..) => format!("body {body}"),
        (_, Some(a), Some(b)) => format!("contact of bodies {a} and {b}"),
        _ => format!("{group}, row {row}"),
    }
}

fn same(a: &ColumnValues, b: &ColumnValues, i: usize) -> bool {
    match (a, b) {
        (ColumnValues::Float(a), ColumnValues::Float(b)) => a[i].to_bits() == b[i].to_bits(),
        (ColumnValues::Integer(a), ColumnValues::Integer(b)) => a[i] == b[i],
        (ColumnValues::Small(a), ColumnValues::Small(b)) => a[i] == b[i],
        (ColumnValues::Byte(a), ColumnValues::Byte(b)) => a[i] == b[i],
        (ColumnValues::Text(a), ColumnValues::Text(b)) => a[i] == b[i],
        _ => false,
    }
}

fn show(values: &ColumnValues, i: usize) -> String {
    match values {
        ColumnValues::Float(values) => format!("{:?}", values[i]),
        ColumnValues::Integer(values) => values[i].to_string(),
        ColumnValues::Small(values) => values[i].to_string(),
        ColumnValues::Byte(values) => values[i].to_string(),
        ColumnValues::Text(values) => format!("{:?}", values[i]),
    }
}

fn same_fact(a: &Attribute, b: &Attribute) -> bool {
    match (a, b) {
        (Attribute::Float(a), Attribute::Float(b)) => a.to_bits() == b.to_bits(),
        _ => a == b,
    }
}

/// An attribute as one line of text.
fn told(fact: &Attribute) -> String {
    match fact {
        Attribute::Text(text) if text.len() > 60 || text.contains('\n') => {
            format!("a text of {} characters", text.len())
        }
        Attribute::Text(text) => format!("{text:?}"),
        Attribute::Integer(value) => value.to_string(),
        Attribute::Float(value) => format!("{value:?}"),
    }
}
