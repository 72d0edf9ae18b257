//! Data that sweeps keep besides the contacts of a problem: packed contacts, the state of Jacobi sweeps and of A-CD2.

use super::batched_general::BatchedGeneral;
use super::{BodyVelocity, VelocityView};
use crate::dim::Dim;

/// Data that sweeps keep besides the contacts.
#[derive(Debug, PartialEq)]
pub(super) struct SweepCache<X: Dim> {
    /// General contacts packed for sweeps in batches.
    pub(super) general: BatchedGeneral<X>,
    /// State of Jacobi sweeps.
    pub(super) jacobi: JacobiState<X>,
    /// Bound of the Delassus operator, once it has been computed.
    pub(super) delassus_bound: Option<f64>,
    /// The last step of A-CD2.
    pub(super) descents: Vec<ProjectedStep<X::Vector>>,
    /// Are contacts packed? The batches then hold the current impulses of those they contain.
    pub(super) is_packed: bool,
}

impl<X: Dim> Default for SweepCache<X> {
    fn default() -> Self {
        Self {
            general: BatchedGeneral::default(),
            jacobi: JacobiState::default(),
            delassus_bound: None,
            descents: Vec::new(),
            is_packed: false,
        }
    }
}

impl<X: Dim> SweepCache<X> {
    /// Discards all of it; to be called when contacts are added or removed.
    pub(super) fn forget(&mut self) {
        self.is_packed = false;
        self.forget_counts();
    }

    /// Discards what depends on the number of contacts of each body.
    pub(super) fn forget_counts(&mut self) {
        self.jacobi.forget();
        self.delassus_bound = None;
    }
}

/// The impulse of a contact after a step of A-CD2, and its change from the one at which the velocities were taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ProjectedStep<V> {
    pub(super) impulse: V,
    pub(super) change: V,
}

/// State of Jacobi sweeps.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JacobiState<X: Dim> {
    /// Velocities before the sweep.
    pub(super) before: Vec<BodyVelocity<X>>,
    /// Velocities with the corrections of the sweep so far.
    pub(super) after: Vec<BodyVelocity<X>>,
    /// Number of contacts of each body, rolling resistance included; empty if not counted yet.
    pub(super) counts: Vec<u32>,
}

impl<X: Dim> Default for JacobiState<X> {
    fn default() -> Self {
        Self { before: Vec::new(), after: Vec::new(), counts: Vec::new() }
    }
}

impl<X: Dim> JacobiState<X> {
    /// Discards the counts: the contacts have changed.
    pub(super) fn forget(&mut self) {
        self.counts.clear();
    }

    /// Share of its correction that a contact of these bodies applies.
    pub(super) fn share(&self, bodies: [u32; 2]) -> f64 {
        let [a, b] = bodies.map(|body| self.counts[body as usize]);
        1.0 / f64::from(a.max(b).max(1))
    }

    /// Resets these rows to their velocities before the sweep.
    pub(super) fn reset_rows(&self, rows: &mut VelocityView<X>, indices: impl Iterator<Item = usize>) {
        indices.for_each(|index| rows[index] = self.before[index]);
    }
}
