//! Areas of the faces of a surface that its nodes stand for: the integrals of their shape functions.

use super::VolumeMesh;
use super::facets::ElementFace;
use crate::dim::{Dim, Vector};

/// Abscissa of the two Gauss points of an interval from -1 to 1.
const GAUSS: f64 = 0.577_350_269_189_625_8;

/// A face of the surface.
#[derive(Clone, Debug)]
pub struct NodalAreas<X: Dim> {
    /// Its nodes: corners, then nodes in the middle of edges.
    pub nodes: Vec<u32>,
    /// The integral of the shape function of each node times the outward normal, m2 (m in the plane).
    pub areas: Vec<X::Vector>,
}

impl<X: Dim> VolumeMesh<X> {
    /// The faces of the surface where the nodes are at these positions, in body or world axes. Quadratic faces count as
    /// straight: then the corners of a triangle have no area.
    pub fn nodal_areas(&self, positions: &[X::Vector]) -> Vec<NodalAreas<X>> {
        let of = |face: ElementFace| {
            let element = &self.elements[face.element as usize];
            let nodes: Vec<u32> = element.face_nodes(face.face as usize).collect();
            let places: Vec<X::Vector> = nodes.iter().map(|&node| positions[node as usize]).collect();
            let areas = areas::<X>(&places, element.kind.face_corner_count());
            NodalAreas { nodes, areas }
        };
        self.boundary_faces().into_iter().map(of).collect()
    }
}

/// Areas of the nodes of a face, of which the first `corners` are corners.
fn areas<X: Dim>(places: &[X::Vector], corners: usize) -> Vec<X::Vector> {
    if corners == 4 {
        return bilinear::<X>(places);
    }
    // In space the vector is that of a parallelogram, twice as large as the triangle.
    let whole = X::area_vector(&places[..corners]) * if X::HAS_DEPTH { 0.5 } else { 1.0 };
    let [corner, middle] = match (corners, places.len()) {
        (2, 3) => [1.0 / 6.0, 2.0 / 3.0],
        (3, 6) => [0.0, 1.0 / 3.0],
        (count, _) => [1.0 / count as f64, 0.0],
    };
    (0..places.len()).map(|k| whole * if k < corners { corner } else { middle }).collect()
}

/// Areas of the corners of a quadrilateral, which may be warped, by two Gauss points along each side.
fn bilinear<X: Dim>(places: &[X::Vector]) -> Vec<X::Vector> {
    const CORNERS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut areas = vec![X::Vector::zero(); 4];
    for [s, t] in CORNERS.map(|corner| corner.map(|x| x * GAUSS)) {
        let mut tangents = [X::Vector::zero(); 2];
        for (place, [a, b]) in places.iter().zip(CORNERS) {
            tangents[0] += *place * (0.25 * a * (1.0 + b * t));
            tangents[1] += *place * (0.25 * b * (1.0 + a * s));
        }
        let normal = X::area_vector(&[X::Vector::zero(), tangents[0], tangents[1]]);
        for (area, [a, b]) in areas.iter_mut().zip(CORNERS) {
            *area += normal * (0.25 * (1.0 + a * s) * (1.0 + b * t));
        }
    }
    areas
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::{ElementKind, MeshTarget};
    use nalgebra::{Vector2, Vector3};

    /// Areas of the nodes on the side of a block at the end of the last axis, sorted, and their sum.
    fn of_end<X: Dim>(half: X::Vector, kind: ElementKind, size: f64) -> (Vec<f64>, f64) {
        let mesh = VolumeMesh::<X>::block(half * 2.0, MeshTarget { size, kind }).unwrap();
        let last = X::D - 1;
        let mut areas = vec![0.0; mesh.nodes.len()];
        for face in mesh.nodal_areas(&mesh.nodes) {
            for (&node, area) in face.nodes.iter().zip(&face.areas) {
                areas[node as usize] += area[last].max(0.0);
            }
        }
        let at_end = |node: &X::Vector| node[last] > half[last] * (1.0 - 1e-9);
        let mut own: Vec<f64> = mesh.nodes.iter().zip(areas).filter(|(node, _)| at_end(node)).map(|(_, a)| a).collect();
        own.sort_by(f64::total_cmp);
        let sum = own.iter().sum();
        (own, sum)
    }

    #[test]
    fn nodes_stand_for_the_integrals_of_their_shape_functions() {
        let near = |(found, sum): (Vec<f64>, f64), expected: &[f64], total: f64| {
            assert!((sum - total).abs() < 1e-12, "{sum}");
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        };
        let half = Vector2::new(0.5, 0.5);
        near(of_end::<Plane>(half, ElementKind::Q4, 0.5), &[0.25, 0.25, 0.5], 1.0);
        near(of_end::<Plane>(half, ElementKind::T6, 1.0), &[1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0], 1.0);
        let half = Vector3::new(0.5, 0.5, 0.5);
        near(of_end::<Space>(half, ElementKind::Hex8, 1.0), &[0.25; 4], 1.0);
        let (found, sum) = of_end::<Space>(half, ElementKind::Tet10, 1.0);
        assert!((sum - 1.0).abs() < 1e-12);
        // The corners have no area.
        assert!(found[..4].iter().all(|area| area.abs() < 1e-12) && found[4] > 0.1, "{found:?}");
    }
}
