//! How far ahead detection looks: alert distances, and when a list of candidates has grown old.
//!
//! Two bodies are in contact in a step when their gap is at most alert_a + alert_b, with
//! alert = base/2 + h max(speed, fastest/2): enough for both to cover the gap within the step, also when a fast
//! body sets a resting one in motion. `fastest` is the greatest speed of all bodies but those that are so fast that they have paths
//! of their own ([`swift`](super::swept)), and base is no less than the range at which laws act. Candidates are gathered
//! with a skin on top and stay valid while, for every body, the way travelled since plus its alert distance fits
//! into what was allowed for it.

use rayon::prelude::*;

use super::DetectionSettings;
use super::swept::GreatestSpeeds;
use crate::body::State;
use crate::dim::{Dim, Vector};
use crate::integrator::FreeMotion;
use crate::model::Model;

/// Default alert distance over the smallest body.
const ALERT: f64 = 0.02;
/// Default skin over the smallest body.
const SKIN: f64 = 0.2;

/// The distances of detection, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlertDistances {
    /// Alert distance of a pair at rest.
    pub alert: f64,
    /// Extra distance of the candidate list.
    pub skin: f64,
    /// Length of the step, s.
    pub h: f64,
    /// Length of the smallest body.
    pub smallest: f64,
    /// What of the alert distance is there because laws act at a distance, not because bodies move.
    pub idle: f64,
}

impl AlertDistances {
    /// From the scene's settings; `smallest` is the length of the smallest body, `range` how far laws act.
    pub fn new(settings: &DetectionSettings, smallest: f64, range: f64, h: f64) -> Self {
        let smallest = if smallest.is_finite() { smallest } else { 1.0 };
        let base = settings.alert.unwrap_or(ALERT * smallest);
        let alert = base.max(range);
        Self { alert, skin: settings.skin.unwrap_or(SKIN * smallest), h, smallest, idle: alert - base }
    }

    /// Half the alert distance of a pair, for every body, in place of what is in `alerts`; `speeds` are those of all bodies anywhere.
    pub fn alerts<X: Dim>(
        &self,
        model: &Model<X>,
        states: &[State<X>],
        free: &[FreeMotion<X>],
        speeds: &GreatestSpeeds<X>,
        alerts: &mut Vec<f64>,
    ) {
        let both = states.par_iter().zip(free).with_min_len(1024);
        both.map(|(s, f)| self.alert_of(model, s, f, speeds)).collect_into_vec(alerts);
    }

    /// Half the alert distance of a pair, for one body.
    pub fn alert_of<X: Dim>(
        &self,
        model: &Model<X>,
        state: &State<X>,
        free: &FreeMotion<X>,
        speeds: &GreatestSpeeds<X>,
    ) -> f64 {
        let pushed = speeds.pushed(self, model, state, free);
        0.5 * self.alert + self.h * speed(model, state, free, self.h).max(0.5 * pushed)
    }

    /// How far ahead candidates are gathered for a body with this alert distance.
    pub fn margin(&self, alert: f64) -> f64 {
        alert + 0.5 * self.skin
    }
}

/// Bound on the speed of any point of the surface over a step of length `h`. A ball's own rotation moves no surface, and rotation moves
/// none by more than the diameter.
pub(super) fn speed<X: Dim>(model: &Model<X>, state: &State<X>, free: &FreeMotion<X>, h: f64) -> f64 {
    let shape = model.shape(state);
    let turning = if shape.is_round() { 0.0 } else { free.spin.norm().min(2.0 / h) * shape.reach() * state.size };
    model.speed(free.position, free.velocity) + turning
}

/// How much of its margin each body has used up since the candidates were gathered.
#[derive(Clone, Debug, Default)]
pub struct VerletSkin {
    /// Margin given to each body when candidates were gathered.
    pub margins: Vec<f64>,
    travelled: Vec<f64>,
    /// Candidates have been gathered since everything was last forgotten; also where there are no bodies.
    is_known: bool,
}

impl VerletSkin {
    /// Candidates are gathered now, with these alert distances.
    pub fn renew(&mut self, reach: &AlertDistances, alerts: &[f64]) {
        self.margins.clear();
        self.margins.extend(alerts.iter().map(|&alert| reach.margin(alert)));
        self.travelled.clear();
        self.travelled.resize(alerts.len(), 0.0);
        self.is_known = true;
    }

    /// The candidates still contain every pair within the alert distance.
    pub fn is_fresh(&self, alerts: &[f64]) -> bool {
        self.is_known
            && self.margins.len() == alerts.len()
            && alerts.iter().zip(&self.travelled).zip(&self.margins).all(|((a, t), m)| a + t <= *m)
    }

    /// Bodies have moved: body `i` by at most `way(i)`.
    pub fn travel(&mut self, way: impl Fn(usize) -> f64 + Sync) {
        let all = self.travelled.par_iter_mut().enumerate().with_min_len(1024);
        all.for_each(|(i, travelled)| *travelled += way(i));
    }

    /// What was gathered is good for this step only.
    pub fn expire(&mut self) {
        self.is_known = false;
    }

    /// Forget everything: the next step gathers anew.
    pub fn clear(&mut self) {
        self.margins.clear();
        self.travelled.clear();
        self.is_known = false;
    }
}
