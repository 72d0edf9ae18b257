//! Upper bound of the greatest eigenvalue of the Delassus operator W = H^T M^-1 H of a problem, laws' compliance included.
//!
//! With A_bc = M_b^(-1/2) H_bc, r.W r is the sum over bodies b of |sum_c A_bc r_c|^2, and by Cauchy's inequality
//!
//!   |sum_c A_bc r_c|^2 <= L_b sum_c |r_c|^2,   L_b = sum over the contacts c of b of |A_bc|^2.
//!
//! Hence lambda_max(W) <= max over contacts of L_a + L_b. |A_bc|^2 is the greatest eigenvalue of what c does to itself
//! through b; without friction only the normal component counts.

use super::problem::general_block;
use super::{ContactProblem, GeneralContact, Mass, WORLD};
use crate::dim::{Dim, Vector};
use crate::law::Reduced;

impl<X: Dim> ContactProblem<X> {
    /// A bound of the greatest eigenvalue of W plus the compliance of the laws, (m/s)/(N s).
    pub(super) fn delassus_bound(&self) -> f64 {
        let mut of_rows = vec![0.0; self.rows.len()];
        for contact in self.round.iter() {
            let ratio = if contact.friction > 0.0 { 1.0 + X::BALL * contact.arm * contact.arm } else { 1.0 };
            for body in contact.bodies {
                of_rows[body as usize] += ratio * self.rows[body as usize].inverse_mass;
            }
        }
        let masses = self.masses.full();
        let mut ends = self.ends.in_order();
        for (number, contact) in self.general.iter().enumerate() {
            for side in 0..2 {
                of_rows[contact.bodies[side] as usize] += norm_of_side(contact, masses, side);
            }
            let elastic = ends.of(number).into_iter().flat_map(|ends| ends.norms());
            elastic.for_each(|(row, norm)| of_rows[row] += norm);
        }
        for rolling in &self.rolling {
            rolling.norms(masses).into_iter().for_each(|(body, norm)| of_rows[body as usize] += norm);
        }
        of_rows[WORLD.index()] = 0.0;
        self.greatest(&of_rows)
    }

    /// The greatest sum over the rows that a contact acts on.
    fn greatest(&self, of_rows: &[f64]) -> f64 {
        let both = |bodies: [u32; 2]| -> f64 { bodies.iter().map(|&body| of_rows[body as usize]).sum() };
        let round = self.round.iter().map(|contact| both(contact.bodies));
        let mut ends = self.ends.in_order();
        let general = self.general.iter().enumerate().map(|(number, contact)| {
            let elastic = ends.of(number).into_iter().flat_map(|ends| ends.norms());
            both(contact.bodies) + elastic.map(|(row, _)| of_rows[row]).sum::<f64>() + compliance(contact)
        });
        round.chain(general).fold(0.0, f64::max)
    }
}

/// Does the law of a contact resist tangential motion?
fn resists<X: Dim>(contact: &GeneralContact<X>) -> bool {
    let law = &contact.law;
    law.friction > 0.0 || law.cohesion > 0.0 || law.spring > 0.0
}

fn compliance<X: Dim>(contact: &GeneralContact<X>) -> f64 {
    let [normal, tangent] = contact.law.compliance;
    if resists(contact) { normal.max(tangent) } else { normal }
}

/// A bound of |A_bc|^2 for the body on this side: the greatest absolute row sum of its block.
fn norm_of_side<X: Dim>(contact: &GeneralContact<X>, masses: &[Mass<X>], side: usize) -> f64 {
    let mut alone = [Mass::infinite(); 2];
    alone[side] = masses[contact.bodies[side] as usize];
    let block = general_block(&alone, contact.normal, &contact.arms, &Reduced::cone(X::Vector::zero(), 0.0));
    match resists(contact) {
        true => (0..X::D).map(|i| (0..X::D).map(|j| block[(i, j)].abs()).sum()).fold(0.0, f64::max),
        false => block[(0, 0)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Random;
    use crate::base::index::ProblemBody;
    use crate::dim::{Plane, Space};
    use crate::solver::LocalMap;
    use crate::solver::delassus::Delassus;

    /// Spheres and other bodies of many masses in random contact.
    fn cluster<X: Dim>(friction: f64) -> ContactProblem<X> {
        let mut random = Random::new(3, 0);
        let mut number = || random.between(-0.5, 0.5);
        let mut problem = ContactProblem::<X>::default();
        for _ in 0..50 {
            problem.add_body(X::Vector::zero(), X::Spin::zero(), Mass::ball(0.1 + 10.0 * (number() + 0.5)));
        }
        for k in 0..200u32 {
            let bodies = [k * 7 % 51, 1 + k * 11 % 50].map(ProblemBody);
            let direction = X::Vector::from_fn(|_| number());
            let normal = direction * (1.0 / direction.norm());
            let arms = [0, 1].map(|_| X::Vector::from_fn(|_| number()));
            let law = Reduced::cone(X::Vector::zero(), friction);
            match k % 2 {
                _ if bodies[0] == bodies[1] => {}
                0 => problem.add_round(bodies, normal, 0.9, &law, X::Vector::zero()),
                _ => problem.add_general(bodies, normal, arms, law, X::Vector::zero(), LocalMap::Projection),
            }
        }
        problem
    }

    /// The greatest eigenvalue of W, or of its normal part, by power iteration.
    fn greatest_eigenvalue<X: Dim>(problem: &ContactProblem<X>, friction: f64) -> f64 {
        let matrix = Delassus::from_problem(problem).unwrap();
        let kept = |r: &X::Vector| if friction > 0.0 { *r } else { X::Vector::axis(0) * r[0] };
        let mut r: Vec<X::Vector> = vec![kept(&X::Vector::from_fn(|k| 1.0 + k as f64)); matrix.contacts()];
        let mut size = 0.0;
        for _ in 0..2000 {
            let velocities = matrix.velocities(&r);
            size = velocities.iter().map(|u| kept(u).norm2()).sum::<f64>().sqrt();
            r = velocities.iter().map(|u| kept(u) * (1.0 / size)).collect();
        }
        size
    }

    fn bounds<X: Dim>() {
        for friction in [0.0, 0.3] {
            let problem = cluster::<X>(friction);
            let (bound, exact) = (problem.delassus_bound(), greatest_eigenvalue(&problem, friction));
            println!("{} dimensions, friction {friction}: {:.2} times the eigenvalue", X::D, bound / exact);
            assert!(bound >= exact && bound < 4.0 * exact, "{bound} for {exact}");
        }
    }

    #[test]
    fn the_bound_is_above_the_greatest_eigenvalue_and_near_it() {
        bounds::<Plane>();
        bounds::<Space>();
    }

    #[test]
    fn the_bound_includes_compliance_and_is_zero_without_contacts() {
        let mut problem = ContactProblem::<Plane>::default();
        assert_eq!(problem.delassus_bound(), 0.0);
        let body = problem.add_body(X_ZERO, nalgebra::Vector1::new(0.0), Mass::ball(2.0));
        let law = Reduced { compliance: [0.25, 7.0], ..Reduced::cone(X_ZERO, 0.0) };
        let normal = nalgebra::Vector2::new(0.0, 1.0);
        problem.add_general([WORLD, body], normal, [X_ZERO, -normal], law, X_ZERO, LocalMap::Projection);
        assert_eq!(problem.delassus_bound(), 0.75);
    }

    const X_ZERO: nalgebra::Vector2<f64> = nalgebra::Vector2::new(0.0, 0.0);
}
