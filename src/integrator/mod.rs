//! The theta scheme for rigid bodies: from the state to the free motion of a step, and from the solved
//! velocities to the next state.
//!
//! q_m = q + h (1 - theta) V;  V_free = V + M^-1 h F;  after the solve  q' = q_m + h theta V'.
//! Orientations follow the same rule by the exponential map. Velocities are end-of-step values.

mod inverse_mass;
mod large_rotation;
mod loads;

use rayon::prelude::*;

use crate::body::{Bodies, State};
use crate::contactor::PosedShape;
use crate::dim::{Dim, Gyroscopic, Orientation, Vector};
use crate::model::Model;

pub use inverse_mass::InverseMass;
pub use large_rotation::{FAR_TURN, middle_orientation, turns_far};
pub use loads::Loads;

/// The theta scheme with its step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theta {
    /// Length of a step, s.
    pub h: f64,
    /// 1/2 is of second order and conserves, 1 damps.
    pub theta: f64,
    /// Treatment of the gyroscopic term.
    pub gyroscopic: Gyroscopic,
}

/// The times of a step at which something is looked at, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepTimes {
    /// Where it starts.
    pub start: f64,
    /// Where contacts are looked for.
    pub middle: f64,
    /// From the start to there.
    pub first: f64,
    /// Length of the step.
    pub step: f64,
}

/// A body in the middle of a step, were it alone in the world. How it is turned there follows from its state: kept for all
/// bodies, it would be a good part of what a ball needs of memory.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<X: Dim> {
    /// Position at mid-step, m.
    pub position: X::Vector,
    /// Velocity at the end of the step, m/s: without contact, until the solve knows better.
    pub velocity: X::Vector,
    /// Spin at the end of the step, rad/s, likewise.
    pub spin: X::Spin,
    /// What of its motion is prescribed.
    pub hold: Constraint,
}

/// Velocity and spin of a body at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndVelocity<X: Dim> {
    /// m/s.
    pub velocity: X::Vector,
    /// World axes, rad/s.
    pub spin: X::Spin,
}

/// What of the motion of a body is prescribed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Nothing: the same inverse mass along all axes, the case of fast kernels.
    Nothing,
    /// Some of it.
    Some,
    /// All of it: nothing moves the body.
    All,
}

impl Constraint {
    fn of<X: Dim>(inverse: &InverseMass<X>) -> Self {
        match inverse.is_infinite() {
            true => Self::All,
            false if inverse.is_plain => Self::Nothing,
            false => Self::Some,
        }
    }
}

impl<X: Dim> FreeMotion<X> {
    /// The body of which this is the motion, at mid-step.
    #[inline(always)]
    pub fn placed<'a>(&self, model: &'a Model<X>, state: &State<X>, span: &StepTimes) -> PosedShape<'a, X> {
        let orientation = orientation_of_solid(model, state, span);
        PosedShape { shape: model.shape(state), size: state.size, position: self.position, orientation }
    }

    /// Nothing moves it.
    pub fn is_held(&self) -> bool {
        self.hold == Constraint::All
    }

    /// Inverse mass and inertia at mid-step of the body of which this is the free motion. Not kept: of what a ball needs of
    /// memory it would be a tenth.
    pub fn inverse(&self, model: &Model<X>, state: &State<X>, span: &StepTimes) -> InverseMass<X> {
        let orientation = orientation_of_solid(model, state, span);
        InverseMass::new(state.mass, model.moments(state), &orientation, model.motion(state))
    }
}

/// How a body is turned at mid-step. However a ball is turned, it looks and moves the same.
#[inline]
fn orientation_of_solid<X: Dim>(model: &Model<X>, state: &State<X>, span: &StepTimes) -> X::Orientation {
    if model.shape(state).is_ball() { state.orientation } else { middle_orientation(model, state, span) }
}

impl Theta {
    /// The free motion of every body under these loads during the step that starts at `time`, in place of what is in `free`.
    pub fn predict<X: Dim>(
        &self,
        model: &Model<X>,
        bodies: &Bodies<X>,
        time: f64,
        loads: &Loads<X>,
        free: &mut Vec<FreeMotion<X>>,
    ) {
        let states = bodies.states().par_iter().with_min_len(1024);
        states.map(|state| self.free(model, state, time, loads)).collect_into_vec(free);
    }

    /// From the start of a step to its middle, s.
    fn first(&self) -> f64 {
        self.h * (1.0 - self.theta)
    }

    /// The times of the step that starts at `time`.
    pub fn span(&self, time: f64) -> StepTimes {
        let first = self.first();
        StepTimes { start: time, middle: time + first, first, step: self.h }
    }

    /// When the step that starts at `time` feels its loads: where theta puts the weight, s.
    pub fn load_time(&self, time: f64) -> f64 {
        time + self.theta * self.h
    }

    /// Force and torque on a body besides its weight in the step that starts at `time`, sampled where theta puts the weight.
    pub fn load<X: Dim>(
        &self,
        model: &Model<X>,
        state: &State<X>,
        time: f64,
        loads: &Loads<X>,
    ) -> (X::Vector, X::Spin) {
        let (motion, when) = (model.motion(state), self.load_time(time));
        let driven = X::Vector::from_fn(|i| motion.map_or(0.0, |m| m.force(i, when)));
        let torque = X::Spin::from_fn(|i| motion.map_or(0.0, |m| m.force(X::D + i, when)));
        (driven + loads.on(state.id), torque)
    }

    /// By how much the spin of a body that is turned by `orientation` at mid-step changes within the step without any torque.
    pub fn gyroscopic<X: Dim>(&self, model: &Model<X>, state: &State<X>, orientation: &X::Orientation) -> X::Spin {
        let (h, moments) = (self.h, model.moments(state));
        match model.shape(state).is_ball() {
            true => X::Spin::zero(),
            // Half a turn now, the other half after the impulses of mid-step: see `turning`.
            false if turns_far(state, h) => large_rotation::middle_spin(model, state, &self.span(0.0)) - state.spin,
            false => {
                let body_spin = state.orientation.unrotate_spin(state.spin);
                let turned = X::free_spin(moments, body_spin, h, self.gyroscopic);
                // Turning about the spin's own axis leaves it unchanged, so its body components at mid-step are those
                // at the start: the world spin at mid-step is the old one plus the turned difference.
                orientation.rotate_spin(turned - body_spin)
            }
        }
    }

    /// The free motion of one body under these loads.
    pub fn free<X: Dim>(&self, model: &Model<X>, state: &State<X>, time: f64, loads: &Loads<X>) -> FreeMotion<X> {
        let (h, span) = (self.h, self.span(time));
        let position = state.position + state.velocity * span.first;
        let orientation = orientation_of_solid(model, state, &span);
        let motion = model.motion(state);
        let moments = model.moments(state);
        let inverse = InverseMass::<X>::new(state.mass, moments, &orientation, motion);

        // The prescribed velocity is that of the step's end.
        let end = time + h;
        let weight = if motion.is_none_or(|m| m.gravity) { state.mass } else { 0.0 };
        let (driven, torque) = self.load(model, state, time, loads);
        let force = loads.gravity * weight + driven;

        let gyroscopic = self.gyroscopic(model, state, &orientation);
        let mut velocity = state.velocity + inverse.velocity(force * h);
        let mut spin = state.spin + gyroscopic + inverse.spin(torque * h);
        if let Some(motion) = motion {
            for i in 0..X::D {
                velocity[i] = motion.velocity(i, end).unwrap_or(velocity[i]);
            }
            for i in 0..X::R {
                spin[i] = motion.velocity(X::D + i, end).unwrap_or(spin[i]);
            }
        }
        let hold = Constraint::of(&inverse);
        FreeMotion { position, velocity, spin, hold }
    }

    /// The state at the end of the step, from mid-step and the velocities found.
    pub fn update<X: Dim>(&self, model: &Model<X>, state: &mut State<X>, free: &FreeMotion<X>, end: &EndVelocity<X>) {
        let second = self.h * self.theta;
        // A ball turns as any other here: pictures and links show it.
        let middle = middle_orientation(model, state, &self.span(0.0));
        (state.orientation, state.spin) = match turns_far(state, self.h) {
            true => large_rotation::turned(model, state, middle, end.spin, second),
            false => (middle.turned(end.spin * second), end.spin),
        };
        state.velocity = end.velocity;
        state.position = free.position + end.velocity * second;
    }
}
