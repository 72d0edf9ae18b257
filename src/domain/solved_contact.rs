//! The contacts of the last step with their solutions, from which measures, force chains and the global problem follow.

use super::{Domain, Subdomain};
use crate::base::index::ContactIndex;
use crate::body::{Bodies, State};
use crate::dim::{Dim, Vector};
use crate::interaction::DetectedContact;
use crate::interaction::history::ContactId;
use crate::solver::WORLD;
use crate::solver::delassus::Lever;

/// A contact of the last step.
pub struct SolvedContact<'a, X: Dim> {
    pub(super) subdomain: &'a Subdomain<X>,
    number: ContactIndex,
    /// Features, normal, point, gap and periodic image at mid-step.
    pub detected: DetectedContact<X>,
    /// Its bodies, the one with the lower id first.
    pub bodies: [&'a State<X>; 2],
    /// Impulse on the second body, N s.
    pub impulse: X::Vector,
}

impl<X: Dim> Domain<X> {
    /// The contacts of the last step in one of the subdomains here. `bodies` are those of the step: at its start while
    /// it is in progress, at its end afterwards.
    pub fn contacts<'a>(
        &'a self,
        subdomain: &'a Subdomain<X>,
        bodies: &'a Bodies<X>,
    ) -> impl Iterator<Item = SolvedContact<'a, X>> {
        let states = bodies.states();
        subdomain.contacts.indices().map(move |number| {
            let detected = subdomain.contact(number, states, |body| self.motion.centre(body));
            let bodies = detected.ends().map(|local| &bodies[subdomain.body(local)]);
            SolvedContact { subdomain, number, detected, bodies, impulse: subdomain.impulse(number) }
        })
    }
}

impl<X: Dim> SolvedContact<'_, X> {
    /// Does it carry an impulse?
    pub fn is_active(&self) -> bool {
        self.impulse != X::Vector::zero()
    }

    /// Persistent identifier.
    pub fn id(&self) -> ContactId {
        let [a, b] = self.bodies.map(|state| state.id);
        ContactId { a, b, feature: self.detected.feature }
    }

    /// Position in the order of contacts: its subdomain, and its number there.
    pub(crate) fn place(&self) -> (u32, u32) {
        (self.subdomain.number.0, self.number.0)
    }

    /// For each body: does the impulse move it? False for obstacles.
    pub(super) fn moves(&self) -> [bool; 2] {
        self.detected.ends().map(|local| self.subdomain.active.index(local) != WORLD)
    }

    /// Largest tangential impulse that its law admits with its normal impulse, N s.
    pub fn bound(&self) -> f64 {
        self.subdomain.assembled.bound(self.number)
    }

    /// Geometry and law in the problem; `None` where the law admits no impulse in this step.
    pub(super) fn lever(&self) -> Option<Lever<X>> {
        self.subdomain.assembled.lever(self.number)
    }
}
