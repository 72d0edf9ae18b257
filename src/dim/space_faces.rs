//! Faces of a hull from its triangles: merges coplanar triangles, orders corners and pairs edges.
//!
//! Regions grow from the largest triangle first: its plane is the most accurate, and slivers along its boundary join it
//! instead of tilting it.

use std::collections::{BTreeMap, VecDeque};

use nalgebra::Vector3;

use super::hull::Facets;

const NONE: u32 = u32::MAX;

/// A triangle of the hull under construction.
pub(super) struct Triangle {
    /// Counter-clockwise seen from outside.
    pub(super) corners: [u32; 3],
    /// Neighbour across the edge from corner k to corner k+1.
    pub(super) neighbours: [u32; 3],
    /// Points that see the triangle and are yet to be added.
    pub(super) outside: Vec<u32>,
    pub(super) is_alive: bool,
}

/// Faces of the hull; `None` if merging triangles within `tolerance` of each other's planes does not give a polyhedron.
pub(super) fn merged(points: &[Vector3<f64>], triangles: &[Triangle], tolerance: f64) -> Option<Facets> {
    let (region, count) = regions(points, triangles, tolerance);
    let corners = corners(triangles, &region);
    let mut number = BTreeMap::new();
    for (position, &corner) in corners.iter().enumerate() {
        number.insert(corner, position as u32);
    }
    let mut faces = loops(triangles, &region, count)?
        .into_iter()
        .map(|around| {
            let mut face: Vec<u32> = around.iter().filter_map(|c| number.get(c).copied()).collect();
            let least = face.iter().enumerate().min_by_key(|(_, c)| **c)?.0;
            face.rotate_left(least);
            (face.len() >= 3).then_some(face)
        })
        .collect::<Option<Vec<_>>>()?;
    faces.sort_unstable();
    let edges = edges(&faces)?;
    // Euler characteristic of a polyhedron without holes.
    (corners.len() + faces.len() == edges.len() + 2).then_some(Facets { corners, faces, edges })
}

/// Face of each triangle, and number of faces.
fn regions(points: &[Vector3<f64>], triangles: &[Triangle], tolerance: f64) -> (Vec<u32>, u32) {
    let at = |k: u32| points[k as usize];
    let normals: Vec<Vector3<f64>> = triangles
        .iter()
        .map(|t| {
            let [a, b, c] = t.corners.map(at);
            (b - a).cross(&(c - a))
        })
        .collect();
    let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
    order.sort_by(|&i, &j| normals[j as usize].norm().total_cmp(&normals[i as usize].norm()));
    let mut region = vec![NONE; triangles.len()];
    let mut count = 0;
    for seed in order {
        if region[seed as usize] != NONE {
            continue;
        }
        let (origin, normal) = (at(triangles[seed as usize].corners[0]), normals[seed as usize].normalize());
        let is_on = |k: u32| normal.dot(&(at(k) - origin)).abs() <= tolerance;
        let mut front = VecDeque::from([seed]);
        region[seed as usize] = count;
        while let Some(now) = front.pop_front() {
            for &next in &triangles[now as usize].neighbours {
                let candidate = &triangles[next as usize];
                if region[next as usize] == NONE && candidate.corners.into_iter().all(is_on) {
                    region[next as usize] = count;
                    front.push_back(next);
                }
            }
        }
        count += 1;
    }
    (region, count)
}

/// Points where at least three faces meet, ascending; all others lie inside a face or on an edge.
fn corners(triangles: &[Triangle], region: &[u32]) -> Vec<u32> {
    let mut incidences: Vec<(u32, u32)> =
        triangles.iter().zip(region).flat_map(|(t, &r)| t.corners.map(|c| (c, r))).collect();
    incidences.sort_unstable();
    incidences.dedup();
    incidences.chunk_by(|a, b| a.0 == b.0).filter(|faces| faces.len() >= 3).map(|faces| faces[0].0).collect()
}

/// Boundary of each face; `None` unless it is a single loop.
fn loops(triangles: &[Triangle], region: &[u32], count: u32) -> Option<Vec<Vec<u32>>> {
    let mut boundaries: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); count as usize];
    for (t, &r) in triangles.iter().zip(region) {
        for side in 0..3 {
            let is_boundary = region[t.neighbours[side] as usize] != r;
            if is_boundary && boundaries[r as usize].insert(t.corners[side], t.corners[(side + 1) % 3]).is_some() {
                return None;
            }
        }
    }
    boundaries
        .into_iter()
        .map(|boundary| {
            let (&first, _) = boundary.first_key_value()?;
            let mut around = vec![first];
            let mut now = *boundary.get(&first)?;
            while now != first && around.len() <= boundary.len() {
                around.push(now);
                now = *boundary.get(&now)?;
            }
            (around.len() == boundary.len()).then_some(around)
        })
        .collect()
}

/// Each edge once, lower corner first; `None` unless every edge is traversed once in each direction.
fn edges(faces: &[Vec<u32>]) -> Option<Vec<[u32; 2]>> {
    let mut directed: Vec<[u32; 2]> =
        faces.iter().flat_map(|f| (0..f.len()).map(|i| [f[i], f[(i + 1) % f.len()]])).collect();
    directed.sort_unstable();
    let has_duplicate = directed.windows(2).any(|pair| pair[0] == pair[1]);
    let is_paired = directed.iter().all(|&[a, b]| directed.binary_search(&[b, a]).is_ok());
    directed.retain(|[a, b]| a < b);
    (!has_duplicate && is_paired).then_some(directed)
}
