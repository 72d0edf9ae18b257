//! Energies of all bodies and the energy balance.
//!
//! The columns are the kinetic energies of translation and of rotation, the potential energy -sum m g.x about the
//! origin, and the terms of the energy balance since the start of the run. With deformable bodies follows the kinetic
//! energy of their nodes relative to the rigid motion.

use super::quantity::{Measure, Quantity};
use crate::dim::{Dim, Vector};
use crate::simulation::Snapshot;
use crate::solver::EnergyBalance;

/// Measure of all energies.
pub(crate) struct Energy {
    /// Are there deformable bodies?
    pub(crate) has_nodes: bool,
}

impl<X: Dim> Measure<X> for Energy {
    fn quantities(&self) -> Vec<Quantity> {
        let bodies = ["translation", "rotation", "potential", "dissipated"].into_iter();
        let balance = EnergyBalance::NAMES.into_iter().skip(2);
        bodies
            .chain(balance)
            .chain(self.has_nodes.then_some("vibration"))
            .map(|name| Quantity::new(name, "J"))
            .collect()
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
        if self.has_nodes {
            row.extend(snapshot.sum_over_deformables(1, |body, sums| match model.deformable(body.state) {
                Some(operator) if !model.is_prescribed(body.state) => sums.add(0, operator.kinetic_energy(body.nodes)),
                Some(_) | None => {}
            }));
        }
        vec![row]
    }
}
