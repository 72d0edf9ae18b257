//! The contacts of a moment as measures see them: those of the last step, or, of a run that was restored, found again.

use super::Simulation;
use super::circumstances::Circumstances;
use crate::dim::Dim;
use crate::domain::Scenery;
use crate::integrator::Theta;
use crate::measure::{Instant, Look};

/// How many contacts of a restored run were found again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recalled {
    /// Sum of the normal impulses that the run remembered, N s...
    pub remembered: f64,
    /// ...and of those that were given back to contacts.
    pub found: f64,
}

impl<X: Dim> Simulation<X> {
    /// Collective. The moment at the end of the last step.
    pub fn view(&self) -> Look<'_, X> {
        let now =
            Instant { step: self.clock.step, time: self.clock.time, h: self.step_length(), books: self.sums.books };
        Look::new(&self.domain, &self.model, &self.bodies, now)
    }

    /// Collective. After [`restore`](Self::restore): contacts are looked for where bodies are now and get the impulses that
    /// their ids remember, laid into the tangent planes of now. Nothing moves; the run cannot go on from here.
    pub fn recall(&mut self) -> Recalled {
        // With all the weight at its end, a step looks for contacts where it starts.
        let integrator = Theta { theta: 1.0, ..self.plan.integrator };
        let free = self.meet(integrator, Vec::new()).free;
        let Self { model, bodies, history, domain, plan, .. } = self;
        let now = Circumstances { plan, integrator, clock: self.clock, mean_impulse: self.sums.mean_impulse };
        let scenery = now.scenery(model, bodies, &free, history);
        let scenery = Scenery { warm_start: true, scramble: None, ..scenery };
        domain.assemble(&scenery);
        domain.keep_free(free);
        self.recalled()
    }

    fn recalled(&self) -> Recalled {
        let look = self.view();
        let found = look.over_grips(1, |grip, sheet| sheet.add(0, grip.normal_impulse().abs()))[0];
        let remembered = self.domain.sum_remembered(&self.bodies, &self.history);
        Recalled { remembered, found }
    }
}
