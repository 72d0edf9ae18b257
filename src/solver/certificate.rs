//! The certificate of a step: how well the impulses satisfy the laws, and how far the velocities are from final.
//!
//! Residual: per contact the natural map F = r - P_K(r - rho (u + mu |u_t| n)), with rho from the local block;
//! reported as ||F||/||r|| over all contacts. It is dimensionless. Alone it is no proof, because the error left
//! is a slow, long-wave mode that no single contact sees; so the second part estimates the velocity error to
//! come, E = (k/10) ||V_k - V_(k-10)|| / ||V_k - V_free|| in the kinetic norm.

use crate::dim::{Dim, Vector};

/// Sums over contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Sum of |F|^2.
    pub violation: f64,
    /// Sum of |r|^2.
    pub impulses: f64,
    /// Greatest |F|^2.
    pub worst: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Number of contacts with an impulse.
    pub active: u64,
}

impl Residual {
    pub(super) fn add(&mut self, violation: f64, impulse: f64) {
        self.violation += violation;
        self.impulses += impulse;
        self.worst = self.worst.max(violation);
        self.contacts += 1;
        self.active += u64::from(impulse > 0.0);
    }

    /// More of a contact that has been counted.
    pub(super) fn add_to_last(&mut self, violation: f64, impulse: f64) {
        self.violation += violation;
        self.impulses += impulse;
        self.worst = self.worst.max(violation);
    }

    /// A contact with a friction cone.
    #[inline]
    pub(super) fn add_cone<X: Dim>(&mut self, r: X::Vector, u: X::Vector, n: X::Vector, mu: f64, rho: f64) {
        let u_n = u.dot(&n);
        let u_t = u - n * u_n;
        let moved = r - (u + n * (mu * u_t.norm())) * rho;
        self.add((r - project_on_cone::<X>(moved, n, mu)).norm2(), r.norm2());
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            violation: self.violation + other.violation,
            impulses: self.impulses + other.impulses,
            worst: self.worst.max(other.worst),
            contacts: self.contacts + other.contacts,
            active: self.active + other.active,
        }
    }

    /// ||F||/||r||; zero when there is nothing to violate.
    pub fn relative(&self) -> f64 {
        ratio(self.violation, self.impulses)
    }

    /// The greatest |F| of a contact over the quadratic mean of the active impulses.
    pub fn largest(&self) -> f64 {
        ratio(self.worst * self.active.max(1) as f64, self.impulses)
    }
}

/// sqrt(a/b), with 0/0 = 0.
pub(super) fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { (a / b).sqrt() }
}

/// Euclidean projection on the friction cone of half-angle arctan(mu) about `n`.
pub(super) fn project_on_cone<X: Dim>(x: X::Vector, n: X::Vector, mu: f64) -> X::Vector {
    let x_n = x.dot(&n);
    let x_t = x - n * x_n;
    let length = x_t.norm();
    // First, since without friction what lies on the axis below the apex would pass for inside.
    if mu * length <= -x_n {
        return X::Vector::zero();
    }
    if length <= mu * x_n {
        return x;
    }
    let along = (x_n + mu * length) / (1.0 + mu * mu);
    let tangent = if length > 0.0 { x_t * (mu * along / length) } else { X::Vector::zero() };
    n * along + tangent
}

/// What is known about the solution of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Relative residual of the contact laws.
    pub residual: f64,
    /// Greatest residual of a contact over the mean impulse.
    pub worst: f64,
    /// Estimated relative error of the velocities still to come.
    pub velocity_error: f64,
    /// Sweeps done.
    pub sweeps: u32,
    /// Both parts below their tolerances.
    pub converged: bool,
    /// Contacts within the alert distance.
    pub contacts: u64,
    /// Contacts that carry an impulse.
    pub active: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    #[test]
    fn the_projection_on_the_cone_is_the_nearest_point_of_the_cone() {
        let n = Vector3::new(0.0, 0.6, 0.8);
        for x in [Vector3::new(1.0, 2.0, 3.0), Vector3::new(5.0, 0.1, 0.1), Vector3::new(1.0, -2.0, -3.0)] {
            let p = project_on_cone::<Space>(x, n, 0.5);
            // Optimality on a cone: the rest is normal to the projection and makes no acute angle with the cone.
            assert!((x - p).dot(&p).abs() < 1e-13);
            for i in 0..100 {
                let angle = f64::from(i) * 0.0628;
                let frame = Space::frame(n);
                let t = frame.transpose() * Vector3::new(1.0, 0.5 * angle.cos(), 0.5 * angle.sin());
                assert!((x - p).dot(&t) < 1e-13);
            }
        }
    }

    #[test]
    fn without_friction_what_pulls_is_projected_on_nothing() {
        let n = Vector3::z();
        for (x, expected) in [(-2.0, 0.0), (0.0, 0.0), (3.0, 3.0)] {
            assert_eq!(project_on_cone::<Space>(n * x, n, 0.0), n * expected);
            assert_eq!(project_on_cone::<Space>(Vector3::new(0.5, 0.1, x), n, 0.0), n * expected);
        }
    }

    #[test]
    fn nothing_to_violate_is_a_residual_of_zero() {
        assert_eq!(Residual::default().relative(), 0.0);
        assert_eq!(Residual::default().largest(), 0.0);
    }
}
