//! Limits on the rotation and travel of a body within one step: bodies above them are counted, and the worst one is
//! named once, with a sufficient time step.

use super::Simulation;
use crate::body::State;
use crate::dim::{Dim, Vector};
use crate::integrator::FAR_TURN;
use crate::model::Model;
use crate::simulation::warnings::WarningKind;

/// Rotation of a body in a step of length `h`, rad. Zero for spheres, whose orientation has no effect.
pub fn rotation_in_step<X: Dim>(model: &Model<X>, state: &State<X>, h: f64) -> f64 {
    let shape = model.shape(state);
    if shape.is_round() || !shape.reach().is_finite() { 0.0 } else { state.spin.norm() * h }
}

/// Warning for a body that rotates by `rotation` in a step of length `h`.
pub fn rotation_warning(body: u64, rotation: f64, h: f64) -> String {
    format!(
        "body {body} turns by {rotation:.2} rad in a step, above {FAR_TURN} rad: its contacts see one moment of the turn only; set time.step to \
         {:.1e} s or less",
        0.9 * FAR_TURN / rotation * h
    )
}

/// Warning for a body that moves by `travel` radii in a step of length `h`, where `limit` radii are allowed.
fn travel_warning(body: u64, travel: f64, limit: f64, h: f64) -> String {
    format!(
        "body {body} moves by {travel:.1} radii in a step, above detection.max_travel = {limit}: it can pass through others; set time.step to \
         {:.1e} s or less",
        0.9 * limit / travel * h
    )
}

impl<X: Dim> Simulation<X> {
    /// Distance that a body moves in a step, in [radii](Model::travel_radius).
    pub(crate) fn travel_in_step(&self, state: &State<X>) -> f64 {
        let speed = self.model.speed(state.position, state.velocity);
        self.step_length() * speed / self.model.travel_radius(state, self.distances.smallest)
    }

    /// Does a body rotate, and does it move, too far in a step?
    pub(crate) fn is_too_fast(&self, state: &State<X>) -> [bool; 2] {
        let rotation = rotation_in_step(&self.model, state, self.step_length());
        [rotation > FAR_TURN, self.travel_in_step(state) > self.plan.detection.max_travel]
    }

    /// Collective. Issues the warnings, given how many bodies rotate and how many move too far in a step.
    pub(crate) fn warn_of_fast_bodies(&mut self, [rotating, moving]: [f64; 2]) {
        let (h, limit, now) = (self.step_length(), self.plan.detection.max_travel, (self.clock.step, self.clock.time));
        let worst = self.worst(WarningKind::FastSpin, rotating, |state| rotation_in_step(&self.model, state, h));
        let message = worst.map(|(body, rotation)| rotation_warning(body, rotation, h));
        self.warnings.add(WarningKind::FastSpin, u64::from(rotating > 0.0), now, || message.unwrap_or_default());
        let worst = self.worst(WarningKind::FastBody, moving, |state| self.travel_in_step(state));
        let message = worst.map(|(body, travel)| travel_warning(body, travel, limit, h));
        self.warnings.add(WarningKind::FastBody, u64::from(moving > 0.0), now, || message.unwrap_or_default());
    }

    /// Collective. The body with the greatest value over all processes; `None` if `count` is zero or there is already a
    /// warning of this kind.
    fn worst(&self, kind: WarningKind, count: f64, value: impl Fn(&State<X>) -> f64) -> Option<(u64, f64)> {
        if count == 0.0 || self.warnings.get(kind).is_some() {
            return None;
        }
        self.worst_of(|i| value(&self.bodies.states()[i]))
    }

    /// Collective. The body with the greatest value over all processes, with the value.
    pub(super) fn worst_of(&self, value: impl Fn(usize) -> f64) -> Option<(u64, f64)> {
        let values: Vec<f64> = (0..self.bodies.len()).map(value).collect();
        let mut most = [values.iter().copied().fold(0.0, f64::max)];
        self.domain.comm().max(&mut most);
        let ids = self.bodies.states().iter().map(|state| state.id.0);
        let first = ids.zip(values).filter(|(_, value)| *value == most[0]).map(|(id, _)| id).min();
        let (body, _) = self.domain.first_of_all(first.map(|id| (id, String::new())))?;
        Some((body, most[0]))
    }
}
