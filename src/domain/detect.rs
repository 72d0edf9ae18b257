//! Contact detection in every subdomain, and the bookkeeping of the Verlet skin.

use std::sync::Arc;

use rayon::prelude::*;

use super::Domain;
use crate::base::huge_pages;
use crate::body::Bodies;
use crate::dim::{Dim, Vector};
use crate::integrator::FreeMotion;
use crate::interaction::swept::SweptPaths;
use crate::interaction::{self, DetectionContext};
use crate::model::Model;

impl<X: Dim> Domain<X> {
    /// Collective. Detects the contacts of the step in every subdomain here. `paths` gives the predicted motion of the
    /// bodies, and the time of mid-step.
    pub fn detect(&mut self, bodies: &Bodies<X>, paths: &SweptPaths<'_, X>) {
        let SweptPaths { model, free, alerts, reach, speeds, span, .. } = *paths;
        if !self.skin.is_fresh(alerts) || speeds.choose() {
            self.gather(bodies, paths);
        }
        if speeds.choose() {
            self.skin.expire();
        }
        let cuts = &self.cuts;
        let most = alerts.iter().copied().fold(0.0, f64::max);
        let fast = interaction::deep_overlap::is_fast(2.0 * most - reach.idle, reach.smallest);
        let stop = self.stop.clone();
        let sight =
            DetectionContext { states: bodies.states(), model, free, alerts, fast, span: *span, stop: stop.as_deref() };
        let scratch = &self.scratch;
        self.subdomains.par_iter_mut().for_each(|subdomain| {
            let number = subdomain.number as usize;
            let mine = |point: X::Vector, image| match &model.cell {
                None => cuts.holds(number, &point.in_space()),
                // Of all images of a contact, only the one whose point lies in the cell counts.
                Some(cell) => {
                    let seen = || (point + cell.shift(image, span.middle)).in_space();
                    cell.home(point, span.middle) == image && cuts.holds(number, &seen())
                }
            };
            scratch.lend(|workshop| subdomain.detect(&sight, mine, workshop));
        });
        self.agree_to_stop();
    }

    /// Charges the Verlet skin with a step of length `h` at the present velocities and with the displacements `moved`.
    pub fn travelled(&mut self, bodies: &Bodies<X>, model: &Model<X>, h: f64, moved: Option<&[(X::Vector, X::Spin)]>) {
        let states = bodies.states();
        self.skin.travel(|i| {
            let state = &states[i];
            let shape = model.shape(state);
            // An anchor of a link moves even if a sphere merely spins.
            let surface = if shape.is_round() { 0.0 } else { shape.reach() * state.size };
            let extent = surface.max(model.links.reach(state.id));
            let (way, turn) = moved.map_or((0.0, 0.0), |moved| (moved[i].0.norm(), moved[i].1.norm()));
            h * model.speed(state.position, state.velocity) + way + (h * state.spin.norm() + turn) * extent
        });
    }

    /// Frees the scratch buffers that the next step would fill anew.
    pub fn let_go(&mut self) {
        (self.sorting, self.scratch, self.interface.finding) = Default::default();
        (self.end, self.contact_counts) = Default::default();
        (self.all_to_all, self.received, self.is_primary) = Default::default();
        self.subdomains.iter_mut().for_each(|subdomain| subdomain.touches = Vec::new());
        huge_pages::give_back();
    }

    /// Keeps the predicted motion of the step to reconstruct its contacts.
    pub fn keep_motion(&mut self, free: Arc<Vec<FreeMotion<X>>>) {
        self.free = free;
    }

    /// Releases the predicted motion of the last step, so that the next prediction can overwrite it.
    pub fn release_motion(&mut self) {
        self.free = Arc::clone(&self.nowhere);
    }
}
