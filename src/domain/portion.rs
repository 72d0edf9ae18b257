//! Some rows of a file, from whichever processes had them, in order.
//!
//! In: what this process had and what came from others, each in order. Out: rows in the order of all.

use crate::state::Row;

/// Keys of rows have so many numbers at most.
pub(super) const LONGEST_KEY: usize = 3;

/// Some rows, in order.
pub struct Portion<'a, R: Row> {
    /// Where those are that this process had already, and their keys.
    pub(super) own: &'a [u32],
    pub(super) keys: &'a [u64],
    pub(super) things: &'a [R],
    /// Of each other process: what came from there.
    pub(super) came: &'a [Vec<u8>],
    pub(super) rank: usize,
    pub(super) sources: &'a [Source],
}

/// Where a row of a portion comes from. In the order of these, but for rows of several processes with the same key.
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

    /// Rows from number `first` on, as many as fill `room`.
    pub fn fill(&self, first: usize, room: &mut [u8]) {
        let length = R::row_bytes();
        for (number, row) in (first..).zip(room.chunks_exact_mut(length)) {
            self.fill_one(&self.sources[number], row);
        }
    }

    fn fill_one(&self, &Source { process, number, .. }: &Source, row: &mut [u8]) {
        let (process, number, length) = (process as usize, number as usize, row.len());
        match process == self.rank {
            true => self.things[self.own[number] as usize].fill_row(row),
            false => row.copy_from_slice(&self.came[process][number * length..][..length]),
        }
    }

    /// Puts its rows in order, by the keys at their heads. What came from one process is in order already.
    pub(super) fn merge(mut self, desk: &'a mut Desk) -> Self {
        let Desk { sources, next } = desk;
        let count: usize = (0..self.came.len()).map(|process| self.count(process)).sum();
        let ends = (0..self.came.len()).filter(|&process| self.count(process) > 0);
        let ends = ends.map(|process| (self.key(process, 0), self.key(process, self.count(process) - 1)));
        let (low, high) = ends.fold((u64::MAX, 0), |all, own| (all.0.min(own.0), all.1.max(own.1)));
        if high.saturating_sub(low) > 4 * count as u64 + 1024 {
            sources.clear();
            self.each(|source| sources.push(source));
            // Runs that are in order are merged as such.
            sources.sort();
        } else {
            // Ids are mostly without gaps: each key says where its row goes.
            next.clear();
            next.resize(high.saturating_sub(low) as usize + 2, 0);
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
                if same.first().map(|source| source.process) != same.last().map(|source| source.process) {
                    same.sort_by_cached_key(|source| self.whole_key(source));
                }
            }
        }
        self.sources = sources;
        self
    }

    /// How many rows are from there.
    fn count(&self, process: usize) -> usize {
        if process == self.rank { self.own.len() } else { self.came[process].len() / R::row_bytes() }
    }

    /// The first number of the key of one of them.
    fn key(&self, process: usize, number: usize) -> u64 {
        match process == self.rank {
            true => self.keys[number],
            false => word(&self.came[process][number * R::row_bytes()..], 0),
        }
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

    fn whole_key(&self, source: &Source) -> [u64; LONGEST_KEY] {
        let mut row = vec![0; R::row_bytes()];
        self.fill_one(source, &mut row);
        std::array::from_fn(|i| if i < R::KEY { word(&row, i) } else { 0 })
    }
}

/// The `i`th eight bytes as a number.
#[inline]
fn word(row: &[u8], i: usize) -> u64 {
    row[8 * i..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
