//! Some rows of a file, from whichever processes had them, in order.
//!
//! In: what this process had and what came from others, each in order. Out: rows in order.

use std::cmp::Ordering;

use super::packed_runs::PackedRuns;
use super::sorted_runs::{AHEAD, Run};
use super::source::RowSource;
use crate::body::Row;

/// Some rows, in order.
pub struct RowChunk<'a, R: Row> {
    /// Those that this process had already.
    pub(crate) own: &'a [Run],
    pub(crate) things: RowSource<'a, R>,
    /// Of each other process: what came from there.
    pub(crate) came: Vec<PackedRuns<'a, R>>,
    pub(crate) rank: usize,
    /// Where all rows come from.
    pub(crate) parts: &'a [ChunkPart],
    pub(crate) len: usize,
}

/// Rows side by side.
#[derive(Clone, Copy)]
pub(crate) struct ChunkPart {
    /// Number of the first among all of the portion.
    row: u32,
    process: u32,
    /// Of a thing of ours; the number of a row that came.
    place: u32,
}

/// Memory for putting portions in order, used again for the next.
#[derive(Default)]
pub(crate) struct ChunkScratch {
    /// What is there from which process.
    runs: Vec<(Run, u32)>,
    /// The same by key.
    slots: Vec<KeyedRows>,
    parts: Vec<ChunkPart>,
}

/// The rows of one key, from one process.
#[derive(Clone, Copy)]
struct KeyedRows {
    process: u32,
    place: u32,
    count: u32,
}

/// None yet.
const EMPTY: KeyedRows = KeyedRows { process: u32::MAX, place: u32::MAX, count: 0 };

impl<'a, R: Row + Sync> RowChunk<'a, R> {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Rows from number `first` on, as many as fill `rows`.
    pub fn fill(&self, first: usize, rows: &mut [R::Words]) {
        let (mut at, mut rest) = (first, rows);
        let from = self.parts.partition_point(|part| part.row as usize <= at).saturating_sub(1);
        for (k, part) in self.parts.iter().enumerate().skip(from) {
            if rest.is_empty() {
                break;
            }
            self.fetch(k + AHEAD);
            let end = self.parts.get(k + 1).map_or(self.len, |next| next.row as usize);
            let count = rest.len().min(end - at);
            let (now, others) = std::mem::take(&mut rest).split_at_mut(count);
            self.copy(part.process as usize, part.place as usize + at - part.row as usize, now);
            (at, rest) = (end, others);
        }
    }

    /// The things of that part, if there is one, are needed soon. If they are not ours, others come in vain: as good as tossed
    /// a coin for, that would be guessed wrong too often.
    #[inline]
    fn fetch(&self, k: usize) {
        if let (Some(part), Some(next)) = (self.parts.get(k), self.parts.get(k + 1)) {
            let place = if part.process as usize == self.rank { part.place } else { 0 };
            let count = (next.row - part.row) as usize;
            (place as usize..).take(count).for_each(|place| self.things.fetch(place));
        }
    }

    /// Rows side by side from a process.
    #[inline]
    fn copy(&self, process: usize, place: usize, rows: &mut [R::Words]) {
        if process == self.rank {
            rows.iter_mut().zip(place..).for_each(|(row, place)| *row = self.things.get(place).words());
        } else {
            self.came[process].fill(place, rows);
        }
    }

    /// Puts its rows in order, by the numbers at their heads.
    pub(crate) fn merge(mut self, desk: &'a mut ChunkScratch) -> Self {
        desk.parts.clear();
        match self.came.iter().all(PackedRuns::is_empty) {
            true => self.own.iter().for_each(|run| self.add(self.rank as u32, run.place, run.count, &mut desk.parts)),
            false if self.place(desk) => {}
            false => self.sort(desk),
        }
        self.parts = &desk.parts;
        self
    }

    /// Most keys have rows of one process, and there are few gaps: they say where their rows go. False where this is not so.
    fn place(&mut self, desk: &mut ChunkScratch) -> bool {
        let ChunkScratch { slots, parts, .. } = desk;
        let own = [self.own.first(), self.own.last()].into_iter().flatten().map(|run| run.key);
        let ends = self.came.iter().flat_map(PackedRuns::ends).chain(own);
        let (low, high) = ends.fold((u64::MAX, 0), |(low, high), key| (low.min(key), high.max(key)));
        let count = self.came.iter().map(PackedRuns::len).sum::<usize>() + self.own.len();
        if high - low > 4 * count as u64 + 1024 {
            return false;
        }
        slots.clear();
        slots.resize((high - low) as usize + 1, EMPTY);
        let mut is_single = true;
        let mut put = |process: u32, run: Run| {
            let slot = &mut slots[(run.key - low) as usize];
            is_single &= slot.count == 0 || run.count == 0;
            let own = KeyedRows { process, place: run.place, count: run.count };
            *slot = if run.count > 0 { own } else { *slot };
        };
        self.own.iter().for_each(|run| put(self.rank as u32, *run));
        (0..).zip(&self.came).for_each(|(process, came)| came.runs().for_each(|run| put(process, run)));
        if is_single {
            for slot in slots.iter().filter(|slot| slot.count > 0) {
                self.add(slot.process, slot.place, slot.count, parts);
            }
        }
        is_single
    }

    /// The same whatever the numbers are.
    fn sort(&mut self, desk: &mut ChunkScratch) {
        let ChunkScratch { runs, parts, .. } = desk;
        runs.clear();
        runs.extend(self.own.iter().map(|run| (*run, self.rank as u32)));
        (0..).zip(&self.came).for_each(|(process, came)| runs.extend(came.runs().map(|run| (run, process))));
        // What each process has is in order: made one quickly.
        runs.sort_by_key(|(run, _)| run.key);
        for same in runs.chunk_by(|(a, _), (b, _)| a.key == b.key) {
            match same.iter().all(|(_, process)| *process == same[0].1) {
                true => same.iter().for_each(|(run, process)| self.add(*process, run.place, run.count, parts)),
                false => self.add_sorted(same, parts),
            }
        }
    }

    fn add(&mut self, process: u32, place: u32, count: u32, parts: &mut Vec<ChunkPart>) {
        parts.push(ChunkPart { row: self.len as u32, process, place });
        self.len += count as usize;
    }

    /// Rows with the same key from several processes: one by one, by all their numbers.
    fn add_sorted(&mut self, same: &[(Run, u32)], parts: &mut Vec<ChunkPart>) {
        let places = |run: &Run| run.place..run.place + run.count;
        let rows = same.iter().flat_map(|(run, process)| places(run).map(|place| (*process, place)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_unstable_by(|a, b| self.compare(*a, *b));
        rows.iter().for_each(|(process, place)| self.add(*process, *place, 1, parts));
    }

    /// Two rows, by all their numbers. A call of its own: inside of a sort, so much to compare would keep compilers busy.
    #[inline(never)]
    fn compare(&self, a: (u32, u32), b: (u32, u32)) -> Ordering {
        let mut words = [R::Words::default(); 2];
        for (row, (process, place)) in words.chunks_mut(1).zip([a, b]) {
            self.copy(process as usize, place as usize, row);
        }
        words[0].as_ref().cmp(words[1].as_ref())
    }
}
