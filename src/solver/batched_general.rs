//! General contacts in batches: one projected step per contact.
//!
//! The same as the sweep one by one (see `general`), for contacts whose bodies have the same inverse mass in every
//! direction: first those under a plain friction cone, then those under any other law. Bilateral contacts, contacts at
//! deformable bodies and those with rolling resistance are swept one by one.
//!
//! In a heap that moves, most contacts stay open. Those under a plain friction cone that start without impulse are in
//! batches of their own, and a batch without impulse is visited in every [`FULL_EVERY`]th sweep only. The certificate
//! evaluates all contacts, so that none that should close is missed.

use super::general_batches::{GeneralBatches, inertia_rows};
use super::simd::CacheLine;
use super::{Change, GeneralContact, Mass, VelocityView};
use crate::dim::{Dim, Vector};

/// Sweeps from one that visits all batches to the next.
const FULL_EVERY: u32 = 5;

/// General contacts packed for sweeping.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BatchedGeneral<X: Dim> {
    /// Contacts under a plain friction cone that start with an impulse.
    cones: GeneralBatches<X, false>,
    /// Contacts under a plain friction cone that start without one.
    open: GeneralBatches<X, false>,
    /// Sweeps since all batches were visited first.
    sweeps: u32,
    /// Contacts under any other law.
    laws: GeneralBatches<X, true>,
    /// Indices of the contacts that are in neither.
    pub(super) unpacked: Vec<u32>,
    /// Inverse inertia of each body.
    inertias: Vec<CacheLine>,
}

impl<X: Dim> Default for BatchedGeneral<X> {
    fn default() -> Self {
        Self {
            cones: GeneralBatches::default(),
            open: GeneralBatches::default(),
            sweeps: 0,
            laws: GeneralBatches::default(),
            unpacked: Vec::new(),
            inertias: Vec::new(),
        }
    }
}

impl<X: Dim> BatchedGeneral<X> {
    /// Packs those of the `contacts` that can be swept in batches, with their impulses. `is_single` tells which are
    /// swept one by one whatever their law.
    pub(super) fn pack(
        &mut self,
        contacts: &[GeneralContact<X>],
        is_single: impl Fn(u32) -> bool,
        masses: &[Mass<X>],
        velocities: &VelocityView<X>,
        occupancy: &mut Vec<u64>,
    ) {
        let is_isotropic = |body: u32| {
            let inverse = masses[body as usize].inverse_mass;
            (1..X::D).all(|k| inverse[k] == inverse[0])
        };
        self.clear();
        for (contact, number) in contacts.iter().zip(0..) {
            let law = &contact.law;
            let list = if !contact.bodies.into_iter().all(is_isotropic) || is_single(number) || law.rolling != 0.0 {
                &mut self.unpacked
            } else if !law.is_cone() {
                &mut self.laws.numbers
            } else if contact.impulse == X::Vector::zero() {
                &mut self.open.numbers
            } else {
                &mut self.cones.numbers
            };
            list.push(number);
        }
        if self.unpacked.len() < contacts.len() {
            self.inertias.extend(inertia_rows(masses));
        }
        self.cones.pack(contacts, velocities, occupancy);
        self.open.pack(contacts, velocities, occupancy);
        self.laws.pack(contacts, velocities, occupancy);
    }

    /// Packs none of so many contacts.
    pub(super) fn leave_unpacked(&mut self, contacts: usize) {
        self.clear();
        self.unpacked.extend(0..contacts as u32);
    }

    fn clear(&mut self) {
        self.cones.clear();
        self.open.clear();
        self.sweeps = 0;
        self.laws.clear();
        self.unpacked.clear();
        self.inertias.clear();
    }

    /// Releases excess memory.
    pub(super) fn trim(&mut self) {
        self.cones.packed.trim();
        self.open.packed.trim();
        self.laws.packed.trim();
    }

    /// Copies the impulses back to the contacts.
    pub(super) fn unpack(&self, contacts: &mut [GeneralContact<X>]) {
        self.cones.unpack(contacts);
        self.open.unpack(contacts);
        self.laws.unpack(contacts);
    }

    /// Sum of the squared impulses of all `contacts`, packed or not.
    pub(super) fn impulses2(&self, contacts: &[GeneralContact<X>]) -> f64 {
        let single = self.unpacked.iter().map(|&number| contacts[number as usize].impulse.norm2()).sum::<f64>();
        self.cones.packed.impulses2() + self.open.packed.impulses2() + self.laws.packed.impulses2() + single
    }

    /// Sets the impulses before the last sweep to the current ones.
    pub(super) fn reset_momentum(&mut self) {
        self.cones.packed.reset_momentum();
        self.open.packed.reset_momentum();
        self.sweeps = 0;
        self.laws.packed.reset_momentum();
    }

    /// One sweep; with `momentum`, from impulses extrapolated by that factor times their last change.
    pub(super) fn sweep(&mut self, velocities: &mut VelocityView<X>, relaxation: f64, momentum: Option<f64>) -> Change {
        let mut change = self.cones.sweep(&self.inertias, velocities, relaxation, momentum);
        if !self.open.numbers.is_empty() {
            let is_full = self.sweeps.is_multiple_of(FULL_EVERY);
            self.sweeps += 1;
            if is_full {
                self.open.include_all();
            }
            change = change.plus(self.open.sweep(&self.inertias, velocities, relaxation, momentum));
            self.open.skip_without_impulse();
        }
        if self.laws.numbers.is_empty() {
            return change;
        }
        change.plus(self.laws.sweep(&self.inertias, velocities, relaxation, momentum))
    }
}
