//! Things by their places, wherever they are kept.

use crate::base::fetch;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// Things that go into a file.
pub(crate) enum RowSource<'a, R> {
    /// One after the other.
    Listed(&'a [R]),
    /// In blocks.
    Kept(&'a dyn RowStore<R>),
}

impl<R> Clone for RowSource<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for RowSource<'_, R> {}

impl<R: Copy> RowSource<'_, R> {
    /// The thing in that place.
    #[inline]
    pub(crate) fn get(&self, place: usize) -> R {
        match self {
            Self::Listed(list) => list[place],
            Self::Kept(store) => store.get(place),
        }
    }

    /// It will be read soon, if there is one.
    #[inline]
    pub(crate) fn fetch(&self, place: usize) {
        match self {
            Self::Listed(list) => list.get(place).into_iter().for_each(fetch),
            Self::Kept(store) => store.fetch(place),
        }
    }
}

/// Where things are kept.
pub(crate) trait RowStore<R>: Sync {
    /// The thing in that place.
    fn get(&self, place: usize) -> R;
    /// It will be read soon, if there is one.
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
