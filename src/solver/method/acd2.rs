//! A-CD2: all contacts at once by projected gradient steps on the dual problem of instantaneous collisions
//! (S. Dal Pont and E. Dimnet 2008).
//!
//! In: a problem whose velocities are consistent with its impulses. Out: the same, one step further. Efforts over a step
//! are replaced by percussions at its middle. With X = (U+ + U-)/2 the velocities after them minimise
//!
//!   X.M X + Phi(X) - (2 M U- + P_ext).X   subject to   d(X) >= d(U-)/2,
//!
//! where Phi is the dissipation of percussions and d the normal relative velocity. The gradient of the dual function is
//! (d(U-) - 2 d(X))/2 = -u_n+/2, so that a step of length rho on the multipliers is one of length rho/2 along -u+ on the
//! impulses r, and then each impulse is mapped to its law: r_n >= 0, quadratic dissipation by its proximal map. It
//! converges for rho < 4/lambda_max(W); here rho = 2 `relaxation`/L, where L >= lambda_max(W) is the bound of
//! `delassus_bound`. Friction is Tresca's: |r_t| <= mu r_n, with r_n from before the step.

use super::sweep_method::Method;
use crate::dim::{Dim, Vector};
use crate::solver::deformable::RigidEnds;
use crate::solver::sweep_cache::ProjectedStep;
use crate::solver::sweep_policy::{AcceleratedPolicy, PlainPolicy, SweepPolicy};
use crate::solver::{Change, ContactProblem, LocalMap, MomentumState};

/// Projected gradient steps with momentum.
pub(super) struct Acd2Method;

impl Method for Acd2Method {
    const HAS_MOMENTUM: bool = true;
    const GUARDS_IMPULSES: bool = true;
    const WITHOUT_ORDER: Option<&'static str> = Some("A-CD2 updates all contacts at once and has no order");

    fn sweep<X: Dim>(problem: &mut ContactProblem<X>, _: LocalMap, relaxation: f64) -> Change {
        problem.descend(relaxation, PlainPolicy::default())
    }

    fn sweep_on<X: Dim>(
        problem: &mut ContactProblem<X>,
        _: LocalMap,
        relaxation: f64,
        factor: f64,
        memory: &mut MomentumState<X>,
    ) -> Change {
        problem.descend(relaxation, AcceleratedPolicy::new(factor, &mut memory.impulses))
    }
}

impl<V: Vector> ProjectedStep<V> {
    /// The step of this length from `impulse`, extrapolated by the policy; `descended` is the law.
    #[inline]
    fn of(impulse: V, step: f64, policy: &mut impl SweepPolicy<V>, descended: impl Fn(V) -> V) -> Self {
        let start = policy.start(impulse);
        let impulse = descended(start);
        policy.count(start, impulse, || if step > 0.0 { 1.0 / step } else { 0.0 });
        Self { impulse, change: impulse - start }
    }
}

impl<X: Dim> ContactProblem<X> {
    /// One projected gradient step of length `relaxation` over the bound of the Delassus operator.
    fn descend(&mut self, relaxation: f64, mut policy: impl SweepPolicy<X::Vector>) -> Change {
        self.unpack();
        let bound = self.sweeps.delassus_bound.unwrap_or_else(|| self.delassus_bound());
        let mut descents = std::mem::take(&mut self.sweeps.descents);
        descents.clear();
        self.find_descents(if bound > 0.0 { relaxation / bound } else { 0.0 }, &mut policy, &mut descents);
        self.apply_descents(&descents);
        (self.sweeps.delassus_bound, self.sweeps.descents) = (Some(bound), descents);
        SweepPolicy::<X::Vector>::change(&policy)
    }

    /// Finds the steps of all contacts from the present velocities: sphere contacts, general contacts, rolling
    /// resistance.
    fn find_descents(
        &mut self,
        step: f64,
        policy: &mut impl SweepPolicy<X::Vector>,
        descents: &mut Vec<ProjectedStep<X::Vector>>,
    ) {
        let Self { rows, round, general, rolling, ends, .. } = self;
        for contact in round.listed() {
            descents
                .push(ProjectedStep::of(contact.impulse, step, policy, |start| contact.descended(rows, start, step)));
        }
        let mut ends = ends.in_order();
        for (number, contact) in general.iter().enumerate() {
            let impulse = contact.impulse;
            descents.push(match ends.of(number) {
                None => {
                    ProjectedStep::of(impulse, step, policy, |start| contact.descended(rows, &RigidEnds, start, step))
                }
                Some(ends) => {
                    ProjectedStep::of(impulse, step, policy, |start| contact.descended(rows, &ends, start, step))
                }
            });
        }
        for rolling in rolling.iter() {
            let r_n = general[rolling.contact as usize].normal_impulse();
            descents.push(ProjectedStep::of(rolling.impulse, step, policy, |start| {
                rolling.descended(rows, start, r_n, step)
            }));
        }
    }

    /// Sets the impulses and adds their changes to the velocities.
    fn apply_descents(&mut self, descents: &[ProjectedStep<X::Vector>]) {
        let Self { rows, masses, round, general, rolling, ends, .. } = self;
        let (masses, mut descents) = (masses.full(), descents.iter());
        for (contact, descent) in round.listed().iter_mut().zip(&mut descents) {
            contact.impulse = descent.impulse;
            contact.apply(rows, descent.change);
        }
        let mut ends = ends.in_order();
        for ((number, contact), descent) in general.iter_mut().enumerate().zip(&mut descents) {
            contact.impulse = descent.impulse;
            match ends.of(number) {
                None => contact.apply(rows, masses, &RigidEnds, descent.change),
                Some(ends) => contact.apply(rows, masses, &ends, descent.change),
            }
        }
        for (rolling, descent) in rolling.iter_mut().zip(&mut descents) {
            rolling.impulse = descent.impulse;
            rolling.apply(rows, masses, descent.change);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector1, Vector2};

    use super::*;
    use crate::dim::Plane;
    use crate::law::Reduced;
    use crate::solver::{Mass, WORLD};

    /// A body of mass 1 on the ground, which impulses do not turn.
    fn point(velocity: Vector2<f64>, friction: f64, impulse: Vector2<f64>) -> ContactProblem<Plane> {
        let mut problem = ContactProblem::<Plane>::default();
        let body = problem.add_body(velocity, Vector1::new(0.0), Mass::ball(1.0));
        let law = Reduced { cap: 1e9, ..Reduced::cone(Vector2::zeros(), friction) };
        let normal = Vector2::new(0.0, 1.0);
        problem.add_general([WORLD, body], normal, [Vector2::zeros(); 2], law, impulse, LocalMap::Projection);
        problem
    }

    #[test]
    fn a_step_adds_to_the_old_impulse_and_the_old_normal_impulse_bounds_friction() {
        // The bound of W is 1. Velocities are those of the old impulse.
        let mut problem = point(Vector2::new(3.0, -0.5), 0.5, Vector2::new(-0.1, 2.0));
        Acd2Method::sweep(&mut problem, LocalMap::Projection, 0.5);
        assert_eq!(problem.general[0].impulse, Vector2::new(-1.0, 2.25));
        assert_eq!(problem.rows[1].velocity, Vector2::new(2.1, -0.25));
        Acd2Method::sweep(&mut problem, LocalMap::Projection, 0.5);
        assert_eq!(problem.general[0].impulse, Vector2::new(-1.125, 2.375));
    }

    #[test]
    fn a_sticking_contact_stops() {
        let mut problem = point(Vector2::new(0.3, -1.0), 0.5, Vector2::zeros());
        (0..60).for_each(|_| _ = Acd2Method::sweep(&mut problem, LocalMap::Projection, 0.8));
        assert!(problem.rows[1].velocity.norm() < 1e-12, "{}", problem.rows[1].velocity);
        assert!((problem.general[0].impulse - Vector2::new(-0.3, 1.0)).norm() < 1e-12);
    }
}
