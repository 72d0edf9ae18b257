//! Bodies and memories dealt out to the processes by id: the order of files, which knows no processes.

use std::ops::Range;

use super::Domain;
use super::dealt::Dealt;
use super::queue::{Bins, Queue};
use crate::comm::Comm;
use crate::dim::Dim;
use crate::state::{Bodies, BodyId, History, Record, Row, State};

/// So many bodies of a process are dealt out at a time: few enough to stay in the cache on their way through memory, though
/// every portion is a round of messages.
const PORTION: u64 = 1 << 15;

/// What this process writes into a table of a file.
pub struct Spread<'a, R: Row> {
    /// Rows by id; those of bodies are all lower than those of the next process.
    pub rows: Dealt<'a, R>,
    /// Rows on the processes before this one.
    pub before: usize,
    /// Rows of all processes.
    pub total: usize,
    /// Who has which bodies.
    pub shares: Shares,
}

impl<'a, R: Row + Sync> Spread<'a, R> {
    fn new(comm: &'a dyn Comm, things: &'a [R], queue: Queue) -> Self {
        let shares = Shares::new(comm, &queue.bins, None);
        let rows = Dealt::new(comm, &shares, things, queue);
        let [(before, total)] = before(comm, [rows.len() as u64]);
        Self { rows, before, total, shares }
    }
}

impl<X: Dim> Domain<X> {
    /// Collective. Who has which ids when bodies are dealt out.
    pub fn shares(&self, bodies: &Bodies<X>) -> Shares {
        let ids: Vec<u64> = self.counted(bodies).map(|state| state.id.0).collect();
        Shares::new(&*self.comm, &Bins::of(&ids), None)
    }

    /// Collective. Deal out all bodies.
    pub fn spread<'a>(&'a self, bodies: &'a Bodies<X>) -> Spread<'a, State<X>> {
        let queue = match self.comm.size() {
            1 => {
                let places: Vec<u32> = self.counted_places(bodies).map(|i| i as u32).collect();
                Queue::new(bodies.states(), &places)
            }
            // Processes that talk about bodies know them by id.
            _ => self.crowd.counted_by_id().collect(),
        };
        Spread::new(&*self.comm, bodies.states(), queue)
    }

    /// What the contacts of bodies that are counted here remember, roughly by the ids of the contacts.
    pub fn line_up(&self, bodies: &Bodies<X>, history: &History<X>) -> Queue {
        let mut places = Vec::with_capacity(history.records().len());
        for own in self.counted_places(bodies).map(|i| history.places(i)) {
            places.extend(own.start as u32..own.end as u32);
        }
        Queue::new(history.records(), &places)
    }

    /// Collective. Deal out what contacts remember, once it is lined up.
    pub fn spread_lined_up<'a>(&'a self, history: &'a History<X>, queue: Queue) -> Spread<'a, Record<X>> {
        Spread::new(&*self.comm, history.records(), queue)
    }

    /// Collective. How many contacts of all processes remember something.
    pub fn count_remembered(&self, bodies: &Bodies<X>, history: &History<X>) -> usize {
        let own = self.counted_places(bodies).map(|i| history.places(i).len());
        let mut count = [own.sum::<usize>() as u64];
        self.comm.sum(&mut count);
        count[0] as usize
    }

    /// Where the bodies are that are counted here.
    pub(super) fn counted_places(&self, bodies: &Bodies<X>) -> impl Iterator<Item = usize> {
        (0..bodies.len()).filter(|&i| self.crowd.counts(i))
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
    /// Ids of the same bin agree but for so many binary places at the end.
    places: u32,
    /// Process and portion of every bin.
    parts: Vec<(usize, usize)>,
    /// The largest number of portions of a process.
    pub(super) portions: usize,
}

impl Shares {
    /// Collective. Portions are of about `portion` bodies, or what suits.
    pub(super) fn new(comm: &dyn Comm, bins: &Bins, portion: Option<u64>) -> Self {
        let mut places = [f64::from(bins.places)];
        comm.max(&mut places);
        let mut shares = Self { places: places[0] as u32, parts: Vec::new(), portions: 1 };
        let mut counts = bins.counts(shares.places);
        comm.sum(&mut counts);
        let total = counts.iter().sum::<u64>().max(1);
        let portion = portion.unwrap_or(PORTION);
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

    /// The process that has this body in the order of files.
    pub fn host(&self, id: BodyId) -> usize {
        self.parts[(id.0 >> self.places) as usize].0
    }

    /// Which of so many things go to a process in a portion.
    pub(super) fn turn(&self, bins: &Bins, process: usize, portion: usize) -> Range<usize> {
        let Range { start, end } = self.bins(process, portion);
        bins.before(start, self.places)..bins.before(end, self.places)
    }

    /// The lowest id of a process in a portion, and how many ids go there.
    pub(super) fn ids(&self, process: usize, portion: usize) -> (u64, u64) {
        let Range { start, end } = self.bins(process, portion);
        let ids = |bins: usize| (bins as u128) << self.places;
        (ids(start) as u64, ids(end - start).min(u64::MAX.into()) as u64)
    }

    /// Processes and their portions never fall while ids grow.
    fn bins(&self, process: usize, portion: usize) -> Range<usize> {
        let turn = (process, portion);
        self.parts.partition_point(|part| *part < turn)..self.parts.partition_point(|part| *part <= turn)
    }
}
