//! Pin: a point of one body coincides with a point of the other, u + bend + CORRECTION e/h = 0, with e from the first
//! point to the second.
//!
//! One pin is a ball joint. A second pin further along the axis that carries no impulse along its normal makes it a
//! hinge.

use serde::{Deserialize, Serialize};

use super::rod::CORRECTION;
use crate::dim::Dim;
use crate::law::{ContactLaw, Local, Reduced};

/// Unbounded impulse in every direction, or only in the plane normal to `normal`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// Whether the pin also constrains the motion along its normal.
    pub along: bool,
}

impl<X: Dim> ContactLaw<X> for Pin {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let bound = if self.along { f64::INFINITY } else { 0.0 };
        let free = Reduced::cone(contact.bend + contact.apart * (CORRECTION / h), 0.0);
        Some(Reduced { normal: [-bound, bound], cohesion: f64::INFINITY, ..free })
    }
}
