//! The local bodies of a subdomain: those that may come into contact, and the pairs of them.
//!
//! They are listed when the candidates are built and stay valid until a body has used up its Verlet skin.

use super::scratch::ThreadScratch;
use crate::base::index::{BodyIndex, IndexVec, LocalBody};
use crate::base::trim;
use crate::contactor::{Bounds, PosedShape};
use crate::dim::Dim;
use crate::interaction::broad_phase::BroadPhaseItem;
use crate::model::{HERE, Image, seen_from};

/// The local bodies of a subdomain, in body order: of those with an image whose inflated box touches it, the ones with a
/// candidate pair or a link.
#[derive(Default)]
pub(super) struct LocalBodies {
    /// The body of each local body.
    bodies: IndexVec<LocalBody, BodyIndex>,
    /// Periodic image of each local body; empty without a periodic cell.
    images: IndexVec<LocalBody, Image>,
    /// Pairs of local bodies that may come within the alert distance before the candidates are rebuilt, as the broad
    /// phase numbers them.
    candidates: Vec<[u32; 2]>,
    /// Links whose midpoint may enter the subdomain before the candidates are rebuilt: the number of each, and the
    /// bodies it joins.
    linked: Vec<(u32, [BodyIndex; 2])>,
    /// The same links with the local bodies they join.
    links: Vec<(u32, [LocalBody; 2])>,
}

impl LocalBodies {
    /// Removes everything.
    pub(super) fn clear(&mut self) {
        self.clear_bodies();
        self.candidates.clear();
    }

    /// Removes all local bodies and links.
    pub(super) fn clear_bodies(&mut self) {
        self.bodies.raw.clear();
        self.images.raw.clear();
        self.linked.clear();
        self.links.clear();
    }

    /// Adds an image of body `body`; to be called in body order.
    pub(super) fn add(&mut self, body: BodyIndex, image: Option<Image>) {
        self.bodies.raw.push(body);
        self.images.raw.extend(image);
    }

    /// Adds link number `number` between two bodies.
    pub(super) fn add_link(&mut self, number: u32, bodies: [BodyIndex; 2]) {
        self.linked.push((number, bodies));
    }

    /// The body of each local body; images of one body are adjacent.
    pub(super) fn bodies(&self) -> &[BodyIndex] {
        &self.bodies.raw
    }

    /// The body of a local body.
    #[inline(always)]
    pub(super) fn body(&self, local: LocalBody) -> BodyIndex {
        self.bodies[local]
    }

    /// Periodic image of a local body.
    fn image(&self, local: LocalBody) -> Image {
        self.images.get(local).copied().unwrap_or(HERE)
    }

    /// Pairs of local bodies that may come into contact.
    pub(super) fn candidates(&self) -> impl Iterator<Item = [LocalBody; 2]> {
        self.candidates.iter().map(|pair| pair.map(LocalBody))
    }

    /// Links that may belong to the subdomain: the number of each, and the local bodies it joins.
    pub(super) fn links(&self) -> &[(u32, [LocalBody; 2])] {
        &self.links
    }

    /// Makes the bodies of links local bodies.
    fn make_links_local(&mut self) {
        let Self { bodies, linked, links, .. } = self;
        if linked.is_empty() {
            return;
        }
        bodies.raw.extend(linked.iter().flat_map(|(_, pair)| pair));
        bodies.raw.sort_unstable();
        bodies.raw.dedup();
        let local = |body: BodyIndex| LocalBody::new(bodies.raw.partition_point(|&other| other < body));
        links.extend(linked.iter().map(|&(number, pair)| (number, pair.map(local))));
    }

    /// Broad phase: builds the candidate pairs. `placed` gives the pose of an image of a body, `swept` the bounds of
    /// the path of a fast body; pairs that `are_apart` are skipped.
    pub(super) fn build_candidates<'a, X: Dim>(
        &mut self,
        placed: impl Fn(BodyIndex, Image) -> PosedShape<'a, X>,
        margins: &[f64],
        swept: impl Fn((BodyIndex, Image), &Bounds<X>) -> Option<Bounds<X>>,
        is_obstacle: impl Fn(BodyIndex) -> bool,
        are_apart: impl Fn((BodyIndex, Image), (BodyIndex, Image)) -> bool,
        scratch: &mut ThreadScratch<X>,
    ) {
        self.make_links_local();
        let item = |(local, &body): (LocalBody, &BodyIndex)| {
            let image = self.image(local);
            let placed = placed(body, image);
            let (own, is_obstacle) = (placed.bounds(), is_obstacle(body));
            // A sphere does not fill the bounds of its path.
            match swept((body, image), &own) {
                Some(bounds) => BroadPhaseItem { bounds, is_ball: false, is_obstacle },
                None => BroadPhaseItem {
                    bounds: own.inflated(margins[body.index()]),
                    is_ball: placed.shape.is_ball(),
                    is_obstacle,
                },
            }
        };
        let ThreadScratch { items, search, .. } = scratch;
        items.clear();
        items.extend(self.bodies.enumerated().map(item));
        let Self { bodies, images, candidates, .. } = self;
        let imaged = |i: u32| (bodies[LocalBody(i)], images.get(LocalBody(i)).copied().unwrap_or(HERE));
        // Two images of the same body are no pair either.
        let are_excluded = |a: (BodyIndex, Image), b: (BodyIndex, Image)| a.0 == b.0 || are_apart(a, b);
        let is_pair = |i: u32, j: u32| !are_excluded(imaged(i), imaged(j));
        search.pairs(items, is_pair, candidates);
    }

    /// Pairs each body that may come into contact with itself with itself.
    pub(super) fn add_self_pairs(&mut self, is_own_neighbour: impl Fn(BodyIndex) -> bool) {
        let Self { bodies, candidates, .. } = self;
        let count = candidates.len();
        candidates.extend((0..bodies.len() as u32).filter(|&i| is_own_neighbour(bodies[LocalBody(i)])).map(|i| [i, i]));
        if candidates.len() > count {
            candidates.sort_unstable();
        }
    }

    /// Removes the local bodies without candidate pairs and links, and numbers the others anew, in the same order.
    pub(super) fn keep_paired<X: Dim>(&mut self, scratch: &mut ThreadScratch<X>) {
        let numbers = &mut scratch.numbers;
        let Self { bodies, images, candidates, links, .. } = self;
        const ABSENT: u32 = u32::MAX;
        numbers.clear();
        numbers.resize(bodies.len(), ABSENT);
        candidates.iter().flatten().for_each(|&i| numbers[i as usize] = 0);
        links.iter().flat_map(|(_, ends)| ends).for_each(|end| numbers[end.index()] = 0);
        (0..).zip(numbers.iter_mut().filter(|number| **number != ABSENT)).for_each(|(kept, number)| *number = kept);
        let is_kept = || numbers.iter().map(|&number| number != ABSENT);
        retain(&mut bodies.raw, is_kept());
        if !images.is_empty() {
            retain(&mut images.raw, is_kept());
        }
        candidates.iter_mut().flatten().for_each(|i| *i = numbers[*i as usize]);
        links.iter_mut().flat_map(|(_, ends)| ends).for_each(|end| *end = LocalBody(numbers[end.index()]));
        trim(candidates);
        trim(&mut bodies.raw);
    }

    /// Periodic images of a pair of local bodies: the image of the second body relative to the first, and the image of
    /// the first, and so of the contact, that lies in this subdomain. An unbounded body is its own image everywhere and
    /// takes the image of the other.
    pub(super) fn pair_images(
        &self,
        a: LocalBody,
        b: LocalBody,
        is_unbounded: impl Fn(LocalBody) -> bool,
    ) -> (Image, Image) {
        if self.images.is_empty() {
            return (HERE, HERE);
        }
        let (own, other) = (self.image(a), self.image(b));
        if is_unbounded(a) || is_unbounded(b) {
            return (HERE, if is_unbounded(a) { other } else { own });
        }
        (seen_from(own, other), own)
    }
}

/// Keeps the items that are to be kept; there is a flag for each.
fn retain<T>(items: &mut Vec<T>, mut is_kept: impl Iterator<Item = bool>) {
    items.retain(|_| is_kept.next().unwrap_or(true));
}
