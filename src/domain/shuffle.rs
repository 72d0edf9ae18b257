//! Random contact order (`random`): a new random order of the contacts of a subdomain in every step.
//!
//! In: the seed, the step, the number of the subdomain, and its number of contacts. Out: a permutation of the contacts.
//! The number drawn for a contact depends only on these and on its index (SplitMix64 of a counter, a stateless
//! generator), so that threads, processes and restarts do not affect the order.

use crate::base::random::scatter;

/// The numbers 0 to `count` - 1, sorted by the random number that is drawn for each of them with `key`.
pub(super) fn shuffled(count: usize, key: [u64; 3]) -> Vec<u32> {
    let draw = |x: u64| scatter(x.wrapping_add(0x9e37_79b9_7f4a_7c15));
    let key = key.into_iter().fold(0, |key, word| draw(key ^ word));
    let mut drawn: Vec<(u64, u32)> = (0..count as u32).map(|k| (draw(key ^ u64::from(k)), k)).collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|(_, k)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_once_and_each_key_has_its_own_order() {
        let orders = [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]].map(|key| shuffled(1000, key));
        for (k, order) in orders.iter().enumerate() {
            assert_eq!(*order, shuffled(1000, [[1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]][k]));
            assert!(orders[..k].iter().all(|other| other != order));
            let in_place = order.iter().enumerate().filter(|(position, number)| *position == **number as usize).count();
            assert!(in_place < 10, "{in_place} of 1000 have kept their position");
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..1000));
        }
    }
}
