//! Which of the bodies that a scene describes a process makes.
//!
//! Of every generator a contiguous part, by the order in which it makes its bodies, and so of ids: part r of P of n
//! bodies are those from n r/P to n (r + 1)/P. Obstacles are made by everyone.

use std::ops::Range;

/// One part of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    rank: usize,
    size: usize,
}

impl Share {
    /// Everything.
    pub fn whole() -> Self {
        Self::new(0, 1)
    }

    /// Part `rank` of `size`.
    pub fn new(rank: usize, size: usize) -> Self {
        Self { rank, size }
    }

    /// Which of `count` things are in this part.
    pub(super) fn of(self, count: u64) -> Range<u64> {
        let cut = |part: usize| (u128::from(count) * part as u128 / self.size as u128) as u64;
        cut(self.rank)..cut(self.rank + 1)
    }

    /// Keep those of `all` that are in this part; says where it begins.
    pub(super) fn keep<T>(self, all: &mut Vec<T>) -> u64 {
        let part = self.of(all.len() as u64);
        all.truncate(part.end as usize);
        all.drain(..part.start as usize);
        all.shrink_to_fit();
        part.start
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
                let part = Share::new(rank, size).of(count);
                assert_eq!(part.start, end);
                assert!((part.end - part.start).abs_diff(count / size as u64) <= 1);
                end = part.end;
            }
            assert_eq!(end, count);
        }
    }

    #[test]
    fn what_is_kept_is_the_part() {
        let mut all: Vec<u32> = (0..10).collect();
        assert_eq!(Share::new(1, 3).keep(&mut all), 3);
        assert_eq!(all, [3, 4, 5]);
    }
}
