//! Bodies and memories dealt out to the processes by id: the order of files, which knows no processes.

use std::borrow::Cow;

use rayon::prelude::*;

use super::Domain;
use crate::comm::{Comm, Reader, Writer};
use crate::dim::Dim;
use crate::state::{Bodies, BodyId, History, Record, Row, State};

/// Ids are counted in so many bins to share them out evenly: the one message whose size does not fall with the number of
/// processes.
const BINS: u64 = 4096;

/// What this process writes into a file.
pub struct Spread<'a, X: Dim> {
    /// Bodies by id; all of them are lower than those of the next process.
    pub states: Sorted<'a, State<X>>,
    /// Bodies on the processes before this one.
    pub states_before: usize,
    /// Bodies of all processes.
    pub states_total: usize,
    /// What contacts remember, by the ids of the contacts.
    pub records: Sorted<'a, Record<X>>,
    /// Records on the processes before this one.
    pub records_before: usize,
    /// Records of all processes.
    pub records_total: usize,
    shares: Option<Shares>,
}

/// Things where they are, and the order in which to read them.
pub struct Sorted<'a, T: Clone> {
    things: Cow<'a, [T]>,
    order: Vec<u32>,
}

impl<'a, T: Clone + Sync> Sorted<'a, T> {
    /// The things at `places`, sorted by key; those of the same key by `compare`.
    fn new(
        things: Cow<'a, [T]>,
        places: Vec<u32>,
        key: impl Fn(&T) -> u64 + Sync,
        compare: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) -> Self {
        let keys: Vec<u64> = places.par_iter().map(|&place| key(&things[place as usize])).collect();
        let mut order = sort_by_key(&places, &keys);
        for same in order.chunk_by_mut(|&a, &b| key(&things[a as usize]) == key(&things[b as usize])) {
            same.sort_unstable_by(|&a, &b| compare(&things[a as usize], &things[b as usize]));
        }
        Self { things, order }
    }

    /// Everything in `things`.
    fn all(
        things: Vec<T>,
        key: impl Fn(&T) -> u64 + Sync,
        compare: impl Fn(&T, &T) -> std::cmp::Ordering,
    ) -> Sorted<'static, T> {
        let places = (0..things.len() as u32).collect();
        Sorted::new(Cow::Owned(things), places, key, compare)
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// None.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The one with `rank` others before it.
    #[inline]
    pub fn at(&self, rank: usize) -> &T {
        &self.things[self.order[rank] as usize]
    }

    /// One after the other.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).map(|rank| self.at(rank))
    }
}

/// `places` in the order of their `keys`. Ids are mostly without gaps: then each key says where its place goes.
fn sort_by_key(places: &[u32], keys: &[u64]) -> Vec<u32> {
    let low = keys.iter().copied().min().unwrap_or(0);
    let range = keys.iter().copied().max().unwrap_or(0) - low;
    if range > 4 * keys.len() as u64 + 1024 {
        let mut pairs: Vec<(u64, u32)> = keys.iter().copied().zip(places.iter().copied()).collect();
        pairs.par_sort_unstable();
        return pairs.into_iter().map(|(_, place)| place).collect();
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
        order[*slot as usize] = *place;
        *slot += 1;
    }
    order
}

impl<X: Dim> Spread<'_, X> {
    /// The process that has this body here.
    pub fn host(&self, id: BodyId) -> usize {
        self.shares.as_ref().map_or(0, |shares| shares.rank(id.0))
    }
}

impl<X: Dim> Domain<X> {
    /// Deal out all bodies and what their contacts remember. Collective.
    pub fn spread<'a>(&self, bodies: &'a Bodies<X>, history: &'a History<X>) -> Spread<'a, X> {
        let (states, records) = (bodies.states(), history.records());
        let own: Vec<u32> = (0..states.len() as u32).filter(|&i| self.crowd.counts(i as usize)).collect();
        let memories = own.iter().flat_map(|&i| history.places(i as usize)).map(|place| place as u32).collect();
        let (id, first) = (|state: &State<X>| state.id.0, |record: &Record<X>| record.id.a.0);
        let equal = |_: &State<X>, _: &State<X>| std::cmp::Ordering::Equal;
        let mut shares = None;
        let (states, records) = if self.comm.size() == 1 {
            let states = Sorted::new(Cow::Borrowed(states), own, id, equal);
            (states, Sorted::new(Cow::Borrowed(records), memories, first, Record::compare))
        } else {
            let dealt = Shares::new(&*self.comm, own.iter().map(|&i| states[i as usize].id.0));
            let (states, records) = self.deal(&dealt, states, &own, records, &memories);
            shares = Some(dealt);
            (Sorted::all(states, id, equal), Sorted::all(records, first, Record::compare))
        };
        let counts = [states.len(), records.len()].map(|count| count as u64);
        let [(states_before, states_total), (records_before, records_total)] = before(&*self.comm, counts);
        Spread { states, states_before, states_total, records, records_before, records_total, shares }
    }

    /// Everything goes to the process that has its id.
    fn deal(
        &self,
        shares: &Shares,
        states: &[State<X>],
        own: &[u32],
        records: &[Record<X>],
        memories: &[u32],
    ) -> (Vec<State<X>>, Vec<Record<X>>) {
        let rank = self.comm.rank();
        let state_of = |&i: &u32| &states[i as usize];
        let record_of = |&place: &u32| &records[place as usize];
        let hosts: Vec<u32> = own.par_iter().map(|i| shares.rank(state_of(i).id.0) as u32).collect();
        let record_hosts: Vec<u32> = memories.par_iter().map(|i| shares.rank(record_of(i).id.a.0) as u32).collect();
        // What stays here is not packed; what goes finds its room ready.
        let mut counts = vec![[0usize; 2]; self.comm.size()];
        hosts.iter().for_each(|&host| counts[host as usize][0] += 1);
        record_hosts.iter().for_each(|&host| counts[host as usize][1] += 1);
        let (mut kept_states, mut kept_records) = (Vec::new(), Vec::new());
        let mut out: Vec<Writer> = (counts.iter().enumerate())
            .map(|(host, &[states, records])| {
                let [states, records] = if host == rank { [0, 0] } else { [states, records] };
                let length = states * State::<X>::row_bytes();
                let mut message = Writer(Vec::with_capacity(8 + length + records * Record::<X>::row_bytes()));
                message.u64(length as u64);
                message
            })
            .collect();
        for (i, &host) in own.iter().zip(&hosts) {
            match host as usize == rank {
                true => kept_states.push(*i),
                false => state_of(i).write_row(&mut out[host as usize].0),
            }
        }
        for (i, &host) in memories.iter().zip(&record_hosts) {
            match host as usize == rank {
                true => kept_records.push(*i),
                false => record_of(i).write_row(&mut out[host as usize].0),
            }
        }
        let received = self.swap(out);
        let bytes: usize = received.iter().map(Vec::len).sum();
        let mut dealt = Vec::with_capacity(kept_states.len() + bytes / State::<X>::row_bytes());
        let mut remembered = Vec::with_capacity(kept_records.len() + bytes / Record::<X>::row_bytes() / 2);
        dealt.extend(kept_states.iter().map(state_of));
        remembered.extend(kept_records.iter().map(record_of));
        for bytes in received {
            let mut message = Reader(&bytes);
            let length = message.u64() as usize;
            dealt.extend(State::read_rows(message.bytes(length)));
            remembered.extend(Record::read_rows(message.0));
        }
        (dealt, remembered)
    }
}

/// For each of these counts of things: how many the processes before this one have, and how many all have.
pub fn before<const N: usize>(comm: &dyn Comm, counts: [u64; N]) -> [(usize, usize); N] {
    let (rank, size) = (comm.rank(), comm.size());
    let mut all = vec![0u64; N * size];
    all[N * rank..N * (rank + 1)].copy_from_slice(&counts);
    comm.sum(&mut all);
    std::array::from_fn(|k| {
        let of = |rank: usize| all[N * rank + k] as usize;
        ((0..rank).map(of).sum(), (0..size).map(of).sum())
    })
}

/// Ranges of ids, one for each process, with about as many bodies in each.
struct Shares {
    top: u64,
    /// Process of every bin.
    ranks: Vec<u32>,
}

impl Shares {
    fn new(comm: &dyn Comm, ids: impl Iterator<Item = u64> + Clone) -> Self {
        let mut top = [ids.clone().max().unwrap_or(0) as f64];
        comm.max(&mut top);
        // Rounded, but the same everywhere; ids above it share the last bin.
        let mut shares = Self { top: top[0] as u64, ranks: Vec::new() };
        let mut counts = vec![0u64; BINS as usize];
        ids.for_each(|id| counts[shares.bin(id)] += 1);
        comm.sum(&mut counts);
        let total = counts.iter().sum::<u64>().max(1);
        let mut seen = 0;
        for count in counts {
            // A bin goes where its middle body belongs.
            let middle = (seen + count / 2).min(total - 1);
            shares.ranks.push((middle as u128 * comm.size() as u128 / total as u128) as u32);
            seen += count;
        }
        shares
    }

    fn bin(&self, id: u64) -> usize {
        (u128::from(id.min(self.top)) * u128::from(BINS) / (u128::from(self.top) + 1)) as usize
    }

    fn rank(&self, id: u64) -> usize {
        self.ranks[self.bin(id)] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_sorted_by_key_whether_keys_are_dense_or_far_apart() {
        for spacing in [1, 1 << 40] {
            let keys: Vec<u64> = (0..5000u64).map(|i| 7 + i * 2_654_435_761 % 5000 * spacing).collect();
            let places: Vec<u32> = (0..5000).rev().collect();
            let order = sort_by_key(&places, &keys);
            let sorted: Vec<u64> = order.iter().map(|&place| keys[4999 - place as usize]).collect();
            assert!(sorted.windows(2).all(|pair| pair[0] <= pair[1]) && order.len() == 5000);
        }
        assert!(sort_by_key(&[], &[]).is_empty());
    }
}
