//! What of a step does not change while it is made.

use super::{Clock, Plan};
use crate::body::Bodies;
use crate::dim::Dim;
use crate::domain::Scenery;
use crate::integrator::{Free, Theta};
use crate::interaction::History;
use crate::model::Model;
use crate::solver::Order;

/// How and when a step is made.
pub(crate) struct Circumstances<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) integrator: Theta,
    pub(crate) clock: Clock,
    /// Mean normal impulse of the contacts that carried one in the last step, N s.
    pub(crate) mean_impulse: f64,
}

impl Circumstances<'_> {
    /// What the domain looks at: these bodies, their free motion, and what is remembered.
    pub(crate) fn scenery<'a, X: Dim>(
        &self,
        model: &'a Model<X>,
        bodies: &'a Bodies<X>,
        free: &'a [Free<X>],
        history: &'a History<X>,
    ) -> Scenery<'a, X> {
        let (solver, integrator) = (&self.plan.solver, self.integrator);
        Scenery {
            model,
            bodies,
            free,
            history,
            warm_start: solver.warm_start,
            map: solver.local,
            order: solver.order,
            scramble: (solver.order == Order::Random).then_some([solver.seed, self.clock.step]),
            method: solver.method,
            stabilisation: solver.stabilisation,
            h: integrator.h,
            span: integrator.span(self.clock.time),
            is_first: self.clock.step == 0,
            mean_impulse: self.mean_impulse,
        }
    }
}
