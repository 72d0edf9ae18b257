//! Products of the sparse matrices of a mesh with vectors that hold all components of a node in turn.

use sprs::CsMat;

use super::assembly::{BlockMatrix, NodeMatrix};
use crate::dim::{Dim, Square, Vector};

/// Adds `factor` times M x to `out`.
pub(super) fn add_mass<X: Dim>(mass: &NodeMatrix, factor: f64, x: &[f64], out: &mut [f64]) {
    add_rows::<X, f64>(mass, factor, x, out, |entry, x| x * *entry);
}

/// Adds `factor` times a matrix of blocks times x to `out`.
pub(super) fn add_blocks<X: Dim>(matrix: &BlockMatrix<X>, factor: f64, x: &[f64], out: &mut [f64]) {
    add_rows::<X, X::Matrix>(matrix, factor, x, out, |block, x| block.apply(x));
}

/// Adds to each node `factor` times the sum of the products of its row. Written over plain slices, which takes half the
/// time of the iterators of `sprs` for small matrices.
#[inline(always)]
fn add_rows<X: Dim, T>(
    matrix: &CsMat<T>,
    factor: f64,
    x: &[f64],
    out: &mut [f64],
    times: impl Fn(&T, X::Vector) -> X::Vector,
) {
    let starts = matrix.proper_indptr();
    for (row, out) in starts.windows(2).zip(out.chunks_exact_mut(X::D)) {
        let (nodes, entries) = (&matrix.indices()[row[0]..row[1]], &matrix.data()[row[0]..row[1]]);
        let mut sum = X::Vector::zero();
        for (&node, entry) in nodes.iter().zip(entries) {
            sum += times(entry, X::Vector::read(&x[node * X::D..node * X::D + X::D]));
        }
        out.iter_mut().enumerate().for_each(|(k, out)| *out += factor * sum[k]);
    }
}

/// Adds a dense matrix, given column by column, times x to `out`.
pub(super) fn add_dense(columns: &[f64], x: &[f64], out: &mut [f64]) {
    let order = out.len();
    let (fours, rest) = (columns.chunks_exact(4 * order), columns.chunks_exact(4 * order).remainder());
    let done = x.len() / 4 * 4;
    for (block, x) in fours.zip(x.chunks_exact(4)) {
        let (a, b) = block.split_at(2 * order);
        let ((a, b), (c, d)) = (a.split_at(order), b.split_at(order));
        for ((((out, a), b), c), d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *out += (a * x[0] + b * x[1]) + (c * x[2] + d * x[3]);
        }
    }
    for (column, x) in rest.chunks_exact(order).zip(&x[done..]) {
        out.iter_mut().zip(column).for_each(|(out, entry)| *out += entry * x);
    }
}

/// Writes vectors of nodes one after the other.
pub(super) fn fill<X: Dim>(out: &mut [f64], vectors: impl Iterator<Item = X::Vector>) {
    for (out, vector) in out.chunks_exact_mut(X::D).zip(vectors) {
        out.copy_from_slice(vector.as_slice());
    }
}
