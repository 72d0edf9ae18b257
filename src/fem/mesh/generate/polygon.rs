//! Meshes of simple polygons, convex or not, and of disks that are finer at one place of the rim.
//!
//! The edges are divided into segments, the inside is filled by `fill`. A segment that is missing in the
//! tessellation, because the polygon is narrow there, is halved, and the polygon is filled again.

use std::collections::HashSet;
use std::f64::consts::TAU;

use nalgebra::Vector2;

use crate::contactor::convex_parts;
use crate::dim::{Dim, Plane, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::fill::{BoundaryPoint, FillableShape, Filling, fill};
use super::grading::{GROWTH, Grading};
use super::improve::{Constraints, improve};
use super::{MeshTarget, MeshingFault, check_length, convert, disk};

/// Number of times that segments are halved.
const HALVINGS: usize = 12;
/// Largest size of elements, relative to the width of the shape there.
pub(super) const WIDEST: f64 = 1.5;
/// Angle between adjacent edges (faces) up to which they count as one when flat elements are dropped, rad.
pub(super) const SAME_FACE: f64 = 2e-4;

const SMALLER: &str = "give a smaller size, or remove narrow parts of the shape";

/// A polygon, counter-clockwise.
pub(super) struct PolygonRegion {
    pub(super) corners: Vec<Vector2<f64>>,
    pub(super) grading: Grading<Plane>,
}

impl FillableShape<Plane> for PolygonRegion {
    fn depth(&self, point: Vector2<f64>) -> f64 {
        let (mut is_inside, mut least) = (false, f64::INFINITY);
        for (a, b) in sides(&self.corners) {
            least = least.min(distance(point, a, b));
            if (a.y > point.y) != (b.y > point.y) && point.x < a.x + (b.x - a.x) * (point.y - a.y) / (b.y - a.y) {
                is_inside = !is_inside;
            }
        }
        if is_inside { least } else { -least }
    }

    fn grading(&self) -> &Grading<Plane> {
        &self.grading
    }
}

fn sides(corners: &[Vector2<f64>]) -> impl Iterator<Item = (Vector2<f64>, Vector2<f64>)> + '_ {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// Distance of a point from a segment.
fn distance(point: Vector2<f64>, a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    let along = b - a;
    let t = ((point - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (point - a - along * t).norm()
}

impl VolumeMesh<Plane> {
    /// A simple polygon with these corners, in either orientation.
    pub fn polygon(corners: &[Vector2<f64>], target: MeshTarget) -> Result<VolumeMesh<Plane>, MeshingFault> {
        super::check_kind::<Plane>(target.kind)?;
        let simple = convex_parts(corners);
        simple.map_err(|fault| MeshingFault::new(format!("the polygon cannot be meshed: {fault}"), "correct it"))?;
        let mut corners = corners.to_vec();
        let mut area: f64 = sides(&corners).map(|(a, b)| 0.5 * a.perp(&b)).sum();
        if area < 0.0 {
            corners.reverse();
            area = -area;
        }
        let target = target.before_conversion();
        target.check::<Plane>(area)?;
        let grading = Grading::new(target.size, finest_places(&corners), GROWTH);
        let mut region = PolygonRegion { corners, grading };
        region.grading = Grading::new(target.size, narrow_places(&region), GROWTH);
        let straight = |a: Vector2<f64>, b: Vector2<f64>| (a + b) * 0.5;
        let filling = filled(&region, divided(&region), &straight)?;
        let mesh = to_mesh(filling);
        if (mesh.measure() / area - 1.0).abs() > 1e-8 {
            return Err(MeshingFault::new("the polygon was not filled", SMALLER));
        }
        let mesh = convert::to_kind(mesh, target.kind, &convert::straight);
        super::accept(mesh, SMALLER)
    }

    /// A disk about the origin: elements of the target size, but of size `finest` at the point of the rim
    /// in the direction `angle` (rad), from where the size grows by `growth` times the distance.
    pub fn disk_graded(
        radius: f64,
        target: MeshTarget,
        (angle, finest, growth): (f64, f64, f64),
    ) -> Result<VolumeMesh<Plane>, MeshingFault> {
        check_length("the radius", radius)?;
        check_length("the size of the finest elements", finest)?;
        let target = target.before_conversion();
        target.check::<Plane>(TAU * radius * radius)?;
        let at = |angle: f64| Vector2::new(radius * angle.cos(), radius * angle.sin());
        let grading = Grading::new(target.size, [(at(angle), finest)], growth.clamp(0.05, 2.0));
        let region = DiskRegion { radius, grading };
        // Both halves of the rim, from the fine place to the opposite one, are divided alike.
        let half = 0.5 * TAU;
        let marks = region.grading.divide(half * radius, |t| at(angle + t * half));
        let mut angles = vec![angle];
        angles.extend(marks.iter().map(|t| angle + t * half));
        angles.push(angle + half);
        angles.extend(marks.iter().rev().map(|t| angle - t * half));
        let rim = angles.into_iter().map(|angle| BoundaryPoint { position: at(angle), faces: Vec::new() }).collect();
        let round = |a: Vector2<f64>, b: Vector2<f64>| disk::round(radius, &[a, b], (a + b) * 0.5);
        let mesh = to_mesh(filled(&region, rim, &round)?);
        let mesh = convert::to_kind(mesh, target.kind, &|ends, mean| disk::round(radius, ends, mean));
        super::accept(mesh, SMALLER)
    }
}

/// A disk about the origin.
struct DiskRegion {
    radius: f64,
    grading: Grading<Plane>,
}

impl FillableShape<Plane> for DiskRegion {
    fn depth(&self, point: Vector2<f64>) -> f64 {
        self.radius - point.norm()
    }

    fn grading(&self) -> &Grading<Plane> {
        &self.grading
    }
}

/// Corners with the size of elements there: that of the adjacent edges, or the distance of other edges if it is less.
pub(super) fn finest_places(corners: &[Vector2<f64>]) -> Vec<(Vector2<f64>, f64)> {
    let count = corners.len();
    let size_at = |i: usize| {
        let edge = |k: usize| (corners[k % count], corners[(k + 1) % count]);
        let others = (i + 1..i + count - 1).map(|k| distance(corners[i], edge(k).0, edge(k).1));
        let adjacent =
            [(corners[(i + 1) % count] - corners[i]).norm(), (corners[(i + count - 1) % count] - corners[i]).norm()];
        others.chain(adjacent).fold(f64::INFINITY, f64::min)
    };
    (0..count).map(|i| (corners[i], size_at(i))).collect()
}

/// Corners and points between them with the size of elements there, which is little more than the distance of other
/// edges: elements in narrow parts are no needles.
fn narrow_places(region: &PolygonRegion) -> Vec<(Vector2<f64>, f64)> {
    let corners = &region.corners;
    let count = corners.len();
    let mut places = finest_places(corners);
    for k in 0..count {
        let (a, b) = (corners[k], corners[(k + 1) % count]);
        for t in region.grading.divide((b - a).norm(), |t| a + (b - a) * t) {
            let point = a + (b - a) * t;
            let others = (k + 2..k + count - 1).map(|i| distance(point, corners[i % count], corners[(i + 1) % count]));
            places.push((point, WIDEST * others.fold(f64::INFINITY, f64::min)));
        }
    }
    places
}

/// Points that divide the edges of a polygon.
fn divided(region: &PolygonRegion) -> Vec<BoundaryPoint<Plane>> {
    let corners = &region.corners;
    let count = corners.len();
    let direction = |k: usize| (corners[(k + 1) % count] - corners[k % count]).normalize();
    // Adjacent edges in line have the same number.
    let mut faces: Vec<u32> = Vec::with_capacity(count);
    for k in 0..count {
        let is_in_line = k > 0 && (direction(k) - direction(k - 1)).norm() < SAME_FACE;
        faces.push(if is_in_line { faces[k - 1] } else { k as u32 });
    }
    if (direction(0) - direction(count - 1)).norm() < SAME_FACE {
        let last = faces[count - 1];
        faces.iter_mut().filter(|face| **face == last).for_each(|face| *face = 0);
    }
    let mut points = Vec::new();
    for (k, (a, b)) in sides(corners).enumerate() {
        points.push(BoundaryPoint { position: a, faces: vec![faces[(k + count - 1) % count], faces[k]] });
        let marks = region.grading.divide((b - a).norm(), |t| a + (b - a) * t);
        points.extend(marks.iter().map(|&t| BoundaryPoint { position: a + (b - a) * t, faces: vec![faces[k]] }));
    }
    points
}

/// Fills a shape with these points around it, halving segments until all are edges of triangles.
fn filled<R: FillableShape<Plane>>(
    region: &R,
    mut around: Vec<BoundaryPoint<Plane>>,
    middle: &dyn Fn(Vector2<f64>, Vector2<f64>) -> Vector2<f64>,
) -> Result<Filling<Plane>, MeshingFault> {
    for _ in 0..HALVINGS {
        let mut filling = fill(region, &around)?;
        let mut edges: HashSet<[u32; 2]> = HashSet::new();
        for &[a, b, c, _] in &filling.simplices {
            edges.extend([[a, b], [b, c], [c, a]]);
        }
        let count = around.len();
        let is_missing = |k: usize| !edges.contains(&[k as u32, ((k + 1) % count) as u32]);
        if !(0..count).any(is_missing) {
            let fixed: Constraints<Plane> = vec![Vector2::x(), Vector2::y()];
            improve(&mut filling, &vec![fixed; count]);
            return Ok(filling);
        }
        let mut finer = Vec::with_capacity(2 * count);
        for k in 0..count {
            let (own, next) = (&around[k], &around[(k + 1) % count]);
            finer.push(own.clone());
            if is_missing(k) {
                let faces = own.faces.iter().copied().filter(|face| next.faces.contains(face)).collect();
                finer.push(BoundaryPoint { position: middle(own.position, next.position), faces });
            }
        }
        around = finer;
    }
    Err(MeshingFault::new("the shape has parts that are too narrow for its elements", SMALLER))
}

fn to_mesh(filling: Filling<Plane>) -> VolumeMesh<Plane> {
    let triangle = |simplex: &[u32; 4]| Element::new(ElementKind::T3, &simplex[..3], Element::NO_GROUP);
    VolumeMesh::from_arrays(filling.points, filling.simplices.iter().map(triangle).collect())
}

/// The mesh of a polygon in a scene of any dimension; its vertices in order.
pub(super) fn of_vertices<X: Dim>(vertices: &[X::Vector], target: MeshTarget) -> Result<VolumeMesh<X>, MeshingFault> {
    let corners: Vec<Vector2<f64>> = vertices.iter().map(|p| Vector2::new(p[0], p[1])).collect();
    let mesh = VolumeMesh::<Plane>::polygon(&corners, target)?;
    let nodes = mesh.nodes.iter().map(|p| X::Vector::read(&p.in_space())).collect();
    Ok(VolumeMesh::from_arrays(nodes, mesh.elements))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn angle(corners: &[[f64; 2]], size: f64) -> f64 {
        let corners: Vec<Vector2<f64>> = corners.iter().map(|&p| p.into()).collect();
        let area: f64 = sides(&corners).map(|(a, b)| 0.5 * a.perp(&b)).sum::<f64>().abs();
        for kind in [ElementKind::T3, ElementKind::T6, ElementKind::Q4] {
            let mesh = VolumeMesh::polygon(&corners, MeshTarget { size, kind }).unwrap();
            assert!((mesh.measure() / area - 1.0).abs() < 1e-12);
            for &k in &mesh.surface().nodes {
                let least = sides(&corners).map(|(a, b)| distance(mesh.nodes[k as usize], a, b)).fold(1.0, f64::min);
                assert!(least < 1e-14);
            }
            for corner in &corners {
                assert!(mesh.nodes.contains(corner), "corners are nodes");
            }
        }
        let mesh = VolumeMesh::polygon(&corners, MeshTarget { size, kind: ElementKind::T3 }).unwrap();
        mesh.quality().smallest_angle.to_degrees()
    }

    #[test]
    fn polygons_of_all_sorts_are_meshed_with_good_angles() {
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        for size in [2.0, 0.5, 0.2, 0.07, 0.02] {
            assert!(angle(&square, size) > 27.0);
        }
        let l_shape = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
        assert!(angle(&l_shape, 0.13) > 30.0);
        let midpoints = [[0.0, 1.0], [0.5, 1.0], [1.0, 1.0], [1.0, 0.3], [1.0, 0.0], [0.1, 0.0], [0.0, 0.0]];
        assert!(angle(&midpoints, 0.09) > 25.0, "corners in line");
        let star: Vec<[f64; 2]> = (0..10)
            .map(|k| {
                let (r, t) = (if k % 2 == 0 { 1.0 } else { 0.4 }, 0.1 * k as f64 * TAU);
                [r * t.cos(), r * t.sin()]
            })
            .collect();
        assert!(angle(&star, 0.1) > 20.0);
        let slot = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.5], [0.3, 0.5], [0.3, 0.51], [1.0, 0.51], [1.0, 1.0], [0.0, 1.0]];
        assert!(angle(&slot, 0.1) > 15.0, "a slot narrower than the elements");
        let tiny = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.999], [0.999, 1.0], [0.0, 1.0]];
        assert!(angle(&tiny, 0.1) > 20.0, "an edge shorter than the elements");
        let thin = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.02], [0.0, 0.02]];
        assert!(angle(&thin, 0.1) > 20.0, "a strip thinner than the elements");
        let wedge = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.1]];
        assert!(angle(&wedge, 0.05) > 5.0);
    }

    #[test]
    fn random_polygons_are_meshed() {
        let mut seed = 7u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / 2f64.powi(53)
        };
        for count in (3..40).step_by(3) {
            let corners: Vec<[f64; 2]> = (0..count)
                .map(|k| {
                    let (r, t) = (0.5 + 0.5 * uniform(), (k as f64 + 0.5 * uniform()) / count as f64 * TAU);
                    [r * t.cos(), r * t.sin()]
                })
                .collect();
            assert!(angle(&corners, 0.05 + 0.2 * uniform()) > 8.0, "{corners:?}");
        }
    }

    #[test]
    fn a_graded_disk_is_fine_where_it_touches() {
        let target = MeshTarget { size: 8e-3, kind: ElementKind::T3 };
        let mesh = VolumeMesh::disk_graded(0.1, target, (-0.25 * TAU, 2e-4, 0.1)).unwrap();
        let quality = mesh.quality();
        assert!(quality.smallest_angle.to_degrees() > 25.0, "{quality:?}");
        assert!((1.5e-4..2.1e-4).contains(&quality.smallest_edge) && quality.largest_edge < 1.2e-2, "{quality:?}");
        assert!(mesh.nodes.iter().any(|p| (p - Vector2::new(0.0, -0.1)).norm() < 1e-16));
        for &k in &mesh.surface().nodes {
            assert!((mesh.nodes[k as usize].norm() - 0.1).abs() < 1e-16);
        }
    }

    #[test]
    fn what_is_no_polygon_is_refused() {
        let target = MeshTarget { size: 0.1, kind: ElementKind::T3 };
        let bowtie = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]].map(Vector2::from);
        let told = VolumeMesh::polygon(&bowtie, target).unwrap_err().to_string();
        assert!(told.contains("cross or touch"), "{told}");
        assert!(VolumeMesh::polygon(&bowtie[..2], target).is_err());
    }
}
