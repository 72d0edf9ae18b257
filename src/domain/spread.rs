//! Bodies and memories dealt out to the processes by id: the order of files, which knows no processes.

use rayon::prelude::*;

use super::Domain;
use super::crowd::{read_records, write_records};
use crate::comm::{Comm, Reader, Writer};
use crate::dim::Dim;
use crate::state::{Bodies, BodyId, History, Record, State};

/// Ids are counted in so many bins to share them out evenly: the one message whose size does not fall with the number of
/// processes.
const BINS: u64 = 4096;

/// What this process writes into a file.
pub struct Spread<X: Dim> {
    /// Bodies sorted by id; all of them are lower than those of the next process.
    pub states: Vec<State<X>>,
    /// Bodies on the processes before this one.
    pub states_before: usize,
    /// Bodies of all processes.
    pub states_total: usize,
    /// What contacts remember, sorted by the ids of the contacts.
    pub records: Vec<Record<X>>,
    /// Records on the processes before this one.
    pub records_before: usize,
    /// Records of all processes.
    pub records_total: usize,
    shares: Option<Shares>,
}

impl<X: Dim> Spread<X> {
    /// The process that has this body here.
    pub fn host(&self, id: BodyId) -> usize {
        self.shares.as_ref().map_or(0, |shares| shares.rank(id.0))
    }
}

impl<X: Dim> Domain<X> {
    /// Deal out all bodies and what their contacts remember.
    pub fn spread(&self, bodies: &Bodies<X>, history: &History<X>) -> Spread<X> {
        let counted = |(i, _): &(usize, &State<X>)| self.crowd.counts(*i);
        let own: Vec<(usize, &State<X>)> = bodies.states().iter().enumerate().filter(counted).collect();
        let memories = own.iter().flat_map(|(i, _)| history.of(*i)).copied();
        let (mut states, mut records): (Vec<State<X>>, Vec<Record<X>>);
        let mut dealt = None;
        if self.comm.size() == 1 {
            states = own.iter().map(|(_, state)| **state).collect();
            records = memories.collect();
        } else {
            let shares = Shares::new(&*self.comm, own.iter().map(|(_, state)| state.id.0));
            let mut out = vec![(Writer::default(), Vec::new()); self.comm.size()];
            for (_, state) in &own {
                state.write_row(&mut out[shares.rank(state.id.0)].0.0);
            }
            for record in memories {
                out[shares.rank(record.id.a.0)].1.push(record);
            }
            let messages = out.into_iter().map(|(rows, records)| {
                let mut message = Writer::default();
                message.u64(rows.0.len() as u64);
                message.0.extend(&rows.0);
                write_records(&mut message, &records);
                message
            });
            (states, records) = (Vec::new(), Vec::new());
            for bytes in self.swap(messages.collect()) {
                let mut message = Reader(&bytes);
                let length = message.u64() as usize;
                let rows = message.bytes(length).chunks_exact(State::<X>::row_bytes());
                states.extend(rows.filter_map(State::read_row));
                records.extend(read_records::<X>(&mut message));
            }
            dealt = Some(shares);
        }
        states.par_sort_unstable_by_key(|state| state.id);
        records.par_sort_unstable_by(Record::compare);
        let counts = [states.len(), records.len()].map(|count| count as u64);
        let [(states_before, states_total), (records_before, records_total)] = before(&*self.comm, counts);
        Spread { states, states_before, states_total, records, records_before, records_total, shares: dealt }
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
