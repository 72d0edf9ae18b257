//! A block of contact records: full records, or impulses alone where the laws keep no state.

use std::ops::Range;

use bytemuck::Zeroable;

use super::record::{ContactId, ContactRecord, ImpulseRecord, StoredRecord};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::dim::Dim;

/// Number of records of a body up to which a linear search is used.
const FEW: usize = 8;

/// Records by index, in one of two formats.
#[derive(Clone, Debug)]
pub(crate) struct RecordBlock<X: Dim> {
    /// Used where no law keeps a state and bodies touch in one point.
    impulses: ScratchVec<ImpulseRecord<X>>,
    /// Used otherwise.
    records: ScratchVec<ContactRecord<X>>,
    is_whole: bool,
}

impl<X: Dim> Default for RecordBlock<X> {
    fn default() -> Self {
        Self { impulses: ScratchVec::default(), records: ScratchVec::default(), is_whole: false }
    }
}

impl<X: Dim> RecordBlock<X> {
    /// Number of records.
    pub(crate) fn len(&self) -> usize {
        if self.is_whole { self.records.len() } else { self.impulses.len() }
    }

    pub(crate) fn get(&self, number: usize) -> ContactRecord<X> {
        if self.is_whole { self.records[number] } else { self.impulses[number].record() }
    }

    /// The record of contact `id` among the records `own` of one body.
    #[inline(always)]
    pub(crate) fn find(&self, own: Range<usize>, id: ContactId) -> Option<ContactRecord<X>> {
        if self.is_whole { find(&self.records[own], id) } else { find(&self.impulses[own], id) }
    }

    /// The records of one body if they are full; otherwise empty.
    pub(crate) fn whole(&self, own: Range<usize>) -> &[ContactRecord<X>] {
        if self.is_whole { &self.records[own] } else { &[] }
    }

    /// Prefetches record `number`.
    pub(crate) fn fetch(&self, number: usize) {
        match self.is_whole {
            true => crate::base::fetch(&self.records[number]),
            false => crate::base::fetch(&self.impulses[number]),
        }
    }

    /// Empties the block and reserves memory for `count` records, full or not.
    pub(crate) fn start(&mut self, count: usize, is_whole: bool) {
        let scratch = self.leave();
        self.is_whole = is_whole;
        self.take_scratch(scratch);
        match is_whole {
            true => self.records.make_room(count),
            false => self.impulses.make_room(count),
        }
    }

    /// Are the records full?
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Appends a record, or its impulse.
    #[inline(always)]
    pub(crate) fn push(&mut self, record: &ContactRecord<X>) {
        if self.is_whole { self.records.push(*record) } else { self.impulses.push(ImpulseRecord::of(record)) }
    }

    /// Converts the records to the full format.
    pub(crate) fn make_whole(&mut self) {
        if !std::mem::replace(&mut self.is_whole, true) {
            self.records.extend(std::mem::take(&mut self.impulses).iter().map(ImpulseRecord::record));
        }
    }

    /// Changes the number of records; new ones are zero.
    pub(crate) fn resize(&mut self, count: usize) {
        match self.is_whole {
            true => self.records.resize(count, Zeroable::zeroed()),
            false => self.impulses.resize(count, Zeroable::zeroed()),
        }
    }

    /// Copies the records `from` to the positions from `to` on.
    pub(crate) fn shift(&mut self, from: Range<usize>, to: usize) {
        match self.is_whole {
            true => self.records.copy_within(from, to),
            false => self.impulses.copy_within(from, to),
        }
    }

    pub(crate) fn set(&mut self, number: usize, record: &ContactRecord<X>) {
        match self.is_whole {
            true => self.records[number] = *record,
            false => self.impulses[number] = ImpulseRecord::of(record),
        }
    }

    /// Sorts the records of one body.
    pub(crate) fn sort(&mut self, own: Range<usize>) {
        match self.is_whole {
            true => self.records[own].sort_unstable_by(StoredRecord::compare),
            false => self.impulses[own].sort_unstable_by(StoredRecord::compare),
        }
    }

    /// Releases memory far in excess of what is needed.
    pub(crate) fn trim(&mut self) {
        if self.is_whole { self.records.trim() } else { self.impulses.trim() }
    }

    /// Empties the block and returns its memory.
    pub(crate) fn leave(&mut self) -> ScratchBlock {
        if self.is_whole { self.records.leave() } else { self.impulses.leave() }
    }

    /// Gives the block memory for the next records.
    pub(crate) fn take_scratch(&mut self, scratch: ScratchBlock) {
        if self.is_whole { self.records = ScratchVec::of(scratch) } else { self.impulses = ScratchVec::of(scratch) }
    }
}

#[inline(always)]
fn find<X: Dim, R: StoredRecord<X>>(own: &[R], id: ContactId) -> Option<ContactRecord<X>> {
    let found = match own.len() {
        // Faster than bisection for such a short list.
        0..=FEW => own.iter().find(|stored| stored.id() == id),
        _ => own.binary_search_by_key(&id, R::id).ok().map(|place| &own[place]),
    };
    found.map(R::record)
}
