//! Contacts in batches of eight that share no body, in the memory layout of the sweeps.
//!
//! Consecutive batches share no body either. In a batch that is not full, the remaining lanes hold contacts of the
//! world with itself, which have no effect. The memory that a sweep reads determines its cost, so each kernel defines
//! which constants are stored per contact.

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
    pub(super) constants: ScratchVec<CacheLine>,
    /// Impulses of each batch.
    pub(super) impulses: Vec<CacheLine>,
    /// Impulses of each batch before the last sweep; only with momentum.
    pub(super) old: ScratchVec<CacheLine>,
    /// Batch times eight plus lane of each contact.
    positions: Vec<u32>,
    /// The highest row number.
    highest: u32,
    dimension: PhantomData<X>,
}

impl<X: Dim> Default for Packed<X> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            constants: ScratchVec::default(),
            impulses: Vec::new(),
            old: ScratchVec::default(),
            positions: Vec::new(),
            highest: 0,
            dimension: PhantomData,
        }
    }
}

impl<X: Dim> Packed<X> {
    /// Numbers per velocity row.
    pub(super) const ROW_LENGTH: usize = size_of::<BodyVelocity<X>>() / 8;

    /// Packs `count` contacts between the bodies of these rows: their bodies and impulses, and `stride` constants each,
    /// which `write` stores in a lane. `occupancy` is a scratch buffer.
    pub(super) fn pack(
        &mut self,
        rows: &VelocityView<X>,
        count: usize,
        stride: usize,
        contact: impl Fn(u32) -> ([u32; 2], X::Vector),
        write: impl Fn(u32, &mut [CacheLine], usize),
        occupancy: &mut Vec<u64>,
    ) {
        let Self { bodies: ends, constants, impulses, positions, highest, .. } = self;
        ends.clear();
        constants.clear();
        impulses.clear();
        positions.clear();
        make_room(positions, count);
        positions.resize(count, 0);
        *highest = rows.row_number(WORLD.0);
        // Few batches are not full: one more in 64 than if all were.
        let likely = count.div_ceil(BATCH) * 65 / 64 + 1;
        make_room(ends, likely);
        constants.make_room(likely * stride);
        make_room(impulses, likely * X::D);
        Grouping::new(occupancy, rows.len()).group(
            count,
            |number| contact(number).0,
            |batch| {
                let (first, start) = (constants.len(), impulses.len());
                // Empty lanes refer to the world, whose row is the problem's own.
                let mut offsets = [[rows.row_number(WORLD.0) * Self::ROW_LENGTH as u32; BATCH]; 2];
                constants.resize(first + stride, CacheLine::default());
                impulses.resize(start + X::D, CacheLine::default());
                for (lane, &number) in batch.iter().enumerate() {
                    positions[number as usize] = (ends.len() * BATCH + lane) as u32;
                    let (bodies, impulse) = contact(number);
                    for (offsets, body) in offsets.iter_mut().zip(bodies) {
                        let row = rows.row_number(body);
                        *highest = row.max(*highest);
                        offsets[lane] = row * Self::ROW_LENGTH as u32;
                    }
                    (0..X::D).for_each(|k| impulses[start + k].0[lane] = impulse[k]);
                    write(number, &mut constants[first..], lane);
                }
                ends.push(offsets);
            },
        );
    }

    /// Releases excess memory.
    pub(super) fn trim(&mut self) {
        trim(&mut self.bodies);
        trim(&mut self.impulses);
        trim(&mut self.positions);
        self.constants.trim();
    }

    /// Removes all contacts.
    pub(super) fn clear(&mut self) {
        self.highest = 0;
        self.positions.clear();
        self.bodies.clear();
        self.constants.clear();
        self.impulses.clear();
    }

    /// Number of contacts.
    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Batch and lane of a contact.
    #[inline(always)]
    pub(super) fn position(&self, number: usize) -> (usize, usize) {
        let position = self.positions[number] as usize;
        (position / BATCH, position % BATCH)
    }

    /// Row numbers of the two bodies of a contact.
    #[inline(always)]
    pub(super) fn ends(&self, number: usize) -> [u32; 2] {
        let (batch, lane) = self.position(number);
        self.bodies[batch].both(|offsets| offsets[lane] / Self::ROW_LENGTH as u32)
    }

    /// The impulse of a contact.
    #[inline(always)]
    pub(super) fn impulse(&self, number: usize) -> X::Vector {
        let (batch, lane) = self.position(number);
        Vector::from_fn(|k| self.impulses[batch * X::D + k].0[lane])
    }

    /// Sets the impulse of a contact.
    pub(super) fn set_impulse(&mut self, number: usize, impulse: X::Vector) {
        let (batch, lane) = self.position(number);
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
    pub(super) fn reset_momentum(&mut self) {
        self.old.clear();
        self.old.extend(self.impulses.iter().copied());
    }

    /// Removes all contacts and returns most of their memory.
    pub(super) fn give_scratch(&mut self) -> ScratchBlock {
        self.clear();
        self.constants.leave()
    }

    /// Provides memory for the constants of the next contacts, unless there is some.
    pub(super) fn take_scratch(&mut self, scratch: ScratchBlock) {
        if !self.constants.has_room() {
            self.constants = ScratchVec::of(scratch);
        }
    }

    /// Asserts that all row numbers are below `rows`: kernels use them without further checks.
    pub(super) fn check_rows(&self, rows: usize) {
        let exist = self.bodies.is_empty() || (self.highest as usize) < rows;
        assert!(exist, "a batch names a body that is not there");
    }
}
