//! Capacity management of arrays that persist from step to step.
//!
//! A growing `Vec` doubles its capacity, so that hundreds of subdomains would hold twice what they use. Arrays of known
//! length and trimmed arrays get a small spare capacity instead; a trimmed array is not reallocated until more than an
//! eighth of it is unused. A steady run therefore allocates nothing.

use crate::base::scratch::SLACK;

/// Ensures capacity for `count` elements of an empty array; if it must grow, with some spare capacity.
pub(crate) fn make_room<T>(list: &mut Vec<T>, count: usize) {
    if list.capacity() < count {
        list.reserve_exact(count + count / SLACK);
    }
}

/// Releases capacity far in excess of the length.
pub(crate) fn trim<T>(list: &mut Vec<T>) {
    if list.capacity() > list.len() + list.len() / 8 + 64 {
        list.shrink_to(list.len() + list.len() / SLACK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_that_grows_slowly_is_seldom_reallocated() {
        let mut list: Vec<u64> = Vec::new();
        let reallocations = (1000..2000).filter(|&count| {
            let before = list.capacity();
            make_room(&mut list, count);
            assert!((count..=count + count / SLACK).contains(&list.capacity()));
            list.capacity() != before
        });
        assert!(reallocations.count() < 100);
    }

    #[test]
    fn an_array_that_needs_half_its_capacity_returns_most_of_the_rest_once() {
        let mut list: Vec<u64> = Vec::with_capacity(10_000);
        list.extend(0..5000);
        trim(&mut list);
        let capacity = list.capacity();
        assert!((5000..5200).contains(&capacity));
        list.truncate(4750);
        trim(&mut list);
        assert_eq!(list.capacity(), capacity);
    }
}
