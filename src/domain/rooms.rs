//! Room for the contacts of subdomains while they come in.
//!
//! A subdomain keeps its round contacts in batches; the list they come in is lent to it, so that there are only as many lists
//! as subdomains are assembled at once. Which list it gets shows in nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::dim::Dim;
use crate::solver::Round;

/// Lists that nobody uses at the moment.
pub(super) struct Rooms<X: Dim>(Mutex<Vec<Vec<Round<X>>>>);

impl<X: Dim> Default for Rooms<X> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<X: Dim> Rooms<X> {
    /// One of them, or a new one.
    pub(super) fn take(&self) -> Vec<Round<X>> {
        self.lists().pop().unwrap_or_default()
    }

    /// It is not needed any more.
    pub(super) fn give(&self, list: Vec<Round<X>>) {
        self.lists().push(list);
    }

    fn lists(&self) -> MutexGuard<'_, Vec<Vec<Round<X>>>> {
        // Lists are only taken out and put in: one that panicked elsewhere left nothing half done here.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
