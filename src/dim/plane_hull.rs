//! Convex hull in 2D: Andrew's monotone chain (1979), with orientation predicates on an exact lattice.

use nalgebra::Vector2;

use super::hull::{Degenerate, Facets, extent, lattice, orient_2d};

/// Hull of distinct points in lexicographic order. A point within `flatness` (times the largest extent) of the line
/// through its neighbours is not a corner.
pub(super) fn hull(points: &[Vector2<f64>], flatness: f64) -> Result<Facets, Degenerate> {
    let tolerance = flatness * extent(points).1;
    if points.len() < 2 {
        return Err(Degenerate::Flat(0));
    }
    let corners = straightened(chain(points), points, tolerance);
    if corners.len() < 3 {
        return Err(Degenerate::Flat(1));
    }
    let count = corners.len() as u32;
    let faces = (0..count).map(|i| vec![i, (i + 1) % count]).collect();
    Ok(Facets { corners, faces, edges: Vec::new() })
}

/// Indices of the corners, counter-clockwise from the lexicographically smallest.
fn chain(points: &[Vector2<f64>]) -> Vec<u32> {
    let cells = lattice(points);
    let half = |order: &mut dyn Iterator<Item = usize>| {
        let mut chain: Vec<usize> = Vec::new();
        for k in order {
            while let [.., a, b] = chain[..]
                && orient_2d(cells[a], cells[b], cells[k]) <= 0
            {
                chain.pop();
            }
            chain.push(k);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut (0..points.len()));
    corners.extend(half(&mut (0..points.len()).rev()));
    corners.into_iter().map(|k| k as u32).collect()
}

/// Removes corners within `tolerance` of the line through their neighbours.
fn straightened(mut corners: Vec<u32>, points: &[Vector2<f64>], tolerance: f64) -> Vec<u32> {
    let at = |k: u32| points[k as usize];
    let mut position = 0;
    let mut unchanged = 0;
    while corners.len() >= 3 && unchanged < corners.len() {
        let count = corners.len();
        position %= count;
        let (before, here, after) =
            (at(corners[(position + count - 1) % count]), at(corners[position]), at(corners[(position + 1) % count]));
        let chord = after - before;
        // Distance to the line through the neighbours; NaN, which removes the corner, if they coincide.
        let distance = chord.perp(&(here - before)).abs() / chord.norm();
        if distance >= tolerance {
            unchanged += 1;
            position += 1;
        } else {
            corners.remove(position);
            unchanged = 0;
            position += count - 2;
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::hull::FLATNESS;

    #[test]
    fn points_on_and_inside_a_square_leave_its_four_corners() {
        let grid: Vec<_> = (0..25).map(|k| Vector2::new(f64::from(k / 5), f64::from(k % 5))).collect();
        let facets = hull(&grid, FLATNESS).unwrap();
        assert_eq!(facets.corners, [0, 20, 24, 4]);
        assert_eq!(facets.faces, [[0, 1], [1, 2], [2, 3], [3, 0]]);
    }

    #[test]
    fn points_on_a_line_have_no_hull() {
        let line: Vec<_> = (0..9).map(|k| Vector2::new(f64::from(k), 1.0 / 3.0 + 0.7 * f64::from(k))).collect();
        assert_eq!(hull(&line, FLATNESS), Err(Degenerate::Flat(1)));
        assert_eq!(hull(&line[..1], FLATNESS), Err(Degenerate::Flat(0)));
    }
}
