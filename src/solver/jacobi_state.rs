//! What a Jacobi sweep keeps: velocities before and after it, and how many contacts each body has.

use super::{BodyVelocity, VelocityView};
use crate::dim::Dim;

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

    /// Resets these bodies to their velocities before the sweep.
    pub(super) fn wipe(&self, lines: &mut VelocityView<X>, bodies: [u32; 2]) {
        bodies.into_iter().for_each(|body| lines[body as usize] = self.before[body as usize]);
    }
}
