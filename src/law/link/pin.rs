//! A point of one body stays on a point of the other: u + bend + SHARE e/h = 0, with e from the first point to the
//! second.
//!
//! One of these is a ball joint. A second one that bears nothing along its normal, further along the axis, makes it a
//! hinge.

use serde::{Deserialize, Serialize};

use super::SHARE;
use crate::dim::Dim;
use crate::law::{ContactLaw, Local, Reduced};

/// Any impulse in any direction, or only across the normal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pin {
    /// Does it hold along its normal too?
    pub along: bool,
}

impl<X: Dim> ContactLaw<X> for Pin {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let most = if self.along { f64::INFINITY } else { 0.0 };
        let free = Reduced::cone(contact.bend + contact.apart * (SHARE / h), 0.0);
        Some(Reduced { normal: [-most, most], cohesion: f64::INFINITY, ..free })
    }
}
