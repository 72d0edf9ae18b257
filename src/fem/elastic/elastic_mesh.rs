//! A mesh with the elastic materials of its elements.

use std::sync::Arc;

use super::element_matrices::{GradientPoint, gradients_at, unit_mass};
use super::element_point::BadJacobian;
use super::fault::ElasticFault;
use super::formulation::Formulations;
use super::material::{ElasticMaterial, PlaneState};
use super::quadrature::stiffness_points;
use crate::dim::Dim;
use crate::fem::mesh::{Element, VolumeMesh};

/// A mesh whose elements all have the one material, or each that of its group, and no faults.
#[derive(Clone, Debug)]
pub struct ElasticMesh<X: Dim> {
    mesh: Arc<VolumeMesh<X>>,
    materials: Vec<ElasticMaterial>,
    plane: PlaneState,
    formulations: Formulations,
}

/// Integrals over an element from which its matrices follow.
pub(super) struct ElementIntegrals<X: Dim> {
    /// Products of shape functions, node by node.
    pub(super) unit_mass: Vec<f64>,
    /// Gradients of shape functions where the stiffness is integrated.
    pub(super) gradients: Vec<GradientPoint<X>>,
}

impl<X: Dim> ElasticMesh<X> {
    /// Checks all elements and materials.
    pub fn new(
        mesh: Arc<VolumeMesh<X>>,
        materials: &[ElasticMaterial],
        plane: PlaneState,
        formulations: Formulations,
    ) -> Result<Arc<Self>, ElasticFault> {
        check(&mesh, materials)?;
        let made = Self { mesh, materials: materials.to_vec(), plane, formulations };
        (0..made.mesh.elements.len()).try_for_each(|index| made.integrals(index).map(drop))?;
        Ok(Arc::new(made))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<VolumeMesh<X>> {
        &self.mesh
    }

    /// Plane strain or plane stress; without meaning in space.
    pub(super) fn plane(&self) -> PlaneState {
        self.plane
    }

    /// Formulations of the kinds of elements.
    pub(super) fn formulations(&self) -> Formulations {
        self.formulations
    }

    /// Material of an element.
    pub(super) fn material(&self, element: &Element) -> &ElasticMaterial {
        &self.materials[material_of(element, &self.materials)]
    }

    /// Damping coefficients b and a if they are the same everywhere.
    pub(super) fn uniform_damping(&self) -> Option<[f64; 2]> {
        let of = |element: &Element| {
            let material = self.material(element);
            [material.damping, material.mass_damping]
        };
        let first = of(self.mesh.elements.first()?);
        self.mesh.elements.iter().all(|element| of(element) == first).then_some(first)
    }

    /// Integrals over the element of this number.
    pub(super) fn integrals(&self, index: usize) -> Result<ElementIntegrals<X>, ElasticFault> {
        let element = &self.mesh.elements[index];
        let (kind, positions) = (element.kind, self.mesh.positions(element));
        let degenerate = |bad| degenerate(index, element, bad);
        let unit_mass = unit_mass::<X>(kind, &positions).map_err(degenerate)?;
        let modes = self.formulations.modes(kind);
        let gradients = gradients_at::<X>(kind, &positions, modes, stiffness_points(kind)).map_err(degenerate)?;
        Ok(ElementIntegrals { unit_mass, gradients })
    }
}

/// Index of the material of an element of a checked mesh.
pub(super) fn material_of(element: &Element, materials: &[ElasticMaterial]) -> usize {
    if materials.len() == 1 { 0 } else { element.group as usize }
}

/// Checks elements and the materials that they have.
pub(super) fn check<X: Dim>(mesh: &VolumeMesh<X>, materials: &[ElasticMaterial]) -> Result<(), ElasticFault> {
    if mesh.elements.is_empty() {
        return Err(ElasticFault::Empty);
    }
    let (count, groups, nodes) = (materials.len(), mesh.groups.len(), mesh.nodes.len());
    if count != 1 && count != groups {
        return Err(ElasticFault::MaterialCount { materials: count, groups });
    }
    for (index, element) in mesh.elements.iter().enumerate() {
        let (kind, found) = (element.kind.name(), element.kind.dimension());
        if found != X::D {
            return Err(ElasticFault::Dimension { element: index, kind, found, expected: X::D });
        }
        if let Some(&node) = element.nodes().iter().find(|&&node| node as usize >= nodes) {
            return Err(ElasticFault::MissingNode { element: index, node, nodes });
        }
        let own = material_of(element, materials);
        let material = materials.get(own).ok_or(ElasticFault::NoMaterial { element: index })?;
        material.check(own)?;
    }
    let mut has_element = vec![false; nodes];
    mesh.elements.iter().flat_map(|element| element.nodes()).for_each(|&node| has_element[node as usize] = true);
    let loose = has_element.iter().position(|has_element| !has_element);
    loose.map_or(Ok(()), |node| Err(ElasticFault::LooseNode { node }))
}

/// The fault of an element with a bad Jacobian.
pub(super) fn degenerate(index: usize, element: &Element, bad: BadJacobian) -> ElasticFault {
    let (kind, jacobian, expected) = (element.kind.name(), bad.determinant, bad.regular);
    ElasticFault::Degenerate { element: index, kind, jacobian, expected }
}
