//! Contacts in groups that share no body, so that those of a group may be solved at once.
//!
//! Greedy: each contact, in turn, joins the first of up to 64 open groups that holds neither of its bodies; a full group
//! is closed and done. Which contacts meet in a group follows from their order alone. The world, body 0, never moves and
//! may be in a group as often as it likes.

/// Contacts of a full group: two batches, so that one need not wait for the other.
pub(super) const GROUP: usize = 16;

/// Memory of the grouping, kept from one time to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grouping {
    /// For each body: the open groups that hold it, one bit each.
    taken: Vec<u64>,
    open: Vec<Vec<u32>>,
}

impl Grouping {
    /// Groups contacts 0, 1, ..., with these `ends`, between `bodies` bodies; `done` hears of each group, of at most [`GROUP`] contacts.
    pub(super) fn group(
        &mut self,
        bodies: usize,
        contacts: usize,
        ends: impl Fn(u32) -> [u32; 2],
        mut done: impl FnMut(&[u32]),
    ) {
        let Self { taken, open } = self;
        taken.clear();
        taken.resize(bodies, 0);
        open.resize_with(64, || Vec::with_capacity(GROUP));
        open.iter_mut().for_each(Vec::clear);
        let mut close = |group: usize, open: &mut [Vec<u32>], taken: &mut [u64]| {
            done(&open[group]);
            for contact in open[group].drain(..) {
                ends(contact).iter().for_each(|&body| taken[body as usize] &= !(1 << group));
            }
        };
        for contact in 0..contacts as u32 {
            let [a, b] = ends(contact);
            let mut free = !(taken[a as usize] | taken[b as usize]);
            if free == 0 {
                // Every group holds one of the two: the fullest, of those the first, has waited long enough.
                let fullest = (0..64).rev().max_by_key(|&group| open[group].len()).unwrap_or(0);
                close(fullest, open, taken);
                free = 1 << fullest;
            }
            let group = free.trailing_zeros() as usize;
            open[group].push(contact);
            for body in [a, b].into_iter().filter(|&body| body != super::WORLD) {
                taken[body as usize] |= 1 << group;
            }
            if open[group].len() == GROUP {
                close(group, open, taken);
            }
        }
        for group in 0..64 {
            if !open[group].is_empty() {
                close(group, open, taken);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};

    fn groups(bodies: usize, contacts: &[[u32; 2]]) -> Vec<Vec<u32>> {
        let mut groups = Vec::new();
        let ends = |contact: u32| contacts[contact as usize];
        Grouping::default().group(bodies, contacts.len(), ends, |group| groups.push(group.to_vec()));
        groups
    }

    #[test]
    fn every_contact_is_in_one_group_and_no_body_but_the_world_is_twice_in_one() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(4);
        for bodies in [2, 3, 20, 1000] {
            let contacts: Vec<[u32; 2]> =
                (0..5000).map(|_| [0; 2].map(|_: u32| (random.next_u64() % bodies) as u32)).collect();
            let contacts: Vec<[u32; 2]> = contacts.into_iter().filter(|[a, b]| a != b).collect();
            let groups = groups(bodies as usize, &contacts);
            let mut seen = vec![0; contacts.len()];
            for group in &groups {
                assert!(!group.is_empty() && group.len() <= GROUP);
                let mut held: Vec<u32> = group.iter().flat_map(|&k| contacts[k as usize]).filter(|&b| b != 0).collect();
                group.iter().for_each(|&k| seen[k as usize] += 1);
                held.sort_unstable();
                assert!(held.windows(2).all(|pair| pair[0] < pair[1]));
            }
            assert!(seen.iter().all(|&times| times == 1));
        }
    }

    #[test]
    fn a_chain_of_bodies_fills_its_groups() {
        let chain: Vec<[u32; 2]> = (0..1600).map(|k| [k, k + 1]).collect();
        assert!(groups(1601, &chain).len() <= 104);
    }
}
