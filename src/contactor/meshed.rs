//! The shape of a body with a mesh of finite elements: its undeformed state.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::MassProperties;
use super::surface::{Surface, SurfaceFacet};
use super::volume_mesh::VolumeMesh;
use crate::dim::{Dim, Orientation, Vector};

/// How far nodes may move from their undeformed places, over the extent of the body: its bounding box is larger by as
/// much.
pub const MOST_DISPLACED: f64 = 0.1;

/// A mesh as a shape, about its centre of mass in principal axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MeshedShape<X: Dim> {
    /// Name of the key in scenes.
    pub name: Cow<'static, str>,
    /// Nodes and elements.
    pub mesh: VolumeMesh<X>,
    /// Its surface.
    pub surface: Surface,
    /// Material of the elements of each group, and at last of those without one: indices into the table of materials.
    pub materials: Vec<u32>,
    /// Is a body in the plane a thin sheet, without stress across it?
    pub is_sheet: bool,
    /// Nodes that are held, increasing, and the axes along which they are: the body does not move as a whole.
    pub held: Vec<(u32, [bool; 3])>,
    /// Mass of the finite elements, kg.
    pub weight: f64,
    /// Mass properties of the finite element mass.
    pub mass: MassProperties<X>,
    /// Largest distance of a node from the centre, m.
    pub reach: f64,
    /// Least distance of the surface from the centre, m.
    pub radius: f64,
}

impl<X: Dim> MeshedShape<X> {
    /// The shape of a mesh in its own axes; `weight` and `mass` are those of its finite element mass.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        mesh: VolumeMesh<X>,
        surface: Surface,
        materials: Vec<u32>,
        (weight, mass): (f64, MassProperties<X>),
        is_sheet: bool,
    ) -> Self {
        let distances = surface.nodes.iter().map(|&node| mesh.nodes[node as usize].norm());
        let (least, reach) = distances.fold((f64::INFINITY, 0.0f64), |(least, most), d| (least.min(d), most.max(d)));
        let middle = |facet: &SurfaceFacet| {
            let corners = facet.nodes();
            let sum = corners.iter().fold(X::Vector::zero(), |sum, &node| sum + mesh.nodes[node as usize]);
            (sum * (1.0 / corners.len() as f64)).norm()
        };
        let radius = surface.facets.iter().map(middle).fold(least, f64::min);
        let held = Vec::new();
        Self { name: name.into(), mesh, surface, materials, is_sheet, held, weight, mass, reach, radius }
    }

    /// The same mesh rotated, with these nodes held.
    pub fn held_in(mut self, axes: &X::Orientation, held: Vec<(u32, [bool; 3])>) -> Self {
        self.mesh.nodes.iter_mut().for_each(|node| *node = axes.rotate(*node));
        Self { held, ..self }
    }

    /// Numbers that, together with the name, define the shape.
    pub(super) fn numbers(&self) -> Vec<f64> {
        let nodes = self.mesh.nodes.iter().flat_map(|node| node.as_slice().to_vec());
        let kinds = self.mesh.elements.iter().map(|element| f64::from(element.kind as u32));
        let elements = self.mesh.elements.iter().flat_map(|element| element.nodes().iter().chain([&element.group]));
        let materials = self.materials.iter().chain(elements).map(|&number| f64::from(number));
        let held = |(node, axes): &(u32, [bool; 3])| [*node].into_iter().chain(axes.map(u32::from)).map(f64::from);
        let held = self.held.iter().flat_map(held);
        nodes.chain(kinds).chain(materials).chain(held).chain([f64::from(u8::from(self.is_sheet))]).collect()
    }

    /// Is a point of the undeformed body, or no farther than `margin` outside of it? By the side of the nearest facet.
    pub fn holds(&self, point: X::Vector, margin: f64) -> bool {
        let mut nearest = (f64::INFINITY, f64::INFINITY);
        for facet in &self.surface.facets {
            let corners: Vec<X::Vector> = facet.nodes().iter().map(|&node| self.mesh.nodes[node as usize]).collect();
            let middle = corners.iter().fold(X::Vector::zero(), |sum, c| sum + *c) * (1.0 / corners.len() as f64);
            let normal = X::area_vector(&corners);
            let height = normal.dot(&(point - middle)) / normal.norm().max(f64::MIN_POSITIVE);
            let distance = (point - middle).norm();
            if distance < nearest.0 {
                nearest = (distance, height);
            }
        }
        nearest.1 <= margin
    }

    /// Greatest distance of a deformed node from the centre, m.
    pub fn deformed_reach(&self) -> f64 {
        self.reach * (1.0 + MOST_DISPLACED)
    }
}
