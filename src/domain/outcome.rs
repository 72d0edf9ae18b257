//! What a solved step leaves behind: velocities of the bodies, impulses to remember, and sums for the history.

use rayon::prelude::*;

use super::assemble::{Scenery, point_velocity, smaller};
use super::{Domain, Subdomain};
use crate::dim::{Dim, Vector};
use crate::state::{Bodies, ContactId, History, Record, State};

/// The outcome of a step, body by body.
pub struct Outcome<X: Dim> {
    /// Velocity and spin of each body at the end of the step.
    pub velocities: Vec<(X::Vector, X::Spin)>,
    /// Contacts of each body.
    pub contacts: Vec<u32>,
    /// Sums over contacts.
    pub totals: Totals,
}

/// Sums over the contacts of a step; order-free, since they are added in subdomain order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Greatest penetration over the size of the smaller body.
    pub max_penetration: f64,
    /// Sum of those penetrations.
    pub penetration: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Energy taken out by the contacts, J.
    pub dissipated: f64,
    /// Contacts with Painleve-like data.
    pub painleve: u64,
    /// Contacts so deep that nothing says on which side the bodies are.
    pub ambiguous: u64,
}

impl Totals {
    fn plus(self, other: Self) -> Self {
        Self {
            max_penetration: self.max_penetration.max(other.max_penetration),
            penetration: self.penetration + other.penetration,
            contacts: self.contacts + other.contacts,
            dissipated: self.dissipated + other.dissipated,
            painleve: self.painleve + other.painleve,
            ambiguous: self.ambiguous + other.ambiguous,
        }
    }

    /// Mean penetration over all contacts.
    pub fn mean_penetration(&self) -> f64 {
        if self.contacts > 0 { self.penetration / self.contacts as f64 } else { 0.0 }
    }
}

impl<X: Dim> Domain<X> {
    /// Read the outcome off the solved problems.
    pub fn outcome(&self, scenery: &Scenery<X>) -> Outcome<X> {
        let mut velocities: Vec<_> = scenery.free.iter().map(|f| (f.velocity, f.spin)).collect();
        let mut contacts = vec![0; velocities.len()];
        for subdomain in &self.subdomains {
            for (body, line) in subdomain.spoken_for() {
                let size = scenery.bodies.states()[body].size;
                velocities[body] = (line.velocity, line.spin * (1.0 / size));
            }
            for contact in &subdomain.contacts {
                contacts[subdomain.body(contact.a)] += 1;
                contacts[subdomain.body(contact.b)] += 1;
            }
        }
        let parts: Vec<Totals> = self.subdomains.par_iter().map(|s| s.totals(scenery, &velocities)).collect();
        let totals = parts.into_iter().fold(Totals::default(), Totals::plus);
        Outcome { velocities, contacts, totals }
    }

    /// Sums over bodies that do not depend on where bodies live: by subdomain of the centre, then in subdomain order.
    pub fn sum_over_bodies<const N: usize>(&self, bodies: &Bodies<X>, f: impl Fn(&State<X>) -> [f64; N]) -> [f64; N] {
        let mut sums = vec![[0.0; N]; self.cuts.parts()];
        for state in bodies.states() {
            let sum = &mut sums[self.cuts.locate(&state.position.in_space())];
            for (total, value) in sum.iter_mut().zip(f(state)) {
                *total += value;
            }
        }
        let mut total = [0.0; N];
        for sum in sums {
            for (all, part) in total.iter_mut().zip(sum) {
                *all += part;
            }
        }
        total
    }

    /// The impulses to start the next step from.
    pub fn history(&self, scenery: &Scenery<X>) -> History<X> {
        let parts: Vec<Vec<(u32, Record<X>)>> = self.subdomains.par_iter().map(|s| s.records(scenery)).collect();
        History::new(scenery.bodies.len(), parts.iter().flatten().copied())
    }
}

impl<X: Dim> Subdomain<X> {
    fn totals(&self, scenery: &Scenery<X>, velocities: &[(X::Vector, X::Spin)]) -> Totals {
        let mut totals = Totals {
            contacts: self.contacts.len() as u64,
            painleve: self.problem.painleve as u64,
            ambiguous: self.ambiguous,
            ..Totals::default()
        };
        for (k, contact) in self.contacts.iter().enumerate() {
            let bodies = [self.body(contact.a), self.body(contact.b)];
            if contact.gap < 0.0 {
                let states = bodies.map(|i| &scenery.bodies.states()[i]);
                let depth = -contact.gap / smaller(scenery.model, states);
                totals.max_penetration = totals.max_penetration.max(depth);
                totals.penetration += depth;
            }
            let impulse = self.impulse(k);
            if impulse != X::Vector::zero() {
                let [a, b] = bodies.map(|i| {
                    let (velocity, spin) = velocities[i];
                    point_velocity::<X>(velocity, spin, contact.point - scenery.free[i].position)
                });
                // Work of an impulse: with the mean of the velocities before and after.
                totals.dissipated -= 0.5 * impulse.dot(&(self.velocities_before[k] + (b - a)));
            }
        }
        totals
    }

    fn records(&self, scenery: &Scenery<X>) -> Vec<(u32, Record<X>)> {
        let mut records = Vec::with_capacity(self.contacts.len());
        for (k, contact) in self.contacts.iter().enumerate() {
            let impulse = self.impulse(k);
            if impulse == X::Vector::zero() {
                continue;
            }
            let bodies = [self.body(contact.a), self.body(contact.b)];
            let [a, b] = bodies.map(|i| scenery.bodies.states()[i].id);
            let keeper = bodies[usize::from(self.places[contact.a as usize] == 0)] as u32;
            let normal = impulse.dot(&contact.normal);
            let tangent = impulse - contact.normal * normal;
            records.push((keeper, Record { id: ContactId { a, b, feature: contact.feature }, normal, tangent }));
        }
        records
    }
}
