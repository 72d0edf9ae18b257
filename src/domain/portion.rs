//! Some rows of a file, from whichever processes had them, in order.
//!
//! In: what this process had and what came from others, each in order. Out: rows in order.

use std::cmp::Ordering;

use super::queue::{AHEAD, Run};
use crate::state::{Row, fetch};

/// Some rows, in order.
pub struct Portion<'a, R: Row> {
    /// Those that this process had already.
    pub(super) own: &'a [Run],
    pub(super) things: &'a [R],
    /// Of each other process: what came from there.
    pub(super) came: &'a [Vec<u8>],
    pub(super) rank: usize,
    /// Where all rows come from.
    pub(super) parts: &'a [Part],
    pub(super) len: usize,
}

/// Rows side by side.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Number of the first among all of the portion.
    row: u32,
    process: u32,
    /// Of a thing of ours; the number of a row that came.
    place: u32,
}

/// Memory for putting portions in order, used again for the next.
#[derive(Default)]
pub(super) struct Desk {
    /// What is there from which process.
    runs: Vec<(Run, u32)>,
    parts: Vec<Part>,
}

impl<'a, R: Row + Sync> Portion<'a, R> {
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
            self.things.iter().skip(place as usize).take(count).for_each(fetch);
        }
    }

    /// Rows side by side from a process.
    #[inline]
    fn copy(&self, process: usize, place: usize, rows: &mut [R::Words]) {
        if process == self.rank {
            rows.iter_mut().zip(&self.things[place..]).for_each(|(row, thing)| *row = thing.words());
        } else {
            let came = self.came[process][place * R::row_bytes()..].chunks_exact(R::row_bytes());
            rows.iter_mut().zip(came).for_each(|(row, came)| *row = R::words_of(came));
        }
    }

    /// Puts its rows in order, by the numbers at their heads.
    pub(super) fn merge(mut self, desk: &'a mut Desk) -> Self {
        let Desk { runs, parts } = desk;
        runs.clear();
        parts.clear();
        for (process, came) in (0..).zip(self.came) {
            match process as usize == self.rank {
                true => runs.extend(self.own.iter().map(|run| (*run, process))),
                false => add_runs::<R>(came, process, runs),
            }
        }
        // What each process has is in order: made one quickly.
        runs.sort_by_key(|(run, _)| run.key);
        for same in runs.chunk_by(|(a, _), (b, _)| a.key == b.key) {
            match same.iter().all(|(_, process)| *process == same[0].1) {
                true => same.iter().for_each(|(run, process)| self.add(*process, run.place, run.count, parts)),
                false => self.add_sorted(same, parts),
            }
        }
        self.parts = parts;
        self
    }

    fn add(&mut self, process: u32, place: u32, count: u32, parts: &mut Vec<Part>) {
        parts.push(Part { row: self.len as u32, process, place });
        self.len += count as usize;
    }

    /// Rows with the same key from several processes: one by one, by all their numbers.
    fn add_sorted(&mut self, same: &[(Run, u32)], parts: &mut Vec<Part>) {
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

/// Adds the runs of the rows that came from a process: their numbers are their places.
fn add_runs<R: Row>(rows: &[u8], process: u32, runs: &mut Vec<(Run, u32)>) {
    let key = |row: &[u8]| row.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    for (place, row) in (0..).zip(rows.chunks_exact(R::row_bytes())) {
        match runs.last_mut() {
            Some((run, from)) if run.key == key(row) && *from == process => run.count += 1,
            _ => runs.push((Run { key: key(row), place, count: 1 }, process)),
        }
    }
}
