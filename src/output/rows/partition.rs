//! Rows of bodies and contact records partitioned among the processes in file order.

use rayon::prelude::*;

use super::id_ranges::{IdRanges, before};
use super::redistribution::RowRedistribution;
use super::sorted_runs::{IdIndex, SortedRuns};
use super::source::RowSource;
use crate::body::{Bodies, NodeRow, Row, State};
use crate::comm::Comm;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// Rows that this process writes into a table of a file.
pub struct RowPartition<'a, R: Row> {
    /// Rows by id; the ids of bodies are all lower than those on the next process.
    pub rows: RowRedistribution<'a, R>,
    /// Number of rows on the processes before this one.
    pub before: usize,
    /// Number of rows of all processes.
    pub total: usize,
    /// Id ranges of all processes.
    pub shares: IdRanges,
}

impl<'a, R: Row + Sync> RowPartition<'a, R> {
    fn new(comm: &'a dyn Comm, source: RowSource<'a, R>, runs: SortedRuns) -> Self {
        let counts = runs.0.iter().map(|run| (run.key, u64::from(run.count)));
        let shares = IdRanges::new(comm, counts, None);
        let rows = RowRedistribution::new(comm, &shares, source, runs);
        let [(before, total)] = before(comm, [rows.len() as u64]);
        Self { rows, before, total, shares }
    }
}

impl<X: Dim> Domain<X> {
    /// Collective. Id ranges that balance the bodies over the processes.
    pub fn shares(&self, bodies: &Bodies<X>) -> IdRanges {
        IdRanges::new(&**self.comm(), self.counted(bodies).map(|state| (state.id.0, 1)), None)
    }

    /// Bodies counted by this process, by id.
    pub fn id_index(&self, bodies: &Bodies<X>) -> IdIndex {
        match self.comm().size() {
            // A single process counts all bodies.
            1 => IdIndex::of(
                (0..bodies.len() as u32).into_par_iter().map(|i| (bodies.states()[i as usize].id.0, i)).collect(),
            ),
            // With several processes, ownership already has them sorted by id.
            _ => IdIndex::sorted(self.counted_by_id()),
        }
    }

    /// Collective. Redistributes all bodies into file order.
    pub fn body_rows<'a>(&'a self, bodies: &'a Bodies<X>, id_index: &IdIndex) -> RowPartition<'a, State<X>> {
        RowPartition::new(&**self.comm(), RowSource::Slice(bodies.states()), id_index.sorted_runs())
    }

    /// Collective. Redistributes the nodes of deformable bodies into file order; `rows` are those of all bodies of this
    /// process, in body order.
    pub fn node_rows<'a>(
        &'a self,
        bodies: &Bodies<X>,
        rows: &'a [NodeRow<X>],
        id_index: &IdIndex,
    ) -> RowPartition<'a, NodeRow<X>> {
        let runs = id_index.sorted_list_runs(|body| bodies.nodes().range(body));
        RowPartition::new(&**self.comm(), RowSource::Slice(rows), runs)
    }

    /// Collective. Redistributes the contact records into file order.
    pub fn record_rows<'a>(
        &'a self,
        history: &'a ContactHistory<X>,
        id_index: &IdIndex,
    ) -> RowPartition<'a, ContactRecord<X>> {
        RowPartition::new(&**self.comm(), RowSource::Store(history), id_index.sorted_record_runs(history))
    }
}
