//! Lengths of a polytope that every step needs, computed at their first use.
//!
//! They follow from the corners and faces, so they are neither stored in files nor compared.

use std::sync::OnceLock;

/// Lengths of a polytope at size one, m.
#[derive(Clone, Debug, Default)]
pub(crate) struct DerivedLengths {
    reach: OnceLock<f64>,
    inner_radius: OnceLock<f64>,
}

impl DerivedLengths {
    /// Distance from the centre to the farthest corner; `find` computes it.
    #[inline]
    pub(super) fn reach(&self, find: impl FnOnce() -> f64) -> f64 {
        *self.reach.get_or_init(find)
    }

    /// Distance of the nearest face from the centre; `find` computes it.
    #[inline]
    pub(super) fn inner_radius(&self, find: impl FnOnce() -> f64) -> f64 {
        *self.inner_radius.get_or_init(find)
    }
}

impl PartialEq for DerivedLengths {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
