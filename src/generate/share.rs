//! Distribution of the generated bodies over processes.
//!
//! Each process makes a contiguous range of every generator's bodies, in the order of generation and hence of ids: part
//! r of P of n bodies is the range from n r/P to n (r + 1)/P. Obstacles are made on every process.

use std::ops::Range;

use crate::comm::Comm;

/// The part of one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    rank: usize,
    size: usize,
}

impl Share {
    /// The part of this process.
    pub fn on(comm: &dyn Comm) -> Self {
        Self { rank: comm.rank(), size: comm.size() }
    }

    /// The range of `count` items in this part.
    pub(crate) fn of(self, count: u64) -> Range<u64> {
        let cut = |part: usize| (u128::from(count) * part as u128 / self.size as u128) as u64;
        cut(self.rank)..cut(self.rank + 1)
    }

    /// The part that contains item number `item` of `count`.
    pub(crate) fn owner(self, count: u64, item: u64) -> usize {
        ((u128::from(item + 1) * self.size as u128 - 1) / u128::from(count)) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_the_whole_and_differ_by_one_at_most() {
        for (count, size) in [(0, 3), (2, 5), (10, 1), (1001, 7), (u64::MAX, 16)] {
            let mut end = 0;
            for rank in 0..size {
                let part = Share { rank, size }.of(count);
                assert_eq!(part.start, end);
                let ends = [part.start, part.end.saturating_sub(1)].into_iter().filter(|item| part.contains(item));
                ends.for_each(|item| assert_eq!(Share { rank, size }.owner(count, item), rank));
                assert!((part.end - part.start).abs_diff(count / size as u64) <= 1);
                end = part.end;
            }
            assert_eq!(end, count);
        }
    }
}
