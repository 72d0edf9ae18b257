//! One subdomain: its local bodies, the contacts in its box, and their contact problem.

use std::ops::Range;

use super::contacts::{ContactFrame, ContactList};
use super::copy_stiffness::CopyStiffness;
use super::scratch::ThreadScratch;
use super::{ContactTotals, StepContext};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::trim;
use crate::body::State;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Pair, Vector};
use crate::interaction::ContactPoint;
use crate::interaction::broad_phase::BroadPhaseItem;
use crate::interaction::deep_overlap::{MovingPair, SideVerdict};
use crate::interaction::narrow_phase;
use crate::interaction::{DetectedContact, DetectionContext};
use crate::model::{HERE, Image, seen_from};
use crate::solver::{Change, CheckSums, ContactProblem, MomentumState, Velocity, VelocityLayout, WORLD};

/// Where a contact is stored in the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactSlot {
    /// The law admits no impulse at this contact in this step.
    Idle,
    /// Index in `ContactProblem::round`.
    Round(u32),
    /// Index in `ContactProblem::general`.
    General(u32),
}

/// Number of candidate pairs between two checks for a stop request.
const ASKED: usize = 1024;

/// Number of scratch buffers that only the sweeps use.
pub(super) const ROOMS: usize = 3;

/// The unit of work: contacts solved together, the task of a thread, the endpoint of an exchange.
pub struct Subdomain<X: Dim> {
    /// Number among all subdomains of the scene.
    pub(super) number: u32,
    pub(super) colour: u8,
    /// Wall time spent sweeping since the subdomains were last placed, ns.
    pub(super) cost: u64,
    /// Does it share bodies with subdomains of other processes?
    pub(super) is_remote: bool,
    /// Local bodies: those with an image whose inflated box touches this subdomain, in body order.
    pub(super) visitors: Vec<u32>,
    /// Periodic image of each local body; empty without a periodic cell.
    images: Vec<Image>,
    /// Pairs of local bodies that may come within the alert distance before the candidates are rebuilt.
    candidates: Vec<[u32; 2]>,
    /// Links whose midpoint may enter this subdomain before the candidates are rebuilt: the number of each, and the
    /// local bodies it joins.
    pub(super) links: Vec<(u32, [u32; 2])>,
    /// Contacts of this step: first those of shapes in body order, then those of links.
    pub(super) contacts: ContactList<X>,
    /// Number of contacts whose overlap is too deep to determine a contact normal.
    pub(super) ambiguous: u64,
    /// The contact problem of this step.
    pub(super) problem: ContactProblem<X>,
    /// Index of each local body in the problem; [`WORLD`] for obstacles and for bodies without contacts.
    pub(super) places: Vec<u32>,
    /// Active bodies: the body of each index of the problem; index 0, the world, is unused.
    pub(super) held: Vec<u32>,
    /// Active bodies that are deformable: index in the problem of the body and of its first node. The nodes of these
    /// bodies follow all active bodies in `held`.
    pub(super) deformables: Vec<[u32; 2]>,
    /// Number of contacts of each active body in this subdomain.
    pub(super) touches: Vec<u32>,
    /// For each active body: is this its primary copy, which alone counts in sums over bodies?
    pub(super) is_primary: Vec<bool>,
    /// Active bodies that are interface bodies: index in the problem, and index of the interface body.
    pub(super) copies: Vec<[u32; 2]>,
    /// Stiffness of the contacts on each active body, and which active bodies are split; used without momentum only.
    pub(super) pushes: Vec<CopyStiffness>,
    pub(super) is_split: Vec<bool>,
    /// Where the velocity rows of the next problem lie in the velocity store.
    pub(super) layout: VelocityLayout,
    /// Factor on the inverse mass of each of `copies`.
    pub(super) factors: Vec<f64>,
    /// Slot of each contact; empty where contact k is the round contact number k for every k.
    pub(super) slots: Vec<ContactSlot>,
    /// Velocities at the last check, kept where a sweep runs before the verdict is known.
    pub(super) marked: ScratchVec<Velocity<X>>,
    /// Impulses at the last check, kept where a speculative sweep may have to be rolled back.
    pub(super) kept: Vec<X::Vector>,
    /// Best impulses found so far in a long solve.
    pub(super) best: Vec<X::Vector>,
    /// State of the momentum: what it needs of the previous sweep.
    pub(super) memory: MomentumState<X>,
    /// Bit set of the contacts that leave a record in the contact history, 64 to a word.
    pub(super) is_kept: Vec<u64>,
    /// Sums over the contacts of this subdomain.
    pub(super) totals: ContactTotals,
    /// Terms of the last check in this subdomain.
    pub(super) found: CheckSums,
    /// What the last sweep changed.
    pub(super) change: Change,
}

impl<X: Dim> Default for Subdomain<X> {
    fn default() -> Self {
        Self {
            number: 0,
            colour: 0,
            cost: 0,
            is_remote: false,
            visitors: Vec::new(),
            images: Vec::new(),
            candidates: Vec::new(),
            links: Vec::new(),
            contacts: ContactList::default(),
            ambiguous: 0,
            problem: ContactProblem::default(),
            places: Vec::new(),
            held: Vec::new(),
            deformables: Vec::new(),
            touches: Vec::new(),
            is_primary: Vec::new(),
            copies: Vec::new(),
            pushes: Vec::new(),
            is_split: Vec::new(),
            layout: VelocityLayout::default(),
            factors: Vec::new(),
            slots: Vec::new(),
            marked: ScratchVec::default(),
            kept: Vec::new(),
            best: Vec::new(),
            memory: MomentumState::default(),
            is_kept: Vec::new(),
            totals: ContactTotals::default(),
            found: CheckSums::default(),
            change: Change::default(),
        }
    }
}

/// The active bodies of a subdomain, without the world, with the factors on their inverse masses: that of the copy for
/// interface bodies, one for all others. `copies` must be sorted by index in the problem.
pub(super) fn weighted(held: &[u32], copies: &[[u32; 2]], factors: &[f64]) -> impl Iterator<Item = (u32, f64)> {
    let mut copies = copies.iter().zip(factors).peekable();
    (0..).zip(held).skip(1).map(move |(place, &body)| {
        let copy = copies.next_if(|([own, _], _)| *own == place);
        (body, copy.map_or(1.0, |(_, factor)| *factor))
    })
}

impl<X: Dim> Subdomain<X> {
    /// Creates the subdomain with this number.
    pub(super) fn new(number: usize) -> Self {
        Self { number: number as u32, ..Self::default() }
    }

    /// Empties the subdomain and forgets everything but its number.
    pub(super) fn start_over(&mut self) {
        self.clear_local_bodies();
        self.candidates.clear();
        self.contacts.clear();
        self.problem.clear();
        self.slots.clear();
        self.places.clear();
        self.held.clear();
        self.touches.clear();
        self.is_kept.clear();
        (self.cost, self.ambiguous, self.is_remote) = (0, 0, false);
        (self.totals, self.found, self.change) = Default::default();
    }

    /// Removes all local bodies.
    pub(super) fn clear_local_bodies(&mut self) {
        self.visitors.clear();
        self.images.clear();
        self.links.clear();
    }

    /// Adds an image of body `body` as a local body; to be called in body order.
    pub(super) fn add_local_body(&mut self, body: u32, image: Option<Image>) {
        self.visitors.push(body);
        self.images.extend(image);
    }

    /// Periodic image of local body `visitor`.
    fn image(&self, visitor: u32) -> Image {
        self.images.get(visitor as usize).copied().unwrap_or(HERE)
    }

    /// Broad phase: builds the candidate pairs of local bodies. `swept` gives the bounds of the path of a fast body;
    /// pairs that `are_apart` are skipped.
    pub(super) fn gather<'a>(
        &mut self,
        placed: impl Fn(u32, Image) -> PosedShape<'a, X>,
        margins: &[f64],
        swept: impl Fn((u32, Image), &Bounds<X>) -> Option<Bounds<X>>,
        is_obstacle: impl Fn(u32) -> bool,
        are_apart: impl Fn((u32, Image), (u32, Image)) -> bool,
        workshop: &mut ThreadScratch<X>,
    ) {
        self.seat_links();
        let item = |(visitor, &body): (u32, &u32)| {
            let image = self.image(visitor);
            let placed = placed(body, image);
            let (own, is_obstacle) = (placed.bounds(), is_obstacle(body));
            // A sphere does not fill the bounds of its path.
            match swept((body, image), &own) {
                Some(bounds) => BroadPhaseItem { bounds, is_ball: false, is_obstacle },
                None => BroadPhaseItem {
                    bounds: own.inflated(margins[body as usize]),
                    is_ball: placed.shape.is_ball(),
                    is_obstacle,
                },
            }
        };
        let ThreadScratch { items, search, .. } = workshop;
        items.clear();
        items.extend((0..).zip(&self.visitors).map(item));
        let Self { visitors, images, candidates, .. } = self;
        let visitor = |i: u32| (visitors[i as usize], images.get(i as usize).copied().unwrap_or(HERE));
        // Two images of the same body are no pair either.
        let are_one = |a: (u32, Image), b: (u32, Image)| a.0 == b.0 || are_apart(a, b);
        let keep = |i: u32, j: u32| !are_one(visitor(i), visitor(j));
        search.pairs(items, keep, candidates);
        trim(candidates);
        trim(visitors);
    }

    /// Periodic images of a pair of local bodies: the image of the second body relative to the first, and the image of
    /// the first, and so of the contact, that lies in this subdomain. An unbounded body is its own image everywhere and
    /// takes the image of the other.
    fn aspect(&self, a: u32, b: u32, is_endless: impl Fn(u32) -> bool) -> (Image, Image) {
        if self.images.is_empty() {
            return (HERE, HERE);
        }
        let (own, other) = (self.image(a), self.image(b));
        if is_endless(a) || is_endless(b) {
            return (HERE, if is_endless(a) { other } else { own });
        }
        (seen_from(own, other), own)
    }

    /// Narrow phase over the candidates; keeps the contacts for which `mine` accepts the contact point and its image.
    pub(super) fn detect(
        &mut self,
        sight: &DetectionContext<'_, X>,
        mine: impl Fn(X::Vector, Image) -> bool,
        workshop: &mut ThreadScratch<X>,
    ) {
        // The old problem is not needed any more: its buffer takes the frames of the new contacts.
        match self.contacts.have_room() {
            true => self.problem.clear(),
            false => self.contacts.move_into(self.problem.vacate()),
        }
        let mut contacts = std::mem::take(&mut self.contacts);
        let mut ambiguous = 0;
        let Self { candidates, visitors, .. } = &*self;
        let shape = |visitor: u32| sight.model.shape(&sight.states[visitors[visitor as usize] as usize]);
        let is_endless = |visitor: u32| !shape(visitor).reach().is_finite();
        let states = sight.states;
        contacts.clear();
        let [mut found, mut instead] = [&mut workshop.found, &mut workshop.instead].map(std::mem::take);
        for (k, &[i, j]) in candidates.iter().enumerate() {
            if k.is_multiple_of(ASKED) && sight.is_asked_to_stop() {
                break;
            }
            let (body_i, body_j) = (visitors[i as usize] as usize, visitors[j as usize] as usize);
            let alert = sight.alerts[body_i] + sight.alerts[body_j];
            // The body with the lower id comes first, so that a contact and its normal mean the same everywhere.
            let (a, b, body_a, body_b) =
                if states[body_i].id < states[body_j].id { (i, j, body_i, body_j) } else { (j, i, body_j, body_i) };
            let (image, own) = self.aspect(a, b, is_endless);
            let [at_start, at_middle] = sight.shifts(image);
            let mut keep = |touch: ContactPoint<X>| {
                let is_mine = mine(touch.point, own);
                if is_mine {
                    let ContactPoint { feature, normal, point, gap } = touch;
                    contacts.push(DetectedContact { a, b, feature, normal, point, gap, image });
                }
                is_mine
            };
            found.clear();
            let mut deepest = 0.0f64;
            let (first, mut second) = (sight.placed(body_a), sight.placed(body_b));
            if image != HERE {
                second = second.moved(at_middle);
            }
            narrow_phase::touches(&first, &second, alert, |touch| {
                deepest = deepest.min(touch.gap);
                found.push(touch);
            });
            if deepest == 0.0 && !sight.fast {
                found.iter().for_each(|&touch| _ = keep(touch));
                continue;
            }
            let [start_a, start_b] = [body_a, body_b].both(|body| sight.model.placed(&states[body]));
            let moving = MovingPair { start: [start_a, start_b.moved(at_start)], middle: [first, second] };
            match moving.judge(&found, alert, &mut instead) {
                SideVerdict::Plain => found.iter().for_each(|&touch| _ = keep(touch)),
                SideVerdict::Corrected => instead.iter().for_each(|&touch| _ = keep(touch)),
                SideVerdict::Ambiguous => ambiguous += found.iter().filter(|&&touch| keep(touch)).count() as u64,
            }
        }
        (self.contacts, self.ambiguous) = (contacts, ambiguous);
        (workshop.found, workshop.instead) = (found, instead);
        self.detect_links(sight, mine);
        self.contacts.trim();
    }

    /// Numbers the active bodies: those with a contact in this subdomain. Bodies that are `is_obstacle` belong to the
    /// world. `nodes` gives the velocity rows of the nodes of a body; these are numbered after all bodies.
    pub(super) fn number(&mut self, is_obstacle: impl Fn(u32) -> bool, nodes: impl Fn(u32) -> Range<u32>) {
        self.places.clear();
        self.places.resize(self.visitors.len(), 0);
        // `places` first counts the contacts of each local body, then holds its index.
        for visitor in self.contacts.all_ends().flatten() {
            self.places[visitor as usize] += 1;
        }
        self.held.clear();
        self.held.push(u32::MAX);
        self.touches.clear();
        self.touches.push(0);
        // The images of a body are adjacent.
        let mut from = 0;
        for visitors in self.visitors.chunk_by(|a, b| a == b) {
            let places = &mut self.places[from..from + visitors.len()];
            from += visitors.len();
            let touches = places.iter().sum();
            let is_held = touches > 0 && !is_obstacle(visitors[0]);
            places.fill(if is_held { self.held.len() as u32 } else { 0 });
            if is_held {
                self.held.push(visitors[0]);
                self.touches.push(touches);
            }
        }
        self.deformables.clear();
        for place in 1..self.held.len() {
            let nodes = nodes(self.held[place]);
            if !nodes.is_empty() {
                self.deformables.push([place as u32, self.held.len() as u32]);
                self.held.extend(nodes);
            }
        }
        self.copies.clear();
        self.layout.split.clear();
        self.factors.clear();
        self.is_primary.clear();
        self.is_primary.resize(self.held.len(), true);
        trim(&mut self.places);
        trim(&mut self.held);
        trim(&mut self.touches);
        trim(&mut self.is_primary);
    }

    /// Takes over the scratch buffers of the sweeps.
    pub(super) fn move_into(&mut self, [old, twists, marked]: [ScratchBlock; ROOMS]) {
        *self.problem.old_impulses() = ScratchVec::of(old);
        (self.memory.twists, self.marked) = (ScratchVec::of(twists), ScratchVec::of(marked));
    }

    /// Hands back the scratch buffers of the sweeps.
    pub(super) fn move_out(&mut self) -> [ScratchBlock; ROOMS] {
        [self.problem.old_impulses().leave(), self.memory.twists.leave(), self.marked.leave()]
    }

    /// Contact number `k` of this step; `centre` gives the mid-step position of a body.
    #[inline(always)]
    pub(super) fn contact(
        &self,
        k: usize,
        states: &[State<X>],
        centre: impl Fn(usize) -> X::Vector,
    ) -> DetectedContact<X> {
        match self.contacts.frame(k) {
            Some(frame) => self.contacts.get(k, frame),
            None => self.contacts.get(k, &self.frame(k, states, centre)),
        }
    }

    /// Contact number `k` while the step is in progress.
    #[inline(always)]
    pub(super) fn contact_in(&self, k: usize, context: &StepContext<X>) -> DetectedContact<X> {
        self.contact(k, context.bodies.states(), |body| context.free[body].position)
    }

    /// Normal and point of contact number `k`, reconstructed from the problem.
    #[inline(always)]
    pub(super) fn frame(&self, k: usize, states: &[State<X>], centre: impl Fn(usize) -> X::Vector) -> ContactFrame<X> {
        let ends = self.contacts.ends(k);
        let side = usize::from(self.places[ends[0] as usize] == WORLD);
        let body = self.body(ends[side]);
        ContactFrame::of_round(&self.problem.round.get(k), side, centre(body), states[body].size)
    }

    /// Stores the contact frames here again before the problem that holds them is replaced. Returns whether the problem
    /// held them.
    pub(super) fn learn_frames(&mut self, context: &StepContext<X>) -> bool {
        let is_asked = !self.contacts.have_frames();
        if is_asked {
            let centre = |body: usize| context.free[body].position;
            let mut frames = ScratchVec::default();
            frames.extend((0..self.contacts.len()).map(|k| self.frame(k, context.bodies.states(), centre)));
            self.contacts.learn_frames(frames);
        }
        is_asked
    }

    /// Records the slot of contact number `k`; to be called in the order of contacts.
    pub(super) fn put(&mut self, k: usize, slot: ContactSlot) {
        let is_plain = self.slots.is_empty() && slot == ContactSlot::Round(k as u32);
        if !is_plain {
            // Either no contact before this one has a recorded slot, or all have.
            self.slots.extend((self.slots.len()..k).map(|k| ContactSlot::Round(k as u32)));
            self.slots.push(slot);
        }
    }

    /// Slot of contact number `k`.
    #[inline]
    pub(super) fn slot(&self, k: usize) -> ContactSlot {
        self.slots.get(k).copied().unwrap_or(ContactSlot::Round(k as u32))
    }

    /// The body of local body `visitor`.
    #[inline(always)]
    pub(super) fn body(&self, visitor: u32) -> usize {
        self.visitors[visitor as usize] as usize
    }

    /// Rolling resistance at contact number `k`: angular impulse on its second body, over the length of the smaller
    /// body, N s.
    pub(super) fn rolling(&self, k: usize) -> X::Vector {
        match self.slot(k) {
            ContactSlot::General(i) => self.problem.rolling_at(i).map_or(X::Vector::zero(), |rolling| rolling.impulse),
            ContactSlot::Idle | ContactSlot::Round(_) => X::Vector::zero(),
        }
    }

    /// Impulse of contact number `k` on its second body, N s.
    #[inline(always)]
    pub(super) fn impulse(&self, k: usize) -> X::Vector {
        match self.slot(k) {
            ContactSlot::Idle => X::Vector::zero(),
            ContactSlot::Round(i) => self.problem.round.impulse(i as usize),
            ContactSlot::General(i) => self.problem.general[i as usize].impulse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_have_their_factors_and_all_other_bodies_one() {
        let (held, copies) = ([u32::MAX, 10, 11, 12, 13], [[1, 0], [3, 1], [4, 2]]);
        let found: Vec<(u32, f64)> = weighted(&held, &copies, &[2.0, 3.0, 4.0]).collect();
        assert_eq!(found, [(10, 2.0), (11, 1.0), (12, 3.0), (13, 4.0)]);
    }
}
