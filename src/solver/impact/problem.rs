//! Bodies and contacts at the moment of an impact, and their response to normal impulses.

use crate::base::index::ProblemBody;
use crate::dim::{Dim, Pair, Square, Vector};
use crate::solver::{Mass, Velocity, WORLD};

/// Greatest number of velocities of contacts that are evaluated: about a second.
pub(super) const WORK: usize = 50_000_000;

/// A contact in an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactContact<X: Dim> {
    /// The two bodies; obstacles are the world.
    pub bodies: [ProblemBody; 2],
    /// Unit normal from the first to the second.
    pub normal: X::Vector,
    /// From the centres to the contact point, over the size of the body.
    pub arms: [X::Vector; 2],
    /// Relative normal velocity before, m/s, with that of obstacles.
    pub before: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Stiffness of the contact; only ratios matter.
    pub stiffness: f64,
}

/// Bodies and contacts at the moment of an impact.
#[derive(Clone, Debug)]
pub struct ImpactProblem<X: Dim> {
    bodies: Vec<(Velocity<X>, Mass<X>)>,
    pub(super) contacts: Vec<ImpactContact<X>>,
    /// Relative normal velocity of obstacles at each contact, m/s.
    drifts: Vec<f64>,
    /// Change of the velocities of both bodies of each contact by a unit impulse there.
    responses: Vec<[Velocity<X>; 2]>,
    /// Change of the normal velocity of each contact by a unit impulse there, 1/kg.
    pub(super) diagonal: Vec<f64>,
}

/// Normal impulses at all contacts, N s, and whether the impact has ended: what still approaches otherwise stops without
/// restitution.
pub(super) struct Course {
    pub(super) impulses: Vec<f64>,
    pub(super) has_ended: bool,
}

/// Outcome of an impact at one contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Normal impulse, N s.
    pub impulse: f64,
    /// Normal velocity after, m/s.
    pub velocity: f64,
}

impl<X: Dim> ImpactProblem<X> {
    /// The problem of these contacts; `bodies` without the world, which is body 0.
    pub fn new(bodies: impl IntoIterator<Item = (Velocity<X>, Mass<X>)>, contacts: Vec<ImpactContact<X>>) -> Self {
        let rest = Velocity { velocity: X::Vector::zero(), spin: X::Spin::zero() };
        let world = (rest, Mass::infinite());
        let bodies: Vec<_> = std::iter::once(world).chain(bodies).collect();
        let response = |contact: &ImpactContact<X>| {
            [0, 1].both(|side| {
                let (mass, sign) = (&bodies[contact.bodies[side].index()].1, [-1.0, 1.0][side]);
                let torque = X::torque(contact.arms[side], contact.normal);
                let velocity = mass.inverse_mass.times(&contact.normal) * sign;
                Velocity { velocity, spin: mass.inverse_inertia.apply(torque) * sign }
            })
        };
        let responses: Vec<_> = contacts.iter().map(response).collect();
        let own = |(contact, response): (&ImpactContact<X>, &[Velocity<X>; 2])| relative(contact, response);
        let diagonal = contacts.iter().zip(&responses).map(own).collect();
        let moving = |contact: &ImpactContact<X>| contact.bodies.both(|body| bodies[body.index()].0);
        let drifts = contacts.iter().map(|contact| contact.before - relative(contact, &moving(contact))).collect();
        Self { bodies, contacts, drifts, responses, diagonal }
    }

    /// Does any contact approach faster than rounding?
    pub fn approaches(&self) -> bool {
        let bound = self.rounding();
        (0..self.contacts.len()).any(|k| self.velocity(k) < -bound)
    }

    /// Speed below which a contact counts as at rest, m/s.
    pub(super) fn rounding(&self) -> f64 {
        let speeds = self.bodies.iter().map(|(v, _)| v.velocity.norm2() + v.spin.norm2());
        let drifts = self.drifts.iter().map(|drift| drift * drift);
        1e-12 * speeds.chain(drifts).fold(0.0, f64::max).sqrt()
    }

    /// Relative normal velocity at contact `k`, m/s.
    pub(super) fn velocity(&self, k: usize) -> f64 {
        let contact = &self.contacts[k];
        self.drifts[k] + relative(contact, &contact.bodies.both(|body| self.bodies[body.index()].0))
    }

    /// Applies a normal impulse at contact `k`, N s.
    pub(super) fn apply(&mut self, k: usize, impulse: f64) {
        for (body, response) in self.contacts[k].bodies.into_iter().zip(self.responses[k]) {
            if body != WORLD {
                let velocity = &mut self.bodies[body.index()].0;
                velocity.velocity += response.velocity * impulse;
                velocity.spin += response.spin * impulse;
            }
        }
    }
}

/// Relative normal velocity at a contact of bodies with these velocities.
fn relative<X: Dim>(contact: &ImpactContact<X>, moving: &[Velocity<X>; 2]) -> f64 {
    let [a, b] = [0, 1].both(|side| moving[side].velocity + X::cross(moving[side].spin, contact.arms[side]));
    (b - a).dot(&contact.normal)
}
