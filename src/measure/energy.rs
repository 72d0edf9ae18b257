//! Energies of all bodies and the energy balance.
//!
//! The columns are the kinetic energies of translation and of rotation, the potential energy -sum m g.x about the
//! origin, and the terms of the energy balance since the start of the run.

use super::quantity::{Measure, Quantity};
use crate::dim::{Dim, Vector};
use crate::simulation::Snapshot;
use crate::solver::EnergyBalance;

/// Measure of all energies.
pub(crate) struct Energy;

impl<X: Dim> Measure<X> for Energy {
    fn quantities(&self) -> Vec<Quantity> {
        let bodies = ["translation", "rotation", "potential", "dissipated"].into_iter();
        bodies.chain(EnergyBalance::NAMES.into_iter().skip(2)).map(|name| Quantity::new(name, "J")).collect()
    }

    fn rows(&self, snapshot: &Snapshot<X>) -> Vec<Vec<f64>> {
        let model = snapshot.model;
        let gravity = model.gravity_at(snapshot.now.time);
        let mut row = snapshot.sum_over_all_bodies(3, |state, sums| {
            if model.is_prescribed(state) {
                return;
            }
            let translation = 0.5 * state.mass * state.velocity.norm2();
            sums.add_all(
                0,
                &[translation, model.kinetic_energy(state) - translation, model.potential_energy(state, gravity)],
            );
        });
        let energy = &snapshot.now.energy;
        row.push(energy.dissipated());
        row.extend(energy.values().into_iter().skip(2));
        vec![row]
    }
}
