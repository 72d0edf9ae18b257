//! Prediction and detection: the motion of all bodies without contact impulses, and the contacts at mid-step.

use std::sync::Arc;

use super::observe::DrivenBodies;
use super::timing::Phase;
use super::{Clock, PredictedMotion, Simulation};
use crate::body::{Bodies, BodyId, State};
use crate::comm::all_gather_items;
use crate::dim::Dim;
use crate::domain::Domain;
use crate::integrator::{Loads, Theta, nodal_resultants, predict_nodes};
use crate::interaction::swept::{GreatestSpeeds, SweptPaths};
use crate::model::Model;

impl<X: Dim> Simulation<X> {
    /// Collective. The predicted motion of all bodies under the loads of the step and those of an observer, and the
    /// contacts of mid-step in every subdomain. Returns the loads, and the energy that bodies gain where they are wrapped into the
    /// periodic cell, J.
    pub(super) fn predict_and_detect(&mut self, integrator: Theta, driven: DrivenBodies<X>) -> (Loads<X>, f64) {
        let Clock { step, time } = self.clock;
        let ((), homing) = self.timed(Phase::Rearrange, |own| {
            own.gained(own.model.cell.is_some() && Domain::<X>::wraps_in_step(step), |own| {
                own.domain.wrap_into_cell(&own.model, &mut own.bodies, step, time);
            })
        });
        let Self { model, bodies, history, domain, timing, distances, predicted, .. } = self;
        let PredictedMotion { free, nodes, loaded, alerts } = predicted;
        let span = integrator.span(time);
        timing.phase(Phase::Rearrange, || domain.rearrange(model, bodies, history, step));
        let loads = timing.phase(Phase::Predict, || {
            let when = integrator.load_time(time);
            let membrane_forces = domain.membrane_forces(model, bodies, distances.smallest, when);
            let (nodal_forces, torques) = nodal_loads(domain, &integrator, model, bodies, time);
            let forces = [membrane_forces, driven.forces, nodal_forces].concat();
            let torques = [driven.torques, torques].concat();
            Loads::weight(model.gravity_at(when)).with(forces).with_torques(torques)
        });
        domain.release_motion();
        // Nobody else has it, so nothing is copied.
        let motion = Arc::make_mut(free);
        timing.phase(Phase::Predict, || integrator.predict(model, bodies, time, &loads, motion));
        let speeds = timing.phase(Phase::Detect, || {
            let speeds = GreatestSpeeds::find(&**domain.comm(), distances, model, bodies.states(), motion, &span);
            distances.alerts(model, bodies.states(), motion, &speeds, alerts);
            if domain.comm().size() > 1 && (speeds.selects_pairs() || domain.is_stale(alerts)) {
                let at = |state: &State<X>| {
                    let free = integrator.free(model, state, time, &loads);
                    let margin = distances.margin(distances.alert_of(model, state, &free, &speeds));
                    (free.placed(model, state), margin + speeds.extra(distances, model, state, &free))
                };
                domain.migrate_and_ghost(model, bodies, history, at, span.middle);
                integrator.predict(model, bodies, time, &loads, motion);
                distances.alerts(model, bodies.states(), motion, &speeds, alerts);
            }
            speeds
        });
        timing.phase(Phase::Predict, || {
            if let Err(fault) = model.prepare(bodies.states()) {
                // At the start of the run every factor was made by some process, from the same numbers.
                panic!("a factor that another process has made cannot be made here: {fault}");
            }
            *nodes = predict_nodes(&integrator, model, bodies, motion, loads.gravity, &span);
        });
        timing.phase(Phase::Detect, || {
            let (states, free, alerts) = (bodies.states(), &motion[..], &alerts[..]);
            let paths = SweptPaths { model, states, free, alerts, distances, speeds: &speeds, span: &span };
            domain.detect(bodies, &paths, nodes, step == 0);
            *loaded = domain.loaded_nodes(bodies, model.has_deformables());
        });
        domain.keep_motion(Arc::clone(free));
        (loads, homing)
    }
}

/// Resultants on a body each.
type Resultants<V> = Vec<(BodyId, V)>;

/// Collective. Resultants of the loads on the nodes of deformable bodies, of all processes.
fn nodal_loads<X: Dim>(
    domain: &Domain<X>,
    scheme: &Theta,
    model: &Model<X>,
    bodies: &Bodies<X>,
    time: f64,
) -> (Resultants<X::Vector>, Resultants<X::Spin>) {
    if !model.motions.iter().any(|motion| !motion.nodes.is_empty()) {
        return Default::default();
    }
    let own = bodies.states().iter().enumerate().filter(|(i, _)| domain.owns(*i));
    let found: Vec<(BodyId, X::Vector, X::Spin)> =
        own.filter_map(|(i, state)| nodal_resultants(scheme, model, (state, bodies.nodes().of(i)), time)).collect();
    let mut all = all_gather_items(&**domain.comm(), found);
    all.sort_by_key(|(id, ..)| *id);
    (
        all.iter().map(|(id, force, _)| (*id, *force)).collect(),
        all.iter().map(|(id, _, torque)| (*id, *torque)).collect(),
    )
}
