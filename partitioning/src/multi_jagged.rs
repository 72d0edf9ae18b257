//! Multi-jagged cuts: slabs by weight, each slab into columns by weight, each column into boxes.
//!
//! After Deveci, Rajamanickam, Devine and Catalyurek, "Multi-jagged: a scalable parallel spatial
//! partitioning algorithm", IEEE TPDS 27 (2016). Boxes keep the neighbourhood of a grid where
//! weights are even, so two colours nearly suffice.

use crate::frame::Frame;
use crate::layout::Layout;
use crate::{Cuts, Cutter, Reduce};

/// Slabs along the longest axis, columns along the next one, boxes along the last, all by weight.
///
/// The numbers of slabs and columns are those that make boxes as cubic as the bounding box
/// allows. Any number of parts works: slabs then hold different numbers of columns, and columns
/// of boxes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MultiJagged;

impl<const D: usize> Cutter<D> for MultiJagged {
    fn cut(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce) -> Cuts<D> {
        let frame = Frame::around(points, reduce);
        let lengths = frame.lengths();
        let mut axes: [usize; D] = std::array::from_fn(|axis| axis);
        axes.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]));
        let sorted = axes.map(|axis| lengths[axis]);
        let layout = Layout::new(axes, parts, |level, parts| rows(&sorted[level..], parts));
        frame.halve(points, weights, parts, reduce, |group| layout.choose(group))
    }
}

/// How many rows along the first and longest of these lengths make `parts` boxes most cubic.
fn rows(lengths: &[f64], parts: usize) -> usize {
    // The edge of the cube that fills the box `parts` times. A length shorter than that edge is
    // not cut at all, so only the others share the parts.
    for dimensions in (1..=lengths.len()).rev() {
        let volume: f64 = lengths[..dimensions].iter().product();
        let edge = (volume / parts as f64).powf(1.0 / dimensions as f64);
        if lengths[dimensions - 1] >= edge {
            return (lengths[0] / edge).round() as usize;
        }
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Local;

    #[test]
    fn a_cube_gets_as_many_rows_along_every_axis() {
        assert_eq!(rows(&[1.0, 1.0, 1.0], 64), 4);
        assert_eq!(rows(&[1.0, 1.0], 16), 4);
        assert_eq!(rows(&[4.0, 2.0, 1.0], 64), 8);
    }

    #[test]
    fn a_thin_axis_is_not_cut() {
        assert_eq!(rows(&[1.0, 1.0, 1e-3], 64), 8);
        assert_eq!(rows(&[1.0, 1e-3, 1e-3], 64), 64);
        assert_eq!(rows(&[1.0, 1.0, 1.0], 1), 1);
    }

    #[test]
    fn a_prime_number_of_parts_is_balanced() {
        let points: Vec<[f64; 2]> =
            (0..10_000).map(|i| [(i % 100) as f64 + 1e-3 * i as f64, (i / 100) as f64]).collect();
        let cuts = MultiJagged.cut(&points, &vec![1; points.len()], 13, &Local);
        let mut held = [0; 13];
        points.iter().for_each(|point| held[cuts.locate(point)] += 1);
        assert!(held.iter().all(|&n| (700..=850).contains(&n)), "{held:?}");
    }
}
