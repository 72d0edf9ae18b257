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
use crate::base::memory::machine_memory;

/// L with A = L L', after a permutation that keeps it sparse.
#[derive(Debug)]
pub struct SparseFactor {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

impl SparseFactor {
    /// Factors a symmetric, positive definite matrix. `order` may list its unknowns as they could be eliminated; that,
    /// or the order of least degree, is taken, whichever leaves fewer entries.
    pub fn new(matrix: &CsMat<f64>, order: Option<&[usize]>) -> Result<Self, ElasticFault> {
        if matrix.data().iter().any(|entry| !entry.is_finite()) {
            return Err(fault("an entry is not a finite number"));
        }
        let starts = matrix.proper_indptr();
        let pattern =
            SymbolicSparseColMatRef::new_checked(matrix.rows(), matrix.rows(), &starts, None, matrix.indices());
        let mut symbolic = analysed(pattern, SymmetricOrdering::Amd)?;
        if let Some(order) = order {
            let mut places = vec![0; order.len()];
            order.iter().enumerate().for_each(|(place, &unknown)| places[unknown] = place);
            let given = PermRef::new_checked(order, &places, order.len());
            let other = analysed(pattern, SymmetricOrdering::Custom(given))?;
            if other.len_val() < symbolic.len_val() {
                symbolic = other;
            }
        }
        let (unknowns, bytes) = (matrix.rows(), bytes_of(symbolic.len_val()));
        if let Some(memory) = machine_memory().filter(|memory| bytes as u64 > *memory) {
            return Err(ElasticFault::TooLarge { unknowns, bytes: bytes as u64, memory });
        }
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

    /// Bytes of the factor.
    pub fn bytes(&self) -> usize {
        bytes_of(self.values.len())
    }
}

/// Bytes of a factor with this number of entries: the entry and at most one index each.
fn bytes_of(entries: usize) -> usize {
    entries * (size_of::<f64>() + size_of::<usize>())
}

fn fault(reason: &str) -> ElasticFault {
    ElasticFault::NotPositiveDefinite { reason: reason.to_string() }
}

/// Finds where the factor has entries.
fn analysed(
    pattern: SymbolicSparseColMatRef<'_, usize>,
    ordering: SymmetricOrdering<'_, usize>,
) -> Result<SymbolicCholesky<usize>, ElasticFault> {
    factorize_symbolic_cholesky(pattern, Side::Lower, ordering, CholeskySymbolicParams::default())
        .map_err(|error| fault(&error.to_string()))
}
