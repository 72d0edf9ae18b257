//! Gauss-Seidel sweeps over the contacts of a problem: batches of eight first, then the contacts solved one by one.
//!
//! In: a problem whose velocities are consistent with its impulses. Out: the same, one sweep further, and the sums over
//! the corrections. Packing moves the contacts from lists into batches before the first sweep.

use super::deformable::RigidEnds;
use super::sweep_policy::{AcceleratedPolicy, PlainPolicy, SweepPolicy};
use super::{Change, ContactOrder, ContactProblem, LocalMap, MomentumState, SphereContact};
use crate::dim::Dim;

impl<X: Dim> ContactProblem<X> {
    /// One Gauss-Seidel sweep over all contacts.
    pub fn sweep(&mut self, map: LocalMap, relaxation: f64) -> Change {
        let batches = self.sweep_batches(relaxation, None);
        batches.plus(self.visit(map, relaxation, PlainPolicy::default()))
    }

    /// One sweep from impulses extrapolated by `factor` times their last change, as the velocities are already.
    pub fn sweep_on(&mut self, map: LocalMap, relaxation: f64, factor: f64, memory: &mut MomentumState<X>) -> Change {
        let batches = self.sweep_batches(relaxation, Some(factor));
        batches.plus(self.visit(map, relaxation, AcceleratedPolicy::new(factor, &mut memory.impulses)))
    }

    fn sweep_batches(&mut self, relaxation: f64, factor: Option<f64>) -> Change {
        self.pack();
        if !self.sweeps.is_packed {
            return Change::default();
        }
        let round = self.round.sweep(&mut self.rows, relaxation, factor);
        round.plus(self.sweeps.general.sweep(&mut self.rows, relaxation, factor))
    }

    /// Packs the contacts into batches, if they are swept so and are not packed yet; from then on the batches hold the
    /// current impulses. With the exact local map general contacts are swept one by one. Returns the memory of the list
    /// of sphere contacts, which is no longer needed.
    pub fn pack(&mut self) -> Vec<SphereContact<X>> {
        if self.order == ContactOrder::Curve {
            self.unpack();
        }
        if self.order == ContactOrder::Curve || self.sweeps.is_packed {
            return Vec::new();
        }
        match self.blocks.is_empty() {
            true => {
                let Self { sweeps, general, bilateral, ends, masses, rows, claimed, .. } = self;
                let is_bilateral = |number| bilateral.binary_search_by_key(&number, |&(own, _)| own).is_ok();
                let is_single = |number| ends.has(number) || is_bilateral(number);
                sweeps.general.pack(general, is_single, masses.full(), rows, claimed);
            }
            false => self.sweeps.general.leave_unpacked(self.general.len()),
        }
        self.sweeps.is_packed = true;
        self.round.pack(&self.rows, &mut self.claimed)
    }

    /// Moves the contacts from batches back to lists.
    pub(super) fn unpack(&mut self) {
        self.fetch_impulses();
        self.round.spread(&self.rows);
        self.sweeps.is_packed = false;
    }

    /// Sweeps the contacts that are solved one by one.
    #[inline(always)]
    fn visit(&mut self, map: LocalMap, relaxation: f64, mut policy: impl SweepPolicy<X::Vector>) -> Change {
        let Self { rows, masses, round, general, rolling, blocks, bilateral, ends, sweeps, .. } = self;
        let (count, masses) = (general.len(), masses.full());
        if !sweeps.is_packed {
            for contact in round.listed() {
                contact.solve(rows, relaxation, &mut policy);
            }
        }
        let (mut bilateral, mut ends) = (bilateral.iter().peekable(), ends.in_order());
        let mut visit = |number: usize| {
            let inverse = bilateral.next_if(|(own, _)| *own as usize == number).map(|(_, inverse)| inverse);
            let (contact, how) = (&mut general[number], (map, inverse, blocks.get(number)));
            match ends.of(number) {
                None => contact.update(rows, masses, &RigidEnds, how, relaxation, &mut policy),
                Some(ends) => contact.update(rows, masses, &ends, how, relaxation, &mut policy),
            }
        };
        match sweeps.is_packed {
            true => sweeps.general.unpacked.iter().for_each(|&number| visit(number as usize)),
            false => (0..count).for_each(visit),
        }
        for rolling in rolling {
            let r_n = general[rolling.contact as usize].normal_impulse();
            rolling.solve(rows, masses, r_n, relaxation, &mut policy);
        }
        policy.change()
    }
}
