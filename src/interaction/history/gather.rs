//! Creation of the history from the contacts of a step: a counting sort by body, in parallel.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::packed::RecordBlock;
use super::{ContactHistory, ContactRecord};
use crate::dim::Dim;

/// The storage format of records.
#[derive(Clone, Copy, Debug)]
pub struct RecordFormat {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Are the records complete? They must be if a law can keep a state, or two bodies can touch in several points.
    pub complete: bool,
}

/// A list of contacts, some of which are kept in the history.
pub trait ContactSource: Sync {
    /// Number of contacts.
    fn contacts(&self) -> usize;
    /// The contacts to be kept, each with the body that will look it up.
    fn kept(&self) -> impl Iterator<Item = (usize, u32)>;
}

/// Scratch buffers for sorting records, reused by the next step.
#[derive(Debug, Default)]
pub struct RecordSorting {
    /// Number of records of each body; then the position of its next record.
    next: Vec<AtomicU32>,
    /// Index of the contact of each record, counted through all lists...
    order: Vec<AtomicU32>,
    /// ...and the index of the first contact of each list.
    starts: Vec<u32>,
}

impl<X: Dim> ContactHistory<X> {
    /// Replaces the history by the contacts of `lists`; `record` creates the record of a contact.
    pub fn gather<L: ContactSource>(
        &mut self,
        form: RecordFormat,
        lists: &[L],
        record: impl Fn(&L, usize) -> ContactRecord<X> + Sync,
        sorting: &mut RecordSorting,
    ) {
        let (Self { offsets, blocks, bodies_per_block }, RecordSorting { next, order, starts }) = (self, sorting);
        starts.clear();
        let mut count = 0;
        for list in lists {
            starts.push(count);
            count += list.contacts() as u32;
        }
        next.clear();
        next.resize_with(form.bodies, AtomicU32::default);
        let increment = |body: u32| next[body as usize].fetch_add(1, Relaxed);
        lists.par_iter().for_each(|list| list.kept().for_each(|(_, body)| _ = increment(body)));
        offsets.clear();
        offsets.push(0);
        let mut count = 0;
        offsets.extend(next.iter().map(|next| {
            let records = next.load(Relaxed);
            next.store(count, Relaxed);
            count += records;
            count
        }));
        order.clear();
        order.resize_with(count as usize, AtomicU32::default);
        // The order in which threads arrive does not matter: the records of each body are sorted below.
        lists.par_iter().zip(&*starts).for_each(|(list, start)| {
            list.kept().for_each(|(k, body)| order[increment(body) as usize].store(start + k as u32, Relaxed));
        });
        // Complete records stay complete: otherwise records received from other processes would convert the blocks
        // again in every step.
        let complete = form.complete || blocks.iter().any(RecordBlock::is_complete);
        blocks.resize_with(form.blocks, RecordBlock::default);
        *bodies_per_block = form.bodies.div_ceil(form.blocks).max(1);
        blocks.par_iter_mut().enumerate().for_each(|(block, records)| {
            let ends = [block, block + 1].map(|block| (block * *bodies_per_block).min(form.bodies));
            let offsets = &offsets[ends[0]..=ends[1]];
            let (start, end) = (offsets[0] as usize, offsets[offsets.len() - 1] as usize);
            records.start(end - start, complete);
            let (mut list, mut contacts) = (0, 0..0);
            for contact in order[start..end].iter().map(|contact| contact.load(Relaxed)) {
                if !contacts.contains(&contact) {
                    list = starts.partition_point(|start| *start <= contact) - 1;
                    contacts = starts[list]..starts.get(list + 1).copied().unwrap_or(u32::MAX);
                }
                records.push(&record(&lists[list], (contact - contacts.start) as usize));
            }
            for range in offsets.windows(2) {
                records.sort(range[0] as usize - start..range[1] as usize - start);
            }
            records.trim();
        });
    }
}
