//! Inverse mass and inertia of a body, restricted to its free degrees of freedom.

use crate::dim::{Dim, Square, Vector};
use crate::model::Motion;

/// Response of a body to impulses: M^-1 restricted to its free degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InverseMass<X: Dim> {
    /// Inverse mass along each world axis, 1/kg.
    pub mass: X::Vector,
    /// Inverse inertia in world axes, 1/(kg m2).
    pub inertia: X::Tensor,
    /// Is the inverse mass the same along all axes and no rotation prescribed? The case of the fast kernels.
    pub is_plain: bool,
}

impl<X: Dim> InverseMass<X> {
    /// Computes the inverse for a body of mass `mass` and principal `moments` with this `orientation`; `motion`
    /// prescribes degrees of freedom.
    pub fn new(mass: f64, moments: X::Spin, orientation: &X::Orientation, motion: Option<&Motion>) -> Self {
        let Some(motion) = motion.filter(|m| m.is_partly_prescribed()) else {
            let inverse = X::Spin::from_fn(|i| 1.0 / moments[i]);
            let inertia = X::world_tensor(orientation, inverse);
            return Self { mass: X::Vector::from_fn(|_| 1.0 / mass), inertia, is_plain: true };
        };
        let is_prescribed = |i: usize| motion.velocity(i, 0.0).is_some();
        let is_spin_prescribed = |i: usize| is_prescribed(X::D + i);
        if (0..X::D + X::R).all(is_prescribed) {
            return Self { mass: X::Vector::zero(), inertia: X::Tensor::null(), is_plain: true };
        }
        // Rows and columns of prescribed axes become those of the identity, which leaves the inverse of the rest
        // unaffected, and are zeroed afterwards.
        let full = X::world_tensor(orientation, moments);
        let reduced = X::Tensor::from_fn(|i, j| match (is_spin_prescribed(i) || is_spin_prescribed(j), i == j) {
            (true, true) => 1.0,
            (true, false) => 0.0,
            (false, _) => full[(i, j)],
        });
        let inverted = reduced.inverted().unwrap_or(X::Tensor::null());
        Self {
            mass: X::Vector::from_fn(|i| if is_prescribed(i) { 0.0 } else { 1.0 / mass }),
            inertia: X::Tensor::from_fn(|i, j| {
                if is_spin_prescribed(i) || is_spin_prescribed(j) { 0.0 } else { inverted[(i, j)] }
            }),
            is_plain: false,
        }
    }

    /// Change of velocity due to an impulse at the centre of mass.
    #[inline(always)]
    pub fn velocity(&self, impulse: X::Vector) -> X::Vector {
        self.mass.times(&impulse)
    }

    /// Change of spin due to an angular impulse.
    #[inline(always)]
    pub fn spin(&self, impulse: X::Spin) -> X::Spin {
        self.inertia.apply(impulse)
    }

    /// Does no impulse move the body?
    pub fn is_infinite(&self) -> bool {
        self.mass == X::Vector::zero() && self.inertia == X::Tensor::null()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Quaternion, Space};
    use crate::model::{Control, Signal};
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn a_prescribed_axis_takes_no_impulse_and_the_rest_is_the_inverse_of_the_free_block() {
        let mut motion = Motion { controls: vec![Control::Free; 6], gravity: true, nodes: Vec::new() };
        motion.controls[0] = Control::Velocity(Signal::Constant(1.0));
        motion.controls[5] = Control::Velocity(Signal::Constant(0.0));
        let q = Quaternion::new(1.0, 0.3, -0.2, 0.5);
        let moments = Vector3::new(1.0, 2.0, 3.0);
        let inverse = InverseMass::<Space>::new(2.0, moments, &q, Some(&motion));
        assert_eq!(inverse.mass, Vector3::new(0.0, 0.5, 0.5));
        let full: Matrix3<f64> = Space::world_tensor(&q, moments);
        let spin = inverse.spin(Vector3::new(0.4, -0.1, 9.0));
        let torque = full * spin;
        assert_eq!(spin.z, 0.0);
        assert!((torque.x - 0.4).abs() < 1e-14 && (torque.y + 0.1).abs() < 1e-14);
        assert!(!inverse.is_infinite());
    }
}
