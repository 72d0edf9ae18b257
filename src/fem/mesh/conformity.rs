//! Checks that elements fit together: common faces, no nodes on top of others or inside a face, one component.

use crate::dim::{Dim, Vector};

use super::VolumeMesh;
use super::facets::ElementFace;
use super::fault::MeshDefect;
use super::point_tree::PointTree;

/// Distance of two nodes, relative to the size of the mesh, below which they are at the same place.
const SAME_PLACE: f64 = 1e-9;
/// Distance of a node from a facet, relative to the size of the facet, below which it lies on the facet.
const ON_FACET: f64 = 1e-6;

const MERGE: &str = "two nodes at the same place: merge them (in Gmsh: Coherence Mesh)";

pub(super) fn check<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    check_used(mesh)?;
    check_apart(mesh)?;
    check_distinct(mesh)?;
    let faces = mesh.sorted_faces();
    faces.chunk_by(|p, q| p.corners == q.corners).try_for_each(|run| check_face(mesh, run))?;
    check_hanging(mesh)?;
    check_one_piece(mesh, &faces)?;
    check_pinched(mesh)
}

/// Every node belongs to an element: a node without stiffness would make the matrices singular.
fn check_used<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    let mut is_used = vec![false; mesh.nodes.len()];
    mesh.elements.iter().flat_map(|element| element.nodes()).for_each(|&k| is_used[k as usize] = true);
    match is_used.iter().position(|&used| !used) {
        Some(node) => Err(MeshDefect::of_mesh(format!("node {node} belongs to no element"), "remove the node")),
        None => Ok(()),
    }
}

/// No two nodes are at the same place.
fn check_apart<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    let (min, max) = mesh.bounds();
    let near = SAME_PLACE * (max - min).norm();
    let around = X::Vector::from_fn(|_| near);
    let tree = PointTree::new(&mesh.nodes, 0..mesh.nodes.len() as u32);
    let mut is_double = vec![false; mesh.nodes.len()];
    for (number, &at) in mesh.nodes.iter().enumerate() {
        tree.in_box(at - around, at + around, |other| {
            is_double[number] |= other as usize != number && (mesh.nodes[other as usize] - at).norm() <= near;
        });
    }
    let has_double = |element: &super::Element| element.nodes().iter().copied().find(|&k| is_double[k as usize]);
    let first = mesh.elements.iter().enumerate().find_map(|(number, e)| Some((number, has_double(e)?)));
    match first {
        Some((number, node)) => {
            let what = format!("another node lies at its node {:?}", mesh.nodes[node as usize].as_slice());
            Err(MeshDefect::of_element(number, what, MERGE))
        }
        None => Ok(()),
    }
}

/// No two elements have the same corners.
fn check_distinct<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    let mut keys: Vec<([u32; 8], u32)> = Vec::with_capacity(mesh.elements.len());
    for (number, element) in mesh.elements.iter().enumerate() {
        let mut corners = [u32::MAX; 8];
        corners[..element.corners().len()].copy_from_slice(element.corners());
        corners.sort_unstable();
        keys.push((corners, number as u32));
    }
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => {
            let what = "has the same corners as another element";
            Err(MeshDefect::of_pair(pair[1].1, pair[0].1, what, "remove one of the two"))
        }
        None => Ok(()),
    }
}

/// A face belongs to one or two elements; two lie on opposite sides of it and have the same nodes on it.
fn check_face<X: Dim>(mesh: &VolumeMesh<X>, run: &[ElementFace]) -> Result<(), MeshDefect> {
    let (first, second) = match run {
        [_] => return Ok(()),
        [first, second] => (first, second),
        _ => {
            let what = format!("one of its faces belongs to {} elements", run.len());
            let remedy = "a face separates two elements: remove elements that overlap";
            return Err(MeshDefect::of_pair(run[2].element, run[0].element, what, remedy));
        }
    };
    let nodes =
        |face: &ElementFace| mesh.elements[face.element as usize].face_nodes(face.face as usize).collect::<Vec<u32>>();
    let (mine, mut other) = (nodes(first), nodes(second));
    let count = mesh.elements[first.element as usize].kind.face_corner_count();
    other[..count].reverse();
    // A list of two corners has no rotation: turned by one, it is reversed.
    let shifts = if count == 2 { 1 } else { count };
    let is_opposite = (0..shifts).any(|shift| (0..count).all(|k| mine[k] == other[(k + shift) % count]));
    if !is_opposite {
        let what = "lies on the same side of a common face as another element: the mesh folds over itself";
        let remedy = "correct the nodes, or mesh the shape again";
        return Err(MeshDefect::of_pair(second.element, first.element, what, remedy));
    }
    let middles = |nodes: &[u32]| {
        let mut middles = nodes[count..].to_vec();
        middles.sort_unstable();
        middles
    };
    if middles(&mine) != middles(&other) {
        let what = "shares the corners of a face with another element, but not the nodes in the middle of edges";
        let remedy = "use either linear or quadratic elements on both sides of a face";
        return Err(MeshDefect::of_pair(second.element, first.element, what, remedy));
    }
    Ok(())
}

/// No node of the surface lies inside a facet of another element.
fn check_hanging<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    let boundary = mesh.boundary_faces();
    let of_face = |face: &ElementFace| mesh.elements[face.element as usize].face_nodes(face.face as usize);
    let mut nodes: Vec<u32> = boundary.iter().flat_map(of_face).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let tree = PointTree::new(&mesh.nodes, nodes);
    for face in &boundary {
        let element = &mesh.elements[face.element as usize];
        let mut hanging = None;
        element.each_facet(face.face as usize, |facet| {
            let corners: Vec<X::Vector> = facet.nodes().iter().map(|&k| mesh.nodes[k as usize]).collect();
            let lower = corners.iter().fold(corners[0], |min, p| min.lower(p));
            let upper = corners.iter().fold(corners[0], |max, p| max.upper(p));
            let margin = ON_FACET * (upper - lower).norm();
            let around = X::Vector::from_fn(|_| margin);
            tree.in_box(lower - around, upper + around, |node| {
                let is_own = element.nodes().contains(&node);
                if !is_own && lies_on::<X>(&corners, mesh.nodes[node as usize], margin) {
                    hanging = Some(hanging.map_or(node, |other: u32| other.min(node)));
                }
            });
        });
        if let Some(node) = hanging {
            let at = mesh.nodes[node as usize].as_slice().to_vec();
            let what = format!("a node of other elements hangs inside one of its faces, at {at:?}");
            let remedy = "divide the element there, so that elements share whole faces";
            return Err(MeshDefect::of_element(face.element as usize, what, remedy));
        }
    }
    Ok(())
}

/// Does a point lie on the facet with these corners, within `margin` of its plane?
fn lies_on<X: Dim>(corners: &[X::Vector], point: X::Vector, margin: f64) -> bool {
    let area = X::area_vector(corners);
    if (point - corners[0]).dot(&area).abs() > margin * area.norm() {
        return false;
    }
    // The share of the facet opposite to each corner is positive.
    (0..corners.len()).all(|k| {
        let mut part = corners.to_vec();
        part[k] = point;
        X::area_vector(&part).dot(&area) > -ON_FACET * area.norm2()
    })
}

/// The elements are connected through faces.
fn check_one_piece<X: Dim>(mesh: &VolumeMesh<X>, faces: &[ElementFace]) -> Result<(), MeshDefect> {
    let mut root: Vec<u32> = (0..mesh.elements.len() as u32).collect();
    fn find(root: &mut [u32], mut k: u32) -> u32 {
        while root[k as usize] != k {
            root[k as usize] = root[root[k as usize] as usize];
            k = root[k as usize];
        }
        k
    }
    for run in faces.chunk_by(|p, q| p.corners == q.corners) {
        for pair in run.windows(2) {
            let (a, b) = (find(&mut root, pair[0].element), find(&mut root, pair[1].element));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let roots: Vec<usize> = (0..root.len()).filter(|&k| root[k] as usize == k).collect();
    match roots[..] {
        [_, second, ..] => {
            let count = roots.len();
            let what = format!(
                "the mesh consists of {count} components that share no face; this is the first element of the second"
            );
            Err(MeshDefect::of_element(second, what, "one mesh is one body; split it"))
        }
        [] | [_] => Ok(()),
    }
}

/// The surface does not touch itself: each corner of a boundary edge (in space: each edge of a boundary face) has two.
fn check_pinched<X: Dim>(mesh: &VolumeMesh<X>) -> Result<(), MeshDefect> {
    // The sides of a face are its corners in the plane, its edges in space.
    let mut sides: Vec<([u32; 2], u32)> = Vec::new();
    for face in mesh.boundary_faces() {
        let element = &mesh.elements[face.element as usize];
        let count = element.kind.face_corner_count();
        let corners: Vec<u32> = element.face_nodes(face.face as usize).take(count).collect();
        for (k, &a) in corners.iter().enumerate() {
            let b = if count == 2 { a } else { corners[(k + 1) % count] };
            sides.push(([a.min(b), a.max(b)], face.element));
        }
    }
    sides.sort_unstable();
    let worst = sides.chunk_by(|p, q| p.0 == q.0).filter(|run| run.len() != 2).min_by_key(|run| run[0].1);
    match worst {
        Some(run) => {
            let at = mesh.nodes[run[0].0[0] as usize].as_slice().to_vec();
            let what = format!("the surface touches itself at {at:?}: {} boundary faces meet there", run.len());
            let remedy = "use faces that conform on both sides; join the parts by whole faces or make them two bodies";
            Err(MeshDefect::of_element(run[0].1 as usize, what, remedy))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::{Element, ElementKind};
    use nalgebra::{Vector2, Vector3};

    fn told<X: Dim>(points: Vec<X::Vector>, elements: &[(ElementKind, &[u32])]) -> String {
        let elements = elements.iter().map(|(kind, nodes)| Element::new(*kind, nodes, Element::NO_GROUP)).collect();
        let mut mesh = VolumeMesh::<X>::from_arrays(points, elements);
        mesh.drop_unused_nodes();
        mesh.check().err().map(|e| e.to_string()).unwrap_or_default()
    }

    fn plane(points: &[[f64; 2]], elements: &[(ElementKind, &[u32])]) -> String {
        told::<Plane>(points.iter().map(|&p| Vector2::from(p)).collect(), elements)
    }

    fn space(points: &[[f64; 3]], elements: &[(ElementKind, &[u32])]) -> String {
        told::<Space>(points.iter().map(|&p| Vector3::from(p)).collect(), elements)
    }

    use ElementKind::{Hex8, Q4, T3, T6, Tet4};

    const TWO: &[[f64; 2]] = &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]];

    #[test]
    fn mixed_kinds_that_conform_are_fine() {
        assert_eq!(plane(TWO, &[(Q4, &[0, 1, 2, 3]), (T3, &[1, 4, 2]), (T3, &[4, 5, 2])]), "");
    }

    #[test]
    fn nodes_at_the_same_place_are_told() {
        let mut points = TWO.to_vec();
        points.extend([[1.0, 1e-10], [1.0, 1.0]]);
        let message = plane(&points, &[(Q4, &[0, 1, 2, 3]), (Q4, &[6, 4, 5, 7])]);
        assert!(message.contains("element 0: another node lies at its node [1.0, 0.0]; two nodes at"), "{message}");
    }

    #[test]
    fn duplicates_triples_and_folds_are_told() {
        let message = plane(TWO, &[(T3, &[0, 1, 2]), (Q4, &[1, 4, 5, 2]), (T3, &[0, 2, 3]), (T3, &[2, 0, 1])]);
        assert!(message.starts_with("element 3 (with element 0): has the same corners"), "{message}");
        let mut points = TWO.to_vec();
        points[5] = [0.2, 1.5];
        let message = plane(&points, &[(T3, &[0, 1, 2]), (T3, &[0, 2, 3]), (T3, &[0, 2, 5])]);
        assert!(message.starts_with("element 2 (with element 0): one of its faces belongs to 3 elements"), "{message}");
        let message = plane(&points[..4], &[(T3, &[0, 1, 2]), (T3, &[0, 1, 3])]);
        assert!(message.contains("folds over itself"), "{message}");
    }

    #[test]
    fn hanging_nodes_are_told_in_plane_and_space() {
        let mut points = TWO.to_vec();
        points.push([1.0, 0.5]);
        let message = plane(&points, &[(Q4, &[0, 1, 2, 3]), (T3, &[1, 4, 6]), (T3, &[4, 5, 6]), (T3, &[6, 5, 2])]);
        assert!(message.starts_with("element 0: a node of other elements hangs inside one of its faces"), "{message}");
        // A tetrahedron on one side of a triangle, three on the other.
        let points =
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, -1.0], [0.3, 0.3, 1.0], [0.25, 0.25, 0.0]];
        let three = [(Tet4, &[0, 1, 5, 4][..]), (Tet4, &[1, 2, 5, 4]), (Tet4, &[2, 0, 5, 4]), (Tet4, &[0, 2, 1, 3])];
        let message = space(&points, &three);
        assert!(message.contains("hangs inside one of its faces, at [0.25, 0.25, 0.0]"), "{message}");
    }

    #[test]
    fn several_components_are_counted() {
        let message = plane(TWO, &[(T3, &[0, 1, 3]), (T3, &[1, 4, 2])]);
        assert!(message.starts_with("element 1: the mesh consists of 2 components"), "{message}");
        assert!(message.ends_with("one mesh is one body; split it"), "{message}");
    }

    #[test]
    fn a_surface_that_touches_itself_is_told() {
        // A ring of squares around a hole, and one that closes it at a corner only.
        let points: Vec<[f64; 2]> = (0..16).map(|k| [(k % 4) as f64, (k / 4) as f64]).collect();
        let square = |k: u32| [k, k + 1, k + 5, k + 4];
        let ring = [0, 1, 2, 4, 6, 8, 9, 10].map(square);
        let whole: Vec<(ElementKind, &[u32])> = ring.iter().map(|nodes| (Q4, &nodes[..])).collect();
        assert_eq!(plane(&points, &whole), "");
        let pinched = [1, 2, 4, 6, 8, 9, 10].map(square);
        let pinched: Vec<(ElementKind, &[u32])> = pinched.iter().map(|nodes| (Q4, &nodes[..])).collect();
        let message = plane(&points, &pinched);
        assert!(message.contains("the surface touches itself at [1.0, 1.0]: 4 boundary faces"), "{message}");
    }

    #[test]
    fn a_hexahedron_beside_tetrahedra_is_told() {
        let mut points: Vec<[f64; 3]> =
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
                .map(|p: [i32; 3]| p.map(f64::from))
                .to_vec();
        points.push([2.0, 0.5, 0.5]);
        let elements = [(Hex8, &[0, 1, 2, 3, 4, 5, 6, 7][..]), (Tet4, &[1, 2, 6, 8]), (Tet4, &[1, 6, 5, 8])];
        let message = space(&points, &elements);
        assert!(message.contains("consists of 2 components"), "{message}");
    }

    #[test]
    fn linear_beside_quadratic_is_told() {
        let mut points = TWO[..4].to_vec();
        points.extend([[0.5, 0.0], [1.0, 0.5], [0.5, 0.5]]);
        let message = plane(&points, &[(T6, &[0, 1, 2, 4, 5, 6]), (T3, &[0, 2, 3])]);
        assert!(message.contains("either linear or quadratic"), "{message}");
    }
}
