//! Contacts in batches of eight that share no body, in the memory layout of the sweeps.
//!
//! Consecutive batches share no body either. In a batch that is not full, the remaining lanes hold contacts of the
//! world with itself, which have no effect. What a sweep reads determines its cost, so each kernel defines its
//! constants.

use std::marker::PhantomData;

use super::grouping::{BATCH, Grouping};
use super::simd::CacheLine;
use super::{BodyVelocity, VelocityView, WORLD};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::{make_room, trim};
use crate::dim::{Dim, Pair, Vector};

/// Contacts of one kind, packed for sweeping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Packed<X: Dim> {
    /// Offsets, in numbers, of the velocity rows of the first and second bodies of each batch.
    pub(super) bodies: Vec<[[u32; BATCH]; 2]>,
    /// Constants of each batch.
    pub(super) numbers: ScratchVec<CacheLine>,
    /// Impulses of each batch.
    pub(super) impulses: Vec<CacheLine>,
    /// Impulses of each batch before the last sweep; only with momentum.
    pub(super) old: ScratchVec<CacheLine>,
    /// Batch times eight plus lane of each contact.
    places: Vec<u32>,
    /// The highest row number.
    highest: u32,
    dimension: PhantomData<X>,
}

impl<X: Dim> Default for Packed<X> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            numbers: ScratchVec::default(),
            impulses: Vec::new(),
            old: ScratchVec::default(),
            places: Vec::new(),
            highest: 0,
            dimension: PhantomData,
        }
    }
}

impl<X: Dim> Packed<X> {
    /// Numbers per velocity row.
    pub(super) const ROW_LENGTH: usize = size_of::<BodyVelocity<X>>() / 8;

    /// Packs `count` contacts between the bodies of these rows: their bodies and impulses, and `stride` constants each,
    /// which `write` stores in a lane. `taken` is a scratch buffer.
    pub(super) fn pack(
        &mut self,
        rows: &VelocityView<X>,
        count: usize,
        stride: usize,
        contact: impl Fn(u32) -> ([u32; 2], X::Vector),
        write: impl Fn(u32, &mut [CacheLine], usize),
        taken: &mut Vec<u64>,
    ) {
        let Self { bodies: ends, numbers, impulses, places, highest, .. } = self;
        ends.clear();
        numbers.clear();
        impulses.clear();
        places.clear();
        make_room(places, count);
        places.resize(count, 0);
        *highest = rows.number(WORLD.0);
        // Few batches are not full: one more in 64 than if all were.
        let likely = count.div_ceil(BATCH) * 65 / 64 + 1;
        make_room(ends, likely);
        numbers.make_room(likely * stride);
        make_room(impulses, likely * X::D);
        Grouping::new(taken, rows.len()).group(
            count,
            |number| contact(number).0,
            |batch| {
                let (fixed, start) = (numbers.len(), impulses.len());
                // Empty lanes refer to the world, whose row is the problem's own.
                let mut offsets = [[rows.number(WORLD.0) * Self::ROW_LENGTH as u32; BATCH]; 2];
                numbers.resize(fixed + stride, CacheLine::default());
                impulses.resize(start + X::D, CacheLine::default());
                for (lane, &number) in batch.iter().enumerate() {
                    places[number as usize] = (ends.len() * BATCH + lane) as u32;
                    let (bodies, impulse) = contact(number);
                    for (offsets, body) in offsets.iter_mut().zip(bodies) {
                        let number = rows.number(body);
                        *highest = number.max(*highest);
                        offsets[lane] = number * Self::ROW_LENGTH as u32;
                    }
                    (0..X::D).for_each(|k| impulses[start + k].0[lane] = impulse[k]);
                    write(number, &mut numbers[fixed..], lane);
                }
                ends.push(offsets);
            },
        );
    }

    /// Releases excess memory.
    pub(super) fn trim(&mut self) {
        trim(&mut self.bodies);
        trim(&mut self.impulses);
        trim(&mut self.places);
        self.numbers.trim();
    }

    /// Removes all contacts.
    pub(super) fn clear(&mut self) {
        self.highest = 0;
        self.places.clear();
        self.bodies.clear();
        self.numbers.clear();
        self.impulses.clear();
    }

    /// Number of contacts.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Batch and lane of a contact.
    #[inline(always)]
    pub(super) fn place(&self, number: usize) -> (usize, usize) {
        let place = self.places[number] as usize;
        (place / BATCH, place % BATCH)
    }

    /// Row numbers of the two bodies of a contact.
    #[inline(always)]
    pub(super) fn ends(&self, number: usize) -> [u32; 2] {
        let (batch, lane) = self.place(number);
        self.bodies[batch].both(|offsets| offsets[lane] / Self::ROW_LENGTH as u32)
    }

    /// The impulse of a contact.
    #[inline(always)]
    pub(super) fn impulse(&self, number: usize) -> X::Vector {
        let (batch, lane) = self.place(number);
        Vector::from_fn(|k| self.impulses[batch * X::D + k].0[lane])
    }

    /// Sets the impulse of a contact.
    pub(super) fn set_impulse(&mut self, number: usize, impulse: X::Vector) {
        let (batch, lane) = self.place(number);
        (0..X::D).for_each(|k| self.impulses[batch * X::D + k].0[lane] = impulse[k]);
    }

    /// The impulses of the contacts, in the order in which they were packed.
    pub(super) fn impulses(&self) -> impl Iterator<Item = X::Vector> {
        (0..self.len()).map(|number| self.impulse(number))
    }

    /// Sum of the squared impulses.
    pub(super) fn impulses2(&self) -> f64 {
        let square = |lanes: &CacheLine| lanes.0.iter().map(|x| x * x).sum::<f64>();
        self.impulses.iter().map(square).sum()
    }

    /// Resets the momentum: the impulses before the last sweep are the current ones.
    pub(super) fn forget(&mut self) {
        self.old.clear();
        self.old.extend(self.impulses.iter().copied());
    }

    /// Removes all contacts and returns most of their memory.
    pub(super) fn give_scratch(&mut self) -> ScratchBlock {
        self.clear();
        self.numbers.leave()
    }

    /// Provides memory for the constants of the next contacts, unless there is some.
    pub(super) fn take_scratch(&mut self, scratch: ScratchBlock) {
        if !self.numbers.has_room() {
            self.numbers = ScratchVec::of(scratch);
        }
    }

    /// Asserts that all row numbers are below `rows`: kernels use them without further checks.
    pub(super) fn check(&self, rows: usize) {
        let is_there = self.bodies.is_empty() || (self.highest as usize) < rows;
        assert!(is_there, "a batch names a body that is not there");
    }
}
