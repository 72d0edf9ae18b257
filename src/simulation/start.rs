//! Before the first step: do bodies overlap?
//!
//! The answer leaves no trace. Space is cut for the run in its first step, when the first bodies have been born and removed;
//! the decomposition that finds overlaps on several processes is another one, and is dropped.

use std::sync::Arc;

use super::Simulation;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::interaction::overlaps;

impl<X: Dim> Simulation<X> {
    /// Collective. Do bodies overlap at the start by more than is tolerated? They migrate first, as in a step, so that
    /// each process has its own and all that may touch them.
    pub fn has_initial_overlap(&mut self) -> bool {
        let free = self.population.counters.free_at_start as usize;
        let Self { model, bodies, history, domain, plan, .. } = self;
        let comm = Arc::clone(domain.comm());
        domain.rearrange(model, bodies, history, self.clock.step);
        domain.migrate_and_ghost(model, bodies, history, |state| (model.placed(state), 0.0), self.clock.time);
        let mut found = [f64::from(u8::from(overlaps(model, bodies.states()).is_some()))];
        comm.max(&mut found);
        // Without ghosts again, and space not cut.
        domain.drop_ghosts(model, bodies, history);
        *domain = Domain::new(comm, &plan.domain, free);
        domain.drop_ghosts(model, bodies, history);
        found[0] > 0.0
    }
}
