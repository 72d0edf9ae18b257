//! Scratch buffers whose memory can be passed on to a buffer of another element type.
//!
//! A step needs some buffers during a part of its duration only, and the memory per sphere is small. Such buffers use
//! the same [`ScratchBlock`] in turn, and the block stays with the process: their sizes do not add up, and steps need
//! not request memory from the system.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};

/// A new buffer gets spare capacity for one element in this many.
pub const SLACK: usize = 128;

/// Eight numbers, of the size and alignment of a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct CacheLine(pub [f64; 8]);

/// A block of memory that buffers use in turn.
#[derive(Debug, Default)]
pub struct ScratchBlock {
    memory: Vec<CacheLine>,
    /// The largest length that any buffer has needed since the last trim.
    needed: usize,
}

impl ScratchBlock {
    /// Releases memory far in excess of what the buffers of this block have needed since the last call.
    pub fn trim(&mut self) {
        let needed = std::mem::take(&mut self.needed);
        if self.memory.len() > needed + needed / 8 + 8 {
            self.memory.truncate(needed + needed / SLACK);
            self.memory.shrink_to_fit();
        }
    }

    /// Is the block without memory?
    pub fn is_none(&self) -> bool {
        self.memory.is_empty()
    }
}

/// A growable array of plain-data elements that consist of eight-byte numbers.
pub struct ScratchVec<T> {
    block: ScratchBlock,
    len: usize,
    kind: PhantomData<T>,
}

impl<T> Default for ScratchVec<T> {
    fn default() -> Self {
        Self { block: ScratchBlock::default(), len: 0, kind: PhantomData }
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
        cast_slice(&cast_slice::<CacheLine, f64>(&self.block.memory)[..self.len * Self::NUMBERS])
    }
}

impl<T: Pod> DerefMut for ScratchVec<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        cast_slice_mut(&mut cast_slice_mut::<CacheLine, f64>(&mut self.block.memory)[..self.len * Self::NUMBERS])
    }
}

impl<T: Pod> ScratchVec<T> {
    /// Eight-byte numbers of an element.
    const NUMBERS: usize = {
        assert!(size_of::<T>().is_multiple_of(8) && size_of::<T>() > 0, "an element consists of eight-byte numbers");
        size_of::<T>() / 8
    };

    /// Creates an empty array in the given block.
    pub fn of(block: ScratchBlock) -> Self {
        Self { block, ..Self::default() }
    }

    /// Clears the array and returns its block; the array has no memory then.
    pub fn leave(&mut self) -> ScratchBlock {
        self.clear();
        std::mem::take(&mut self.block)
    }

    /// Has the array any memory?
    pub fn has_room(&self) -> bool {
        !self.block.is_none()
    }

    /// Removes all elements.
    pub fn clear(&mut self) {
        self.record_need();
        self.len = 0;
    }

    /// Records how much memory the present elements need.
    fn record_need(&mut self) {
        self.block.needed = self.block.needed.max(cache_lines(self.len * Self::NUMBERS));
    }

    /// Number of elements that fit into the block.
    pub fn capacity(&self) -> usize {
        8 * self.block.memory.len() / Self::NUMBERS
    }

    /// Ensures capacity for `count` elements; if it must grow, with some spare capacity.
    pub fn make_room(&mut self, count: usize) {
        if self.capacity() < count {
            let needed = cache_lines(count * Self::NUMBERS);
            self.grow(needed + needed / SLACK);
        }
    }

    #[cold]
    fn grow(&mut self, lines: usize) {
        let memory = &mut self.block.memory;
        memory.reserve_exact(lines - memory.len());
        memory.resize(lines, CacheLine::default());
    }

    /// Appends an element.
    #[inline(always)]
    pub fn push(&mut self, element: T) {
        if self.len == self.capacity() {
            let lines = self.block.memory.len();
            self.grow(lines + lines / 4 + 2 + cache_lines(Self::NUMBERS));
        }
        self.len += 1;
        let from = (self.len - 1) * Self::NUMBERS;
        let numbers = &mut cast_slice_mut::<CacheLine, f64>(&mut self.block.memory)[from..from + Self::NUMBERS];
        numbers.copy_from_slice(cast_slice(std::slice::from_ref(&element)));
    }

    /// Appends elements.
    pub fn extend(&mut self, elements: impl ExactSizeIterator<Item = T>) {
        let from = self.len;
        self.make_room(from + elements.len());
        self.len = from + elements.len();
        self[from..].iter_mut().zip(elements).for_each(|(to, element)| *to = element);
    }

    /// Sets the length; new elements are copies of `element`.
    pub fn resize(&mut self, count: usize, element: T) {
        self.record_need();
        self.make_room(count);
        let from = std::mem::replace(&mut self.len, count);
        if from < count {
            self[from..].fill(element);
        }
    }

    /// Releases memory far in excess of what is needed.
    pub fn trim(&mut self) {
        self.record_need();
        self.block.trim();
    }
}

/// Number of cache lines that hold this many numbers.
const fn cache_lines(numbers: usize) -> usize {
    numbers.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_keeps_its_elements_while_it_grows() {
        let mut array = ScratchVec::<[f64; 3]>::default();
        for k in 0..1000 {
            array.push([f64::from(k), 0.5, -1.0]);
        }
        array.extend((1000..1500).map(|k| [f64::from(k), 0.5, -1.0]));
        assert_eq!(array.len(), 1500);
        assert!((0..).zip(&*array).all(|(k, element)| *element == [f64::from(k), 0.5, -1.0]));
        array.resize(2, [0.0; 3]);
        array.resize(4, [7.0; 3]);
        assert_eq!(&*array, [[0.0, 0.5, -1.0], [1.0, 0.5, -1.0], [7.0; 3], [7.0; 3]]);
    }

    #[test]
    fn arrays_of_different_types_reuse_an_allocation_that_fits_the_larger_one() {
        let (mut large, mut small) = (ScratchVec::<[f64; 7]>::default(), ScratchVec::<[u64; 3]>::default());
        large.resize(1000, [1.0; 7]);
        let mut used = Vec::new();
        for _ in 0..10 {
            small = ScratchVec::of(large.leave());
            assert!(!large.has_room() && large.is_empty());
            small.resize(500, [3; 3]);
            assert!(small.iter().all(|element| *element == [3; 3]));
            let mut block = small.leave();
            block.trim();
            large = ScratchVec::of(block);
            large.resize(1000, [1.0; 7]);
            assert!(large.iter().all(|element| *element == [1.0; 7]));
            used.push((large.as_ptr(), large.capacity()));
        }
        assert!(used.iter().all(|block| *block == used[0]));
        assert!(!small.has_room());
    }

    #[test]
    fn memory_that_no_array_has_needed_since_the_last_trim_is_released() {
        let mut array = ScratchVec::<CacheLine>::default();
        array.resize(10_000, CacheLine::default());
        array.clear();
        array.trim();
        assert!(array.capacity() >= 10_000);
        array.resize(100, CacheLine::default());
        array.clear();
        array.trim();
        assert!((100..110).contains(&array.capacity()));
    }
}
