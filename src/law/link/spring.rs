//! A spring and a dashpot side by side, in traction and pressure (the body of W. Voigt 1890).
//!
//! F = -k g - c u by the implicit mid-point rule: with u- before and u after, the spring is as long as in the middle
//! between the two ends of the step, g + h (u - u-)/4, and the dashpot moves with (u- + u)/2. So
//! y = u + (k (g - h u-/4) + c u-/2) h/a + r/a = 0 with a = k h^2/4 + c h/2. It is stable for any step, of second
//! order, and what the spring takes up of energy, it gives back.

use serde::{Deserialize, Serialize};

use crate::dim::Dim;
use crate::law::{After, ContactLaw, Local, Reduced};

/// F = -k g - c u along the line between the ends, where g is how much longer it is than at rest.
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
        let answer = 0.25 * k * h * h + 0.5 * c * h;
        let before = contact.normal_before();
        let free = (k * (contact.gap - 0.25 * h * before) + 0.5 * c * before) * h / answer;
        let along = Reduced::cone(contact.normal * free, 0.0);
        let normal = [f64::NEG_INFINITY, f64::INFINITY];
        // It gives in traction as under pressure.
        Some(Reduced { normal, compliance: [1.0 / answer, 0.0], pull: 1.0 / answer, ..along })
    }

    fn is_elastic(&self) -> bool {
        true
    }

    fn stored(&self, contact: &Local<X>, _: &After<X>, end: f64, _: f64) -> [f64; 2] {
        [0.5 * self.stiffness * (end * end - contact.start_gap * contact.start_gap), 0.0]
    }

    fn is_soft(&self) -> bool {
        true
    }
}
