//! The theta scheme for rigid bodies: from the state to the predicted (free) motion of a step, and from the solved
//! velocities to the next state.
//!
//!   q_m = q + h (1 - theta) V;  V_free = V + M^-1 h F;  after the solve  q' = q_m + h theta V'.
//!
//! Orientations follow the same rule by the exponential map, those of free tops by `free_top`. Velocities are
//! end-of-step values.

mod free_top;
mod inverse_mass;
mod loads;
mod nodal_loads;
mod nodes;
mod step_times;

use rayon::prelude::*;

use crate::body::{Bodies, State};
use crate::contactor::PosedShape;
use crate::dim::{Dim, Gyroscopic, Orientation, Vector};
use crate::model::{Model, Motion};
use free_top::Rotation;

pub use free_top::FAR_TURN;
pub use inverse_mass::InverseMass;
pub use loads::Loads;
pub use nodal_loads::{StepLoads, nodal_resultants, starting_velocities};
pub use nodes::{FreeNodes, predict_nodes, update_nodes};
pub use step_times::StepTimes;

/// The theta scheme with its step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theta {
    /// Step length, s.
    pub h: f64,
    /// Weight of the end of the step: 1/2 is second-order and conservative, 1 is dissipative.
    pub theta: f64,
    /// Treatment of the gyroscopic term.
    pub gyroscopic: Gyroscopic,
}

/// Predicted motion of a body in a step, without contacts.
#[derive(Clone, Copy, Debug)]
pub struct FreeMotion<X: Dim> {
    /// Position at mid-step, m.
    pub position: X::Vector,
    /// Orientation at mid-step.
    pub orientation: X::Orientation,
    /// Free velocity at the end of the step, m/s.
    pub velocity: X::Vector,
    /// Free spin at the end of the step, world axes, rad/s.
    pub spin: X::Spin,
    /// Which degrees of freedom are prescribed.
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

/// Which degrees of freedom of a body are prescribed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// None: the same inverse mass along all axes, the case of the fast kernels.
    Nothing,
    /// Some.
    Some,
    /// All: no impulse moves the body.
    All,
}

impl Constraint {
    fn of<X: Dim>(inverse: &InverseMass<X>, motion: Option<&Motion>) -> Self {
        match inverse.is_infinite() {
            // Impulses move its nodes.
            true if motion.is_some_and(|motion| !motion.nodes.is_empty()) => Self::Some,
            true => Self::All,
            false if inverse.is_plain => Self::Nothing,
            false => Self::Some,
        }
    }
}

impl<X: Dim> FreeMotion<X> {
    /// The posed shape at mid-step of the body with this predicted motion.
    #[inline(always)]
    pub fn placed<'a>(&self, model: &'a Model<X>, state: &State<X>) -> PosedShape<'a, X> {
        let Self { position, orientation, .. } = *self;
        PosedShape { shape: model.shape(state), size: state.size, position, orientation }
    }

    /// Are all degrees of freedom prescribed?
    pub fn is_held(&self) -> bool {
        self.hold == Constraint::All
    }

    /// Inverse mass and inertia at mid-step of the body with this predicted motion. Recomputed, because stored it would
    /// be a tenth of the memory of a sphere.
    pub fn inverse(&self, model: &Model<X>, state: &State<X>) -> InverseMass<X> {
        InverseMass::new(state.mass, model.moments(state), &self.orientation, model.motion(state))
    }
}

impl Theta {
    /// Computes the predicted motion of every body under these loads in the step that starts at `time`, into `free`.
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

    /// Time from the start of a step to mid-step, s.
    fn first(&self) -> f64 {
        self.h * (1.0 - self.theta)
    }

    /// Times of the step that starts at `time`.
    pub fn span(&self, time: f64) -> StepTimes {
        let first = self.first();
        StepTimes { start: time, middle: time + first, first, step: self.h }
    }

    /// Time at which the loads of the step that starts at `time` are evaluated, weighted by theta, s.
    pub fn load_time(&self, time: f64) -> f64 {
        time + self.theta * self.h
    }

    /// Force (N) and torque (N m) on a body besides its weight in the step that starts at `time`, evaluated at
    /// [`load_time`](Self::load_time).
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
        (driven + loads.on(state.id), torque + loads.torque_on(state.id))
    }

    /// Is the rotation of this body that of a free top?
    fn is_top<X: Dim>(&self, model: &Model<X>, state: &State<X>) -> bool {
        let turns_far = || state.spin.norm2() * (self.h * self.h) > FAR_TURN * FAR_TURN;
        free_top::is_free_top(model, state) && (self.gyroscopic == Gyroscopic::Implicit || turns_far())
    }

    /// Orientation of a body at mid-step, and the spin on which torques and impulses act there.
    fn middle<X: Dim>(&self, model: &Model<X>, state: &State<X>) -> Rotation<X> {
        let (first, start) = (self.first(), Rotation { orientation: state.orientation, spin: state.spin });
        if self.is_top(model, state) {
            return start.after(model, state, first);
        }
        let orientation = state.orientation_after(first);
        if model.shape(state).is_ball() || !X::precesses(model.moments(state)) {
            return Rotation { orientation, ..start };
        }
        let moments = model.moments(state);
        let before = state.orientation.unrotate_spin(state.spin);
        let end = X::free_spin(moments, before, self.h, self.gyroscopic);
        // A rotation about the spin's own axis leaves it unchanged, so its body components at mid-step are those at the
        // start: the world spin at mid-step is the old one plus the rotated difference.
        Rotation { orientation, spin: state.spin + orientation.rotate_spin(end - before) }
    }

    /// Predicted motion of one body under these loads.
    pub fn free<X: Dim>(&self, model: &Model<X>, state: &State<X>, time: f64, loads: &Loads<X>) -> FreeMotion<X> {
        let (h, span) = (self.h, self.span(time));
        let position = state.position + state.velocity * span.first;
        let Rotation { orientation, spin } = self.middle(model, state);
        let motion = model.motion(state);
        let moments = model.moments(state);
        let inverse = InverseMass::<X>::new(state.mass, moments, &orientation, motion);

        // Prescribed velocities are those of the end of the step.
        let end = time + h;
        let weight = if motion.is_none_or(|m| m.gravity) { state.mass } else { 0.0 };
        let (driven, torque) = self.load(model, state, time, loads);
        let force = loads.gravity * weight + driven;

        let mut velocity = state.velocity + inverse.velocity(force * h);
        let mut spin = spin + inverse.spin(torque * h);
        if let Some(motion) = motion {
            for i in 0..X::D {
                velocity[i] = motion.velocity(i, end).unwrap_or(velocity[i]);
            }
            for i in 0..X::R {
                spin[i] = motion.velocity(X::D + i, end).unwrap_or(spin[i]);
            }
        }
        let hold = Constraint::of(&inverse, motion);
        FreeMotion { position, orientation, velocity, spin, hold }
    }

    /// Computes the state at the end of the step from mid-step and the solved velocities.
    pub fn update<X: Dim>(&self, model: &Model<X>, state: &mut State<X>, free: &FreeMotion<X>, end: &EndVelocity<X>) {
        let second = self.h * self.theta;
        // The orientation of spheres is integrated too: pictures and links use it.
        let middle = Rotation { orientation: free.orientation, spin: end.spin };
        let Rotation { orientation, spin } = match self.is_top(model, state) {
            true => middle.after(model, state, second),
            false => Rotation { orientation: middle.orientation.turned(end.spin * second), ..middle },
        };
        (state.orientation, state.spin) = (orientation, spin);
        state.velocity = end.velocity;
        state.position = free.position + end.velocity * second;
    }
}
