//! End of a step: checks of the bodies and the certificate, and the report.

use super::report::StepReport;
use super::{Clock, Simulation, is_outside};
use crate::base::error::{Error, Result};
use crate::body::State;
use crate::dim::{Dim, Vector};
use crate::domain::ContactTotals;
use crate::solver::{Certificate, StepEnergy};

impl<X: Dim> Simulation<X> {
    /// Checks that every body has a valid position and, if the scene requires it, that the step converged. `lost` is
    /// true if the position of any body is invalid.
    pub(super) fn check(&self, certificate: &Certificate, lost: bool) -> Result<()> {
        let Clock { step, time } = self.clock;
        if lost {
            let what = |state: &State<X>| match state.is_finite() {
                true => format!("left the world's bounds at position {:?}", state.position.as_slice()),
                false => "has a position or velocity that is not a number".into(),
            };
            let first = self.bodies.states().iter().filter(|s| self.is_lost(s)).map(|s| (s.id.0, what(s))).min();
            if let Some((body, what)) = self.domain.first_of_all(first) {
                return Err(Error::Failed { step, time, body, what });
            }
        }
        if self.plan.solver.required && !certificate.converged {
            let Certificate { residual, velocity_error, sweeps, .. } = *certificate;
            return Err(Error::NotConverged { step, time, residual, velocity_error, sweeps });
        }
        Ok(())
    }

    fn is_lost(&self, state: &State<X>) -> bool {
        let bounds = self.bounds.filter(|_| !self.population.removes_outside);
        !state.is_finite() || bounds.is_some_and(|bounds| is_outside(state, &bounds))
    }

    /// Collective. Adds the step to the energy balance and returns its report, whether any body of any process is lost,
    /// and how many bodies rotate and move too far in a step.
    pub(super) fn report(
        &mut self,
        certificate: Certificate,
        totals: ContactTotals,
        flows: &StepEnergy,
    ) -> (StepReport, bool, [f64; 2]) {
        let gravity = self.model.gravity_at(self.clock.time);
        let sums = self.domain.sum_over_indexed(&self.bodies, |i, state| {
            let lost = f64::from(u8::from(self.is_lost(state) || self.has_lost_nodes(i)));
            let [rotates, moves] = self.is_too_fast(state).map(|fast| f64::from(u8::from(fast)));
            if self.model.is_prescribed(state) {
                return [0.0, 0.0, 0.0, 0.0, lost, 1.0, rotates, moves, 0.0];
            }
            let [px, py, pz] = (state.velocity * state.mass).in_space();
            let [kinetic, potential] = [self.kinetic_energy(i, state), self.model.potential_energy(state, gravity)];
            [kinetic, px, py, pz, lost, 1.0, rotates, moves, potential]
        });
        self.sums.energy.add_step(flows, sums[0], sums[8]);
        let report = StepReport {
            step: self.clock.step,
            time: self.clock.time,
            kinetic_energy: sums[0],
            momentum: [sums[1], sums[2], sums[3]],
            certificate,
            totals,
            energy: self.sums.energy,
            bodies: sums[5] as u64,
            born: self.population.counters.births(),
            died: self.population.counters.deaths(),
            waiting: self.population.waiting(self.clock.time),
            ends: None,
        };
        (report, sums[4] > 0.0, [sums[6], sums[7]])
    }
}
