//! Impacts of bodies that touch several others, by another rule than Moreau's: the normal velocities after them, which
//! the laws of these contacts demand in the step.
//!
//! The touching contacts of all subdomains are gathered on every process and ordered by id, so that the outcome depends
//! neither on the subdomains nor on the processes. Steps in which no contact approaches gather nothing.

use serde::{Deserialize, Serialize};

use super::assemble::mass_of;
use super::context::StepContext;
use super::rebounds::Rebounds;
use super::{Domain, Subdomain};
use crate::base::index::ProblemBody;
use crate::body::BodyId;
use crate::dim::{Dim, Pair};
use crate::interaction::DetectedContact;
use crate::interaction::history::ContactId;
use crate::solver::{ImpactContact, ImpactProblem, ImpactRule, Mass, Velocity, WORLD};

/// A contact that touches, in a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct TouchingContact<X: Dim> {
    /// Ids of the two bodies, and the feature.
    id: [u64; 3],
    /// The bodies that its impulse moves; `None` for obstacles.
    bodies: [Option<u64>; 2],
    normal: X::Vector,
    arms: [X::Vector; 2],
    /// Relative normal velocity before, m/s.
    before: f64,
    restitution: f64,
    stiffness: f64,
}

/// A body before the impact, in a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(bound = "")]
struct TouchingBody<X: Dim> {
    id: u64,
    velocity: X::Vector,
    spin: X::Spin,
    mass: Mass<X>,
}

/// The contacts and bodies of one process.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct TouchingPart<X: Dim> {
    contacts: Vec<TouchingContact<X>>,
    bodies: Vec<TouchingBody<X>>,
}

impl<X: Dim> Domain<X> {
    /// Collective. Finds the normal velocities after the impacts of this step, unless Moreau's rule is left to find them.
    pub(super) fn resolve_impacts(&mut self, context: &StepContext<X>) {
        let rule = context.solver.impacts;
        if rule == ImpactRule::Moreau {
            return;
        }
        let contacts: Vec<_> = self.subdomains.iter().flat_map(|s| s.touching(context)).collect();
        let mut approach = [contacts.iter().map(|contact| -contact.before).fold(0.0, f64::max)];
        self.comm.max(&mut approach);
        let (rebounds, has_ended) = match approach[0] > 0.0 {
            true => self.rebounds(contacts, context),
            false => (Rebounds::default(), true),
        };
        self.has_unfinished_impacts = !has_ended;
        self.subdomains.iter_mut().for_each(|subdomain| subdomain.rebounds = rebounds.clone());
    }

    /// Collective. The outcome of the impacts at these contacts and those of all other processes, and whether they ended.
    fn rebounds(&self, contacts: Vec<TouchingContact<X>>, context: &StepContext<X>) -> (Rebounds, bool) {
        let bodies = self.subdomains.iter().flat_map(|s| s.touching_bodies(context)).collect();
        // Serialising numbers and lists of numbers does not fail; the parts were written by the same program just before.
        let bytes = postcard::to_stdvec(&TouchingPart::<X> { contacts, bodies }).unwrap_or_default();
        let (mut contacts, mut bodies) = (Vec::new(), Vec::new());
        for part in self.comm.all_gather(bytes) {
            if let Ok(part) = postcard::from_bytes::<TouchingPart<X>>(&part) {
                contacts.extend(part.contacts);
                bodies.extend(part.bodies);
            }
        }
        contacts.sort_by_key(|contact| contact.id);
        bodies.sort_by_key(|body| body.id);
        bodies.dedup_by_key(|body| body.id);
        let problem = join(&contacts, &bodies);
        if !problem.approaches() {
            return (Rebounds::default(), true);
        }
        let (impacts, has_ended) = problem.solve(context.solver.impacts, context.solver.impact_exponent);
        let struck = contacts.iter().zip(impacts).filter(|(_, impact)| impact.impulse > 0.0);
        let rebounds = struck.map(|(contact, impact)| (contact_id(contact.id), impact.velocity.max(0.0)));
        (Rebounds::new(rebounds), has_ended)
    }
}

fn contact_id([a, b, feature]: [u64; 3]) -> ContactId {
    ContactId { a: BodyId(a), b: BodyId(b), feature }
}

/// The problem of these contacts and bodies, which are ordered by id.
fn join<X: Dim>(contacts: &[TouchingContact<X>], bodies: &[TouchingBody<X>]) -> ImpactProblem<X> {
    // Body 0 is the world. Every body with a contact was sent too.
    let index = |id: u64| ProblemBody::new(bodies.partition_point(|body| body.id < id) + 1);
    let masses = bodies.iter().map(|body| (Velocity { velocity: body.velocity, spin: body.spin }, body.mass));
    let in_problem = contacts.iter().map(|contact| {
        let TouchingContact { normal, arms, restitution, stiffness, .. } = *contact;
        let bodies = contact.bodies.map(|id| id.map_or(WORLD, index));
        ImpactContact { bodies, normal, arms, before: contact.before, restitution, stiffness }
    });
    ImpactProblem::new(masses, in_problem.collect())
}

impl<X: Dim> Subdomain<X> {
    /// The contacts of this subdomain that touch and have a law of impact. Deformable bodies have none: their impacts
    /// spread as waves.
    fn touching(&self, context: &StepContext<X>) -> impl Iterator<Item = TouchingContact<X>> {
        self.contacts.indices().filter_map(move |k| {
            let contact = self.contact_in(k, context);
            let constants = self.law(&contact, context)?.impact()?;
            let local = self.local(&contact, context);
            if !local.touches() || self.contacts.nodes_at(&contact).is_some() {
                return None;
            }
            let bodies = [self.body(contact.a), self.body(contact.b)];
            let (id, states) = (self.id(&contact, context), bodies.both(|body| context.state(body)));
            let arms = context.arms(&contact, bodies);
            let ends = contact.ends().both(|end| self.active.index(end));
            Some(TouchingContact {
                id: [id.a.0, id.b.0, id.feature],
                bodies: [0, 1].both(|side| (ends[side] != WORLD).then_some(states[side].id.0)),
                normal: contact.normal,
                arms: [0, 1].both(|side| arms[side] * (1.0 / states[side].size)),
                before: local.normal_before(),
                restitution: constants.restitution,
                stiffness: constants.stiffness,
            })
        })
    }

    fn touching_bodies(&self, context: &StepContext<X>) -> impl Iterator<Item = TouchingBody<X>> {
        // The rows of nodes follow those of bodies.
        let bodies = self.active.without_world().map_while(|(_, row)| context.body(row));
        bodies.map(|body| {
            let (state, mass) = (context.state(body), mass_of(context, context.state(body), context.motion(body)));
            TouchingBody { id: state.id.0, velocity: state.velocity, spin: state.spin * state.size, mass }
        })
    }

    /// Normal velocity after the impact in which a contact takes part in this step, m/s.
    pub(super) fn rebound(&self, contact: &DetectedContact<X>, context: &StepContext<X>) -> Option<f64> {
        if self.rebounds.is_empty() {
            return None;
        }
        self.rebounds.of(self.id(contact, context))
    }
}
