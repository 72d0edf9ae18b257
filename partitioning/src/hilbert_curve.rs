//! Pieces of the Hilbert curve: parts without planes, compact and cheap to change.

use crate::bisect::bisect;
use crate::frame::Frame;
use crate::{Assign, Reduce, hilbert};

/// Contiguous pieces of the Hilbert curve through the points, by weight.
///
/// The curve fills the smallest cube around the points, so that its cells are cubes as well.
#[derive(Clone, Copy, Debug, Default)]
pub struct HilbertCurve;

/// Bits of a key that count in the search for cuts: those of 3D, or of 2D less one.
const BITS: u32 = 63;

impl<const D: usize> Assign<D> for HilbertCurve {
    fn assign(&self, points: &[[f64; D]], weights: &[u32], parts: usize, reduce: &dyn Reduce, out: &mut [u32]) {
        assert_eq!(points.len(), out.len(), "every point needs one place in the output");
        let frame = Frame::around(points, reduce);
        let min = frame.region().min;
        let longest = frame.lengths().into_iter().fold(0.0, f64::max);
        let max = min.map(|coordinate| coordinate + longest);
        let unused = if D == 3 { 0 } else { 1 };
        let keys: Vec<[u64; 1]> = points.iter().map(|point| [hilbert::key(point, &min, &max) >> unused]).collect();
        let (_, places) = bisect(&keys, weights, BITS, parts, reduce, |group| (0, group.parts / 2));
        out.copy_from_slice(&places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Local;

    #[test]
    fn a_square_of_points_falls_into_its_quarters() {
        let points: Vec<[f64; 2]> = (0..256).map(|i| [(i % 16) as f64, (i / 16) as f64]).collect();
        let mut parts = vec![0; points.len()];
        HilbertCurve.assign(&points, &vec![3; points.len()], 4, &Local, &mut parts);
        let quarter = |[x, y]: [f64; 2]| (usize::from(x > 7.5), usize::from(y > 7.5));
        for (point, part) in points.iter().zip(&parts) {
            let first = parts.iter().position(|other| other == part);
            assert_eq!(Some(quarter(*point)), first.map(|first| quarter(points[first])));
        }
        assert_eq!(parts.iter().filter(|&&part| part == 3).count(), 64);
    }
}
