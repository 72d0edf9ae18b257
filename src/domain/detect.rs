//! Contact detection in every subdomain, and the bookkeeping of the Verlet skin.

use std::sync::Arc;

use rayon::prelude::*;

use super::pair_detection::PairDetection;
use super::scratch::ThreadScratch;
use super::{Domain, Subdomain};
use crate::base::huge_pages;
use crate::body::Bodies;
use crate::dim::{Dim, Vector};
use crate::integrator::{FreeMotion, FreeNodes};
use crate::interaction::approach::ApproachBounds;
use crate::interaction::swept::SweptPaths;
use crate::interaction::{DetectionContext, deep_overlap};
use crate::model::{Image, Model};

impl<X: Dim> Domain<X> {
    /// Collective. Detects the contacts of the step in every subdomain here. `paths` gives the predicted motion of the
    /// bodies, and the time of mid-step; `nodes` that of the nodes of deformable bodies. Bonds form in the first step.
    pub fn detect(&mut self, bodies: &Bodies<X>, paths: &SweptPaths<'_, X>, nodes: &FreeNodes<X>, is_first: bool) {
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
            approach: ApproachBounds::new(distances, speeds),
            fast,
            span: *span,
            needs_areas: is_first && model.laws.has_area_law(),
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
        self.contacts.clear();
        let Self { local, contacts, .. } = self;
        PairDetection { context, local, contains: &contains, contacts, scratch }.run();
        self.contacts.end_detected();
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
