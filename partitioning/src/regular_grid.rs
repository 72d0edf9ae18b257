//! A regular grid over the bounding box: the baseline that looks at no weight.

use crate::frame::Frame;
use crate::layout::Layout;
use crate::{Cuts, Cutter, Local, Reduce};

/// Boxes of equal size over the bounding box of the points, whatever they weigh.
///
/// The numbers of boxes along the axes are the factors of the number of parts that give the
/// least area between boxes; a prime number of parts gives slabs.
#[derive(Clone, Copy, Debug, Default)]
pub struct RegularGrid;

impl<const D: usize> Cutter<D> for RegularGrid {
    fn cut(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce) -> Cuts<D> {
        assert_eq!(points.len(), weights.len(), "every point needs one weight");
        let frame = Frame::around(points, reduce);
        let counts = factors(&frame.lengths(), parts);
        let layout = Layout::new(std::array::from_fn(|axis| axis), parts, |level, _| counts[level]);
        // Halving no points cuts in proportion.
        frame.halve(&[], &[], parts, &Local, |group| layout.choose(group))
    }
}

/// The numbers of boxes along the axes whose product is `parts` and whose faces are smallest.
fn factors<const D: usize>(lengths: &[f64; D], parts: usize) -> [usize; D] {
    fn search<const D: usize>(
        lengths: &[f64; D],
        axis: usize,
        parts: usize,
        counts: &mut [usize; D],
        best: &mut (f64, [usize; D]),
    ) {
        if axis + 1 == D {
            counts[axis] = parts;
            // Area of all faces over the volume of the box.
            let area = (0..D).map(|axis| counts[axis] as f64 / lengths[axis]).sum();
            if area < best.0 {
                *best = (area, *counts);
            }
            return;
        }
        for count in (1..=parts).filter(|count| parts.is_multiple_of(*count)) {
            counts[axis] = count;
            search(lengths, axis + 1, parts / count, counts, best);
        }
    }
    let mut best = (f64::INFINITY, [1; D]);
    best.1[0] = parts;
    search(lengths, 0, parts, &mut [1; D], &mut best);
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_follow_the_shape_of_the_box() {
        assert_eq!(factors(&[1.0, 1.0, 1.0], 64), [4, 4, 4]);
        assert_eq!(factors(&[4.0, 1.0, 2.0], 64), [8, 2, 4]);
        assert_eq!(factors(&[1.0, 10.0], 7), [1, 7]);
        assert_eq!(factors(&[1.0, 1.0, 1e-3], 64), [8, 8, 1]);
    }

    #[test]
    fn boxes_have_equal_sizes() {
        let corners = [[0.0, 0.0], [3.0, 2.0]];
        let cuts = RegularGrid.cut(&corners, &[1, 99], 6, &Local);
        let inner = cuts.region(cuts.locate(&[1.5, 0.5]));
        assert!((inner.min[0] - 1.0).abs() < 1e-9 && (inner.max[0] - 2.0).abs() < 1e-9);
        assert!((inner.max[1] - 1.0).abs() < 1e-9);
    }
}
