//! Approximate convex decomposition of a non-convex polyhedron, used only on explicit request.
//!
//! The surface is cut by planes, and each piece is replaced by its convex hull. The piece whose surface lies deepest
//! below its hull is cut next, by the one of several axis-parallel planes that leaves the least depth. The result is
//! deterministic.
//! Mass, centre and inertia are those of the true surface.

use nalgebra::Vector3;

use super::mesh::{Mesh, PRECISION};
use super::{Compound, MassProperties, Part, Polytope, Shape, keys};
use crate::dim::hull::extent;
use crate::dim::{Dim, Orientation, Space};

/// Number of planes tried along each axis.
const PLANES: usize = 15;
/// Depth, relative to the size, that is accepted.
const ACCEPTED: f64 = 1e-3;

/// Some of the facets, cut, and their hull.
struct HullPiece {
    facets: Vec<Vec<Vector3<f64>>>,
    part: Part<Space>,
    /// Largest depth of the surface below the hull, m.
    depth: f64,
}

impl Mesh {
    /// At most `parts` convex parts that follow the surface, and their largest distance from it, m.
    pub fn convex_parts(&self, parts: usize) -> Option<(Compound<Space>, f64)> {
        let size = extent(&self.vertices).1;
        let facet = |facet: &Vec<u32>| facet.iter().map(|&k| self.vertices[k as usize]).collect();
        let mut pieces = vec![HullPiece::new(self.facets.iter().map(facet).collect())?];
        while pieces.len() < parts {
            let deepest = |k: &usize| (pieces[*k].depth, usize::MAX - *k);
            let worst = (0..pieces.len())
                .max_by(|i, j| deepest(i).partial_cmp(&deepest(j)).unwrap_or(std::cmp::Ordering::Equal))?;
            if pieces[worst].depth <= ACCEPTED * size {
                break;
            }
            let Some(halves) = pieces[worst].best_cut() else { break };
            pieces.remove(worst);
            pieces.extend(halves);
        }
        let depth = pieces.iter().map(|piece| piece.depth).fold(0.0, f64::max);
        let parts = pieces.into_iter().map(|piece| piece.part).collect();
        Some((Compound::with_mass(keys::POLYHEDRON, parts, self.mass()), depth))
    }
}

impl HullPiece {
    fn new(facets: Vec<Vec<Vector3<f64>>>) -> Option<Self> {
        let points: Vec<Vector3<f64>> = facets.iter().flatten().copied().collect();
        let (hull, mass) = Polytope::hull_within(&points, PRECISION).ok()?;
        let depth = facets.iter().map(|facet| depth_below(facet, &hull, &mass)).fold(0.0, f64::max);
        let (position, orientation) = (mass.centre, mass.orientation);
        let part = Part { shape: Shape::block(keys::POLYHEDRON, hull, mass), size: 1.0, position, orientation };
        Some(Self { facets, part, depth })
    }

    /// The two halves for the best plane: least depth of the deeper half, then of both.
    fn best_cut(&self) -> Option<[HullPiece; 2]> {
        let points: Vec<Vector3<f64>> = self.facets.iter().flatten().copied().collect();
        let mut best: Option<[HullPiece; 2]> = None;
        let score = |halves: &[HullPiece; 2]| {
            let [a, b] = [halves[0].depth, halves[1].depth];
            (a.max(b), a + b)
        };
        for axis in 0..3 {
            let along = |pick: fn(f64, f64) -> f64, start: f64| points.iter().map(|p| p[axis]).fold(start, pick);
            let (low, high) = (along(f64::min, f64::INFINITY), along(f64::max, f64::NEG_INFINITY));
            for k in 1..=PLANES {
                let level = low + (high - low) * k as f64 / (PLANES + 1) as f64;
                let Some(halves) = self.cut(axis, level) else { continue };
                if best.as_ref().is_none_or(|known| score(&halves) < score(known)) {
                    best = Some(halves);
                }
            }
        }
        best
    }

    fn cut(&self, axis: usize, level: f64) -> Option<[HullPiece; 2]> {
        let side = |sign: f64| {
            let facets = self.facets.iter().map(|facet| clipped(facet, axis, level, sign));
            HullPiece::new(facets.filter(|facet| facet.len() > 2).collect())
        };
        Some([side(1.0)?, side(-1.0)?])
    }
}

/// Largest distance from a facet along its outward normal to the surface of the hull, m.
fn depth_below(facet: &[Vector3<f64>], hull: &Polytope<Space>, mass: &MassProperties<Space>) -> f64 {
    let outward = Space::area_vector(facet);
    let length = outward.norm();
    if length == 0.0 {
        return 0.0;
    }
    let n = mass.orientation.unrotate(outward * (1.0 / length));
    let centre = facet.iter().sum::<Vector3<f64>>() / facet.len() as f64;
    let distance = |p: Vector3<f64>| {
        let p = mass.orientation.unrotate(p - mass.centre);
        let faces = hull.faces.iter().map(|f| (f.normal.dot(&n), f.offset - f.normal.dot(&p)));
        faces.filter(|(slope, _)| *slope > 1e-9).map(|(slope, depth)| depth / slope).fold(f64::INFINITY, f64::min)
    };
    facet.iter().copied().chain([centre]).map(distance).fold(0.0, f64::max)
}

/// The part of a facet on one side of a plane perpendicular to an axis.
fn clipped(facet: &[Vector3<f64>], axis: usize, level: f64, sign: f64) -> Vec<Vector3<f64>> {
    // A facet in the plane bounds one side only, and adjacent facets contribute its corners.
    if facet.iter().all(|p| sign * (p[axis] - level) <= 0.0) {
        return Vec::new();
    }
    let mut kept = Vec::with_capacity(facet.len() + 1);
    for (i, here) in facet.iter().enumerate() {
        let next = facet[(i + 1) % facet.len()];
        let (h, k) = (sign * (here[axis] - level), sign * (next[axis] - level));
        if h >= 0.0 {
            kept.push(*here);
        }
        if h * k < 0.0 {
            let mut crossing = here + (next - here) * (h / (h - k));
            crossing[axis] = level;
            kept.push(crossing);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// An L of three unit cubes, as OBJ.
    fn corner_piece() -> Mesh {
        let outline = [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]];
        let mut text = String::new();
        for z in [0, 1] {
            outline.iter().for_each(|[x, y]| text += &format!("v {x} {y} {z}\n"));
        }
        text += "f 4 3 2 1\nf 6 5 4 1\nf 7 8 9 10\nf 7 10 11 12\n";
        for k in 0..6 {
            let (a, b) = (k + 1, (k + 1) % 6 + 1);
            text += &format!("f {a} {b} {} {}\n", b + 6, a + 6);
        }
        Mesh::parse(Path::new("corner.obj"), text.as_bytes()).unwrap()
    }

    #[test]
    fn an_l_becomes_two_boxes_with_the_mass_of_the_l() {
        let mesh = corner_piece();
        let (compound, depth) = mesh.convex_parts(8).unwrap();
        assert_eq!(compound.parts.len(), 2);
        assert!(depth < 1e-9, "{depth}");
        assert!((compound.mass.volume - 3.0).abs() < 1e-12);
        let parts: f64 = compound.parts.iter().map(|p| p.shape.volume()).sum();
        assert!((parts - 3.0).abs() < 1e-9);
        assert!((compound.mass.centre.z - 0.5).abs() < 1e-12);
        // With one part: the hull, three and a half cubes.
        let (hull, depth) = mesh.convex_parts(1).unwrap();
        assert!(depth > 0.3 && (hull.parts[0].shape.volume() - 3.5).abs() < 1e-9);
    }
}
