//! The sphere contacts of a problem: in a list during assembly, in batches of eight during sweeps.
//!
//! They are in both only while they are packed: the contact data of a problem are most of the memory per sphere.

use serde::{Deserialize, Serialize};

use super::simd::CacheLine;
use super::sphere_batches::SphereBatches;
use super::{Change, Residual, SphereContact, VelocityView};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::trim;
use crate::dim::{Dim, Pair, Vector};

/// The sphere contacts of a problem, by index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound = "", from = "Vec<SphereContact<X>>", into = "Vec<SphereContact<X>>")]
pub struct SphereContacts<X: Dim> {
    /// Empty while the contacts are in batches.
    list: Vec<SphereContact<X>>,
    batches: SphereBatches<X>,
    is_packed: bool,
}

impl<X: Dim> Default for SphereContacts<X> {
    fn default() -> Self {
        Self { list: Vec::new(), batches: SphereBatches::default(), is_packed: false }
    }
}

impl<X: Dim> From<Vec<SphereContact<X>>> for SphereContacts<X> {
    fn from(list: Vec<SphereContact<X>>) -> Self {
        Self { list, ..Self::default() }
    }
}

impl<X: Dim> From<SphereContacts<X>> for Vec<SphereContact<X>> {
    fn from(contacts: SphereContacts<X>) -> Self {
        contacts.iter().collect()
    }
}

impl<X: Dim> PartialEq for SphereContacts<X> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<X: Dim> SphereContacts<X> {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        if self.is_packed { self.batches.packed.len() } else { self.list.len() }
    }

    /// Is there no contact?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The contact with index `number` and its current impulse. In batches its bodies are given as row numbers, which
    /// are local indices only where the problem stands alone.
    #[inline(always)]
    pub fn get(&self, number: usize) -> SphereContact<X> {
        if self.is_packed { self.batches.get(number) } else { self.list[number] }
    }

    /// The impulse of a contact.
    #[inline(always)]
    pub fn impulse(&self, number: usize) -> X::Vector {
        if self.is_packed { self.batches.packed.impulse(number) } else { self.list[number].impulse }
    }

    /// Sum of the squared impulses.
    pub(super) fn impulses2(&self) -> f64 {
        match self.is_packed {
            true => self.batches.packed.impulses2(),
            false => self.list.iter().map(|contact| contact.impulse.norm2()).sum(),
        }
    }

    /// Residual of the contact laws at the velocities of these rows.
    pub(super) fn residual(&self, rows: &VelocityView<X>) -> Residual {
        if self.is_packed {
            return self.batches.residual(rows);
        }
        let mut residual = Residual::default();
        self.list.iter().for_each(|contact| contact.residual(rows, &mut residual));
        residual
    }

    /// Adds the effect of the impulses to the velocities.
    pub(super) fn apply_impulses(&self, rows: &mut VelocityView<X>) {
        match self.is_packed {
            true => {
                let mut rows = rows.by_row();
                self.iter().for_each(|contact| contact.apply(&mut rows, contact.impulse));
            }
            false => self.list.iter().for_each(|contact| contact.apply(rows, contact.impulse)),
        }
    }

    /// A copy in a list.
    pub(super) fn in_list(&self, rows: &VelocityView<X>) -> Self {
        if !self.is_packed {
            return self.list.clone().into();
        }
        let mut copy = Self { batches: self.batches.clone(), list: Vec::new(), is_packed: true };
        copy.spread(rows);
        copy.list.into()
    }

    /// All contacts, in order.
    pub fn iter(&self) -> impl Iterator<Item = SphereContact<X>> {
        (0..self.len()).map(|number| self.get(number))
    }

    /// Removes all contacts; `list` becomes the list for the next ones.
    pub fn clear_into(&mut self, list: Vec<SphereContact<X>>) {
        self.list = list;
        self.list.clear();
        self.is_packed = false;
    }

    pub(super) fn clear(&mut self) {
        let list = std::mem::take(&mut self.list);
        self.clear_into(list);
    }

    /// Adds a contact between bodies given by local index.
    pub(super) fn push(&mut self, contact: SphereContact<X>, rows: &VelocityView<X>) {
        self.spread(rows);
        self.list.push(contact);
    }

    /// Packs the contacts into batches, between the bodies of these rows. Returns the memory of the list for reuse;
    /// `occupancy` is a scratch buffer.
    pub(super) fn pack(&mut self, rows: &VelocityView<X>, occupancy: &mut Vec<u64>) -> Vec<SphereContact<X>> {
        if !self.is_packed {
            self.batches.pack(&self.list, rows, occupancy);
            self.is_packed = true;
        }
        std::mem::take(&mut self.list)
    }

    /// Moves the contacts back to the list; their bodies, which have these rows, are then given by local index.
    pub(super) fn spread(&mut self, rows: &VelocityView<X>) {
        if std::mem::take(&mut self.is_packed) {
            let (Self { list, batches, .. }, indices) = (self, rows.indices_by_row());
            list.clear();
            list.extend((0..batches.packed.len()).map(|number| {
                let contact = batches.get(number);
                SphereContact { bodies: contact.bodies.both(|row| indices[row as usize]), ..contact }
            }));
        }
    }

    /// The contacts in the list; none if they are in batches.
    pub(super) fn listed(&mut self) -> &mut [SphereContact<X>] {
        &mut self.list
    }

    /// One sweep, if the contacts are in batches; with `momentum`, impulses are first extrapolated by that factor times
    /// their last change.
    pub(super) fn sweep(&mut self, rows: &mut VelocityView<X>, relaxation: f64, momentum: Option<f64>) -> Change {
        if self.is_packed { self.batches.sweep(rows, relaxation, momentum) } else { Change::default() }
    }

    /// Resets the momentum: the last change becomes zero.
    pub(super) fn reset_momentum(&mut self) {
        self.batches.packed.reset_momentum();
    }

    /// Impulses before the last sweep, which momentum needs.
    pub(super) fn old(&mut self) -> &mut ScratchVec<CacheLine> {
        &mut self.batches.packed.old
    }

    /// Removes all contacts and returns most of their memory.
    pub(super) fn give_scratch(&mut self) -> ScratchBlock {
        self.clear();
        self.batches.packed.give_scratch()
    }

    /// Provides memory for the batches of the next contacts, unless there is some.
    pub(super) fn take_scratch(&mut self, scratch: ScratchBlock) {
        self.batches.packed.take_scratch(scratch);
    }

    /// Sets the impulse of a contact.
    pub(super) fn set_impulse(&mut self, number: usize, impulse: X::Vector) {
        match self.is_packed {
            true => self.batches.packed.set_impulse(number, impulse),
            false => self.list[number].impulse = impulse,
        }
    }

    pub(super) fn trim(&mut self) {
        trim(&mut self.list);
        self.batches.packed.trim();
    }
}
