//! Rows of a table into columns, and back.
//!
//! Blocks of rows are written to memory that stays in the cache, and cut into the columns from there, by all threads.

use std::ops::Range;

use rayon::prelude::*;

use crate::io::columns::{Column, Sealed, Values};
use crate::state::{FieldSpec, Kind, Row};

/// Rows cut at once.
const BLOCK: usize = 1024;

/// The part of a column that a block of rows fills.
enum Piece<'a> {
    Float(&'a mut [f64]),
    Integer(&'a mut [u64]),
    Small(&'a mut [u32]),
}

impl Piece<'_> {
    /// Take the field out of all `rows` of `length` bytes.
    fn cut(&mut self, field: &FieldSpec, rows: &[u8], length: usize) {
        match self {
            Piece::Float(values) => cut(values, field, rows, length, f64::from_le_bytes),
            Piece::Integer(values) => cut(values, field, rows, length, u64::from_le_bytes),
            Piece::Small(values) => cut(values, field, rows, length, u32::from_le_bytes),
        }
    }
}

fn cut<T, const N: usize>(
    values: &mut [T],
    field: &FieldSpec,
    rows: &[u8],
    length: usize,
    number: impl Fn([u8; N]) -> T,
) {
    for (values, row) in values.chunks_exact_mut(field.width).zip(rows.chunks_exact(length)) {
        let bytes = &row[field.offset..][..N * field.width];
        for (value, bytes) in values.iter_mut().zip(bytes.chunks_exact(N)) {
            *value = number(std::array::from_fn(|i| bytes[i]));
        }
    }
}

/// One column for each field of `count` rows.
pub(super) fn columns<'a, R: Row + 'a>(count: usize, row: impl Fn(usize) -> &'a R + Sync) -> Vec<Column> {
    let (fields, length) = (R::fields(), R::row_bytes());
    let mut columns: Vec<Column> = fields
        .iter()
        .map(|field| {
            let values = match field.kind {
                Kind::F64 => Values::Float(vec![0.0; count * field.width]),
                Kind::U64 => Values::Integer(vec![0; count * field.width]),
                Kind::U32 => Values::Small(vec![0; count * field.width]),
            };
            Column::new(field.name, field.unit, field.about, field.width, values)
        })
        .collect();
    let mut blocks: Vec<Vec<Piece>> = Vec::new();
    blocks.resize_with(count.div_ceil(BLOCK), Vec::new);
    for column in &mut columns {
        let pieces: Vec<Piece> = match &mut column.values {
            Values::Float(values) => values.chunks_mut(BLOCK * column.width).map(Piece::Float).collect(),
            Values::Integer(values) => values.chunks_mut(BLOCK * column.width).map(Piece::Integer).collect(),
            Values::Small(values) => values.chunks_mut(BLOCK * column.width).map(Piece::Small).collect(),
            Values::Byte(_) | Values::Text(_) => Vec::new(),
        };
        blocks.iter_mut().zip(pieces).for_each(|(block, piece)| block.push(piece));
    }
    let fill = |rows: &mut Vec<u8>, (k, mut block): (usize, Vec<Piece>)| {
        rows.clear();
        (k * BLOCK..count.min((k + 1) * BLOCK)).for_each(|i| row(i).write_row(rows));
        block.iter_mut().zip(&fields).for_each(|(piece, field)| piece.cut(field, rows, length));
    };
    blocks.into_par_iter().enumerate().for_each_init(Vec::new, fill);
    columns
}

/// Rows of a group, put together from its columns.
pub(super) fn rows<R: Row>(file: &Sealed, group: &str, rows: Range<usize>) -> Result<Vec<R>, String> {
    let length = R::row_bytes();
    let mut bytes = vec![0u8; rows.len() * length];
    for field in R::fields() {
        let column = file.column(group, field.name, Some(rows.clone())).map_err(|error| error.reason)?;
        if column.width != field.width {
            return Err(format!("{group}/{} has {} numbers a row, not {}", field.name, column.width, field.width));
        }
        let mut put = |index: usize, number: &[u8]| {
            let (row, k) = (index / field.width, index % field.width);
            bytes[row * length + field.offset + k * number.len()..][..number.len()].copy_from_slice(number);
        };
        match (column.values, field.kind) {
            (Values::Float(v), Kind::F64) => v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes())),
            (Values::Integer(v), Kind::U64) => v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes())),
            (Values::Small(v), Kind::U32) => v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes())),
            _ => return Err(format!("{group}/{} has values of another type", field.name)),
        }
    }
    Ok(R::read_rows(&bytes).collect())
}
