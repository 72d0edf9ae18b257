//! Certificate of a step: residual of the contact laws, and error of the velocities.
//!
//! *Residual*: per contact the natural map F = r - P_K(r - rho (u + mu |u_t| n)), with rho from the local block;
//! reported as ||F||/||r|| over all contacts. It is dimensionless, and local: where a heavy body rests on a light one,
//! the velocity of the light one may be wrong by 100 % while F, of the order of m_light u, is small compared with r.
//!
//! *Velocity error*: the complementarity work of the contacts over the energy of the step,
//!
//!   D^2 = (sum over contacts |r_n u_n| + |r_t.u_t + mu r_n |u_t|| + |F|^2/rho) / ||V - V_free||_M^2.
//!
//! With frozen friction thresholds the impulses minimise phi(r) = r.W r/2 + r.q over the cones. At the minimum grad
//! phi(r*).(r - r*) >= 0, so that ||V - V*||_M^2 <= grad phi(r).(r - r*) <= r.(u + mu |u_t| n) as soon as u + mu |u_t|
//! n lies in the dual cones: the numerator is the duality gap. The last term covers contacts that close and carry no
//! impulse yet. The velocity error needs no history: one evaluation suffices. For a contact with bounds other than a
//! cone the same terms are written with its bounds.

use crate::dim::{Dim, Vector};

/// Square of the share of the energy of the impulses, each acting alone, that is added to the energy of the step: under
/// prestress without loads velocities vanish, and their error would be measured against rounding.
const PRESTRESS: f64 = 1e-12;
/// A scale of the impulses above this is replaced by one.
const LARGEST_SCALE: f64 = 0.5;

/// Contribution of one contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ResidualTerm {
    /// |F|^2.
    pub(super) violation: f64,
    /// |r|^2.
    pub(super) impulse: f64,
    /// Complementarity work, J.
    pub(super) gap: f64,
    /// r.u, J.
    pub(super) work: f64,
    /// rho, the local effective mass, kg; zero where nothing can move.
    pub(super) rho: f64,
}

/// Sums over contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Sum of |F|^2.
    pub violation: f64,
    /// Sum of |r|^2.
    pub impulses: f64,
    /// Greatest |F|^2.
    pub worst: f64,
    /// Complementarity work: the duality gap of the problem with frozen thresholds, J.
    pub gap: f64,
    /// Sum of r.u, J.
    pub work: f64,
    /// Sum of |r|^2/rho: twice the energy that the impulses would have if each acted alone, J.
    pub alone: f64,
    /// Number of contacts.
    pub contacts: u64,
    /// Number of contacts with an impulse.
    pub active: u64,
}

impl Residual {
    pub(super) fn add(&mut self, term: ResidualTerm) {
        self.contacts += 1;
        self.active += u64::from(term.impulse > 0.0);
        self.add_to_last(term);
    }

    /// Adds terms to a contact that has been counted already.
    pub(super) fn add_to_last(&mut self, ResidualTerm { violation, impulse, gap, work, rho }: ResidualTerm) {
        self.violation += violation;
        self.impulses += impulse;
        self.worst = self.worst.max(violation);
        let over = |x: f64| if rho > 0.0 { x / rho } else { 0.0 };
        self.gap += gap + over(violation);
        self.work += work;
        self.alone += over(impulse);
    }

    /// Adds a contact with a friction cone.
    #[inline]
    pub(super) fn add_cone<X: Dim>(&mut self, r: X::Vector, u: X::Vector, n: X::Vector, mu: f64, rho: f64) {
        let (u_n, r_n) = (u.dot(&n), r.dot(&n));
        let u_t = u - n * u_n;
        let (sliding, work) = (mu * u_t.norm(), r.dot(&u));
        let trial = r - (u + n * sliding) * rho;
        let violation = (r - project_on_cone::<X>(trial, n, mu)).norm2();
        let gap = (r_n * u_n).abs() + (work - r_n * u_n + sliding * r_n).abs();
        self.add(ResidualTerm { violation, impulse: r.norm2(), gap, work, rho });
    }

    /// Sums of both sets of contacts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            violation: self.violation + other.violation,
            impulses: self.impulses + other.impulses,
            worst: self.worst.max(other.worst),
            gap: self.gap + other.gap,
            work: self.work + other.work,
            alone: self.alone + other.alone,
            contacts: self.contacts + other.contacts,
            active: self.active + other.active,
        }
    }

    /// ||F||/||r||; zero when there is nothing to violate.
    pub fn relative(&self) -> f64 {
        ratio(self.violation, self.impulses)
    }

    /// The greatest |F| of a contact over the root mean square of the active impulses.
    pub fn largest(&self) -> f64 {
        ratio(self.worst * self.active.max(1) as f64, self.impulses)
    }

    /// D, where velocities differ from the free ones by `moved` = ||V - V_free||_M^2.
    pub fn velocity_error(&self, moved: f64) -> f64 {
        ratio(self.gap, moved + PRESTRESS * self.alone)
    }

    /// The factor between 0 and 1 on the impulses that minimises phi: phi(s r) = s r.q + s^2 r.W r/2, with
    /// r.q = r.u - r.W r and r.W r = `moved`. It is one where a smaller factor is not much better.
    pub fn best_scale(&self, moved: f64) -> f64 {
        let scale = if moved > 0.0 { 1.0 - self.work / moved } else { 1.0 };
        if scale > LARGEST_SCALE || !scale.is_finite() { 1.0 } else { scale.max(0.0) }
    }
}

/// sqrt(a/b), with 0/0 = 0.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { (a / b).sqrt() }
}

/// Euclidean projection on the friction cone of half-angle arctan(mu) about `n`.
pub(super) fn project_on_cone<X: Dim>(x: X::Vector, n: X::Vector, mu: f64) -> X::Vector {
    let x_n = x.dot(&n);
    let x_t = x - n * x_n;
    let length = x_t.norm();
    // Tested first, because without friction a point on the axis below the apex would count as inside.
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

/// Error measures of the solution of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Certificate {
    /// Relative residual of the contact laws.
    pub residual: f64,
    /// Greatest residual of a contact over the root mean square of the active impulses.
    pub worst: f64,
    /// D: a bound on the relative error of the velocities in the kinetic norm.
    pub velocity_error: f64,
    /// Sweeps done.
    pub sweeps: u32,
    /// Both parts are below their tolerances, or the residual is and the sweeps have reached a fixed point.
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
            // Optimality on a cone: the remainder is orthogonal to the projection and at no acute angle to the cone.
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
