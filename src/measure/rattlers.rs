//! Rattlers and the backbone of the contact network.
//!
//! Grains with fewer than two contacts that carry an impulse are removed repeatedly until there is none; the remaining
//! grains form the backbone. Walls are never removed.
//!
//! Each grain has a host process, known to all processes; hosts notify each other of removals. Messages carry only ids
//! that are counted, so their order does not affect the result.

use crate::body::BodyId;
use crate::comm::{Comm, Exchange};
use crate::dim::Dim;
use crate::simulation::Snapshot;

/// A grain with fewer contacts is a rattler.
const MIN_CONTACTS: u32 = 2;

/// A grain and its numbers of contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackboneGrain {
    /// Id of the body.
    pub id: BodyId,
    /// True if the grain is selected for [`count`](Backbone::count).
    pub is_selected: bool,
    /// Number of contacts that carry an impulse; two faces in contact count several times.
    pub contacts: u32,
    /// Number of contacts left after the removal of rattlers; zero for a rattler.
    pub kept: u32,
    /// True if the grain belongs to the backbone.
    pub is_kept: bool,
}

/// The grains hosted by this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backbone {
    /// The grains, sorted by id.
    pub grains: Vec<BackboneGrain>,
}

impl Backbone {
    /// Collective. Finds the backbone of a snapshot, each grain on the process given by `host`; `is_selected`
    /// selects grains by their position.
    pub fn new<X: Dim>(
        snapshot: &Snapshot<X>,
        host: impl Fn(BodyId) -> usize,
        is_selected: impl Fn(X::Vector) -> bool,
    ) -> Self {
        let time = snapshot.now.time;
        let selected =
            snapshot.grains.iter().map(|grain| (grain.id, is_selected(snapshot.model.at_home(grain, time).position)));
        let contacts = snapshot.active_contacts.iter().filter(|contact| !contact.is_link());
        let ends = contacts.flat_map(|contact| {
            let other = |side: usize| if contact.is_grain[side] { contact.bodies[side].0 } else { WALL };
            [(contact.bodies[0], contact.is_grain[0], other(1)), (contact.bodies[1], contact.is_grain[1], other(0))]
        });
        let ends = ends.filter(|(_, is_grain, _)| *is_grain).map(|(id, _, other)| (id, other));
        Self::of(snapshot.comm(), host, selected, ends)
    }

    fn of(
        comm: &dyn Comm,
        host: impl Fn(BodyId) -> usize,
        grains: impl Iterator<Item = (BodyId, bool)>,
        ends: impl Iterator<Item = (BodyId, u64)>,
    ) -> Self {
        let mut out = Exchange::default();
        for (id, is_selected) in grains {
            out.to(host(id)).write(&(id, is_selected));
        }
        let hosted = out.swap_items(comm).into_iter();
        let grain = |(id, is_selected)| BackboneGrain { id, is_selected, contacts: 0, kept: 0, is_kept: true };
        let mut hosted: Vec<BackboneGrain> = hosted.map(grain).collect();
        hosted.sort_unstable_by_key(|grain| grain.id);
        let mut backbone = Self { grains: hosted };
        let mut out = Exchange::default();
        for (id, other) in ends {
            out.to(host(id)).write(&(id, other));
        }
        let mut neighbours: Vec<(u64, u64)> = out.swap_items(comm);
        neighbours.sort_unstable();
        for &(id, _) in &neighbours {
            if let Some(grain) = backbone.find(id) {
                grain.contacts += 1;
                grain.kept += 1;
            }
        }
        backbone.remove_rattlers(comm, host, &neighbours);
        backbone
    }

    /// Collective. Removes rattlers until none is left.
    fn remove_rattlers(&mut self, comm: &dyn Comm, host: impl Fn(BodyId) -> usize, neighbours: &[(u64, u64)]) {
        loop {
            let is_rattler = |grain: &&mut BackboneGrain| grain.is_kept && grain.kept < MIN_CONTACTS;
            let mut out = Exchange::default();
            let mut removed = [0u64];
            for grain in self.grains.iter_mut().filter(is_rattler) {
                (grain.is_kept, grain.kept) = (false, 0);
                removed[0] += 1;
                let from = neighbours.partition_point(|(id, _)| *id < grain.id.0);
                let own = neighbours[from..].iter().take_while(|(id, _)| *id == grain.id.0);
                for &(_, other) in own.filter(|(_, other)| *other != WALL) {
                    out.to(host(BodyId(other))).u64(other);
                }
            }
            comm.sum(&mut removed);
            if removed[0] == 0 {
                return;
            }
            for id in out.swap_items(comm) {
                if let Some(grain) = self.find(id).filter(|grain| grain.is_kept) {
                    grain.kept -= 1;
                }
            }
        }
    }

    fn find(&mut self, id: u64) -> Option<&mut BackboneGrain> {
        let index = self.grains.binary_search_by_key(&id, |grain| grain.id.0).ok()?;
        Some(&mut self.grains[index])
    }

    /// Collective. Counts over all processes for the selected grains: grains, their contacts, grains in the backbone,
    /// and the contacts these keep.
    pub fn count(&self, comm: &dyn Comm) -> [u64; 4] {
        let mut counts = [0; 4];
        for grain in self.grains.iter().filter(|grain| grain.is_selected) {
            let own = [1, u64::from(grain.contacts), u64::from(grain.is_kept), u64::from(grain.kept)];
            counts.iter_mut().zip(own).for_each(|(count, own)| *count += own);
        }
        comm.sum(&mut counts);
        counts
    }
}

/// Placeholder for any wall; no body has this id.
const WALL: u64 = u64::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{SerialComm, thread_comms};

    /// A ring of four grains with a tail of three, and an isolated grain; the ring rests on a wall.
    const GRAINS: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
    const PAIRS: [(u64, u64); 8] = [(1, 2), (2, 3), (3, 4), (4, 1), (4, 5), (5, 6), (6, 7), (1, WALL)];

    fn ends() -> Vec<(BodyId, u64)> {
        let both = PAIRS.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        both.filter(|(id, _)| *id != WALL).map(|(id, other)| (BodyId(id), other)).collect()
    }

    #[test]
    fn a_tail_is_removed_grain_by_grain_and_the_ring_remains() {
        let grains = GRAINS.iter().map(|&id| (BodyId(id), true));
        let backbone = Backbone::of(&SerialComm, |_| 0, grains, ends().into_iter());
        let kept: Vec<u64> = backbone.grains.iter().filter(|g| g.is_kept).map(|g| g.id.0).collect();
        assert_eq!(kept, [1, 2, 3, 4]);
        // Fifteen contact ends at grains; the ring keeps its eight ends and the one at the wall.
        assert_eq!(backbone.count(&SerialComm), [8, 15, 4, 9]);
    }

    #[test]
    fn the_counts_are_the_same_on_three_processes() {
        let counts = thread_comms(3, |comm| {
            let rank = comm.rank();
            let own = |id: u64| id as usize % 2 + 1 == rank;
            let grains = GRAINS.iter().filter(|&&id| own(id)).map(|&id| (BodyId(id), true));
            let contacts = ends().into_iter().enumerate().filter(|(k, _)| k % 3 == rank).map(|(_, end)| end);
            Backbone::of(comm, |id| id.0 as usize % 3, grains, contacts).count(comm)
        });
        assert!(counts.iter().all(|count| *count == [8, 15, 4, 9]), "{counts:?}");
    }
}
