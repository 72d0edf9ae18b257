//! Lists that a thread needs while it works on a subdomain.
//!
//! They are lent, so that there are only as many as subdomains are worked on at once, and kept for the next step. Which ones a
//! subdomain gets shows in nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::dim::Dim;
use crate::interaction::broad_phase::{BroadPhaseItem, PairSearch};
use crate::interaction::narrow_phase::ContactPoint;
use crate::solver::SphereContact;

/// The lists of one thread. What is in them when it begins means nothing.
pub(super) struct ThreadScratch<X: Dim> {
    /// Bodies that visit a subdomain, and the search for those that are near each other.
    pub(super) items: Vec<BroadPhaseItem<X>>,
    pub(super) search: PairSearch<X>,
    /// Contacts of a pair as they are found, and those that take their place.
    pub(super) found: Vec<ContactPoint<X>>,
    pub(super) instead: Vec<ContactPoint<X>>,
    /// Round contacts while they come in: a subdomain keeps them in batches.
    pub(super) rounds: Vec<SphereContact<X>>,
    /// What putting them there takes.
    pub(super) taken: Vec<u64>,
}

impl<X: Dim> Default for ThreadScratch<X> {
    fn default() -> Self {
        let (items, found, instead, rounds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { items, search: PairSearch::default(), found, instead, rounds, taken: Vec::new() }
    }
}

/// The lists that nobody uses at the moment.
pub(super) struct ScratchPool<X: Dim>(Mutex<Vec<ThreadScratch<X>>>);

impl<X: Dim> Default for ScratchPool<X> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<X: Dim> ScratchPool<X> {
    /// Work with some of them, or with new ones.
    pub(super) fn lend(&self, work: impl FnOnce(&mut ThreadScratch<X>)) {
        let mut workshop = self.idle().pop().unwrap_or_default();
        work(&mut workshop);
        self.idle().push(workshop);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<ThreadScratch<X>>> {
        // Workshops are only taken out and put in: one that panicked elsewhere left nothing half done here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
