//! The global contact problem of a step, gathered on process 0, for comparison with other solvers.
//!
//! Bodies have their full mass and contacts are ordered by id, so that the problem depends neither on the subdomains
//! nor on the processes. The run itself is not affected.

use serde::{Deserialize, Serialize};

use super::assemble::{guess, mass_of};
use super::context::StepContext;
use super::{Domain, SolvedContact, Subdomain};
use crate::base::index::ProblemBody;
use crate::comm::gather_on_root;
use crate::dim::Dim;
use crate::law::Reduced;
use crate::solver::delassus::Lever;
use crate::solver::{ContactProblem, LocalMap, Mass, WORLD};

/// Largest number of contacts that are gathered.
const MAX_CONTACTS: u64 = 200_000;

/// The contact problem of a step with its solution.
#[derive(Clone, Debug)]
pub struct GlobalProblem<X: Dim> {
    /// Free velocities, full masses, and all contacts as general ones, ordered by id, with the initial impulses of the
    /// sweeps.
    pub problem: ContactProblem<X>,
    /// Impulses at the end of the solve, world axes, N s.
    pub solution: Vec<X::Vector>,
    /// Points, normals and bodies of the contacts.
    pub contacts: Vec<GlobalContact<X>>,
}

/// A contact of the global problem in the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlobalContact<X: Dim> {
    /// Ids of its bodies, the lower first.
    pub bodies: [u64; 2],
    /// Contact point, m.
    pub point: X::Vector,
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
}

/// Why the global problem is not available.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProblemUnavailable {
    /// Too large for one process.
    #[error("it has {contacts} contacts; at most {MAX_CONTACTS} are gathered")]
    TooMany {
        /// How many.
        contacts: u64,
    },
    /// Some bodies are deformable.
    #[error("{contacts} of its contacts are at deformable bodies")]
    Deformable {
        /// How many.
        contacts: u64,
    },
    /// Some laws are not friction cones.
    #[error("{contacts} of its contacts have a law that is not a friction cone (bilateral, cohesive or capped)")]
    NotCones {
        /// How many.
        contacts: u64,
    },
}

/// A contact in a message.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(bound = "")]
struct SentContact<X: Dim> {
    /// Ids of the two bodies, and the feature.
    id: [u64; 3],
    /// The bodies that its impulse moves; `None` for obstacles.
    bodies: [Option<u64>; 2],
    normal: X::Vector,
    point: X::Vector,
    arms: [X::Vector; 2],
    shift: X::Vector,
    friction: f64,
    compliance: [f64; 2],
    guess: X::Vector,
    solution: X::Vector,
}

impl<X: Dim> SentContact<X> {
    fn of(contact: &SolvedContact<X>, lever: Lever<X>, context: &StepContext<X>) -> Self {
        let (id, moves, detected) = (contact.id(), contact.moves(), &contact.detected);
        let record = contact.subdomain.record(detected, context);
        Self {
            id: [id.a.0, id.b.0, id.feature],
            bodies: [moves[0].then_some(id.a.0), moves[1].then_some(id.b.0)],
            normal: lever.normal,
            point: detected.point,
            arms: lever.arms,
            shift: lever.law.shift,
            friction: lever.law.friction,
            compliance: lever.law.compliance,
            guess: guess(detected, context, record.as_ref()),
            solution: contact.impulse,
        }
    }

    /// Orders by id, and contacts with the same id, should they occur, by normal and arms.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let numbers = |entry: &Self| [entry.normal, entry.arms[0], entry.arms[1]];
        let pairs = numbers(self).into_iter().zip(numbers(other));
        let components = pairs.flat_map(|(a, b)| (0..X::D).map(move |k| a[k].total_cmp(&b[k])));
        components.fold(self.id.cmp(&other.id), |order, next| order.then(next))
    }
}

/// A body in a message.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(bound = "")]
struct SentBody<X: Dim> {
    id: u64,
    velocity: X::Vector,
    spin: X::Spin,
    mass: Mass<X>,
}

/// The contacts and bodies of one process.
#[derive(Serialize, Deserialize)]
#[serde(bound = "")]
struct ProblemPart<X: Dim> {
    contacts: Vec<SentContact<X>>,
    bodies: Vec<SentBody<X>>,
}

impl<X: Dim> Domain<X> {
    /// Collective. The contact problem of the step that has just been solved, on process 0; `None` on the others.
    pub fn global_problem(&self, context: &StepContext<X>) -> Result<Option<GlobalProblem<X>>, ProblemUnavailable> {
        let all = || self.subdomains.iter().flat_map(|subdomain| self.contacts(subdomain, context.bodies));
        let with_lever = || all().filter_map(|contact| Some((contact.lever()?, contact)));
        let is_other = |(lever, _): &(Lever<X>, _)| !lever.is_cone();
        let elastic = self.subdomains.iter().map(|subdomain| subdomain.contacts.deformable()).sum::<usize>();
        let mut counts = [with_lever().count() as u64, with_lever().filter(is_other).count() as u64, elastic as u64];
        self.comm.sum(&mut counts);
        match counts {
            [contacts, ..] if contacts > MAX_CONTACTS => return Err(ProblemUnavailable::TooMany { contacts }),
            [.., contacts] if contacts > 0 => return Err(ProblemUnavailable::Deformable { contacts }),
            [_, contacts, _] if contacts > 0 => return Err(ProblemUnavailable::NotCones { contacts }),
            _ => {}
        }
        let contacts = with_lever().map(|(lever, contact)| SentContact::of(&contact, lever, context)).collect();
        let bodies = self.subdomains.iter().flat_map(|s| s.bodies(context)).collect();
        // Serialising numbers and lists of numbers does not fail.
        let bytes = postcard::to_stdvec(&ProblemPart::<X> { contacts, bodies }).unwrap_or_default();
        let parts = gather_on_root(&*self.comm, bytes);
        if !self.comm.is_root() {
            return Ok(None);
        }
        // Written by the same program just before.
        let parts = parts.iter().filter_map(|bytes| postcard::from_bytes::<ProblemPart<X>>(bytes).ok());
        let (mut contacts, mut bodies) = (Vec::new(), Vec::new());
        for part in parts {
            contacts.extend(part.contacts);
            bodies.extend(part.bodies);
        }
        assert_eq!(contacts.len() as u64, counts[0], "every contact has arrived");
        contacts.sort_by(SentContact::compare);
        bodies.sort_by_key(|body: &SentBody<X>| body.id);
        bodies.dedup_by_key(|body| body.id);
        Ok(Some(join(&contacts, &bodies)))
    }
}

/// Joins the contacts and bodies of all processes into one problem.
fn join<X: Dim>(contacts: &[SentContact<X>], bodies: &[SentBody<X>]) -> GlobalProblem<X> {
    let mut problem = ContactProblem::default();
    for body in bodies {
        problem.add_body(body.velocity, body.spin, body.mass);
    }
    // Body 0 is the world. Every body with a contact was sent too.
    let index = |id: u64| ProblemBody::new(bodies.partition_point(|body| body.id < id) + 1);
    for contact in contacts {
        let ends = contact.bodies.map(|id| id.map_or(WORLD, index));
        let law = Reduced { compliance: contact.compliance, ..Reduced::cone(contact.shift, contact.friction) };
        problem.add_general(ends, contact.normal, contact.arms, law, contact.guess, LocalMap::Projection);
    }
    let in_scene = |contact: &SentContact<X>| GlobalContact {
        bodies: [contact.id[0], contact.id[1]],
        point: contact.point,
        normal: contact.normal,
    };
    let solution = contacts.iter().map(|contact| contact.solution).collect();
    GlobalProblem { problem, solution, contacts: contacts.iter().map(in_scene).collect() }
}

impl<X: Dim> Subdomain<X> {
    fn bodies(&self, context: &StepContext<X>) -> impl Iterator<Item = SentBody<X>> {
        // The rows of nodes follow those of bodies.
        let bodies = self.active.without_world().map_while(|(_, row)| context.body(row));
        bodies.map(|body| {
            let (state, free) = (context.state(body), context.motion(body));
            let mass = mass_of(context, state, free);
            SentBody { id: state.id.0, velocity: free.velocity, spin: free.spin * state.size, mass }
        })
    }
}
