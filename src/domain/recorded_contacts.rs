//! The contacts of a subdomain that are recorded in the contact history.

use crate::base::index::ContactIndex;

/// A set of contacts, by number: 64 bits to a word.
#[derive(Default)]
pub(super) struct RecordedContacts(Vec<u64>);

impl RecordedContacts {
    /// Removes all contacts.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Replaces the set by those of the contacts 0 to `count` - 1 that are `is_recorded`.
    pub(super) fn find(&mut self, count: usize, is_recorded: impl Fn(ContactIndex) -> bool) {
        self.0.clear();
        self.0.extend((0..count).step_by(64).map(|first| {
            (first..count.min(first + 64))
                .fold(0, |word, k| word | u64::from(is_recorded(ContactIndex::new(k))) << (k - first))
        }));
    }

    /// The contacts of the set, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ContactIndex> {
        let of_word = |(word, first): (u64, usize)| {
            let without_lowest = |left: &u64| Some(left & (left - 1)).filter(|left| *left != 0);
            let left = std::iter::successors(Some(word).filter(|word| *word != 0), without_lowest);
            left.map(move |left| ContactIndex::new(first + left.trailing_zeros() as usize))
        };
        self.0.iter().copied().zip((0..).step_by(64)).flat_map(of_word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_has_exactly_the_contacts_that_are_recorded() {
        let mut recorded = RecordedContacts::default();
        for count in [0, 1, 63, 64, 65, 200] {
            let is_recorded = |k: ContactIndex| k.0.is_multiple_of(3) || k.0 == 64;
            recorded.find(count, is_recorded);
            assert!(recorded.iter().eq((0..count).map(ContactIndex::new).filter(|&k| is_recorded(k))));
        }
    }
}
