//! Assembly of the matrix of a matrix-free problem: W_ab = H_a^T M^-1 H_b over the bodies that contacts a and b share.
//!
//! Contacts keep their order, sphere contacts first; each gets the frame of its normal. The compliance of a law enters
//! the diagonal, its shift q. Impulses are transformed to the contact frames and back.

use super::{Delassus, Solution, SolutionMethod, SolveTarget};
use crate::base::index::ProblemBody;
use crate::dim::{Dim, Square, Vector};
use crate::law::Reduced;
use crate::solver::{Certificate, ContactProblem, GeneralContact, SolverSettings, SphereContact, WORLD};

/// Why a problem cannot be stated with friction cones alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("contact {contact} has a law that is not a friction cone (bilateral, cohesive or capped)")]
pub struct Unsuitable {
    /// Index of the contact, sphere contacts counted first.
    pub contact: usize,
}

/// Geometry and law of a contact relative to its bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lever<X: Dim> {
    /// Indices of the two bodies in the problem.
    pub bodies: [ProblemBody; 2],
    /// Unit normal from the first body to the second.
    pub normal: X::Vector,
    /// Lever arms from the centres to the contact point, over the sizes.
    pub arms: [X::Vector; 2],
    /// Law of the contact.
    pub law: Reduced<X>,
}

impl<X: Dim> Lever<X> {
    /// Is the law that of Signorini and Coulomb, compliant or not, and nothing else?
    pub fn is_cone(&self) -> bool {
        Reduced { compliance: [0.0, 0.0], ..self.law }.is_cone()
    }
}

impl<X: Dim> SphereContact<X> {
    /// Geometry and law relative to the bodies: the arms are multiples of the normal, the second a negative one.
    pub fn lever(&self) -> Lever<X> {
        let arms = [self.normal * self.arm, self.normal * -self.arm];
        Lever {
            bodies: self.bodies.map(ProblemBody),
            normal: self.normal,
            arms,
            law: Reduced::cone(self.shift, self.friction),
        }
    }
}

impl<X: Dim> GeneralContact<X> {
    /// Geometry and law relative to the bodies.
    pub fn lever(&self) -> Lever<X> {
        Lever { bodies: self.bodies.map(ProblemBody), normal: self.normal, arms: self.arms, law: self.law }
    }
}

impl<X: Dim> ContactProblem<X> {
    pub(in crate::solver) fn levers(&self) -> impl Iterator<Item = Lever<X>> {
        self.round.iter().map(|contact| contact.lever()).chain(self.general.iter().map(GeneralContact::lever))
    }

    fn frames(&self) -> impl Iterator<Item = X::Matrix> {
        self.levers().map(|lever| X::frame(lever.normal))
    }

    /// Transforms impulses in world axes, one per contact with sphere contacts first, to the contact frames.
    pub fn in_frames(&self, impulses: &[X::Vector]) -> Vec<X::Vector> {
        impulses.iter().zip(self.frames()).map(|(r, frame)| frame.apply(*r)).collect()
    }

    /// The impulses in the contact frames, those of sphere contacts first.
    pub fn local_impulses(&self) -> Vec<X::Vector> {
        let mut impulses = Vec::new();
        self.keep_impulses(&mut impulses);
        self.in_frames(&impulses)
    }

    /// Sets the impulses, given in the contact frames.
    pub fn set_local_impulses(&mut self, impulses: &[X::Vector]) {
        let rotated: Vec<_> = impulses.iter().zip(self.frames()).map(|(r, frame)| frame.apply_transposed(*r)).collect();
        self.restore_impulses(&rotated);
    }

    /// Solves a problem that stands alone as far as rounding allows: sweeps to provide a starting point, then Newton's
    /// method with a sparse factorisation; from the guessed impulses on, to `settings.tolerance`, in at most
    /// `settings.max_sweeps` sweeps. W is formed, so this is for thousands of contacts, not for millions.
    pub fn solve_accurately(&mut self, settings: &SolverSettings) -> Result<Certificate, Unsuitable> {
        let matrix = Delassus::from_problem(self)?;
        let target = SolveTarget { tolerance: settings.tolerance, max_sweeps: settings.max_sweeps, time_limit: None };
        let Solution { impulses, residual, worst, effort, .. } =
            matrix.solve(SolutionMethod::Accurate, self.local_impulses(), &target);
        let found = matrix.residual(&impulses);
        self.set_local_impulses(&impulses);
        self.apply_impulses();
        Ok(Certificate {
            residual,
            worst,
            // After Newton's method no slow mode remains.
            velocity_error: if residual <= settings.tolerance { 0.0 } else { 1.0 },
            sweeps: effort.sweeps,
            converged: residual <= settings.tolerance,
            contacts: found.contacts,
            active: found.active,
        })
    }
}

impl<X: Dim> Delassus<X> {
    /// Assembles the matrix of a problem whose velocities are the free ones.
    pub fn from_problem(problem: &ContactProblem<X>) -> Result<Self, Unsuitable> {
        let levers: Vec<Lever<X>> = problem.levers().collect();
        match levers.iter().position(|lever| !lever.is_cone()) {
            Some(contact) => Err(Unsuitable { contact }),
            None => Ok(Self::from_levers(problem, &levers, || false)),
        }
    }

    /// The same; `None` if the problem has other laws than friction cones, or as soon as `stop` returns true.
    pub fn from_problem_unless(problem: &ContactProblem<X>, stop: impl Fn() -> bool) -> Option<Self> {
        let levers: Vec<Lever<X>> = problem.levers().collect();
        let matrix = levers.iter().all(Lever::is_cone).then(|| Self::from_levers(problem, &levers, &stop));
        matrix.filter(|_| !stop())
    }

    /// Assembles row by row; the remaining rows are empty once `stop` returns true.
    fn from_levers(problem: &ContactProblem<X>, levers: &[Lever<X>], stop: impl Fn() -> bool) -> Self {
        let frames: Vec<X::Matrix> = problem.frames().collect();
        let mut contacts_of: Vec<Vec<(u32, usize)>> = vec![Vec::new(); problem.rows.len()];
        for (contact, lever) in levers.iter().enumerate() {
            for side in 0..2 {
                contacts_of[lever.bodies[side].index()].push((contact as u32, side));
            }
        }
        // No impulse moves the world.
        contacts_of[WORLD.index()].clear();
        let row = |a: usize, entries: &mut Vec<(u32, X::Matrix)>| {
            if stop() {
                return;
            }
            let row = &levers[a];
            let mut sides = [0, 1];
            // Blocks at the same position are summed in the order of the bodies.
            sides.sort_unstable_by_key(|&side| row.bodies[side].index());
            for side_a in sides {
                let body = row.bodies[side_a].index();
                let mass = problem.mass(body);
                for &(b, side_b) in &contacts_of[body] {
                    let (column, sign) = (&levers[b as usize], SIGNS[side_a] * SIGNS[side_b]);
                    let block = X::Matrix::from_fn(|i, j| {
                        let (di, dj) = (frames[a].row_vector(i), frames[b as usize].row_vector(j));
                        let spin = mass.inverse_inertia.apply(X::torque(column.arms[side_b], dj));
                        let w = mass.inverse_mass.times(&dj).dot(&di) + spin.dot(&X::torque(row.arms[side_a], di));
                        sign * w
                    });
                    entries.push((b, block));
                }
            }
            // Also where the compliance is zero, so that every contact has a diagonal block.
            let compliance = X::Vector::from_fn(|i| row.law.compliance[usize::from(i > 0)]);
            entries.push((a as u32, X::Matrix::diagonal(compliance)));
        };
        let free = levers.iter().zip(&frames).map(|(lever, frame)| {
            let at = |side: usize| {
                let row = &problem.rows[lever.bodies[side].index()];
                row.velocity + X::cross(row.spin, lever.arms[side])
            };
            frame.apply(at(1) - at(0) + lever.law.shift)
        });
        let free = free.collect();
        Self::from_rows(row, free, levers.iter().map(|lever| lever.law.friction).collect())
    }
}

/// Impulses act on the second body, and with opposite sign on the first.
const SIGNS: [f64; 2] = [-1.0, 1.0];
