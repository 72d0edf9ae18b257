//! The contact problem with an explicit Delassus matrix: u = W r + q, every contact in its own frame, normal first.
//!
//! 0 <= u_n perp r_n >= 0,  |r_t| <= mu r_n,  u_t opposite to r_t where that bound is reached. A
//! [`ContactProblem`](super::ContactProblem) never forms W; here it is a sparse matrix of square blocks in compressed
//! rows, because problems are exchanged between codes in this form, and because a matrix can be factored:
//! [`solve`](Delassus::solve) converges as far as rounding allows where sweeps alone would be too slow.

mod accurate;
mod assemble;
mod best;
mod existence;
mod newton;
mod route;
mod sweeps;

use sprs::CsMatI;

use super::Residual;
use super::certificate::project_on_cone;
use crate::dim::{Dim, Square, Vector};

pub use assemble::{Lever, Unsuitable};
pub use existence::{Existence, ExistenceVerdict};
pub use route::{Effort, Solution, SolutionMethod, SolveTarget};

/// The problem: W by blocks, q, and the coefficients of friction.
#[derive(Clone, Debug, PartialEq)]
pub struct Delassus<X: Dim> {
    /// W: a block for each pair of contacts that share a body.
    matrix: CsMatI<X::Matrix, u32, usize>,
    /// The diagonal block of each row; zero where there is none.
    diagonal: Vec<X::Matrix>,
    /// 1/W_nn and 1/lambda_max(W_tt) of each diagonal block; zero where nothing moves.
    steps: Vec<[f64; 2]>,
    /// q: velocities without any impulse, m/s.
    free: Vec<X::Vector>,
    /// Coefficient of friction of each contact.
    friction: Vec<f64>,
}

impl<X: Dim> Delassus<X> {
    /// Builds the problem from blocks (row, column, block) in any order; blocks at the same position are summed. There
    /// are as many contacts as coefficients of `friction`, and every row and column is one of them.
    pub fn new(mut entries: Vec<(u32, u32, X::Matrix)>, free: Vec<X::Vector>, friction: Vec<f64>) -> Self {
        // Stable, so that blocks at the same position are summed in the order given.
        entries.sort_by_key(|&(row, ..)| row);
        assert!(
            entries.last().is_none_or(|entry| (entry.0 as usize) < friction.len()),
            "a block lies outside the matrix"
        );
        let mut entries = entries.into_iter().peekable();
        let row = |row: usize, own: &mut Vec<(u32, X::Matrix)>| {
            let next = || entries.next_if(|entry| entry.0 as usize == row).map(|(_, column, block)| (column, block));
            own.extend(std::iter::from_fn(next));
        };
        Self::from_rows(row, free, friction)
    }

    /// The same; `fill` puts the blocks of each row with their columns, in any order, into an empty list.
    fn from_rows(
        mut fill: impl FnMut(usize, &mut Vec<(u32, X::Matrix)>),
        free: Vec<X::Vector>,
        friction: Vec<f64>,
    ) -> Self {
        let contacts = friction.len();
        assert_eq!(free.len(), contacts, "every contact has a free velocity and a coefficient of friction");
        let mut starts = Vec::with_capacity(contacts + 1);
        starts.push(0);
        let (mut columns, mut blocks): (Vec<u32>, Vec<X::Matrix>) = (Vec::new(), Vec::new());
        let mut entries = Vec::new();
        for row in 0..contacts {
            entries.clear();
            fill(row, &mut entries);
            // Stable: `sprs` sorts triplets in any order.
            entries.sort_by_key(|&(column, _)| column);
            for (column, block) in entries.drain(..) {
                assert!((column as usize) < contacts, "a block lies outside the matrix");
                if columns.len() > starts[row] && columns.last() == Some(&column) {
                    let last = blocks.len() - 1;
                    let sum = blocks[last];
                    blocks[last] = X::Matrix::from_fn(|i, j| sum[(i, j)] + block[(i, j)]);
                } else {
                    columns.push(column);
                    blocks.push(block);
                }
            }
            starts.push(columns.len());
        }
        let matrix = CsMatI::new((contacts, contacts), starts, columns, blocks);
        let diagonal = |row: usize| matrix.get_outer_inner(row, row).map_or(X::Matrix::null(), |own| *own);
        let diagonal: Vec<_> = (0..contacts).map(diagonal).collect();
        let inverse = |w: f64| if w > 0.0 { 1.0 / w } else { 0.0 };
        let step = |own: &X::Matrix| [inverse(own[(0, 0)]), inverse(X::tangent_bound(own))];
        let steps = diagonal.iter().map(step).collect();
        Self { matrix, diagonal, steps, free, friction }
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.friction.len()
    }

    /// The blocks of a row with their columns.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &X::Matrix)> {
        let range = self.matrix.indptr().outer_inds_sz(row);
        let columns = self.matrix.indices()[range.clone()].iter().map(|&column| column as usize);
        columns.zip(&self.matrix.data()[range])
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.matrix.nnz()
    }

    /// q.
    pub fn free(&self) -> &[X::Vector] {
        &self.free
    }

    /// mu of each contact.
    pub fn friction(&self) -> &[f64] {
        &self.friction
    }

    /// Velocity of one contact under these impulses.
    fn velocity(&self, row: usize, impulses: &[X::Vector]) -> X::Vector {
        self.row(row).fold(self.free[row], |u, (column, block)| u + block.apply(impulses[column]))
    }

    /// u = W r + q.
    pub fn velocities(&self, impulses: &[X::Vector]) -> Vec<X::Vector> {
        (0..self.contacts()).map(|row| self.velocity(row, impulses)).collect()
    }

    /// Residual of the contact laws: the natural map with steps from the diagonal blocks, as in
    /// [`Certificate`](super::Certificate).
    pub fn residual(&self, impulses: &[X::Vector]) -> Residual {
        let (mut residual, n) = (Residual::default(), X::Vector::axis(0));
        for (row, &r) in impulses.iter().enumerate() {
            let rho = self.steps[row][0].min(self.steps[row][1]);
            residual.add_cone::<X>(r, self.velocity(row, impulses), n, self.friction[row], rho);
        }
        residual
    }

    /// The error measure of FCLIB (`fclib_merit_local`, MERIT_1):
    ///
    /// ||r - P_K(r - u - mu |u_t| n)|| / (1 + sqrt(||q||)), u = W r + q,
    ///
    /// P_K the projection on the friction cones, all norms Euclidean over all contacts. It depends on the units. FCLIB
    /// itself evaluates it in space only; in the plane it is the same with one tangent.
    pub fn merit(&self, impulses: &[X::Vector]) -> f64 {
        let n = X::Vector::axis(0);
        let violation = |(row, &r): (usize, &X::Vector)| {
            let (u, mu) = (self.velocity(row, impulses), self.friction[row]);
            (r - project_on_cone::<X>(r - u - n * (mu * tangent::<X>(u).norm()), n, mu)).norm2()
        };
        let sum: f64 = impulses.iter().enumerate().map(violation).sum();
        let free: f64 = self.free.iter().map(Vector::norm2).sum();
        sum.sqrt() / (1.0 + free.sqrt().sqrt())
    }
}

/// Tangential part of a local vector.
fn tangent<X: Dim>(v: X::Vector) -> X::Vector {
    X::Vector::from_fn(|i| if i == 0 { 0.0 } else { v[i] })
}

#[cfg(test)]
mod tests;
