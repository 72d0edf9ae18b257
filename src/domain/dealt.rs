//! Rows dealt out to processes in the order of a file, some at a time.
//!
//! In: the things of this process and who gets which. Out: the rows that this process got, in portions that stay in the
//! cache and in memory that is used again: fresh memory costs as much as the disk. While this thread writes one, others
//! make the next.

use std::ops::Range;
use std::thread::available_parallelism;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::portion::{Desk, Portion};
use super::queue::{AHEAD, Queue, Run, count};
use super::spread::Shares;
use crate::comm::Comm;
use crate::state::{Row, fetch};

/// Runs packed at once by a thread.
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
        let turns: Vec<_> = turns.map(|(process, portion)| shares.turn(&queue.0, process, portion)).collect();
        let rows = |own: &[Range<usize>]| own.iter().map(|turn| count(&queue.0[turn.clone()]) as u64).sum();
        let mut counts: Vec<u64> = turns.chunks(portions).map(rows).collect();
        comm.sum(&mut counts);
        let count = counts[comm.rank()] as usize;
        let pool = || ThreadPoolBuilder::new().num_threads(1).build();
        // A machine that has no thread left does without.
        let spare = if rayon::current_num_threads() == 1 && has_help(comm) { pool().ok() } else { None };
        let mut dealt = Self { comm, things, queue, turns, portions, dealt: 0, room: Room::default(), count, spare };
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
            let own = this.turn(rank, turn);
            let portion = Portion { own, things: this.things, came, rank, parts: &[], len: 0 };
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
            let mut rows = vec![R::Words::default(); portion.len()];
            portion.fill(0, &mut rows);
            rows.iter().map(R::from_words).collect()
        };
        while let Some(rows) = self.next(read, || ()) {
            all.extend(rows);
        }
        all
    }

    /// What of ours goes to `process` in that turn.
    fn turn(&self, process: usize, turn: usize) -> &[Run] {
        &self.queue.0[self.turns[process * self.portions + turn].clone()]
    }

    /// What goes to other processes in that turn, as rows.
    fn pack(&self, turn: usize, packed: &mut Vec<Vec<u8>>) {
        // What an exchange leaves there need not be a list for every process.
        packed.resize(self.comm.size(), Vec::new());
        for (process, packed) in packed.iter_mut().enumerate() {
            let is_ours = process == self.comm.rank() || turn == self.portions;
            let runs = if is_ours { &[] } else { self.turn(process, turn) };
            packed.resize(count(runs) * R::row_bytes(), 0);
            let (mut blocks, mut rest) = (Vec::new(), &mut packed[..]);
            for runs in runs.chunks(BLOCK) {
                let (block, others) = rest.split_at_mut(count(runs) * R::row_bytes());
                blocks.push((runs, block));
                rest = others;
            }
            blocks.into_par_iter().for_each(|(runs, block)| {
                let things = |run: &Run| &self.things[run.places()];
                let mut rows = block.chunks_exact_mut(R::row_bytes());
                for (k, run) in runs.iter().enumerate() {
                    runs.get(k + AHEAD).into_iter().flat_map(things).for_each(fetch);
                    things(run).iter().zip(&mut rows).for_each(|(thing, row)| thing.fill_row(row));
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
    use crate::domain::queue::Roster;
    use crate::state::{BodyId, ContactId, History, Memory, Record};

    #[test]
    fn rows_come_in_the_order_of_their_ids_from_whatever_processes() {
        let record = |a: u64, b: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature: a ^ b };
            let memory = Memory::of(0.5);
            let tangent = nalgebra::Vector3::new(0.0, a as f64, 1.0);
            Record::<Space> { id, normal: (a * 100 + b) as f64, tangent, memory }
        };
        // Each has two contacts with others and one with the obstacle 0 or 1, of which every process has some.
        let records = |id: u64| [record(id % 2, id), record(id, id + 4), record(id, id + 1)];
        let deal = |comm: &dyn Comm| {
            let (rank, size) = (comm.rank() as u64, comm.size() as u64);
            let ids: Vec<u64> = (2..102).rev().filter(|id| id / 3 % size == rank).collect();
            let pairs: Vec<_> = (0..).zip(&ids).flat_map(|(i, &id)| records(id).map(|own| (i, own))).collect();
            let history = History::new(ids.len(), &pairs);
            let queue = Roster::of(ids.iter().copied().zip(0..).collect()).line_up_records(&history);
            let shares = Shares::new(comm, queue.0.iter().map(|run| (run.key, run.count.into())), Some(7));
            let dealt = Dealt::new(comm, &shares, history.records(), queue);
            assert!(dealt.portions > 1);
            (dealt.len(), dealt.whole())
        };
        let mut expected: Vec<_> = (2..102).flat_map(records).collect();
        expected.sort_by(Record::compare);
        for got in [vec![deal(&Alone)], crew(1, deal), crew(3, deal)] {
            assert!(got.iter().all(|(count, rows)| *count == rows.len() && rows.len() > 30));
            assert_eq!(got.into_iter().flat_map(|(_, rows)| rows).collect::<Vec<_>>(), expected);
        }
    }
}
