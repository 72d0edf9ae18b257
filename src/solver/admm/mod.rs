//! Solve of all contacts together by the alternating direction method of multipliers (ADMM), for steps that rest.
//!
//! In: a problem of rigid bodies whose laws are plain friction cones, with the impulses of its sweeps. Out: impulses
//! that satisfy the certificate with a margin, or nothing.
//!
//! With z = u + s, s = mu |u_t| n, the laws read: z in the dual cone K*, r in the cone K, z.r = 0. In the augmented
//! Lagrangian with one weight rho_c for each contact, velocities and z are found in turn:
//!
//!   (M + H^T diag(rho_c) H) V = M V_free + H^T rho_c (z - b - s - xi),   u = H V + b,   s = mu |u_t| n,
//!   y = u + s + xi,   z = P_K*(y),   xi = y - z,   r = -rho_c xi.
//!
//! The matrix is of the size of the bodies, so that one sparse factor serves all iterations of a step: where sweeps
//! pass a load from stone to stone, an iteration passes it through the whole wall. By Moreau's decomposition r = rho_c
//! P_K(-y): the impulses are in their cones in every iteration. rho_c = rho min(1/W_nn, 1/lambda_max(W_tt)) with rho =
//! 5000: bodies that are to rest are nearly glued, which is right in masonry, and wrong where contacts slide or open.
//! Friction is not convex, hence no guarantee; the certificate of r decides.

mod contact;
mod matrix;
mod rigid_bodies;

use contact::AdmmContact;
use matrix::BodyMatrix;
use rigid_bodies::RigidBodies;

use super::certificate::project_on_cone;
use super::{ContactProblem, Residual, SolverSettings, Velocity};
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Vector};

/// Weight of a contact over its effective mass. From a cold start a wall of 32 courses and 1008 blocks reaches a
/// residual of 1e-6 in 40 iterations, 5e-8 in 65 and 1e-8 in 95. With 100 it ends near 3e-7, with 20 000 the first
/// thirty iterations do little. Extrapolation of z and xi by Nesterov's sequence, with restarts, saves a third of the
/// iterations in a wall with open head joints, and in one with closed ones they do not converge.
const WEIGHT: f64 = 5000.0;
/// Iterations before ADMM gives up, and between two evaluations of the certificate.
const ITERATIONS: u32 = 100;
const CHECK_INTERVAL: u32 = 5;
/// ADMM gives up early where the residual is above the second number after that many iterations; in walls that rest it
/// is then near 1e-6.
const HOPELESS: (u32, f64) = (50, 1e-3);
/// Share of the tolerances at which it ends. Impulses that only just satisfy a step do not satisfy the next one: their
/// errors add up.
const MARGIN: f64 = 0.01;
/// Largest number of bodies whose matrix is factored.
const MOST_BODIES: usize = 5000;

impl<X: Dim> ContactProblem<X> {
    /// Replaces the impulses by those of ADMM if their certificate holds; else changes nothing and returns `false`.
    /// `free` gives the free velocity of a body. The velocities are those of the old impulses and must be recomputed.
    pub fn polish(&mut self, free: impl Fn(ProblemBody) -> Velocity<X>, settings: &SolverSettings) -> bool {
        if !self.deformables.is_empty() || !self.rolling.is_empty() || self.rows.len() > MOST_BODIES {
            return false;
        }
        self.fetch_impulses();
        let Some(bodies) = RigidBodies::of(self) else { return false };
        if settings.polishes_rest && !bodies.move_as_one(&free) {
            return false;
        }
        let Some(mut solve) = AdmmSolve::new(self, bodies, free) else { return false };
        let Some(impulses) = solve.run(settings).or_else(|| solve.run_from_nothing(settings)) else { return false };
        self.restore_impulses(&impulses);
        true
    }
}

/// A solve: velocities relative to the free ones, and two vectors for each contact.
struct AdmmSolve<X: Dim> {
    bodies: RigidBodies<X>,
    contacts: Vec<AdmmContact<X>>,
    matrix: BodyMatrix,
    /// V - V_free of each body that can move, the scaled spin last.
    moved: Vec<f64>,
    /// xi of each contact.
    multipliers: Vec<X::Vector>,
    /// z - q - s - xi of each contact, q = H V_free + b.
    targets: Vec<X::Vector>,
}

impl<X: Dim> AdmmSolve<X> {
    /// Starts from the impulses of the problem; `None` where it does not suit the method.
    fn new(
        problem: &ContactProblem<X>,
        bodies: RigidBodies<X>,
        free: impl Fn(ProblemBody) -> Velocity<X>,
    ) -> Option<Self> {
        let contacts: Vec<_> =
            problem.levers().map(|lever| AdmmContact::new(&lever, &bodies, &free)).collect::<Option<_>>()?;
        let matrix = BodyMatrix::new(&bodies, &contacts, WEIGHT)?;
        let mut impulses = Vec::new();
        problem.keep_impulses(&mut impulses);
        let scaled = |(r, contact): (&X::Vector, &AdmmContact<X>)| -*r * contact.over(WEIGHT);
        let multipliers = impulses.iter().zip(&contacts).map(scaled).collect();
        let (targets, moved) = (vec![X::Vector::zero(); contacts.len()], vec![0.0; bodies.unknowns()]);
        let mut solve = Self { bodies, contacts, matrix, moved, multipliers, targets };
        solve.moved = solve.effect(&impulses);
        solve.update_contacts();
        Some(solve)
    }

    /// Iterates until the certificate holds with the margin; if only the certificate itself holds in the end, that is
    /// enough.
    fn run(&mut self, settings: &SolverSettings) -> Option<Vec<X::Vector>> {
        for iteration in 1..=ITERATIONS {
            self.update_velocities();
            self.update_contacts();
            if iteration.is_multiple_of(CHECK_INTERVAL) {
                let impulses = self.impulses();
                let (residual, velocity_error) = self.certificate(&impulses);
                let error = (residual / settings.tolerance).max(velocity_error / settings.velocity_error);
                if error <= if iteration < ITERATIONS { MARGIN } else { 1.0 } {
                    return Some(impulses);
                }
                if iteration == HOPELESS.0 && error > 1.0 && residual > HOPELESS.1 {
                    return None;
                }
            }
        }
        None
    }

    /// The same from zero impulses: those of sweeps that stagnate may be a worse start.
    fn run_from_nothing(&mut self, settings: &SolverSettings) -> Option<Vec<X::Vector>> {
        self.multipliers.fill(X::Vector::zero());
        self.moved.fill(0.0);
        self.update_contacts();
        self.run(settings)
    }

    /// Solves for the velocities.
    fn update_velocities(&mut self) {
        self.moved.fill(0.0);
        for (contact, target) in self.contacts.iter().zip(&self.targets) {
            contact.add_impulse(*target * (WEIGHT * contact.mass), &mut self.moved);
        }
        self.matrix.solve(&mut self.moved);
    }

    /// Finds s, z and xi of every contact.
    fn update_contacts(&mut self) {
        let of_contacts = self.multipliers.iter_mut().zip(&mut self.targets);
        for (contact, (multiplier, target)) in self.contacts.iter().zip(of_contacts) {
            let u = contact.velocity(&self.moved);
            let u_t = u - contact.normal * u.dot(&contact.normal);
            let sliding = contact.normal * (contact.friction * u_t.norm());
            let y = u + sliding + *multiplier;
            *multiplier = -project_on_cone::<X>(-y, contact.normal, contact.friction);
            let z = y - *multiplier;
            *target = z - contact.free - sliding - *multiplier;
        }
    }

    /// r of every contact.
    fn impulses(&self) -> Vec<X::Vector> {
        let both = self.contacts.iter().zip(&self.multipliers);
        both.map(|(contact, multiplier)| -*multiplier * (WEIGHT * contact.mass)).collect()
    }

    /// M^-1 H^T r.
    fn effect(&self, impulses: &[X::Vector]) -> Vec<f64> {
        let mut moved = vec![0.0; self.bodies.unknowns()];
        for (contact, &impulse) in self.contacts.iter().zip(impulses) {
            contact.add_impulse(impulse, &mut moved);
        }
        self.bodies.accelerate(&mut moved);
        moved
    }

    /// Residual and velocity error of these impulses.
    fn certificate(&self, impulses: &[X::Vector]) -> (f64, f64) {
        let moved = self.effect(impulses);
        let mut residual = Residual::default();
        for (contact, &r) in self.contacts.iter().zip(impulses) {
            residual.add_cone::<X>(r, contact.velocity(&moved), contact.normal, contact.friction, contact.mass);
        }
        (residual.relative(), residual.velocity_error(self.bodies.energy(&moved)))
    }
}

#[cfg(test)]
mod tests;
