//! Strain and stress from displacements of nodes, and elements that these turn inside out.
//!
//! An element has the strain of its sampling points, incompatible modes included; they are averaged over the element,
//! and extrapolated to its nodes, where the elements of a node are averaged by volume.

use super::elastic_mesh::ElasticMesh;
use super::element_matrices::{ElementStiffness, GradientPoint, gradients_at};
use super::element_point::jacobian_at;
use super::quadrature::{sampling_points, sampling_scale, stiffness_points};
use super::shape_functions::{ShapeFunctions, centre, node_position};
use super::symmetric_tensor::SymmetricTensor;
use crate::dim::Dim;
use crate::fem::mesh::{Element, ElementKind};

/// A strain, or a stress in Pa, in a mesh; in body axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TensorField {
    /// Mean of each element.
    pub elements: Vec<SymmetricTensor>,
    /// Volume of each element, m3 (m2 in the plane).
    pub volumes: Vec<f64>,
    /// At each node.
    pub nodes: Vec<SymmetricTensor>,
}

/// The largest strain in a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestStrain {
    /// Absolute value of the principal strain.
    pub strain: f64,
    /// The element in which it occurs.
    pub element: usize,
}

impl<X: Dim> ElasticMesh<X> {
    /// Strain at these displacements of nodes.
    pub fn strain(&self, displacements: &[X::Vector]) -> TensorField {
        self.field(displacements, |_, strain| strain)
    }

    /// Stress at these displacements of nodes, Pa.
    pub fn stress(&self, displacements: &[X::Vector]) -> TensorField {
        self.field(displacements, |element, strain| self.material(element).stress(strain))
    }

    /// The largest principal strain at a sampling point of any element.
    pub fn largest_strain(&self, displacements: &[X::Vector]) -> LargestStrain {
        let mut largest = LargestStrain::default();
        for (index, element) in self.mesh().elements.iter().enumerate() {
            for (strain, _) in self.strains(element, displacements) {
                let [first, _, third] = strain.principal();
                let strain = first.abs().max(third.abs());
                if strain > largest.strain {
                    largest = LargestStrain { strain, element: index };
                }
            }
        }
        largest
    }

    /// The first element that these displacements turn inside out: its Jacobian at a node or a stiffness point is not
    /// positive.
    pub fn inverted(&self, displacements: &[X::Vector]) -> Option<usize> {
        let is_inverted = |element: &Element| {
            let kind = element.kind;
            let moved = |&node: &u32| self.mesh().nodes[node as usize] + displacements[node as usize];
            let positions: Vec<X::Vector> = element.nodes().iter().map(moved).collect();
            let nodes = (0..kind.node_count()).map(|node| node_position(kind, node));
            let mut points = stiffness_points(kind).into_iter().map(|(point, _)| point).chain(nodes);
            !points.all(|point| jacobian_at::<X>(kind, &positions, point) > 0.0)
        };
        self.mesh().elements.iter().position(is_inverted)
    }

    fn field(
        &self,
        displacements: &[X::Vector],
        quantity: impl Fn(&Element, SymmetricTensor) -> SymmetricTensor,
    ) -> TensorField {
        let nodes = vec![SymmetricTensor::default(); displacements.len()];
        let mut field = TensorField { nodes, ..TensorField::default() };
        let mut shares = vec![0.0; displacements.len()];
        for element in &self.mesh().elements {
            let samples = self.strains(element, displacements);
            let volume: f64 = samples.iter().map(|(_, volume)| volume).sum();
            let samples: Vec<_> = samples.into_iter().map(|(strain, part)| (quantity(element, strain), part)).collect();
            let sum = samples.iter().fold(SymmetricTensor::default(), |sum, (tensor, v)| sum.plus(&tensor.scaled(*v)));
            field.elements.push(sum.scaled(1.0 / volume));
            field.volumes.push(volume);
            for (k, &node) in element.nodes().iter().enumerate() {
                let tensor = at_node(element.kind, k, &samples);
                field.nodes[node as usize] = field.nodes[node as usize].plus(&tensor.scaled(volume));
                shares[node as usize] += volume;
            }
        }
        for (tensor, share) in field.nodes.iter_mut().zip(shares) {
            *tensor = tensor.scaled(1.0 / share);
        }
        field
    }

    /// Strain at the sampling points of an element, and the volumes that these stand for.
    fn strains(&self, element: &Element, displacements: &[X::Vector]) -> Vec<(SymmetricTensor, f64)> {
        let (kind, positions) = (element.kind, self.mesh().positions(element));
        let modes = self.formulations().modes(kind);
        // Assembly found no bad Jacobian in this element, so there is none now.
        let samples = gradients_at::<X>(kind, &positions, modes, sampling_points(kind)).unwrap_or_default();
        let mut own: Vec<X::Vector> = element.nodes().iter().map(|&node| displacements[node as usize]).collect();
        let material = self.material(element);
        if modes > 0 {
            let stiffness = ElementStiffness::new(&samples, own.len(), material.moduli(kind, self.plane()));
            own = stiffness.with_modes::<X>(&own);
        }
        let strain = |GradientPoint { gradients, volume }: &GradientPoint<X>| {
            let strain = SymmetricTensor::strain::<X>(gradients, |a| own[a]);
            (material.complete(kind, self.plane(), strain), *volume)
        };
        samples.iter().map(strain).collect()
    }
}

/// Extrapolates from the sampling points, which lie on the lines from the centre to the corners.
fn at_node(kind: ElementKind, node: usize, samples: &[(SymmetricTensor, f64)]) -> SymmetricTensor {
    if let [(only, _)] = samples {
        return *only;
    }
    let (point, centre, scale) = (node_position(kind, node), centre(kind), sampling_scale(kind));
    let beyond = std::array::from_fn(|k| centre[k] + scale * (point[k] - centre[k]));
    let weights = ShapeFunctions::at(kind.linear(), beyond).values;
    let parts = samples.iter().zip(weights).map(|((tensor, _), weight)| tensor.scaled(weight));
    parts.fold(SymmetricTensor::default(), |sum, part| sum.plus(&part))
}
