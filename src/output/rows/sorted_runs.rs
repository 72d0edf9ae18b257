//! Runs of bodies and contact records in file order, sorted by id.
//!
//! In: bodies by id. Out: runs of rows that are consecutive both in memory and in the file. Almost all records of a
//! body have its own id first, so they need no sorting: they follow the order of the bodies.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use crate::body::Row;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::interaction::history::ContactRecord;

/// Prefetch distance, in runs: rows are scattered in memory.
pub(crate) const PREFETCH_DISTANCE: usize = 16;

/// Bodies counted by this process with their indices, by id.
pub struct IdIndex(Vec<(u64, u32)>);

impl IdIndex {
    /// Index of bodies in any order. No two have the same id.
    pub(crate) fn of(mut ids: Vec<(u64, u32)>) -> Self {
        let top = ids.iter().map(|own| own.0).max().unwrap_or(0);
        if top > 4 * ids.len() as u64 + 1024 {
            ids.par_sort_unstable();
            return Self(ids);
        }
        // Ids are mostly dense: they serve as positions in a list.
        let mut indices = vec![u32::MAX; top as usize + 1];
        ids.iter().for_each(|&(id, index)| indices[id as usize] = index);
        ids.clear();
        ids.extend((0..).zip(indices).filter(|&(_, index)| index != u32::MAX));
        Self(ids)
    }

    /// Index of bodies that are already sorted.
    pub(crate) fn sorted(ids: impl Iterator<Item = (u64, u32)>) -> Self {
        Self(ids.collect())
    }

    /// The bodies as sorted runs.
    pub(crate) fn sorted_runs(&self) -> SortedRuns {
        SortedRuns(self.0.iter().map(|&(key, start)| Run { key, start, count: 1 }).collect())
    }

    /// Rows that form a list per body as sorted runs; `rows` gives those of a body.
    pub(crate) fn sorted_list_runs(&self, rows: impl Fn(usize) -> Range<usize>) -> SortedRuns {
        let run = |&(key, body): &(u64, u32)| {
            let rows = rows(body as usize);
            (!rows.is_empty()).then(|| Run { key, start: rows.start as u32, count: rows.len() as u32 })
        };
        SortedRuns(self.0.iter().filter_map(run).collect())
    }

    /// The contact records of the bodies as sorted runs. The records of a body have its id first, except those it keeps
    /// for obstacles.
    pub(crate) fn sorted_record_runs<X: Dim>(&self, history: &ContactHistory<X>) -> SortedRuns {
        let bodies = &self.0;
        let own = |(k, &(id, body)): (usize, &(u64, u32))| {
            let next = bodies.get(k + PREFETCH_DISTANCE).map(|&(_, next)| history.places(next as usize));
            next.filter(|records| !records.is_empty()).iter().for_each(|records| history.fetch(records.start));
            let (records, kept) = (history.places(body as usize), history.of(body as usize));
            let before = kept.take_while(|record| record.id.a.0 != id).count();
            Run { key: id, start: (records.start + before) as u32, count: (records.len() - before) as u32 }
        };
        let mut all: Vec<Run> = bodies.par_iter().enumerate().map(own).collect();
        let others = bodies.par_iter().zip(&all).flat_map_iter(|(&(_, body), run)| {
            let indices = history.places(body as usize).start as u32..run.start;
            indices.map(|start| Run { key: history.get(start as usize).id.a.0, start, count: 1 })
        });
        let mut others: Vec<_> = others.collect();
        if !others.is_empty() {
            let record = |run: &Run| history.get(run.start as usize);
            others.par_sort_unstable_by(|a, b| file_order(&record(a), &record(b)));
            merge(&mut all, &others);
        }
        SortedRuns(all)
    }
}

/// Merges two sorted lists into `all`, with `others` after the runs of the same key.
fn merge(all: &mut Vec<Run>, others: &[Run]) {
    let mut left = all.len();
    all.reserve_exact(others.len());
    all.extend(others);
    let mut end = all.len();
    // From the back, where there is space.
    for &other in others.iter().rev() {
        let keep = all[..left].partition_point(|run| run.key <= other.key);
        end -= left - keep;
        all.copy_within(keep..left, end);
        end -= 1;
        (all[end], left) = (other, keep);
    }
}

/// Compares by contact id and, for equal ids, by all words.
#[inline(never)]
fn file_order<X: Dim>(a: &ContactRecord<X>, b: &ContactRecord<X>) -> Ordering {
    a.id.cmp(&b.id).then_with(|| a.words().as_ref().cmp(b.words().as_ref()))
}

/// Rows that are consecutive in memory and share the first number of their rows (the key).
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) key: u64,
    /// Index of the first row.
    pub(crate) start: u32,
    pub(crate) count: u32,
}

impl Run {
    pub(crate) fn indices(&self) -> Range<usize> {
        self.start as usize..(self.start + self.count) as usize
    }
}

/// Number of rows in these runs.
pub(crate) fn count(runs: &[Run]) -> usize {
    runs.iter().map(|run| run.count as usize).sum()
}

/// Runs sorted by key. The rows of several runs with the same key are in order too.
pub(crate) struct SortedRuns(pub(crate) Vec<Run>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::BodyId;
    use crate::dim::Space;
    use crate::interaction::history::ContactId;
    use crate::law::LawState;

    #[test]
    fn an_id_index_is_sorted_whether_ids_are_dense_or_sparse() {
        for spacing in [1, 1 << 40] {
            let id = |i: u64| 7 + i * 2_654_435_761 % 50_000 * spacing;
            let IdIndex(all) = IdIndex::of((0..25_000).map(|i| (id(i), i as u32)).collect());
            assert!(all.is_sorted() && all.len() == 25_000);
            assert!(all.iter().all(|&(own, index)| id(u64::from(index)) == own));
        }
        assert!(IdIndex::of(vec![]).0.is_empty());
    }

    #[test]
    fn records_are_in_file_order_also_those_kept_for_obstacles() {
        let record = |a: u64, b: u64, feature: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature };
            ContactRecord::<Space> { id, normal: 1.0, tangent: nalgebra::zero(), memory: LawState::zero() }
        };
        // Bodies 40 .. 139 in another order in memory; 3 and 70 are obstacles. The lower free body keeps a contact.
        let ids: Vec<u64> = (0..100).map(|i| 40 + i * 37 % 100).filter(|&id| id != 70).collect();
        let mut pairs = Vec::new();
        for (body, &id) in (0..).zip(&ids) {
            let touches = |other: u64| record(id.min(other), id.max(other), id % 3);
            let others = [id + 1, id + 9, 3, 70].into_iter().filter(|other| (id + other) % 4 != 0);
            pairs.extend(others.map(|other| (body, touches(other))));
        }
        pairs.push((5, record(3, ids[5], 77)));
        let history = ContactHistory::new(ids.len(), pairs.clone());
        let SortedRuns(runs) = IdIndex::of(ids.iter().copied().zip(0..).collect()).sorted_record_runs(&history);
        let found: Vec<_> = runs.iter().flat_map(Run::indices).map(|index| history.get(index)).collect();
        assert!(found.len() == pairs.len() && found.is_sorted_by_key(|record| record.id));
        assert!(runs.len() < found.len() && runs.iter().filter(|run| run.key == 3).all(|run| run.count == 1));
    }
}
