//! Nonblocking exact sums over all processes: started, overlapped with work, then read.

use crate::base::ExactSum;

/// Numbers being summed over all processes. The buffers are kept from one reduction to the next.
#[derive(Default)]
pub struct PendingReduction {
    /// Contribution of this process before a reduction, result after it; must not be touched in between.
    pub(super) values: Vec<u64>,
    /// Send buffer, while `values` receives the result.
    #[cfg(feature = "mpi")]
    pub(super) own: Vec<u64>,
    #[cfg(feature = "mpi")]
    pub(super) request: Option<super::mpi_request::PendingMessage>,
}

impl PendingReduction {
    /// Loads the sums of this process.
    pub fn load(&mut self, sums: &[ExactSum]) {
        self.values.clear();
        self.values.extend(sums.iter().flat_map(ExactSum::limbs));
    }

    /// The first N sums, rounded.
    pub fn read<const N: usize>(&self) -> [f64; N] {
        let mut sums = self.sums();
        // A caller that reads N sums has loaded N.
        std::array::from_fn(|_| sums.next().unwrap_or(f64::NAN))
    }

    /// All sums, rounded.
    pub fn read_all(&self) -> Vec<f64> {
        self.sums().collect()
    }

    fn sums(&self) -> impl Iterator<Item = f64> {
        self.values.chunks_exact(ExactSum::LIMBS).map(|limbs| ExactSum::from_limbs(limbs).value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{Comm, SerialComm};

    #[test]
    fn a_single_process_reads_what_it_loaded_in_every_reduction() {
        let mut reduction = PendingReduction::default();
        for k in 0..3 {
            let x = f64::from(k) + 0.1;
            reduction.load(&[ExactSum::of(x), ExactSum::of(-2.0 * x)]);
            SerialComm.begin_sum(&mut reduction);
            SerialComm.end_sum(&mut reduction);
            assert_eq!(reduction.read(), [x, -2.0 * x]);
        }
    }
}
