//! The energy balance of a step: what of it hangs on bodies and on what happens between steps. Contacts have their part in
//! [`ContactTotals`](crate::domain::Totals).
//!
//! With the mean velocity v = (V + V')/2 of a body over the step, the load F does the work h F.v. Weight does it as potential energy,
//! which is that of positions: q' - q = h ((1 - theta) V + theta V') + d, where d undoes overlaps. So where theta is not 1/2 the
//! scheme adds -h m g.(V' - V)(theta - 1/2), and the correction adds -m g.d and what turning does to a body that spins. The gyroscopic
//! term turns the spin w to w~ and keeps its energy; torques that act in the same step meet w~, not w, which is worth
//! (w + w').J (w~ - w)/2. A drive that prescribes some of a body's motion does what is left.

use super::Simulation;
use crate::body::{Bodies, State};
use crate::dim::{Dim, Orientation, Vector};
use crate::domain::{Domain, StepOutcome};
use crate::integrator::{Constraint, EndVelocity, FreeMotion, Loads, Theta, middle_orientation};
use crate::model::Model;
use crate::solver::StepEnergy;

/// A step that has been solved and not yet been made.
pub(crate) struct SolvedStep<'a, X: Dim> {
    pub(crate) model: &'a Model<X>,
    pub(crate) bodies: &'a Bodies<X>,
    pub(crate) free: &'a [FreeMotion<X>],
    pub(crate) end: &'a [EndVelocity<X>],
    pub(crate) loads: &'a Loads<X>,
    pub(crate) outcome: &'a StepOutcome<X>,
    pub(crate) integrator: Theta,
    /// When the step starts and ends, s.
    pub(crate) times: [f64; 2],
}

impl<X: Dim> SolvedStep<'_, X> {
    /// Collective. The flows that hang on bodies.
    pub(crate) fn flows(&self, domain: &Domain<X>) -> StepEnergy {
        if self.is_plain() {
            return StepEnergy::default();
        }
        let gravity = self.times.map(|t| self.model.gravity_at(t));
        let [driven, loads, correction, scheme] =
            domain.sum_over_places(self.bodies, |i, state| self.of_body(i, state, gravity));
        StepEnergy { driven, loads, correction, scheme, ..StepEnergy::default() }
    }

    /// Nothing but weight acts on balls and nothing moves them but velocities of second order.
    fn is_plain(&self) -> bool {
        let is_driven = |motion: &crate::model::Motion| !motion.is_prescribed(X::D + X::R);
        self.integrator.theta == 0.5
            && self.outcome.moved.is_none()
            && self.loads.are_weight()
            && self.model.tilt.is_none()
            && self.model.is_round()
            && !self.model.motions.iter().any(is_driven)
    }

    fn of_body(&self, i: usize, state: &State<X>, [gravity, later]: [X::Vector; 2]) -> [f64; 4] {
        let (model, free, end, Theta { h, theta, .. }) = (self.model, &self.free[i], &self.end[i], self.integrator);
        if free.hold == Constraint::All {
            return [0.0; 4];
        }
        let mass = model.weighing(state);
        let (mean, gain) = ((state.velocity + end.velocity) * 0.5, end.velocity - state.velocity);
        let mean_spin = (state.spin + end.spin) * 0.5;
        let weight = self.loads.gravity * mass;
        let (force, torque) = self.integrator.load(model, state, self.times[0], self.loads);
        let pushed = h * (force.dot(&mean) + torque.dot(&mean_spin));
        let [mut loads, mut driven, mut scheme] = [pushed, 0.0, -h * (theta - 0.5) * weight.dot(&gain)];
        if model.tilt.is_some() {
            let way = (mean + gain * (theta - 0.5)) * h;
            loads += mass * ((self.loads.gravity - later).dot(&way) - (later - gravity).dot(&state.position));
        }
        let moved = self.outcome.moved.as_ref().map(|moved| moved[i]);
        let mut correction = moved.map_or(0.0, |(way, _)| -mass * later.dot(&way));
        let is_ball = model.shape(state).is_ball();
        if !is_ball || free.hold == Constraint::Some {
            let turning = BodyRotation::new(model, state, end, &self.integrator);
            match free.hold {
                Constraint::Some => {
                    driven = state.mass * mean.dot(&gain) + turning.rise() - pushed - h * weight.dot(&mean)
                }
                _ => scheme += turning.turned_within(),
            }
            if let Some((_, turn)) = moved.filter(|_| !is_ball) {
                correction += turned_further(model, state, (free, end), &self.integrator, turn);
            }
        }
        [driven, loads, correction, scheme]
    }
}

/// How a body turns in the step; spins in the axes it has at mid-step.
struct BodyRotation<X: Dim> {
    moments: X::Spin,
    before: X::Spin,
    /// Where no torque acts.
    free: X::Spin,
    after: X::Spin,
    /// Energy of rotation before and after, J.
    energies: [f64; 2],
}

impl<X: Dim> BodyRotation<X> {
    fn new(model: &Model<X>, state: &State<X>, end: &EndVelocity<X>, integrator: &Theta) -> Self {
        let moments = model.moments(state);
        let turned = middle_orientation(model, state, &integrator.span(0.0));
        let [before, after] = [state.spin, end.spin].map(|spin| turned.unrotate_spin(spin));
        let gained = turned.unrotate_spin(integrator.gyroscopic(model, state, &turned));
        let energy = |spin: X::Spin| 0.5 * moments.times(&spin).dot(&spin);
        let energies = [energy(state.orientation.unrotate_spin(state.spin)), energy(after)];
        Self { moments, before, free: before + gained, after, energies }
    }

    /// Energy of rotation that was gained.
    fn rise(&self) -> f64 {
        self.energies[1] - self.energies[0]
    }

    /// What of it torques did not bring: the gyroscopic term is worth it.
    fn turned_within(&self) -> f64 {
        let torque = self.moments.times(&(self.after - self.free));
        self.rise() - 0.5 * (self.before + self.after).dot(&torque)
    }
}

/// Energy of rotation that a body gains which is turned by so much after the step and spins on as before.
fn turned_further<X: Dim>(
    model: &Model<X>,
    state: &State<X>,
    (free, end): (&FreeMotion<X>, &EndVelocity<X>),
    integrator: &Theta,
    turn: X::Spin,
) -> f64 {
    let mut next = *state;
    integrator.update(model, &mut next, free, end);
    let before = model.kinetic_energy(&next);
    next.orientation = next.orientation.turned(turn);
    model.kinetic_energy(&next) - before
}

impl<X: Dim> Simulation<X> {
    /// Collective. Kinetic and potential energy of all bodies, J.
    pub(crate) fn energies(&self) -> [f64; 2] {
        self.energies_of(|_| true)
    }

    /// Collective. Those of some of them.
    pub(crate) fn energies_of(&self, is_meant: impl Fn(&State<X>) -> bool + Sync) -> [f64; 2] {
        let gravity = self.model.gravity_at(self.clock.time);
        self.domain.sum_over_bodies(&self.bodies, |state| match is_meant(state) {
            true => [self.model.kinetic_energy(state), self.model.potential_energy(state, gravity)],
            false => [0.0; 2],
        })
    }

    /// Collective. What `change` does to the energy of all bodies, J; not looked at unless it `matters`.
    pub(crate) fn gained<T>(&mut self, matters: bool, change: impl FnOnce(&mut Self) -> T) -> (T, f64) {
        if !matters {
            return (change(self), 0.0);
        }
        let before = self.energies();
        let done = change(self);
        let after = self.energies();
        (done, (after[0] - before[0]) + (after[1] - before[1]))
    }
}
