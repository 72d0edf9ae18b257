//! The active bodies of a subdomain: those with a contact in it, numbered as in its contact problem.

use crate::base::index::{BodyIndex, FreeRow, IndexVec, LocalBody, ProblemBody};
use crate::base::trim;
use crate::solver::WORLD;

/// Bodies with a contact in a subdomain, and their indices in its contact problem. Obstacles belong to the world.
#[derive(Default)]
pub(super) struct ActiveBodies {
    /// Problem index of each local body; [`WORLD`] for obstacles and for bodies without contacts.
    indices: IndexVec<LocalBody, ProblemBody>,
    /// The body of each problem index; index 0, the world, is unused. The nodes of deformable bodies follow all bodies.
    pub(super) rows: IndexVec<ProblemBody, FreeRow>,
    /// Active bodies that are deformable: problem index of the body and of its first node.
    pub(super) deformables: Vec<[ProblemBody; 2]>,
    /// Number of contacts of each active body in this subdomain.
    contacts: Vec<u32>,
    /// For each problem index: is this the primary copy of its body, which alone counts in sums over bodies?
    pub(super) is_primary: IndexVec<ProblemBody, bool>,
}

impl ActiveBodies {
    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        self.indices.raw.clear();
        self.rows.raw.clear();
        self.deformables.clear();
        self.contacts.clear();
        self.is_primary.raw.clear();
    }

    /// Numbers the active bodies. `local` gives the body of each local body, `ends` the local bodies of all contacts.
    /// Bodies that are `is_obstacle` belong to the world. `nodes` gives the rows of the nodes of a body; these are
    /// numbered after all bodies.
    pub(super) fn number<N: ExactSizeIterator<Item = FreeRow>>(
        &mut self,
        local: &[BodyIndex],
        ends: impl Iterator<Item = [LocalBody; 2]>,
        is_obstacle: impl Fn(BodyIndex) -> bool,
        nodes: impl Fn(BodyIndex) -> N,
    ) {
        self.clear();
        // `indices` first counts the contacts of each local body, then holds its problem index.
        self.indices.refill(local.len(), ProblemBody(0));
        for end in ends.flatten() {
            self.indices[end].0 += 1;
        }
        self.rows.raw.push(FreeRow(u32::MAX));
        self.contacts.push(0);
        // The images of a body are adjacent.
        let mut from = 0;
        for images in local.chunk_by(|a, b| a == b) {
            let indices = &mut self.indices.raw[from..from + images.len()];
            from += images.len();
            let contacts = indices.iter().map(|count| count.0).sum();
            let is_active = contacts > 0 && !is_obstacle(images[0]);
            indices.fill(if is_active { self.rows.next_index() } else { WORLD });
            if is_active {
                self.rows.raw.push(images[0].into());
                self.contacts.push(contacts);
            }
        }
        for index in (1..self.rows.len()).map(ProblemBody::new) {
            // The range ends before the first node: these are bodies.
            let nodes = nodes(BodyIndex(self.rows[index].0));
            if nodes.len() > 0 {
                self.deformables.push([index, self.rows.next_index()]);
                self.rows.raw.extend(nodes);
            }
        }
        self.is_primary.refill(self.rows.len(), true);
        trim(&mut self.indices.raw);
        trim(&mut self.rows.raw);
        trim(&mut self.contacts);
        trim(&mut self.is_primary.raw);
    }

    /// Number of indices of the problem: the world, the active bodies, and the nodes of those that are deformable.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Problem index of a local body; [`WORLD`] for obstacles and for bodies without contacts.
    #[inline(always)]
    pub(super) fn index(&self, local: LocalBody) -> ProblemBody {
        self.indices[local]
    }

    /// The rows of the active bodies and then of their nodes, with their problem indices; the world has none.
    pub(super) fn without_world(&self) -> impl Iterator<Item = (ProblemBody, FreeRow)> {
        self.rows.enumerated().skip(1).map(|(index, &row)| (index, row))
    }

    /// The active bodies with their numbers of contacts in this subdomain.
    pub(super) fn contact_counts(&self) -> impl Iterator<Item = (FreeRow, u32)> {
        self.rows.raw.iter().copied().zip(self.contacts.iter().copied()).skip(1)
    }

    /// Number among the deformable bodies of the one with this problem index.
    pub(super) fn deformable(&self, index: ProblemBody) -> Option<usize> {
        self.deformables.binary_search_by_key(&index, |[own, _]| *own).ok()
    }

    /// Frees the numbers of contacts, which the next step counts anew.
    pub(super) fn free_counts(&mut self) {
        self.contacts = Vec::new();
    }
}
