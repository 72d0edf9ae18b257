//! Coupling with another program, a fluid or a structure: states of bodies by id, and the state of a simulation kept in
//! memory, so that a step can be repeated until both programs agree. Forces and torques enter by an
//! [`Observer`](super::Observer).
//!
//! In: a simulation between two steps. Out: the same simulation later, in that state: its steps then give the same bits
//! as if those in between had never been made.

use partitioning::Cuts;

use super::warnings::Warnings;
use super::{Clock, RunSums, Simulation};
use crate::body::State;
use crate::comm::all_gather_items;
use crate::dim::Dim;
use crate::domain::SavedBodies;
use crate::population::PopulationCounters;

/// The state of a simulation between two steps; on several processes, the part of one of them.
#[derive(Clone)]
pub struct SavedState<X: Dim> {
    bodies: SavedBodies<X>,
    clock: Clock,
    sums: RunSums,
    counters: PopulationCounters,
    cuts: Cuts<3>,
    warnings: Warnings,
}

impl<X: Dim> SavedState<X> {
    /// Step and time of the state.
    pub fn clock(&self) -> Clock {
        self.clock
    }
}

impl<X: Dim> Simulation<X> {
    /// Collective. The states of these bodies, which may be on any process, in increasing order of their ids. Ids that
    /// no body has are left out.
    pub fn states_of(&self, ids: &[u64]) -> Vec<State<X>> {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        let own = self.domain.counted(&self.bodies).filter(|state| ids.binary_search(&state.id.0).is_ok());
        let mut all = all_gather_items(&**self.domain.comm(), own.copied());
        all.sort_by_key(|state: &State<X>| state.id);
        all
    }

    /// The present state. Not a part of it: the motions and laws of [`model`](Simulation::model), and what observers
    /// remember.
    pub fn save_state(&self) -> SavedState<X> {
        let Self { model, bodies, history, clock, sums, warnings, domain, population, .. } = self;
        SavedState {
            bodies: domain.save_bodies(model, bodies, history),
            clock: *clock,
            sums: *sums,
            counters: population.counters.clone(),
            cuts: domain.cuts().clone(),
            warnings: warnings.clone(),
        }
    }

    /// Collective. Returns to a state that [`save_state`](Self::save_state) of this simulation gave.
    pub fn return_to(&mut self, saved: &SavedState<X>) {
        let SavedState { bodies, clock, sums, counters, cuts, warnings } = saved.clone();
        if counters != self.population.counters {
            self.restore_counters(counters);
        }
        self.domain.restore_bodies(bodies, &mut self.bodies, &mut self.history);
        (self.clock, self.sums) = (clock, sums);
        self.domain.restore(cuts, &self.model, &self.bodies);
        self.domain.discard_candidates();
        self.restore_warnings(warnings);
    }
}
