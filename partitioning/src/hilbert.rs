//! The Hilbert curve: keys of points, and pieces of the curve.
//!
//! Keys follow Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707 (2004): cells
//! whose keys differ by one share a face, so neighbours along the curve are neighbours in space.

/// The key of a point along the curve that fills the box from `min` to `max`: 32 bits an axis
/// in 2D, 21 in 3D.
///
/// Points outside count as the nearest point of the box, infinite coordinates too; a NaN counts
/// as the lower end.
#[must_use]
pub fn key<const D: usize>(point: &[f64; D], min: &[f64; D], max: &[f64; D]) -> u64 {
    let bits = (u64::BITS / D as u32).min(u32::BITS);
    let cells = (1u64 << bits) as f64;
    let cell: [u32; D] = std::array::from_fn(|axis| {
        let share = (point[axis] - min[axis]) / (max[axis] - min[axis]);
        // The cast takes NaN and what lies below to 0.
        ((share * cells) as u64).min((1 << bits) - 1) as u32
    });
    index(cell, bits)
}

/// The place of a cell along the curve through 2^(`bits` D) cells.
fn index<const D: usize>(mut cell: [u32; D], bits: u32) -> u64 {
    // From the coarsest level down, turn what is below as that level's piece of the curve is
    // turned ...
    // (Masks instead of branches: half of the branches would be guessed wrong.)
    for level in (1..bits).rev() {
        let below = (1u32 << level) - 1;
        for axis in 0..D {
            let upper = mask(cell[axis], level);
            let swap = (cell[0] ^ cell[axis]) & below & !upper;
            cell[axis] ^= swap;
            cell[0] ^= swap ^ (below & upper);
        }
    }
    // ... then number the corners of each level by their Gray code.
    for axis in 1..D {
        cell[axis] ^= cell[axis - 1];
    }
    let mut flip = 0;
    for level in 1..bits {
        flip ^= mask(cell[D - 1], level) & ((1u32 << level) - 1);
    }
    let mut key = 0;
    for level in (0..bits).rev() {
        for coordinate in cell {
            key = key << 1 | u64::from((coordinate ^ flip) >> level & 1);
        }
    }
    key
}

/// All ones if the bit of that level is set, else zero.
fn mask(coordinate: u32, level: u32) -> u32 {
    (coordinate >> level & 1).wrapping_neg()
}

/// Cuts a curve into contiguous pieces: the piece of each item, ascending from 0.
///
/// No other contiguous pieces have a smaller heaviest one. No piece is empty unless there are
/// fewer items than pieces.
///
/// # Panics
/// If there are no pieces to fill.
#[must_use]
pub fn split(weights_in_curve_order: &[u64], parts: usize) -> Vec<u32> {
    assert!(parts > 0, "a curve is cut into one piece at least");
    let weights = weights_in_curve_order;
    let heaviest = weights.iter().copied().max().unwrap_or(0);
    let total = weights.iter().fold(0u64, |sum, &weight| sum.saturating_add(weight));

    // The least limit that the pieces can keep, by bisection: enough pieces exist at `high`.
    let (mut low, mut high) = (heaviest.max(total / parts as u64), total);
    while low < high {
        let limit = low.midpoint(high);
        if pieces(weights, limit) <= parts {
            high = limit;
        } else {
            low = limit + 1;
        }
    }

    let (mut piece, mut held, mut items) = (0, 0u64, 0);
    let mut out = Vec::with_capacity(weights.len());
    for (index, &weight) in weights.iter().enumerate() {
        // Items that are as few as the pieces to come fill one piece each.
        let scarce = weights.len() - index < parts - piece;
        if items > 0 && (held.saturating_add(weight) > low || scarce) && piece + 1 < parts {
            piece += 1;
            (held, items) = (0, 0);
        }
        held = held.saturating_add(weight);
        items += 1;
        out.push(piece as u32);
    }
    out
}

/// How many pieces a curve needs if none may weigh more than `limit`.
fn pieces(weights: &[u64], limit: u64) -> usize {
    let (mut pieces, mut held) = (1, 0u64);
    for &weight in weights {
        held = held.saturating_add(weight);
        if held > limit {
            pieces += 1;
            held = weight;
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits every cell of a small curve; panics unless it is a bijection in unit steps.
    fn walk<const D: usize>(bits: u32) {
        let count = 1usize << (bits * D as u32);
        let mut cells = vec![None; count];
        for number in 0..count {
            let cell: [u32; D] =
                std::array::from_fn(|axis| (number >> (axis as u32 * bits)) as u32 & ((1 << bits) - 1));
            let place = &mut cells[index(cell, bits) as usize];
            assert_eq!(*place, None, "two cells have one key");
            *place = Some(cell);
        }
        for pair in cells.windows(2) {
            let (Some(a), Some(b)) = (pair[0], pair[1]) else { panic!("a key has no cell") };
            let steps: u32 = (0..D).map(|axis| a[axis].abs_diff(b[axis])).sum();
            assert_eq!(steps, 1, "{a:?} and {b:?} follow each other");
        }
    }

    #[test]
    fn consecutive_cells_share_a_face_and_every_cell_has_one_key() {
        (1..=6).for_each(walk::<2>);
        (1..=4).for_each(walk::<3>);
    }

    #[test]
    fn the_whole_range_of_keys_is_used() {
        let (min, max) = ([0.0; 2], [1.0; 2]);
        assert_eq!(key(&[0.0, 0.0], &min, &max), 0);
        assert_eq!(key(&[1.0, 0.0], &min, &max), u64::MAX);
        assert_eq!(key(&[1.0, 0.0, 0.0], &[0.0; 3], &[1.0; 3]), u64::MAX >> 1);
    }

    #[test]
    fn points_outside_have_the_key_of_the_nearest_point_inside() {
        let (min, max) = ([0.0; 3], [1.0, 2.0, 3.0]);
        assert_eq!(key(&[-5.0, 1.0, 9.0], &min, &max), key(&[0.0, 1.0, 3.0], &min, &max));
        let infinite = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        assert_eq!(key(&infinite, &min, &max), key(&[1.0, 0.0, 0.0], &min, &max));
    }

    #[test]
    fn a_box_without_extent_has_one_key() {
        assert_eq!(key(&[2.0, 2.0], &[2.0; 2], &[2.0; 2]), 0);
    }

    #[test]
    fn pieces_have_the_least_possible_maximum() {
        assert_eq!(split(&[1, 2, 3, 4, 5, 6, 7, 8, 9], 3), [0, 0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(split(&[9, 1, 1, 1], 2), [0, 1, 1, 1]);
        assert_eq!(split(&[u64::MAX, u64::MAX], 2), [0, 1]);
    }

    #[test]
    fn no_piece_is_empty_while_there_are_items_enough() {
        assert_eq!(split(&[1, 1, 1, 1], 3), [0, 0, 1, 2]);
        assert_eq!(split(&[0, 0, 0], 3), [0, 1, 2]);
        assert_eq!(split(&[5, 5], 7), [0, 1]);
        assert!(split(&[], 2).is_empty());
    }
}
