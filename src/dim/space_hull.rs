//! Convex hull in 3D: quickhull (Barber, Dobkin and Huhdanpaa 1996) on an exact lattice, followed by merging of
//! triangles.
//!
//! Because the visibility predicate is exact and strict, the region visible from a new point is a disk and its boundary
//! a single closed loop, so the construction cannot fail. Planar faces are produced as triangles;
//! [`super::space_faces`] merges them.

use std::collections::HashMap;

use nalgebra::Vector3;

use super::hull::{Degenerate, Facets, extent, lattice, orient_3d};
use super::space_faces::{self, Triangle};

/// Hull of distinct points in lexicographic order; triangles coplanar within `flatness` (times the largest extent) form
/// one face.
pub(super) fn hull(points: &[Vector3<f64>], flatness: f64) -> Result<Facets, Degenerate> {
    let tolerance = flatness * extent(points).1;
    let first = spanning(points, tolerance)?;
    let triangles = triangulated(points, first);
    // A bump slightly higher than the tolerance can leave an annular face; a larger tolerance absorbs it.
    [1.0, 10.0, 100.0]
        .into_iter()
        .find_map(|wider| space_faces::merged(points, &triangles, wider * tolerance))
        .ok_or(Degenerate::Undecided)
}

/// Four affinely independent points, each the farthest from the span of the previous ones.
fn spanning(points: &[Vector3<f64>], tolerance: f64) -> Result<[u32; 4], Degenerate> {
    let farthest = |distance: &dyn Fn(&Vector3<f64>) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (k, p) in points.iter().enumerate() {
            let d = distance(p);
            if d > best.1 {
                best = (k, d);
            }
        }
        best
    };
    let Some(&a) = points.first() else { return Err(Degenerate::Flat(0)) };
    let (ib, length) = farthest(&|p| (p - a).norm());
    if length <= tolerance {
        return Err(Degenerate::Flat(0));
    }
    let along = (points[ib] - a) / length;
    let (ic, width) = farthest(&|p| (p - a).cross(&along).norm());
    if width <= tolerance {
        return Err(Degenerate::Flat(1));
    }
    let normal = along.cross(&(points[ic] - a)).normalize();
    let (id, thickness) = farthest(&|p| normal.dot(&(p - a)).abs());
    if thickness <= tolerance {
        return Err(Degenerate::Flat(2));
    }
    Ok([0, ib as u32, ic as u32, id as u32])
}

/// All triangles of the hull, grown from the tetrahedron `first`.
fn triangulated(points: &[Vector3<f64>], first: [u32; 4]) -> Vec<Triangle> {
    let cells = lattice(points);
    let mut triangles = tetrahedron(&cells, first);
    let others = (0..points.len() as u32).filter(|k| !first.contains(k));
    assign(&cells, &mut triangles, 0, others);
    let mut pending: Vec<u32> = (0..4).collect();
    while let Some(current) = pending.pop() {
        let triangle = &triangles[current as usize];
        let (true, Some(apex)) = (triangle.is_alive, farthest(&cells, triangle)) else { continue };
        let new = triangles.len();
        let unassigned = add(&cells, &mut triangles, current, apex);
        assign(&cells, &mut triangles, new, unassigned.into_iter().filter(|&k| k != apex));
        pending.extend(new as u32..triangles.len() as u32);
    }
    compacted(triangles)
}

fn tetrahedron(cells: &[[i64; 3]], [a, b, c, d]: [u32; 4]) -> Vec<Triangle> {
    let at = |k: u32| cells[k as usize];
    let (b, c) = if orient_3d(at(a), at(b), at(c), at(d)) < 0 { (b, c) } else { (c, b) };
    let triangle = |corners, neighbours| Triangle { corners, neighbours, outside: Vec::new(), is_alive: true };
    vec![
        triangle([a, b, c], [1, 2, 3]),
        triangle([a, d, b], [3, 2, 0]),
        triangle([b, d, c], [1, 3, 0]),
        triangle([a, c, d], [0, 2, 1]),
    ]
}

/// Six times the volume of the tetrahedron of `triangle` and `point`; positive if the point sees the triangle.
fn height_above(cells: &[[i64; 3]], triangle: &Triangle, point: u32) -> i128 {
    let [a, b, c] = triangle.corners.map(|k| cells[k as usize]);
    orient_3d(a, b, c, cells[point as usize])
}

fn farthest(cells: &[[i64; 3]], triangle: &Triangle) -> Option<u32> {
    // The lowest index among the highest points: independent of the order in which they were assigned.
    triangle.outside.iter().copied().max_by_key(|&k| (height_above(cells, triangle, k), std::cmp::Reverse(k)))
}

/// Assigns each point to the first triangle, from number `start` on, that it sees; points that see none are inside.
fn assign(cells: &[[i64; 3]], triangles: &mut [Triangle], start: usize, points: impl Iterator<Item = u32>) {
    for k in points {
        if let Some(triangle) = triangles[start..].iter_mut().find(|t| height_above(cells, t, k) > 0) {
            triangle.outside.push(k);
        }
    }
}

/// Replaces the triangles that `apex` sees, among them `first`, by a cone; returns the points assigned to them.
fn add(cells: &[[i64; 3]], triangles: &mut Vec<Triangle>, first: u32, apex: u32) -> Vec<u32> {
    let mut unassigned = Vec::new();
    // Horizon edges by their first corner: the other corner and the hidden triangle beyond.
    let mut horizon: HashMap<u32, (u32, u32)> = HashMap::new();
    let mut visible = vec![first];
    triangles[first as usize].is_alive = false;
    let mut start = u32::MAX;
    while let Some(now) = visible.pop() {
        unassigned.append(&mut triangles[now as usize].outside);
        for side in 0..3 {
            let beyond = triangles[now as usize].neighbours[side];
            if !triangles[beyond as usize].is_alive {
                continue;
            }
            if height_above(cells, &triangles[beyond as usize], apex) > 0 {
                triangles[beyond as usize].is_alive = false;
                visible.push(beyond);
            } else {
                let corners = triangles[now as usize].corners;
                horizon.insert(corners[side], (corners[(side + 1) % 3], beyond));
                start = start.min(corners[side]);
            }
        }
    }
    let base = triangles.len() as u32;
    let count = horizon.len() as u32;
    let mut from = start;
    for k in 0..count {
        let Some(&(to, beyond)) = horizon.get(&from) else {
            unreachable!("the horizon of a convex surface is one closed loop")
        };
        let side = triangles[beyond as usize].corners.iter().position(|&c| c == to).unwrap_or(0);
        triangles[beyond as usize].neighbours[side] = base + k;
        triangles.push(Triangle {
            corners: [from, to, apex],
            neighbours: [beyond, base + (k + 1) % count, base + (k + count - 1) % count],
            outside: Vec::new(),
            is_alive: true,
        });
        from = to;
    }
    unassigned
}

/// Removes dead triangles and renumbers the rest.
fn compacted(triangles: Vec<Triangle>) -> Vec<Triangle> {
    let mut number = 0;
    let renumbered: Vec<u32> = triangles
        .iter()
        .map(|t| {
            number += u32::from(t.is_alive);
            number.wrapping_sub(1)
        })
        .collect();
    let mut alive: Vec<Triangle> = triangles.into_iter().filter(|t| t.is_alive).collect();
    for t in &mut alive {
        t.neighbours = t.neighbours.map(|n| renumbered[n as usize]);
    }
    alive
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::hull::FLATNESS;

    #[test]
    fn a_grid_of_points_leaves_a_cube() {
        let digit = |k: i32, power: i32| f64::from(k / 4i32.pow(power as u32) % 4);
        let grid: Vec<_> = (0..64).map(|k| Vector3::new(digit(k, 2), digit(k, 1), digit(k, 0))).collect();
        let facets = hull(&grid, FLATNESS).unwrap();
        assert_eq!(facets.corners, [0, 3, 12, 15, 48, 51, 60, 63]);
        assert_eq!((facets.faces.len(), facets.edges.len()), (6, 12));
        assert!(facets.faces.iter().all(|f| f.len() == 4));
    }

    #[test]
    fn points_on_a_point_a_line_or_a_plane_have_no_hull() {
        let on = |u: Vector3<f64>, v: Vector3<f64>| -> Vec<_> {
            (0..25).map(|k| u * f64::from(k / 5) + v * f64::from(k % 5) + Vector3::new(0.1, 0.2, 0.3)).collect()
        };
        let (u, v) = (Vector3::new(0.3, 1.0, -0.7), Vector3::new(1.1, 0.1, 0.5));
        assert_eq!(hull(&on(u, v), FLATNESS), Err(Degenerate::Flat(2)));
        assert_eq!(hull(&on(u, u * 0.3), FLATNESS), Err(Degenerate::Flat(1)));
        assert_eq!(hull(&[u], FLATNESS), Err(Degenerate::Flat(0)));
        assert_eq!(hull(&[], FLATNESS), Err(Degenerate::Flat(0)));
    }
}
