//! Writing of rows into a file that is already laid out: every process writes its own.
//!
//! In: tables, or functions that make their rows chunk by chunk. Out: a closed file, still without checksum. While rows
//! are written, the next ones are made, also those of the next table, and hashed in memory.

use std::path::Path;

use hdf5::{Dataset, File};

use super::checksum::BlockHashes;
use super::fill::put_rows;
use super::table::{Column, ColumnTable, RowOwners, access, reason};
use crate::comm::Comm;
use crate::output::hyperslab::{self, Transfer};

/// Average number of rows per process from which each process writes independently: its rows are consecutive, a long
/// piece of the file. Collective calls gather pieces first, which pays for short ones; for long ones it costs an extra
/// copy and an extra wait.
const LONG: usize = 1 << 14;

/// The datasets of a table and how they are written.
struct TableWriter<'a> {
    name: &'a str,
    datasets: Vec<Result<Dataset, String>>,
    /// Offset of each dataset in the file.
    offsets: Vec<Option<u64>>,
    is_long: bool,
}

/// Rows that wait to be written.
struct PendingRows {
    table: usize,
    start: usize,
    columns: Vec<Column>,
}

impl<'a> TableWriter<'a> {
    fn new(file: &File, name: &'a str, columns: &[Column], is_long: bool) -> Self {
        let open = |column: &Column| file.dataset(&format!("{name}/{}", column.name)).map_err(|error| reason(&error));
        let datasets: Vec<_> = columns.iter().map(open).collect();
        let offsets = datasets.iter().map(|dataset| dataset.as_ref().ok()?.offset()).collect();
        Self { name, datasets, offsets, is_long }
    }

    /// Writes rows from number `start` on; all columns even if one fails, since other processes take part in each
    /// write.
    fn put(&self, columns: &[Column], start: usize, together: &Transfer) -> Result<(), String> {
        let transfer = if self.is_long { &Transfer::Alone } else { together };
        let put = |(column, dataset): (&Column, &Result<Dataset, String>)| {
            let done = dataset.as_ref().map_err(String::clone);
            let done = done.and_then(|dataset| put_rows(dataset, column, start, transfer));
            done.map_err(|why| format!("column {}/{}: {why}", self.name, column.name))
        };
        columns.iter().zip(&self.datasets).map(put).fold(Ok(()), Result::and)
    }

    /// Hashes those parts of the rows that fill blocks of the file.
    fn hash(&self, columns: &[Column], start: usize, hashes: &BlockHashes) {
        for (column, offset) in columns.iter().zip(&self.offsets) {
            let (Some(offset), Some(bytes)) = (offset, hyperslab::bytes(&column.values)) else { continue };
            let row = bytes.len() / column.rows().max(1);
            hashes.add(offset + (start * row) as u64, bytes);
        }
    }
}

/// Collective. Every process writes its rows; `flush` is called after each write. `hashes` receives the hashes of the
/// rows.
pub(crate) fn write_rows(
    comm: &dyn Comm,
    path: &Path,
    tables: &mut [ColumnTable],
    flush: &dyn Fn(),
    hashes: Option<&BlockHashes>,
) -> Result<(), String> {
    let (mut options, together) = (File::with_options(), Transfer::of(comm));
    options.with_fapl(access);
    together.prepare(comm, &mut options);
    let file = options.open_rw(path).map_err(|error| reason(&error))?;
    let (mut targets, mut first, mut pending) = (Vec::new(), Ok(()), None::<PendingRows>);
    let mut write = |targets: &[TableWriter], piece: &PendingRows| {
        let done = targets[piece.table].put(&piece.columns, piece.start, &together);
        first = std::mem::replace(&mut first, Ok(())).and(done);
        flush();
    };
    for ColumnTable { name, columns, rows } in tables {
        let Some(total) = rows.total() else { continue };
        let table = targets.len();
        targets.push(TableWriter::new(&file, name, columns, total / comm.size() >= LONG));
        let hash =
            |start, columns: &[Column]| hashes.into_iter().for_each(|own| targets[table].hash(columns, start, own));
        let make = match rows {
            RowOwners::Known => continue,
            RowOwners::Spread { start, .. } => {
                let (start, columns) = (*start, std::mem::take(columns));
                hash(start, &columns);
                write(&targets, &PendingRows { table, start, columns });
                continue;
            }
            RowOwners::Made { make, .. } => make,
        };
        let mut free = Vec::new();
        loop {
            let old = std::mem::take(&mut free);
            let made = make(old, &hash, &mut || {
                if let Some(piece) = pending.take() {
                    write(&targets, &piece);
                    free = if piece.table == table { piece.columns } else { Vec::new() };
                }
            });
            let Some((start, columns)) = made else { break };
            pending = Some(PendingRows { table, start, columns });
        }
    }
    pending.iter().for_each(|piece| write(&targets, piece));
    // A file with an open dataset would not be closed.
    drop(targets);
    let closed = file.flush().and_then(|()| file.close()).map_err(|error| reason(&error));
    first.and(closed)
}
