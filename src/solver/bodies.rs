//! Velocity rows and masses of the bodies of a problem.

use serde::{Deserialize, Serialize};

use super::VelocityView;
use super::body_velocity::{BodyVelocity, Velocity};
use crate::base::scratch::ScratchVec;
use crate::base::trim;
use crate::dim::{Dim, Square, Vector};

/// Copies the velocities of these rows to `kept`.
pub fn keep<'a, X: Dim>(kept: &mut ScratchVec<Velocity<X>>, rows: impl ExactSizeIterator<Item = &'a BodyVelocity<X>>) {
    kept.clear();
    kept.extend(rows.map(BodyVelocity::velocities));
}

/// Restores the velocities that were `kept`.
pub fn restore<X: Dim>(rows: &mut VelocityView<X>, kept: &[Velocity<X>]) {
    kept.iter().enumerate().for_each(|(index, velocity)| rows[index].set_velocities(velocity));
}

/// Full mass properties of a body, for general contacts, norms and reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Mass<X: Dim> {
    /// Inverse mass along each axis, 1/kg.
    pub inverse_mass: X::Vector,
    /// Inverse inertia for scaled spins, 1/kg.
    pub inverse_inertia: X::Tensor,
    /// Mass for the kinetic norm, kg; zero for obstacles.
    pub mass: f64,
    /// Inertia for scaled spins, kg.
    pub inertia: X::Tensor,
}

impl<X: Dim> Mass<X> {
    /// Infinite mass: no impulse moves the body.
    pub fn infinite() -> Self {
        Self {
            inverse_mass: X::Vector::zero(),
            inverse_inertia: X::Tensor::null(),
            mass: 0.0,
            inertia: X::Tensor::null(),
        }
    }

    /// A sphere (disk in 2D).
    pub fn ball(mass: f64) -> Self {
        Self::of_ball(mass, 1.0 / mass)
    }

    /// A sphere whose inverse mass is given by its velocity row.
    fn of_ball(mass: f64, inverse_mass: f64) -> Self {
        Self {
            inverse_mass: X::Vector::from_fn(|_| inverse_mass),
            inverse_inertia: X::Tensor::diagonal(X::Spin::from_fn(|_| X::BALL * inverse_mass)),
            mass,
            inertia: X::Tensor::diagonal(X::Spin::from_fn(|_| mass / X::BALL)),
        }
    }

    /// Multiplies inverse mass and inverse inertia by `factor`, for a split copy of a shared body.
    pub fn lighter(&self, factor: f64) -> Self {
        Self { inverse_mass: self.inverse_mass * factor, inverse_inertia: self.inverse_inertia.scaled(factor), ..*self }
    }
}

/// Masses of the bodies of a problem. A sphere needs two numbers, one of which is in its velocity row; once another
/// body or contact needs full mass properties, they are stored for all bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub(super) struct Masses<X: Dim> {
    /// Mass of each body, kg; zero for obstacles.
    weights: Vec<f64>,
    /// Full mass properties of all bodies, or of none.
    full: Vec<Mass<X>>,
}

impl<X: Dim> Default for Masses<X> {
    fn default() -> Self {
        Self { weights: Vec::new(), full: Vec::new() }
    }
}

impl<X: Dim> Masses<X> {
    pub(super) fn clear(&mut self) {
        self.weights.clear();
        self.full.clear();
    }

    pub(super) fn trim(&mut self) {
        trim(&mut self.weights);
        trim(&mut self.full);
    }

    /// Adds a sphere, the body of the last row.
    pub(super) fn add_ball(&mut self, mass: f64, rows: &VelocityView<X>) {
        self.weights.push(mass);
        if !self.full.is_empty() {
            self.write_out(rows);
        }
    }

    /// Adds a body, that of the last row.
    pub(super) fn add(&mut self, mass: Mass<X>, rows: &VelocityView<X>) {
        self.write_out(rows);
        self.weights.push(mass.mass);
        self.full.push(mass);
    }

    /// Computes the full mass properties of all bodies.
    pub(super) fn write_out(&mut self, rows: &VelocityView<X>) -> &[Mass<X>] {
        let missing = self.full.len()..self.weights.len();
        self.full.extend(missing.map(|body| Mass::of_ball(self.weights[body], rows[body].inverse_mass)));
        &self.full
    }

    /// The full mass properties, if they have been computed.
    #[inline(always)]
    pub(super) fn full(&self) -> &[Mass<X>] {
        &self.full
    }

    /// Mass properties of one body.
    pub(super) fn get(&self, body: usize, row: &BodyVelocity<X>) -> Mass<X> {
        let full = self.full.get(body).copied();
        full.unwrap_or_else(|| Mass::of_ball(self.weights[body], row.inverse_mass))
    }

    /// |a - b|^2 in the kinetic norm.
    #[inline(always)]
    pub(super) fn norm2(&self, body: usize, a: &BodyVelocity<X>, b: &Velocity<X>) -> f64 {
        let (v, s) = (a.velocity - b.velocity, a.spin - b.spin);
        match self.full.get(body) {
            None => self.weights[body] * (v.norm2() + s.norm2() * (1.0 / X::BALL)),
            Some(mass) => mass.mass * v.norm2() + mass.inertia.apply(s).dot(&s),
        }
    }
}
