//! How partial results of several processes become one: the only thing this crate knows of them.

/// How partial results of several processes become one.
///
/// Every process calls the same methods in the same order with slices of the same length, and
/// each finds the combined values in its slice afterwards. [`Local`] (one process) leaves them as
/// they are.
///
/// Only operations whose result does not depend on the order of the operands are asked for
/// (integer sums, minima, maxima), so the same points give the same bits however they are spread.
pub trait Reduce {
    /// Collective. Replaces every value by its sum over all processes.
    fn sum(&self, values: &mut [u64]);
    /// Collective. Replaces every value by its minimum over all processes.
    fn min(&self, values: &mut [f64]);
    /// Collective. Replaces every value by its maximum over all processes.
    fn max(&self, values: &mut [f64]);
}

/// One process that holds all points.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Reduce for Local {
    fn sum(&self, _values: &mut [u64]) {}
    fn min(&self, _values: &mut [f64]) {}
    fn max(&self, _values: &mut [f64]) {}
}
