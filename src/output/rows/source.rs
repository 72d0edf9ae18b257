//! Sources of rows: random access by index to states and contact records.

use crate::base::fetch;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// Rows to be written into a file.
pub(crate) enum RowSource<'a, R> {
    /// A slice.
    Slice(&'a [R]),
    /// A store with its own layout.
    Store(&'a dyn RowStore<R>),
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
    pub(crate) fn get(&self, index: usize) -> R {
        match self {
            Self::Slice(list) => list[index],
            Self::Store(store) => store.get(index),
        }
    }

    /// Prefetches the row at that index, if there is one.
    #[inline]
    pub(crate) fn fetch(&self, index: usize) {
        match self {
            Self::Slice(list) => list.get(index).into_iter().for_each(fetch),
            Self::Store(store) => store.fetch(index),
        }
    }
}

/// A container of rows with its own layout.
pub(crate) trait RowStore<R>: Sync {
    /// The row at that index.
    fn get(&self, index: usize) -> R;
    /// Prefetches the row at that index, if there is one.
    fn fetch(&self, index: usize);
}

impl<X: Dim> RowStore<ContactRecord<X>> for ContactHistory<X> {
    fn get(&self, index: usize) -> ContactRecord<X> {
        ContactHistory::get(self, index)
    }
    fn fetch(&self, index: usize) {
        if index < self.len() {
            ContactHistory::fetch(self, index);
        }
    }
}
