//! Sources of rows: random access by index to states and contact records.

use crate::base::fetch;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// Rows to be written into a file.
pub(crate) enum RowSource<'a, R> {
    /// A slice.
    Listed(&'a [R]),
    /// A store with its own layout.
    Kept(&'a dyn RowStore<R>),
}

impl<R> Clone for RowSource<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for RowSource<'_, R> {}

impl<R: Copy> RowSource<'_, R> {
    /// The row at that index.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> R {
        match self {
            Self::Listed(list) => list[place],
            Self::Kept(store) => store.get(place),
        }
    }

    /// Prefetches the row at that index, if there is one.
    #[inline]
    pub(crate) fn fetch(&self, place: usize) {
        match self {
            Self::Listed(list) => list.get(place).into_iter().for_each(fetch),
            Self::Kept(store) => store.fetch(place),
        }
    }
}

/// A container of rows with its own layout.
pub(crate) trait RowStore<R>: Sync {
    /// The row at that index.
    fn get(&self, place: usize) -> R;
    /// Prefetches the row at that index, if there is one.
    fn fetch(&self, place: usize);
}

impl<X: Dim> RowStore<ContactRecord<X>> for ContactHistory<X> {
    fn get(&self, place: usize) -> ContactRecord<X> {
        ContactHistory::get(self, place)
    }
    fn fetch(&self, place: usize) {
        if place < self.len() {
            ContactHistory::fetch(self, place);
        }
    }
}
