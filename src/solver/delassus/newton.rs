//! Semismooth Newton method for one proximal problem, with a sparse factorisation over the closed contacts.
//!
//! The contact laws as an equation (Alart and Curnier 1991, A mixed formulation for frictional contact problems prone
//! to Newton like solution methods): with x_n = r_n - rho_n u_n and x_t = r_t - rho_t u_t,
//!
//! F_n = r_n - max(x_n, 0),  F_t = r_t - P(x_t), P the projection on the disk of radius mu max(x_n, 0),
//!
//! where u = W r + q + alpha (r - anchor). F is piecewise smooth, so Newton's method on the piece that contains r ends
//! after finitely many steps in the plane and converges quadratically in space. The last term makes the matrix regular
//! where more contacts carry than are needed; it vanishes as the anchor follows r. A contact with x_n <= 0 gets no
//! impulse and leaves the system, so that only closed contacts are factored.

use faer::Mat;
use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};

use super::route::Deadline;
use super::{Delassus, tangent};
use crate::dim::{Dim, Square, Vector};

/// Number of undamped steps at the start: a contact that changes its state may pass through states with large ||F||.
const FULL_STEPS: u32 = 8;
/// Number of previous steps with whose largest ||F|| a step is compared: a decrease at every step would stop at the
/// first kink.
const MEMORY: usize = 4;
/// rho over the inverse of the diagonal block: contacts then change state more readily, which needs fewer steps.
const STRETCH: f64 = 5.0;
/// Multiple of that largest ||F|| up to which a step is accepted.
const SLACK: f64 = 2.0;
/// Halvings of a Newton step before it counts as failed.
const HALVINGS: i32 = 12;

/// The proximal problem around `anchor`.
pub(super) struct Proximal<'a, X: Dim> {
    pub(super) problem: &'a Delassus<X>,
    pub(super) anchor: &'a [X::Vector],
    /// alpha over W_nn.
    pub(super) weight: f64,
    /// No further step after it.
    pub(super) deadline: Deadline,
}

/// Outcome of a Newton iteration.
#[derive(Clone, Copy, Debug)]
pub(super) struct NewtonOutcome {
    /// Steps taken, one factorisation each.
    pub(super) steps: u32,
    /// Did ||F||/||r|| reach its target?
    pub(super) is_solved: bool,
}

/// F at one contact and its derivative: dF = A dr + B du.
struct ContactJacobian<X: Dim> {
    value: X::Vector,
    is_open: bool,
    a: X::Matrix,
    b: X::Matrix,
}

impl<X: Dim> Proximal<'_, X> {
    /// alpha of one contact.
    fn alpha(&self, row: usize) -> f64 {
        self.weight * self.problem.diagonal[row][(0, 0)]
    }

    /// u = W r + q + alpha (r - anchor).
    fn velocities(&self, impulses: &[X::Vector]) -> Vec<X::Vector> {
        let mut u = self.problem.velocities(impulses);
        for (row, u) in u.iter_mut().enumerate() {
            *u += (impulses[row] - self.anchor[row]) * self.alpha(row);
        }
        u
    }

    /// F at one contact and its derivative.
    fn piece(&self, row: usize, r: X::Vector, u: X::Vector) -> ContactJacobian<X> {
        let ([rho_n, rho_t], mu) = (self.problem.steps[row], self.problem.friction[row]);
        let (rho_n, rho_t) = (STRETCH * rho_n, STRETCH * rho_t);
        let x_n = r[0] - rho_n * u[0];
        if x_n <= 0.0 {
            return ContactJacobian {
                value: r,
                is_open: true,
                a: X::Matrix::diagonal(X::Vector::from_fn(|_| 1.0)),
                b: X::Matrix::null(),
            };
        }
        let x_t = tangent::<X>(r - u * rho_t);
        let (radius, length) = (mu * x_n, x_t.norm());
        let is_normal = |i: usize, j: usize| i == 0 && j == 0;
        if length <= radius {
            let b = X::Matrix::from_fn(|i, j| {
                if is_normal(i, j) {
                    rho_n
                } else if i == j {
                    rho_t
                } else {
                    0.0
                }
            });
            let value = X::Vector::from_fn(|i| if i == 0 { rho_n * u[0] } else { rho_t * u[i] });
            return ContactJacobian { value, is_open: false, a: X::Matrix::null(), b };
        }
        let (e, ratio) = (x_t * (1.0 / length), radius / length);
        // P'(x_t) = ratio (I - e e^T) outside the disk.
        let delta = |i: usize, j: usize| f64::from(u8::from(i == j));
        let across = |i: usize, j: usize| ratio * (delta(i, j) - e[i] * e[j]);
        let a = X::Matrix::from_fn(|i, j| match (i, j) {
            (0, _) => 0.0,
            (_, 0) => -mu * e[i],
            _ => delta(i, j) - across(i, j),
        });
        let b = X::Matrix::from_fn(|i, j| match (i, j) {
            (0, 0) => rho_n,
            (0, _) => 0.0,
            (_, 0) => mu * rho_n * e[i],
            _ => rho_t * across(i, j),
        });
        let value = X::Vector::from_fn(|i| if i == 0 { rho_n * u[0] } else { r[i] - radius * e[i] });
        ContactJacobian { value, is_open: false, a, b }
    }

    /// F at all contacts, and ||F||.
    fn pieces(&self, impulses: &[X::Vector]) -> (Vec<ContactJacobian<X>>, f64) {
        let u = self.velocities(impulses);
        let pieces: Vec<_> = (0..u.len()).map(|row| self.piece(row, impulses[row], u[row])).collect();
        let norm = pieces.iter().map(|piece| piece.value.norm2()).sum::<f64>().sqrt();
        (pieces, norm)
    }

    /// Newton steps from `impulses` until ||F|| <= `tolerance` ||r||: full ones first, then at most `most` damped ones.
    /// The impulses end at the best iterate.
    pub(super) fn solve(&self, impulses: &mut Vec<X::Vector>, tolerance: f64, most: u32) -> NewtonOutcome {
        let full = self.iterate(impulses, tolerance, FULL_STEPS, f64::INFINITY);
        if full.is_solved {
            return full;
        }
        let damped = self.iterate(impulses, tolerance, most, SLACK);
        NewtonOutcome { steps: full.steps + damped.steps, ..damped }
    }

    /// Steps that may increase ||F|| by the factor `slack`.
    fn iterate(&self, impulses: &mut Vec<X::Vector>, tolerance: f64, most: u32, slack: f64) -> NewtonOutcome {
        let mut now = impulses.clone();
        let (mut pieces, mut norm) = self.pieces(&now);
        let mut best = norm;
        let mut norms = vec![norm];
        for steps in 0..most {
            if norm <= tolerance * size::<X>(&now) {
                *impulses = now;
                return NewtonOutcome { steps, is_solved: true };
            }
            if self.deadline.is_past() {
                return NewtonOutcome { steps, is_solved: false };
            }
            let failed = NewtonOutcome { steps: steps + 1, is_solved: false };
            let Some(step) = self.step(&now, &pieces) else { return failed };
            let limit = norms.iter().rev().take(MEMORY).copied().fold(0.0, f64::max);
            let accepted = (0..HALVINGS).map(|halvings| 0.5f64.powi(halvings)).find_map(|length| {
                let next: Vec<X::Vector> = now.iter().zip(&step).map(|(r, dr)| *r + *dr * length).collect();
                let (pieces, norm) = self.pieces(&next);
                (norm < (slack - 1e-4 * length) * limit).then_some((next, pieces, norm))
            });
            let Some(accepted) = accepted else { return failed };
            (now, pieces, norm) = accepted;
            norms.push(norm);
            if norm < best {
                best = norm;
                impulses.clone_from(&now);
            }
        }
        NewtonOutcome { steps: most, is_solved: norm <= tolerance * size::<X>(&now) }
    }

    /// -J^-1 F; `None` where the matrix cannot be factored.
    fn step(&self, impulses: &[X::Vector], pieces: &[ContactJacobian<X>]) -> Option<Vec<X::Vector>> {
        let mut positions = vec![usize::MAX; pieces.len()];
        let mut closed = 0;
        for (position, piece) in positions.iter_mut().zip(pieces) {
            if !piece.is_open {
                *position = closed;
                closed += 1;
            }
        }
        let mut step: Vec<X::Vector> =
            impulses.iter().zip(pieces).map(|(r, p)| if p.is_open { -*r } else { X::Vector::zero() }).collect();
        let size = X::D * closed;
        let mut entries = Vec::new();
        let mut rhs = Mat::<f64>::zeros(size, 1);
        for (row, piece) in pieces.iter().enumerate().filter(|(_, piece)| !piece.is_open) {
            let mut right = -piece.value;
            for (column, block) in self.problem.row(row) {
                if pieces[column].is_open {
                    right -= piece.b.apply(block.apply(step[column]));
                    continue;
                }
                let own = row == column;
                let alpha = if own { self.alpha(row) } else { 0.0 };
                for j in 0..X::D {
                    let axis = X::Vector::axis(j);
                    let mut entry = piece.b.apply(block.apply(axis) + axis * alpha);
                    if own {
                        entry += piece.a.apply(axis);
                    }
                    for i in 0..X::D {
                        if entry[i] != 0.0 {
                            entries.push(Triplet::new(
                                X::D * positions[row] + i,
                                X::D * positions[column] + j,
                                entry[i],
                            ));
                        }
                    }
                }
            }
            for i in 0..X::D {
                rhs[(X::D * positions[row] + i, 0)] = right[i];
            }
        }
        if closed > 0 {
            let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(size, size, &entries).ok()?;
            matrix.sp_lu().ok()?.solve_in_place(&mut rhs);
        }
        for (row, &position) in positions.iter().enumerate().filter(|(_, position)| **position != usize::MAX) {
            step[row] = X::Vector::from_fn(|i| rhs[(X::D * position + i, 0)]);
        }
        step.iter().all(Vector::is_finite).then_some(step)
    }
}

/// ||r||.
fn size<X: Dim>(impulses: &[X::Vector]) -> f64 {
    impulses.iter().map(Vector::norm2).sum::<f64>().sqrt()
}
