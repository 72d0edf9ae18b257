//! Bodies and memories dealt out to the processes by id: the order of files, which knows no processes.

use std::ops::Range;

use rayon::prelude::*;

use super::redistribution::RowRedistribution;
use super::sorted_runs::{IdIndex, Run, SortedRuns};
use super::source::RowSource;
use crate::body::{Bodies, BodyId, Row, State};
use crate::comm::Comm;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// So many bins of ids: the one message whose size does not fall with the number of processes says how many rows are in each.
const BINS: usize = 8192;

/// So many rows of a process are dealt out at a time: few enough to stay in the cache on their way through memory, though
/// every portion is a round of messages.
const PORTION: u64 = 1 << 15;

/// What this process writes into a table of a file.
pub struct RowPartition<'a, R: Row> {
    /// Rows by id; those of bodies are all lower than those of the next process.
    pub rows: RowRedistribution<'a, R>,
    /// Rows on the processes before this one.
    pub before: usize,
    /// Rows of all processes.
    pub total: usize,
    /// Who has which bodies.
    pub shares: IdRanges,
}

impl<'a, R: Row + Sync> RowPartition<'a, R> {
    fn new(comm: &'a dyn Comm, things: RowSource<'a, R>, queue: SortedRuns) -> Self {
        let runs = queue.0.iter().map(|run| (run.key, u64::from(run.count)));
        let shares = IdRanges::new(comm, runs, None);
        let rows = RowRedistribution::new(comm, &shares, things, queue);
        let [(before, total)] = before(comm, [rows.len() as u64]);
        Self { rows, before, total, shares }
    }
}

impl<X: Dim> Domain<X> {
    /// Collective. Who has which ids when bodies are dealt out.
    pub fn shares(&self, bodies: &Bodies<X>) -> IdRanges {
        IdRanges::new(&**self.comm(), self.counted(bodies).map(|state| (state.id.0, 1)), None)
    }

    /// The bodies that are counted here, by id.
    pub fn roster(&self, bodies: &Bodies<X>) -> IdIndex {
        match self.comm().size() {
            // One process counts all.
            1 => IdIndex::of(
                (0..bodies.len() as u32).into_par_iter().map(|i| (bodies.states()[i as usize].id.0, i)).collect(),
            ),
            // Processes that talk about bodies know them by id.
            _ => IdIndex::sorted(self.counted_by_id()),
        }
    }

    /// Collective. Deal out all bodies.
    pub fn spread<'a>(&'a self, bodies: &'a Bodies<X>, roster: &IdIndex) -> RowPartition<'a, State<X>> {
        RowPartition::new(&**self.comm(), RowSource::Listed(bodies.states()), roster.sorted_runs())
    }

    /// Collective. Deal out what contacts remember.
    pub fn spread_records<'a>(
        &'a self,
        history: &'a ContactHistory<X>,
        roster: &IdIndex,
    ) -> RowPartition<'a, ContactRecord<X>> {
        RowPartition::new(&**self.comm(), RowSource::Kept(history), roster.sorted_record_runs(history))
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
pub struct IdRanges {
    /// Ids of the same bin agree but for so many binary places at the end.
    places: u32,
    /// Process and portion of every bin.
    parts: Vec<(usize, usize)>,
    /// The largest number of portions of a process.
    pub(crate) portions: usize,
}

impl IdRanges {
    /// Collective. Of ids with so many rows each. Portions are of about `portion` rows, or what suits.
    pub(crate) fn new(comm: &dyn Comm, rows: impl Iterator<Item = (u64, u64)> + Clone, portion: Option<u64>) -> Self {
        let top = rows.clone().map(|(id, _)| id).max().unwrap_or(0);
        let mut places = [f64::from((64 - top.leading_zeros()).saturating_sub(BINS.ilog2()))];
        comm.max(&mut places);
        let mut shares = Self { places: places[0] as u32, parts: Vec::new(), portions: 1 };
        let mut counts = vec![0; BINS];
        rows.for_each(|(id, count)| counts[(id >> shares.places) as usize] += count);
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

    /// Which of these runs go to a process in a portion. Processes and their portions never fall while ids grow.
    pub(crate) fn turn(&self, runs: &[Run], process: usize, portion: usize) -> Range<usize> {
        let part = |run: &Run| self.parts[(run.key >> self.places) as usize];
        let turn = (process, portion);
        runs.partition_point(|run| part(run) < turn)..runs.partition_point(|run| part(run) <= turn)
    }
}
