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
//! P_K(-y): the impulses are in their cones in every iteration. z and xi are extrapolated by Nesterov's sequence, which
//! restarts where their change grows (T. Goldstein, B. O'Donoghue, S. Setzer and R. Baraniuk 2014, Fast alternating
//! direction optimization methods). rho_c = rho min(1/W_nn, 1/lambda_max(W_tt)) with rho = 2000: bodies that are to rest
//! are nearly glued, which is right in masonry, and wrong where contacts slide or open. Friction is not convex, hence no
//! guarantee; the certificate of r decides.

mod contact;
mod matrix;

use contact::AdmmContact;
use matrix::{BodyMatrix, RigidBodies};

use super::certificate::project_on_cone;
use super::{ContactProblem, Residual, SolverSettings, Velocity};
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Vector};

/// Weight of a contact over its effective mass. On a wall of 32 courses and 1008 blocks from a cold start, 2000 takes 65
/// iterations to 1e-7 and 500 takes 105; without extrapolation 1000 takes 100 and 100 stagnates at 3e-7.
const WEIGHT: f64 = 2000.0;
/// Iterations before ADMM gives up, and between two evaluations of the certificate.
const ITERATIONS: u32 = 100;
const CHECK_INTERVAL: u32 = 5;
/// ADMM gives up early where the residual is above the second number after that many iterations; in walls that rest it
/// is then near 1e-5.
const HOPELESS: (u32, f64) = (25, 1e-3);
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
        let Some(mut solve) = AdmmSolve::new(self, free) else { return false };
        let Some(impulses) = solve.run(settings) else { return false };
        self.restore_impulses(&impulses);
        true
    }
}

/// z, s and xi of a contact.
#[derive(Clone, Copy)]
struct ContactState<X: Dim> {
    gap: X::Vector,
    sliding: X::Vector,
    multiplier: X::Vector,
}

/// A solve: velocities relative to the free ones, and the states of the contacts.
struct AdmmSolve<X: Dim> {
    bodies: RigidBodies<X>,
    contacts: Vec<AdmmContact<X>>,
    matrix: BodyMatrix,
    /// V - V_free of each body that can move, the scaled spin last.
    moved: Vec<f64>,
    /// The states after the last iteration and after the one before, and those from which the next one starts.
    states: Vec<ContactState<X>>,
    old: Vec<ContactState<X>>,
    ahead: Vec<ContactState<X>>,
    /// Nesterov's t, and the change of the last iteration.
    sequence: f64,
    change: f64,
}

impl<X: Dim> AdmmSolve<X> {
    /// Starts from the impulses of the problem; `None` where it does not suit the method.
    fn new(problem: &ContactProblem<X>, free: impl Fn(ProblemBody) -> Velocity<X>) -> Option<Self> {
        let bodies = RigidBodies::of(problem)?;
        let contacts: Vec<_> =
            problem.levers().map(|lever| AdmmContact::new(&lever, &bodies, &free)).collect::<Option<_>>()?;
        let matrix = BodyMatrix::new(&bodies, &contacts, WEIGHT)?;
        let mut impulses = Vec::new();
        problem.keep_impulses(&mut impulses);
        let state = |(contact, &r): (&AdmmContact<X>, &X::Vector)| ContactState {
            gap: X::Vector::zero(),
            sliding: X::Vector::zero(),
            multiplier: -r * contact.over(WEIGHT),
        };
        let states: Vec<_> = contacts.iter().zip(&impulses).map(state).collect();
        let (old, ahead, moved) = (states.clone(), states.clone(), vec![0.0; bodies.unknowns()]);
        let mut solve =
            Self { bodies, contacts, matrix, moved, states, old, ahead, sequence: 1.0, change: f64::INFINITY };
        solve.moved = solve.effect(&impulses);
        solve.update_contacts();
        solve.ahead.copy_from_slice(&solve.states);
        Some(solve)
    }

    /// Iterates until the certificate holds with the margin; if only the certificate itself holds in the end, that is
    /// enough.
    fn run(&mut self, settings: &SolverSettings) -> Option<Vec<X::Vector>> {
        for iteration in 1..=ITERATIONS {
            self.update_velocities();
            self.old.copy_from_slice(&self.states);
            self.update_contacts();
            self.extrapolate();
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

    /// Solves for the velocities.
    fn update_velocities(&mut self) {
        self.moved.fill(0.0);
        for (contact, state) in self.contacts.iter().zip(&self.ahead) {
            let target = state.gap - contact.free - state.sliding - state.multiplier;
            contact.add_impulse(target * (WEIGHT * contact.mass), &mut self.moved);
        }
        self.matrix.solve(&mut self.moved);
    }

    /// Finds s, z and xi of every contact.
    fn update_contacts(&mut self) {
        for ((contact, state), ahead) in self.contacts.iter().zip(&mut self.states).zip(&self.ahead) {
            let u = contact.velocity(&self.moved);
            let u_t = u - contact.normal * u.dot(&contact.normal);
            state.sliding = contact.normal * (contact.friction * u_t.norm());
            let y = u + state.sliding + ahead.multiplier;
            state.multiplier = -project_on_cone::<X>(-y, contact.normal, contact.friction);
            state.gap = y - state.multiplier;
        }
    }

    /// Extrapolates z and xi by their last change, unless the change has grown.
    fn extrapolate(&mut self) {
        let change = |((new, from), contact): ((&ContactState<X>, &ContactState<X>), &AdmmContact<X>)| {
            contact.mass * ((new.multiplier - from.multiplier).norm2() + (new.gap - from.gap).norm2())
        };
        let change: f64 = self.states.iter().zip(&self.ahead).zip(&self.contacts).map(change).sum();
        let next = if change < self.change { 0.5 * (1.0 + (1.0 + 4.0 * self.sequence.powi(2)).sqrt()) } else { 1.0 };
        let factor = if next > 1.0 { (self.sequence - 1.0) / next } else { 0.0 };
        (self.sequence, self.change) = (next, change);
        for ((ahead, new), old) in self.ahead.iter_mut().zip(&self.states).zip(&self.old) {
            ahead.gap = new.gap + (new.gap - old.gap) * factor;
            ahead.multiplier = new.multiplier + (new.multiplier - old.multiplier) * factor;
            ahead.sliding = new.sliding;
        }
    }

    /// r of every contact.
    fn impulses(&self) -> Vec<X::Vector> {
        let both = self.contacts.iter().zip(&self.states);
        both.map(|(contact, state)| -state.multiplier * (WEIGHT * contact.mass)).collect()
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
