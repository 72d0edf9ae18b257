//! External loads of a step: gravity on all bodies, and forces on single ones.

use crate::body::BodyId;
use crate::dim::{Dim, Vector};

/// Gravity, and forces on single bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads<X: Dim> {
    /// Gravity in this step, m/s2.
    pub gravity: X::Vector,
    /// Forces on single bodies, N, sorted by id.
    forces: Vec<(BodyId, X::Vector)>,
}

impl<X: Dim> Loads<X> {
    /// Gravity alone.
    pub fn weight(gravity: X::Vector) -> Self {
        Self { gravity, forces: Vec::new() }
    }

    /// Adds forces on single bodies; those on the same body are summed in the order given.
    pub fn with(mut self, mut forces: Vec<(BodyId, X::Vector)>) -> Self {
        forces.sort_by_key(|(id, _)| *id);
        for (id, force) in forces {
            match self.forces.last_mut().filter(|(last, _)| *last == id) {
                Some((_, sum)) => *sum += force,
                None => self.forces.push((id, force)),
            }
        }
        self
    }

    /// Is gravity the only load?
    pub fn are_weight(&self) -> bool {
        self.forces.is_empty()
    }

    /// Force on a body besides its weight, N.
    #[inline]
    pub fn on(&self, id: BodyId) -> X::Vector {
        if self.forces.is_empty() {
            return X::Vector::zero();
        }
        let found = self.forces.binary_search_by_key(&id, |entry| entry.0);
        found.map_or(X::Vector::zero(), |index| self.forces[index].1)
    }
}
