//! Alert distance of a pair, from the relative motion of its bodies.
//!
//! Two bodies can close the gap that their relative motion in the step spans, or the one that either of them spans when
//! the other is stopped. Bodies at rest may be set in motion by others: a plastic impact by a body of mass M gives M/(M +
//! m) of its speed to one of mass m.

use super::alert::{AlertDistances, surface_speed};
use super::swept::GreatestSpeeds;
use crate::body::State;
use crate::dim::{Dim, Vector};
use crate::integrator::FreeMotion;
use crate::model::Model;

/// Bounds on the distance by which two bodies approach each other in a step.
#[derive(Clone, Copy, Debug)]
pub struct ApproachBounds {
    /// Alert distance of a pair at rest, m.
    alert: f64,
    /// Length of the step, s.
    h: f64,
    /// Greatest speed, m/s, and mass, kg, of the bodies that may set others in motion.
    fastest: f64,
    heaviest: f64,
}

/// What a body contributes to the bounds of its pairs.
#[derive(Clone, Copy, Debug)]
pub struct Approach<X: Dim> {
    /// Predicted velocity, m/s; zero in a periodic cell, where the velocity of an image is another one.
    velocity: X::Vector,
    /// Upper bound on the speed of its surface relative to that, m/s.
    extra: f64,
    /// Upper bound on the speed of its surface, also if another body sets it in motion, m/s.
    speed: f64,
}

impl ApproachBounds {
    /// The bounds of this step; none where fast bodies have paths of their own.
    pub fn new<X: Dim>(distances: &AlertDistances, speeds: &GreatestSpeeds<X>) -> Option<Self> {
        let AlertDistances { alert, h, .. } = *distances;
        let GreatestSpeeds { ordinary: fastest, heaviest, .. } = *speeds;
        (!speeds.selects_pairs()).then_some(Self { alert, h, fastest, heaviest })
    }

    /// The motion of a body.
    pub fn of<X: Dim>(&self, model: &Model<X>, state: &State<X>, free: &FreeMotion<X>) -> Approach<X> {
        let surface = surface_speed(model, state, free, self.h).max(0.0);
        let speed = model.speed(free.position, free.velocity) + surface;
        let (velocity, extra) = match model.cell {
            None => (free.velocity, surface),
            Some(_) => (X::Vector::zero(), speed),
        };
        let given = if model.is_prescribed(state) { 0.0 } else { self.fastest / (1.0 + state.mass / self.heaviest) };
        Approach { velocity, extra, speed: speed.max(given) }
    }

    /// Alert distance of a pair, m.
    #[inline(always)]
    pub fn alert<X: Dim>(&self, [a, b]: [&Approach<X>; 2]) -> f64 {
        let approach = (a.velocity - b.velocity).norm() + a.extra + b.extra;
        self.alert + self.h * approach.max(a.speed).max(b.speed)
    }
}
