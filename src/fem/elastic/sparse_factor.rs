//! Cholesky factor of a sparse matrix, by one thread: the same bits wherever it is made.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};
use sprs::CsMat;

use super::fault::ElasticFault;

/// L with A = L L', after a permutation that keeps it sparse.
#[derive(Debug)]
pub struct SparseFactor {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

impl SparseFactor {
    /// Factors a symmetric, positive definite matrix in the order of least degree.
    pub fn new(matrix: &CsMat<f64>) -> Result<Self, ElasticFault> {
        Self::ordered(matrix, SymmetricOrdering::Amd)
    }

    /// Factors a symmetric, positive definite matrix; `order` lists its unknowns as they are eliminated.
    pub fn in_order(matrix: &CsMat<f64>, order: &[usize]) -> Result<Self, ElasticFault> {
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &unknown)| places[unknown] = place);
        Self::ordered(matrix, SymmetricOrdering::Custom(PermRef::new_checked(order, &places, order.len())))
    }

    fn ordered(matrix: &CsMat<f64>, ordering: SymmetricOrdering<'_, usize>) -> Result<Self, ElasticFault> {
        let fault = |reason: &str| ElasticFault::NotPositiveDefinite { reason: reason.to_string() };
        if matrix.data().iter().any(|entry| !entry.is_finite()) {
            return Err(fault("an entry is not a finite number"));
        }
        let order = matrix.rows();
        let starts = matrix.proper_indptr();
        let pattern = SymbolicSparseColMatRef::new_checked(order, order, &starts, None, matrix.indices());
        let parameters = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, ordering, parameters)
            .map_err(|error| fault(&error.to_string()))?;
        let mut values = vec![0.0; symbolic.len_val()];
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut memory = MemBuffer::try_new(scratch).map_err(|_| fault("not enough memory"))?;
        symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(pattern, matrix.data()),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .map_err(|error| fault(&error.to_string()))?;
        if values.iter().any(|value| !value.is_finite()) {
            return Err(fault("its factor is not finite"));
        }
        Ok(Self { symbolic, values })
    }

    /// Overwrites b with the solution of A x = b.
    pub fn solve(&self, b: &mut [f64]) {
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let order = b.len();
        let right = MatMut::from_column_major_slice_mut(b, order, 1);
        let factor = LltRef::new(&self.symbolic, &self.values);
        factor.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut memory));
    }

    /// Number of entries of the factor.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Bytes of the factor: an entry and at most one index each.
    pub fn bytes(&self) -> usize {
        self.values.len() * (size_of::<f64>() + size_of::<usize>())
    }
}
