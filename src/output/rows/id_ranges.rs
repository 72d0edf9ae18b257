//! Ranges of ids, one per process, that define the file order of bodies and contact records.

use std::ops::Range;

use super::sorted_runs::Run;
use crate::body::BodyId;
use crate::comm::Comm;

/// Number of id bins. The row counts per bin are the one message whose size does not decrease with the number of
/// processes.
const BINS: usize = 8192;

/// Rows of a process per chunk: few enough to stay in the cache between gathering and writing, although every chunk
/// costs a round of messages.
const CHUNK: u64 = 1 << 15;

/// Collective. For each of these counts: its sum over the processes before this one, and over all.
pub fn before<const N: usize>(comm: &dyn Comm, counts: [u64; N]) -> [(usize, usize); N] {
    let (rank, size) = (comm.rank(), comm.size());
    let mut all = vec![0u64; N * size];
    all[N * rank..N * (rank + 1)].copy_from_slice(&counts);
    comm.sum(&mut all);
    std::array::from_fn(|k| {
        let of = |rank: usize| all[N * rank + k] as usize;
        ((0..rank).map(of).sum(), (0..size).map(of).sum())
    })
}

/// Ranges of ids, one per process, with about equal numbers of bodies, and their subdivision into chunks.
pub struct IdRanges {
    /// Number of low bits in which ids of the same bin differ: the bin of an id is the id shifted by it.
    shift: u32,
    /// Process and chunk of every bin.
    parts: Vec<(usize, usize)>,
    /// Largest number of chunks of a process.
    pub(crate) chunks: usize,
}

impl IdRanges {
    /// Collective. Ranges for ids with their numbers of rows. Chunks have about `chunk` rows, or a default number.
    pub(crate) fn new(comm: &dyn Comm, rows: impl Iterator<Item = (u64, u64)> + Clone, chunk: Option<u64>) -> Self {
        let largest = rows.clone().map(|(id, _)| id).max().unwrap_or(0);
        let mut shift = [f64::from((64 - largest.leading_zeros()).saturating_sub(BINS.ilog2()))];
        comm.max(&mut shift);
        let mut shares = Self { shift: shift[0] as u32, parts: Vec::new(), chunks: 1 };
        let mut counts = vec![0; BINS];
        rows.for_each(|(id, count)| counts[(id >> shares.shift) as usize] += count);
        comm.sum(&mut counts);
        let total = counts.iter().sum::<u64>().max(1);
        let chunk = chunk.unwrap_or(CHUNK);
        let (mut rows_before, mut start) = (0, (0, 0));
        for count in counts {
            // A bin belongs to the process of its middle row.
            let middle = (rows_before + count / 2).min(total - 1);
            let process = (middle as u128 * comm.size() as u128 / total as u128) as usize;
            if process != start.0 {
                start = (process, rows_before);
            }
            let part = ((rows_before - start.1) / chunk) as usize;
            shares.chunks = shares.chunks.max(part + 1);
            shares.parts.push((process, part));
            rows_before += count;
        }
        shares
    }

    /// The process that holds this body in file order.
    pub fn host(&self, id: BodyId) -> usize {
        self.parts[(id.0 >> self.shift) as usize].0
    }

    /// The runs that go to `process` in chunk `chunk`. Process and chunk increase monotonically with the id.
    pub(crate) fn range(&self, runs: &[Run], process: usize, chunk: usize) -> Range<usize> {
        let part = |run: &Run| self.parts[(run.key >> self.shift) as usize];
        let wanted = (process, chunk);
        runs.partition_point(|run| part(run) < wanted)..runs.partition_point(|run| part(run) <= wanted)
    }
}
