//! Datasets that grow by a batch of rows per step.
//!
//! In: the rows of a step. Out: their start in the dataset. Rows of values lie in chunks that no earlier step shares;
//! counters are changed in place.

use hdf5::dataset::{AllocTime, FillTime};
use hdf5::{Dataset, DatasetBuilderEmpty, Datatype, Group, H5Type};

use crate::output::columns::reason;
use crate::output::hyperslab::{self, Hyperslab, Transfer};

/// Largest chunk of values: large enough to stream, small enough for the cache of HDF5.
pub(crate) const CHUNK_BYTES: usize = 1 << 16;
/// Minimum number of rows of a chunk, which keeps the chunks of a small scene small.
const MIN_CHUNK_ROWS: usize = 256;
/// Compression level, of 9.
pub(crate) const LEVEL: u32 = 1;
/// Steps whose counters share a chunk.
const CHUNK_STEPS: usize = 512;

/// Creates an empty dataset with one row per step. Never compressed, so that it can be changed in place.
pub(crate) fn counters<T: H5Type>(group: &Group, name: &str, width: usize) -> hdf5::Result<()> {
    table(group.new_dataset::<T>(), name, width, CHUNK_STEPS)
}

/// Creates an empty dataset with about `rows` rows per step. Compressed if requested and supported by the library:
/// 100 000 bodies and 300 000 contacts then take 5 MB instead of 20, and 0.2 s instead of 0.03.
pub(crate) fn values<T: H5Type>(
    group: &Group,
    name: &str,
    width: usize,
    rows: usize,
    packed: bool,
) -> hdf5::Result<()> {
    let max_rows = (CHUNK_BYTES / (width * size_of::<T>())).max(1);
    let builder = match packed && hdf5::filters::deflate_available() {
        true => group.new_dataset::<T>().shuffle().deflate(LEVEL as u8),
        // Space is allocated with the rows, for all processes to write to; every row of it is written.
        false => group.new_dataset::<T>().alloc_time(Some(AllocTime::Early)).fill_time(FillTime::Never),
    };
    table(builder, name, width, rows.max(MIN_CHUNK_ROWS).min(max_rows))
}

fn table(builder: DatasetBuilderEmpty, name: &str, width: usize, rows: usize) -> hdf5::Result<()> {
    if width == 1 {
        builder.chunk(rows).shape(0..).create(name)?;
    } else {
        builder.chunk((rows, width)).shape((0.., width)).create(name)?;
    }
    Ok(())
}

/// Rows that an append adds to one dataset: those of all processes, some of which are here.
pub(crate) struct DatasetRows {
    /// Path of the dataset from the root group.
    pub(crate) path: String,
    pub(crate) kind: NumberKind,
    pub(crate) width: usize,
    /// Number of rows of all processes.
    pub(crate) total: usize,
    /// Batches of rows on this process, each with the number of rows before it.
    pub(crate) parts: Vec<(usize, Vec<u8>)>,
}

/// Number types in the file.
#[derive(Clone, Copy)]
pub(crate) enum NumberKind {
    Double,
    Single,
    Integer,
}

/// Position of the rows of a step in a dataset.
pub(crate) struct DatasetRange {
    /// The first row.
    pub(crate) start: usize,
    /// Rows per chunk.
    pub(crate) chunk: usize,
    /// Number of chunks.
    pub(crate) chunks: usize,
}

impl DatasetRows {
    pub(crate) fn row_bytes(&self) -> usize {
        match self.kind {
            NumberKind::Double | NumberKind::Integer => 8 * self.width,
            NumberKind::Single => 4 * self.width,
        }
    }

    fn datatype(&self) -> hdf5::Result<Datatype> {
        match self.kind {
            NumberKind::Double => Datatype::from_type::<f64>(),
            NumberKind::Single => Datatype::from_type::<f32>(),
            NumberKind::Integer => Datatype::from_type::<i64>(),
        }
    }

    /// Allocates space after all other rows: whole chunks, so that no chunk of an earlier step is compressed again and
    /// moved.
    pub(crate) fn allocate(&self, root: &Group) -> hdf5::Result<DatasetRange> {
        let dataset = root.dataset(&self.path)?;
        let chunk = dataset.chunk().map_or(1, |shape| shape[0]);
        let (end, chunks) = (dataset.shape()[0], self.total.div_ceil(chunk));
        let start = if chunks == 0 { end } else { end.next_multiple_of(chunk) };
        if chunks > 0 {
            resize(&dataset, start + chunks * chunk, self.width)?;
        }
        Ok(DatasetRange { start, chunk, chunks })
    }

    /// Writes compressed chunks into the space allocated for them. The dataset stays open until the file is flushed: a
    /// handle dropped earlier would lose the error of a full disk.
    pub(crate) fn write_chunks(
        &self,
        root: &Group,
        range: &DatasetRange,
        chunks: &[Vec<u8>],
    ) -> Result<Dataset, String> {
        let dataset = root.dataset(&self.path).map_err(|error| reason(&error))?;
        for (k, chunk) in chunks.iter().enumerate() {
            hyperslab::put_chunk(&dataset, range.start + k * range.chunk, chunk)?;
        }
        Ok(dataset)
    }
}

impl DatasetRows {
    /// Collective where `transfer` is. Every process writes its rows; the one with the last row pads the space with
    /// zeros. Continues after a failure, since other processes take part in each write.
    pub(crate) fn put(&self, root: &Group, range: &DatasetRange, transfer: &Transfer) -> Result<(), String> {
        let opened = root.dataset(&self.path).and_then(|dataset| Ok((dataset, self.datatype()?)));
        let (dataset, kind) = opened.map_err(|error| reason(&error))?;
        let mut first = Ok(());
        for (before, bytes) in self.parts.iter().filter(|_| range.chunks > 0) {
            let own = bytes.len() / self.row_bytes();
            let is_last = own > 0 && before + own == self.total;
            let count = if is_last { range.chunks * range.chunk - before } else { own };
            let slab = Hyperslab { start: range.start + before, count, width: self.width };
            let mut padded = std::borrow::Cow::from(bytes);
            if count > own {
                padded.to_mut().resize(count * self.row_bytes(), 0);
            }
            first = first.and(hyperslab::put_bytes(&dataset, slab, &kind, &padded, transfer));
        }
        first
    }
}

/// Datasets of changed counters, which stay open until the file is flushed.
#[derive(Default)]
pub(crate) struct ChangedCounters(Vec<Dataset>);

impl ChangedCounters {
    /// Sets the row of a step in a dataset of counters, also where an abandoned append has set it before.
    pub(crate) fn set<T: H5Type>(&mut self, root: &Group, path: &str, step: usize, row: &[T]) -> Result<(), String> {
        let dataset = root.dataset(path).map_err(|error| reason(&error))?;
        resize(&dataset, step + 1, row.len()).map_err(|error| reason(&error))?;
        hyperslab::put(&dataset, Hyperslab { start: step, count: 1, width: row.len() }, row, &Transfer::Alone)?;
        self.0.push(dataset);
        Ok(())
    }
}

fn resize(dataset: &Dataset, rows: usize, width: usize) -> hdf5::Result<()> {
    if width == 1 { dataset.resize(rows) } else { dataset.resize((rows, width)) }
}
