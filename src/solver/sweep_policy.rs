//! Starting impulse of a local solution and sums over the corrections: plain Gauss-Seidel, or with momentum.

use super::Change;
use crate::dim::Vector;

/// Starting impulse of each local solution, and the sums that a sweep accumulates.
pub(super) trait SweepPolicy<V: Vector> {
    /// Starting impulse of the local solution, given the impulse `x`.
    fn start(&mut self, x: V) -> V;
    /// Accumulates the correction of a contact from `y` to `z`; `w` is its inverse effective mass.
    fn count(&mut self, y: V, z: V, w: impl Fn() -> f64);
    /// Sums over all contacts.
    fn change(&self) -> Change;
}

/// Plain Gauss-Seidel.
#[derive(Default)]
pub(super) struct PlainPolicy(Change);

impl<V: Vector> SweepPolicy<V> for PlainPolicy {
    #[inline(always)]
    fn start(&mut self, x: V) -> V {
        x
    }
    #[inline(always)]
    fn count(&mut self, y: V, z: V, _: impl Fn() -> f64) {
        self.0.corrections += (z - y).norm2();
    }
    fn change(&self) -> Change {
        self.0
    }
}

/// Sweep with momentum; contacts must be visited in the order of the old impulses.
pub(super) struct AcceleratedPolicy<'a, V: Vector> {
    factor: f64,
    old: std::slice::IterMut<'a, V>,
    x: V,
    change: Change,
}

impl<'a, V: Vector> AcceleratedPolicy<'a, V> {
    pub(super) fn new(factor: f64, old: &'a mut [V]) -> Self {
        Self { factor, old: old.iter_mut(), x: V::zero(), change: Change::default() }
    }
}

impl<V: Vector> SweepPolicy<V> for AcceleratedPolicy<'_, V> {
    #[inline(always)]
    fn start(&mut self, x: V) -> V {
        self.x = x;
        // There are as many old impulses as contacts: both were counted before the first sweep.
        self.old.next().map_or(x, |old| x + (x - std::mem::replace(old, x)) * self.factor)
    }
    #[inline(always)]
    fn count(&mut self, y: V, z: V, w: impl Fn() -> f64) {
        let (correction, w) = (z - y, w());
        let size = correction.norm2();
        self.change.corrections += size;
        self.change.size += w * size;
        self.change.against -= w * correction.dot(&(z - self.x));
    }
    fn change(&self) -> Change {
        self.change
    }
}
