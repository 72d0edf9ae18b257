//! Construction of a simulation from a scene and a checkpoint.

use std::sync::Arc;

use partitioning::Cuts;

use crate::comm::Comm;
use crate::dim::Dim;
use crate::interaction::ContactHistory;
use crate::output::checkpoint::CheckpointFacts;
use crate::scene::Scene;
use crate::scene::setup::Setup;
use crate::simulation::{Clock, RunSums, Simulation, SimulationSettings};

impl<X: Dim> Simulation<X> {
    /// Collective. The simulation in the state of the checkpoint with these facts; the tuple is what
    /// [`restore`](crate::scene::restore::restore) returns for it.
    pub fn resume(
        comm: Arc<dyn Comm>,
        scene: &Scene,
        facts: &CheckpointFacts,
        (setup, history, cuts): (Setup<X>, ContactHistory<X>, Cuts<3>),
    ) -> Self {
        let simulation = Self::on(comm, setup.model, setup.bodies, setup.bounds, SimulationSettings::of(scene));
        let mut simulation = simulation.with(setup.population);
        let CheckpointFacts { step, time, energy, mean_impulse, .. } = *facts;
        let sums = RunSums { energy, mean_impulse };
        simulation.restore(Clock { step, time }, sums, facts.counters.clone(), history, cuts);
        simulation.restore_warnings(facts.warnings.clone());
        simulation
    }
}
