//! Bodies that turn or move too far within one step: counted, the worst of them named once, with the step that would do.

use super::Simulation;
use crate::dim::{Dim, Vector};
use crate::integrator::FAR_TURN;
use crate::io::warnings::WarningKind;
use crate::model::Model;
use crate::state::State;

/// By how much a body turns in a step of length `h`, rad. However a ball is turned, it looks the same.
pub fn turn_in_step<X: Dim>(model: &Model<X>, state: &State<X>, h: f64) -> f64 {
    let shape = model.shape(state);
    if shape.is_round() || !shape.reach().is_finite() { 0.0 } else { state.spin.norm() * h }
}

/// What to say of a body that turns by so much in a step of length `h`.
pub fn words_on_turn(body: u64, turn: f64, h: f64) -> String {
    format!(
        "body {body} turns by {turn:.2} rad in a step, above {FAR_TURN} rad: its contacts see one moment of the turn only; set time.step to \
         {:.1e} s or less",
        0.9 * FAR_TURN / turn * h
    )
}

impl<X: Dim> Simulation<X> {
    /// Collective. So many bodies turn too far in a step.
    pub(super) fn warn_of_fast_bodies(&mut self, turning: f64) {
        let h = self.step_length();
        let turn = |state: &State<X>| turn_in_step(&self.model, state, h);
        if let Some((body, turn)) = self.worst(WarningKind::FastSpin, turning, turn) {
            let now = (self.clock.step, self.clock.time);
            self.warnings.add(WarningKind::FastSpin, 1, now, || words_on_turn(body, turn, h));
        } else if turning > 0.0 {
            self.warnings.add(WarningKind::FastSpin, 1, (self.clock.step, self.clock.time), String::new);
        }
    }

    /// Collective. The body with the greatest value of all, if there are any to name and the kind has not been told of.
    fn worst(&self, kind: WarningKind, count: f64, value: impl Fn(&State<X>) -> f64) -> Option<(u64, f64)> {
        if !(count > 0.0) || self.warnings.get(kind).is_some() {
            return None;
        }
        let states = self.bodies.states();
        let mut most = [states.iter().map(&value).fold(0.0, f64::max)];
        self.domain.comm().max(&mut most);
        let first = states.iter().filter(|state| value(state) == most[0]).map(|state| state.id.0).min();
        let (body, _) = self.domain.first_of_all(first.map(|id| (id, String::new())))?;
        Some((body, most[0]))
    }
}
