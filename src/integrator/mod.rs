//! The theta scheme for rigid bodies: from the state to the free motion of a step, and from the solved
//! velocities to the next state.
//!
//! q_m = q + h (1 - theta) V;  V_free = V + M^-1 h F;  after the solve  q' = q_m + h theta V'.
//! Orientations follow the same rule by the exponential map. Velocities are end-of-step values.

mod inverse;

use rayon::prelude::*;

use crate::dim::{Dim, Gyroscopic, Orientation, Vector};
use crate::model::Model;
use crate::state::{Bodies, State};

pub use inverse::Inverse;

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

/// A body in the middle of a step, were it alone in the world.
#[derive(Clone, Copy, Debug)]
pub struct Free<X: Dim> {
    /// Position at mid-step, m.
    pub position: X::Vector,
    /// Orientation at mid-step.
    pub orientation: X::Orientation,
    /// Velocity at the end of the step without contact, m/s.
    pub velocity: X::Vector,
    /// Spin at the end of the step without contact, rad/s.
    pub spin: X::Spin,
    /// Inverse mass and inertia at mid-step.
    pub inverse: Inverse<X>,
}

impl Theta {
    /// The free motion of every body during the step that starts at `time`.
    pub fn predict<X: Dim>(&self, model: &Model<X>, bodies: &Bodies<X>, time: f64) -> Vec<Free<X>> {
        let gravity = self.gravity(model, time);
        bodies.states().par_iter().with_min_len(1024).map(|state| self.free(model, state, time, gravity)).collect()
    }

    /// Gravity as the step that starts at `time` feels it: sampled where theta puts the weight.
    pub fn gravity<X: Dim>(&self, model: &Model<X>, time: f64) -> X::Vector {
        model.gravity_at(time + self.theta * self.h)
    }

    /// The free motion of one body under this gravity.
    pub fn free<X: Dim>(&self, model: &Model<X>, state: &State<X>, time: f64, gravity: X::Vector) -> Free<X> {
        let (h, first) = (self.h, self.h * (1.0 - self.theta));
        let position = state.position + state.velocity * first;
        let orientation = state.orientation.turned(state.spin * first);
        let motion = model.motion(state);
        let moments = model.moments(state);
        let inverse = Inverse::new(state.mass, moments, &orientation, motion);

        // Loads are sampled where theta puts the weight; the prescribed velocity is that of the step's end.
        let (load_time, end) = (time + self.theta * h, time + h);
        let weight = if motion.is_none_or(|m| m.gravity) { state.mass } else { 0.0 };
        let force = X::Vector::from_fn(|i| weight * gravity[i] + motion.map_or(0.0, |m| m.force(i, load_time)));
        let torque = X::Spin::from_fn(|i| motion.map_or(0.0, |m| m.force(X::D + i, load_time)));

        let body_spin = state.orientation.unrotate_spin(state.spin);
        let turned = X::free_spin(moments, body_spin, h, self.gyroscopic);
        // Turning about the spin's own axis leaves it unchanged, so its body components at mid-step are those
        // at the start: the world spin at mid-step is the old one plus the turned difference.
        let gyroscopic = orientation.rotate_spin(turned - body_spin);
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
        Free { position, orientation, velocity, spin, inverse }
    }

    /// The state at the end of the step, from mid-step and the velocities found.
    pub fn update<X: Dim>(&self, state: &mut State<X>, free: &Free<X>, velocity: X::Vector, spin: X::Spin) {
        let second = self.h * self.theta;
        state.velocity = velocity;
        state.spin = spin;
        state.position = free.position + velocity * second;
        state.orientation = free.orientation.turned(spin * second);
    }
}
