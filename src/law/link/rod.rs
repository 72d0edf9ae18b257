//! Rod without mass: the distance of its two ends is constant, and they rotate freely;
//! u_n + bend + CORRECTION g/h = 0.

use serde::{Deserialize, Serialize};

use crate::dim::{Dim, Vector};
use crate::law::{ContactLaw, Local, Reduced};

/// Fraction of the length error that is corrected in one step.
pub(super) const CORRECTION: f64 = 0.1;

/// Tension and compression along the line between the ends, no force across it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rod {}

impl<X: Dim> ContactLaw<X> for Rod {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let error_rate = contact.bend.dot(&contact.normal) + CORRECTION * contact.gap / h;
        let along = Reduced::cone(contact.normal * error_rate, 0.0);
        Some(Reduced { normal: [f64::NEG_INFINITY, f64::INFINITY], ..along })
    }
}
