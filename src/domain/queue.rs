//! Things roughly by id: in bins, whose ids lie close together.
//!
//! In: things and where those are that count. Out: their places, bin after bin. Inside a bin they stay as they were: whoever
//! makes rows puts some at a time in order, which stay in the cache. A thing is looked at once, as it lies in memory, with
//! its neighbour: fetching it again in the order of keys would cost more than all else.

use rayon::prelude::*;

use crate::state::Row;

/// So many bins: the one message whose size does not fall with the number of processes says how many things are in each.
const BINS: usize = 8192;

/// Things bin by bin.
pub struct Queue {
    /// Where they are, doubled; and one more where a thing has the key of the one before and belongs after it.
    pub(super) order: Vec<u32>,
    /// The first number of the key of each.
    pub(super) keys: Vec<u64>,
    pub(super) bins: Bins,
}

impl Queue {
    /// The things at `places`, which rise.
    pub(super) fn new<R: Row + Sync>(things: &[R], places: &[u32]) -> Self {
        assert!(places.last().is_none_or(|&last| last < 1 << 31), "a place and one bit more fit into 32 bits");
        let thing = |place: u32| &things[place as usize];
        let look = |k: usize| {
            let own = thing(places[k]);
            let before = k.checked_sub(1).map(|before| thing(places[before]));
            let follows = before.is_some_and(|other| other.key() == own.key() && other.words() <= own.words());
            (own.key(), places[k] << 1 | u32::from(follows))
        };
        let (mut keys, mut marked) = (Vec::new(), Vec::new());
        (0..places.len()).into_par_iter().map(look).unzip_into_vecs(&mut keys, &mut marked);
        let bins = Bins::of(&keys);
        if keys.is_sorted_by_key(|&key| bins.bin(key)) {
            return Self { order: marked, keys, bins };
        }
        let mut next: Vec<u32> = [0].into_iter().chain(bins.ends.iter().copied()).collect();
        let (mut order, mut sorted) = (vec![0; marked.len()], vec![0; marked.len()]);
        for (key, place) in keys.into_iter().zip(marked) {
            let slot = &mut next[bins.bin(key)];
            (order[*slot as usize], sorted[*slot as usize]) = (place, key);
            *slot += 1;
        }
        Self { order, keys: sorted, bins }
    }
}

/// Things with keys of their own and their places, in order already.
impl FromIterator<(u64, u32)> for Queue {
    fn from_iter<I: IntoIterator<Item = (u64, u32)>>(sorted: I) -> Self {
        let (keys, order): (Vec<u64>, _) = sorted.into_iter().map(|(key, place)| (key, place << 1)).unzip();
        Self { order, bins: Bins::of(&keys), keys }
    }
}

/// How many things have which ids.
pub(super) struct Bins {
    /// Ids of the same bin agree but for so many binary places at the end.
    pub(super) places: u32,
    /// Things up to the end of each.
    ends: Vec<u32>,
}

impl Bins {
    /// Of things with these keys.
    pub(super) fn of(keys: &[u64]) -> Self {
        let top = keys.iter().copied().max().unwrap_or(0);
        let places = (64 - top.leading_zeros()).saturating_sub(BINS.ilog2());
        let mut bins = Self { places, ends: vec![0; BINS] };
        keys.iter().for_each(|&key| bins.ends[(key >> places) as usize] += 1);
        let mut before = 0;
        for end in &mut bins.ends {
            before += *end;
            *end = before;
        }
        bins
    }

    fn bin(&self, key: u64) -> usize {
        (key >> self.places) as usize
    }

    /// Things before the given bin, if bins leave out so many places: at least as many as here.
    pub(super) fn before(&self, bin: usize, places: u32) -> usize {
        let bin = ((bin as u64) << (places - self.places).min(32)).min(BINS as u64) as usize;
        bin.checked_sub(1).map_or(0, |last| self.ends[last] as usize)
    }

    /// How many things are in each bin, if bins leave out so many places.
    pub(super) fn counts(&self, places: u32) -> Vec<u64> {
        (0..BINS).map(|bin| (self.before(bin + 1, places) - self.before(bin, places)) as u64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use crate::state::State;

    #[test]
    fn things_lie_in_their_bins_and_stay_in_order_inside_whether_ids_are_dense_or_far_apart() {
        for spacing in [1, 1 << 40] {
            let id = |i: u64| 7 + i * 2_654_435_761 % 50_000 * spacing;
            let things: Vec<_> = (0..50_000).map(|i| State::<Space>::at_rest(id(i), 0, 0, 1.0, 1.0)).collect();
            let places: Vec<u32> = (0..25_000).map(|i| 2 * i).collect();
            let Queue { order, keys, bins } = Queue::new(&things, &places);
            assert!(order.iter().zip(&keys).all(|(&marked, &key)| id(u64::from(marked / 2)) == key && marked % 2 == 0));
            let pairs: Vec<_> = keys.iter().zip(&order).map(|(&key, &marked)| (bins.bin(key), marked)).collect();
            assert!(pairs.is_sorted() && pairs.len() == 25_000);
            // Seen through coarser bins, as where another process has higher ids.
            for coarser in [bins.places, bins.places + 3, 63] {
                let counts = bins.counts(coarser);
                let of = |bin: u64| keys.iter().filter(|&&key| key >> coarser == bin).count() as u64;
                assert!((0..8192).step_by(100).all(|bin| counts[bin as usize] == of(bin)));
                assert_eq!(counts.iter().sum::<u64>(), 25_000);
            }
        }
        assert!(Queue::new::<State<Space>>(&[], &[]).order.is_empty());
    }
}
