//! State before the last sweep, from which momentum extrapolates.
//!
//! In: a problem before its first sweep with momentum. Out: (V, V_old) becomes (V + beta (V - V_old), V) before each
//! such sweep; impulses likewise, contact by contact, within the sweep.

use super::{BodyVelocity, Velocity};
use crate::base::scratch::ScratchVec;
use crate::dim::Dim;

/// Impulses and velocities before the last sweep.
#[derive(Clone, Debug)]
pub struct MomentumState<X: Dim> {
    /// Velocities of the problem's own rows.
    pub velocities: ScratchVec<Velocity<X>>,
    /// Impulses of the contacts that are swept one by one, sphere contacts first.
    pub(super) impulses: Vec<X::Vector>,
}

impl<X: Dim> Default for MomentumState<X> {
    fn default() -> Self {
        Self { velocities: ScratchVec::default(), impulses: Vec::new() }
    }
}

impl<X: Dim> MomentumState<X> {
    /// Extrapolates the velocities of the problem's own rows by `factor` times their last change. The sweep itself
    /// extrapolates the impulses.
    pub fn extrapolate(&mut self, rows: &mut [BodyVelocity<X>], factor: f64) {
        rows.iter_mut().zip(&mut *self.velocities).for_each(|(row, old)| extrapolate(row, old, factor));
    }
}

/// Extrapolates one body: (V, V_old) becomes (V + factor (V - V_old), V).
#[inline(always)]
pub fn extrapolate<X: Dim>(row: &mut BodyVelocity<X>, old: &mut Velocity<X>, factor: f64) {
    let now = row.velocities();
    row.velocity += (now.velocity - old.velocity) * factor;
    row.spin += (now.spin - old.spin) * factor;
    *old = now;
}
