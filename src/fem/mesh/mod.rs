//! Meshes of finite elements: nodes, elements, and named groups of them.

mod check;
mod conformity;
mod face_areas;
mod facets;
mod fault;
mod generate;
mod overlap;
mod point_tree;
mod quality;
mod read;

pub use face_areas::NodalAreas;
pub use fault::{MeshDefect, VolumeMeshFault};
pub use generate::{MeshTarget, MeshingFault};
pub use quality::MeshQuality;

pub use crate::contactor::volume_mesh::{Element, ElementKind, MeshGroup, NODES_OF_AN_ELEMENT, VolumeMesh};
use crate::dim::{Dim, Vector};

impl<X: Dim> VolumeMesh<X> {
    /// Lower and upper corner of the bounding box.
    pub fn bounds(&self) -> (X::Vector, X::Vector) {
        let min = self.nodes.iter().fold(X::Vector::from_fn(|_| f64::INFINITY), |min, p| min.lower(p));
        let max = self.nodes.iter().fold(X::Vector::from_fn(|_| f64::NEG_INFINITY), |max, p| max.upper(p));
        (min, max)
    }

    /// Removes nodes that belong to no element and numbers the others again, in the same order; groups follow.
    pub fn drop_unused_nodes(&mut self) {
        let mut new_number = vec![u32::MAX; self.nodes.len()];
        for element in &self.elements {
            for &node in element.nodes() {
                new_number[node as usize] = 0;
            }
        }
        let mut kept = Vec::with_capacity(self.nodes.len());
        for (number, &node) in new_number.iter_mut().zip(&self.nodes) {
            if *number == 0 {
                *number = kept.len() as u32;
                kept.push(node);
            }
        }
        self.nodes = kept;
        let renumbered = |node: u32| Some(new_number[node as usize]).filter(|&new| new != u32::MAX);
        for element in &mut self.elements {
            let nodes: Vec<u32> = element.nodes().iter().filter_map(|&node| renumbered(node)).collect();
            *element = Element::new(element.kind, &nodes, element.group);
        }
        for group in &mut self.groups {
            group.nodes = group.nodes.iter().filter_map(|&node| renumbered(node)).collect();
            let renumbered_face = |face: &Vec<u32>| face.iter().map(|&node| renumbered(node)).collect();
            group.faces = group.faces.iter().filter_map(renumbered_face).collect();
        }
    }
}
