//! Some rows of a file, from whichever processes had them, in order.
//!
//! In: what this process had and what came from others, in any order. Out: rows in order.

use std::cmp::Ordering;

use crate::state::{Row, Words, fetch};

/// Things lie far apart in memory: they are fetched so many rows before theirs is made.
pub(super) const AHEAD: usize = 16;

/// Some rows, in order.
pub struct Portion<'a, R: Row> {
    /// Those that this process had already, as in a [`Queue`](super::Queue), and their keys.
    pub(super) own: &'a [u32],
    pub(super) keys: &'a [u64],
    /// The lowest id there can be, and how many there can be.
    pub(super) ids: (u64, u64),
    pub(super) things: &'a [R],
    /// Of each other process: what came from there.
    pub(super) came: &'a [Vec<u8>],
    pub(super) rank: usize,
    pub(super) sources: &'a [Source],
}

/// Where a row of a portion comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    key: u64,
    process: u32,
    /// Its number among those from there.
    number: u32,
}

/// Memory for putting portions in order, used again for the next.
#[derive(Default)]
pub(super) struct Desk {
    sources: Vec<Source>,
    /// For each key, where its next row goes.
    next: Vec<u32>,
}

impl<'a, R: Row + Sync> Portion<'a, R> {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Rows from number `first` on, as many as fill `rows`.
    pub fn fill(&self, first: usize, rows: &mut [Words]) {
        for (number, row) in (first..).zip(rows) {
            self.sources.get(number + AHEAD).into_iter().for_each(|next| self.fetch(next));
            *row = self.words(&self.sources[number]);
        }
    }

    /// Its row is asked for soon.
    #[inline]
    fn fetch(&self, source: &Source) {
        if source.process as usize == self.rank {
            fetch(self.thing(source));
        }
    }

    #[inline]
    fn words(&self, source: &Source) -> Words {
        match source.process as usize == self.rank {
            true => self.thing(source).words(),
            false => R::words_of(self.row(source)),
        }
    }

    /// One of ours.
    #[inline]
    fn thing(&self, source: &Source) -> &R {
        &self.things[self.own[source.number as usize] as usize / 2]
    }

    /// One that came: its row, and those behind it.
    #[inline]
    fn row(&self, source: &Source) -> &[u8] {
        &self.came[source.process as usize][source.number as usize * R::row_bytes()..]
    }

    /// Puts its rows in order, first by the keys at their heads.
    pub(super) fn merge(mut self, desk: &'a mut Desk) -> Self {
        let Desk { sources, next } = desk;
        let count: usize = (0..self.came.len()).map(|process| self.count(process)).sum();
        let (low, ids) = self.ids;
        if ids > 4 * count as u64 + 1024 {
            sources.clear();
            self.each(|source| sources.push(source));
            sources.sort_unstable();
        } else {
            // Ids are mostly without gaps: each key says where its row goes.
            next.clear();
            next.resize(ids as usize + 1, 0);
            self.each(|source| next[(source.key - low) as usize + 1] += 1);
            let mut before = 0;
            for count in next.iter_mut() {
                before += *count;
                *count = before;
            }
            sources.resize(count, Source::default());
            self.each(|source| {
                let slot = &mut next[(source.key - low) as usize];
                sources[*slot as usize] = source;
                *slot += 1;
            });
        }
        if R::KEY > 1 {
            for same in sources.chunk_by_mut(|a, b| a.key == b.key) {
                if !same.is_sorted_by(|a, b| self.follows(a, b)) {
                    same.sort_unstable_by(|a, b| self.compare(a, b));
                }
            }
        }
        self.sources = sources;
        self
    }

    /// Of two with the same key, one right after the other: is that their order?
    fn follows(&self, before: &Source, source: &Source) -> bool {
        match before.process == source.process && source.process as usize == self.rank {
            true => self.own[source.number as usize] & 1 == 1,
            false => self.compare(before, source).is_le(),
        }
    }

    /// By the second number of their rows; should that be the same, by all.
    fn compare(&self, a: &Source, b: &Source) -> Ordering {
        let second = |source: &Source| match source.process as usize == self.rank {
            true => self.thing(source).words()[1],
            false => word(self.row(source), 1),
        };
        second(a).cmp(&second(b)).then_with(|| self.words(a).cmp(&self.words(b)))
    }

    /// How many rows are from there.
    fn count(&self, process: usize) -> usize {
        if process == self.rank { self.own.len() } else { self.came[process].len() / R::row_bytes() }
    }

    /// All rows, process by process.
    fn each(&self, mut take: impl FnMut(Source)) {
        for (process, came) in self.came.iter().enumerate() {
            let mut take = |(number, key)| take(Source { key, process: process as u32, number });
            match process == self.rank {
                true => (0..).zip(self.keys.iter().copied()).for_each(&mut take),
                false => (0..).zip(came.chunks_exact(R::row_bytes()).map(|row| word(row, 0))).for_each(&mut take),
            }
        }
    }
}

/// The `i`th eight bytes as a number.
#[inline]
fn word(row: &[u8], i: usize) -> u64 {
    row[8 * i..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
