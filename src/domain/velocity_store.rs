//! Layout of the velocity store: one array with the body velocities of all subdomains of this process.
//!
//! Subdomains of one colour have no row in common: a body active in several of them has a row of its own in each. They
//! can therefore sweep in parallel, and the subdomains of the other colour continue in the same rows.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::assemble::unsplit_row;
use super::context::StepContext;
use super::interface::{CopyLocation, Interface, SplitCopy};
use super::{Domain, Subdomain};
use crate::base::index::VelocityRow;
use crate::dim::Dim;
use crate::solver::{BodyVelocity, ContactProblem, HasVelocities, VelocityView};

impl<X: Dim> Domain<X> {
    /// Resizes the store to `count` rows, arranges the empty problems of the subdomains in it as their layouts say, and
    /// fills in the rows of the interface bodies, which come first.
    pub(super) fn arrange_rows(&mut self, count: usize, context: &StepContext<X>) {
        let Self { store, interface, subdomains, .. } = self;
        store.resize(count);
        store.arrange(interface.shared.len(), subdomains, |subdomain| {
            (&mut subdomain.assembled.problem.rows, &mut subdomain.layout, subdomain.colour)
        });
        let pairs = store.rows_mut().par_iter_mut().zip(&interface.shared);
        pairs.for_each(|(row, shared)| *row = unsplit_row(context, shared.body));
    }

    /// A copy of the contact problem of a subdomain of this process.
    pub fn problem(&self, subdomain: usize) -> ContactProblem<X> {
        self.subdomains[subdomain].assembled.problem.copied_from(self.store.rows())
    }

    /// After a solve: calls `put` for every body that is active in a subdomain here, with the velocity row of a copy;
    /// all copies are equal.
    pub(super) fn read_active<T: Send>(&self, into: &mut [T], put: impl Fn(&mut T, usize, &BodyVelocity<X>) + Sync) {
        let Self { interface, store, .. } = self;
        let rows = store.rows();
        let all = into.par_iter_mut().zip(&interface.finding.by_body).enumerate().with_min_len(1024);
        all.for_each(|(body, (into, row))| {
            if let Some(number) = row.load(Relaxed).checked_sub(1) {
                put(into, body, &rows[number as usize]);
            }
        });
    }
}

impl<X: Dim> Domain<X> {
    /// After a solve: overwrites the impulses on the loaded nodes of active bodies; `bodies` is the number of bodies,
    /// whose rows come before those of nodes.
    pub(super) fn read_impulses(&self, nodes: &mut [X::Vector], bodies: usize) {
        let Self { interface, store, .. } = self;
        let rows = store.rows();
        for (impulse, row) in nodes.iter_mut().zip(&interface.finding.by_body[bodies..]) {
            if let Some(number) = row.load(Relaxed).checked_sub(1) {
                *impulse = rows[number as usize].velocity;
            }
        }
    }
}

impl<X: Dim> Interface<X> {
    /// Assigns the velocity rows. Interface bodies have the first rows, in which the only copy of a colour is swept in
    /// place; then come, subdomain by subdomain, its own rows: the world, bodies active in it alone, and split copies.
    /// `bodies` is the number of bodies of this process. Returns the number of rows.
    pub(super) fn assign_rows(&mut self, subdomains: &mut [Subdomain<X>], bodies: usize) -> usize {
        const OWN: VelocityRow = VelocityRow(u32::MAX);
        for Subdomain { layout, active, .. } in &mut *subdomains {
            layout.rows.refill(active.len(), OWN);
            layout.own = 0..active.len() as u32;
        }
        for (number, shared) in self.shared.iter_mut().enumerate() {
            for (colour, group) in [shared.from..shared.second, shared.second..shared.to].into_iter().enumerate() {
                if let [SplitCopy { at: CopyLocation::Local { slot, index, .. }, .. }] =
                    self.copies[group.start as usize..group.end as usize]
                {
                    let layout = &mut subdomains[slot.index()].layout;
                    layout.rows[index] = VelocityRow::new(number);
                    layout.own.end -= 1;
                    shared.in_place[colour] = true;
                }
            }
        }
        let mut next = self.shared.len() as u32;
        for layout in subdomains.iter_mut().map(|subdomain| &mut subdomain.layout) {
            layout.own = next..next + layout.own.end;
            next = layout.own.end;
        }
        let row_of = &mut self.finding.by_body;
        row_of.clear();
        row_of.resize_with(bodies, AtomicU32::default);
        subdomains.par_iter_mut().for_each(|Subdomain { layout, active, .. }| {
            let own = layout.rows.raw.iter_mut().zip(&active.rows.raw).filter(|(row, _)| **row == OWN);
            for ((row, &body), number) in own.zip(layout.own.clone()) {
                *row = VelocityRow(number);
                // The world is not a body.
                if let Some(own) = row_of.get(body.index()) {
                    own.store(number + 1, Relaxed);
                }
            }
        });
        for shared in &self.shared {
            for copy in &mut self.copies[shared.from as usize..shared.to as usize] {
                if let CopyLocation::Local { slot, index, row } = &mut copy.at {
                    *row = subdomains[slot.index()].layout.rows[*index];
                    // The row of a copy, because a roll-back restores the rows of copies.
                    *row_of[shared.body.index()].get_mut() = row.0 + 1;
                }
            }
        }
        next as usize
    }
}

impl<X: Dim> HasVelocities<X> for Subdomain<X> {
    fn velocities(&mut self) -> &mut VelocityView<X> {
        &mut self.assembled.problem.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::index::{FreeRow, ProblemBody, SubdomainId, SubdomainSlot};
    use crate::dim::Space;
    use crate::domain::interface::InterfaceBody;

    /// A subdomain in which these bodies are active.
    fn subdomain(colour: u8, bodies: &[u32]) -> Subdomain<Space> {
        let mut subdomain = Subdomain::new(SubdomainId(0));
        (subdomain.colour, subdomain.active.rows.raw) =
            (colour, [&[u32::MAX], bodies].concat().into_iter().map(FreeRow).collect());
        subdomain
    }

    /// An interface body with one copy in each of these subdomains, by slot, problem index and colour, and `there`
    /// copies on other processes.
    fn shared(interface: &mut Interface<Space>, body: u32, here: &[(u32, u32, u8)], there: u32) {
        let from = interface.copies.len() as u32;
        let first = here.iter().filter(|copy| copy.2 == 0).count() as u32;
        let here = here.iter().map(|&(slot, index, _)| CopyLocation::Local {
            slot: SubdomainSlot(slot),
            index: ProblemBody(index),
            row: VelocityRow(0),
        });
        let there = (0..there).map(|_| CopyLocation::Remote { peer: 0, from: 0 });
        interface.copies.extend(here.chain(there).map(|at| SplitCopy { at, factor: 1.0 }));
        let to = interface.copies.len() as u32;
        interface.shared.push(InterfaceBody {
            body: FreeRow(body),
            from,
            to,
            second: from + first,
            in_place: [false; 2],
        });
    }

    #[test]
    fn only_subdomains_of_different_colours_share_rows_and_each_has_a_row_of_the_world() {
        let mut all = [subdomain(0, &[1, 2, 3, 4]), subdomain(0, &[2, 3, 5]), subdomain(1, &[1, 3, 6])];
        let mut interface = Interface::<Space>::default();
        shared(&mut interface, 1, &[(0, 1, 0), (2, 1, 1)], 0);
        shared(&mut interface, 2, &[(0, 2, 0), (1, 1, 0)], 0);
        shared(&mut interface, 3, &[(0, 3, 0), (1, 2, 0), (2, 2, 1)], 0);
        // Also active in a subdomain of the second colour on another process.
        shared(&mut interface, 6, &[(2, 3, 1)], 1);
        let count = interface.assign_rows(&mut all, 8);
        let numbers = all.each_ref().map(|s| s.layout.rows.raw.iter().map(|row| row.0).collect::<Vec<_>>());
        assert_eq!(numbers, [&[4, 0, 5, 6, 7][..], &[8, 9, 10, 11], &[12, 0, 2, 13]]);
        assert_eq!(all.each_ref().map(|s| s.layout.own.clone()), [4..8, 8..12, 12..14]);
        assert_eq!(count, 14);
        let row_of: Vec<u32> = interface.finding.by_body.iter_mut().map(|row| *row.get_mut()).collect();
        assert_eq!(row_of, [0, 1, 10, 3, 8, 12, 14, 0], "rows of copies, and zero for bodies that are not active");
        let in_place: Vec<_> = interface.shared.iter().map(|shared| shared.in_place).collect();
        assert_eq!(in_place, [[true, true], [false, false], [false, true], [false, false]]);
        let rows = interface.copies.iter().filter_map(|copy| match copy.at {
            CopyLocation::Local { row, .. } => Some(row.0),
            CopyLocation::Remote { .. } => None,
        });
        assert_eq!(rows.collect::<Vec<_>>(), [0, 0, 5, 9, 6, 10, 2, 13]);
    }
}
