//! Things by their places, wherever they are kept.

use crate::base::fetch;
use crate::dim::Dim;
use crate::interaction::History;
use crate::interaction::history::Record;

/// Things that go into a file.
pub(crate) enum Things<'a, R> {
    /// One after the other.
    Listed(&'a [R]),
    /// In blocks.
    Kept(&'a dyn Store<R>),
}

impl<R> Clone for Things<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Things<'_, R> {}

impl<R: Copy> Things<'_, R> {
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
pub(crate) trait Store<R>: Sync {
    /// The thing in that place.
    fn get(&self, place: usize) -> R;
    /// It will be read soon, if there is one.
    fn fetch(&self, place: usize);
}

impl<X: Dim> Store<Record<X>> for History<X> {
    fn get(&self, place: usize) -> Record<X> {
        History::get(self, place)
    }
    fn fetch(&self, place: usize) {
        if place < self.len() {
            History::fetch(self, place);
        }
    }
}
