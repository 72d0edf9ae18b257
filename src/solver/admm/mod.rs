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
//! The matrix is of the size of the bodies, so that one sparse factor serves all iterations of a step: where sweeps pass
//! a load from stone to stone, an iteration passes it through the whole wall. By Moreau's decomposition r = rho_c
//! P_K(-y): the impulses are in their cones in every iteration. rho_c = rho min(1/W_nn, 1/lambda_max(W_tt)) with
//! rho = 100: bodies that are to rest are nearly glued, which is right in masonry, and wrong where contacts slide or
//! open. Friction is not convex, hence no guarantee; the certificate of r decides.
//! (A. Tasora, D. Mangoni, S. Benatti and R. Garziera 2021, Solving variational inequalities and cone complementarity
//! problems in nonsmooth dynamics using the alternating direction method of multipliers.)

mod contact;
mod matrix;

use contact::AdmmContact;
use matrix::{BodyMatrix, RigidBodies};

use super::certificate::project_on_cone;
use super::{ContactProblem, Residual, SolverSettings, Velocity};
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Vector};

/// Weight of a contact over its inverse effective mass.
const WEIGHT: f64 = 100.0;
/// Iterations before ADMM gives up, and between two evaluations of the certificate.
const ITERATIONS: u32 = 100;
const CHECK_INTERVAL: u32 = 5;
/// Share of the tolerances at which it ends. Impulses that only just satisfy a step do not satisfy the next one: their
/// errors add up.
const MARGIN: f64 = 0.01;
/// Largest number of bodies whose matrix is factored.
const MOST_BODIES: usize = 5000;

impl<X: Dim> ContactProblem<X> {
    /// Replaces the impulses by those of ADMM if their certificate holds; else changes nothing and returns `false`.
    /// `free` gives the free velocity of a body. The velocities are those of the old impulses and must be recomputed.
    pub fn polish(&mut self, free: impl Fn(ProblemBody) -> Velocity<X>, settings: &SolverSettings) -> bool {
        self.fetch_impulses();
        let Some(mut solve) = AdmmSolve::new(self, free) else { return false };
        let Some(impulses) = solve.run(settings) else { return false };
        self.restore_impulses(&impulses);
        true
    }
}

/// A solve: velocities relative to the free ones, and two vectors for each contact.
struct AdmmSolve<X: Dim> {
    bodies: RigidBodies<X>,
    contacts: Vec<AdmmContact<X>>,
    matrix: BodyMatrix<X>,
    /// V - V_free of each body that can move, the scaled spin last.
    moved: Vec<f64>,
    /// xi of each contact.
    multipliers: Vec<X::Vector>,
    /// z - q - s - xi of each contact, q = H V_free + b.
    targets: Vec<X::Vector>,
}

impl<X: Dim> AdmmSolve<X> {
    /// Starts from the impulses of the problem; `None` where it does not suit the method.
    fn new(problem: &ContactProblem<X>, free: impl Fn(ProblemBody) -> Velocity<X>) -> Option<Self> {
        if !problem.deformables.is_empty() || !problem.rolling.is_empty() || problem.rows.len() > MOST_BODIES {
            return None;
        }
        let bodies = RigidBodies::of(problem)?;
        let contacts: Vec<_> =
            problem.levers().map(|lever| AdmmContact::new(&lever, &bodies, &free)).collect::<Option<_>>()?;
        let matrix = BodyMatrix::new(&bodies, &contacts, WEIGHT)?;
        let mut impulses = Vec::new();
        problem.keep_impulses(&mut impulses);
        let mut solve = Self {
            moved: vec![0.0; bodies.unknowns()],
            multipliers: Vec::with_capacity(contacts.len()),
            targets: vec![X::Vector::zero(); contacts.len()],
            bodies,
            contacts,
            matrix,
        };
        solve.multipliers.extend(impulses.iter().zip(&solve.contacts).map(|(r, contact)| -*r * contact.over(WEIGHT)));
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
                let share = if iteration < ITERATIONS { MARGIN } else { 1.0 };
                let error = self.error(&impulses, settings);
                tracing::trace!(iteration, error, "ADMM");
                if error <= share {
                    return Some(impulses);
                }
            }
        }
        None
    }

    /// Solves for the velocities.
    fn update_velocities(&mut self) {
        self.moved.fill(0.0);
        for (contact, target) in self.contacts.iter().zip(&self.targets) {
            contact.add_impulse(*target * (WEIGHT * contact.mass), &mut self.moved);
        }
        self.matrix.solve(&mut self.moved);
    }

    /// Finds z and xi of every contact.
    fn update_contacts(&mut self) {
        let of_contacts = self.multipliers.iter_mut().zip(&mut self.targets);
        for (contact, (multiplier, target)) in self.contacts.iter().zip(of_contacts) {
            let u = contact.velocity(&self.moved);
            let sliding = contact.normal * (contact.friction * (u - contact.normal * u.dot(&contact.normal)).norm());
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

    /// The greater of residual and velocity error, each over its tolerance.
    fn error(&self, impulses: &[X::Vector], settings: &SolverSettings) -> f64 {
        let moved = self.effect(impulses);
        let mut residual = Residual::default();
        for (contact, &r) in self.contacts.iter().zip(impulses) {
            residual.add_cone::<X>(r, contact.velocity(&moved), contact.normal, contact.friction, contact.mass);
        }
        let energy = self.bodies.energy(&moved);
        let (law, velocity) = (residual.relative(), residual.velocity_error(energy));
        (law / settings.tolerance).max(velocity / settings.velocity_error)
    }
}
