//! Contacts in batches of eight that share no body, as sweeps read them.
//!
//! Nor does a batch share one with the next. A batch that is not full has lanes in which the world touches itself: they do
//! nothing. What a sweep reads of a contact is what it costs, so kernels say what they need.

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
    /// Where the lines of the first and second bodies of each batch start, counted in numbers.
    pub(super) bodies: Vec<[[u32; BATCH]; 2]>,
    /// Of each batch: what stays as it is.
    pub(super) numbers: ScratchVec<CacheLine>,
    /// Of each batch: the impulse.
    pub(super) impulses: Vec<CacheLine>,
    /// Of each batch: the impulse before the last sweep; only with momentum.
    pub(super) old: ScratchVec<CacheLine>,
    /// Batch times eight plus lane of each contact.
    places: Vec<u32>,
    /// The highest number of a line.
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
    /// Numbers from one line to the next.
    pub(super) const LINE: usize = size_of::<BodyVelocity<X>>() / 8;

    /// Take `count` contacts between the bodies of these lines: their ends and impulses, and `stride` numbers each, which
    /// `write` puts into a lane. `taken` is a list of whatever there is.
    pub(super) fn pack(
        &mut self,
        lines: &VelocityView<X>,
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
        *highest = lines.number(WORLD);
        // Few batches are not full: of as many as there would be otherwise, one more in 64.
        let likely = count.div_ceil(BATCH) * 65 / 64 + 1;
        make_room(ends, likely);
        numbers.make_room(likely * stride);
        make_room(impulses, likely * X::D);
        Grouping::new(taken, lines.len()).group(
            count,
            |number| contact(number).0,
            |batch| {
                let (fixed, start) = (numbers.len(), impulses.len());
                // Lanes that stay empty: the world, of which the problem has a line to itself.
                let mut offsets = [[lines.number(WORLD) * Self::LINE as u32; BATCH]; 2];
                numbers.resize(fixed + stride, CacheLine::default());
                impulses.resize(start + X::D, CacheLine::default());
                for (lane, &number) in batch.iter().enumerate() {
                    places[number as usize] = (ends.len() * BATCH + lane) as u32;
                    let (bodies, impulse) = contact(number);
                    for (offsets, body) in offsets.iter_mut().zip(bodies) {
                        let number = lines.number(body);
                        *highest = number.max(*highest);
                        offsets[lane] = number * Self::LINE as u32;
                    }
                    (0..X::D).for_each(|k| impulses[start + k].0[lane] = impulse[k]);
                    write(number, &mut numbers[fixed..], lane);
                }
                ends.push(offsets);
            },
        );
    }

    /// Room that is not needed is given back.
    pub(super) fn trim(&mut self) {
        trim(&mut self.bodies);
        trim(&mut self.impulses);
        trim(&mut self.places);
        self.numbers.trim();
    }

    /// Nothing is packed any more.
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

    /// The numbers of the lines of its two bodies.
    #[inline(always)]
    pub(super) fn ends(&self, number: usize) -> [u32; 2] {
        let (batch, lane) = self.place(number);
        self.bodies[batch].both(|lines| lines[lane] / Self::LINE as u32)
    }

    /// The impulse of a contact.
    #[inline(always)]
    pub(super) fn impulse(&self, number: usize) -> X::Vector {
        let (batch, lane) = self.place(number);
        Vector::from_fn(|k| self.impulses[batch * X::D + k].0[lane])
    }

    /// From now on that is its impulse.
    pub(super) fn set_impulse(&mut self, number: usize, impulse: X::Vector) {
        let (batch, lane) = self.place(number);
        (0..X::D).for_each(|k| self.impulses[batch * X::D + k].0[lane] = impulse[k]);
    }

    /// The impulses of the contacts, in the order in which they were taken.
    pub(super) fn impulses(&self) -> impl Iterator<Item = X::Vector> {
        (0..self.len()).map(|number| self.impulse(number))
    }

    /// Sum of the squares of the impulses.
    pub(super) fn impulses2(&self) -> f64 {
        let square = |lanes: &CacheLine| lanes.0.iter().map(|x| x * x).sum::<f64>();
        self.impulses.iter().map(square).sum()
    }

    /// Momentum starts from rest.
    pub(super) fn forget(&mut self) {
        self.old.clear();
        self.old.extend(self.impulses.iter().copied());
    }

    /// Nothing is packed any more, and most of the room that it took is left.
    pub(super) fn vacate(&mut self) -> ScratchBlock {
        self.clear();
        self.numbers.leave()
    }

    /// Room for what there is to say of the next contacts, unless there is some already.
    pub(super) fn move_into(&mut self, room: ScratchBlock) {
        if !self.numbers.has_room() {
            self.numbers = ScratchVec::of(room);
        }
    }

    /// Kernels go by the numbers of lines without looking again: there are so many.
    pub(super) fn check(&self, lines: usize) {
        let is_there = self.bodies.is_empty() || (self.highest as usize) < lines;
        assert!(is_there, "a batch names a body that is not there");
    }
}
