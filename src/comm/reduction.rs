//! Exact sums on their way through all processes: begun, left alone for a while, then read.

use crate::base::ExactSum;

/// Numbers being added up over all processes. The memory stays from one sum to the next.
#[derive(Default)]
pub struct PendingReduction {
    /// This process' own before a sum, everyone's after it; the sum's own in between.
    pub(super) values: Vec<u64>,
    /// What travels while `values` is being filled.
    #[cfg(feature = "mpi")]
    pub(super) own: Vec<u64>,
    #[cfg(feature = "mpi")]
    pub(super) request: Option<super::mpi::PendingMessage>,
}

impl PendingReduction {
    /// Take the sums of this process.
    pub fn load(&mut self, sums: &[ExactSum]) {
        self.values.clear();
        self.values.extend(sums.iter().flat_map(ExactSum::limbs));
    }

    /// The first N sums, rounded.
    pub fn read<const N: usize>(&self) -> [f64; N] {
        let mut sums = self.sums();
        // Whoever reads N has loaded N.
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
    fn a_process_alone_reads_what_it_loaded_however_often() {
        let mut tally = PendingReduction::default();
        for k in 0..3 {
            let x = f64::from(k) + 0.1;
            tally.load(&[ExactSum::of(x), ExactSum::of(-2.0 * x)]);
            SerialComm.begin_sum(&mut tally);
            SerialComm.end_sum(&mut tally);
            assert_eq!(tally.read(), [x, -2.0 * x]);
        }
    }
}
