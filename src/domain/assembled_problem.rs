//! The contact problem of a subdomain together with the slots of its contacts: where each of them is stored in it.

use crate::base::index::{ContactIndex, IndexVec};
use crate::dim::{Dim, Vector};
use crate::solver::ContactProblem;
use crate::solver::delassus::Lever;

/// Where a contact is stored in the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactSlot {
    /// The law admits no impulse at this contact in this step.
    Idle,
    /// Index in `ContactProblem::round`.
    Round(u32),
    /// Index in `ContactProblem::general`.
    General(u32),
}

/// A contact problem, and the slot of each contact of the subdomain in it.
#[derive(Default)]
pub(super) struct AssembledProblem<X: Dim> {
    pub(super) problem: ContactProblem<X>,
    /// Slot of each contact; empty where contact k is the round contact number k for every k.
    pub(super) slots: IndexVec<ContactIndex, ContactSlot>,
}

impl<X: Dim> AssembledProblem<X> {
    /// Removes all contacts and all bodies but the world.
    pub(super) fn clear(&mut self) {
        self.problem.clear();
        self.slots.raw.clear();
    }

    /// Records the slot of contact number `k`; to be called in the order of contacts.
    pub(super) fn put(&mut self, k: ContactIndex, slot: ContactSlot) {
        let is_plain = self.slots.is_empty() && slot == ContactSlot::Round(k.0);
        if !is_plain {
            // Either no contact before this one has a recorded slot, or all have.
            self.slots.raw.extend((self.slots.next_index().0..k.0).map(ContactSlot::Round));
            self.slots.raw.push(slot);
        }
    }

    /// Slot of contact number `k`.
    #[inline]
    pub(super) fn slot(&self, k: ContactIndex) -> ContactSlot {
        self.slots.get(k).copied().unwrap_or(ContactSlot::Round(k.0))
    }

    /// Impulse of contact number `k` on its second body, N s.
    #[inline(always)]
    pub(super) fn impulse(&self, k: ContactIndex) -> X::Vector {
        match self.slot(k) {
            ContactSlot::Idle => X::Vector::zero(),
            ContactSlot::Round(i) => self.problem.round.impulse(i as usize),
            ContactSlot::General(i) => self.problem.general[i as usize].impulse,
        }
    }

    /// Rolling resistance at contact number `k`: angular impulse on its second body, over the length of the smaller
    /// body, N s.
    pub(super) fn rolling(&self, k: ContactIndex) -> X::Vector {
        match self.slot(k) {
            ContactSlot::General(i) => self.problem.rolling_at(i).map_or(X::Vector::zero(), |rolling| rolling.impulse),
            ContactSlot::Idle | ContactSlot::Round(_) => X::Vector::zero(),
        }
    }

    /// Largest tangential impulse that the law of contact number `k` admits with its normal impulse, N s.
    pub(super) fn bound(&self, k: ContactIndex) -> f64 {
        match self.slot(k) {
            ContactSlot::Idle => 0.0,
            ContactSlot::Round(i) => self.problem.round.get(i as usize).bound(),
            ContactSlot::General(i) => self.problem.general[i as usize].bound(),
        }
    }

    /// Lever arms and law of contact number `k`; `None` if no impulse may act there.
    pub(super) fn lever(&self, k: ContactIndex) -> Option<Lever<X>> {
        match self.slot(k) {
            ContactSlot::Idle => None,
            ContactSlot::Round(i) => Some(self.problem.round.get(i as usize).lever()),
            ContactSlot::General(i) => Some(self.problem.general[i as usize].lever()),
        }
    }
}
