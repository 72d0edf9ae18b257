//! Disks of quadrilaterals and spheres of hexahedra: a rounded box of cells in a shell of layers.
//!
//! Each face on the surface of the box is the base of one cell in every layer; the nodes of the layers lie on lines
//! from the box to the sphere.

use crate::dim::{Dim, Vector};
use crate::fem::mesh::facets::ElementFace;
use crate::fem::mesh::{Element, VolumeMesh};

use super::{MeshTarget, MeshingFault};

/// Half an edge of the box, relative to the radius.
const CORE: f64 = 0.4;
/// Length, relative to the radius, that is divided into cells of the target size along an edge of the box: between the
/// edge itself (0.8) and the arc over it (1.57).
const EDGE: f64 = 1.1;
/// Thickness of the shell, relative to the radius, for the number of layers.
const SHELL: f64 = 0.55;
/// By how much the box is rounded: 0 for a box, 1 for a ball.
const ROUNDING: f64 = 0.5;

/// A disk or a sphere about the origin.
pub(super) fn ball_of_bricks<X: Dim>(radius: f64, target: MeshTarget) -> Result<VolumeMesh<X>, MeshingFault> {
    let core = CORE * radius;
    let count = target.intervals(EDGE * radius).max(2);
    let layers = target.intervals(SHELL * radius);
    let mut mesh = VolumeMesh::<X>::grid(X::Vector::from_fn(|_| 2.0 * core), &vec![count; X::D], target.kind)?;
    mesh.nodes.iter_mut().for_each(|node| *node = rounded(*node, core));
    let nodes_of = |face: ElementFace| -> Vec<u32> {
        mesh.elements[face.element as usize].face_nodes(face.face as usize).collect()
    };
    let faces: Vec<Vec<u32>> = mesh.boundary_faces().into_iter().map(nodes_of).collect();
    let mut surface: Vec<u32> = faces.iter().flatten().copied().collect();
    surface.sort_unstable();
    surface.dedup();
    let first = mesh.nodes.len();
    for layer in 1..=layers {
        let share = layer as f64 / layers as f64;
        for &node in &surface {
            let from = mesh.nodes[node as usize];
            let end = direction_on_ball(from) * radius;
            mesh.nodes.push(if layer == layers { end } else { from * (1.0 - share) + end * share });
        }
    }
    let in_layer = |node: u32, layer: usize| match (layer, surface.binary_search(&node)) {
        (1.., Ok(place)) => (first + (layer - 1) * surface.len() + place) as u32,
        (0, _) | (_, Err(_)) => node,
    };
    for layer in 0..layers {
        for face in &faces {
            let base: Vec<u32> = face.iter().map(|&node| in_layer(node, layer)).collect();
            let top: Vec<u32> = face.iter().map(|&node| in_layer(node, layer + 1)).collect();
            mesh.elements.push(Element::new(target.kind, &joined(&base, &top), Element::NO_GROUP));
        }
    }
    Ok(mesh)
}

/// The nodes of the cell between a face and its copy farther out.
fn joined(base: &[u32], top: &[u32]) -> Vec<u32> {
    match (base, top) {
        // The body is on the left of an edge from a to b, the new cell on its right.
        (&[a, b], &[c, d]) => vec![b, a, c, d],
        _ => [base, top].concat(),
    }
}

fn largest_component<V: Vector>(node: V) -> f64 {
    node.as_slice().iter().fold(0.0, |max: f64, x| max.max(x.abs()))
}

/// Brings nodes near the corners of the box closer to the centre, so that cells there are less skewed.
fn rounded<V: Vector>(node: V, core: f64) -> V {
    let largest = largest_component(node);
    if largest == 0.0 {
        return node;
    }
    node * (1.0 + ROUNDING * (largest / node.norm() - 1.0) * (largest / core))
}

/// The direction that belongs to a node on the surface of the box: equal angles along each edge.
fn direction_on_ball<V: Vector>(node: V) -> V {
    let largest = largest_component(node);
    let equal_angles = V::from_fn(|k| (node[k] / largest * std::f64::consts::FRAC_PI_4).tan());
    equal_angles * (1.0 / equal_angles.norm())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::ElementKind;

    #[test]
    fn cells_fill_the_ball_and_come_close_to_its_volume() {
        let disk = ball_of_bricks::<Plane>(1.0, MeshTarget { size: 0.1, kind: ElementKind::Q4 }).unwrap();
        disk.check().unwrap();
        assert!((disk.measure() / Plane::unit_ball() - 1.0).abs() < 1e-2);
        let sphere = ball_of_bricks::<Space>(1.0, MeshTarget { size: 0.2, kind: ElementKind::Hex8 }).unwrap();
        sphere.check().unwrap();
        assert!((sphere.measure() / Space::unit_ball() - 1.0).abs() < 4e-2, "{}", sphere.measure());
    }
}
