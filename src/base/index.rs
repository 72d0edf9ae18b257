//! Index types: an index of one list does not compile in another.
//!
//! A body has several indices: one on its process, one in each subdomain, one in each contact problem, and its velocity
//! has a row in the velocity store. All are 32-bit numbers; kernels work with these, converted at their boundary.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into lists of one kind.
pub trait ListIndex: Copy {
    /// From a position in the list.
    fn new(position: usize) -> Self;
    /// The position in the list.
    fn index(self) -> usize;
}

macro_rules! index_types {
    ($($(#[$doc:meta])+ $name:ident;)+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// From a position in the list.
            #[inline(always)]
            pub fn new(position: usize) -> Self {
                Self(position as u32)
            }

            /// The position in the list.
            #[inline(always)]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ListIndex for $name {
            #[inline(always)]
            fn new(position: usize) -> Self {
                Self::new(position)
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.index()
            }
        }
    )+};
}

index_types! {
    /// A body in the arrays of this process; changes when bodies are sorted anew.
    BodyIndex;
    /// A row of the free velocities of this process: all bodies come first, then all nodes of deformable bodies.
    FreeRow;
    /// A body in a subdomain; each periodic image has an index of its own.
    LocalBody;
    /// A body in a contact problem; the first is the world.
    ProblemBody;
    /// A row of the velocity store.
    VelocityRow;
    /// A subdomain among those of all processes.
    SubdomainId;
    /// A subdomain among those of this process.
    SubdomainSlot;
    /// A contact of a subdomain.
    ContactIndex;
    /// An interface body: one that is active in several subdomains.
    InterfaceIndex;
}

impl From<BodyIndex> for FreeRow {
    fn from(BodyIndex(body): BodyIndex) -> Self {
        Self(body)
    }
}

/// A list whose entries have indices of type `I`.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexVec<I, T> {
    /// The entries, for iteration and for operations that need no index.
    pub raw: Vec<T>,
    kind: PhantomData<fn(I) -> I>,
}

impl<I, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(raw: Vec<T>) -> Self {
        Self { raw, kind: PhantomData }
    }
}

impl<I: ListIndex, T> IndexVec<I, T> {
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.raw.len()
    }

    /// Is the list empty?
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The index that the next entry will have.
    pub fn next_index(&self) -> I {
        I::new(self.raw.len())
    }

    /// The entry with this index, if there is one.
    #[inline(always)]
    pub fn get(&self, index: I) -> Option<&T> {
        self.raw.get(index.index())
    }

    /// The entries with their indices.
    pub fn enumerated(&self) -> impl ExactSizeIterator<Item = (I, &T)> {
        self.raw.iter().enumerate().map(|(position, entry)| (I::new(position), entry))
    }
}

impl<I: ListIndex, T: Clone> IndexVec<I, T> {
    /// Replaces the list by `count` equal entries; keeps the memory.
    pub fn refill(&mut self, count: usize, entry: T) {
        self.raw.clear();
        self.raw.resize(count, entry);
    }
}

impl<I: ListIndex, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, index: I) -> &T {
        &self.raw[index.index()]
    }
}

impl<I: ListIndex, T> IndexMut<I> for IndexVec<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, index: I) -> &mut T {
        &mut self.raw[index.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_under_the_index_that_was_next() {
        let mut list = IndexVec::<LocalBody, f64>::default();
        let first = list.next_index();
        list.raw.push(1.5);
        assert_eq!((list[first], list.get(list.next_index())), (1.5, None));
        list.refill(3, 2.0);
        list[LocalBody(2)] = 7.0;
        assert!(list.enumerated().map(|(index, &entry)| (index.0, entry)).eq([(0, 2.0), (1, 2.0), (2, 7.0)]));
    }
}
