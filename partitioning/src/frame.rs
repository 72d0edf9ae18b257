//! Coordinates as integers: the bounding box of all points, cut into 2^40 quanta along each axis.
//!
//! Quanta make the search for a cut finite and exact. [`Frame::position`] is the exact inverse of
//! [`Frame::quantise`], so weights counted in quanta are the weights that `Cuts::locate` finds.

use crate::bisect::{Cut, Group, bisect};
use crate::colour::two_colours;
use crate::cuts::Split;
use crate::faces::faces;
use crate::{Cuts, Reduce, Region};

/// Quanta along an axis, as a power of two. One body lost at 10 000 times the size of the others'
/// box still leaves quanta of 1e-8 of that box.
pub(crate) const BITS: u32 = 40;

/// An axis shorter than this share of the longest one is taken to have that length where shapes
/// of boxes are weighed: a flat cloud is a thin plate, not a set of zero volume.
const THINNEST: f64 = 1e-3;

/// The bounding box of all points of all processes.
#[derive(Clone, Debug)]
pub(crate) struct Frame<const D: usize> {
    min: [f64; D],
    max: [f64; D],
    scale: [f64; D],
}

impl<const D: usize> Frame<D> {
    /// Collective. The box of the finite coordinates; the unit box where there are none.
    pub(crate) fn around(points: &[[f64; D]], reduce: &dyn Reduce) -> Self {
        let mut min = [f64::INFINITY; D];
        let mut max = [f64::NEG_INFINITY; D];
        for point in points {
            for axis in 0..D {
                if point[axis].is_finite() {
                    min[axis] = min[axis].min(point[axis]);
                    max[axis] = max[axis].max(point[axis]);
                }
            }
        }
        reduce.min(&mut min);
        reduce.max(&mut max);
        let mut scale = [0.0; D];
        for axis in 0..D {
            if min[axis] > max[axis] {
                (min[axis], max[axis]) = (0.0, 1.0);
            }
            // Zero has two signs, and which one a minimum keeps is left open by IEEE 754.
            min[axis] += 0.0;
            max[axis] += 0.0;
            if max[axis] > min[axis] {
                scale[axis] = (1u64 << BITS) as f64 / (max[axis] - min[axis]);
            }
        }
        Self { min, max, scale }
    }

    /// Collective. The cuts that halve the points by weight under the rule `choose`, see [`bisect`].
    pub(crate) fn halve(
        &self,
        points: &[[f64; D]],
        weights: &[u32],
        parts: usize,
        reduce: &dyn Reduce,
        choose: impl Fn(&Group<D>) -> (usize, usize),
    ) -> Cuts<D> {
        let keys: Vec<[u64; D]> = points.iter().map(|point| self.quantise(point)).collect();
        let (cuts, _) = bisect(&keys, weights, BITS, parts, reduce, choose);
        let place = |&Cut { axis, at, left }: &Cut| Split { axis, at: self.position(axis, at), left };
        let splits: Vec<Split> = cuts.iter().map(place).collect();
        let Some(cuts) = Cuts::assemble(&splits) else {
            unreachable!("planes halve groups level by level, inside their boxes")
        };
        let colours = two_colours(parts, &faces(&cuts, &self.region()));
        cuts.painted(colours)
    }

    /// The integer coordinates of a point. Outside the box: those of the nearest quantum; NaN: 0.
    pub(crate) fn quantise(&self, point: &[f64; D]) -> [u64; D] {
        std::array::from_fn(|axis| self.quantum(axis, point[axis]))
    }

    /// The smallest coordinate, not below the box, whose quantum is at least `quantum` (above 0);
    /// just above the box if there is none.
    pub(crate) fn position(&self, axis: usize, quantum: u64) -> f64 {
        // Bisection over the floats themselves, in their order: 64 steps to the last bit, where
        // inverting the formula would be off by rounding.
        let mut below = rank(self.min[axis]);
        let mut reached = rank(self.max[axis].next_up());
        while below + 1 < reached {
            let middle = below.midpoint(reached);
            if self.quantum(axis, float(middle)) >= quantum {
                reached = middle;
            } else {
                below = middle;
            }
        }
        float(reached)
    }

    /// The lengths of the box, none shorter than a thousandth of the longest.
    pub(crate) fn lengths(&self) -> [f64; D] {
        let lengths: [f64; D] = std::array::from_fn(|axis| self.max[axis] - self.min[axis]);
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let thinnest = if longest > 0.0 { longest * THINNEST } else { 1.0 };
        lengths.map(|length| length.max(thinnest))
    }

    /// The box with those lengths.
    pub(crate) fn region(&self) -> Region<D> {
        let lengths = self.lengths();
        Region { min: self.min, max: std::array::from_fn(|axis| self.min[axis] + lengths[axis]) }
    }

    fn quantum(&self, axis: usize, coordinate: f64) -> u64 {
        // The cast takes NaN and what lies below to 0 and what lies above to the last quantum.
        (((coordinate - self.min[axis]) * self.scale[axis]) as u64).min((1 << BITS) - 1)
    }
}

/// The place of a float in the order of all floats; 0 for zero.
fn rank(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

/// The float at that place.
fn float(rank: i64) -> f64 {
    let size = f64::from_bits(rank.unsigned_abs());
    if rank < 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Local;

    #[test]
    fn a_position_is_the_first_coordinate_of_its_quantum() {
        let frame = Frame::around(&[[-1.0, 0.1], [1.0, 0.7]], &Local);
        for axis in 0..2 {
            for quantum in [1, 2, 12_345, 1 << 39, (1 << 39) + 1, (1 << BITS) - 1] {
                let at = frame.position(axis, quantum);
                assert!(frame.quantum(axis, at) >= quantum);
                assert!(frame.quantum(axis, at.next_down()) < quantum);
            }
        }
    }

    #[test]
    fn weights_counted_in_quanta_are_those_of_the_located_points() {
        let points: Vec<[f64; 2]> =
            (0..500_u32).map(|i| [(f64::from(i) * 0.7).sin(), f64::from(i % 7) - 3.0]).collect();
        let frame = Frame::around(&points, &Local);
        let keys: Vec<[u64; 2]> = points.iter().map(|point| frame.quantise(point)).collect();
        let choose = |group: &Group<2>| (group.first % 2, group.parts / 2);
        let (_, places) = bisect(&keys, &[1; 500], BITS, 23, &Local, choose);
        let cuts = frame.halve(&points, &[1; 500], 23, &Local, choose);
        let located: Vec<u32> = points.iter().map(|point| cuts.locate(point) as u32).collect();
        assert_eq!(located, places);
    }

    #[test]
    fn a_flat_axis_has_one_quantum_and_its_cuts_lie_just_above_it() {
        let frame = Frame::around(&[[0.0, 3.0], [1.0, 3.0]], &Local);
        assert_eq!(frame.quantise(&[0.5, 3.0])[1], 0);
        assert_eq!(frame.position(1, 7), 3.0_f64.next_up());
        assert_eq!(frame.lengths(), [1.0, 1e-3]);
    }

    #[test]
    fn coordinates_that_are_not_finite_do_not_move_the_box() {
        let frame = Frame::around(&[[0.0], [f64::NAN], [f64::INFINITY], [2.0]], &Local);
        assert_eq!((frame.min, frame.max), ([0.0], [2.0]));
        assert_eq!(frame.quantise(&[f64::NAN]), [0]);
        assert_eq!(frame.quantise(&[f64::INFINITY]), [(1 << BITS) - 1]);
        assert_eq!(frame.quantise(&[f64::NEG_INFINITY]), [0]);
    }

    #[test]
    fn no_points_give_the_unit_box() {
        let frame = Frame::<3>::around(&[], &Local);
        assert_eq!(frame.region(), Region { min: [0.0; 3], max: [1.0; 3] });
    }
}
