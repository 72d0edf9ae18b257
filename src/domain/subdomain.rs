//! One subdomain: the bodies that visit it, the contacts in its box, and their problem.

use super::contacts::{ContactFrame, ContactList};
use super::copy_stiffness::CopyStiffness;
use super::scratch::ThreadScratch;
use super::{ContactTotals, StepContext};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::trim;
use crate::body::State;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::{Dim, Pair, Vector};
use crate::interaction::broad_phase::BroadPhaseItem;
use crate::interaction::deep_overlap::{MovingPair, SideVerdict};
use crate::interaction::narrow_phase::{self, ContactPoint};
use crate::interaction::{DetectedContact, DetectionContext};
use crate::model::{HERE, Image, seen_from};
use crate::solver::{Change, CheckSums, ContactProblem, MomentumState, Velocity, VelocityLayout, WORLD};

/// Where a contact stands in the problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactSlot {
    /// Its law lets no impulse act in this step.
    Idle,
    /// Place in `ContactProblem::round`.
    Round(u32),
    /// Place in `ContactProblem::general`.
    General(u32),
}

/// Whether to stop is asked once for so many pairs.
const ASKED: usize = 1024;

/// So many lists are needed by sweeps alone.
pub(super) const ROOMS: usize = 3;

/// The unit of everything: contacts solved together, the task of a thread, the party to an exchange.
pub struct Subdomain<X: Dim> {
    /// Among all subdomains of the scene.
    pub(crate) number: u32,
    pub(super) colour: u8,
    /// Wall time spent sweeping since subdomains were last placed, ns.
    pub(super) cost: u64,
    /// Does it share bodies with subdomains of other processes?
    pub(super) is_remote: bool,
    /// Bodies that have an image whose inflated box touches this subdomain, in body order.
    pub(super) visitors: Vec<u32>,
    /// Which image each visitor is; none where space does not repeat itself.
    images: Vec<Image>,
    /// Pairs of visitors that may come close before the list is gathered anew.
    candidates: Vec<[u32; 2]>,
    /// Links whose middle may come into this subdomain before the list is gathered anew, by number, and the visitors
    /// they join.
    pub(super) links: Vec<(u32, [u32; 2])>,
    /// Contacts of this step, in body order, and then those of links.
    pub(super) contacts: ContactList<X>,
    /// How many of them are so deep that nothing says on which side the bodies are.
    pub(super) ambiguous: u64,
    /// The problem of this step.
    pub(super) problem: ContactProblem<X>,
    /// Place of each visitor in the problem; the world's place for obstacles and for who touches nothing.
    pub(super) places: Vec<u32>,
    /// Body of each place in the problem; index 0, the world, is unused.
    pub(super) held: Vec<u32>,
    /// How many contacts each of them has here.
    pub(super) touches: Vec<u32>,
    /// Which held bodies this subdomain speaks for in sums over bodies.
    pub(super) is_primary: Vec<bool>,
    /// Places in the problem that are copies, and the shared body each is a copy of.
    pub(super) copies: Vec<[u32; 2]>,
    /// Those of them that have a line of their own.
    pub(super) split: Vec<[u32; 2]>,
    /// What pushes the body of each place, and which of them are split; only without momentum.
    pub(super) pushes: Vec<CopyStiffness>,
    pub(super) is_split: Vec<bool>,
    /// Where the lines of the next problem are to lie.
    pub(super) layout: VelocityLayout,
    /// Factor on the inverse mass of each copy.
    pub(super) factors: Vec<f64>,
    /// Where each contact went; none where each went to the place among the round ones that is its number.
    pub(super) slots: Vec<ContactSlot>,
    /// Velocities of the last check, where its outcome is not waited for.
    pub(super) marked: ScratchVec<Velocity<X>>,
    /// Impulses at the last check, where a sweep may have to be taken back.
    pub(super) kept: Vec<X::Vector>,
    /// The best impulses of a long solve.
    pub(super) best: Vec<X::Vector>,
    /// What momentum needs to know of the sweep before.
    pub(super) memory: MomentumState<X>,
    /// Of which contacts of the step something is kept, 64 in a word.
    pub(super) is_kept: Vec<u64>,
    /// Sums over its contacts.
    pub(super) totals: ContactTotals,
    /// What the last check found here.
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
            touches: Vec::new(),
            is_primary: Vec::new(),
            copies: Vec::new(),
            split: Vec::new(),
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

/// The bodies held in a subdomain, without the world, and the factors on their inverse masses: those of its copies, which come
/// in the order of their places, else one.
pub(super) fn weighted(held: &[u32], copies: &[[u32; 2]], factors: &[f64]) -> impl Iterator<Item = (u32, f64)> {
    let mut copies = copies.iter().zip(factors).peekable();
    (0..).zip(held).skip(1).map(move |(place, &body)| {
        let copy = copies.next_if(|([own, _], _)| *own == place);
        (body, copy.map_or(1.0, |(_, factor)| *factor))
    })
}

impl<X: Dim> Subdomain<X> {
    /// The subdomain with this number.
    pub(super) fn new(number: usize) -> Self {
        Self { number: number as u32, ..Self::default() }
    }

    /// Nothing is in it any more, and nothing known of it but its number.
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

    /// All visitors leave.
    pub(super) fn clear_local_bodies(&mut self) {
        self.visitors.clear();
        self.images.clear();
        self.links.clear();
    }

    /// An image of body `body` visits; bodies come in their order.
    pub(super) fn add_local_body(&mut self, body: u32, image: Option<Image>) {
        self.visitors.push(body);
        self.images.extend(image);
    }

    /// Which image of its body visitor number `visitor` is.
    fn image(&self, visitor: u32) -> Image {
        self.images.get(visitor as usize).copied().unwrap_or(HERE)
    }

    /// Rough detection among the visitors; `swept` has the boxes of swift ones. Of pairs that `are_apart` nobody asks.
    pub(super) fn gather<'a>(
        &mut self,
        placed: impl Fn(u32, Image) -> PosedShape<'a, X>,
        margins: &[f64],
        swept: impl Fn(u32, &Bounds<X>) -> Option<Bounds<X>>,
        is_obstacle: impl Fn(u32) -> bool,
        are_apart: impl Fn(u32, u32) -> bool,
        workshop: &mut ThreadScratch<X>,
    ) {
        self.seat_links();
        let item = |(visitor, &body): (u32, &u32)| {
            let placed = placed(body, self.image(visitor));
            let (own, is_obstacle) = (placed.bounds(), is_obstacle(body));
            // The box of a path is not filled by a ball.
            match swept(body, &own) {
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
        let visitors = &self.visitors;
        // Neither are two images of one body a pair.
        let are_one = |i: u32, j: u32| i == j || are_apart(i, j);
        let keep = |i: u32, j: u32| !are_one(visitors[i as usize], visitors[j as usize]);
        search.pairs(items, keep, &mut self.candidates);
        trim(&mut self.candidates);
        trim(&mut self.visitors);
    }

    /// How a pair of visitors is looked at: which image of the second body the first one meets, and which image of the first,
    /// and so of the contact, lies here. An endless body is its own image everywhere, so it takes that of the other.
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

    /// Fine detection of the candidates; keeps the contacts whose point, of which an image is given, is `mine` in that image.
    pub(super) fn detect(
        &mut self,
        sight: &DetectionContext<'_, X>,
        mine: impl Fn(X::Vector, Image) -> bool,
        workshop: &mut ThreadScratch<X>,
    ) {
        // What was in the problem is not needed any more, and what is found becomes that of the next.
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
            // The lower id is always first, so that a contact and its normal mean the same everywhere.
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

    /// Number the bodies that touch something here: `is_obstacle` bodies stay with the world.
    pub(super) fn number(&mut self, is_obstacle: impl Fn(u32) -> bool) {
        self.places.clear();
        self.places.resize(self.visitors.len(), 0);
        // First how often each visitor is touched, then its place.
        for visitor in self.contacts.all_ends().flatten() {
            self.places[visitor as usize] += 1;
        }
        self.held.clear();
        self.held.push(u32::MAX);
        self.touches.clear();
        self.touches.push(0);
        // The images of a body follow each other.
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
        self.copies.clear();
        self.split.clear();
        self.factors.clear();
        self.is_primary.clear();
        self.is_primary.resize(self.held.len(), true);
        trim(&mut self.places);
        trim(&mut self.held);
        trim(&mut self.touches);
        trim(&mut self.is_primary);
    }

    /// Copies with a line of their own take the present velocities of their bodies.
    pub(super) fn load(&mut self) {
        for &[place, shared] in &self.split {
            self.problem.lines.load(place as usize, shared);
        }
    }

    /// Sweeps have these rooms for what only they need.
    pub(super) fn move_into(&mut self, [old, twists, marked]: [ScratchBlock; ROOMS]) {
        *self.problem.old_impulses() = ScratchVec::of(old);
        (self.memory.twists, self.marked) = (ScratchVec::of(twists), ScratchVec::of(marked));
    }

    /// Sweeps are over, and leave their rooms.
    pub(super) fn move_out(&mut self) -> [ScratchBlock; ROOMS] {
        [self.problem.old_impulses().leave(), self.memory.twists.leave(), self.marked.leave()]
    }

    /// Contact number `k` of this step, whose bodies were at the `centre`s of mid-step.
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

    /// The same, where the step is under way.
    #[inline(always)]
    pub(super) fn contact_in(&self, k: usize, context: &StepContext<X>) -> DetectedContact<X> {
        self.contact(k, context.bodies.states(), |body| context.free[body].position)
    }

    /// Normal and point as the problem knows them.
    #[inline(always)]
    pub(super) fn frame(&self, k: usize, states: &[State<X>], centre: impl Fn(usize) -> X::Vector) -> ContactFrame<X> {
        let ends = self.contacts.ends(k);
        let side = usize::from(self.places[ends[0] as usize] == WORLD);
        let body = self.body(ends[side]);
        ContactFrame::of_round(&self.problem.round.get(k), side, centre(body), states[body].size)
    }

    /// Another problem is to be made: this one cannot be asked for normals and points while that is so. Was it to be asked?
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

    /// Contact number `k` went there; they come in order.
    pub(super) fn put(&mut self, k: usize, slot: ContactSlot) {
        let is_plain = self.slots.is_empty() && slot == ContactSlot::Round(k as u32);
        if !is_plain {
            // None of those before had to be put anywhere, or all were.
            self.slots.extend((self.slots.len()..k).map(|k| ContactSlot::Round(k as u32)));
            self.slots.push(slot);
        }
    }

    /// Where contact number `k` went.
    #[inline]
    pub(super) fn slot(&self, k: usize) -> ContactSlot {
        self.slots.get(k).copied().unwrap_or(ContactSlot::Round(k as u32))
    }

    /// A copy of the contact problem of this step.
    pub fn problem(&self) -> ContactProblem<X> {
        self.problem.clone()
    }

    /// The body behind visitor number `visitor`.
    #[inline(always)]
    pub fn body(&self, visitor: u32) -> usize {
        self.visitors[visitor as usize] as usize
    }

    /// What resists rolling at contact number `k`: an impulse on the spin of its second body, over the length of the
    /// smaller body, N s.
    pub fn rolling(&self, k: usize) -> X::Vector {
        match self.slot(k) {
            ContactSlot::General(i) => self.problem.rolling_at(i).map_or(X::Vector::zero(), |rolling| rolling.impulse),
            ContactSlot::Idle | ContactSlot::Round(_) => X::Vector::zero(),
        }
    }

    /// Number of contacts.
    pub fn contact_count(&self) -> usize {
        self.contacts.len()
    }

    /// The two bodies of contact number `k`, as local bodies of the subdomain.
    pub(crate) fn ends(&self, k: usize) -> [u32; 2] {
        self.contacts.ends(k)
    }

    /// Greatest tangential impulse that the law of contact number `k` allows beside its normal impulse, N s.
    pub fn bound(&self, k: usize) -> f64 {
        match self.slot(k) {
            ContactSlot::Idle => 0.0,
            ContactSlot::Round(i) => self.problem.round.get(i as usize).bound(),
            ContactSlot::General(i) => self.problem.general[i as usize].bound(),
        }
    }

    /// The impulse of contact number `k`, on its second body, N s.
    #[inline(always)]
    pub fn impulse(&self, k: usize) -> X::Vector {
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
