//! Rows dealt out to processes in the order of a file, some at a time.
//!
//! In: the things of this process and who gets which. Out: the rows that this process got, in portions that stay in the
//! cache and in memory that is used again: fresh memory costs as much as the disk. While this thread writes one, others
//! make the next.

use std::ops::Range;
use std::thread::available_parallelism;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::portion::{AHEAD, Desk, Portion};
use super::queue::Queue;
use super::spread::Shares;
use crate::comm::Comm;
use crate::state::{Row, Words, fetch};

/// Rows packed at once by a thread.
const BLOCK: usize = 1024;

/// Is there a core for something on the side? Where every core has a process already, one thread more is only in the way.
pub fn has_help(comm: &dyn Comm) -> bool {
    rayon::current_num_threads() > 1 || available_parallelism().is_ok_and(|cores| cores.get() > comm.size())
}

/// The rows of this process, in order.
pub struct Dealt<'a, R: Row> {
    comm: &'a dyn Comm,
    things: &'a [R],
    /// Our things, by process and portion.
    queue: Queue,
    /// Which of `queue` go where: all portions of the first process, then those of the next.
    turns: Vec<Range<usize>>,
    /// The ids of every portion of ours: the lowest, and how many.
    ids: Vec<(u64, u64)>,
    portions: usize,
    /// Portions dealt already.
    dealt: usize,
    room: Room,
    count: usize,
    /// Where one thread does everything, one more that makes rows while it writes.
    spare: Option<ThreadPool>,
}

/// Memory that portions use one after the other.
#[derive(Default)]
struct Room {
    /// What goes to other processes next.
    packed: Vec<Vec<u8>>,
    /// What came from them.
    came: Vec<Vec<u8>>,
    desk: Desk,
}

impl<'a, R: Row + Sync> Dealt<'a, R> {
    /// Collective. The things `queue` has, go where `shares` says.
    pub(super) fn new(comm: &'a dyn Comm, shares: &Shares, things: &'a [R], queue: Queue) -> Self {
        let (size, portions) = (comm.size(), shares.portions);
        let turns = (0..size).flat_map(|process| (0..portions).map(move |portion| (process, portion)));
        let turns: Vec<_> = turns.map(|(process, portion)| shares.turn(&queue.bins, process, portion)).collect();
        let ids = (0..portions).map(|portion| shares.ids(comm.rank(), portion)).collect();
        let count = |own: &[Range<usize>]| own.iter().map(|turn| turn.len() as u64).sum();
        let mut counts: Vec<u64> = turns.chunks(portions).map(count).collect();
        comm.sum(&mut counts);
        let count = counts[comm.rank()] as usize;
        let pool = || ThreadPoolBuilder::new().num_threads(1).build();
        // A machine that has no thread left does without.
        let spare = if rayon::current_num_threads() == 1 && has_help(comm) { pool().ok() } else { None };
        let mut dealt =
            Self { comm, things, queue, turns, ids, portions, dealt: 0, room: Room::default(), count, spare };
        let mut packed = std::mem::take(&mut dealt.room.packed);
        dealt.pack(0, &mut packed);
        dealt.room.packed = packed;
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
    /// this thread does something else meanwhile, unless there is no next one.
    pub fn next<T: Send>(&mut self, make: impl FnOnce(Portion<R>) -> T + Send, meanwhile: impl FnOnce()) -> Option<T> {
        if self.dealt == self.portions {
            return None;
        }
        let mut room = std::mem::take(&mut self.room);
        self.comm.exchange(&mut room.packed, &mut room.came);
        let (rank, turn) = (self.comm.rank(), self.dealt);
        self.dealt += 1;
        let (this, mut made, Room { packed, came, desk }) = (&*self, None, &mut room);
        let work = || {
            let own = this.own(rank, turn);
            let (keys, own) = (&this.queue.keys[own.clone()], &this.queue.order[own]);
            let portion = Portion { own, keys, ids: this.ids[turn], things: this.things, came, rank, sources: &[] };
            made = Some(make(portion.merge(desk)));
            this.pack(turn + 1, packed);
        };
        match &this.spare {
            Some(spare) => spare.in_place_scope(|scope| {
                scope.spawn(|_| work());
                meanwhile();
            }),
            // A file has one writer at a time: processes of one thread take turns, and half of them make rows meanwhile.
            None if rank % 2 == 1 && rayon::current_num_threads() == 1 => {
                work();
                meanwhile();
            }
            None => rayon::in_place_scope(|scope| {
                scope.spawn(|_| work());
                meanwhile();
            }),
        }
        self.room = room;
        made
    }

    /// Collective. All rows, read back.
    pub fn whole(mut self) -> Vec<R>
    where
        R: Send,
    {
        let mut all = Vec::with_capacity(self.len());
        let read = |portion: Portion<R>| -> Vec<R> {
            let mut rows = vec![Words::default(); portion.len()];
            portion.fill(0, &mut rows);
            rows.iter().map(R::from_words).collect()
        };
        while let Some(rows) = self.next(read, || ()) {
            all.extend(rows);
        }
        all
    }

    /// Those of our queue that go to `process` in that turn.
    fn own(&self, process: usize, turn: usize) -> Range<usize> {
        self.turns[process * self.portions + turn].clone()
    }

    /// What goes to other processes in that turn, as rows.
    fn pack(&self, turn: usize, packed: &mut Vec<Vec<u8>>) {
        // What an exchange leaves there need not be a list for every process.
        packed.resize(self.comm.size(), Vec::new());
        for (process, packed) in packed.iter_mut().enumerate() {
            let is_ours = process == self.comm.rank() || turn == self.portions;
            let places = if is_ours { &[] } else { &self.queue.order[self.own(process, turn)] };
            packed.resize(places.len() * R::row_bytes(), 0);
            let blocks = packed.par_chunks_mut(BLOCK * R::row_bytes()).zip(places.par_chunks(BLOCK));
            blocks.for_each(|(packed, places)| {
                let rows = packed.chunks_exact_mut(R::row_bytes()).zip(places);
                let thing = |marked: u32| &self.things[marked as usize / 2];
                for (k, (row, &own)) in rows.enumerate() {
                    places.get(k + AHEAD).into_iter().for_each(|&next| fetch(thing(next)));
                    thing(own).fill_row(row);
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Alone, crew};
    use crate::dim::Space;
    use crate::domain::queue::Bins;
    use crate::state::{BodyId, ContactId, Memory, Record};

    #[test]
    fn rows_come_in_the_order_of_their_ids_from_whatever_processes() {
        let record = |a: u64, b: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature: a ^ b };
            let memory = Memory::of(0.5);
            let tangent = nalgebra::Vector3::new(0.0, a as f64, 1.0);
            Record::<Space> { id, normal: (a * 100 + b) as f64, tangent, memory }
        };
        // Every process has contacts of every body.
        let deal = |comm: &dyn Comm| {
            let own: Vec<_> = (0..40).rev().map(|i| record(i % 10, 3 * i + comm.rank() as u64)).collect();
            let places: Vec<u32> = (0..own.len() as u32).collect();
            let shares = Shares::new(comm, &Bins::of(&(0..10).collect::<Vec<u64>>()), Some(2));
            let dealt = Dealt::new(comm, &shares, &own, Queue::new(&own, &places));
            assert!(dealt.portions > 1);
            (dealt.len(), dealt.whole())
        };
        for got in [vec![deal(&Alone)], crew(1, deal), crew(3, deal)] {
            assert!(got.iter().all(|(count, rows)| *count == rows.len() && rows.len() > 30));
            let mut expected: Vec<_> = (0..got.len() as u64)
                .flat_map(|rank| (0..40).map(move |i| (i, rank)))
                .map(|(i, rank)| record(i % 10, 3 * i + rank))
                .collect();
            expected.sort_by(Record::compare);
            assert_eq!(got.into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>(), expected);
        }
    }
}
