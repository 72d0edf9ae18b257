//! Memory of the contacts, by persistent contact id: the impulses of the last step for the warm start, and what laws keep.
//!
//! Stored under the body that searches for them, in one array with offsets, so that a look-up reads one or two
//! cache lines and hashes nothing. What is stored does not depend on frames: a normal impulse, and tangential
//! vectors in world axes.

use std::ops::Range;

use rayon::prelude::*;

use super::BodyId;
use crate::dim::{Dim, Vector};

/// Who touches whom with what: the same physical contact has the same id in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ContactId {
    /// The lower body id.
    pub a: BodyId,
    /// The higher body id.
    pub b: BodyId,
    /// Which features of the two shapes meet (a corner, a face), by the shapes' own numbering.
    pub feature: u64,
}

impl ContactId {
    /// Feature number of the contact of link number `link`. Features of shapes have the numbers of the two parts they
    /// belong to in the upper half; no compound has as many parts as it would take to fill it.
    pub fn link(link: u32) -> u64 {
        LINK | u64::from(link)
    }

    /// The link that has this feature number, if it is one of a link.
    pub fn link_of(feature: u64) -> Option<usize> {
        (feature & LINK == LINK).then_some((feature & !LINK) as usize)
    }

    /// Is it the contact of a link?
    fn is_link(&self) -> bool {
        Self::link_of(self.feature).is_some()
    }
}

/// The upper half of a feature number, all set.
const LINK: u64 = 0xffff_ffff << 32;

/// What a law keeps of a contact from one step to the next; zero where it keeps nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory<X: Dim> {
    /// What the law says it is: intact or broken, damage, sliding.
    pub state: f64,
    /// A vector in the tangent plane, world axes: for most laws the tangential displacement since the bond was made, m.
    pub stretch: X::Vector,
}

impl<X: Dim> Memory<X> {
    /// Nothing to remember.
    pub fn zero() -> Self {
        Self::of(0.0)
    }

    /// One number, no vector.
    pub fn of(state: f64) -> Self {
        Self { state, stretch: X::Vector::zero() }
    }

    /// Is there nothing to remember?
    pub fn is_zero(&self) -> bool {
        self.state == 0.0 && self.stretch == X::Vector::zero()
    }

    /// Carried over to a contact whose normal is now `n`.
    pub fn turned(&self, n: X::Vector) -> Self {
        Self { state: self.state, stretch: laid_flat::<X>(self.stretch, n) }
    }
}

/// The vector laid into the plane across `n` without changing its length.
fn laid_flat<X: Dim>(vector: X::Vector, n: X::Vector) -> X::Vector {
    let flat = vector - n * n.dot(&vector);
    let (now, before) = (flat.norm(), vector.norm());
    flat * if now > 0.0 { before / now } else { 0.0 }
}

/// What a contact remembers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record<X: Dim> {
    /// Whose it is.
    pub id: ContactId,
    /// Normal impulse of the last step, N s.
    pub normal: f64,
    /// Tangential impulse of the last step, N s, world axes.
    pub tangent: X::Vector,
    /// What its law keeps.
    pub memory: Memory<X>,
}

impl<X: Dim> Record<X> {
    /// By id; of the same id, should two contacts ever share one, by what they remember and never by who came first.
    pub fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let by = |a: X::Vector, b: X::Vector| {
            let orders = (0..X::D).map(|k| a[k].total_cmp(&b[k]));
            orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        };
        let (own, others) = (&self.memory, &other.memory);
        (self.id.cmp(&other.id))
            .then_with(|| self.normal.total_cmp(&other.normal))
            .then_with(|| by(self.tangent, other.tangent))
            .then_with(|| own.state.total_cmp(&others.state))
            .then_with(|| by(own.stretch, others.stretch))
    }

    /// The remembered impulse carried over to a contact whose normal is now `n`: the normal part is kept, the
    /// tangential part is laid into the new tangent plane without changing its length.
    pub fn impulse(&self, n: X::Vector) -> X::Vector {
        n * self.normal + laid_flat::<X>(self.tangent, n)
    }
}

/// Records with the bodies that will look for them.
pub type Records<X> = Vec<(u32, Record<X>)>;

/// A body that will look for a record, and the number of what is to be remembered.
pub type Keeper = (u32, u32);

/// So many records of a body are looked through one by one.
const FEW: usize = 8;
/// Records made, or bodies whose records are sorted, by a thread at once.
const BLOCK: usize = 4096;

/// The records of one step, under the bodies that will look for them.
#[derive(Clone, Debug, PartialEq)]
pub struct History<X: Dim> {
    offsets: Vec<u32>,
    records: Vec<Record<X>>,
}

impl<X: Dim> Default for History<X> {
    fn default() -> Self {
        Self { offsets: Vec::new(), records: Vec::new() }
    }
}

/// Lists that bringing records into order takes, kept for the next time.
#[derive(Debug, Default)]
pub struct Sorting {
    /// Place of the next record of each body.
    next: Vec<u32>,
    /// List and number of each record.
    order: Vec<(u32, u32)>,
}

impl<X: Dim> History<X> {
    /// From `(body, record)` pairs in any order; `bodies` is the number of bodies of this process.
    pub fn new(bodies: usize, pairs: &[(u32, Record<X>)]) -> Self {
        let keepers: Vec<Keeper> = (0..).zip(pairs).map(|(k, (body, _))| (*body, k)).collect();
        let mut history = Self::default();
        history.gather(bodies, std::iter::once(&*keepers), |_, k| pairs[k as usize].1, &mut Sorting::default());
        history
    }

    /// In place of what it was, from lists of those that keep a record; `record` makes it, of which list and number it is told.
    /// None is there twice.
    pub fn gather<'a>(
        &mut self,
        bodies: usize,
        lists: impl Iterator<Item = &'a [Keeper]> + Clone,
        record: impl Fn(usize, u32) -> Record<X> + Sync,
        sorting: &mut Sorting,
    ) {
        let (Self { offsets, records }, Sorting { next, order }) = (self, sorting);
        offsets.clear();
        offsets.resize(bodies + 1, 0);
        for (body, _) in lists.clone().flatten() {
            offsets[*body as usize + 1] += 1;
        }
        for i in 0..bodies {
            offsets[i + 1] += offsets[i];
        }
        next.clone_from(offsets);
        order.clear();
        order.resize(offsets[bodies] as usize, (0, 0));
        for (list, keepers) in lists.enumerate() {
            for &(body, k) in keepers {
                order[next[body as usize] as usize] = (list as u32, k);
                next[body as usize] += 1;
            }
        }
        let making = order.par_iter().with_min_len(BLOCK);
        making.map(|&(list, k)| record(list as usize, k)).collect_into_vec(records);
        sort_each(offsets, records);
    }

    /// With more `(body, record)` pairs, without the records of bodies that are not to `stay`.
    pub fn with(&self, pairs: &[(u32, Record<X>)], stays: impl Fn(usize) -> bool) -> Self {
        let bodies = self.offsets.len().saturating_sub(1);
        let more = Self::new(bodies, pairs);
        let mut all = Self { offsets: vec![0], records: Vec::with_capacity(self.records.len() + pairs.len()) };
        for body in 0..bodies {
            if stays(body) {
                all.records.extend_from_slice(self.of(body));
            }
            all.records.extend_from_slice(more.of(body));
            all.offsets.push(all.records.len() as u32);
        }
        sort_each(&all.offsets, &mut all.records);
        all
    }

    /// The record of contact `id`, if body `body` keeps one.
    pub fn find(&self, body: u32, id: ContactId) -> Option<&Record<X>> {
        let own = self.of(body as usize);
        match own.len() {
            // Faster than to halve so short a list.
            0..=FEW => own.iter().find(|r| r.id == id),
            _ => own.binary_search_by_key(&id, |r| r.id).ok().map(|k| &own[k]),
        }
    }

    /// What the law of contact `id` keeps, if body `body` has a record of it. A point that goes by a new name, as where flush
    /// edges swap sides, has the greatest state that its two bodies share elsewhere: what holds them together holds it too.
    /// Links have names of their own and share nothing.
    pub fn memory(&self, body: u32, id: ContactId) -> Memory<X> {
        let own = self.of(body as usize);
        let from = own.partition_point(|r| (r.id.a, r.id.b) < (id.a, id.b));
        let pair = own[from..].iter().take_while(|r| (r.id.a, r.id.b) == (id.a, id.b));
        let greater = |best: Memory<X>, r: &Record<X>| if r.memory.state > best.state { r.memory } else { best };
        let pair = pair.filter(|r| !r.id.is_link());
        match own.binary_search_by_key(&id, |r| r.id) {
            Ok(place) => own[place].memory,
            Err(_) if id.is_link() => Memory::zero(),
            Err(_) => pair.fold(Memory::zero(), greater),
        }
    }

    /// The records that body `body` keeps.
    pub fn of(&self, body: usize) -> &[Record<X>] {
        &self.records[self.places(body)]
    }

    /// Where they are among all records.
    pub fn places(&self, body: usize) -> Range<usize> {
        match (self.offsets.get(body), self.offsets.get(body + 1)) {
            (Some(&from), Some(&to)) => from as usize..to as usize,
            _ => 0..0,
        }
    }

    /// All records, grouped by body.
    pub fn records(&self) -> &[Record<X>] {
        &self.records
    }

    /// Follow the bodies to new places: `order[new]` is the old place.
    pub fn reorder(&mut self, order: &[u32]) {
        if self.offsets.len() != order.len() + 1 {
            return; // No step has been made yet: nothing is remembered.
        }
        let mut records = Vec::with_capacity(self.records.len());
        let mut offsets = vec![0u32];
        for &old in order {
            let (from, to) = (self.offsets[old as usize] as usize, self.offsets[old as usize + 1] as usize);
            records.extend_from_slice(&self.records[from..to]);
            offsets.push(records.len() as u32);
        }
        *self = Self { offsets, records };
    }
}

/// Puts the records of each body in order. `offsets` say where they begin, from that of the first on.
fn sort_each<X: Dim>(offsets: &[u32], records: &mut [Record<X>]) {
    let half = offsets.len() / 2;
    if half > BLOCK {
        let (low, high) = records.split_at_mut((offsets[half] - offsets[0]) as usize);
        rayon::join(|| sort_each(&offsets[..=half], low), || sort_each(&offsets[half..], high));
        return;
    }
    let mut rest = records;
    for ends in offsets.windows(2) {
        let (own, others) = rest.split_at_mut((ends[1] - ends[0]) as usize);
        own.sort_unstable_by(Record::compare);
        rest = others;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    fn record(a: u64, b: u64, normal: f64) -> Record<Space> {
        let id = ContactId { a: BodyId(a), b: BodyId(b), feature: 0 };
        let memory = Memory { state: 0.5, stretch: Vector3::new(0.0, 0.0, 2.0) };
        Record { id, normal, tangent: Vector3::new(0.0, 3.0, 4.0), memory }
    }

    #[test]
    fn a_record_is_found_under_its_body_also_after_bodies_moved() {
        let entries = [(2, record(5, 9, 1.0)), (0, record(1, 2, 2.0)), (2, record(5, 6, 3.0))];
        let mut history = History::new(3, &entries);
        assert_eq!(history.find(2, entries[0].1.id).unwrap().normal, 1.0);
        assert_eq!(history.find(1, entries[0].1.id), None);
        history.reorder(&[2, 1, 0]);
        assert_eq!(history.find(0, entries[2].1.id).unwrap().normal, 3.0);
        assert_eq!(history.find(2, entries[1].1.id).unwrap().normal, 2.0);
    }

    #[test]
    fn records_of_many_bodies_are_in_order_also_with_those_that_come_later_and_without_those_that_leave() {
        let bodies = 3 * BLOCK as u32;
        let pair = |body: u32, k: u32| (body, record(body.into(), (body + k).into(), k.into()));
        let early: Vec<_> = (0..bodies).rev().flat_map(|body| [pair(body, 5), pair(body, 2)]).collect();
        let late: Vec<_> = (0..bodies).step_by(7).flat_map(|body| [pair(body, 1), pair(body, 3)]).collect();
        let ids = |history: &History<Space>, body: u32| -> Vec<f64> {
            history.of(body as usize).iter().map(|own| own.normal).collect()
        };
        let history = History::new(bodies as usize, &early);
        assert!((0..bodies).all(|body| ids(&history, body) == [2.0, 5.0]));
        let history = history.with(&late, |body| body % 2 == 0);
        for body in 0..bodies {
            let expected: &[f64] = match (body % 2 == 0, body % 7 == 0) {
                (true, true) => &[1.0, 2.0, 3.0, 5.0],
                (true, false) => &[2.0, 5.0],
                (false, true) => &[1.0, 3.0],
                (false, false) => &[],
            };
            assert_eq!(ids(&history, body), expected, "{body}");
        }
    }

    #[test]
    fn a_point_by_a_new_name_shares_the_greatest_state_of_its_bodies_and_no_one_elses() {
        let named = |a, b, feature, state| {
            let mut record = record(a, b, 1.0);
            (record.id.feature, record.memory.state) = (feature, state);
            record
        };
        let entries = [named(1, 2, 5, 0.2), named(1, 2, 7, 0.6), named(1, 3, 5, 0.9), named(1, 2, 9, 0.0)];
        let history = History::new(1, &entries.map(|record| (0, record)));
        let state = |b, feature| history.memory(0, ContactId { a: BodyId(1), b: BodyId(b), feature }).state;
        assert_eq!([state(2, 5), state(2, 7), state(2, 9), state(2, 6)], [0.2, 0.6, 0.0, 0.6]);
        assert_eq!([state(3, 1), state(4, 5)], [0.9, 0.0]);
    }

    #[test]
    fn a_link_remembers_for_itself_alone() {
        let named = |feature, state| {
            let mut record = record(1, 2, 1.0);
            (record.id.feature, record.memory.state) = (feature, state);
            record
        };
        let entries = [named(5, 0.2), named(ContactId::link(0), 1.0)];
        let history = History::new(1, &entries.map(|record| (0, record)));
        let state = |feature| history.memory(0, ContactId { a: BodyId(1), b: BodyId(2), feature }).state;
        assert_eq!([state(ContactId::link(0)), state(ContactId::link(1)), state(7)], [1.0, 0.0, 0.2]);
        assert_eq!(ContactId::link_of(ContactId::link(3)), Some(3));
        assert_eq!(ContactId::link_of(65_535 << 48 | 7), None);
    }

    #[test]
    fn a_rotated_normal_changes_neither_the_normal_nor_the_tangential_length() {
        let n = Vector3::new(1.0, 0.01, -0.02).normalize();
        let p = record(1, 2, 7.0).impulse(n);
        assert!((p.dot(&n) - 7.0).abs() < 1e-14);
        assert!(((p - n * 7.0).norm() - 5.0).abs() < 1e-14);
        let memory = record(1, 2, 7.0).memory.turned(n);
        assert!(memory.stretch.dot(&n).abs() < 1e-14 && (memory.stretch.norm() - 2.0).abs() < 1e-14);
        assert_eq!(memory.state, 0.5);
    }
}
