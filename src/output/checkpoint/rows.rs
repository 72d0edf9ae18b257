//! Conversion of rows into columns, and back.
//!
//! Rows come in chunks; all threads convert blocks of them into columns.

use std::ops::Range;

use rayon::prelude::*;

use crate::body::{FieldKind, FieldSpec, Row};
use crate::output::columns::{Column, ColumnTable, ColumnValues, RowOwners, VerifiedFile};
use crate::output::rows::{RowChunk, RowPartition};

/// Rows that a thread converts at a time, `FEW` of them at once so that they stay in the L1 cache.
const BLOCK: usize = 1024;
const FEW: usize = 64;

/// The part of a column that a block of rows fills.
enum ColumnChunk<'a> {
    Float(&'a mut [f64]),
    Integer(&'a mut [u64]),
    Small(&'a mut [u32]),
}

impl ColumnChunk<'_> {
    /// Copies the values of a field from `rows`, which start at row `first` of the block. `U32` fields have width 1.
    fn cut<W: AsRef<[u64]>>(&mut self, first: usize, rows: &[W], field: &FieldSpec) {
        let (word, half) = (field.offset / 8, 8 * (field.offset % 8));
        match self {
            ColumnChunk::Float(values) => {
                cut(&mut values[first * field.width..], field.width, rows, word, f64::from_bits)
            }
            ColumnChunk::Integer(values) => cut(&mut values[first * field.width..], field.width, rows, word, |own| own),
            ColumnChunk::Small(values) => cut(&mut values[first..], 1, rows, word, |own| (own >> half) as u32),
        }
    }
}

/// Copies `width` numbers of each row, from `word` on.
fn cut<T, W: AsRef<[u64]>>(values: &mut [T], width: usize, rows: &[W], word: usize, number: impl Fn(u64) -> T) {
    // Constant widths avoid an inner loop.
    match width {
        1 => cut_some::<T, W, 1>(values, rows, word, number),
        3 => cut_some::<T, W, 3>(values, rows, word, number),
        4 => cut_some::<T, W, 4>(values, rows, word, number),
        _ => {
            for (values, row) in values.chunks_exact_mut(width).zip(rows) {
                values.iter_mut().zip(&row.as_ref()[word..]).for_each(|(value, own)| *value = number(*own));
            }
        }
    }
}

fn cut_some<T, W: AsRef<[u64]>, const N: usize>(values: &mut [T], rows: &[W], word: usize, number: impl Fn(u64) -> T) {
    for (values, row) in values.as_chunks_mut::<N>().0.iter_mut().zip(rows) {
        let own = &row.as_ref()[word..word + N];
        *values = std::array::from_fn(|k| number(own[k]));
    }
}

/// A table of `total` rows whose columns are made chunk by chunk. `begin` provides the rows when the table is written.
pub(crate) fn table<'a, R: Row + Sync + 'a>(
    name: &'a str,
    total: usize,
    begin: impl FnOnce() -> RowPartition<'a, R> + 'a,
) -> ColumnTable<'a> {
    let (mut begin, mut spread) = (Some(begin), None);
    let make = move |old, show: &(dyn Fn(usize, &[Column]) + Sync), meanwhile: &mut dyn FnMut()| {
        if let Some(begin) = begin.take() {
            spread = Some(begin());
        }
        let RowPartition { rows, before, .. } = spread.as_mut()?;
        let start = *before;
        let make = |chunk: RowChunk<R>| {
            let columns = columns_of(&chunk, old);
            show(start, &columns);
            columns
        };
        let Some(columns) = rows.next(make, meanwhile) else {
            // All rows are written: the memory is free for the next table.
            spread = None;
            return None;
        };
        *before += columns.first().map_or(0, Column::rows);
        Some((start, columns))
    };
    let columns = empty_columns::<R>();
    ColumnTable { name, columns, rows: RowOwners::Made { total, make: Box::new(make) } }
}

/// One column per field, without rows.
fn empty_columns<R: Row>() -> Vec<Column> {
    let column = |field: &FieldSpec| {
        let values = match field.kind {
            FieldKind::F64 => ColumnValues::Float(Vec::new()),
            FieldKind::U64 => ColumnValues::Integer(Vec::new()),
            FieldKind::U32 => ColumnValues::Small(Vec::new()),
        };
        Column::new(field.name, field.unit, field.about, field.width, values)
    };
    R::fields().iter().map(column).collect()
}

/// One column per field of the rows, in the memory of the `old` columns.
fn columns_of<R: Row + Sync>(chunk: &RowChunk<R>, old: Vec<Column>) -> Vec<Column> {
    let (fields, count) = (R::fields(), chunk.len());
    let mut columns = if old.is_empty() { empty_columns::<R>() } else { old };
    for column in &mut columns {
        let length = count * column.width;
        match &mut column.values {
            ColumnValues::Float(values) => values.resize(length, 0.0),
            ColumnValues::Integer(values) => values.resize(length, 0),
            ColumnValues::Small(values) => values.resize(length, 0),
            ColumnValues::Byte(_) | ColumnValues::Text(_) => {}
        }
    }
    let mut blocks: Vec<Vec<ColumnChunk>> = Vec::new();
    blocks.resize_with(count.div_ceil(BLOCK), Vec::new);
    for column in &mut columns {
        let pieces: Vec<ColumnChunk> = match &mut column.values {
            ColumnValues::Float(values) => values.chunks_mut(BLOCK * column.width).map(ColumnChunk::Float).collect(),
            ColumnValues::Integer(values) => {
                values.chunks_mut(BLOCK * column.width).map(ColumnChunk::Integer).collect()
            }
            ColumnValues::Small(values) => values.chunks_mut(BLOCK * column.width).map(ColumnChunk::Small).collect(),
            ColumnValues::Byte(_) | ColumnValues::Text(_) => Vec::new(),
        };
        blocks.iter_mut().zip(pieces).for_each(|(block, piece)| block.push(piece));
    }
    blocks.into_par_iter().enumerate().for_each(|(k, mut block)| {
        let first = k * BLOCK;
        let mut buffer = [R::Words::default(); FEW];
        for few in (0..BLOCK.min(count - first)).step_by(FEW) {
            let rows = &mut buffer[..FEW.min(count - first - few)];
            chunk.fill(first + few, rows);
            block.iter_mut().zip(&fields).for_each(|(piece, field)| piece.cut(few, rows, field));
        }
    });
    columns
}

/// Rows of a group, assembled from its columns.
pub(crate) fn rows<R: Row>(file: &VerifiedFile, group: &str, rows: Range<usize>) -> Result<Vec<R>, String> {
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
            (ColumnValues::Float(v), FieldKind::F64) => {
                v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes()))
            }
            (ColumnValues::Integer(v), FieldKind::U64) => {
                v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes()))
            }
            (ColumnValues::Small(v), FieldKind::U32) => {
                v.iter().enumerate().for_each(|(i, x)| put(i, &x.to_le_bytes()))
            }
            _ => return Err(format!("{group}/{} has values of another type", field.name)),
        }
    }
    Ok(R::read_rows(&bytes).collect())
}
