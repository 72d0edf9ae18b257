//! Direction of motion of a ball without inertia: the steepest descent that its supports allow.
//!
//! d = the projection of "down" on the cone { d : d . n_i >= 0 }, n_i pointing from each support to the ball. Supports
//! with a positive multiplier carry the ball; the others are about to be left.

use super::arc::unit;
use crate::dim::{Dim, Vector};

/// The direction of motion and the supports that carry the ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Descent<X: Dim> {
    /// Not normalised: the shallower the slope, the shorter.
    pub(crate) direction: X::Vector,
    /// Bit i is set if support i carries the ball.
    carrying: u32,
}

/// Multipliers and approach speeds smaller than this are rounding errors.
const ROUNDING: f64 = 1e-12;
/// On a slope shallower than this the ball rests.
const FLAT: f64 = 1e-8;

impl<X: Dim> Descent<X> {
    /// The descent of a ball that touches supports with these unit normals.
    pub(crate) fn new(normals: &[X::Vector]) -> Self {
        // Smallest sets first: the projection is unique, and a support with zero multiplier does not carry.
        let found = (0..=X::D as u32).find_map(|size| {
            let mut sets = (0u32..1 << normals.len()).filter(|set| set.count_ones() == size);
            sets.find_map(|carrying| Self::carried(normals, carrying))
        });
        // In a slit just too narrow the normals are opposite up to rounding, and no set satisfies the conditions.
        found.unwrap_or(Self { direction: X::Vector::zero(), carrying: 0 })
    }

    /// The motion if exactly the supports of the set `carrying` carry the ball; `None` if that set is not consistent.
    fn carried(normals: &[X::Vector], carrying: u32) -> Option<Self> {
        let up = X::Vector::axis(X::D - 1);
        let members: Vec<X::Vector> =
            (0..normals.len()).filter(|i| carrying >> i & 1 == 1).map(|i| normals[i]).collect();
        let multipliers = solve(&members, up)?;
        if multipliers.iter().any(|&m| m < -ROUNDING) {
            return None;
        }
        let direction = orthogonal_part(-up, &members)?;
        let others = (0..normals.len()).filter(|i| carrying >> i & 1 == 0);
        let leaves = others.into_iter().all(|i| direction.dot(&normals[i]) >= -ROUNDING);
        leaves.then_some(Self { direction, carrying })
    }

    /// Whether support `i` carries the ball.
    pub(crate) fn is_carried_by(&self, i: usize) -> bool {
        self.carrying >> i & 1 == 1
    }

    /// Whether the ball has come to rest.
    pub(crate) fn is_at_rest(&self) -> bool {
        self.carrying.count_ones() as usize == X::D || self.direction.norm() < FLAT
    }
}

/// The part of `v` normal to all of `normals`. It is computed from an orthogonal basis, since the multipliers lose all
/// digits where two normals are nearly opposite.
fn orthogonal_part<V: Vector>(v: V, normals: &[V]) -> Option<V> {
    let mut basis: Vec<V> = Vec::with_capacity(normals.len());
    let project_out = |v: V, basis: &[V]| basis.iter().fold(v, |v, b| v - *b * b.dot(&v));
    for n in normals {
        let rest = unit(project_out(*n, &basis))?;
        basis.push(unit(project_out(rest, &basis))?);
    }
    Some(project_out(v, &basis))
}

/// Solves sum_j (n_i . n_j) m_j = n_i . load for m by elimination, for up to three normals. `None` if they are
/// dependent.
fn solve<V: Vector>(normals: &[V], load: V) -> Option<[f64; 3]> {
    let count = normals.len();
    let mut matrix = [[0.0; 4]; 3];
    for (row, a) in matrix.iter_mut().zip(normals) {
        for (entry, b) in row.iter_mut().zip(normals) {
            *entry = a.dot(b);
        }
        row[3] = a.dot(&load);
    }
    for k in 0..count {
        // A Gram matrix of unit vectors is positive semidefinite: no pivoting is needed, and a tiny pivot means
        // dependence.
        if matrix[k][k] < 1e-15 {
            return None;
        }
        let pivot = matrix[k];
        for (_, row) in matrix.iter_mut().enumerate().take(count).filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            for (entry, p) in row.iter_mut().zip(pivot) {
                *entry -= factor * p;
            }
        }
    }
    let mut solution = [0.0; 3];
    for k in 0..count {
        solution[k] = matrix[k][3] / matrix[k][k];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    fn descent(normals: &[Vector3<f64>]) -> Descent<Space> {
        let normals: Vec<_> = normals.iter().map(|n| n.normalize()).collect();
        Descent::new(&normals)
    }

    #[test]
    fn a_ball_on_one_support_rolls_down_its_meridian() {
        let one = descent(&[Vector3::new(1.0, 0.0, 1.0)]);
        assert!((one.direction - Vector3::new(0.5, 0.0, -0.5)).norm() < 1e-15);
        assert!(one.is_carried_by(0) && !one.is_at_rest());
    }

    #[test]
    fn a_support_at_the_side_does_not_carry() {
        let wall = descent(&[Vector3::x(), Vector3::new(1.0, 0.0, 1.0)]);
        assert!(!wall.is_carried_by(0) && wall.is_carried_by(1));
        assert_eq!(descent(&[Vector3::x()]).direction, -Vector3::z());
    }

    #[test]
    fn three_supports_around_the_ball_hold_it_and_three_on_one_side_do_not() {
        let around = [Vector3::new(1.0, 0.0, 1.0), Vector3::new(-1.0, 1.0, 1.0), Vector3::new(-1.0, -1.0, 1.0)];
        assert!(descent(&around).is_at_rest());
        let aside = [Vector3::new(1.0, 0.0, 1.0), Vector3::new(1.0, 1.0, 1.0), Vector3::new(1.0, -1.0, 1.0)];
        let leaving = descent(&aside);
        assert!(!leaving.is_at_rest() && leaving.direction.x > 0.0);
    }

    #[test]
    fn a_ball_wedged_in_a_slit_rests_however_narrow_the_margin() {
        for lift in [1e-3, 1e-6, 1e-7, 1e-9] {
            assert!(descent(&[Vector3::new(1.0, 0.0, lift), Vector3::new(-1.0, 0.0, lift), Vector3::y()]).is_at_rest());
        }
    }

    #[test]
    fn the_floor_alone_holds() {
        assert!(descent(&[Vector3::z()]).is_at_rest());
    }
}
