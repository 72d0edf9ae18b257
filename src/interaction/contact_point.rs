//! Contact points of a pair of shapes.

use crate::dim::Dim;

/// A contact point of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint<X: Dim> {
    /// The features in contact in the lower 32 bits, the parts of compounds above; unique within the pair.
    pub feature: u64,
    /// Unit normal from the first shape to the second.
    pub normal: X::Vector,
    /// The contact point, m: half-way between the surfaces; for two spheres it divides the line of centres in the ratio
    /// of the radii.
    pub point: X::Vector,
    /// Signed distance of the surfaces, m.
    pub gap: f64,
}

impl<X: Dim> ContactPoint<X> {
    pub(super) fn swapped(self) -> Self {
        Self { normal: -self.normal, ..self }
    }
}
