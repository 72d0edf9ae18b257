//! Lists of numbers whose memory may go to a list of another kind.
//!
//! A step needs some lists for a part of its time only, and a ball has little memory: such lists take turns in the same
//! [`ScratchBlock`], which stays with the process. So they neither add up nor ask the system for memory in every step.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

/// A list that is made has room for so many times fewer things more.
pub const SLACK: usize = 128;

/// Eight numbers: as long as a line of the processor's cache, and aligned like one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine(pub [f64; 8]);

/// Memory that lists take turns in.
#[derive(Debug, Default)]
pub struct ScratchBlock {
    memory: Vec<CacheLine>,
    /// How much of it any list has needed since it was last trimmed.
    needed: usize,
}

impl ScratchBlock {
    /// Gives back what is far more than the lists needed that were here since the last time.
    pub fn trim(&mut self) {
        let needed = std::mem::take(&mut self.needed);
        if self.memory.len() > needed + needed / 8 + 8 {
            self.memory.truncate(needed + needed / SLACK);
            self.memory.shrink_to_fit();
        }
    }

    /// Is there none at all?
    pub fn is_none(&self) -> bool {
        self.memory.is_empty()
    }
}

/// A list of things that are numbers throughout, each of them eight bytes long.
pub struct ScratchVec<T> {
    room: ScratchBlock,
    len: usize,
    kind: PhantomData<T>,
}

impl<T> Default for ScratchVec<T> {
    fn default() -> Self {
        Self { room: ScratchBlock::default(), len: 0, kind: PhantomData }
    }
}

impl<T: Pod> Clone for ScratchVec<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.extend(self.iter().copied());
        copy
    }
}

impl<T: Pod + Debug> Debug for ScratchVec<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Pod + PartialEq> PartialEq for ScratchVec<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Pod> Deref for ScratchVec<T> {
    type Target = [T];
    #[inline(always)]
    fn deref(&self) -> &[T] {
        cast_slice(&cast_slice::<CacheLine, f64>(&self.room.memory)[..self.len * Self::NUMBERS])
    }
}

impl<T: Pod> DerefMut for ScratchVec<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        cast_slice_mut(&mut cast_slice_mut::<CacheLine, f64>(&mut self.room.memory)[..self.len * Self::NUMBERS])
    }
}

impl<T: Pod> ScratchVec<T> {
    /// Numbers of a thing.
    const NUMBERS: usize = {
        assert!(size_of::<T>().is_multiple_of(8) && size_of::<T>() > 0, "of numbers, each eight bytes long");
        size_of::<T>() / 8
    };

    /// An empty list in that room.
    pub fn of(room: ScratchBlock) -> Self {
        Self { room, ..Self::default() }
    }

    /// The room is left; the list is empty, and has none.
    pub fn leave(&mut self) -> ScratchBlock {
        self.clear();
        std::mem::take(&mut self.room)
    }

    /// Has it any room?
    pub fn has_room(&self) -> bool {
        !self.room.is_none()
    }

    /// Nothing is in it any more.
    pub fn clear(&mut self) {
        self.count();
        self.len = 0;
    }

    /// What is in it has needed room.
    fn count(&mut self) {
        self.room.needed = self.room.needed.max(eights(self.len * Self::NUMBERS));
    }

    /// How many things there is room for.
    pub fn capacity(&self) -> usize {
        8 * self.room.memory.len() / Self::NUMBERS
    }

    /// Room for so many things and a few more, if there is not.
    pub fn make_room(&mut self, count: usize) {
        if self.capacity() < count {
            let needed = eights(count * Self::NUMBERS);
            self.grow(needed + needed / SLACK);
        }
    }

    #[cold]
    fn grow(&mut self, eights: usize) {
        let memory = &mut self.room.memory;
        memory.reserve_exact(eights - memory.len());
        memory.resize(eights, CacheLine::default());
    }

    /// One more.
    #[inline(always)]
    pub fn push(&mut self, thing: T) {
        if self.len == self.capacity() {
            let now = self.room.memory.len();
            self.grow(now + now / 4 + 2 + eights(Self::NUMBERS));
        }
        self.len += 1;
        let from = (self.len - 1) * Self::NUMBERS;
        let numbers = &mut cast_slice_mut::<CacheLine, f64>(&mut self.room.memory)[from..from + Self::NUMBERS];
        numbers.copy_from_slice(cast_slice(std::slice::from_ref(&thing)));
    }

    /// All of these more.
    pub fn extend(&mut self, things: impl ExactSizeIterator<Item = T>) {
        let from = self.len;
        self.make_room(from + things.len());
        self.len = from + things.len();
        self[from..].iter_mut().zip(things).for_each(|(to, thing)| *to = thing);
    }

    /// As many as that, the new ones like `thing`.
    pub fn resize(&mut self, count: usize, thing: T) {
        self.count();
        self.make_room(count);
        let from = std::mem::replace(&mut self.len, count);
        if from < count {
            self[from..].fill(thing);
        }
    }

    /// Gives back what is far more than is needed.
    pub fn trim(&mut self) {
        self.count();
        self.room.trim();
    }
}

/// So many of them hold as many numbers.
const fn eights(numbers: usize) -> usize {
    numbers.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_what_was_put_into_it_while_it_grows() {
        let mut list = ScratchVec::<[f64; 3]>::default();
        for k in 0..1000 {
            list.push([f64::from(k), 0.5, -1.0]);
        }
        list.extend((1000..1500).map(|k| [f64::from(k), 0.5, -1.0]));
        assert_eq!(list.len(), 1500);
        assert!((0..).zip(&*list).all(|(k, thing)| *thing == [f64::from(k), 0.5, -1.0]));
        list.resize(2, [0.0; 3]);
        list.resize(4, [7.0; 3]);
        assert_eq!(&*list, [[0.0, 0.5, -1.0], [1.0, 0.5, -1.0], [7.0; 3], [7.0; 3]]);
    }

    #[test]
    fn lists_of_different_kinds_take_turns_in_a_room_that_fits_the_larger_one() {
        let (mut large, mut small) = (ScratchVec::<[f64; 7]>::default(), ScratchVec::<[u64; 3]>::default());
        large.resize(1000, [1.0; 7]);
        let mut rooms = Vec::new();
        for _ in 0..10 {
            small = ScratchVec::of(large.leave());
            assert!(!large.has_room() && large.is_empty());
            small.resize(500, [3; 3]);
            assert!(small.iter().all(|thing| *thing == [3; 3]));
            let mut room = small.leave();
            room.trim();
            large = ScratchVec::of(room);
            large.resize(1000, [1.0; 7]);
            assert!(large.iter().all(|thing| *thing == [1.0; 7]));
            rooms.push((large.as_ptr(), large.capacity()));
        }
        assert!(rooms.iter().all(|room| *room == rooms[0]));
        assert!(!small.has_room());
    }

    #[test]
    fn room_that_no_list_has_needed_since_the_last_time_is_given_back() {
        let mut list = ScratchVec::<CacheLine>::default();
        list.resize(10_000, CacheLine::default());
        list.clear();
        list.trim();
        assert!(list.capacity() >= 10_000);
        list.resize(100, CacheLine::default());
        list.clear();
        list.trim();
        assert!((100..110).contains(&list.capacity()));
    }
}
