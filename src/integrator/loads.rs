//! External loads of a step: gravity on all bodies, and forces and torques on single ones.

use crate::body::BodyId;
use crate::dim::{Dim, Vector};

/// Gravity, and forces and torques on single bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Loads<X: Dim> {
    /// Gravity in this step, m/s2.
    pub gravity: X::Vector,
    /// Forces on single bodies, N, sorted by id.
    forces: Vec<(BodyId, X::Vector)>,
    /// Torques on single bodies about their centres, N m, sorted by id.
    torques: Vec<(BodyId, X::Spin)>,
}

impl<X: Dim> Loads<X> {
    /// Gravity alone.
    pub fn weight(gravity: X::Vector) -> Self {
        Self { gravity, forces: Vec::new(), torques: Vec::new() }
    }

    /// Adds forces on single bodies; those on the same body are summed in the order given.
    pub fn with(mut self, forces: Vec<(BodyId, X::Vector)>) -> Self {
        add(&mut self.forces, forces);
        self
    }

    /// Adds torques likewise.
    pub fn with_torques(mut self, torques: Vec<(BodyId, X::Spin)>) -> Self {
        add(&mut self.torques, torques);
        self
    }

    /// Is gravity the only load?
    pub fn are_weight(&self) -> bool {
        self.forces.is_empty() && self.torques.is_empty()
    }

    /// Force on a body besides its weight, N.
    #[inline]
    pub fn on(&self, id: BodyId) -> X::Vector {
        find(&self.forces, id).unwrap_or(X::Vector::zero())
    }

    /// Torque on a body, N m.
    #[inline]
    pub fn torque_on(&self, id: BodyId) -> X::Spin {
        find(&self.torques, id).unwrap_or(X::Spin::zero())
    }
}

/// Adds loads to those of earlier calls; those on the same body are summed in the order given.
fn add<T: std::ops::AddAssign>(sums: &mut Vec<(BodyId, T)>, mut loads: Vec<(BodyId, T)>) {
    loads.sort_by_key(|(id, _)| *id);
    for (id, load) in loads {
        match sums.last_mut().filter(|(last, _)| *last == id) {
            Some((_, sum)) => *sum += load,
            None => sums.push((id, load)),
        }
    }
}

#[inline]
fn find<T: Copy>(loads: &[(BodyId, T)], id: BodyId) -> Option<T> {
    if loads.is_empty() {
        return None;
    }
    loads.binary_search_by_key(&id, |entry| entry.0).ok().map(|index| loads[index].1)
}
