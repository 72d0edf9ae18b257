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
    /// Number of low bits in which ids of the same bin differ.
    places: u32,
    /// Process and chunk of every bin.
    parts: Vec<(usize, usize)>,
    /// Largest number of chunks of a process.
    pub(crate) chunks: usize,
}

impl IdRanges {
    /// Collective. Ranges for ids with their numbers of rows. Chunks have about `chunk` rows, or a default number.
    pub(crate) fn new(comm: &dyn Comm, rows: impl Iterator<Item = (u64, u64)> + Clone, chunk: Option<u64>) -> Self {
        let top = rows.clone().map(|(id, _)| id).max().unwrap_or(0);
        let mut places = [f64::from((64 - top.leading_zeros()).saturating_sub(BINS.ilog2()))];
        comm.max(&mut places);
        let mut shares = Self { places: places[0] as u32, parts: Vec::new(), chunks: 1 };
        let mut counts = vec![0; BINS];
        rows.for_each(|(id, count)| counts[(id >> shares.places) as usize] += count);
        comm.sum(&mut counts);
        let total = counts.iter().sum::<u64>().max(1);
        let chunk = chunk.unwrap_or(CHUNK);
        let (mut seen, mut before) = (0, (0, 0));
        for count in counts {
            // A bin belongs to the process of its middle row.
            let middle = (seen + count / 2).min(total - 1);
            let process = (middle as u128 * comm.size() as u128 / total as u128) as usize;
            if process != before.0 {
                before = (process, seen);
            }
            let part = ((seen - before.1) / chunk) as usize;
            shares.chunks = shares.chunks.max(part + 1);
            shares.parts.push((process, part));
            seen += count;
        }
        shares
    }

    /// The process that holds this body in file order.
    pub fn host(&self, id: BodyId) -> usize {
        self.parts[(id.0 >> self.places) as usize].0
    }

    /// The runs that go to `process` in chunk `chunk`. Process and chunk increase monotonically with the id.
    pub(crate) fn range(&self, runs: &[Run], process: usize, chunk: usize) -> Range<usize> {
        let part = |run: &Run| self.parts[(run.key >> self.places) as usize];
        let wanted = (process, chunk);
        runs.partition_point(|run| part(run) < wanted)..runs.partition_point(|run| part(run) <= wanted)
    }
}
