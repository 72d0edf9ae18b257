//! Conversion of meshes of simplices: to quadratic simplices, and to quadrilaterals and hexahedra.
//!
//! A quadratic simplex gets a node in the middle of each edge. A triangle divides into three quadrilaterals and a
//! tetrahedron into four hexahedra, one at each corner, by nodes in the middle of its edges, of its faces and of
//! itself. New nodes on a curved surface are moved onto it by `project`.

use std::collections::HashMap;

use crate::dim::{Dim, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

/// Moves a new node, given the positions of the nodes whose mean it is, and that mean.
pub(super) type Projection<'a, X> = &'a dyn Fn(&[<X as Dim>::Vector], <X as Dim>::Vector) -> <X as Dim>::Vector;

/// The projection for shapes with flat faces.
pub(super) fn straight<V: Vector>(_: &[V], mean: V) -> V {
    mean
}

/// The mesh of simplices in elements of `kind`.
pub(super) fn to_kind<X: Dim>(mesh: VolumeMesh<X>, kind: ElementKind, project: Projection<'_, X>) -> VolumeMesh<X> {
    match kind {
        ElementKind::T3 | ElementKind::Tet4 => mesh,
        ElementKind::T6 | ElementKind::Tet10 => quadratic(mesh, project),
        ElementKind::Q4 | ElementKind::Hex8 => bricks(mesh, kind, project),
    }
}

/// New nodes, each the mean of a set of old ones and numbered when first asked for.
struct NewNodes<'a, X: Dim> {
    nodes: Vec<X::Vector>,
    known: HashMap<[u32; 4], u32>,
    project: Projection<'a, X>,
}

impl<X: Dim> NewNodes<'_, X> {
    fn mean(&mut self, of: &[u32]) -> u32 {
        let mut key = [u32::MAX; 4];
        key[..of.len()].copy_from_slice(of);
        key.sort_unstable();
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let positions: Vec<X::Vector> = of.iter().map(|&k| self.nodes[k as usize]).collect();
        let mean = positions.iter().fold(X::Vector::zero(), |sum, &p| sum + p) * (1.0 / of.len() as f64);
        let number = self.nodes.len() as u32;
        self.nodes.push((self.project)(&positions, mean));
        self.known.insert(key, number);
        number
    }
}

/// Adds a node in the middle of each edge.
pub(super) fn quadratic<X: Dim>(mesh: VolumeMesh<X>, project: Projection<'_, X>) -> VolumeMesh<X> {
    let mut new: NewNodes<'_, X> = NewNodes { nodes: mesh.nodes, known: HashMap::new(), project };
    let raised = |element: &Element| {
        let corners = element.corners();
        let mut nodes = corners.to_vec();
        nodes.extend(element.kind.edges().iter().map(|&[a, b]| new.mean(&[corners[a], corners[b]])));
        let kind = match element.kind {
            ElementKind::T3 | ElementKind::T6 => ElementKind::T6,
            ElementKind::Tet4 | ElementKind::Tet10 => ElementKind::Tet10,
            ElementKind::Q4 | ElementKind::Hex8 => element.kind,
        };
        Element::new(kind, &nodes[..kind.node_count()], element.group)
    };
    let elements = mesh.elements.iter().map(raised).collect();
    VolumeMesh { nodes: new.nodes, elements, groups: mesh.groups }
}

/// Divides simplices into quadrilaterals or hexahedra.
fn bricks<X: Dim>(mesh: VolumeMesh<X>, kind: ElementKind, project: Projection<'_, X>) -> VolumeMesh<X> {
    let mut new: NewNodes<'_, X> = NewNodes { nodes: mesh.nodes, known: HashMap::new(), project };
    let mut elements = Vec::with_capacity(mesh.elements.len() * (X::D + 1));
    for element in &mesh.elements {
        let corners = element.corners();
        for frame in element.kind.corner_frames() {
            // Each corner of the brick is the mean of the corner of the simplex and some of its neighbours along edges.
            let along: Vec<u32> = frame.iter().map(|&k| corners[k]).collect();
            let sets: &[&[usize]] = match kind.corner_count() {
                4 => &[&[0], &[0, 1], &[0, 1, 2], &[0, 2]],
                _ => &[&[0], &[0, 1], &[0, 1, 2], &[0, 2], &[0, 3], &[0, 1, 3], &[0, 1, 2, 3], &[0, 2, 3]],
            };
            let brick: Vec<u32> = sets
                .iter()
                .map(|set| match set {
                    [_] => along[0],
                    _ => new.mean(&set.iter().map(|&k| along[k]).collect::<Vec<_>>()),
                })
                .collect();
            elements.push(Element::new(kind, &brick, element.group));
        }
    }
    VolumeMesh { nodes: new.nodes, elements, groups: mesh.groups }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn simplices_become_bricks_that_conform() {
        let plane = VolumeMesh::<Plane>::grid(Vector2::new(1.0, 1.0), &[2, 2], ElementKind::T3).unwrap();
        let plane = to_kind(plane, ElementKind::Q4, &straight);
        plane.check().unwrap();
        assert_eq!((plane.elements.len(), plane.surface().facets.len()), (24, 16));
        assert!((plane.measure() - 1.0).abs() < 1e-14);
        let space = VolumeMesh::<Space>::grid(Vector3::new(1.0, 1.0, 1.0), &[2, 1, 1], ElementKind::Tet4).unwrap();
        let space = to_kind(space, ElementKind::Hex8, &straight);
        space.check().unwrap();
        assert_eq!(space.elements.len(), 48);
        assert!((space.measure() - 1.0).abs() < 1e-14);
    }
}
