//! Rows dealt out to processes in the order of a file, some at a time.
//!
//! In: the things of this process and who gets which. Out: the rows that this process got, in portions that stay in the
//! cache and in memory that is used again: fresh memory costs as much as the disk. While this thread writes one, others
//! make the next.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::spread::Shares;
use crate::comm::Comm;
use crate::state::Row;

/// Rows packed at once by a thread.
const BLOCK: usize = 1024;

/// The rows of this process, in order.
pub struct Dealt<'a, R: Row> {
    comm: &'a dyn Comm,
    things: &'a [R],
    /// Our things, by key.
    queue: Queue,
    /// The portion and process from which on things of `queue` go there; by process, then by portion.
    ends: Vec<usize>,
    portions: usize,
    /// Portions dealt already.
    dealt: usize,
    /// What goes to other processes next.
    packed: Vec<Vec<u8>>,
    count: usize,
}

/// Things in the order of their keys.
pub(super) struct Queue {
    /// Where they are.
    pub(super) order: Vec<u32>,
    /// The first number of the key of each.
    pub(super) keys: Vec<u64>,
}

impl Queue {
    /// The things at `places`, which rise. `compare` tells things of the same key apart.
    pub(super) fn new<R: Row + Sync>(
        things: &[R],
        places: &[u32],
        compare: impl Fn(&R, &R) -> Ordering + Sync,
    ) -> Self {
        let thing = |place: &u32| &things[*place as usize];
        let mut queue = sort_by_key(places, places.par_iter().map(|place| thing(place).key()).collect());
        settle_ties(&mut queue.order, &queue.keys, &|tie| {
            // What one body keeps is in order already.
            if !tie.is_sorted_by(|a, b| compare(thing(a), thing(b)).is_le()) {
                tie.sort_unstable_by(|a, b| compare(thing(a), thing(b)));
            }
        });
        queue
    }
}

/// Has things of the same key settled, where there are several. Halves of what is long go to different threads.
fn settle_ties(order: &mut [u32], keys: &[u64], settle: &(impl Fn(&mut [u32]) + Sync)) {
    let half = keys.len() / 2;
    if half > BLOCK {
        let middle = half + keys[half..].partition_point(|&key| key == keys[half]);
        let ((low, high), (first, rest)) = (order.split_at_mut(middle), keys.split_at(middle));
        if !rest.is_empty() {
            rayon::join(|| settle_ties(low, first, settle), || settle_ties(high, rest, settle));
            return;
        }
    }
    let mut rest = order;
    for same in keys.chunk_by(|a, b| a == b) {
        let (own, others) = rest.split_at_mut(same.len());
        rest = others;
        if own.len() > 1 {
            settle(own);
        }
    }
}

/// Some rows, in order.
pub struct Portion<'a, R: Row> {
    /// Where those are that this process had already, and their keys.
    own: &'a [u32],
    keys: &'a [u64],
    things: &'a [R],
    /// Of each other process: what came from there.
    came: Vec<Vec<u8>>,
    sources: Vec<Source>,
    rank: u32,
}

/// Where a row of a portion comes from. In the order of these, but for rows of several processes with the same key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    key: u64,
    process: u32,
    /// Its number among those from there.
    number: u32,
}

impl<R: Row + Sync> Portion<'_, R> {
    /// How many rows.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Rows from number `first` on, as many as fill `room`. One after the other and nothing in between: they lie all over
    /// the memory, and are fetched side by side so.
    pub fn fill(&self, first: usize, room: &mut [u8]) {
        let length = R::row_bytes();
        for (row, source) in room.chunks_exact_mut(length).zip(&self.sources[first..]) {
            self.fill_one(source, row);
        }
    }

    fn fill_one(&self, &Source { process, number, .. }: &Source, row: &mut [u8]) {
        let (number, length) = (number as usize, row.len());
        match process == self.rank {
            true => self.things[self.own[number] as usize].fill_row(row),
            false => row.copy_from_slice(&self.came[process as usize][number * length..][..length]),
        }
    }

    /// Puts its rows in order, by the keys at their heads. What came from one process is in order already.
    fn merge(&mut self) {
        let length = R::row_bytes();
        self.sources.reserve(self.own.len() + self.came.iter().map(|bytes| bytes.len() / length).sum::<usize>());
        for (process, came) in (0..).zip(&self.came) {
            let source = |(number, key)| Source { key, process, number };
            match process == self.rank {
                true => self.sources.extend((0..).zip(self.keys.iter().copied()).map(source)),
                false => self.sources.extend((0..).zip(came.chunks_exact(length).map(|row| word(row, 0))).map(source)),
            }
        }
        // Runs that are in order are merged as such.
        self.sources.sort();
        if R::KEY == 1 {
            return;
        }
        let mut sources = std::mem::take(&mut self.sources);
        for same in sources.chunk_by_mut(|a, b| a.key == b.key) {
            if same.first().map(|source| source.process) != same.last().map(|source| source.process) {
                same.sort_by_cached_key(|source| self.whole_key(source));
            }
        }
        self.sources = sources;
    }

    fn whole_key(&self, source: &Source) -> [u64; LONGEST_KEY] {
        let mut row = vec![0; R::row_bytes()];
        self.fill_one(source, &mut row);
        std::array::from_fn(|i| if i < R::KEY { word(&row, i) } else { 0 })
    }
}

/// Keys of rows have so many numbers at most.
const LONGEST_KEY: usize = 3;

impl<'a, R: Row + Sync> Dealt<'a, R> {
    /// Collective. The things `queue` has, go where `shares` says.
    pub(super) fn new(comm: &'a dyn Comm, shares: &Shares, things: &'a [R], queue: Queue) -> Self {
        const { assert!(R::KEY <= LONGEST_KEY) };
        let (size, portions) = (comm.size(), shares.portions);
        let turns = (0..size).flat_map(|process| (0..portions).map(move |portion| (process, portion)));
        let ends: Vec<usize> = turns.map(|turn| queue.keys.partition_point(|&key| shares.part(key) <= turn)).collect();
        let mut counts = vec![0u64; size];
        for (process, count) in counts.iter_mut().enumerate() {
            let before = if process == 0 { 0 } else { ends[process * portions - 1] };
            *count = (ends[(process + 1) * portions - 1] - before) as u64;
        }
        comm.sum(&mut counts);
        let count = counts[comm.rank()] as usize;
        let mut dealt = Self { comm, things, queue, ends, portions, dealt: 0, packed: Vec::new(), count };
        dealt.packed = dealt.pack(0);
        dealt
    }

    /// How many rows this process gets in all.
    pub fn len(&self) -> usize {
        self.count
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Collective: every process has the same number of portions, some of them empty. What `make` makes of the next one;
    /// this thread does something else meanwhile.
    pub fn next<T: Send>(&mut self, make: impl FnOnce(Portion<R>) -> T + Send, meanwhile: impl FnOnce()) -> Option<T> {
        if self.dealt == self.portions {
            meanwhile();
            return None;
        }
        let came = self.comm.all_to_all(std::mem::take(&mut self.packed));
        let (rank, turn) = (self.comm.rank(), self.dealt);
        self.dealt += 1;
        let (this, mut made, mut packed) = (&*self, None, Vec::new());
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                let (own, things, rank) = (this.own(rank, turn), this.things, rank as u32);
                let (keys, own) = (&this.queue.keys[own.clone()], &this.queue.order[own]);
                let mut portion = Portion { own, keys, things, came, sources: Vec::new(), rank };
                portion.merge();
                made = Some(make(portion));
                packed = this.pack(turn + 1);
            });
            meanwhile();
        });
        self.packed = packed;
        made
    }

    /// Collective. All rows, read back.
    pub fn whole(mut self) -> Vec<R>
    where
        R: Send,
    {
        let mut all = Vec::with_capacity(self.len());
        let read = |portion: Portion<R>| -> Vec<R> {
            let mut rows = vec![0; portion.len() * R::row_bytes()];
            portion.fill(0, &mut rows);
            R::read_rows(&rows).collect()
        };
        while let Some(rows) = self.next(read, || ()) {
            all.extend(rows);
        }
        all
    }

    /// Those of our queue that go to `process` in that turn.
    fn own(&self, process: usize, turn: usize) -> Range<usize> {
        let turn = process * self.portions + turn;
        let before = if turn == 0 { 0 } else { self.ends[turn - 1] };
        before..self.ends[turn]
    }

    /// What goes to other processes in that turn, as rows.
    fn pack(&self, turn: usize) -> Vec<Vec<u8>> {
        let others = (0..self.comm.size()).map(|process| match process == self.comm.rank() || turn == self.portions {
            true => Vec::new(),
            false => self.rows(&self.queue.order[self.own(process, turn)]),
        });
        others.collect()
    }

    /// The things at `places` as rows.
    fn rows(&self, places: &[u32]) -> Vec<u8> {
        let mut packed = vec![0; places.len() * R::row_bytes()];
        let blocks = packed.par_chunks_mut(BLOCK * R::row_bytes()).zip(places.par_chunks(BLOCK));
        blocks.for_each(|(packed, places)| {
            for (row, &place) in packed.chunks_exact_mut(R::row_bytes()).zip(places) {
                self.things[place as usize].fill_row(row);
            }
        });
        packed
    }
}

/// The `i`th eight bytes as a number.
#[inline]
fn word(row: &[u8], i: usize) -> u64 {
    row[8 * i..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Rising `places` in the order of their `keys`. Ids are mostly without gaps: then each key says where its place goes,
/// and one thread is as fast as several that compare.
fn sort_by_key(places: &[u32], keys: Vec<u64>) -> Queue {
    let low = keys.par_iter().copied().min().unwrap_or(0);
    let range = keys.par_iter().copied().max().unwrap_or(0) - low;
    if range > 4 * keys.len() as u64 + 1024 || rayon::current_num_threads() > 4 {
        let mut pairs: Vec<(u64, u32)> = keys.into_par_iter().zip(places.par_iter().copied()).collect();
        pairs.par_sort_unstable();
        let mut queue = Queue { order: Vec::new(), keys: Vec::new() };
        pairs.into_par_iter().unzip_into_vecs(&mut queue.keys, &mut queue.order);
        return queue;
    }
    let mut next = vec![0u32; range as usize + 2];
    keys.iter().for_each(|key| next[(key - low) as usize + 1] += 1);
    let mut before = 0;
    for count in &mut next {
        before += *count;
        *count = before;
    }
    let (mut order, mut sorted) = (vec![0; places.len()], vec![0; places.len()]);
    for (key, place) in keys.iter().zip(places) {
        let slot = &mut next[(key - low) as usize];
        order[*slot as usize] = *place;
        sorted[*slot as usize] = *key;
        *slot += 1;
    }
    Queue { order, keys: sorted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::crew;
    use crate::dim::Space;
    use crate::state::{BodyId, ContactId, Memory, Record};

    #[test]
    fn places_are_sorted_by_key_whether_keys_are_dense_or_far_apart() {
        for spacing in [1, 1 << 40] {
            let keys: Vec<u64> = (0..5000u64).map(|i| 7 + i * 2_654_435_761 % 5000 * spacing).collect();
            let places: Vec<u32> = (0..5000).map(|i| 3 * i).collect();
            let queue = sort_by_key(&places, keys.clone());
            let sorted: Vec<u64> = queue.order.iter().map(|&place| keys[place as usize / 3]).collect();
            assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]) && sorted == queue.keys && sorted.len() == 5000);
        }
        assert!(sort_by_key(&[], Vec::new()).order.is_empty());
    }

    #[test]
    fn rows_come_in_the_order_of_their_ids_from_whatever_processes() {
        let record = |a: u64, b: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature: a ^ b };
            let memory = Memory::of(0.5);
            let tangent = nalgebra::Vector3::new(0.0, a as f64, 1.0);
            Record::<Space> { id, normal: (a * 100 + b) as f64, tangent, memory }
        };
        // Every process has contacts of every body.
        let got = crew(3, |comm| {
            let own: Vec<_> = (0..40).rev().map(|i| record(i % 10, 3 * i + comm.rank() as u64)).collect();
            let places: Vec<u32> = (0..own.len() as u32).collect();
            let shares = Shares::new(comm, &(0..10).collect::<Vec<u64>>(), Some(2));
            let dealt = Dealt::new(comm, &shares, &own, Queue::new(&own, &places, Record::compare));
            assert!(dealt.portions > 1);
            (dealt.len(), dealt.whole())
        });
        assert!(got.iter().all(|(count, rows)| *count == rows.len() && rows.len() > 30));
        let got: Vec<_> = got.into_iter().map(|(_, rows)| rows).collect();
        let mut expected: Vec<_> = (0..3)
            .flat_map(|rank| (0..40).map(move |i| (i, rank)))
            .map(|(i, rank)| record(i % 10, 3 * i + rank))
            .collect();
        expected.sort_by(Record::compare);
        assert_eq!(got.concat(), expected);
    }
}
