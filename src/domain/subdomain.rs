//! One subdomain: its local bodies, the contacts in its box, and their contact problem.

use super::StepContext;
use super::active_bodies::ActiveBodies;
use super::assembled_problem::AssembledProblem;
use super::contacts::{ContactFrame, ContactList};
use super::interface_copies::InterfaceCopies;
use super::local_bodies::LocalBodies;
use super::rebounds::Rebounds;
use super::recorded_contacts::RecordedContacts;
use super::saved_iterates::SavedIterates;
use super::totals::ContactTotals;
use crate::base::index::{BodyIndex, ContactIndex, FreeRow, LocalBody, SubdomainId};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::body::State;
use crate::dim::Dim;
use crate::interaction::DetectedContact;
use crate::solver::{Change, CheckSums, VelocityLayout, WORLD};

/// Number of scratch buffers that only the sweeps use.
pub(super) const SWEEP_BUFFERS: usize = 3;

/// The unit of work: contacts solved together, the task of a thread, the endpoint of an exchange.
///
/// Its methods are the operations of a step, one file per phase: `detect`, `assemble`, `outcome`, `overlap_correction`,
/// `global_problem`.
#[derive(Default)]
pub struct Subdomain<X: Dim> {
    /// Number among all subdomains of the scene.
    pub(super) number: SubdomainId,
    pub(super) colour: u8,
    /// Wall time spent sweeping since the subdomains were last placed, ns.
    pub(super) cost: u64,
    /// Bodies that may touch something in this subdomain, and candidate pairs.
    pub(super) local: LocalBodies,
    /// Contacts of this step: first those of shapes in body order, then those of links.
    pub(super) contacts: ContactList<X>,
    /// Bodies with a contact in this subdomain.
    pub(super) active: ActiveBodies,
    /// Those of them that are active in other subdomains too.
    pub(super) copies: InterfaceCopies,
    /// Where the velocity rows of the next problem lie in the velocity store.
    pub(super) layout: VelocityLayout,
    /// The contact problem of this step.
    pub(super) assembled: AssembledProblem<X>,
    /// The problem of the last overlap correction, whose buffers the next one uses.
    pub(super) correction: AssembledProblem<X>,
    /// Earlier iterates of the solve.
    pub(super) saved: SavedIterates<X>,
    /// Sums over the contacts of this subdomain.
    pub(super) sums: SubdomainSums,
    /// Contacts that leave a record in the contact history.
    pub(super) recorded: RecordedContacts,
    /// Normal velocities that impacts of several bodies leave in this step.
    pub(super) rebounds: Rebounds,
}

/// Sums over the contacts of a subdomain, to be reduced over all of them.
#[derive(Default)]
pub(super) struct SubdomainSums {
    /// Outcome of the step.
    pub(super) totals: ContactTotals,
    /// Terms of the last check.
    pub(super) check: CheckSums,
    /// What the last sweep changed.
    pub(super) change: Change,
    /// Did ADMM solve the problem?
    pub(super) is_polished: bool,
}

impl<X: Dim> Subdomain<X> {
    /// Creates the subdomain with this number.
    pub(super) fn new(number: SubdomainId) -> Self {
        Self { number, ..Self::default() }
    }

    /// Empties the subdomain and forgets everything but its number.
    pub(super) fn start_over(&mut self) {
        self.local.clear();
        self.contacts.clear();
        self.assembled.clear();
        self.correction.clear();
        self.active.clear();
        self.copies.clear();
        self.recorded.clear();
        (self.cost, self.sums) = Default::default();
    }

    /// Numbers the active bodies: those with a contact in this subdomain. Bodies that are `is_obstacle` belong to the
    /// world. `nodes` gives the rows of the nodes of a body.
    pub(super) fn number_active_bodies<N: ExactSizeIterator<Item = FreeRow>>(
        &mut self,
        is_obstacle: impl Fn(BodyIndex) -> bool,
        nodes: impl Fn(BodyIndex) -> N,
    ) {
        self.active.number(self.local.bodies(), self.contacts.all_ends(), is_obstacle, nodes);
        self.copies.clear();
        self.layout.split.clear();
    }

    /// Takes over the scratch buffers of the sweeps.
    pub(super) fn take_buffers(&mut self, [old, momentum, marked]: [ScratchBlock; SWEEP_BUFFERS]) {
        *self.assembled.problem.old_impulses() = ScratchVec::of(old);
        self.saved.momentum.velocities = ScratchVec::of(momentum);
        self.saved.velocities = ScratchVec::of(marked);
    }

    /// Hands back the scratch buffers of the sweeps.
    pub(super) fn leave_buffers(&mut self) -> [ScratchBlock; SWEEP_BUFFERS] {
        let Self { assembled, saved, .. } = self;
        [assembled.problem.old_impulses().leave(), saved.momentum.velocities.leave(), saved.velocities.leave()]
    }

    /// Contact number `k` of this step; `centre` gives the mid-step position of a body.
    #[inline(always)]
    pub(super) fn contact(
        &self,
        k: ContactIndex,
        states: &[State<X>],
        centre: impl Fn(BodyIndex) -> X::Vector,
    ) -> DetectedContact<X> {
        match self.contacts.frame(k) {
            Some(frame) => self.contacts.get(k, frame),
            None => self.contacts.get(k, &self.frame(k, states, centre)),
        }
    }

    /// Contact number `k` while the step is in progress.
    #[inline(always)]
    pub(super) fn contact_in(&self, k: ContactIndex, context: &StepContext<X>) -> DetectedContact<X> {
        self.contact(k, context.bodies.states(), |body| context.motion(body).position)
    }

    /// Normal and point of contact number `k`, reconstructed from the problem.
    #[inline(always)]
    fn frame(&self, k: ContactIndex, states: &[State<X>], centre: impl Fn(BodyIndex) -> X::Vector) -> ContactFrame<X> {
        let ends = self.contacts.ends(k);
        let side = usize::from(self.active.index(ends[0]) == WORLD);
        let body = self.body(ends[side]);
        ContactFrame::of_round(
            &self.assembled.problem.round.get(k.index()),
            side,
            centre(body),
            states[body.index()].size,
        )
    }

    /// Stores the contact frames here again before the problem that determines them is replaced. Returns whether the
    /// problem determined them.
    pub(super) fn restore_frames(&mut self, context: &StepContext<X>) -> bool {
        let is_needed = !self.contacts.have_frames();
        if is_needed {
            let centre = |body: BodyIndex| context.motion(body).position;
            let mut frames = ScratchVec::default();
            frames.extend(self.contacts.indices().map(|k| self.frame(k, context.bodies.states(), centre)));
            self.contacts.restore_frames(frames);
        }
        is_needed
    }

    /// The body of a local body.
    #[inline(always)]
    pub(super) fn body(&self, local: LocalBody) -> BodyIndex {
        self.local.body(local)
    }

    /// Impulse of contact number `k` on its second body, N s.
    #[inline(always)]
    pub(super) fn impulse(&self, k: ContactIndex) -> X::Vector {
        self.assembled.impulse(k)
    }

    /// Rolling resistance at contact number `k`: angular impulse on its second body, over the length of the smaller
    /// body, N s.
    pub(super) fn rolling(&self, k: ContactIndex) -> X::Vector {
        self.assembled.rolling(k)
    }
}
