//! Contact detection in every subdomain, and the bookkeeping of the Verlet skin.

use std::sync::Arc;

use rayon::prelude::*;

use super::scratch::{LocalPose, ThreadScratch};
use super::{Domain, Subdomain};
use crate::base::huge_pages;
use crate::base::index::{BodyIndex, LocalBody};
use crate::body::Bodies;
use crate::contactor::{PosedShape, Shape};
use crate::dim::{Dim, Pair, Vector};
use crate::integrator::{FreeMotion, FreeNodes};
use crate::interaction::deep_overlap::{self, MovingPair, SideVerdict};
use crate::interaction::meshed::MeshedPoint;
use crate::interaction::swept::SweptPaths;
use crate::interaction::{ContactPoint, DetectedContact, DetectionContext, narrow_phase};
use crate::model::{HERE, Image, Model};

/// Number of candidate pairs between two checks for a stop request; one of compounds may take milliseconds.
const PAIRS_PER_CHECK: usize = 64;
/// Relative margin of the test of enclosing spheres, against rounding: the narrow phase finds nothing in pairs beyond it.
const ROUNDING: f64 = 1e-9;

impl<X: Dim> Domain<X> {
    /// Collective. Detects the contacts of the step in every subdomain here. `paths` gives the predicted motion of the
    /// bodies, and the time of mid-step; `nodes` that of the nodes of deformable bodies.
    pub fn detect(&mut self, bodies: &Bodies<X>, paths: &SweptPaths<'_, X>, nodes: &FreeNodes<X>) {
        let SweptPaths { model, free, alerts, distances, speeds, span, .. } = *paths;
        if !self.skin.is_fresh(alerts) || speeds.selects_pairs() {
            self.build_candidates(bodies, paths);
        }
        if speeds.selects_pairs() {
            self.skin.expire();
        }
        let cuts = &self.decomposition.cuts;
        let most = alerts.iter().copied().fold(0.0, f64::max);
        let fast = deep_overlap::is_fast(2.0 * most - distances.idle, distances.smallest);
        let context = DetectionContext {
            states: bodies.states(),
            model,
            free,
            nodes,
            alerts,
            fast,
            span: *span,
            stop: self.stop.flag(),
        };
        let pool = &self.buffers.scratch;
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            let number = subdomain.number.index();
            let contains = |point: X::Vector, image| match &model.cell {
                None => cuts.holds(number, &point.in_space()),
                // Of all images of a contact, only the one whose point lies in the cell counts.
                Some(cell) => {
                    let seen = || (point + cell.shift(image, span.middle)).in_space();
                    cell.home(point, span.middle) == image && cuts.holds(number, &seen())
                }
            };
            pool.lend(|scratch| subdomain.detect(&context, contains, scratch));
        });
        self.stop.agree(&*self.comm);
    }

    /// Charges the Verlet skin with a step of length `h` at the present velocities and with the displacements `moved`.
    pub fn record_travel(
        &mut self,
        bodies: &Bodies<X>,
        model: &Model<X>,
        h: f64,
        moved: Option<&[(X::Vector, X::Spin)]>,
    ) {
        let states = bodies.states();
        self.skin.travel(|i| {
            let state = &states[i];
            let shape = model.shape(state);
            // An anchor of a link moves even if a sphere merely spins.
            let surface = if shape.is_round() { 0.0 } else { shape.reach() * state.size };
            let extent = surface.max(model.links.reach(state.id));
            let (displacement, rotation) = moved.map_or((0.0, 0.0), |moved| (moved[i].0.norm(), moved[i].1.norm()));
            h * model.speed(state.position, state.velocity) + displacement + (h * state.spin.norm() + rotation) * extent
        });
    }

    /// Frees the scratch buffers that the next step would fill anew.
    pub fn free_buffers(&mut self) {
        self.buffers.free();
        (self.interface.finding, self.motion.end) = Default::default();
        self.subdomains.iter_mut().for_each(|subdomain| {
            subdomain.active.free_counts();
            subdomain.correction = Default::default();
        });
        huge_pages::give_back();
    }

    /// Keeps the predicted motion of the step to reconstruct its contacts.
    pub fn keep_motion(&mut self, free: Arc<Vec<FreeMotion<X>>>) {
        self.motion.free = Some(free);
    }

    /// Releases the predicted motion of the last step, so that the next prediction can overwrite it.
    pub fn release_motion(&mut self) {
        self.motion.free = None;
    }
}

impl<X: Dim> Subdomain<X> {
    /// Narrow phase over the candidates; keeps the contacts for which the subdomain `contains` the contact point, given
    /// with its image.
    fn detect(
        &mut self,
        context: &DetectionContext<'_, X>,
        contains: impl Fn(X::Vector, Image) -> bool,
        scratch: &mut ThreadScratch<X>,
    ) {
        self.discard_problem();
        let mut contacts = std::mem::take(&mut self.contacts);
        contacts.clear();
        let (local, mut ambiguous) = (&self.local, 0);
        let is_unbounded = |i: LocalBody| !context.model.shape(context.state(local.body(i))).reach().is_finite();
        let mut meshed = Vec::new();
        let [mut points, mut corrected] = [&mut scratch.points, &mut scratch.corrected].map(std::mem::take);
        scratch.poses.clear();
        scratch.poses.extend(local.bodies().iter().map(|&body| LocalPose::of(&context.placed(body))));
        let poses = &scratch.poses;
        for (k, [i, j]) in local.candidates().enumerate() {
            if k.is_multiple_of(PAIRS_PER_CHECK) && context.is_asked_to_stop() {
                break;
            }
            let (body_i, body_j) = (local.body(i), local.body(j));
            let alert = context.alerts[body_i.index()] + context.alerts[body_j.index()];
            // The body with the lower id comes first, so that a contact and its normal mean the same everywhere.
            let is_ordered = context.state(body_i).id < context.state(body_j).id;
            let (a, b, body_a, body_b) = if is_ordered { (i, j, body_i, body_j) } else { (j, i, body_j, body_i) };
            let (image, own) = local.pair_images(a, b, is_unbounded);
            let [at_start, at_middle] = context.shifts(image);
            let mut keep = |found: ContactPoint<X>| {
                let is_inside = contains(found.point, own);
                if is_inside {
                    let ContactPoint { feature, normal, point, gap } = found;
                    contacts.push(DetectedContact { a, b, feature, normal, point, gap, image, nodes: 0 });
                }
                is_inside
            };
            if context.is_meshed(body_a) || context.is_meshed(body_b) {
                meshed.clear();
                context.meshed_touches([body_a, body_b], at_middle, alert, &mut meshed);
                for MeshedPoint { point: ContactPoint { feature, normal, point, gap }, weights } in meshed.drain(..) {
                    if contains(point, own) {
                        let contact = DetectedContact { a, b, feature, normal, point, gap, image, nodes: 0 };
                        contacts.push_deformable(contact, weights);
                    }
                }
                continue;
            }
            points.clear();
            let mut deepest = 0.0f64;
            let [pose_a, pose_b] = [&poses[a.index()], &poses[b.index()]];
            let [position_a, mut position_b] = [body_a, body_b].both(|body| context.free[body.index()].position);
            if image != HERE {
                position_b += at_middle;
            }
            let reach = pose_a.reach + pose_b.reach + alert;
            if !context.fast && (position_b - position_a).norm2() > reach * reach * (1.0 + ROUNDING) {
                continue;
            }
            let first = pose_a.posed(context, body_a, position_a);
            let second = pose_b.posed(context, body_b, position_b);
            narrow_phase::touches(&first, &second, alert, |point| {
                deepest = deepest.min(point.gap);
                points.push(point);
            });
            if deepest == 0.0 && !context.fast {
                points.iter().for_each(|&point| _ = keep(point));
                continue;
            }
            let [start_a, start_b] = [body_a, body_b].both(|body| context.model.placed(context.state(body)));
            let moving = MovingPair { start: [start_a, start_b.moved(at_start)], middle: [first, second] };
            match moving.classify(&points, alert, &mut corrected) {
                SideVerdict::Plain => points.iter().for_each(|&point| _ = keep(point)),
                SideVerdict::Corrected => corrected.iter().for_each(|&point| _ = keep(point)),
                SideVerdict::Ambiguous => ambiguous += points.iter().filter(|&&point| keep(point)).count() as u64,
            }
        }
        (scratch.points, scratch.corrected) = (points, corrected);
        contacts.ambiguous = ambiguous;
        contacts.end_detected();
        self.contacts = contacts;
        self.detect_links(context, contains);
        self.contacts.trim();
    }

    /// Clears the problem of the last step, whose buffer takes the frames of the new contacts.
    fn discard_problem(&mut self) {
        match self.contacts.have_room() {
            true => self.assembled.problem.clear(),
            false => self.contacts.take_scratch(self.assembled.problem.give_scratch()),
        }
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
