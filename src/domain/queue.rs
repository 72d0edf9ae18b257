//! Things in the order of their keys.
//!
//! In: things and where those are that count. Out: their places in order. A thing is looked at once, as it lies in memory,
//! with its neighbour: fetching it again in the order of keys would cost more than all else.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::state::Row;

/// So many things of a queue are settled by one thread.
const BLOCK: usize = 1024;

/// Things by key.
pub struct Queue {
    /// Where they are.
    pub(super) order: Vec<u32>,
    /// The first number of the key of each.
    pub(super) keys: Vec<u64>,
}

impl Queue {
    /// The things at `places`, which rise. `compare` tells things of the same key apart.
    pub(super) fn new<R: Row + Sync>(
        things: &[R],
        places: &[u32],
        compare: impl Fn(&R, &R) -> Ordering + Sync,
    ) -> Self {
        assert!(places.last().is_none_or(|&last| last < 1 << 31), "a place and one bit more fit into 32 bits");
        let thing = |place: u32| &things[place as usize];
        // The last bit: it has the key of the one before and stands after it.
        let look = |k: usize| {
            let own = thing(places[k]);
            let before = k.checked_sub(1).map(|before| thing(places[before]));
            let follows = before.is_some_and(|other| other.key() == own.key() && compare(other, own).is_le());
            (own.key(), places[k] << 1 | u32::from(follows))
        };
        let (mut keys, mut marked) = (Vec::new(), Vec::new());
        (0..places.len()).into_par_iter().map(look).unzip_into_vecs(&mut keys, &mut marked);
        let mut queue = sort_by_key(marked, keys);
        settle_ties(&mut queue.order, &queue.keys, &|tie| {
            tie.sort_unstable_by(|a, b| compare(thing(*a >> 1), thing(*b >> 1)));
        });
        queue.order.par_iter_mut().with_min_len(BLOCK).for_each(|place| *place >>= 1);
        queue
    }
}

/// Keys and places that are in order already.
impl FromIterator<(u64, u32)> for Queue {
    fn from_iter<I: IntoIterator<Item = (u64, u32)>>(sorted: I) -> Self {
        let (keys, order) = sorted.into_iter().unzip();
        Self { order, keys }
    }
}

/// Has things of the same key settled, where there are several that do not follow each other. Halves of what is long go to
/// different threads.
fn settle_ties(order: &mut [u32], keys: &[u64], settle: &(impl Fn(&mut [u32]) + Sync)) {
    let half = keys.len() / 2;
    if half > BLOCK {
        let middle = half + keys[half..].partition_point(|&key| key == keys[half]);
        let ((low, high), (first, rest)) = (order.split_at_mut(middle), keys.split_at(middle));
        if !rest.is_empty() {
            rayon::join(|| settle_ties(low, first, settle), || settle_ties(high, rest, settle));
            return;
        }
    }
    let mut rest = order;
    for same in keys.chunk_by(|a, b| a == b) {
        let (own, others) = rest.split_at_mut(same.len());
        rest = others;
        if own[1..].iter().any(|marked| marked & 1 == 0) {
            settle(own);
        }
    }
}

/// Rising `places` in the order of their `keys`. Ids are mostly without gaps: then each key says where its place goes,
/// and one thread is as fast as several that compare.
fn sort_by_key(places: Vec<u32>, keys: Vec<u64>) -> Queue {
    let wider = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
    let (low, high) = keys.par_iter().with_min_len(BLOCK).map(|&key| (key, key)).reduce(|| (u64::MAX, 0), wider);
    let range = high.saturating_sub(low);
    if range > 4 * keys.len() as u64 + 1024 || rayon::current_num_threads() > 4 {
        let mut pairs: Vec<(u64, u32)> = keys.into_par_iter().zip(places).collect();
        pairs.par_sort_unstable();
        let mut queue = Queue { order: Vec::new(), keys: Vec::new() };
        pairs.into_par_iter().unzip_into_vecs(&mut queue.keys, &mut queue.order);
        return queue;
    }
    let mut next = vec![0u32; range as usize + 2];
    keys.iter().for_each(|key| next[(key - low) as usize + 1] += 1);
    let mut before = 0;
    for count in &mut next {
        before += *count;
        *count = before;
    }
    let mut order = vec![0; places.len()];
    for (key, place) in keys.iter().zip(places) {
        let slot = &mut next[(key - low) as usize];
        order[*slot as usize] = place;
        *slot += 1;
    }
    // Each slot has moved on to the end of its key.
    let mut sorted = Vec::with_capacity(keys.len());
    (low..).zip(next).for_each(|(key, end)| sorted.resize(end as usize, key));
    Queue { order, keys: sorted }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_sorted_by_key_whether_keys_are_dense_or_far_apart() {
        for spacing in [1, 1 << 40] {
            let keys: Vec<u64> = (0..5000u64).map(|i| 7 + i * 2_654_435_761 % 5000 * spacing).collect();
            let places: Vec<u32> = (0..5000).map(|i| 3 * i).collect();
            let queue = sort_by_key(places, keys.clone());
            let sorted: Vec<u64> = queue.order.iter().map(|&place| keys[place as usize / 3]).collect();
            assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]) && sorted == queue.keys && sorted.len() == 5000);
        }
        assert!(sort_by_key(Vec::new(), Vec::new()).order.is_empty());
    }
}
