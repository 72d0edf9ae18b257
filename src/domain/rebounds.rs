//! Normal velocities that impacts of several bodies leave at their contacts.

use std::sync::Arc;

use crate::interaction::history::ContactId;

/// Normal velocities after the impacts of a step, ordered by contact, m/s; contacts that took no part are not in it.
/// None at all takes no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Rebounds(Option<Arc<[(ContactId, f64)]>>);

impl Rebounds {
    /// Those of contacts in increasing order.
    pub(super) fn new(ordered: impl Iterator<Item = (ContactId, f64)>) -> Self {
        Self(Some(ordered.collect()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The normal velocity at this contact, m/s.
    pub(super) fn of(&self, id: ContactId) -> Option<f64> {
        let all = self.0.as_ref()?;
        let found = all.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        Some(all[found].1)
    }
}
