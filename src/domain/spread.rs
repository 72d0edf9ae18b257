//! Bodies and memories dealt out to the processes by id: the order of files, which knows no processes.

use rayon::prelude::*;

use super::Domain;
use super::dealt::Dealt;
use super::queue::Queue;
use crate::comm::Comm;
use crate::dim::Dim;
use crate::state::{Bodies, BodyId, History, Record, State};

/// Ids are counted in so many bins to share them out evenly: the one message whose size does not fall with the number of
/// processes.
const BINS: u64 = 8192;
/// So many bodies of a process are dealt out at a time. Every portion is a round of messages and of calls that all
/// processes make together: several processes take a quarter of what they have, within bounds.
const PORTION: u64 = 1 << 16;
const LARGEST: u64 = 1 << 18;

/// What this process writes into a file.
pub struct Spread<'a, X: Dim> {
    /// Bodies by id; all of them are lower than those of the next process.
    pub states: Dealt<'a, State<X>>,
    /// Bodies on the processes before this one.
    pub states_before: usize,
    /// Bodies of all processes.
    pub states_total: usize,
    /// What contacts remember, by the ids of the contacts.
    pub records: Dealt<'a, Record<X>>,
    /// Records on the processes before this one.
    pub records_before: usize,
    /// Records of all processes.
    pub records_total: usize,
    /// Who has which bodies.
    pub shares: Shares,
}

impl<X: Dim> Domain<X> {
    /// Collective. Who has which ids when bodies are dealt out.
    pub fn shares(&self, bodies: &Bodies<X>) -> Shares {
        let ids: Vec<u64> = self.counted(bodies).map(|state| state.id.0).collect();
        Shares::new(&*self.comm, &ids, None)
    }

    /// Deal out all bodies and what their contacts remember. Collective.
    pub fn spread<'a>(&'a self, bodies: &'a Bodies<X>, history: &'a History<X>) -> Spread<'a, X> {
        let (comm, states) = (&*self.comm, bodies.states());
        let counted = (0..states.len() as u32).into_par_iter();
        let own: Vec<u32> = counted.filter(|&i| self.crowd.counts(i as usize)).collect();
        let places = own.par_iter().flat_map_iter(|&i| history.places(i as usize));
        let memories: Vec<u32> = places.map(|place| place as u32).collect();
        // Ids of bodies are their own.
        let (queue, memories) = rayon::join(
            || match comm.size() {
                1 => Queue::new(states, &own, |_, _| std::cmp::Ordering::Equal),
                // Processes that talk about bodies know them by id.
                _ => self.crowd.counted_by_id().collect(),
            },
            || Queue::new(history.records(), &memories, Record::compare),
        );
        let shares = Shares::new(comm, &queue.keys, None);
        let states = Dealt::new(comm, &shares, states, queue);
        let even = Shares::new(comm, &memories.keys, None);
        let records = Dealt::new(comm, &even, history.records(), memories);
        let counts = [states.len(), records.len()].map(|count| count as u64);
        let [(states_before, states_total), (records_before, records_total)] = before(comm, counts);
        Spread { states, states_before, states_total, records, records_before, records_total, shares }
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

/// Ranges of ids, one for each process, with about as many bodies in each; and portions of these.
pub struct Shares {
    /// Ids of the same bin agree but for so many binary places.
    places: u32,
    /// Process and portion of every bin.
    parts: Vec<(usize, usize)>,
    /// The largest number of portions of a process.
    pub(super) portions: usize,
}

impl Shares {
    /// Collective. Portions are of about `portion` bodies, or what suits.
    pub(super) fn new(comm: &dyn Comm, ids: &[u64], portion: Option<u64>) -> Self {
        let top = ids.iter().copied().max().unwrap_or(0);
        let mut places = [f64::from((64 - top.leading_zeros()).saturating_sub(BINS.ilog2()))];
        comm.max(&mut places);
        let mut shares = Self { places: places[0] as u32, parts: Vec::new(), portions: 1 };
        let mut counts = vec![0u64; BINS as usize];
        // Ids are mostly in order.
        for same in ids.chunk_by(|&a, &b| shares.bin(a) == shares.bin(b)) {
            counts[shares.bin(same[0])] += same.len() as u64;
        }
        comm.sum(&mut counts);
        let total = counts.iter().sum::<u64>().max(1);
        let portion = portion.unwrap_or_else(|| match comm.size() as u64 {
            1 => PORTION,
            size => (total / size / 4).clamp(PORTION, LARGEST),
        });
        let (mut seen, mut before) = (0, (0, 0));
        for count in counts {
            // A bin goes where its middle body belongs.
            let middle = (seen + count / 2).min(total - 1);
            let process = (middle as u128 * comm.size() as u128 / total as u128) as usize;
            if process != before.0 {
                before = (process, seen);
            }
            let part = ((seen - before.1) / portion) as usize;
            shares.portions = shares.portions.max(part + 1);
            shares.parts.push((process, part));
            seen += count;
        }
        shares
    }

    fn bin(&self, id: u64) -> usize {
        (id >> self.places) as usize
    }

    /// The process that has this body in the order of files.
    pub fn host(&self, id: BodyId) -> usize {
        self.part(id.0).0
    }

    /// The process and the portion of an id; neither falls while ids of a process grow.
    pub(super) fn part(&self, id: u64) -> (usize, usize) {
        self.parts[self.bin(id)]
    }
}
