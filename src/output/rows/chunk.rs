//! A chunk of rows in file order, merged from several processes.
//!
//! In: sorted runs of this process and of others. Out: rows in order.

use std::cmp::Ordering;

use super::packed_runs::PackedRuns;
use super::sorted_runs::{PREFETCH_DISTANCE, Run};
use super::source::RowSource;
use crate::body::Row;

/// Consecutive rows of a file.
pub struct RowChunk<'a, R: Row> {
    /// Runs of this process.
    pub(crate) own: &'a [Run],
    pub(crate) source: RowSource<'a, R>,
    /// Runs received from each process.
    pub(crate) received: Vec<PackedRuns<'a, R>>,
    pub(crate) rank: usize,
    /// Sources of all rows, in order.
    pub(crate) parts: &'a [ChunkPart],
    pub(crate) len: usize,
}

/// Rows that are consecutive in their source.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPart {
    /// Index of the first row in the chunk.
    row: u32,
    process: u32,
    /// Index in the source of this process, or among the rows received.
    index: u32,
}

/// Scratch memory for merging, reused from chunk to chunk.
#[derive(Default)]
pub(crate) struct ChunkScratch {
    /// Runs with their processes.
    runs: Vec<(Run, u32)>,
    /// Rows indexed by key.
    slots: Vec<KeyedRows>,
    parts: Vec<ChunkPart>,
}

/// Rows of one key from one process.
#[derive(Clone, Copy)]
struct KeyedRows {
    process: u32,
    index: u32,
    count: u32,
}

/// No rows.
const EMPTY: KeyedRows = KeyedRows { process: u32::MAX, index: u32::MAX, count: 0 };

impl<'a, R: Row + Sync> RowChunk<'a, R> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Fills `rows` with the rows from number `first` on.
    pub fn fill(&self, first: usize, rows: &mut [R::Words]) {
        let (mut at, mut rest) = (first, rows);
        let from = self.parts.partition_point(|part| part.row as usize <= at).saturating_sub(1);
        for (k, part) in self.parts.iter().enumerate().skip(from) {
            if rest.is_empty() {
                break;
            }
            self.fetch(k + PREFETCH_DISTANCE);
            let end = self.parts.get(k + 1).map_or(self.len, |next| next.row as usize);
            let count = rest.len().min(end - at);
            let (now, others) = std::mem::take(&mut rest).split_at_mut(count);
            self.copy(part.process as usize, part.index as usize + at - part.row as usize, now);
            (at, rest) = (end, others);
        }
    }

    /// Prefetches the rows of part `k`, if there is one. Unconditionally: the ownership branch mispredicts half the
    /// time, so for parts of other processes rows that are not needed are fetched instead.
    #[inline]
    fn fetch(&self, k: usize) {
        if let (Some(part), Some(next)) = (self.parts.get(k), self.parts.get(k + 1)) {
            let index = if part.process as usize == self.rank { part.index } else { 0 };
            let count = (next.row - part.row) as usize;
            (index as usize..).take(count).for_each(|index| self.source.fetch(index));
        }
    }

    /// Copies consecutive rows of a process.
    #[inline]
    fn copy(&self, process: usize, index: usize, rows: &mut [R::Words]) {
        if process == self.rank {
            rows.iter_mut().zip(index..).for_each(|(row, index)| *row = self.source.get(index).words());
        } else {
            self.received[process].fill(index, rows);
        }
    }

    /// Sorts the rows by key.
    pub(crate) fn merge(mut self, scratch: &'a mut ChunkScratch) -> Self {
        scratch.parts.clear();
        match self.received.iter().all(PackedRuns::is_empty) {
            true => {
                self.own.iter().for_each(|run| self.add(self.rank as u32, run.start, run.count, &mut scratch.parts))
            }
            false if self.sort_by_index(scratch) => {}
            false => self.sort(scratch),
        }
        self.parts = &scratch.parts;
        self
    }

    /// Sorts by using the keys as indices, if they have few gaps and each has rows of one process only. False if this
    /// does not apply.
    fn sort_by_index(&mut self, scratch: &mut ChunkScratch) -> bool {
        let ChunkScratch { slots, parts, .. } = scratch;
        let own = [self.own.first(), self.own.last()].into_iter().flatten().map(|run| run.key);
        let ends = self.received.iter().flat_map(PackedRuns::ends).chain(own);
        let (low, high) = ends.fold((u64::MAX, 0), |(low, high), key| (low.min(key), high.max(key)));
        let count = self.received.iter().map(PackedRuns::len).sum::<usize>() + self.own.len();
        if high - low > 4 * count as u64 + 1024 {
            return false;
        }
        slots.clear();
        slots.resize((high - low) as usize + 1, EMPTY);
        let mut is_single = true;
        let mut put = |process: u32, run: Run| {
            let slot = &mut slots[(run.key - low) as usize];
            is_single &= slot.count == 0 || run.count == 0;
            let own = KeyedRows { process, index: run.start, count: run.count };
            *slot = if run.count > 0 { own } else { *slot };
        };
        self.own.iter().for_each(|run| put(self.rank as u32, *run));
        (0..).zip(&self.received).for_each(|(process, received)| received.runs().for_each(|run| put(process, run)));
        if is_single {
            for slot in slots.iter().filter(|slot| slot.count > 0) {
                self.add(slot.process, slot.index, slot.count, parts);
            }
        }
        is_single
    }

    /// Sorts any keys.
    fn sort(&mut self, scratch: &mut ChunkScratch) {
        let ChunkScratch { runs, parts, .. } = scratch;
        runs.clear();
        runs.extend(self.own.iter().map(|run| (*run, self.rank as u32)));
        (0..)
            .zip(&self.received)
            .for_each(|(process, received)| runs.extend(received.runs().map(|run| (run, process))));
        // The runs of each process are sorted: a stable sort merges them quickly.
        runs.sort_by_key(|(run, _)| run.key);
        for same in runs.chunk_by(|(a, _), (b, _)| a.key == b.key) {
            match same.iter().all(|(_, process)| *process == same[0].1) {
                true => same.iter().for_each(|(run, process)| self.add(*process, run.start, run.count, parts)),
                false => self.add_sorted(same, parts),
            }
        }
    }

    fn add(&mut self, process: u32, index: u32, count: u32, parts: &mut Vec<ChunkPart>) {
        parts.push(ChunkPart { row: self.len as u32, process, index });
        self.len += count as usize;
    }

    /// Adds rows with the same key from several processes, sorted one by one by all their words.
    fn add_sorted(&mut self, same: &[(Run, u32)], parts: &mut Vec<ChunkPart>) {
        let indices = |run: &Run| run.start..run.start + run.count;
        let rows = same.iter().flat_map(|(run, process)| indices(run).map(|index| (*process, index)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable_by(|a, b| self.compare(*a, *b));
        rows.iter().for_each(|(process, index)| self.add(*process, *index, 1, parts));
    }

    /// Compares two rows by all their words. Not inlined: inside a sort it would cost too much compile time.
    #[inline(never)]
    fn compare(&self, a: (u32, u32), b: (u32, u32)) -> Ordering {
        let mut words = [R::Words::default(); 2];
        for (row, (process, index)) in words.chunks_mut(1).zip([a, b]) {
            self.copy(process as usize, index as usize, row);
        }
        words[0].as_ref().cmp(words[1].as_ref())
    }
}
