//! Meshes of convex polygons and polyhedra.
//!
//! In space, the edges are divided, then the faces are filled as polygons of the plane, then the inside: the Delaunay
//! tessellation of points of a convex surface and of its inside fills the polyhedron, and no face has to be recovered.

use std::collections::BTreeMap;

use nalgebra::{Vector2, Vector3};

use crate::dim::{Dim, Space, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::fill::{BoundaryPoint, FillableShape, Filling, fill};
use super::flips::reconnect;
use super::grading::{GROWTH, Grading};
use super::improve::{Constraints, improve};
use super::polygon::{self, PolygonRegion, SAME_FACE, WIDEST};
use super::{MeshTarget, MeshingFault, convert};

/// Number of rounds of new connections and moves of points.
const ROUNDS: usize = 6;

const OTHER_SIZE: &str = "give another size, or mesh the shape in Gmsh";

impl<X: Dim> VolumeMesh<X> {
    /// A convex polytope: vertices, and the corners of each face, counter-clockwise seen from outside. In the plane,
    /// the vertices are given in order.
    pub fn polytope(vertices: &[X::Vector], faces: &[Vec<u32>], target: MeshTarget) -> Result<Self, MeshingFault> {
        super::check_kind::<X>(target.kind)?;
        match target.kind {
            ElementKind::T3 | ElementKind::T6 | ElementKind::Q4 => polygon::of_vertices(vertices, target),
            ElementKind::Tet4 | ElementKind::Tet10 | ElementKind::Hex8 => {
                let corners: Vec<Vector3<f64>> = vertices.iter().map(|p| p.in_space().into()).collect();
                let target = target.before_conversion();
                let mesh = tetrahedra(&corners, faces, target)?;
                let nodes = mesh.nodes.iter().map(|p| X::Vector::read(p.as_slice())).collect();
                let mesh = VolumeMesh::from_arrays(nodes, mesh.elements);
                super::accept(convert::to_kind(mesh, target.kind, &convert::straight), OTHER_SIZE)
            }
        }
    }
}

/// A convex polyhedron: a point and the outward unit normal of each face.
struct PolyhedronRegion {
    planes: Vec<(Vector3<f64>, Vector3<f64>)>,
    grading: Grading<Space>,
}

impl FillableShape<Space> for PolyhedronRegion {
    fn depth(&self, point: Vector3<f64>) -> f64 {
        let depth = |(origin, normal): &(Vector3<f64>, Vector3<f64>)| (origin - point).dot(normal);
        self.planes.iter().map(depth).fold(f64::INFINITY, f64::min)
    }

    fn grading(&self) -> &Grading<Space> {
        &self.grading
    }
}

/// Linear tetrahedra of the target size.
fn tetrahedra(
    corners: &[Vector3<f64>],
    faces: &[Vec<u32>],
    target: MeshTarget,
) -> Result<VolumeMesh<Space>, MeshingFault> {
    let is_listed = faces.len() >= 4 && faces.iter().all(|face| face.len() >= 3);
    if !is_listed || faces.iter().flatten().any(|&k| k as usize >= corners.len()) {
        return Err(MeshingFault::new("the faces of the polyhedron are not complete", "give every face its corners"));
    }
    let at = |face: &[u32]| face.iter().map(|&k| corners[k as usize]).collect::<Vec<_>>();
    let normals: Vec<Vector3<f64>> = faces.iter().map(|face| Space::area_vector(&at(face)).normalize()).collect();
    let volume: f64 =
        faces.iter().map(|face| Space::area_vector(&at(face)).dot(&corners[face[0] as usize]) / 6.0).sum();
    target.check::<Space>(volume)?;
    let edges = edges_of(faces);
    let mut shortest = vec![f64::INFINITY; corners.len()];
    for &[a, b] in edges.keys() {
        let length = (corners[a as usize] - corners[b as usize]).norm();
        [a, b].iter().for_each(|&k| shortest[k as usize] = shortest[k as usize].min(length));
    }
    let width = |(face, normal): (&Vec<u32>, &Vector3<f64>)| {
        let depth = |corner: &Vector3<f64>| (corners[face[0] as usize] - corner).dot(normal);
        corners.iter().map(depth).fold(0.0, f64::max)
    };
    let narrowest = faces.iter().zip(&normals).map(width).fold(f64::INFINITY, f64::min);
    let target = MeshTarget { size: target.size.min(WIDEST * narrowest), ..target };
    target.check::<Space>(volume)?;
    let grading = Grading::new(target.size, corners.iter().copied().zip(shortest), GROWTH);
    let planes = faces.iter().zip(&normals).map(|(face, &normal)| (corners[face[0] as usize], normal)).collect();
    let region = PolyhedronRegion { planes, grading };
    let surface = surface_points(corners, faces, &edges, &normals, &region.grading)?;
    let mut filling = fill(&region, &surface)?;
    let constraints: Vec<Constraints<Space>> = surface.iter().map(|p| orthonormal(p, &normals)).collect();
    for _ in 0..ROUNDS {
        let has_changed = reconnect(&mut filling);
        improve(&mut filling, &constraints);
        if !has_changed {
            break;
        }
    }
    let mesh = to_mesh(filling);
    if (mesh.measure() / volume - 1.0).abs() > 1e-8 {
        return Err(MeshingFault::new("the polyhedron was not filled", OTHER_SIZE));
    }
    Ok(mesh)
}

/// Edges, lower corner first, with the two faces beside each.
fn edges_of(faces: &[Vec<u32>]) -> BTreeMap<[u32; 2], Vec<u32>> {
    let mut edges: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
    for (number, face) in faces.iter().enumerate() {
        for (k, &a) in face.iter().enumerate() {
            let b = face[(k + 1) % face.len()];
            edges.entry([a.min(b), a.max(b)]).or_default().push(number as u32);
        }
    }
    edges
}

/// Points on corners, edges and faces.
fn surface_points(
    corners: &[Vector3<f64>],
    faces: &[Vec<u32>],
    edges: &BTreeMap<[u32; 2], Vec<u32>>,
    normals: &[Vector3<f64>],
    grading: &Grading<Space>,
) -> Result<Vec<BoundaryPoint<Space>>, MeshingFault> {
    let is_used = |k: &u32| faces.iter().any(|face| face.contains(k));
    let faces_at = |k: u32| (0..faces.len() as u32).filter(|&f| faces[f as usize].contains(&k)).collect();
    let mut points: Vec<BoundaryPoint<Space>> = (0..corners.len() as u32)
        .filter(is_used)
        .map(|k| BoundaryPoint { position: corners[k as usize], faces: faces_at(k) })
        .collect();
    let mut along: BTreeMap<[u32; 2], Vec<Vector3<f64>>> = BTreeMap::new();
    for (&[a, b], beside) in edges {
        let (from, to) = (corners[a as usize], corners[b as usize]);
        let marks = grading.divide((to - from).norm(), |t| from + (to - from) * t);
        let divided: Vec<Vector3<f64>> = marks.iter().map(|&t| from + (to - from) * t).collect();
        points.extend(divided.iter().map(|&position| BoundaryPoint { position, faces: beside.clone() }));
        along.insert([a, b], divided);
    }
    for (number, face) in faces.iter().enumerate() {
        let inner = face_points(corners, face, &along, normals[number], grading)?;
        points.extend(inner.into_iter().map(|position| BoundaryPoint { position, faces: vec![number as u32] }));
    }
    join_flat_faces(&mut points, edges, normals);
    Ok(points)
}

/// Points inside a face.
fn face_points(
    corners: &[Vector3<f64>],
    face: &[u32],
    along: &BTreeMap<[u32; 2], Vec<Vector3<f64>>>,
    normal: Vector3<f64>,
    grading: &Grading<Space>,
) -> Result<Vec<Vector3<f64>>, MeshingFault> {
    let origin = corners[face[0] as usize];
    let first = (corners[face[1] as usize] - origin).normalize();
    let second = normal.cross(&first);
    let flat = |p: Vector3<f64>| Vector2::new((p - origin).dot(&first), (p - origin).dot(&second));
    let mut around = Vec::new();
    for (k, &a) in face.iter().enumerate() {
        let (last, b) = ((k + face.len() - 1) % face.len(), face[(k + 1) % face.len()]);
        let position = flat(corners[a as usize]);
        around.push(BoundaryPoint { position, faces: vec![last as u32, k as u32] });
        let mut inner: Vec<Vector3<f64>> = along.get(&[a.min(b), a.max(b)]).cloned().unwrap_or_default();
        if a > b {
            inner.reverse();
        }
        around.extend(inner.into_iter().map(|p| BoundaryPoint { position: flat(p), faces: vec![k as u32] }));
    }
    let outline: Vec<Vector2<f64>> = face.iter().map(|&k| flat(corners[k as usize])).collect();
    let places = outline.iter().zip(face).map(|(&p, &k)| (p, grading.at(corners[k as usize])));
    let grading = Grading::new(grading.largest(), places, GROWTH);
    let region = PolygonRegion { corners: outline, grading };
    let filling = fill(&region, &around)?;
    Ok(filling.points[around.len()..].iter().map(|p| origin + first * p.x + second * p.y).collect())
}

/// Gives points on one of two adjacent faces in one plane the numbers of both.
fn join_flat_faces(
    points: &mut [BoundaryPoint<Space>],
    edges: &BTreeMap<[u32; 2], Vec<u32>>,
    normals: &[Vector3<f64>],
) {
    let is_flat = |first: u32, second: u32| (normals[first as usize] - normals[second as usize]).norm() < SAME_FACE;
    for beside in edges.values() {
        let &[first, second] = beside.as_slice() else { continue };
        for point in points.iter_mut().filter(|_| is_flat(first, second)) {
            let has = |face: u32| point.faces.contains(&face);
            match (has(first), has(second)) {
                (true, false) => point.faces.push(second),
                (false, true) => point.faces.push(first),
                (true, true) | (false, false) => {}
            }
        }
    }
}

/// The normals of the faces of a point, made orthogonal.
fn orthonormal(point: &BoundaryPoint<Space>, normals: &[Vector3<f64>]) -> Constraints<Space> {
    let mut basis: Constraints<Space> = Vec::new();
    for &face in &point.faces {
        let normal = normals[face as usize];
        let rest = basis.iter().fold(normal, |rest, own| rest - own * rest.dot(own));
        if rest.norm() > 1e-6 {
            basis.push(rest.normalize());
        }
    }
    basis
}

fn to_mesh(filling: Filling<Space>) -> VolumeMesh<Space> {
    let element = |simplex: &[u32; 4]| Element::new(ElementKind::Tet4, simplex, Element::NO_GROUP);
    VolumeMesh::from_arrays(filling.points, filling.simplices.iter().map(element).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::hull::FLATNESS;

    fn mesh_of(points: &[Vector3<f64>], size: f64, kind: ElementKind) -> VolumeMesh<Space> {
        let hull = Space::hull(points, FLATNESS).unwrap();
        let corners: Vec<_> = hull.corners.iter().map(|&k| points[k as usize]).collect();
        let mesh = VolumeMesh::<Space>::polytope(&corners, &hull.faces, MeshTarget { size, kind }).unwrap();
        let planes: Vec<_> = hull
            .faces
            .iter()
            .map(|face| {
                let at: Vec<_> = face.iter().map(|&k| corners[k as usize]).collect();
                (at[0], Space::area_vector(&at).normalize())
            })
            .collect();
        for &k in &mesh.surface().nodes {
            let p = mesh.nodes[k as usize];
            let depth = planes.iter().map(|(at, normal)| (at - p).dot(normal)).fold(f64::INFINITY, f64::min);
            assert!(depth.abs() < 1e-10, "{depth:e}");
        }
        mesh
    }

    fn cube() -> Vec<Vector3<f64>> {
        (0..8).map(|k| Vector3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64)).collect()
    }

    #[test]
    fn simple_polyhedra_are_meshed_with_good_angles() {
        let octahedron: Vec<_> = (0..6).map(|k| Vector3::ith(k % 3, if k < 3 { 1.0 } else { -1.0 })).collect();
        let tetrahedron = vec![Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
        for shape in [cube(), octahedron, tetrahedron] {
            for size in [2.0, 0.5, 0.3, 0.15, 0.08] {
                let mesh = mesh_of(&shape, size, ElementKind::Tet4);
                let quality = mesh.quality();
                assert!(quality.smallest_angle.to_degrees() > 10.0, "{size}: {quality:?}");
            }
        }
    }

    #[test]
    fn thin_plates_and_sharp_wedges_are_meshed() {
        let plate: Vec<_> = (0..12)
            .map(|k| {
                let (sine, cosine) = ((k / 2) as f64 * std::f64::consts::FRAC_PI_3).sin_cos();
                Vector3::new(cosine, sine, 0.05 * (k % 2) as f64)
            })
            .collect();
        let quality = mesh_of(&plate, 0.3, ElementKind::Tet4).quality();
        assert!(quality.smallest_angle.to_degrees() > 12.0, "{quality:?}");
        let wedge: Vec<_> = cube().iter().map(|p| Vector3::new(p.x, p.y * p.x * 0.2, p.z)).collect();
        let quality = mesh_of(&wedge, 0.1, ElementKind::Tet4).quality();
        assert!(quality.smallest_angle.to_degrees() > 8.0, "{quality:?}");
    }

    #[test]
    fn every_kind_fills_a_polyhedron() {
        for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8] {
            assert!((mesh_of(&cube(), 0.4, kind).measure() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn random_polyhedra_are_meshed() {
        let mut seed = 3u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / 2f64.powi(53) * 2.0 - 1.0
        };
        let mut angles = Vec::new();
        for count in (4..40).step_by(3) {
            let points: Vec<Vector3<f64>> =
                (0..count).map(|_| Vector3::new(uniform(), uniform(), uniform()).normalize()).collect();
            let mesh = mesh_of(&points, 0.2 + 0.1 * (uniform() + 1.0), ElementKind::Tet4);
            angles.push(mesh.quality().smallest_angle.to_degrees());
        }
        // Some have edges of a hundredth of their size, and faces with angles of a few degrees.
        angles.sort_by(f64::total_cmp);
        assert!(angles[0] > 0.5 && angles[angles.len() / 2] > 6.0, "{angles:?}");
    }
}
