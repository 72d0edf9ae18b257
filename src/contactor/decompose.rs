//! Exact decomposition of a simple polygon into convex parts: no vertex is moved or added.
//!
//! Ear clipping (Meisters 1975), then removal of diagonals wherever both ends stay convex (Hertel and Mehlhorn 1983),
//! the longest first: at most four times the minimum number of parts. All orientation tests are exact, on the lattice
//! of [`crate::dim::hull`], where a simple polygon always has an ear.

use std::collections::HashMap;

use nalgebra::Vector2;

use crate::dim::hull::{FLATNESS, extent, lattice, orient_2d};

type LatticePoint = [i64; 3];

/// Largest number of vertices of a polygon to be decomposed.
const MOST_VERTICES: usize = 10_000;

/// Reasons why a polygon cannot be decomposed. Vertices are counted from zero; edge i runs from vertex i to the next.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PolygonFault {
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not a finite number in every coordinate; correct it")]
    NotFinite {
        /// The index of the vertex.
        vertex: usize,
    },
    /// Too few or too many vertices.
    #[error("a polygon of {count} vertices cannot be used; give between 3 and {MOST_VERTICES}")]
    Count {
        /// Number of vertices.
        count: usize,
    },
    /// Two vertices coincide.
    #[error("vertices {first} and {second} coincide; remove one")]
    Coincident {
        /// The earlier vertex.
        first: usize,
        /// The later vertex.
        second: usize,
    },
    /// Edges cross, touch or fold back.
    #[error("edges {first} and {second} cross or touch; list the vertices in order around a simple polygon")]
    SelfIntersecting {
        /// The earlier edge.
        first: usize,
        /// The later edge.
        second: usize,
    },
    /// The polygon has no area.
    #[error("the polygon is flat: its area is {area:e} m2, below 1e-9 of its size squared")]
    Flat {
        /// Signed area, m2.
        area: f64,
    },
}

/// Convex polygons, counter-clockwise, that cover `polygon` (given in either orientation) without overlaps. Parts
/// thinner than 1e-9 of the size are dropped: their area is negligible.
pub fn convex_parts(polygon: &[Vector2<f64>]) -> Result<Vec<Vec<Vector2<f64>>>, PolygonFault> {
    let cells = checked(polygon)?;
    let mut around: Vec<u32> = (0..polygon.len() as u32).collect();
    if area(polygon, &around) < 0.0 {
        around.reverse();
    }
    let (mut parts, mut diagonals) = ears(&cells, around);
    let length = |&[a, b]: &[u32; 2]| (polygon[a as usize] - polygon[b as usize]).norm();
    diagonals.sort_by(|p, q| length(q).total_cmp(&length(p)));
    merge(&cells, &mut parts, &diagonals);
    let thinnest = FLATNESS * extent(polygon).1;
    parts.retain(|part| {
        let longest = (0..part.len()).map(|i| length(&[part[i], part[(i + 1) % part.len()]])).fold(0.0, f64::max);
        2.0 * area(polygon, part) > thinnest * longest
    });
    Ok(parts.iter().map(|part| part.iter().map(|&k| polygon[k as usize]).collect()).collect())
}

/// The vertices on the lattice, if they form a simple polygon.
fn checked(polygon: &[Vector2<f64>]) -> Result<Vec<LatticePoint>, PolygonFault> {
    let count = polygon.len();
    if !(3..=MOST_VERTICES).contains(&count) {
        return Err(PolygonFault::Count { count });
    }
    if let Some(vertex) = polygon.iter().position(|p| !(p.x.is_finite() && p.y.is_finite())) {
        return Err(PolygonFault::NotFinite { vertex });
    }
    let cells = lattice(polygon);
    let mut first_at = HashMap::new();
    for (second, cell) in cells.iter().enumerate() {
        if let Some(first) = first_at.insert(*cell, second) {
            return Err(PolygonFault::Coincident { first, second });
        }
    }
    let all: Vec<u32> = (0..count as u32).collect();
    let (area, size) = (area(polygon, &all), extent(polygon).1);
    let intersection = first_intersection(&cells);
    // A polygon folded onto a line is reported as flat rather than self-intersecting.
    let is_line = cells.iter().all(|&c| orient_2d(cells[0], cells[1], c) == 0);
    match intersection {
        Some((first, second)) if !is_line => Err(PolygonFault::SelfIntersecting { first, second }),
        _ if !is_line && area.abs() > FLATNESS * size * size => Ok(cells),
        _ => Err(PolygonFault::Flat { area }),
    }
}

fn area(polygon: &[Vector2<f64>], around: &[u32]) -> f64 {
    let at = |i: usize| polygon[around[i % around.len()] as usize];
    0.5 * (1..around.len()).map(|i| (at(i) - at(0)).perp(&(at(i + 1) - at(0)))).sum::<f64>()
}

/// Two edges that intersect illegally: neighbours that fold back, then all pairs whose spans in x overlap.
fn first_intersection(cells: &[LatticePoint]) -> Option<(usize, usize)> {
    let count = cells.len();
    let at = |i: usize| cells[i % count];
    if let Some(first) = (0..count).find(|&i| is_folded(at(i), at(i + 1), at(i + 2))) {
        let next = (first + 1) % count;
        return Some((first.min(next), first.max(next)));
    }
    let left = |i: usize| at(i)[0].min(at(i + 1)[0]);
    let right = |i: usize| at(i)[0].max(at(i + 1)[0]);
    let are_adjacent = |i: usize, j: usize| (i + 1) % count == j || (j + 1) % count == i;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|&i| (left(i), i));
    for (position, &i) in order.iter().enumerate() {
        for &j in order[position + 1..].iter().take_while(|&&j| left(j) <= right(i)) {
            if !are_adjacent(i, j) && intersect(at(i), at(i + 1), at(j), at(j + 1)) {
                return Some((i.min(j), i.max(j)));
            }
        }
    }
    None
}

/// Does the path from `a` reverse its direction at `b`?
fn is_folded(a: LatticePoint, b: LatticePoint, c: LatticePoint) -> bool {
    let back = |i: usize| i128::from(a[i] - b[i]) * i128::from(c[i] - b[i]);
    orient_2d(a, b, c) == 0 && back(0) + back(1) > 0
}

/// Do the closed segments have a point in common?
fn intersect(a: LatticePoint, b: LatticePoint, c: LatticePoint, d: LatticePoint) -> bool {
    let is_within = |p: LatticePoint, q: LatticePoint, r: LatticePoint| {
        (0..2).all(|i| p[i].min(q[i]) <= r[i] && r[i] <= p[i].max(q[i]))
    };
    let side = |p: LatticePoint, q: LatticePoint, r: LatticePoint| orient_2d(p, q, r).signum();
    let (c1, d1, a1, b1) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    (c1 * d1 < 0 && a1 * b1 < 0)
        || (c1 == 0 && is_within(a, b, c))
        || (d1 == 0 && is_within(a, b, d))
        || (a1 == 0 && is_within(c, d, a))
        || (b1 == 0 && is_within(c, d, b))
}

/// Triangles of a counter-clockwise simple polygon, and the diagonals between them.
fn ears(cells: &[LatticePoint], mut around: Vec<u32>) -> (Vec<Vec<u32>>, Vec<[u32; 2]>) {
    let at = |k: u32| cells[k as usize];
    let (mut parts, mut diagonals) = (Vec::new(), Vec::new());
    let (mut position, mut tried) = (0, 0);
    while around.len() > 3 {
        let count = around.len();
        assert!(tried <= count, "a simple polygon on an exact lattice has an ear");
        position %= count;
        let [u, v, w] = [count - 1, 0, 1].map(|step| around[(position + step) % count]);
        let is_inside = |&p: &u32| {
            ![u, v, w].contains(&p)
                && [(u, v), (v, w), (w, u)].iter().all(|&(a, b)| orient_2d(at(a), at(b), at(p)) >= 0)
        };
        if orient_2d(at(u), at(v), at(w)) > 0 && !around.iter().any(is_inside) {
            parts.push(vec![u, v, w]);
            diagonals.push([u, w]);
            around.remove(position);
            tried = 0;
        } else {
            position += 1;
            tried += 1;
        }
    }
    parts.push(around);
    (parts, diagonals)
}

/// Joins parts across diagonals that are not needed to keep both ends convex.
fn merge(cells: &[LatticePoint], parts: &mut Vec<Vec<u32>>, diagonals: &[[u32; 2]]) {
    let at = |k: u32| cells[k as usize];
    let sides =
        |part: &[u32]| -> Vec<[u32; 2]> { (0..part.len()).map(|i| [part[i], part[(i + 1) % part.len()]]).collect() };
    let mut owner: HashMap<[u32; 2], usize> = HashMap::new();
    for (k, part) in parts.iter().enumerate() {
        owner.extend(sides(part).into_iter().map(|side| (side, k)));
    }
    for &[a, b] in diagonals {
        let (Some(&left), Some(&right)) = (owner.get(&[a, b]), owner.get(&[b, a])) else { continue };
        let starting = |k: usize, first: u32| {
            let mut part = parts[k].clone();
            let position = part.iter().position(|&v| v == first).unwrap_or(0);
            part.rotate_left(position);
            part
        };
        // b .. a, then a .. b: the diagonal is the last side of both.
        let (p, q) = (starting(left, b), starting(right, a));
        let (p_end, q_end) = (p.len() - 1, q.len() - 1);
        let is_convex =
            orient_2d(at(q[q_end - 1]), at(b), at(p[1])) >= 0 && orient_2d(at(p[p_end - 1]), at(a), at(q[1])) >= 0;
        if is_convex {
            let merged: Vec<u32> = p.iter().chain(&q[1..q_end]).copied().collect();
            owner.extend(sides(&merged).into_iter().map(|side| (side, left)));
            parts[left] = merged;
            parts[right] = Vec::new();
        }
    }
    parts.retain(|part| !part.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Polytope;
    use crate::dim::Plane;
    use rand_core::{Rng, SeedableRng};

    fn star(points: usize, inner: f64, wobble: &mut dyn FnMut() -> f64) -> Vec<Vector2<f64>> {
        let corner = |k: usize| {
            let (s, c) = (std::f64::consts::PI * k as f64 / points as f64).sin_cos();
            Vector2::new(c, s) * (if k.is_multiple_of(2) { 1.0 } else { inner }) * (1.0 + wobble())
        };
        (0..2 * points).map(corner).collect()
    }

    fn is_exact(polygon: &[Vector2<f64>]) -> usize {
        is_exact_within(polygon, 1e-12)
    }

    fn is_exact_within(polygon: &[Vector2<f64>], error: f64) -> usize {
        let parts = convex_parts(polygon).unwrap();
        let all: Vec<u32> = (0..polygon.len() as u32).collect();
        let mut sum = 0.0;
        for part in &parts {
            assert!(part.iter().all(|p| polygon.contains(p)), "no vertex is moved");
            let (shape, mass) = Polytope::<Plane>::hull(part).unwrap();
            assert!(shape.vertices.len() <= part.len());
            sum += mass.volume;
        }
        // The hulls of the parts have the area of the polygon: the parts are convex and cover it once.
        assert!((sum - area(polygon, &all).abs()).abs() < error, "{sum}");
        parts.len()
    }

    #[test]
    fn stars_combs_and_random_polygons_are_covered_exactly() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(4);
        let mut wobble = move || random.next_u64() as f64 / u64::MAX as f64 * 0.8;
        for points in 2..40 {
            is_exact(&star(points, 0.4, &mut || 0.0));
            is_exact(&star(points, 0.1, &mut wobble));
            let mut comb: Vec<_> =
                (0..2 * points).map(|k| Vector2::new(k as f64, if k % 2 == 0 { 0.0 } else { 5.0 })).collect();
            comb.extend([Vector2::new(2.0 * points as f64, -1.0), Vector2::new(-1.0, -1.0)]);
            is_exact(&comb);
            comb.reverse();
            is_exact(&comb);
        }
    }

    #[test]
    fn a_spiral_and_a_polygon_of_very_many_vertices_are_cut() {
        let arm = |k: usize, r: f64| {
            let angle = 0.02 * k as f64;
            Vector2::new(angle.cos(), angle.sin()) * (r + 0.01 * k as f64)
        };
        let spiral: Vec<_> = (0..1000).map(|k| arm(k, 1.0)).chain((0..1000).rev().map(|k| arm(k, 0.5))).collect();
        is_exact_within(&spiral, 1e-9);
        is_exact_within(&star(2500, 0.5, &mut || 0.0), 1e-9);
    }

    #[test]
    fn few_parts_are_made() {
        let five = star(5, 0.4, &mut || 0.0);
        assert!(is_exact(&five) <= 6);
        let l = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]].map(Vector2::from);
        assert_eq!(is_exact(&l), 2);
        let square = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 1.0]].map(Vector2::from);
        assert_eq!(is_exact(&square), 1);
    }

    #[test]
    fn what_is_no_simple_polygon_is_refused_with_its_edges() {
        let fault = |points: &[[f64; 2]]| {
            convex_parts(&points.iter().copied().map(Vector2::from).collect::<Vec<_>>()).unwrap_err()
        };
        let bow = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]];
        assert_eq!(fault(&bow), PolygonFault::SelfIntersecting { first: 0, second: 2 });
        let touching = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 0.0], [0.0, 2.0]];
        assert!(matches!(fault(&touching), PolygonFault::SelfIntersecting { first: 0, .. }));
        let folded = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 0.5], [0.0, 0.4]];
        assert_eq!(fault(&folded), PolygonFault::SelfIntersecting { first: 1, second: 2 });
        assert!(matches!(fault(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]), PolygonFault::Flat { .. }));
        assert!(matches!(fault(&[[0.0, 0.0], [1.0, 0.0], [2.0, 1e-11]]), PolygonFault::Flat { .. }));
        assert_eq!(
            fault(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
            PolygonFault::Coincident { first: 0, second: 3 }
        );
        assert_eq!(fault(&[[0.0, 0.0], [1.0, f64::NAN], [0.0, 1.0]]), PolygonFault::NotFinite { vertex: 1 });
        assert_eq!(fault(&[[0.0, 0.0], [1.0, 0.0]]), PolygonFault::Count { count: 2 });
        assert_eq!(fault(&vec![[0.0, 0.0]; 20_000]), PolygonFault::Count { count: 20_000 });
    }
}
