//! Checks of a mesh: elements with a volume, that fill one body without overlaps.
//!
//! [`VolumeMesh::check`] finds the first defect. Checks of single elements are in this file; those of the way in which
//! elements fit together are in `conformity`.

use crate::dim::{Dim, Vector};

use super::fault::MeshDefect;
use super::{Element, ElementKind, VolumeMesh};
use super::{conformity, overlap};

/// Ratio of the determinant of the Jacobian at a corner to the power of the longest edge below which an element is
/// degenerate.
const FLAT: f64 = 1e-9;

const MESH_AGAIN: &str = "remove the element, or mesh the shape again";

impl<X: Dim> VolumeMesh<X> {
    /// Checks that the mesh is one body: elements that are not inverted or degenerate, connected through faces that
    /// conform. Returns the first defect.
    pub fn check(&self) -> Result<(), MeshDefect> {
        self.check_arrays()?;
        (0..self.elements.len()).try_for_each(|number| self.check_shape(number))?;
        conformity::check(self)?;
        overlap::check(self)
    }

    /// Turns elements that are numbered clockwise: in a simplex with a negative volume, and in a quadrilateral or a
    /// hexahedron with a negative Jacobian at every corner, the order of the nodes is reversed.
    pub fn orient(&mut self) {
        for number in 0..self.elements.len() {
            let element = self.elements[number];
            let corners = self.corner_positions(&element);
            let is_inverted = |frame: &&'static [usize]| edge_determinant::<X>(&corners, frame) < 0.0;
            if element.kind.corner_frames().iter().all(is_inverted) {
                self.elements[number] = mirrored(&element);
            }
        }
    }

    fn corner_positions(&self, element: &Element) -> Vec<X::Vector> {
        element.corners().iter().map(|&k| self.nodes[k as usize]).collect()
    }

    /// Checks what all other functions assume: kinds of this dimension, nodes that exist and are finite.
    fn check_arrays(&self) -> Result<(), MeshDefect> {
        if self.elements.is_empty() {
            return Err(MeshDefect::of_mesh("has no elements", "give at least one element"));
        }
        if let Some(node) = self.nodes.iter().position(|p| !p.is_finite()) {
            return Err(MeshDefect::of_mesh(format!("node {node} is not finite"), "give finite coordinates"));
        }
        let (min, max) = self.bounds();
        let size = (max - min).norm();
        if !(1e-60..1e60).contains(&size) {
            let what = format!("extends over {size:e} m");
            return Err(MeshDefect::of_mesh(what, "give lengths in metres between 1e-60 and 1e60"));
        }
        for (number, element) in self.elements.iter().enumerate() {
            if element.kind.dimension() != X::D {
                let what = format!("is {} in a mesh of {} dimensions", element.kind.name(), X::D);
                return Err(MeshDefect::of_element(number, what, "use elements of the dimension of the scene"));
            }
            if let Some(&node) = element.nodes().iter().find(|&&node| node as usize >= self.nodes.len()) {
                let what = format!("has node {node}, of {}", self.nodes.len());
                return Err(MeshDefect::of_element(number, what, "number nodes from zero"));
            }
        }
        Ok(())
    }

    /// Checks that the element has distinct nodes and a positive Jacobian at every corner.
    fn check_shape(&self, number: usize) -> Result<(), MeshDefect> {
        let element = &self.elements[number];
        let mut sorted = element.nodes().to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(MeshDefect::of_element(number, "has the same node twice: it is degenerate", MESH_AGAIN));
        }
        let positions = self.positions(element);
        let lengths = element.kind.edges().iter().map(|&[a, b]| (positions[a] - positions[b]).norm());
        let longest = lengths.fold(0.0, f64::max);
        let scale = longest.powi(X::D as i32);
        for frame in element.kind.corner_frames() {
            let determinant = tangent_determinant::<X>(element.kind, &positions, frame) / scale;
            if determinant < -FLAT {
                let corner = positions[frame[0]].as_slice().to_vec();
                let what = format!("is inverted or intersects itself: negative Jacobian at its corner {corner:?}");
                return Err(MeshDefect::of_element(number, what, "list its nodes in the order of the format"));
            }
            if determinant.is_nan() || determinant <= FLAT {
                let what = format!("is degenerate: its volume is {determinant:.1e} of its longest edge's power");
                return Err(MeshDefect::of_element(number, what, MESH_AGAIN));
            }
        }
        Ok(())
    }
}

/// Determinant of the straight edges at a corner.
fn edge_determinant<X: Dim>(corners: &[X::Vector], frame: &[usize]) -> f64 {
    let mut edges = [X::Vector::zero(); 3];
    frame[1..].iter().zip(&mut edges).for_each(|(&k, edge)| *edge = corners[k] - corners[frame[0]]);
    X::determinant(&edges[..X::D])
}

/// Determinant of the tangents to the edges at a corner; those of quadratic edges are 4 middle - 3 start - end.
fn tangent_determinant<X: Dim>(kind: ElementKind, positions: &[X::Vector], frame: &[usize]) -> f64 {
    let start = positions[frame[0]];
    let mut tangents = [X::Vector::zero(); 3];
    for (&k, tangent) in frame[1..].iter().zip(&mut tangents) {
        let is_edge = |ends: &&[usize; 2]| ends.contains(&k) && ends.contains(&frame[0]);
        *tangent = match kind.edges().iter().position(|ends| is_edge(&ends)) {
            Some(edge) if kind.is_quadratic() => {
                let middle = positions[kind.corner_count() + edge];
                (middle - start) * 4.0 - (positions[k] - start)
            }
            Some(_) | None => positions[k] - start,
        };
    }
    X::determinant(&tangents[..X::D])
}

/// The element numbered the other way round.
fn mirrored(element: &Element) -> Element {
    let order: &[usize] = match element.kind {
        ElementKind::T3 => &[0, 2, 1],
        ElementKind::T6 => &[0, 2, 1, 5, 4, 3],
        ElementKind::Q4 => &[0, 3, 2, 1],
        ElementKind::Tet4 => &[0, 2, 1, 3],
        ElementKind::Tet10 => &[0, 2, 1, 3, 6, 5, 4, 7, 9, 8],
        ElementKind::Hex8 => &[4, 5, 6, 7, 0, 1, 2, 3],
    };
    let nodes: Vec<u32> = order.iter().map(|&k| element.nodes()[k]).collect();
    Element::new(element.kind, &nodes, element.group)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    fn defect(points: &[[f64; 2]], elements: &[(ElementKind, &[u32])]) -> String {
        let nodes = points.iter().map(|&p| Vector2::from(p)).collect();
        let elements = elements.iter().map(|(kind, nodes)| Element::new(*kind, nodes, Element::NO_GROUP)).collect();
        VolumeMesh::<Plane>::from_arrays(nodes, elements).check().unwrap_err().to_string()
    }

    const SQUARE: &[[f64; 2]] = &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

    #[test]
    fn elements_numbered_clockwise_are_turned_in_every_kind() {
        for kind in ElementKind::ALL {
            if kind.dimension() == 2 {
                let mut mesh = VolumeMesh::<Plane>::grid(Vector2::new(1.0, 1.0), &[2, 1], kind).unwrap();
                let good = mesh.clone();
                mesh.elements.iter_mut().for_each(|e| *e = mirrored(e));
                assert!(mesh.check().unwrap_err().what.contains("inverted"));
                mesh.orient();
                assert_eq!(mesh, good);
            } else {
                let mut mesh = VolumeMesh::<Space>::grid(Vector3::new(1.0, 1.0, 1.0), &[2, 1, 1], kind).unwrap();
                let good = mesh.clone();
                mesh.elements.iter_mut().for_each(|e| *e = mirrored(e));
                assert!(mesh.check().unwrap_err().what.contains("inverted"));
                mesh.orient();
                assert_eq!(mesh, good);
            }
        }
    }

    #[test]
    fn inverted_and_degenerate_elements_are_named() {
        let told = defect(SQUARE, &[(ElementKind::Q4, &[0, 1, 3, 2])]);
        assert!(told.starts_with("element 0: is inverted or intersects itself"), "{told}");
        let told = defect(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], &[(ElementKind::T3, &[0, 1, 2])]);
        assert!(told.starts_with("element 0: is degenerate"), "{told}");
        let told = defect(SQUARE, &[(ElementKind::T3, &[0, 1, 2]), (ElementKind::T3, &[0, 2, 2])]);
        assert!(told.starts_with("element 1: has the same node twice"), "{told}");
        let folded = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.8, 0.0], [0.5, 0.5], [0.0, 0.5]];
        let told = defect(&folded, &[(ElementKind::T6, &[0, 1, 2, 3, 4, 5])]);
        assert!(told.contains("negative Jacobian at its corner [1.0, 0.0]"), "{told}");
    }

    #[test]
    fn arrays_that_make_no_sense_are_refused() {
        assert!(defect(SQUARE, &[]).contains("no elements"));
        assert!(defect(SQUARE, &[(ElementKind::T3, &[0, 1, 7])]).contains("has node 7, of 4"));
        assert!(defect(SQUARE, &[(ElementKind::Tet4, &[0, 1, 2, 3])]).contains("TET4 in a mesh of 2"));
        assert!(defect(&[[0.0, f64::NAN]], &[(ElementKind::T3, &[0, 0, 0])]).contains("not finite"));
        assert!(defect(&[[1.0, 0.0]; 3], &[(ElementKind::T3, &[0, 1, 2])]).contains("extends over"));
    }
}
