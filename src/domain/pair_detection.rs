//! The narrow phase over the candidate pairs of one subdomain.

use super::contacts::ContactList;
use super::local_bodies::LocalBodies;
use super::scratch::{LocalPose, ThreadScratch};
use crate::base::index::{BodyIndex, LocalBody};
use crate::contactor::{PosedShape, Shape};
use crate::dim::{Dim, Pair, Vector};
use crate::interaction::contact_areas::contact_areas;
use crate::interaction::deep_overlap::{MovingPair, SideVerdict};
use crate::interaction::meshed::MeshedPoint;
use crate::interaction::{ContactPoint, DetectedContact, DetectionContext, narrow_phase};
use crate::model::{HERE, Image};

/// Number of candidate pairs between two checks for a stop request; one of compounds may take milliseconds.
const PAIRS_PER_CHECK: usize = 64;
/// Relative margin of the test of enclosing spheres, against rounding: the narrow phase finds nothing in pairs beyond
/// it.
const ROUNDING: f64 = 1e-9;

/// Finds the contacts of a subdomain among its candidate pairs.
pub(super) struct PairDetection<'a, X: Dim, F> {
    pub(super) context: &'a DetectionContext<'a, X>,
    pub(super) local: &'a LocalBodies,
    /// Does the subdomain contain this contact point, given with its image?
    pub(super) contains: F,
    /// The contacts that it contains.
    pub(super) contacts: &'a mut ContactList<X>,
    pub(super) scratch: &'a mut ThreadScratch<X>,
}

/// A candidate pair. The body with the lower id comes first, so that a contact and its normal mean the same everywhere.
struct CandidatePair {
    ends: [LocalBody; 2],
    bodies: [BodyIndex; 2],
    /// The image of the second body relative to the first.
    image: Image,
    /// The image of the first body, and so of the contact.
    own: Image,
    /// Distance below which the pair is in contact, m.
    alert: f64,
}

impl<X: Dim, F: Fn(X::Vector, Image) -> bool> PairDetection<'_, X, F> {
    /// Appends the contacts of all candidate pairs in their order, or of the first ones after a stop request.
    pub(super) fn run(mut self) {
        let Self { context, local, scratch: ThreadScratch { poses, approach, .. }, .. } = &mut self;
        poses.clear();
        poses.extend(local.bodies().iter().map(|&body| LocalPose::of(&context.placed(body))));
        approach.clear();
        if let Some(bounds) = &context.approach {
            let of = |&body: &BodyIndex| bounds.of(context.model, context.state(body), &context.free[body.index()]);
            approach.extend(local.bodies().iter().map(of));
        }
        for (k, ends) in self.local.candidates().enumerate() {
            if k.is_multiple_of(PAIRS_PER_CHECK) && self.context.is_asked_to_stop() {
                return;
            }
            let pair = self.candidate(ends);
            match pair.bodies.iter().any(|&body| self.context.is_meshed(body)) {
                true => self.detect_meshed(&pair),
                false => self.detect_rigid(&pair),
            }
        }
    }

    #[inline(always)]
    fn candidate(&self, [i, j]: [LocalBody; 2]) -> CandidatePair {
        let Self { context, local, scratch, .. } = self;
        let (body_i, body_j) = (local.body(i), local.body(j));
        let listed = context.alerts[body_i.index()] + context.alerts[body_j.index()];
        let alert = match &context.approach {
            Some(bounds) => bounds.alert([i, j].both(|end| &scratch.approach[end.index()])).min(listed),
            None => listed,
        };
        let is_ordered = context.state(body_i).id < context.state(body_j).id;
        let (ends, bodies) = if is_ordered { ([i, j], [body_i, body_j]) } else { ([j, i], [body_j, body_i]) };
        let is_unbounded = |end| !context.model.shape(context.state(local.body(end))).reach().is_finite();
        let (image, own) = local.pair_images(ends[0], ends[1], is_unbounded);
        CandidatePair { ends, bodies, image, own, alert }
    }

    /// Contacts of a pair of which at least one body is meshed.
    fn detect_meshed(&mut self, pair: &CandidatePair) {
        let Self { context, contains, contacts, scratch, .. } = self;
        let [_, at_middle] = context.shifts(pair.image);
        scratch.meshed.clear();
        context.meshed_touches(pair.bodies, at_middle, pair.alert, &mut scratch.meshed);
        if context.needs_areas {
            let points: Vec<_> = scratch.meshed.iter().map(|found| found.point).collect();
            pair.add_areas(context, at_middle, &points, contacts);
        }
        for MeshedPoint { point, weights } in scratch.meshed.drain(..) {
            if contains(point.point, pair.own) {
                contacts.push_deformable(pair.contact_at(point), weights);
            }
        }
    }

    /// Contacts of a pair of rigid bodies.
    #[inline(always)]
    fn detect_rigid(&mut self, pair: &CandidatePair) {
        let Self { context, contains, contacts, scratch, .. } = self;
        let ThreadScratch { poses, points, corrected, .. } = &mut **scratch;
        let [at_start, at_middle] = context.shifts(pair.image);
        let [pose_a, pose_b] = pair.ends.both(|end| &poses[end.index()]);
        let [position_a, mut position_b] = pair.bodies.both(|body| context.free[body.index()].position);
        if pair.image != HERE {
            position_b += at_middle;
        }
        let reach = pose_a.reach + pose_b.reach + pair.alert;
        if !context.fast && (position_b - position_a).norm2() > reach * reach * (1.0 + ROUNDING) {
            return;
        }
        let first = pose_a.posed(context, pair.bodies[0], position_a);
        let second = pose_b.posed(context, pair.bodies[1], position_b);
        points.clear();
        let mut deepest = 0.0f64;
        narrow_phase::touches(&first, &second, pair.alert, |point| {
            deepest = deepest.min(point.gap);
            points.push(point);
        });
        let mut keep = |found: &[ContactPoint<X>]| {
            let inside = found.iter().filter(|found| contains(found.point, pair.own));
            inside.map(|&found| contacts.push(pair.contact_at(found))).count()
        };
        if deepest == 0.0 && !context.fast {
            keep(points);
            if context.needs_areas {
                pair.add_areas(context, at_middle, points, contacts);
            }
            return;
        }
        let [start_a, start_b] = pair.bodies.both(|body| context.model.placed(context.state(body)));
        let moving = MovingPair { start: [start_a, start_b.moved(at_start)], middle: [first, second] };
        match moving.classify(points, pair.alert, corrected) {
            SideVerdict::Plain => _ = keep(points),
            SideVerdict::Corrected => _ = keep(corrected),
            SideVerdict::Ambiguous => {
                let kept = keep(points);
                contacts.ambiguous += kept as u64;
            }
        }
        if context.needs_areas {
            pair.add_areas(context, at_middle, points, contacts);
        }
    }
}

impl CandidatePair {
    /// Adds the areas that the contact points of the pair stand for if its law needs them.
    #[cold]
    fn add_areas<X: Dim>(
        &self,
        context: &DetectionContext<'_, X>,
        shift: X::Vector,
        points: &[ContactPoint<X>],
        contacts: &mut ContactList<X>,
    ) {
        let [first, second] = self.bodies;
        let [a, b] = self.bodies.both(|body| context.state(body).material);
        let is_bonded = context.model.laws.between(a, b).is_some_and(|law| law.is_per_area());
        if is_bonded && first != second && !points.is_empty() {
            let sides = [context.side(first, X::Vector::zero()), context.side(second, shift)];
            let areas = contact_areas(sides, points, self.alert);
            contacts.add_areas(self.ends, points.iter().map(|point| point.feature).zip(areas));
        }
    }

    /// The contact of the pair at this point.
    #[inline(always)]
    fn contact_at<X: Dim>(&self, found: ContactPoint<X>) -> DetectedContact<X> {
        let ([a, b], ContactPoint { feature, normal, point, gap }) = (self.ends, found);
        DetectedContact { a, b, feature, normal, point, gap, image: self.image, nodes: 0 }
    }
}

impl<X: Dim> LocalPose<X> {
    fn of(placed: &PosedShape<'_, X>) -> Self {
        let is_polytope = matches!(placed.shape, Shape::Polytope(_));
        Self { orientation: placed.orientation, reach: if is_polytope { placed.reach() } else { f64::INFINITY } }
    }

    /// The shape of the body at mid-step, at `position`.
    #[inline(always)]
    fn posed<'a>(&self, context: &DetectionContext<'a, X>, body: BodyIndex, position: X::Vector) -> PosedShape<'a, X> {
        let state = context.state(body);
        PosedShape { shape: context.model.shape(state), size: state.size, position, orientation: self.orientation }
    }
}
