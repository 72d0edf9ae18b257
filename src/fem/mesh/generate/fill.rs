//! Simplices that fill a shape with given points on its surface.
//!
//! Points of a lattice fill the inside: the hexagonal one in the plane, the body-centred cubic one in space (A*_D).
//! The Delaunay tessellation of all points is refined where elements are larger than the grading allows, then the
//! points inside move to the means of the centres of the circumscribed spheres around them, weighted by volume (Chen
//! and Xu 2004), and the tessellation is made anew, a few times.

use std::collections::HashSet;

use crate::dim::{Dim, Square, Vector};

use super::delaunay::Delaunay;
use super::grading::Grading;
use super::{MOST_NODES, MeshingFault, check_count};

/// Distance of points inside from the surface, relative to the size of elements there.
const CLEARANCE: f64 = 0.6;
/// Largest radius of a circumscribed sphere, relative to the size of elements.
const LARGEST_RADIUS: f64 = 0.85;
/// Determinant of a sliver, relative to the power of its edges.
const SLIVER: f64 = 1e-3;
/// Number of rounds of refinement.
const REFINEMENTS: usize = 40;
/// Number of rounds of smoothing.
const SMOOTHINGS: usize = 6;

/// A point on the surface of a shape.
#[derive(Clone, Debug)]
pub(super) struct BoundaryPoint<X: Dim> {
    /// Its position.
    pub(super) position: X::Vector,
    /// The faces of the shape that it lies on.
    pub(super) faces: Vec<u32>,
}

/// A shape to be filled.
pub(super) trait FillableShape<X: Dim> {
    /// Distance of a point inside from the surface, or less; negative outside.
    fn depth(&self, point: X::Vector) -> f64;
    /// Size of elements.
    fn grading(&self) -> &Grading<X>;
}

/// A tessellation: points on the surface first, and simplices.
pub(super) struct Filling<X: Dim> {
    pub(super) points: Vec<X::Vector>,
    pub(super) simplices: Vec<[u32; 4]>,
}

/// Fills a shape.
pub(super) fn fill<X: Dim, R: FillableShape<X>>(
    region: &R,
    surface: &[BoundaryPoint<X>],
) -> Result<Filling<X>, MeshingFault> {
    let mut filling = Filling { points: surface.iter().map(|p| p.position).collect(), simplices: Vec::new() };
    let (min, max) = bounds(&filling.points);
    let grading = region.grading();
    check_count(lattice_points::<X>(min, max, grading.largest()))?;
    let is_coarse = |p: X::Vector| grading.at(p) > 0.9 * grading.largest();
    let is_clear = |p: X::Vector| region.depth(p) > CLEARANCE * grading.at(p);
    each_lattice_point::<X>(min, max, grading.largest(), |p| {
        if is_coarse(p) && is_clear(p) {
            filling.points.push(p);
        }
    });
    let fixed = surface.len();
    refine(region, surface, &mut filling, (min, max))?;
    for _ in 0..SMOOTHINGS {
        smooth(region, &mut filling, fixed);
        filling.simplices = tessellate(region, surface, &filling.points, (min, max));
    }
    Ok(filling)
}

fn bounds<V: Vector>(points: &[V]) -> (V, V) {
    let min = points.iter().fold(V::from_fn(|_| f64::INFINITY), |min, p| min.lower(p));
    let max = points.iter().fold(V::from_fn(|_| f64::NEG_INFINITY), |max, p| max.upper(p));
    (min, max)
}

/// Adds the centres of circumscribed spheres that are too large.
fn refine<X: Dim, R: FillableShape<X>>(
    region: &R,
    surface: &[BoundaryPoint<X>],
    filling: &mut Filling<X>,
    (min, max): (X::Vector, X::Vector),
) -> Result<(), MeshingFault> {
    let grading = region.grading();
    for _ in 0..REFINEMENTS {
        filling.simplices = tessellate(region, surface, &filling.points, (min, max));
        let mut new: Vec<(f64, X::Vector)> = Vec::new();
        for simplex in &filling.simplices {
            let Some((centre, radius)) = circumsphere::<X>(&filling.points, simplex) else { continue };
            let size = grading.at(centre);
            if radius > LARGEST_RADIUS * size && region.depth(centre) > CLEARANCE * size {
                new.push((radius / size, centre));
            }
        }
        // The worst first; others wait for the next round if they are near one that was taken.
        new.sort_by(|p, q| q.0.total_cmp(&p.0));
        let before = filling.points.len();
        let mut taken = Vacancy::<X>::new(grading);
        for (_, centre) in new {
            if taken.take(centre) {
                filling.points.push(centre);
            }
        }
        if filling.points.len() == before {
            return Ok(());
        }
        check_count(filling.points.len() as f64)?;
    }
    Ok(())
}

/// Which places are still free in a round of refinement: no two points in the same or in adjacent cells.
struct Vacancy<'a, X: Dim> {
    grading: &'a Grading<X>,
    cells: HashSet<(i32, [i64; 3])>,
}

impl<'a, X: Dim> Vacancy<'a, X> {
    fn new(grading: &'a Grading<X>) -> Self {
        Self { grading, cells: HashSet::new() }
    }

    fn take(&mut self, point: X::Vector) -> bool {
        // Cells are as large as the next power of two; the neighbouring sizes are looked up as well.
        let level = (0.7 * self.grading.at(point)).log2().floor() as i32;
        let cell = |level: i32| point.in_space().map(|x| (x * 2f64.powi(-level)).floor() as i64);
        for own in level - 1..=level + 1 {
            let at = cell(own);
            let around = (0..27).map(|k| [at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1]);
            if around.into_iter().any(|place| self.cells.contains(&(own, place))) {
                return false;
            }
        }
        self.cells.insert((level, cell(level)))
    }
}

/// The Delaunay simplices inside the shape that are not flat in one of its faces.
fn tessellate<X: Dim, R: FillableShape<X>>(
    region: &R,
    surface: &[BoundaryPoint<X>],
    points: &[X::Vector],
    (min, max): (X::Vector, X::Vector),
) -> Vec<[u32; 4]> {
    let mut tessellation = Delaunay::<X>::new(min, max, region.grading().largest());
    tessellation.insert_all(points, min, max);
    let is_on_one_face = |simplex: &[u32; 4]| {
        let of = |k: usize| surface.get(simplex[k] as usize).map(|p| p.faces.as_slice()).unwrap_or_default();
        of(0).iter().any(|face| (1..=X::D).all(|k| of(k).contains(face)))
    };
    let is_inside = |simplex: &[u32; 4]| {
        let has_inner = simplex[..=X::D].iter().any(|&k| k as usize >= surface.len());
        has_inner || region.depth(centroid::<X>(points, simplex)) > 0.0
    };
    tessellation.simplices().filter(|simplex| !is_on_one_face(simplex) && is_inside(simplex)).collect()
}

fn centroid<X: Dim>(points: &[X::Vector], simplex: &[u32; 4]) -> X::Vector {
    let sum = simplex[..=X::D].iter().fold(X::Vector::zero(), |sum, &k| sum + points[k as usize]);
    sum * (1.0 / (X::D as f64 + 1.0))
}

/// Centre and radius of the sphere through the corners of a simplex; nothing for a sliver, whose centre is uncertain.
fn circumsphere<X: Dim>(points: &[X::Vector], simplex: &[u32; 4]) -> Option<(X::Vector, f64)> {
    let origin = points[simplex[0] as usize];
    let edge = |i: usize| points[simplex[i + 1] as usize] - origin;
    let longest = (0..X::D).map(|i| edge(i).norm()).fold(0.0, f64::max);
    if determinant::<X>(points, simplex) < SLIVER * longest.powi(X::D as i32) {
        return None;
    }
    let inverse = <X::Matrix as Square<X::Vector>>::from_fn(|i, j| edge(i)[j]).inverted()?;
    let arm = inverse.apply(X::Vector::from_fn(|i| 0.5 * edge(i).norm2()));
    Some((origin + arm, arm.norm()))
}

/// D! times the volume of a simplex.
pub(super) fn determinant<X: Dim>(points: &[X::Vector], simplex: &[u32; 4]) -> f64 {
    let mut edges = [X::Vector::zero(); 3];
    (0..X::D).for_each(|k| edges[k] = points[simplex[k + 1] as usize] - points[simplex[0] as usize]);
    X::determinant(&edges[..X::D])
}

/// Moves points inside to the weighted mean of the centres of the spheres around them.
fn smooth<X: Dim, R: FillableShape<X>>(region: &R, filling: &mut Filling<X>, fixed: usize) {
    let mut sums = vec![(X::Vector::zero(), 0.0); filling.points.len()];
    for simplex in &filling.simplices {
        let volume = determinant::<X>(&filling.points, simplex);
        let middle = centroid::<X>(&filling.points, simplex);
        // Near the surface the centre may lie far away: it is brought back to the size of the simplex.
        let centre = circumsphere::<X>(&filling.points, simplex).map_or(middle, |(centre, radius)| {
            let arm = centre - middle;
            if arm.norm() > 0.5 * radius { middle + arm * (0.5 * radius / arm.norm()) } else { centre }
        });
        for &k in &simplex[..=X::D] {
            let (sum, weight) = &mut sums[k as usize];
            *sum += centre * volume;
            *weight += volume;
        }
    }
    for (point, (sum, weight)) in filling.points.iter_mut().zip(sums).skip(fixed) {
        if weight > 0.0 {
            let target = sum * (1.0 / weight);
            if region.depth(target) > 0.5 * CLEARANCE * region.grading().at(target) {
                *point = target;
            }
        }
    }
}

/// Number of lattice points in a box, about.
fn lattice_points<X: Dim>(min: X::Vector, max: X::Vector, size: f64) -> f64 {
    let cells: f64 = (0..X::D).map(|k| (max[k] - min[k]) / size + 1.0).product();
    cells.min(2.0 * MOST_NODES)
}

/// Calls `visit` with the points, in the box, of the lattice whose nearest neighbours are `size` apart.
///
/// The lattice A*_D is spanned by D vectors of a regular simplex about its centre; I - c J has such columns.
fn each_lattice_point<X: Dim>(min: X::Vector, max: X::Vector, size: f64, mut visit: impl FnMut(X::Vector)) {
    let d = X::D as f64;
    let c = ((d + 1.0) - (d + 1.0).sqrt()) / (d * (d + 1.0));
    let scale = size / (1.0 - 2.0 * c + d * c * c).sqrt();
    let spread = c / (1.0 - d * c);
    let middle = (min + max) * 0.5;
    let half = (max - min) * (0.5 / scale);
    let total: f64 = half.as_slice().iter().sum();
    let reach: Vec<i64> = (0..X::D).map(|k| (half[k] + spread * total).ceil() as i64).collect();
    let mut at: Vec<i64> = reach.iter().map(|&r| -r).collect();
    loop {
        let sum: i64 = at.iter().sum();
        let point = middle + X::Vector::from_fn(|k| (at[k] as f64 - c * sum as f64) * scale);
        if (0..X::D).all(|k| (min[k]..=max[k]).contains(&point[k])) {
            visit(point);
        }
        let Some(k) = (0..X::D).find(|&k| at[k] < reach[k]) else { return };
        at[k] += 1;
        (0..k).for_each(|i| at[i] = -reach[i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    /// Number of lattice points in the unit box, and the least distance from the first one to others.
    fn lattice<X: Dim>(max: X::Vector) -> (f64, f64) {
        let mut points = Vec::new();
        each_lattice_point::<X>(X::Vector::zero(), max, 0.02, |p| points.push(p));
        let least = points[1..].iter().map(|p| (*p - points[0]).norm()).fold(1.0, f64::min);
        (points.len() as f64, least)
    }

    #[test]
    fn the_lattice_is_hexagonal_in_the_plane_and_body_centred_in_space() {
        let (count, least) = lattice::<Plane>(Vector2::repeat(1.0));
        let density = 2.0 / 3f64.sqrt() / 0.02f64.powi(2);
        assert!((count / density - 1.0).abs() < 0.05 && (least - 0.02).abs() < 1e-12, "{count} {least}");
        let (count, least) = lattice::<Space>(Vector3::repeat(1.0));
        let density = 0.75 * 3f64.sqrt() / 0.02f64.powi(3);
        assert!((count / density - 1.0).abs() < 0.05 && (least - 0.02).abs() < 1e-12, "{count} {least}");
    }
}
