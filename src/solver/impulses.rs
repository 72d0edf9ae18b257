//! The impulses of a problem: their effect on the velocities, copies of them, and sums.
//!
//! During sweeps the batches hold the impulses of the contacts they contain; copies list those of sphere contacts
//! first, then those of general contacts, then those of rolling resistance.

use super::deformable::RigidEnds;
use super::simd::CacheLine;
use super::{ContactProblem, MomentumState, keep};
use crate::base::scratch::ScratchVec;
use crate::dim::{Dim, Vector};

impl<X: Dim> ContactProblem<X> {
    /// Adds the effect of the initial impulses to the velocities.
    pub fn apply_impulses(&mut self) {
        self.round.apply_impulses(&mut self.rows);
        let Self { rows, masses, general, ends, .. } = self;
        let mut ends = ends.in_order();
        for (number, contact) in general.iter().enumerate() {
            match ends.of(number) {
                None => contact.apply(rows, masses.full(), &RigidEnds, contact.impulse),
                Some(ends) => contact.apply(rows, masses.full(), &ends, contact.impulse),
            }
        }
        for rolling in &self.rolling {
            rolling.apply(&mut self.rows, self.masses.full(), rolling.impulse);
        }
    }

    /// Copies the impulses of the last sweep from the batches to the general contacts.
    pub fn fetch_impulses(&mut self) {
        if self.sweeps.is_packed {
            self.sweeps.general.unpack(&mut self.general);
        }
    }

    /// Sum of the squared impulses after the last sweep.
    pub fn impulses2(&self) -> f64 {
        let general: f64 = match self.sweeps.is_packed {
            true => self.sweeps.general.impulses2(&self.general),
            false => self.general.iter().map(|contact| contact.impulse.norm2()).sum(),
        };
        self.round.impulses2() + general + self.rolling.iter().map(|rolling| rolling.impulse.norm2()).sum::<f64>()
    }

    /// Copies the impulses to `kept`, those of sphere contacts first, those of rolling resistance last.
    pub fn keep_impulses(&self, kept: &mut Vec<X::Vector>) {
        kept.clear();
        kept.extend((0..self.round.len()).map(|number| self.round.impulse(number)));
        kept.extend(self.general.iter().map(|contact| contact.impulse));
        kept.extend(self.rolling.iter().map(|rolling| rolling.impulse));
    }

    /// Restores the impulses that were `kept`.
    pub fn restore_impulses(&mut self, kept: &[X::Vector]) {
        self.sweeps.is_packed = false;
        let (round, kept) = kept.split_at(self.round.len());
        round.iter().enumerate().for_each(|(number, &impulse)| self.round.set_impulse(number, impulse));
        let impulses = self.general.iter_mut().map(|contact| &mut contact.impulse);
        let impulses = impulses.chain(self.rolling.iter_mut().map(|rolling| &mut rolling.impulse));
        impulses.zip(kept).for_each(|(impulse, kept)| *impulse = *kept);
    }

    /// Multiplies every impulse by `scale`.
    pub fn scale_impulses(&mut self, scale: f64) {
        self.fetch_impulses();
        self.sweeps.is_packed = false;
        for number in 0..self.round.len() {
            let impulse = self.round.impulse(number);
            self.round.set_impulse(number, impulse * scale);
        }
        self.general.iter_mut().for_each(|contact| contact.impulse = contact.impulse * scale);
        self.rolling.iter_mut().for_each(|rolling| rolling.impulse = rolling.impulse * scale);
    }

    /// Impulses of sphere contacts before the last sweep, which momentum needs.
    pub fn old_impulses(&mut self) -> &mut ScratchVec<CacheLine> {
        self.round.old()
    }

    /// Saves the present state in `memory` as that before the first sweep: the last change is zero.
    pub fn start_momentum(&mut self, memory: &mut MomentumState<X>) {
        keep(&mut memory.velocities, self.rows.own().iter());
        self.pack();
        self.keep_old_impulses(&mut memory.impulses);
    }

    /// Sets the impulses before the last sweep to the current ones, before the first sweep with momentum; `old` gets
    /// those of the contacts that are swept one by one.
    fn keep_old_impulses(&mut self, old: &mut Vec<X::Vector>) {
        if !self.sweeps.is_packed {
            return self.keep_impulses(old);
        }
        self.round.reset_momentum();
        self.sweeps.general.reset_momentum();
        old.clear();
        old.extend(self.sweeps.general.unpacked.iter().map(|&number| self.general[number as usize].impulse));
        old.extend(self.rolling.iter().map(|rolling| rolling.impulse));
    }
}
