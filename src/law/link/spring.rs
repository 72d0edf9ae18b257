//! Spring and dashpot in parallel, in tension and compression (W. Voigt 1890).
//!
//! F = -k g - c u by the implicit mid-point rule: with u- before and u after, the elongation of the spring is the mean
//! over the two ends of the step, g + h (u - u-)/4, and the velocity of the dashpot is (u- + u)/2. Hence
//! y = u + (k (g - h u-/4) + c u-/2) h/a + r/a = 0 with a = k h^2/4 + c h/2. The scheme is stable for any step, of
//! second order, and the spring returns the energy it stores.

use serde::{Deserialize, Serialize};

use crate::dim::Dim;
use crate::law::{ContactLaw, ContactOutcome, Local, Reduced};

/// F = -k g - c u along the line between the ends, where g is the elongation beyond the rest length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Stiffness k, N/m.
    pub stiffness: f64,
    /// Viscosity c, N s/m.
    pub viscosity: f64,
}

impl<X: Dim> ContactLaw<X> for Spring {
    fn reduce(&self, contact: &Local<X>, h: f64) -> Option<Reduced<X>> {
        let (k, c) = (self.stiffness, self.viscosity);
        let a = 0.25 * k * h * h + 0.5 * c * h;
        let before = contact.normal_before();
        let shift = (k * (contact.gap - 0.25 * h * before) + 0.5 * c * before) * h / a;
        let along = Reduced::cone(contact.normal * shift, 0.0);
        let normal = [f64::NEG_INFINITY, f64::INFINITY];
        // The same compliance in tension as in compression.
        Some(Reduced { normal, compliance: [1.0 / a, 0.0], pull: 1.0 / a, ..along })
    }

    fn is_elastic(&self) -> bool {
        true
    }

    fn stored(&self, contact: &Local<X>, _: &ContactOutcome<X>, end_gap: f64, _: f64) -> [f64; 2] {
        [0.5 * self.stiffness * (end_gap * end_gap - contact.start_gap * contact.start_gap), 0.0]
    }

    fn is_soft(&self) -> bool {
        true
    }
}
