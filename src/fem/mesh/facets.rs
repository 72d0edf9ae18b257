//! The surface of a mesh: faces that belong to one element only, cut into straight facets.
//!
//! The faces between elements are matched by their corners. A quadratic edge becomes two segments, a quadratic
//! triangle four triangles and a quadrilateral two, divided by the diagonal through its corner of lowest index; so
//! two elements always divide a common face alike, and the facets of all elements enclose exactly the volume of the
//! mesh.

use std::collections::HashMap;

use crate::contactor::surface::{Surface, SurfaceFacet};
use crate::dim::{Dim, Vector};

use super::{Element, VolumeMesh};

/// A face of an element: its sorted corners (filled up with the last one), the element and the number of the face.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ElementFace {
    pub(super) corners: [u32; 4],
    pub(super) element: u32,
    pub(super) face: u32,
}

impl Element {
    /// Nodes of one of its faces: corners, counter-clockwise seen from outside, then nodes in the middle of edges.
    pub fn face_nodes(&self, face: usize) -> impl Iterator<Item = u32> + '_ {
        self.kind.faces()[face].iter().map(|&k| self.nodes()[k])
    }

    /// Calls `visit` with each straight facet of one of its faces.
    pub(super) fn each_facet(&self, face: usize, mut visit: impl FnMut(SurfaceFacet)) {
        let mut nodes = [0; 6];
        let mut count = 0;
        for node in self.face_nodes(face) {
            nodes[count] = node;
            count += 1;
        }
        let [a, b, c, d, e, f] = nodes;
        match (self.kind.face_corner_count(), count) {
            (2, 3) => {
                [[a, c], [c, b]].iter().for_each(|nodes| visit(SurfaceFacet::new(nodes)));
            }
            (3, 6) => {
                let triangles = [[a, d, f], [d, b, e], [f, e, c], [d, e, f]];
                triangles.iter().for_each(|nodes| visit(SurfaceFacet::new(nodes)));
            }
            (4, 4) => {
                let lowest = (0..4).min_by_key(|&k| nodes[k]).unwrap_or(0);
                let turned: [u32; 4] = std::array::from_fn(|k| nodes[(lowest + k) % 4]);
                SurfaceFacet::halves(turned).into_iter().for_each(visit);
            }
            (corners, _) => visit(SurfaceFacet::new(&nodes[..corners])),
        }
    }
}

/// Factorial of the dimension: the determinant of a simplex is this number times its volume.
pub(super) fn simplices_of_a_cell<X: Dim>() -> f64 {
    (1..=X::D).product::<usize>() as f64
}

impl<X: Dim> VolumeMesh<X> {
    /// Volume (area in the plane) that the facets of an element enclose; negative if it is inverted.
    pub fn element_measure(&self, element: &Element) -> f64 {
        let origin = self.nodes[element.nodes()[0] as usize];
        let mut sum = 0.0;
        for face in 0..element.kind.faces().len() {
            element.each_facet(face, |facet| {
                let corners = facet.nodes();
                let mut arms = [X::Vector::zero(); 3];
                corners.iter().zip(&mut arms).for_each(|(&k, arm)| *arm = self.nodes[k as usize] - origin);
                sum += X::determinant(&arms[..corners.len()]);
            });
        }
        sum / simplices_of_a_cell::<X>()
    }

    /// Volume (area in the plane) of the mesh, m3 (m2).
    pub fn measure(&self) -> f64 {
        self.elements.iter().map(|element| self.element_measure(element)).sum()
    }

    /// All faces of all elements, sorted by their corners: the faces that two elements share are adjacent.
    pub(super) fn sorted_faces(&self) -> Vec<ElementFace> {
        let mut faces = Vec::with_capacity(self.elements.iter().map(|e| e.kind.faces().len()).sum());
        for (number, element) in self.elements.iter().enumerate() {
            for face in 0..element.kind.faces().len() {
                let mut corners = [0; 4];
                let count = element.kind.face_corner_count();
                element.face_nodes(face).take(count).zip(&mut corners).for_each(|(node, corner)| *corner = node);
                corners[..count].sort_unstable();
                corners.copy_within(count - 1..count, 3);
                if count == 2 {
                    corners[2] = corners[1];
                }
                faces.push(ElementFace { corners, element: number as u32, face: face as u32 });
            }
        }
        faces.sort_unstable();
        faces
    }

    /// Faces that belong to one element only, by element, then by face.
    pub(super) fn boundary_faces(&self) -> Vec<ElementFace> {
        let sorted = self.sorted_faces();
        let single = |run: &[ElementFace]| if let [face] = run { Some(*face) } else { None };
        let mut boundary: Vec<_> = sorted.chunk_by(|p, q| p.corners == q.corners).filter_map(single).collect();
        boundary.sort_unstable_by_key(|face| (face.element, face.face));
        boundary
    }

    /// The surface; facets in the order of elements and their faces.
    pub fn surface(&self) -> Surface {
        let mut surface = Surface::default();
        for face in self.boundary_faces() {
            let element = &self.elements[face.element as usize];
            element.each_facet(face.face as usize, |facet| surface.facets.push(facet));
        }
        surface.nodes = surface.facets.iter().flat_map(|facet| facet.nodes().iter().copied()).collect();
        surface.nodes.sort_unstable();
        surface.nodes.dedup();
        (surface.sharp_edges, surface.smooth_edges) = self.edges(&surface.facets);
        surface
    }

    /// Lists the nodes of the faces of groups in the order of the elements, so that faces on the surface point outward.
    pub(super) fn orient_group_faces(&mut self) {
        let sorted = |nodes: &[u32]| {
            let mut sorted = nodes.to_vec();
            sorted.sort_unstable();
            sorted
        };
        let listed = |face: ElementFace| -> Vec<u32> {
            self.elements[face.element as usize].face_nodes(face.face as usize).collect()
        };
        let outward: HashMap<Vec<u32>, Vec<u32>> =
            self.boundary_faces().into_iter().map(listed).map(|nodes| (sorted(&nodes), nodes)).collect();
        for face in self.groups.iter_mut().flat_map(|group| &mut group.faces) {
            if let Some(nodes) = outward.get(&sorted(face)) {
                face.clone_from(nodes);
            }
        }
    }

    /// Edges between facets whose normals differ by more than [`Surface::SHARP`], and all others but the diagonals of
    /// quadrilaterals; a facet of two corners has no edges.
    fn edges(&self, facets: &[SurfaceFacet]) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
        let normal = |facet: u32| {
            let corners: Vec<_> = facets[facet as usize].nodes().iter().map(|&k| self.nodes[k as usize]).collect();
            let area = X::area_vector(&corners);
            area * (1.0 / area.norm())
        };
        let mut sides: Vec<([u32; 2], u32)> = Vec::new();
        for (number, facet) in facets.iter().enumerate() {
            if let &[a, b, c] = facet.nodes() {
                sides.extend([(a, b), (b, c), (c, a)].map(|(p, q)| ([p.min(q), p.max(q)], number as u32)));
            }
        }
        sides.sort_unstable();
        let cosine = Surface::SHARP.cos();
        let is_sharp = |run: &[([u32; 2], u32)]| match run {
            [(_, first), (_, second)] => normal(*first).dot(&normal(*second)) < cosine,
            // Two bodies that touch along an edge are refused by the checks; the edge counts as sharp here.
            _ => true,
        };
        // The halves of a quadrilateral are divided by the diagonal between their first and last nodes.
        let is_diagonal = |run: &[([u32; 2], u32)]| {
            let (edge, facet) = run[0];
            let quadrilateral = facets[facet as usize].quadrilateral();
            quadrilateral.is_some_and(|[a, _, c, _]| edge == [a.min(c), a.max(c)])
        };
        let (sharp, mut smooth): (Vec<_>, Vec<_>) = sides.chunk_by(|p, q| p.0 == q.0).partition(|run| is_sharp(run));
        smooth.retain(|run| !is_diagonal(run));
        [sharp, smooth].map(|runs| runs.iter().map(|run| run[0].0).collect()).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::ElementKind;
    use nalgebra::{Vector2, Vector3};

    /// Sum of the area vectors of the facets, and the enclosed volume.
    fn enclosed<X: Dim>(mesh: &VolumeMesh<X>) -> (X::Vector, f64) {
        let mut sum = (X::Vector::zero(), 0.0);
        for facet in &mesh.surface().facets {
            let corners: Vec<_> = facet.nodes().iter().map(|&k| mesh.nodes[k as usize]).collect();
            sum.0 += X::area_vector(&corners);
            sum.1 += X::determinant(&corners) / simplices_of_a_cell::<X>();
        }
        sum
    }

    #[test]
    fn every_kind_has_an_outward_surface_that_encloses_its_volume() {
        for kind in ElementKind::ALL {
            if kind.dimension() == 2 {
                let mesh = VolumeMesh::<Plane>::grid(Vector2::new(2.0, 1.0), &[3, 2], kind).unwrap();
                let (closed, area) = enclosed(&mesh);
                assert!(closed.norm() < 1e-14 && (area - 2.0).abs() < 1e-13, "{kind:?}: {closed} {area}");
                assert!((mesh.measure() - 2.0).abs() < 1e-13);
                let segments = if kind == ElementKind::T6 { 20 } else { 10 };
                assert_eq!(mesh.surface().facets.len(), segments);
                assert!(mesh.surface().sharp_edges.is_empty());
            } else {
                let mesh = VolumeMesh::<Space>::grid(Vector3::new(2.0, 1.0, 3.0), &[3, 2, 2], kind).unwrap();
                let (closed, volume) = enclosed(&mesh);
                assert!(closed.norm() < 1e-13 && (volume - 6.0).abs() < 1e-12, "{kind:?}: {closed} {volume}");
                assert!((mesh.measure() - 6.0).abs() < 1e-12);
                let part = if kind.is_quadratic() { 2 } else { 1 };
                let surface = mesh.surface();
                assert_eq!(surface.facets.len(), 2 * 2 * (6 + 6 + 4) * part * part);
                assert_eq!(surface.sharp_edges.len(), 4 * 7 * part, "diagonals of flat faces are not sharp");
            }
        }
    }

    #[test]
    fn two_elements_cut_a_warped_face_alike() {
        let mut mesh = VolumeMesh::<Space>::grid(Vector3::new(2.0, 1.0, 1.0), &[2, 1, 1], ElementKind::Hex8).unwrap();
        for node in mesh.nodes.iter_mut().filter(|p| p.x == 0.0) {
            node.x = 0.3 * node.y * node.z;
        }
        assert!((mesh.measure() - 2.0).abs() < 1e-14);
        let (closed, volume) = enclosed(&mesh);
        assert!(closed.norm() < 1e-14 && (volume - 2.0).abs() < 1e-14);
    }
}
