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
pub(crate) const AHEAD: usize = 16;

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
        // Ids are mostly dense: each one gives the position of its body.
        let mut places = vec![u32::MAX; top as usize + 1];
        ids.iter().for_each(|&(id, place)| places[id as usize] = place);
        ids.clear();
        ids.extend((0..).zip(places).filter(|&(_, place)| place != u32::MAX));
        Self(ids)
    }

    /// Index of bodies that are already sorted.
    pub(crate) fn sorted(ids: impl Iterator<Item = (u64, u32)>) -> Self {
        Self(ids.collect())
    }

    /// The bodies as sorted runs.
    pub(crate) fn sorted_runs(&self) -> SortedRuns {
        SortedRuns(self.0.iter().map(|&(key, place)| Run { key, place, count: 1 }).collect())
    }

    /// Lists of theirs as sorted runs; `places` gives those of a body.
    pub(crate) fn sorted_list_runs(&self, places: impl Fn(usize) -> Range<usize>) -> SortedRuns {
        let run = |&(key, body): &(u64, u32)| {
            let places = places(body as usize);
            (!places.is_empty()).then(|| Run { key, place: places.start as u32, count: places.len() as u32 })
        };
        SortedRuns(self.0.iter().filter_map(run).collect())
    }

    /// Their contact records as sorted runs. The records of a body have its id first, except those it keeps for
    /// obstacles.
    pub(crate) fn sorted_record_runs<X: Dim>(&self, history: &ContactHistory<X>) -> SortedRuns {
        let bodies = &self.0;
        let own = |(k, &(id, body)): (usize, &(u64, u32))| {
            let next = bodies.get(k + AHEAD).map(|&(_, next)| history.places(next as usize));
            next.filter(|places| !places.is_empty()).iter().for_each(|places| history.fetch(places.start));
            let (places, kept) = (history.places(body as usize), history.of(body as usize));
            let before = kept.take_while(|record| record.id.a.0 != id).count();
            Run { key: id, place: (places.start + before) as u32, count: (places.len() - before) as u32 }
        };
        let mut all: Vec<Run> = bodies.par_iter().enumerate().map(own).collect();
        let others = bodies.par_iter().zip(&all).flat_map_iter(|(&(_, body), run)| {
            let places = history.places(body as usize).start as u32..run.place;
            places.map(|place| Run { key: history.get(place as usize).id.a.0, place, count: 1 })
        });
        let mut others: Vec<_> = others.collect();
        if !others.is_empty() {
            let record = |run: &Run| history.get(run.place as usize);
            others.par_sort_unstable_by(|a, b| in_file(&record(a), &record(b)));
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
fn in_file<X: Dim>(a: &ContactRecord<X>, b: &ContactRecord<X>) -> Ordering {
    a.id.cmp(&b.id).then_with(|| a.words().as_ref().cmp(b.words().as_ref()))
}

/// Rows that are consecutive in memory and share the first number of their rows (the key).
#[derive(Clone, Copy)]
pub(crate) struct Run {
    pub(crate) key: u64,
    pub(crate) place: u32,
    pub(crate) count: u32,
}

impl Run {
    pub(crate) fn places(&self) -> Range<usize> {
        self.place as usize..(self.place + self.count) as usize
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
    fn a_roster_is_by_id_whether_ids_are_dense_or_far_apart() {
        for spacing in [1, 1 << 40] {
            let id = |i: u64| 7 + i * 2_654_435_761 % 50_000 * spacing;
            let IdIndex(all) = IdIndex::of((0..25_000).map(|i| (id(i), i as u32)).collect());
            assert!(all.is_sorted() && all.len() == 25_000);
            assert!(all.iter().all(|&(own, place)| id(u64::from(place)) == own));
        }
        assert!(IdIndex::of(vec![]).0.is_empty());
    }

    #[test]
    fn records_line_up_in_the_order_of_the_file_also_those_kept_for_obstacles() {
        let record = |a: u64, b: u64, feature: u64| {
            let id = ContactId { a: BodyId(a), b: BodyId(b), feature };
            ContactRecord::<Space> { id, normal: 1.0, tangent: nalgebra::zero(), memory: LawState::zero() }
        };
        // Bodies 40 .. 139 in another order in memory; 3 and 70 are obstacles. The lower free body keeps a contact.
        let ids: Vec<u64> = (0..100).map(|i| 40 + i * 37 % 100).filter(|&id| id != 70).collect();
        let mut pairs = Vec::new();
        for (place, &id) in (0..).zip(&ids) {
            let touches = |other: u64| record(id.min(other), id.max(other), id % 3);
            let others = [id + 1, id + 9, 3, 70].into_iter().filter(|other| (id + other) % 4 != 0);
            pairs.extend(others.map(|other| (place, touches(other))));
        }
        pairs.push((5, record(3, ids[5], 77)));
        let history = ContactHistory::new(ids.len(), pairs.clone());
        let SortedRuns(runs) = IdIndex::of(ids.iter().copied().zip(0..).collect()).sorted_record_runs(&history);
        let found: Vec<_> = runs.iter().flat_map(Run::places).map(|place| history.get(place)).collect();
        assert!(found.len() == pairs.len() && found.is_sorted_by_key(|record| record.id));
        assert!(runs.len() < found.len() && runs.iter().filter(|run| run.key == 3).all(|run| run.count == 1));
    }
}
