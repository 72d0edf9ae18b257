//! The active bodies of a subdomain: those with a contact in it, numbered as in its contact problem.

use std::ops::Range;

use crate::base::trim;
use crate::solver::WORLD;

/// Bodies with a contact in a subdomain, and their indices in its contact problem. Obstacles belong to the world.
#[derive(Default)]
pub(super) struct ActiveBodies {
    /// Problem index of each local body; [`WORLD`] for obstacles and for bodies without contacts.
    indices: Vec<u32>,
    /// The body of each problem index; index 0, the world, is unused. The nodes of deformable bodies follow all bodies.
    pub(super) rows: Vec<u32>,
    /// Active bodies that are deformable: problem index of the body and of its first node.
    pub(super) deformables: Vec<[u32; 2]>,
    /// Number of contacts of each active body in this subdomain.
    contacts: Vec<u32>,
    /// For each problem index: is this the primary copy of its body, which alone counts in sums over bodies?
    pub(super) is_primary: Vec<bool>,
}

impl ActiveBodies {
    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        self.indices.clear();
        self.rows.clear();
        self.deformables.clear();
        self.contacts.clear();
        self.is_primary.clear();
    }

    /// Numbers the active bodies. `local` gives the body of each local body, `ends` the local bodies of all contacts.
    /// Bodies that are `is_obstacle` belong to the world. `nodes` gives the rows of the nodes of a body; these are
    /// numbered after all bodies.
    pub(super) fn number(
        &mut self,
        local: &[u32],
        ends: impl Iterator<Item = [u32; 2]>,
        is_obstacle: impl Fn(u32) -> bool,
        nodes: impl Fn(u32) -> Range<u32>,
    ) {
        self.clear();
        self.indices.resize(local.len(), 0);
        // `indices` first counts the contacts of each local body, then holds its problem index.
        for end in ends.flatten() {
            self.indices[end as usize] += 1;
        }
        self.rows.push(u32::MAX);
        self.contacts.push(0);
        // The images of a body are adjacent.
        let mut from = 0;
        for images in local.chunk_by(|a, b| a == b) {
            let indices = &mut self.indices[from..from + images.len()];
            from += images.len();
            let contacts = indices.iter().sum();
            let is_active = contacts > 0 && !is_obstacle(images[0]);
            indices.fill(if is_active { self.rows.len() as u32 } else { WORLD });
            if is_active {
                self.rows.push(images[0]);
                self.contacts.push(contacts);
            }
        }
        for index in 1..self.rows.len() {
            let nodes = nodes(self.rows[index]);
            if !nodes.is_empty() {
                self.deformables.push([index as u32, self.rows.len() as u32]);
                self.rows.extend(nodes);
            }
        }
        self.is_primary.resize(self.rows.len(), true);
        trim(&mut self.indices);
        trim(&mut self.rows);
        trim(&mut self.contacts);
        trim(&mut self.is_primary);
    }

    /// Number of indices of the problem: the world, the active bodies, and the nodes of those that are deformable.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Problem index of a local body; [`WORLD`] for obstacles and for bodies without contacts.
    #[inline(always)]
    pub(super) fn index(&self, local: u32) -> u32 {
        self.indices[local as usize]
    }

    /// The rows of the active bodies and then of their nodes; the world has none.
    pub(super) fn without_world(&self) -> &[u32] {
        self.rows.get(1..).unwrap_or_default()
    }

    /// The active bodies with their numbers of contacts in this subdomain.
    pub(super) fn contact_counts(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows.iter().copied().zip(self.contacts.iter().copied()).skip(1)
    }

    /// Number among the deformable bodies of the one with this problem index.
    pub(super) fn deformable(&self, index: u32) -> Option<usize> {
        self.deformables.binary_search_by_key(&index, |[own, _]| *own).ok()
    }

    /// Frees the numbers of contacts, which the next step counts anew.
    pub(super) fn free_counts(&mut self) {
        self.contacts = Vec::new();
    }
}
