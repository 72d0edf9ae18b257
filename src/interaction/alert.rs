//! Alert distances, and the Verlet skin that decides when the candidate list must be rebuilt.
//!
//! Candidates are pairs with a gap of at most alert_a + alert_b, with alert = base/2 + h max(speed, fastest/2).
//! This distance suffices for both bodies to close the gap within the step, also when a fast body sets a resting one in
//! motion; [`approach`](super::approach) has a sharper bound for each pair. `fastest` is the greatest speed of all
//! bodies except those that are fast enough to have swept paths of their own ([`swept`](super::swept)); base is at
//! least the range of the interaction laws. Candidates are built with an additional skin and stay valid while, for
//! every body, the distance travelled since then plus its alert distance does not exceed its margin.

use rayon::prelude::*;

use super::DetectionSettings;
use crate::body::State;
use crate::dim::{Dim, Vector};
use crate::integrator::FreeMotion;
use crate::model::Model;

/// Default alert distance, relative to the length of the smallest body.
const ALERT: f64 = 0.02;
/// Default skin, relative to the length of the smallest body.
const SKIN: f64 = 0.2;

/// The distances that control detection, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlertDistances {
    /// Alert distance of a pair at rest.
    pub alert: f64,
    /// Verlet skin: additional distance within which pairs are candidates.
    pub skin: f64,
    /// Length of the time step, s.
    pub h: f64,
    /// Length of the smallest body.
    pub smallest: f64,
    /// The part of the alert distance that is due to the range of interaction laws, not to motion.
    pub idle: f64,
}

impl AlertDistances {
    /// Distances from the settings of a scene; `smallest` is the length of the smallest body, `range` the largest range
    /// of a law.
    pub fn new(settings: &DetectionSettings, smallest: f64, range: f64, h: f64) -> Self {
        let smallest = if smallest.is_finite() { smallest } else { 1.0 };
        let base = settings.alert.unwrap_or(ALERT * smallest);
        let alert = base.max(range);
        Self { alert, skin: settings.skin.unwrap_or(SKIN * smallest), h, smallest, idle: alert - base }
    }

    /// Distance within which candidates are listed for a body with this alert distance.
    pub fn margin(&self, alert: f64) -> f64 {
        alert + 0.5 * self.skin
    }
}

/// Upper bound on the speed of any surface point over a step of length `h`.
pub(super) fn speed<X: Dim>(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>, h: f64) -> f64 {
    model.speed(free.position, free.velocity) + surface_speed(model, state, free, h)
}

/// The same relative to the centre. Rotation does not move the surface of a sphere, and moves no surface by more than
/// the diameter. Not a number for an unbounded body that does not rotate.
pub(super) fn surface_speed<X: Dim>(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>, h: f64) -> f64 {
    let shape = model.shape(state);
    if shape.is_round() { 0.0 } else { free.spin.norm().min(2.0 / h) * shape.reach() * state.size }
}

/// Verlet skin: the distance that each body has travelled since the candidates were built, and its margin.
#[derive(Clone, Debug, Default)]
pub struct VerletSkin {
    /// Margin of each body when the candidates were built, m.
    pub margins: Vec<f64>,
    /// Upper bound on the distance travelled since then, m.
    travelled: Vec<f64>,
    /// Candidates exist and have not been discarded; also true without any bodies.
    is_known: bool,
}

impl VerletSkin {
    /// Records that candidates are being built with these alert distances.
    pub fn renew(&mut self, distances: &AlertDistances, alerts: &[f64]) {
        self.margins.clear();
        self.margins.extend(alerts.iter().map(|&alert| distances.margin(alert)));
        self.travelled.clear();
        self.travelled.resize(alerts.len(), 0.0);
        self.is_known = true;
    }

    /// Do the candidates still contain every pair within the alert distance?
    pub fn is_fresh(&self, alerts: &[f64]) -> bool {
        self.is_known
            && self.margins.len() == alerts.len()
            && alerts.iter().zip(&self.travelled).zip(&self.margins).all(|((a, t), m)| a + t <= *m)
    }

    /// Adds the motion of a step: body `i` has moved by at most `bound(i)`, m.
    pub fn travel(&mut self, bound: impl Fn(usize) -> f64 + Sync) {
        let all = self.travelled.par_iter_mut().enumerate().with_min_len(1024);
        all.for_each(|(i, travelled)| *travelled += bound(i));
    }

    /// Limits the validity of the candidates to this step.
    pub fn expire(&mut self) {
        self.is_known = false;
    }

    /// Discards everything, so that the next step rebuilds the candidates.
    pub fn clear(&mut self) {
        self.margins.clear();
        self.travelled.clear();
        self.is_known = false;
    }
}
