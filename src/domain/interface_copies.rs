//! The interface bodies of one subdomain: which of its active bodies are copies, and how they are weighted.

use super::active_bodies::ActiveBodies;
use super::contacts::ContactList;
use super::copy_stiffness::CopyStiffness;
use crate::base::index::{FreeRow, IndexVec, InterfaceIndex, ProblemBody, VelocityRow};
use crate::base::trim;
use crate::dim::Dim;
use crate::solver::WORLD;

/// Properties of a body on which the weighting of its copies depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedBody {
    pub(super) mass: f64,
    pub(super) is_ball: bool,
}

/// Active bodies of a subdomain that are interface bodies.
#[derive(Default)]
pub(super) struct InterfaceCopies {
    /// Problem index of each copy, in increasing order, and index of the interface body.
    copies: Vec<(ProblemBody, InterfaceIndex)>,
    /// Factor on the inverse mass of each copy.
    factors: Vec<f64>,
    /// Stiffness of the contacts on each active body, and which active bodies are split; used without momentum only.
    stiffness: IndexVec<ProblemBody, CopyStiffness>,
    is_split: IndexVec<ProblemBody, bool>,
    /// Is any copy of these bodies on another process?
    pub(super) is_remote: bool,
}

impl InterfaceCopies {
    /// Removes all copies.
    pub(super) fn clear(&mut self) {
        self.copies.clear();
        self.factors.clear();
        self.is_remote = false;
    }

    /// Adds the copy of interface body `shared` at problem index `index`; to be called in the order of indices.
    pub(super) fn add(&mut self, index: ProblemBody, shared: InterfaceIndex) {
        self.copies.push((index, shared));
    }

    /// Sets the factor on the inverse mass of the next copy; to be called in the order of copies.
    pub(super) fn add_factor(&mut self, factor: f64) {
        self.factors.push(factor);
    }

    /// Frees excess capacity.
    pub(super) fn trim(&mut self) {
        trim(&mut self.copies);
        trim(&mut self.factors);
    }

    /// Problem indices and rows of all active bodies, without the world, with the factors on their inverse masses: that
    /// of the copy for interface bodies, one for all others.
    pub(super) fn weighted(&self, active: &ActiveBodies) -> impl Iterator<Item = (ProblemBody, FreeRow, f64)> {
        let mut copies = self.copies.iter().zip(&self.factors).peekable();
        active.without_world().map(move |(index, row)| {
            let copy = copies.next_if(|((own, _), _)| *own == index);
            (index, row, copy.map_or(1.0, |(_, factor)| *factor))
        })
    }

    /// Stiffness of the contacts on the active body with this problem index.
    pub(super) fn stiffness(&self, index: ProblemBody) -> &CopyStiffness {
        &self.stiffness[index]
    }

    /// Counts the contacts of each copy in `split`; `body` describes the body of a row.
    pub(super) fn count_stiffness<X: Dim>(
        &mut self,
        active: &ActiveBodies,
        contacts: &ContactList<X>,
        split: &[(ProblemBody, VelocityRow)],
        body: &dyn Fn(FreeRow) -> CopiedBody,
    ) {
        let Self { stiffness, is_split, .. } = self;
        stiffness.refill(active.len(), CopyStiffness::default());
        is_split.refill(active.len(), false);
        split.iter().for_each(|&(index, _)| is_split[index] = true);
        let body = |index: ProblemBody| body(active.rows[index]);
        for k in contacts.indices() {
            let [a, b] = contacts.ends(k).map(|local| active.index(local));
            for (own, other) in [(a, b), (b, a)] {
                if own == WORLD || !is_split[own] {
                    continue;
                }
                let stiffness = &mut stiffness[own];
                let are_balls = body(own).is_ball && (other == WORLD || body(other).is_ball);
                stiffness.is_round &= are_balls && !contacts.is_link(k);
                if other == WORLD || is_split[other] {
                    stiffness.stiff += 1;
                } else {
                    stiffness.soft += 1;
                    stiffness.ratio = stiffness.ratio.min(body(own).mass / body(other).mass);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_their_factors_and_all_other_bodies_one() {
        let mut active = ActiveBodies::default();
        active.rows.raw.extend([u32::MAX, 10, 11, 12, 13].map(FreeRow));
        let mut copies = InterfaceCopies::default();
        for (index, shared, factor) in [(1, 0, 2.0), (3, 1, 3.0), (4, 2, 4.0)] {
            copies.add(ProblemBody(index), InterfaceIndex(shared));
            copies.add_factor(factor);
        }
        let weighted = copies.weighted(&active).map(|(index, row, factor)| (index.0, row.0, factor));
        assert!(weighted.eq([(1, 10, 2.0), (2, 11, 1.0), (3, 12, 3.0), (4, 13, 4.0)]));
    }
}
