//! Grouping of contacts into batches without common bodies.
//!
//! Contacts of a batch share no body, so that they can be solved at once; neither do those of two consecutive batches,
//! so that the second can be loaded before the first is applied.
//!
//! Greedy: each contact joins the first of up to 63 open batches such that neither of its bodies is in that
//! batch or an adjacent one. Batches are closed in the order in which they are swept: when they are full, or when a
//! contact fits into none. The grouping follows from the order of the contacts alone. The world, body 0, never moves
//! and may occur in a batch any number of times.

use crate::base::index::ProblemBody;

/// Index of the body of every [`ContactProblem`](super::ContactProblem) that never moves.
pub const WORLD: ProblemBody = ProblemBody(0);

/// Contacts of a full batch.
pub(super) const BATCH: usize = 8;

/// Greatest number of open batches, plus one for the last closed batch, whose bodies still block the next one; one bit
/// each.
const WINDOW: usize = 64;

/// An open batch.
#[derive(Clone, Copy)]
struct OpenBatch {
    contacts: [u32; BATCH],
    count: usize,
}

impl OpenBatch {
    const EMPTY: Self = Self { contacts: [0; BATCH], count: 0 };

    fn contacts(&self) -> &[u32] {
        &self.contacts[..self.count]
    }
}

/// State of a grouping.
pub(super) struct Grouping<'a> {
    /// For each body: the batches of the window that contain it, one bit each.
    occupancy: &'a mut Vec<u64>,
    /// The batches of the window, a ring buffer.
    batches: [OpenBatch; WINDOW],
    /// Batches that accept no more contacts, one bit each.
    full: u64,
    /// Number of closed batches; modulo the window, the slot of the next one to be closed.
    closed: usize,
}

impl<'a> Grouping<'a> {
    /// An empty grouping of contacts between so many bodies; `occupancy` is a scratch buffer.
    pub(super) fn new(occupancy: &'a mut Vec<u64>, bodies: usize) -> Self {
        occupancy.clear();
        occupancy.resize(bodies, 0);
        // The slot before the first batch is not open.
        Self { occupancy, batches: [OpenBatch::EMPTY; WINDOW], full: 1 << (WINDOW - 1), closed: 0 }
    }

    /// Groups contacts 0, 1, ..., between the bodies `ends`; calls `emit` with each batch, of at most [`BATCH`]
    /// contacts, in the order in which they are to be swept.
    pub(super) fn group(mut self, contacts: usize, ends: impl Fn(u32) -> [u32; 2], mut emit: impl FnMut(&[u32])) {
        for contact in 0..contacts as u32 {
            let [a, b] = ends(contact).map(|body| body as usize);
            let slot = loop {
                let occupied = self.occupancy[a] | self.occupancy[b];
                let free = !(occupied | occupied.rotate_left(1) | occupied.rotate_right(1) | self.full);
                if free != 0 {
                    let first = self.closed % WINDOW;
                    break (first + free.rotate_right(first as u32).trailing_zeros() as usize) % WINDOW;
                }
                self.close(&ends, &mut emit);
            };
            let batch = &mut self.batches[slot];
            batch.contacts[batch.count] = contact;
            batch.count += 1;
            for body in [a, b].into_iter().filter(|&body| body != WORLD.index()) {
                self.occupancy[body] |= 1 << slot;
            }
            if self.batches[slot].count == BATCH {
                self.full |= 1 << slot;
            }
            while self.batches[self.closed % WINDOW].count == BATCH {
                self.close(&ends, &mut emit);
            }
        }
        let is_open = |ahead: &usize| self.batches[(self.closed + ahead) % WINDOW].count > 0;
        let open = (0..WINDOW - 1).rev().find(is_open).map_or(0, |last| last + 1);
        (0..open).for_each(|_| self.close(&ends, &mut emit));
    }

    /// Closes the next batch; the one before it releases its bodies, and its slot is open again.
    fn close(&mut self, ends: impl Fn(u32) -> [u32; 2], emit: &mut impl FnMut(&[u32])) {
        let (before, slot) = ((self.closed + WINDOW - 1) % WINDOW, self.closed % WINDOW);
        for &contact in std::mem::replace(&mut self.batches[before], OpenBatch::EMPTY).contacts() {
            ends(contact).iter().for_each(|&body| self.occupancy[body as usize] &= !(1 << before));
        }
        emit(self.batches[slot].contacts());
        self.full = (self.full | 1 << slot) & !(1 << before);
        self.closed += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};

    fn batches(bodies: usize, contacts: &[[u32; 2]]) -> Vec<Vec<u32>> {
        let mut batches = Vec::new();
        let ends = |contact: u32| contacts[contact as usize];
        Grouping::new(&mut vec![5], bodies).group(contacts.len(), ends, |batch| batches.push(batch.to_vec()));
        batches
    }

    #[test]
    fn every_contact_is_in_one_batch_and_no_body_but_the_world_is_twice_in_two_batches_side_by_side() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(4);
        for bodies in [2, 3, 20, 1000] {
            let contacts: Vec<[u32; 2]> =
                (0..5000).map(|_| [0; 2].map(|_: u32| (random.next_u64() % bodies) as u32)).collect();
            let contacts: Vec<[u32; 2]> = contacts.into_iter().filter(|[a, b]| a != b).collect();
            let batches = batches(bodies as usize, &contacts);
            let mut seen = vec![0; contacts.len()];
            let occupied = |batch: &[u32]| -> Vec<u32> {
                batch.iter().flat_map(|&k| contacts[k as usize]).filter(|&body| body != 0).collect()
            };
            for (k, batch) in batches.iter().enumerate() {
                assert!(batch.len() <= BATCH);
                batch.iter().for_each(|&k| seen[k as usize] += 1);
                let mut occupied =
                    [occupied(batch), batches.get(k + 1).map_or(Vec::new(), |next| occupied(next))].concat();
                occupied.sort_unstable();
                assert!(occupied.windows(2).all(|pair| pair[0] < pair[1]));
            }
            assert!(batches.last().is_some_and(|last| !last.is_empty()));
            assert!(seen.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn a_chain_of_bodies_fills_its_batches() {
        let chain: Vec<[u32; 2]> = (0..1600).map(|k| [k, k + 1]).collect();
        assert!(batches(1601, &chain).len() <= 208);
    }
}
