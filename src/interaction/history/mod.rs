//! Contact history, by persistent contact id: the impulses of the last step for the warm start, and the states of the
//! laws.
//!
//! Each record is stored under the body that will look it up, in compressed-row layout with offsets, so that a lookup
//! reads one or two cache lines and needs no hashing. Records lie in blocks of consecutive bodies. The memory of the
//! blocks serves as scratch memory between the last use of the old records and the creation of the new ones.

mod gather;
pub(crate) mod packed;
pub(crate) mod record;

use crate::law::LawState;
pub use gather::{ContactSource, RecordFormat, RecordSorting};
pub use record::{ContactId, ContactRecord};
use std::ops::Range;

use crate::base::scratch::ScratchBlock;
use crate::dim::Dim;
use packed::RecordBlock;

/// Records with the local index of the body that will look each of them up.
pub type SearchedRecords<X> = Vec<(u32, ContactRecord<X>)>;

/// The records of one step, stored under the bodies that will look them up.
#[derive(Clone, Debug)]
pub struct ContactHistory<X: Dim> {
    /// Number of records of all bodies before each body; the last entry is the total.
    offsets: Vec<u32>,
    blocks: Vec<RecordBlock<X>>,
    /// Number of bodies per block.
    bodies_per_block: usize,
}

impl<X: Dim> Default for ContactHistory<X> {
    fn default() -> Self {
        Self { offsets: Vec::new(), blocks: Vec::new(), bodies_per_block: 1 }
    }
}

impl<X: Dim> PartialEq for ContactHistory<X> {
    fn eq(&self, other: &Self) -> bool {
        self.offsets == other.offsets && self.iter().eq(other.iter())
    }
}

impl<X: Dim> ContactHistory<X> {
    /// From `(body, record)` pairs in any order; `bodies` is the number of bodies of this process.
    pub fn new(bodies: usize, mut pairs: SearchedRecords<X>) -> Self {
        let mut history = Self {
            offsets: vec![0; bodies + 1],
            blocks: vec![RecordBlock::default()],
            bodies_per_block: bodies.max(1),
        };
        history.insert(&mut pairs);
        history
    }

    fn bodies(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Keeps the records of the bodies that stay, and drops all others.
    pub fn retain(&mut self, stays: impl Fn(usize) -> bool) {
        let Self { offsets, bodies_per_block, .. } = self;
        let (mut from, mut kept) = (0, 0);
        for (block, records) in self.blocks.iter_mut().enumerate() {
            let starts = [from, kept];
            for body in (block * *bodies_per_block..offsets.len() - 1).take(*bodies_per_block) {
                let to = offsets[body + 1];
                if stays(body) {
                    let own = (from - starts[0]) as usize..(to - starts[0]) as usize;
                    records.shift(own, (kept - starts[1]) as usize);
                    kept += to - from;
                }
                (offsets[body + 1], from) = (kept, to);
            }
            records.resize((kept - starts[1]) as usize);
        }
    }

    /// Adds records to bodies; sorts `pairs` by body.
    pub fn insert(&mut self, pairs: &mut [(u32, ContactRecord<X>)]) {
        pairs.sort_unstable_by_key(|(body, _)| *body);
        if pairs.iter().any(|(_, record)| record.id.feature != 0 || !record.memory.is_zero()) {
            self.blocks.iter_mut().for_each(RecordBlock::make_complete);
        }
        let bodies = self.bodies();
        let Self { offsets, bodies_per_block, .. } = self;
        // Works backwards from the last body: `rest` counts the new records of the bodies up to the current one, by
        // which its records must be shifted.
        let mut rest = pairs.len();
        for (block, records) in self.blocks.iter_mut().enumerate().rev() {
            let [first, end] = [block, block + 1].map(|block| (block * *bodies_per_block).min(bodies));
            let before = pairs[..rest].partition_point(|(body, _)| (*body as usize) < first);
            let (start, mut to) = (offsets[first] as usize, offsets[end] as usize);
            records.resize(to - start + rest - before);
            for body in (first..end).rev() {
                if rest == 0 {
                    return;
                }
                let (from, last) = (offsets[body] as usize, to - start + rest - before);
                offsets[body + 1] = (to + rest) as u32;
                let more = pairs[..rest].iter().rev().take_while(|pair| pair.0 as usize == body).count();
                rest -= more;
                let first_new = from - start + rest - before;
                records.shift(from - start..to - start, first_new);
                let new = (last - more..).zip(&pairs[rest..rest + more]);
                new.for_each(|(number, (_, record))| records.set(number, record));
                if more > 0 {
                    records.sort(first_new..last);
                }
                to = from;
            }
        }
    }

    /// The block with the records of a body, and their range in it.
    #[inline(always)]
    fn at(&self, body: usize) -> Option<(&RecordBlock<X>, Range<usize>)> {
        let ends = self.offsets.get(body..body + 2)?;
        // A 32-bit division takes half the time of a 64-bit one.
        let block = (body as u32 / self.bodies_per_block as u32) as usize;
        let start = self.offsets[block * self.bodies_per_block] as usize;
        Some((&self.blocks[block], ends[0] as usize - start..ends[1] as usize - start))
    }

    /// The record of contact `id`, if body `body` has one.
    #[inline(always)]
    pub fn find(&self, body: u32, id: ContactId) -> Option<ContactRecord<X>> {
        let (block, own) = self.at(body as usize)?;
        block.find(own, id)
    }

    /// The law state of contact `id`, if body `body` has a record of it. A contact point with a new name takes the
    /// state of a point of the same pair that has disappeared, as when flush edges swap sides: each state passes to one
    /// point, the greatest first. `present` are the features of all points of the pair, increasing. Links have names of
    /// their own and take nothing over.
    pub fn memory(&self, body: u32, id: ContactId, present: impl FnOnce() -> Vec<u64>) -> LawState<X> {
        let own = self.at(body as usize).map_or(&[][..], |(block, own)| block.complete(own));
        let from = own.partition_point(|r| (r.id.a, r.id.b) < (id.a, id.b));
        let pair = own[from..].iter().take_while(|r| (r.id.a, r.id.b) == (id.a, id.b));
        match own.binary_search_by_key(&id, |r| r.id) {
            Ok(position) => own[position].memory,
            Err(_) if id.is_link() => LawState::zero(),
            Err(_) => {
                let recorded: Vec<&ContactRecord<X>> = pair.filter(|r| !r.id.is_link()).collect();
                if recorded.is_empty() { LawState::zero() } else { taken_over(&recorded, id.feature, &present()) }
            }
        }
    }

    /// The records of body `body`.
    pub fn of(&self, body: usize) -> impl Iterator<Item = ContactRecord<X>> {
        self.at(body).into_iter().flat_map(|(block, own)| own.map(|number| block.get(number)))
    }

    /// The range of the records of body `body` among all records.
    pub fn places(&self, body: usize) -> Range<usize> {
        match (self.offsets.get(body), self.offsets.get(body + 1)) {
            (Some(&from), Some(&to)) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.offsets.last().map_or(0, |&count| count as usize)
    }

    /// Are there no records?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All records, grouped by body.
    pub fn iter(&self) -> impl Iterator<Item = ContactRecord<X>> {
        self.blocks.iter().flat_map(|block| (0..block.len()).map(|number| block.get(number)))
    }

    /// The block with record `index`, and the number of the record in the block.
    fn block_of(&self, index: usize) -> (&RecordBlock<X>, usize) {
        let (mut block, mut end) = (0, self.blocks.len());
        // Bisection for the last block that begins at or before `index`.
        while end - block > 1 {
            let middle = (block + end) / 2;
            let start = self.offsets[(middle * self.bodies_per_block).min(self.bodies())];
            if start as usize <= index { block = middle } else { end = middle }
        }
        (&self.blocks[block], index - self.offsets[block * self.bodies_per_block] as usize)
    }

    /// Record `index`.
    pub fn get(&self, index: usize) -> ContactRecord<X> {
        let (block, number) = self.block_of(index);
        block.get(number)
    }

    /// Prefetches record `index`.
    pub fn fetch(&self, index: usize) {
        let (block, number) = self.block_of(index);
        block.fetch(number);
    }

    /// Follows the bodies to their new positions: `order[new]` is the old position.
    pub fn reorder(&mut self, order: &[u32]) {
        if self.bodies() != order.len() {
            return; // No step has been made yet: the history is empty.
        }
        let mut offsets = vec![0];
        let mut blocks = vec![RecordBlock::default(); self.blocks.len()];
        let counts = self.blocks.iter().map(RecordBlock::len);
        let is_complete = self.blocks.first().is_some_and(RecordBlock::is_complete);
        blocks.iter_mut().zip(counts).for_each(|(block, count)| block.start(count, is_complete));
        for (new, &old) in order.iter().enumerate() {
            self.of(old as usize).for_each(|record| blocks[new / self.bodies_per_block].push(&record));
            offsets.push(offsets[new] + self.places(old as usize).len() as u32);
        }
        blocks.iter_mut().for_each(RecordBlock::trim);
        (self.offsets, self.blocks) = (offsets, blocks);
    }

    /// Discards all records and returns the memory of the blocks.
    pub fn leave(&mut self) -> impl Iterator<Item = ScratchBlock> {
        self.offsets.clear();
        self.blocks.iter_mut().map(RecordBlock::leave)
    }

    /// Gives the blocks this memory; the history is empty.
    pub fn take_scratch<const N: usize>(&mut self, scratch: impl ExactSizeIterator<Item = [ScratchBlock; N]>) {
        self.blocks.resize_with(N * scratch.len(), RecordBlock::default);
        self.blocks.iter_mut().zip(scratch.flatten()).for_each(|(block, scratch)| block.take_scratch(scratch));
    }
}

/// The state that a point with a new name takes over from those of its pair that were `recorded`, in the order of their
/// features, and are no longer `present`.
fn taken_over<X: Dim>(recorded: &[&ContactRecord<X>], feature: u64, present: &[u64]) -> LawState<X> {
    let is_recorded = |feature: &u64| recorded.binary_search_by_key(feature, |r| r.id.feature).is_ok();
    let before = present.iter().take_while(|other| **other < feature).filter(|other| !is_recorded(other)).count();
    let gone = recorded.iter().filter(|r| present.binary_search(&r.id.feature).is_err());
    let mut gone: Vec<LawState<X>> = gone.map(|r| r.memory).collect();
    gone.sort_by(|a, b| b.state.total_cmp(&a.state));
    gone.get(before).copied().unwrap_or(LawState::zero())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::dim::Space;
    use nalgebra::Vector3;

    fn record(a: u64, b: u64, normal: f64) -> ContactRecord<Space> {
        let id = ContactId { a: BodyId(a), b: BodyId(b), feature: 0 };
        let memory = LawState { state: 0.5, area: 0.0, stretch: Vector3::new(0.0, 0.0, 2.0) };
        ContactRecord { id, normal, tangent: Vector3::new(0.0, 3.0, 4.0), memory }
    }

    #[test]
    fn a_record_is_found_under_its_body_also_after_bodies_moved() {
        let entries = [(2, record(5, 9, 1.0)), (0, record(1, 2, 2.0)), (2, record(5, 6, 3.0))];
        let mut history = ContactHistory::new(3, entries.to_vec());
        assert_eq!(history.find(2, entries[0].1.id).unwrap().normal, 1.0);
        assert_eq!(history.find(1, entries[0].1.id), None);
        history.reorder(&[2, 1, 0]);
        assert_eq!(history.find(0, entries[2].1.id).unwrap().normal, 3.0);
        assert_eq!(history.find(2, entries[1].1.id).unwrap().normal, 2.0);
    }

    /// Contacts of which every third is not kept.
    struct Pairs(SearchedRecords<Space>);

    impl ContactSource for Pairs {
        fn contacts(&self) -> usize {
            self.0.len()
        }
        fn kept(&self) -> impl Iterator<Item = (usize, u32)> {
            self.0.iter().map(|pair| pair.0).enumerate().filter(|(k, _)| k % 3 != 1)
        }
    }

    /// Bodies with records of two contacts each, from three lists, in `blocks` blocks; `keeps`: do laws keep a state?
    fn gathered(bodies: u32, blocks: usize, keeps: bool) -> ContactHistory<Space> {
        let pair = |body: u32, k: u32| (body, plain(body, k, keeps));
        let of = |body: u32| [pair(body, 5), pair(body, 7), pair(body, 2)];
        let list = |bodies: std::ops::Range<u32>| Pairs(bodies.rev().flat_map(of).collect());
        let lists = [list(bodies / 3..bodies), list(0..0), list(0..bodies / 3)];
        let mut history = ContactHistory::default();
        let form = RecordFormat { bodies: bodies as usize, blocks, complete: keeps };
        history.gather(form, &lists, |list, k| list.0[k].1, &mut RecordSorting::default());
        history
    }

    fn plain(body: u32, k: u32, keeps: bool) -> ContactRecord<Space> {
        let record = record(body.into(), (body + k).into(), k.into());
        if keeps { record } else { ContactRecord { memory: LawState::zero(), ..record } }
    }

    #[test]
    fn records_of_many_bodies_are_in_order_in_however_many_blocks() {
        for (bodies, blocks, keeps) in
            [(1000, 1, false), (1000, 7, true), (1000, 9, false), (3, 6, false), (0, 2, true)]
        {
            let history = gathered(bodies, blocks, keeps);
            let expected = || (0..bodies).flat_map(|body| [2, 5].map(|k| plain(body, k, keeps)));
            assert!(history.iter().eq(expected()) && history.len() == 2 * bodies as usize);
            assert!((0..history.len()).map(|number| history.get(number)).eq(expected()));
            assert!((0..bodies).flat_map(|body| history.of(body as usize)).eq(expected()));
            assert!(
                (0..bodies).all(|body| history.places(body as usize) == (2 * body as usize..2 * body as usize + 2))
            );
            let mut moved = history.clone();
            let order: Vec<u32> = (0..bodies).map(|new| (new * 7 + 3) % bodies).collect();
            moved.reorder(&order);
            assert!((0..bodies as usize).all(|new| moved.of(new).eq(history.of(order[new] as usize))));
        }
    }

    #[test]
    fn records_that_come_later_join_those_of_bodies_that_stay() {
        for (blocks, keeps) in [(1, false), (5, false), (8, true)] {
            let bodies = 400;
            let mut history = gathered(bodies, blocks, keeps);
            let pair = |body: u32, k: u32| (body, plain(body, k, body == 7));
            let late = (0..bodies).step_by(7).flat_map(|body| [pair(body, 3), pair(body, 1)]);
            history.retain(|body| body % 2 == 0);
            history.insert(&mut late.collect::<Vec<_>>());
            for body in 0..bodies {
                let expected: &[u32] = match (body % 2 == 0, body % 7 == 0) {
                    (true, true) => &[1, 2, 3, 5],
                    (true, false) => &[2, 5],
                    (false, true) => &[1, 3],
                    (false, false) => &[],
                };
                let found: Vec<_> = history.of(body as usize).map(|own| own.normal as u32).collect();
                assert_eq!(found, expected, "{body}");
            }
            let id = pair(7, 3).1.id;
            assert_eq!(history.memory(7, id, Vec::new).state, 0.5);
            history.insert(&mut []);
            assert_eq!(history.find(7, id), Some(pair(7, 3).1));
        }
    }

    #[test]
    fn the_memory_of_records_is_given_away_and_taken_back() {
        let mut history = gathered(300, 6, false);
        let scratch: Vec<ScratchBlock> = history.leave().collect();
        assert!(history.is_empty() && history.iter().next().is_none());
        assert!(scratch.len() == 6 && scratch.iter().all(|scratch| !scratch.is_none()));
        let mut scratch = scratch.into_iter();
        let threes: Vec<[ScratchBlock; 3]> = (0..2).map(|_| std::array::from_fn(|_| scratch.next().unwrap())).collect();
        history.take_scratch(threes.into_iter());
        assert!(history.leave().all(|scratch| !scratch.is_none()));
    }

    #[test]
    fn points_with_new_names_take_over_the_states_of_those_that_disappeared_each_once() {
        let named = |a, b, feature, state| {
            let mut record = record(a, b, 1.0);
            (record.id.feature, record.memory.state) = (feature, state);
            record
        };
        let entries = [named(1, 2, 5, 0.2), named(1, 2, 7, 0.6), named(1, 3, 5, 0.9), named(1, 2, 9, 0.0)];
        let history = ContactHistory::new(1, entries.map(|record| (0, record)).to_vec());
        let state = |b, feature, present: &[u64]| {
            history.memory(0, ContactId { a: BodyId(1), b: BodyId(b), feature }, || present.to_vec()).state
        };
        assert_eq!([5, 7, 9].map(|feature| state(2, feature, &[5, 7, 9])), [0.2, 0.6, 0.0]);
        // All points are still there: the new one is not bonded.
        assert_eq!(state(2, 6, &[5, 6, 7, 9]), 0.0);
        // Two of three are gone, two are new: the greater state goes to the first, and a third would have none.
        assert_eq!([3, 4, 6].map(|feature| state(2, feature, &[3, 4, 6, 9])), [0.6, 0.2, 0.0]);
        assert_eq!([state(3, 1, &[1]), state(4, 5, &[5])], [0.9, 0.0]);
    }

    #[test]
    fn a_link_inherits_no_state() {
        let named = |feature, state| {
            let mut record = record(1, 2, 1.0);
            (record.id.feature, record.memory.state) = (feature, state);
            record
        };
        let entries = [named(5, 0.2), named(ContactId::link(0), 1.0)];
        let history = ContactHistory::new(1, entries.map(|record| (0, record)).to_vec());
        let state =
            |feature: u64| history.memory(0, ContactId { a: BodyId(1), b: BodyId(2), feature }, || vec![feature]).state;
        assert_eq!([state(ContactId::link(0)), state(ContactId::link(1)), state(7)], [1.0, 0.0, 0.2]);
        assert_eq!(ContactId::link_of(ContactId::link(3)), Some(3));
        assert_eq!(ContactId::link_of(65_535 << 48 | 7), None);
    }

    #[test]
    fn a_rotated_normal_changes_neither_the_normal_nor_the_tangential_length() {
        let n = Vector3::new(1.0, 0.01, -0.02).normalize();
        let p = record(1, 2, 7.0).impulse(n);
        assert!((p.dot(&n) - 7.0).abs() < 1e-14);
        assert!(((p - n * 7.0).norm() - 5.0).abs() < 1e-14);
        let memory = record(1, 2, 7.0).memory.turned(n);
        assert!(memory.stretch.dot(&n).abs() < 1e-14 && (memory.stretch.norm() - 2.0).abs() < 1e-14);
        assert_eq!(memory.state, 0.5);
    }
}
