//! Overlap correction: a second, frictionless problem of the step that changes positions and leaves velocities alone.
//!
//! Signorini's condition on velocities never pushes overlapping bodies apart, and every change of a contact feature
//! leaves a small overlap behind. If some overlap of a step is deeper than [`TOLERATED`], this module computes the
//! displacements d of least kinetic norm such that, for each contact of gap g at the end of the step and with s the
//! size of the smaller body, n.d >= -SHARE (g + KEPT s) where the overlap is too deep, and n.d >= -max(g, 0) elsewhere.
//! Links hold. Contacts that stay further apart than [`WITHIN`] times the deepest overlap of the step take no part:
//! only a chain of overlaps could push bodies that far, and the next steps remove what it leaves. Linear momentum and
//! kinetic energy are conserved; angular momentum changes with the lever arms (Gear, Gupta and Leimkuhler 1985,
//! Automatic integration of Euler-Lagrange equations with constraints, in the form of Acary 2013 for contact).

use rayon::prelude::*;

use super::assemble::mass_of;
use super::assembled_problem::ContactSlot;
use super::context::{EndOfStep, StepContext, smaller};
use super::{Domain, StepOutcome, Subdomain};
use crate::base::index::ContactIndex;
use crate::dim::{Dim, Vector};
use crate::law::Reduced;
use crate::solver::{Mass, SolverSettings, Stabilisation, Velocity};

/// Overlap over the size of the smaller body above which a correction is made.
const TOLERATED: f64 = 2e-3;
/// Overlap that remains, over the size of the smaller body, which keeps contacts closed.
const KEPT: f64 = 1e-3;
/// Fraction of the rest that is removed in one step.
const SHARE: f64 = 0.5;
/// Gap at the end of the step, over the deepest overlap of the step, up to which a contact takes part. Two bodies that
/// are pushed out of the deepest overlaps approach each other by one.
const WITHIN: f64 = 4.0;
/// Sweeps of the correction; the next steps remove the rest.
const SWEEPS: u32 = 20;

impl<X: Dim> Domain<X> {
    /// Collective. Computes the displacement and rotation of each body that reduce overlaps, if there are any.
    pub fn correct_overlaps(&mut self, context: &StepContext<X>, outcome: &mut StepOutcome<X>) {
        let settings = context.solver;
        let is_unnecessary =
            settings.stabilisation != Stabilisation::Projection || outcome.totals.max_penetration <= TOLERATED;
        if is_unnecessary {
            return;
        }
        let solved: Vec<_> = (self.subdomains.par_iter_mut())
            .map(|s| {
                let had_no_frames = s.restore_frames(context);
                s.layout.clone_from(s.assembled.problem.rows.layout());
                let mut empty = std::mem::take(&mut s.correction);
                empty.clear();
                (std::mem::replace(&mut s.assembled, empty), had_no_frames)
            })
            .collect();
        let rest_of_step = context.theta * context.h;
        let velocities = std::mem::take(&mut self.store);
        self.arrange_rows(velocities.len(), context);
        let end = EndOfStep { context, velocities: &self.motion.end, nodes: &self.motion.end_nodes };
        let within = WITHIN * outcome.totals.deepest;
        self.store.each(&mut self.subdomains, |s| s.assemble_overlaps(&end, rest_of_step, within));
        let at_rest = Velocity { velocity: X::Vector::zero(), spin: X::Spin::zero() };
        let sweeps = SolverSettings { max_sweeps: SWEEPS, warm_start: false, polishes_rest: false, ..settings.clone() };
        self.solve_from(&|_| at_rest, &sweeps);
        let mut moved = vec![(X::Vector::zero(), X::Spin::zero()); context.bodies.len()];
        self.read_active(&mut moved, |moved, body, row| {
            *moved = (row.velocity, row.spin * (1.0 / context.bodies.states()[body].size));
        });
        for (subdomain, (assembled, had_no_frames)) in self.subdomains.iter_mut().zip(solved) {
            subdomain.correction = std::mem::replace(&mut subdomain.assembled, assembled);
            if had_no_frames {
                subdomain.contacts.forget_frames();
            }
            subdomain.leave_buffers();
        }
        self.store = velocities;
        outcome.moved = Some(moved);
    }
}

/// Law of a link in the correction, from its `law` for velocities: the link bears the same components without bound,
/// and a wire may use up its slack, which the gap at the end of the step determines.
fn link_law<X: Dim>(law: &Reduced<X>, normal: X::Vector, end_gap: f64) -> Reduced<X> {
    let unbounded = |bound: f64| if bound == 0.0 { 0.0 } else { bound * f64::INFINITY };
    let slack = if law.normal[1] == 0.0 && law.cohesion == 0.0 { end_gap.min(0.0) } else { 0.0 };
    let free = Reduced::cone(normal * slack, 0.0);
    Reduced { normal: law.normal.map(unbounded), cohesion: law.cohesion, ..free }
}

impl<X: Dim> Subdomain<X> {
    /// Assembles the problem whose velocities are displacements, of the contacts no further apart than `within`.
    fn assemble_overlaps(&mut self, solved: &EndOfStep<X>, rest_of_step: f64, within: f64) {
        let context = solved.context;
        self.assembled.problem.order = context.solver.listed_order();
        for (_, row, factor) in self.copies.weighted(&self.active) {
            // Overlaps are corrected by rigid motions alone.
            let Some(body) = context.body(row) else {
                self.assembled.problem.add_body(X::Vector::zero(), X::Spin::zero(), Mass::infinite());
                continue;
            };
            let mass = mass_of(context, context.state(body), context.motion(body)).lighter(factor);
            self.assembled.problem.add_body(X::Vector::zero(), X::Spin::zero(), mass);
        }
        for k in self.contacts.indices() {
            let slot = self.add_overlap(k, solved, rest_of_step, within);
            self.assembled.slots.raw.push(slot);
        }
    }

    /// Adds contact number `k` to that problem.
    fn add_overlap(&mut self, k: ContactIndex, solved: &EndOfStep<X>, rest_of_step: f64, within: f64) -> ContactSlot {
        let context = solved.context;
        let contact = self.contact_in(k, context);
        let bodies = [self.body(contact.a), self.body(contact.b)];
        let arms = context.arms(&contact, bodies);
        let moving = bodies.map(|body| (solved.velocity(body).velocity, solved.velocity(body).spin));
        let approached = contact.normal.dot(&context.relative(&contact, arms, moving));
        let end_gap = contact.gap + rest_of_step * approached;
        if end_gap > within && contact.link().is_none() {
            return ContactSlot::Idle;
        }
        let states = bodies.map(|i| context.state(i));
        let link = contact.link().and_then(|_| self.law(&contact, context));
        let link = link.map(|law| law.reduce(&self.local(&contact, context), context.h));
        let is_soft = self.law(&contact, context).is_some_and(|law| law.is_soft());
        // Springs yield, a broken wire transmits nothing, and overlaps of deformable bodies are corrected by
        // velocities.
        if is_soft || contact.nodes > 0 || matches!(link, Some(None)) {
            return ContactSlot::Idle;
        }
        let size = smaller(context.model, states);
        // The bodies may approach by this much; where it is negative, they must separate.
        let approach = if end_gap < -TOLERATED * size { SHARE * (end_gap + KEPT * size) } else { end_gap.max(0.0) };
        let contact_law = Reduced::cone(contact.normal * approach, 0.0);
        let law = link.flatten().map_or(contact_law, |law| link_law(&law, contact.normal, end_gap));
        let ends = contact.ends().map(|local| self.active.index(local));
        let arms = [0, 1].map(|side| arms[side] * (1.0 / states[side].size));
        let problem = &mut self.assembled.problem;
        problem.add_general(ends, contact.normal, arms, law, X::Vector::zero(), context.solver.local);
        ContactSlot::General(problem.general.len() as u32 - 1)
    }
}
