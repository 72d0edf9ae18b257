//! Impacts as the motion of stiff springs at the contacts, on a time scale of their own (Liu, Zhao and Brogliato): the
//! outcome depends on the ratios of the stiffnesses.
//!
//! Contact k has the compression delta, which grows at the speed of approach, and the force K delta^p. Where it expands,
//! from delta_max on, the energy that it returns is limited to e^2 of what it took: the force is
//! K ((delta - (1 - e^2) delta_max)/e^2)^p. Liu, Zhao and Brogliato write the same motion in the impulse of one contact
//! instead of time.

use super::problem::{Course, ImpactContact, ImpactProblem, WORK};
use crate::dim::Dim;

/// Step of the integration over the inverse of the greatest frequency.
const STEP: f64 = 2e-3;
/// Restitution below which contacts return nothing.
const LEAST_RESTITUTION: f64 = 0.01;

/// A contact as a spring.
#[derive(Clone, Copy, Debug)]
struct ContactSpring {
    stiffness: f64,
    exponent: f64,
    /// Share of the energy that it returns.
    returned: f64,
    compression: f64,
    /// Greatest compression so far.
    greatest: f64,
}

impl ContactSpring {
    fn new<X: Dim>(contact: &ImpactContact<X>, exponent: f64) -> Self {
        let restitution = if contact.restitution < LEAST_RESTITUTION { 0.0 } else { contact.restitution };
        let returned = restitution * restitution;
        Self { stiffness: contact.stiffness, exponent, returned, compression: 0.0, greatest: 0.0 }
    }

    fn advance(&mut self, speed: f64, time: f64) {
        self.compression -= speed * time;
        self.greatest = self.greatest.max(self.compression);
    }

    fn force(&self) -> f64 {
        // Distance from the compression at which the force vanishes.
        let left = self.compression - (1.0 - self.returned) * self.greatest;
        match (self.compression >= self.greatest, left > 0.0) {
            (true, _) => self.stiffness * self.compression.powf(self.exponent),
            (false, true) => self.stiffness * (left / self.returned).powf(self.exponent),
            (false, false) => 0.0,
        }
    }

    /// Square of the greatest frequency of an impact at this speed, where a unit impulse changes the velocity by `w`.
    fn frequency2(&self, speed: f64, w: f64) -> f64 {
        let p = self.exponent;
        let deepest = (0.5 * (p + 1.0) * speed * speed / (self.stiffness * w)).powf(1.0 / (p + 1.0));
        let loading = p * self.stiffness * deepest.powf(p - 1.0) * w;
        if self.returned > 0.0 { loading / self.returned } else { loading }
    }
}

/// Integrates the springs by the leapfrog scheme, which keeps their energy, until no contact is compressed and none
/// approaches.
pub(super) fn solve<X: Dim>(problem: &mut ImpactProblem<X>, exponent: f64) -> Course {
    let (count, bound) = (problem.contacts.len(), problem.rounding());
    let mut springs: Vec<_> = problem.contacts.iter().map(|contact| ContactSpring::new(contact, exponent)).collect();
    let speed = (0..count).map(|k| problem.velocity(k).abs()).fold(0.0, f64::max);
    let frequencies = springs.iter().zip(&problem.diagonal).map(|(spring, &w)| 2.0 * spring.frequency2(2.0 * speed, w));
    let time = STEP / frequencies.fold(0.0, f64::max).sqrt();
    let mut impulses = vec![0.0; count];
    for _ in 0..WORK / count.max(1) {
        let mut is_over = true;
        for (k, spring) in springs.iter_mut().enumerate() {
            let velocity = problem.velocity(k);
            is_over &= velocity >= -bound && spring.force() == 0.0;
            spring.advance(velocity, 0.5 * time);
        }
        if is_over {
            return Course { impulses, has_ended: true };
        }
        for (k, spring) in springs.iter().enumerate() {
            let impulse = spring.force() * time;
            if impulse > 0.0 {
                problem.apply(k, impulse);
                impulses[k] += impulse;
            }
        }
        for (k, spring) in springs.iter_mut().enumerate() {
            spring.advance(problem.velocity(k), 0.5 * time);
        }
    }
    Course { impulses, has_ended: false }
}
