//! Settings of a step and the construction of its [`StepContext`].

use super::{Clock, SimulationSettings};
use crate::body::Bodies;
use crate::dim::Dim;
use crate::domain::StepContext;
use crate::integrator::{FreeMotion, Theta};
use crate::interaction::ContactHistory;
use crate::model::Model;
use crate::solver::ContactOrder;

/// Settings, scheme and time of a step.
pub(crate) struct StepSettings<'a> {
    pub(crate) plan: &'a SimulationSettings,
    pub(crate) integrator: Theta,
    pub(crate) clock: Clock,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub(crate) mean_impulse: f64,
}

impl StepSettings<'_> {
    /// Builds the context that the domain reads: these bodies, their free motion and the contact history.
    pub(crate) fn context<'a, X: Dim>(
        &self,
        model: &'a Model<X>,
        bodies: &'a Bodies<X>,
        free: &'a [FreeMotion<X>],
        history: &'a ContactHistory<X>,
    ) -> StepContext<'a, X> {
        let (solver, integrator) = (&self.plan.solver, self.integrator);
        StepContext {
            model,
            bodies,
            free,
            history,
            warm_start: solver.warm_start,
            map: solver.local,
            order: solver.order,
            scramble: (solver.order == ContactOrder::Random).then_some([solver.seed, self.clock.step]),
            method: solver.method,
            stabilisation: solver.stabilisation,
            h: integrator.h,
            span: integrator.span(self.clock.time),
            is_first: self.clock.step == 0,
            mean_impulse: self.mean_impulse,
        }
    }
}
