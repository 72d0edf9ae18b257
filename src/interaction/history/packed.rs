//! A block of contact records: complete records, or impulses alone where the laws keep no state.

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
    is_complete: bool,
}

impl<X: Dim> Default for RecordBlock<X> {
    fn default() -> Self {
        Self { impulses: ScratchVec::default(), records: ScratchVec::default(), is_complete: false }
    }
}

impl<X: Dim> RecordBlock<X> {
    /// Number of records.
    pub(crate) fn len(&self) -> usize {
        if self.is_complete { self.records.len() } else { self.impulses.len() }
    }

    pub(crate) fn get(&self, number: usize) -> ContactRecord<X> {
        if self.is_complete { self.records[number] } else { self.impulses[number].record() }
    }

    /// The record of contact `id` among those of one body, which lie in `range`.
    #[inline(always)]
    pub(crate) fn find(&self, range: Range<usize>, id: ContactId) -> Option<ContactRecord<X>> {
        if self.is_complete { find(&self.records[range], id) } else { find(&self.impulses[range], id) }
    }

    /// The records of one body if they are complete; otherwise empty.
    pub(crate) fn complete(&self, range: Range<usize>) -> &[ContactRecord<X>] {
        if self.is_complete { &self.records[range] } else { &[] }
    }

    /// Prefetches record `number`.
    pub(crate) fn fetch(&self, number: usize) {
        match self.is_complete {
            true => crate::base::fetch(&self.records[number]),
            false => crate::base::fetch(&self.impulses[number]),
        }
    }

    /// Empties the block and reserves memory for `count` records, complete or not.
    pub(crate) fn start(&mut self, count: usize, is_complete: bool) {
        let scratch = self.leave();
        self.is_complete = is_complete;
        self.take_scratch(scratch);
        match is_complete {
            true => self.records.make_room(count),
            false => self.impulses.make_room(count),
        }
    }

    /// Are the records complete?
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Appends a record, or its impulse.
    #[inline(always)]
    pub(crate) fn push(&mut self, record: &ContactRecord<X>) {
        if self.is_complete { self.records.push(*record) } else { self.impulses.push(ImpulseRecord::of(record)) }
    }

    /// Converts the records to the complete format.
    pub(crate) fn make_complete(&mut self) {
        if !std::mem::replace(&mut self.is_complete, true) {
            self.records.extend(std::mem::take(&mut self.impulses).iter().map(ImpulseRecord::record));
        }
    }

    /// Changes the number of records; new ones are zero.
    pub(crate) fn resize(&mut self, count: usize) {
        match self.is_complete {
            true => self.records.resize(count, Zeroable::zeroed()),
            false => self.impulses.resize(count, Zeroable::zeroed()),
        }
    }

    /// Copies the records `from` to the positions from `to` on.
    pub(crate) fn shift(&mut self, from: Range<usize>, to: usize) {
        match self.is_complete {
            true => self.records.copy_within(from, to),
            false => self.impulses.copy_within(from, to),
        }
    }

    pub(crate) fn set(&mut self, number: usize, record: &ContactRecord<X>) {
        match self.is_complete {
            true => self.records[number] = *record,
            false => self.impulses[number] = ImpulseRecord::of(record),
        }
    }

    /// Sorts the records of one body.
    pub(crate) fn sort(&mut self, range: Range<usize>) {
        match self.is_complete {
            true => self.records[range].sort_unstable_by(StoredRecord::compare),
            false => self.impulses[range].sort_unstable_by(StoredRecord::compare),
        }
    }

    /// Releases memory far in excess of what is needed.
    pub(crate) fn trim(&mut self) {
        if self.is_complete { self.records.trim() } else { self.impulses.trim() }
    }

    /// Empties the block and returns its memory.
    pub(crate) fn leave(&mut self) -> ScratchBlock {
        if self.is_complete { self.records.leave() } else { self.impulses.leave() }
    }

    /// Gives the block memory for the next records.
    pub(crate) fn take_scratch(&mut self, scratch: ScratchBlock) {
        if self.is_complete { self.records = ScratchVec::of(scratch) } else { self.impulses = ScratchVec::of(scratch) }
    }
}

#[inline(always)]
fn find<X: Dim, R: StoredRecord<X>>(records: &[R], id: ContactId) -> Option<ContactRecord<X>> {
    let found = match records.len() {
        // Faster than bisection for such a short list.
        0..=FEW => records.iter().find(|stored| stored.id() == id),
        _ => records.binary_search_by_key(&id, R::id).ok().map(|number| &records[number]),
    };
    found.map(R::record)
}
