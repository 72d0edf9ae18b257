//! Recursive coordinate bisection: halve by weight, again and again.
//!
//! After Berger and Bokhari, "A partitioning strategy for nonuniform problems on
//! multiprocessors", IEEE Trans. Computers C-36 (1987).

use crate::frame::Frame;
use crate::{Cuts, Cutter, Reduce};

/// Halves of halves by weight, each across the longest side of its box.
///
/// An odd number of parts is split as n/2 and n - n/2, the weight in that proportion.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecursiveBisection;

impl<const D: usize> Cutter<D> for RecursiveBisection {
    fn cut(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce) -> Cuts<D> {
        let frame = Frame::around(points, reduce);
        let lengths = frame.lengths();
        frame.halve(points, weights, parts, reduce, |group| {
            let side = |axis: usize| (group.high[axis] - group.low[axis]) as f64 * lengths[axis];
            let longest = (1..D).fold(0, |best, axis| if side(axis) > side(best) { axis } else { best });
            (longest, group.parts / 2)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Local;

    #[test]
    fn the_longest_side_is_cut_first() {
        let points: Vec<[f64; 2]> = (0..64).map(|i| [(i % 4) as f64, (i / 4) as f64]).collect();
        let cuts = RecursiveBisection.cut(&points, &[1; 64], 2, &Local);
        assert_eq!(cuts.locate(&[0.0, 7.0]), 0);
        assert_eq!(cuts.locate(&[3.0, 7.0]), 0);
        assert_eq!(cuts.locate(&[0.0, 8.0]), 1);
    }

    #[test]
    fn three_parts_have_a_third_of_the_weight_each() {
        let points: Vec<[f64; 1]> = (0..9).map(|i| [i as f64]).collect();
        let cuts = RecursiveBisection.cut(&points, &[2; 9], 3, &Local);
        let parts: Vec<usize> = points.iter().map(|point| cuts.locate(point)).collect();
        assert_eq!(parts, [0, 0, 0, 1, 1, 1, 2, 2, 2]);
    }
}
