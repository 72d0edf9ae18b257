//! Common parts of the 2D and 3D convex hulls: distinct points, an exact lattice, and the resulting faces.
//!
//! The combinatorial structure of a hull depends on which side of a plane a point lies, and rounding must not give
//! inconsistent results. The predicate is therefore evaluated on a lattice of at least 2^39 cells along the largest
//! extent (2e-12 of it), where a determinant of differences is exact in 128-bit integers. Only the predicate uses the
//! lattice: corners keep their original coordinates.

use std::collections::HashMap;

use super::Vector;

/// Tolerance, relative to the largest extent, within which points count as lying on a common plane, line or point.
pub const FLATNESS: f64 = 1e-9;

/// The boundary of a convex hull. Corners are numbered by their position in `corners`.
#[derive(Clone, Debug, PartialEq)]
pub struct Facets {
    /// Indices of the given points that are corners: counter-clockwise in 2D, ascending in 3D.
    pub corners: Vec<u32>,
    /// Corners of each face, counter-clockwise seen from outside; in 2D, of each edge.
    pub faces: Vec<Vec<u32>>,
    /// Edges between faces, lower corner first; empty in 2D.
    pub edges: Vec<[u32; 2]>,
}

/// Reason why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Degenerate {
    /// All points lie on a common point, line or plane, of this dimension.
    Flat(usize),
    /// Points lie so close to the planes of faces that no consistent set of faces exists.
    Undecided,
}

/// Lower corner and largest extent of the bounding box of the points.
pub fn extent<V: Vector>(points: &[V]) -> (V, f64) {
    let min = points.iter().fold(V::from_fn(|_| f64::INFINITY), |min, p| min.lower(p));
    let max = points.iter().fold(V::from_fn(|_| f64::NEG_INFINITY), |max, p| max.upper(p));
    (min, (0..V::N).map(|i| max[i] - min[i]).fold(0.0, f64::max))
}

/// The points in lexicographic order, without those closer than `distance` to a point already kept.
pub fn distinct<V: Vector>(points: &[V], distance: f64) -> Vec<V> {
    // Adding zero turns -0 into 0, which would sort separately.
    let mut sorted: Vec<V> = points.iter().map(|p| V::from_fn(|i| p[i] + 0.0)).collect();
    let order = |a: &V, b: &V| {
        let differing = a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| x.total_cmp(y));
        differing.fold(std::cmp::Ordering::Equal, |ordering, next| ordering.then(next))
    };
    sorted.sort_unstable_by(order);
    sorted.dedup_by(|a, b| order(a, b).is_eq());
    if distance <= 0.0 {
        return sorted;
    }
    let (min, _) = extent(&sorted);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut kept: Vec<V> = Vec::with_capacity(sorted.len());
    for p in sorted {
        let cell = (p - min).in_space().map(|x| (x / distance).floor() as i64);
        let neighbours = (0..27).map(|k| [cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1]);
        let is_near = |&k: &u32| (kept[k as usize] - p).norm() < distance;
        if !neighbours.filter_map(|c| cells.get(&c)).flatten().any(is_near) {
            cells.entry(cell).or_default().push(kept.len() as u32);
            kept.push(p);
        }
    }
    kept
}

/// Rounds the points to a lattice on which orientation predicates are exact.
pub fn lattice<V: Vector>(points: &[V]) -> Vec<[i64; 3]> {
    let (min, size) = extent(points);
    // A power of two keeps coordinates with few digits, such as small integers and halves, exact.
    let scale = if size > 0.0 { 2f64.powi(39 - size.log2().floor() as i32) } else { 0.0 };
    points.iter().map(|p| (*p - min).in_space().map(|x| (x * scale).round() as i64)).collect()
}

/// Twice the signed area of a lattice triangle in 2D: positive if `a`, `b`, `c` run counter-clockwise.
pub fn orient_2d(a: [i64; 3], b: [i64; 3], c: [i64; 3]) -> i128 {
    let [ux, uy, vx, vy] = [b[0] - a[0], b[1] - a[1], c[0] - a[0], c[1] - a[1]].map(i128::from);
    ux * vy - uy * vx
}

/// Six times the signed volume of a lattice tetrahedron: positive if `p` lies on the side from which `a`, `b`, `c` run
/// counter-clockwise.
pub(super) fn orient_3d(a: [i64; 3], b: [i64; 3], c: [i64; 3], p: [i64; 3]) -> i128 {
    let from = |q: [i64; 3]| [0, 1, 2].map(|i| i128::from(q[i] - a[i]));
    let (u, v, w) = (from(b), from(c), from(p));
    (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] + (u[0] * v[1] - u[1] * v[0]) * w[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn near_duplicates_collapse_whatever_their_order() {
        let mut points = vec![Vector2::new(0.0, 0.0), Vector2::new(1.0, 0.0), Vector2::new(1.0, 1e-12)];
        points.push(Vector2::new(-0.0, 0.0));
        let once = distinct(&points, 1e-9);
        points.reverse();
        assert_eq!(once, distinct(&points, 1e-9));
        assert_eq!(once.len(), 2);
    }

    #[test]
    fn the_largest_lattice_determinant_fits() {
        let m = 1i64 << 40;
        let volume = orient_3d([0, 0, 0], [m, m, 0], [0, m, m], [m, 0, m]);
        assert_eq!(volume, 2 * i128::from(m).pow(3));
        assert_eq!(orient_3d([0, 0, 0], [m, 0, 0], [0, m, 0], [m, m, 1]), i128::from(m).pow(2));
    }

    #[test]
    fn a_cell_of_the_lattice_is_two_millionths_of_a_millionth_and_halves_are_exact() {
        let cells = lattice(&[Vector3::new(1.0, 0.0, 0.0), Vector3::new(4.0, 1.5, 0.0)]);
        assert_eq!(cells[1], [3 << 38, 3 << 37, 0]);
    }
}
