//! Redistribution of rows into file order, chunk by chunk.
//!
//! In: the rows of this process and the id ranges of all. Out: the rows of the range of this process, in chunks that
//! fit into the cache and in reused memory: fresh memory costs as much as the disk. While this thread writes one chunk,
//! other threads prepare the next.

use std::ops::Range;
use std::thread::available_parallelism;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::chunk::{ChunkScratch, RowChunk};
use super::id_ranges::IdRanges;
use super::packed_runs::{self, PackedRuns};
use super::sorted_runs::{Run, SortedRuns, count};
use super::source::RowSource;
use crate::body::Row;
use crate::comm::{Comm, SharedMemoryRows};

/// True if a core is free for a background thread. Where every core has a process, one more thread only competes.
pub fn has_idle_core(comm: &dyn Comm) -> bool {
    rayon::current_num_threads() > 1 || available_parallelism().is_ok_and(|cores| cores.get() > comm.size())
}

/// The rows of this process in file order.
pub struct RowRedistribution<'a, R: Row> {
    plan: RedistributionPlan<'a, R>,
    /// Number of chunks delivered.
    delivered: usize,
    /// Rows for other processes in the next chunk, and rows received from them.
    shared: SharedMemoryRows<'a>,
    scratch: ChunkScratch,
    count: usize,
    /// With a single worker thread, one more thread that prepares rows while it writes.
    helper: Option<ThreadPool>,
}

/// Destination and chunk of every row.
struct RedistributionPlan<'a, R: Row> {
    comm: &'a dyn Comm,
    source: RowSource<'a, R>,
    /// Rows of this process, by destination and chunk.
    runs: SortedRuns,
    /// Parts of `runs` by destination: all chunks of the first process, then those of the next.
    ranges: Vec<Range<usize>>,
    chunks: usize,
}

impl<'a, R: Row + Sync> RowRedistribution<'a, R> {
    /// Collective. Redistributes the rows of `runs` according to `shares`.
    pub(crate) fn new(comm: &'a dyn Comm, shares: &IdRanges, source: RowSource<'a, R>, runs: SortedRuns) -> Self {
        let (size, chunks) = (comm.size(), shares.chunks);
        let all = (0..size).flat_map(|process| (0..chunks).map(move |chunk| (process, chunk)));
        let ranges: Vec<_> = all.map(|(process, chunk)| shares.range(&runs.0, process, chunk)).collect();
        let plan = RedistributionPlan { comm, source, runs, ranges, chunks };
        let rows = |own: &[Range<usize>]| own.iter().map(|range| count(&plan.runs.0[range.clone()]) as u64).sum();
        let mut counts: Vec<u64> = plan.ranges.chunks(chunks).map(rows).collect();
        comm.sum(&mut counts);
        let count = counts[comm.rank()] as usize;
        let pool = || ThreadPoolBuilder::new().num_threads(1).build();
        // If no thread can be created, the work is done without one.
        let helper = if rayon::current_num_threads() == 1 && has_idle_core(comm) { pool().ok() } else { None };
        let max_bytes = (0..chunks).map(|number| plan.lengths(number).iter().sum()).max().unwrap_or(0);
        let mut shared = SharedMemoryRows::new(comm, max_bytes);
        plan.pack(0, &mut shared);
        Self { plan, delivered: 0, shared, scratch: ChunkScratch::default(), count, helper }
    }

    /// Number of rows that this process receives in all.
    pub fn len(&self) -> usize {
        self.count
    }

    /// True if this process receives no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Collective: every process has the same number of chunks, some of them empty. Returns what `make` makes of the
    /// next chunk; this thread performs `meanwhile` at the same time, unless no chunk is left.
    pub fn next<T: Send>(&mut self, make: impl FnOnce(RowChunk<R>) -> T + Send, meanwhile: impl FnOnce()) -> Option<T> {
        let Self { plan, delivered, shared, scratch, helper, .. } = self;
        let (rank, number) = (plan.comm.rank(), *delivered);
        if number == plan.chunks {
            return None;
        }
        shared.exchange();
        *delivered += 1;
        let mut made = None;
        let work = || {
            let received = (0..plan.comm.size()).map(|process| PackedRuns::open(shared.from(process))).collect();
            let own = plan.runs_to(rank, number);
            let chunk = RowChunk { own, source: plan.source, received, rank, parts: &[], len: 0 };
            made = Some(make(chunk.merge(scratch)));
            if number + 1 < plan.chunks {
                plan.pack(number + 1, shared);
            }
        };
        match helper {
            Some(helper) => helper.in_place_scope(|scope| {
                scope.spawn(|_| work());
                meanwhile();
            }),
            // A file has one writer at a time: single-threaded processes alternate, and half of them prepare rows
            // meanwhile.
            None if rank % 2 == 1 && rayon::current_num_threads() == 1 => {
                work();
                meanwhile();
            }
            None => rayon::in_place_scope(|scope| {
                scope.spawn(|_| work());
                meanwhile();
            }),
        }
        made
    }

    /// Collective. All rows.
    pub fn whole(mut self) -> Vec<R>
    where
        R: Send,
    {
        let mut all = Vec::with_capacity(self.len());
        let read = |chunk: RowChunk<R>| -> Vec<R> {
            let mut rows = vec![R::Words::default(); chunk.len()];
            chunk.fill(0, &mut rows);
            rows.iter().map(R::from_words).collect()
        };
        while let Some(rows) = self.next(read, || ()) {
            all.extend(rows);
        }
        all
    }
}

impl<R: Row + Sync> RedistributionPlan<'_, R> {
    /// Runs of this process that go to `process` in that chunk.
    fn runs_to(&self, process: usize, number: usize) -> &[Run] {
        &self.runs.0[self.ranges[process * self.chunks + number].clone()]
    }

    /// Upper bounds of the lengths of the messages to each process in that chunk, in bytes.
    fn lengths(&self, number: usize) -> Vec<usize> {
        let length = |process| match process == self.comm.rank() {
            true => 0,
            false => packed_runs::length::<R>(self.runs_to(process, number)),
        };
        (0..self.comm.size()).map(length).collect()
    }

    /// Packs the rows for other processes in that chunk.
    fn pack(&self, number: usize, shared: &mut SharedMemoryRows) {
        for (process, buffer) in shared.buffers(&self.lengths(number)).into_iter().enumerate() {
            packed_runs::pack(self.source, self.runs_to(process, number), buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::comm::{SerialComm, thread_comms};
    use crate::dim::Space;
    use crate::interaction::ContactHistory;
    use crate::interaction::history::{ContactId, ContactRecord};
    use crate::law::LawState;
    use crate::output::rows::sorted_runs::IdIndex;

    #[test]
    fn rows_come_in_the_order_of_their_ids_from_whatever_processes() {
        let record = |a: u64, b: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature: a ^ b };
            let memory = LawState::of(0.5);
            let tangent = nalgebra::Vector3::new(0.0, a as f64, 1.0);
            ContactRecord::<Space> { id, normal: (a * 100 + b) as f64, tangent, memory }
        };
        // Each body has two contacts with others and one with obstacle 0 or 1; every process has some of them.
        let records = |id: u64, apart: u64| {
            [
                record(id % 2 * apart, id * apart),
                record(id * apart, (id + 4) * apart),
                record(id * apart, (id + 1) * apart),
            ]
        };
        // Dense ids, and ids with large gaps.
        let redistributed = |comm: &dyn Comm, apart: u64| {
            let (rank, size) = (comm.rank() as u64, comm.size() as u64);
            let own: Vec<u64> = (2..102).rev().filter(|id| id / 3 % size == rank).collect();
            let ids: Vec<u64> = own.iter().map(|id| id * apart).collect();
            let pairs: Vec<_> = (0..).zip(&own).flat_map(|(i, &id)| records(id, apart).map(|own| (i, own))).collect();
            let history = ContactHistory::new(ids.len(), pairs);
            let runs = IdIndex::of(ids.iter().copied().zip(0..).collect()).sorted_record_runs(&history);
            let shares = IdRanges::new(comm, runs.0.iter().map(|run| (run.key, run.count.into())), Some(7));
            let rows = RowRedistribution::new(comm, &shares, RowSource::Store(&history), runs);
            assert!(rows.plan.chunks > 1);
            (rows.len(), rows.whole())
        };
        for apart in [1, 1 << 40] {
            let mut expected: Vec<_> = (2..102).flat_map(|id| records(id, apart)).collect();
            expected.sort_by(ContactRecord::compare);
            for got in [
                vec![redistributed(&SerialComm, apart)],
                thread_comms(1, |comm| redistributed(comm, apart)),
                thread_comms(3, |comm| redistributed(comm, apart)),
            ] {
                assert!(got.iter().all(|(count, rows)| *count == rows.len() && rows.len() > 30));
                assert_eq!(got.into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>(), expected);
            }
        }
    }
}
