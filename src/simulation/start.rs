//! Check for overlapping bodies before the first step.
//!
//! The check does not affect the run. The run cuts space in its first step, after the first bodies have been spawned
//! and removed; the decomposition that detects overlaps on several processes is a separate one and is discarded.

use std::sync::Arc;

use super::Simulation;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::interaction::overlaps;

impl<X: Dim> Simulation<X> {
    /// Collective. True if bodies overlap at the start by more than the tolerance. Bodies migrate first, as in a step,
    /// so that each process has its own bodies and all that may touch them.
    pub fn has_initial_overlap(&mut self) -> bool {
        let spheres = self.population.counters.spheres;
        let Self { model, bodies, history, domain, plan, .. } = self;
        let comm = Arc::clone(domain.comm());
        domain.rearrange(model, bodies, history, self.clock.step);
        domain.migrate_and_ghost(model, bodies, history, |state| (model.placed(state), 0.0), self.clock.time);
        let mut found = [f64::from(u8::from(overlaps(model, bodies.states()).is_some()))];
        comm.max(&mut found);
        // Restore the initial state: no ghosts, space not cut.
        domain.drop_ghosts(model, bodies, history);
        *domain = Domain::new(comm, &plan.domain, spheres);
        domain.drop_ghosts(model, bodies, history);
        found[0] > 0.0
    }
}
