//! What is prescribed to a body: per degree of freedom nothing, a velocity, or a force.
//!
//! Degrees of freedom are in world axes, translations first: x y (z), then rotations.

use serde::{Deserialize, Serialize};

use super::Signal;

/// What happens to one degree of freedom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Control {
    /// Moves as the forces tell it.
    Free,
    /// Velocity (m/s, rad/s) at the end of each step is prescribed.
    Velocity(Signal),
    /// Moves freely under this extra force (N, N m), besides gravity and contact.
    Force(Signal),
}

/// The prescription for all degrees of freedom of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// One for each degree of freedom.
    pub controls: Vec<Control>,
    /// Does gravity act on its free degrees of freedom?
    pub gravity: bool,
}

impl Motion {
    /// Held in place.
    pub fn fixed(degrees: usize) -> Self {
        Self { controls: vec![Control::Velocity(Signal::Constant(0.0)); degrees], gravity: false }
    }

    /// Every one of the first `degrees` degrees of freedom has a prescribed velocity.
    pub fn is_prescribed(&self, degrees: usize) -> bool {
        self.controls.len() == degrees && self.controls.iter().all(|c| matches!(c, Control::Velocity(_)))
    }

    /// Some degree of freedom has a prescribed velocity.
    pub fn is_partly_prescribed(&self) -> bool {
        self.controls.iter().any(|c| matches!(c, Control::Velocity(_)))
    }

    /// The prescribed velocity of degree of freedom `i` at time `t`, if it has one.
    pub fn velocity(&self, i: usize, t: f64) -> Option<f64> {
        match &self.controls[i] {
            Control::Velocity(signal) => Some(signal.at(t)),
            Control::Free | Control::Force(_) => None,
        }
    }

    /// No prescribed velocity of degree of freedom `i` is greater than this.
    pub fn most(&self, i: usize) -> f64 {
        match &self.controls[i] {
            Control::Velocity(signal) => signal.most(),
            Control::Free | Control::Force(_) => 0.0,
        }
    }

    /// The extra force on degree of freedom `i` at time `t`.
    pub fn force(&self, i: usize, t: f64) -> f64 {
        match &self.controls[i] {
            Control::Force(signal) => signal.at(t),
            Control::Free | Control::Velocity(_) => 0.0,
        }
    }
}
