//! Velocity, spin and inverse mass of a body, in the rows that a sweep reads and writes.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use crate::dim::{Dim, Vector};

/// The data of a body that a sweep reads and writes: one cache line in space, half of one in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
#[repr(C)]
pub struct BodyVelocity<X: Dim> {
    /// Velocity, m/s.
    pub velocity: X::Vector,
    /// Inverse mass as sphere contacts use it, 1/kg; zero for obstacles.
    pub inverse_mass: f64,
    /// Spin (angular velocity) times size, m/s.
    pub spin: X::Spin,
    /// Padding to four or eight numbers, so that rows have no gaps.
    #[serde(skip)]
    rest: X::Rest,
    /// Alignment to the length of a row, so that no row straddles two cache lines.
    #[serde(skip)]
    aligned: X::Aligned,
}

impl<X: Dim> BodyVelocity<X> {
    /// A body at rest with infinite mass.
    pub fn zero() -> Self {
        Self::new(X::Vector::zero(), 0.0, X::Spin::zero())
    }

    /// A row with these velocities.
    #[inline(always)]
    pub fn new(velocity: X::Vector, inverse_mass: f64, spin: X::Spin) -> Self {
        Self { velocity, inverse_mass, spin, rest: X::Rest::default(), aligned: X::Aligned::default() }
    }

    /// Velocity and scaled spin of the body.
    #[inline(always)]
    pub fn velocities(&self) -> Velocity<X> {
        Velocity { velocity: self.velocity, spin: self.spin }
    }

    /// Sets velocity and scaled spin of the body.
    #[inline(always)]
    pub fn set_velocities(&mut self, other: &Velocity<X>) {
        (self.velocity, self.spin) = (other.velocity, other.spin);
    }
}

/// Velocity and scaled spin of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Velocity<X: Dim> {
    /// Velocity, m/s.
    pub velocity: X::Vector,
    /// Spin (angular velocity) times size, m/s.
    pub spin: X::Spin,
}

// SAFETY: contiguous eight-byte numbers, for which all-zero bits are valid.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Zeroable for Velocity<X> {}
// SAFETY: as above; there is no padding between the numbers, and every bit pattern is a number.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Pod for Velocity<X> {}
