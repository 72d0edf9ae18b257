//! Compact list of the contacts of a subdomain, which dominate the memory per body.
//!
//! Normals and points have an array of their own only until the problem is assembled. If every contact is a round
//! contact of the problem, the problem determines the normal and the distance of the point from the centres, and the
//! array hands its buffer to the problem.

use bytemuck::{Pod, Zeroable};

use crate::base::index::{ContactIndex, IndexVec, LocalBody};
use crate::base::scratch::{ScratchBlock, ScratchVec};
use crate::base::trim;
use crate::body::NodeWeights;
use crate::dim::Dim;
use crate::interaction::DetectedContact;
use crate::interaction::history::ContactId;
use crate::model::{HERE, Image};
use crate::solver::SphereContact;

/// The part of a contact that the problem does not store.
#[derive(Clone, Copy)]
struct ContactEntry {
    a: LocalBody,
    b: LocalBody,
    gap: f64,
}

/// Distinguishes the contacts of one pair of bodies.
#[derive(Clone, Copy, PartialEq)]
struct ContactName {
    feature: u64,
    image: Image,
    /// Position of its nodes in the list of nodes plus one; zero between rigid bodies.
    nodes: u32,
}

/// Name of the only contact of two spheres.
const ONLY: ContactName = ContactName { feature: 0, image: HERE, nodes: 0 };

/// Normal and point of a contact.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ContactFrame<X: Dim> {
    pub(super) normal: X::Vector,
    pub(super) point: X::Vector,
}

// SAFETY: only `f64` vectors, for which all-zero bytes are valid.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Zeroable for ContactFrame<X> {}
// SAFETY: as above; `repr(C)` with fields of whole `f64` numbers leaves no padding, and any bytes are valid numbers.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Pod for ContactFrame<X> {}

impl<X: Dim> ContactFrame<X> {
    /// Frame of a round contact, from the sphere of this `size` at this `centre`: the first of the pair (`side` 0) or
    /// the second.
    #[inline(always)]
    pub(super) fn of_round(round: &SphereContact<X>, side: usize, centre: X::Vector, size: f64) -> Self {
        let (normal, arm) = (round.normal(), round.arm() * size);
        Self { normal, point: centre + normal * if side == 0 { arm } else { -arm } }
    }
}

/// Contacts by number.
#[derive(Default)]
pub(super) struct ContactList<X: Dim> {
    entries: IndexVec<ContactIndex, ContactEntry>,
    /// Name of each contact; empty while each is the only one of its bodies.
    names: IndexVec<ContactIndex, ContactName>,
    /// Nodes of deformable bodies at either end of their contacts.
    nodes: Vec<[NodeWeights; 2]>,
    /// Frame of each contact; empty where the problem determines them.
    frames: ScratchVec<ContactFrame<X>>,
    /// Number of contacts before those of links.
    detected: usize,
    /// Areas that contacts stand for, by the ends of their pair and their feature, in the order of pairs; where bonds
    /// form that need them.
    areas: Vec<([LocalBody; 2], u64, f64)>,
    /// Number of contacts whose overlap is too deep to determine a contact normal.
    pub(super) ambiguous: u64,
}

impl<X: Dim> ContactList<X> {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The indices of all contacts.
    pub(super) fn indices(&self) -> impl ExactSizeIterator<Item = ContactIndex> + use<X> {
        (0..self.entries.len()).map(ContactIndex::new)
    }

    /// Removes all contacts and reserves space for about as many.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.frames.make_room(self.entries.len());
        self.entries.raw.clear();
        self.names.raw.clear();
        self.nodes.clear();
        self.areas.clear();
        (self.detected, self.ambiguous) = (0, 0);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, contact: DetectedContact<X>) {
        let DetectedContact { a, b, feature, normal, point, gap, image, nodes } = contact;
        let name = ContactName { feature, image, nodes };
        if name != ONLY || !self.names.is_empty() {
            self.name_next(name);
        }
        self.entries.raw.push(ContactEntry { a, b, gap });
        self.frames.push(ContactFrame { normal, point });
    }

    /// Adds a contact with the nodes of deformable bodies at either end.
    pub(super) fn push_deformable(&mut self, contact: DetectedContact<X>, nodes: [NodeWeights; 2]) {
        self.nodes.push(nodes);
        self.push(DetectedContact { nodes: self.nodes.len() as u32, ..contact });
    }

    /// Adds the areas that the contacts of a pair stand for, by their features.
    pub(super) fn add_areas(&mut self, ends: [LocalBody; 2], areas: impl Iterator<Item = (u64, f64)>) {
        self.areas.extend(areas.map(|(feature, area)| (ends, feature, area)));
    }

    /// The area that a contact stands for, m2 (m in the plane); zero where it is not needed.
    pub(super) fn area(&self, contact: &DetectedContact<X>) -> f64 {
        let key = |[a, b]: [LocalBody; 2]| [a.min(b), a.max(b)];
        let own = key(contact.ends());
        let from = self.areas.partition_point(|(ends, ..)| key(*ends) < own);
        let of_pair = self.areas[from..].iter().take_while(|(ends, ..)| key(*ends) == own);
        of_pair.filter(|(_, feature, _)| *feature == contact.feature).map(|(.., area)| area).sum()
    }

    /// The nodes of deformable bodies at either end of a contact, if it has any.
    #[inline]
    pub(super) fn nodes_at(&self, contact: &DetectedContact<X>) -> Option<&[NodeWeights; 2]> {
        self.nodes.get((contact.nodes as usize).checked_sub(1)?)
    }

    /// Number of contacts at deformable bodies.
    pub(super) fn deformable(&self) -> usize {
        self.nodes.len()
    }

    /// The nodes at all contacts, with their local bodies.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (LocalBody, u32)> {
        let named = self.entries.raw.iter().zip(&self.names.raw).filter(|(_, name)| name.nodes > 0);
        let ends =
            named.flat_map(|(entry, name)| [entry.a, entry.b].into_iter().zip(&self.nodes[name.nodes as usize - 1]));
        ends.flat_map(|(local, weights)| weights.iter().map(move |(node, _)| (local, node)))
    }

    /// Names the next contact; contacts before it without a name get [`ONLY`].
    #[inline(never)]
    fn name_next(&mut self, name: ContactName) {
        self.names.raw.resize(self.entries.len(), ONLY);
        self.names.raw.push(name);
    }

    pub(super) fn trim(&mut self) {
        trim(&mut self.entries.raw);
        trim(&mut self.names.raw);
        self.frames.trim();
    }

    /// The two local bodies of contact number `k`.
    #[inline]
    pub(super) fn ends(&self, k: ContactIndex) -> [LocalBody; 2] {
        [self.entries[k].a, self.entries[k].b]
    }

    /// All contacts so far were detected; from here on follow those of links.
    pub(super) fn end_detected(&mut self) {
        self.detected = self.entries.len();
    }

    /// Features of the detected contacts of two local bodies, increasing. Contacts come in the order of their candidate
    /// pairs, which are sorted.
    pub(super) fn features_between(&self, ends: [LocalBody; 2]) -> Vec<u64> {
        let key = |[a, b]: [LocalBody; 2]| [a.min(b), a.max(b)];
        let detected = &self.entries.raw[..self.detected];
        let from = detected.partition_point(|entry| key([entry.a, entry.b]) < key(ends));
        let own = detected[from..].iter().take_while(|entry| key([entry.a, entry.b]) == key(ends)).count();
        let mut features: Vec<u64> = (from..from + own).map(|k| self.name(ContactIndex::new(k)).feature).collect();
        features.sort_unstable();
        features
    }

    /// Is contact number `k` that of a link?
    pub(super) fn is_link(&self, k: ContactIndex) -> bool {
        ContactId::link_of(self.name(k).feature).is_some()
    }

    /// Is any contact named?
    pub(super) fn have_names(&self) -> bool {
        !self.names.is_empty()
    }

    #[inline]
    fn name(&self, k: ContactIndex) -> ContactName {
        self.names.get(k).copied().unwrap_or(ONLY)
    }

    /// The local bodies of all contacts.
    pub(super) fn all_ends(&self) -> impl Iterator<Item = [LocalBody; 2]> {
        self.entries.raw.iter().map(|entry| [entry.a, entry.b])
    }

    /// Normal and point of contact number `k`, if stored here.
    #[inline(always)]
    pub(super) fn frame(&self, k: ContactIndex) -> Option<&ContactFrame<X>> {
        self.frames.get(k.index())
    }

    /// Contact number `k` with this frame.
    #[inline(always)]
    pub(super) fn get(&self, k: ContactIndex, frame: &ContactFrame<X>) -> DetectedContact<X> {
        let (ContactEntry { a, b, gap }, ContactName { feature, image, nodes }) = (self.entries[k], self.name(k));
        let ContactFrame { normal, point } = *frame;
        DetectedContact { a, b, feature, normal, point, gap, image, nodes }
    }

    /// Are the frames stored here?
    pub(super) fn have_frames(&self) -> bool {
        self.frames.len() == self.entries.len()
    }

    /// Drops the frames, which the problem now determines, and returns their buffer.
    pub(super) fn forget_frames(&mut self) -> ScratchBlock {
        self.frames.leave()
    }

    /// Stores the frames of all contacts here again.
    pub(super) fn restore_frames(&mut self, frames: ScratchVec<ContactFrame<X>>) {
        self.frames = frames;
    }

    /// Does the array of frames have a buffer?
    pub(super) fn have_room(&self) -> bool {
        self.frames.has_room()
    }

    /// Gives the array of frames a buffer.
    pub(super) fn take_scratch(&mut self, room: ScratchBlock) {
        self.frames = ScratchVec::of(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use crate::law::Reduced;
    use nalgebra::Vector3;

    fn contact(normal: Vector3<f64>, point: Vector3<f64>) -> DetectedContact<Space> {
        DetectedContact {
            a: LocalBody(3),
            b: LocalBody(7),
            feature: 1 << 60,
            normal,
            point,
            gap: -1e-3,
            image: [0, -2, 1],
            nodes: 0,
        }
    }

    #[test]
    fn a_contact_is_what_it_was_when_it_came_in() {
        let mut contacts = ContactList::<Space>::default();
        let given = contact(Vector3::x(), Vector3::new(0.1, 0.2, 0.3));
        let plain = DetectedContact { feature: 0, image: HERE, ..given };
        for one in [plain, plain, given, plain] {
            contacts.push(one);
        }
        let found = contacts.indices().map(|k| contacts.get(k, contacts.frame(k).unwrap()));
        assert!(found.eq([plain, plain, given, plain]));
        assert_eq!((contacts.len(), contacts.ends(ContactIndex(2))), (4, [LocalBody(3), LocalBody(7)]));
    }

    #[test]
    fn the_features_between_two_bodies_are_those_of_their_detected_contacts() {
        let mut contacts = ContactList::<Space>::default();
        let named = |a, b, feature| {
            let any = contact(Vector3::x(), Vector3::zeros());
            DetectedContact { a: LocalBody(a), b: LocalBody(b), feature, ..any }
        };
        for (a, b, feature) in [(0, 5, 9), (2, 1, 7), (2, 1, 4), (1, 3, 8), (4, 3, 0)] {
            contacts.push(named(a, b, feature));
        }
        contacts.end_detected();
        contacts.push(named(1, 2, ContactId::link(0)));
        assert_eq!(contacts.features_between([LocalBody(2), LocalBody(1)]), [4, 7]);
        assert_eq!(contacts.features_between([LocalBody(3), LocalBody(4)]), [0]);
        assert!(contacts.features_between([LocalBody(0), LocalBody(1)]).is_empty());
    }

    #[test]
    fn the_frame_of_a_round_contact_is_that_which_the_problem_knows_from_either_side() {
        let normal = Vector3::new(2.0, -1.0, 2.0) / 3.0;
        let (centres, sizes) = ([Vector3::new(1.0, 2.0, 3.0), Vector3::new(1.0, 2.0, 3.0) + normal * 0.45], [0.1, 0.4]);
        let point = centres[0] + normal * (0.9 * sizes[0]);
        let law = Reduced::cone(Vector3::zeros(), 0.5);
        let round = SphereContact::new([1, 2], normal, 0.9, &law, Vector3::zeros());
        let mut contacts = ContactList::<Space>::default();
        contacts.push(contact(normal, point));
        contacts.forget_frames();
        assert!(contacts.frame(ContactIndex(0)).is_none());
        for side in [0, 1] {
            let found =
                contacts.get(ContactIndex(0), &ContactFrame::of_round(&round, side, centres[side], sizes[side]));
            assert_eq!(found.normal, normal);
            assert!((found.point - point).norm() < 1e-15);
        }
    }
}
