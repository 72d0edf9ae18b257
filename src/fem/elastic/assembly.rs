//! Mass, stiffness and damping of a mesh, without the length of a step.
//!
//! Matrices are sparse and refer to nodes: a mass is a number, a stiffness a block. Mass and stiffness have the same
//! pattern. C = b K + a M of each element.

use std::sync::Arc;

use sprs::CsMat;

use super::element_matrices::{ElementStiffness, gradients_at, unit_mass};
use super::element_point::BadJacobian;
use super::fault::ElasticFault;
use super::formulation::Formulations;
use super::material::{ElasticMaterial, PlaneState};
use super::node_pattern::NodePattern;
use super::quadrature::stiffness_points;
use crate::dim::{Dim, Square, Vector};
use crate::fem::mesh::{Element, VolumeMesh};

/// A sparse matrix of numbers between nodes.
pub type NodeMatrix = CsMat<f64>;
/// A sparse matrix of blocks between nodes.
pub type BlockMatrix<X> = CsMat<<X as Dim>::Matrix>;

/// How a body in a mesh resists motion and deformation.
#[derive(Clone, Debug)]
pub struct ElasticMatrices<X: Dim> {
    pub(super) mesh: Arc<VolumeMesh<X>>,
    materials: Vec<ElasticMaterial>,
    pub(super) plane: PlaneState,
    pub(super) formulations: Formulations,
    pub(super) mass: NodeMatrix,
    /// The product of the mass and the positions of nodes, kg m.
    pub(super) moments: Vec<X::Vector>,
    pub(super) stiffness: BlockMatrix<X>,
    pub(super) damping: DampingMatrix<X>,
}

/// The damping matrix C.
#[derive(Clone, Debug)]
pub enum DampingMatrix<X: Dim> {
    /// b K + a M with the same coefficients everywhere.
    Proportional {
        /// b, s.
        stiffness: f64,
        /// a, 1/s.
        mass: f64,
    },
    /// Materials differ.
    Assembled(BlockMatrix<X>),
}

impl<X: Dim> ElasticMatrices<X> {
    /// Assembles the matrices of a mesh whose elements all have the one material, or each that of its group.
    pub fn assemble(
        mesh: Arc<VolumeMesh<X>>,
        materials: &[ElasticMaterial],
        plane: PlaneState,
        formulations: Formulations,
    ) -> Result<Self, ElasticFault> {
        check(&mesh, materials)?;
        let pattern = NodePattern::of(&mesh)?;
        let block = X::D * X::D;
        let (mut mass, mut stiffness) = (vec![0.0; pattern.len()], vec![0.0; pattern.len() * block]);
        let uniform = uniform_damping(&mesh, materials);
        let mut damping = vec![0.0; if uniform.is_some() { 0 } else { pattern.len() * block }];
        for (index, element) in mesh.elements.iter().enumerate() {
            let own = &materials[material_of(element, materials)];
            let positions = mesh.positions(element);
            let degenerate = |bad| degenerate(index, element, bad);
            let unit_mass = unit_mass::<X>(element.kind, &positions).map_err(degenerate)?;
            let modes = formulations.modes(element.kind);
            let samples = gradients_at::<X>(element.kind, &positions, modes, stiffness_points(element.kind))
                .map_err(degenerate)?;
            let count = element.kind.node_count();
            let unit = ElementStiffness::new(&samples, count, own.moduli(element.kind, plane));
            for (a, &row) in element.nodes().iter().enumerate() {
                for (b, &column) in element.nodes().iter().enumerate() {
                    let place = pattern.place(row, column);
                    let inertia = own.density * unit_mass[a * count + b];
                    mass[place] += inertia;
                    for k in 0..block {
                        let (i, j) = (k / X::D, k % X::D);
                        let entry = unit.entry::<X>([a, i], [b, j]);
                        stiffness[place * block + k] += entry;
                        if let Some(damping) = damping.get_mut(place * block + k) {
                            *damping += own.damping * entry + if i == j { own.mass_damping * inertia } else { 0.0 };
                        }
                    }
                }
            }
        }
        let blocks = |numbers: Vec<f64>| {
            let blocks = numbers.chunks(block).map(|b| X::Matrix::from_fn(|i, j| b[i * X::D + j])).collect();
            pattern.matrix(blocks)
        };
        let damping = match uniform {
            Some([stiffness, mass]) => DampingMatrix::Proportional { stiffness, mass },
            None => DampingMatrix::Assembled(blocks(damping)?),
        };
        let (mass, stiffness): (NodeMatrix, _) = (pattern.matrix(mass)?, blocks(stiffness)?);
        let moment = |row: sprs::CsVecView<'_, f64>| {
            row.iter().fold(X::Vector::zero(), |sum, (node, &mass)| sum + mesh.nodes[node] * mass)
        };
        let moments = mass.outer_iterator().map(moment).collect();
        Ok(Self { mesh, materials: materials.to_vec(), plane, formulations, mass, moments, stiffness, damping })
    }

    /// Centrifugal force of a body that spins, N, from the product of mass and position.
    pub(super) fn centrifugal(&self, spin: X::Spin, moment: X::Vector) -> X::Vector {
        -X::cross(spin, X::cross(spin, moment))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<VolumeMesh<X>> {
        &self.mesh
    }

    /// Consistent mass between nodes, kg: the same for each component.
    pub fn mass(&self) -> &NodeMatrix {
        &self.mass
    }

    /// Stiffness between nodes, N/m.
    pub fn stiffness(&self) -> &BlockMatrix<X> {
        &self.stiffness
    }

    /// Material of an element.
    pub(super) fn material(&self, element: &Element) -> &ElasticMaterial {
        &self.materials[material_of(element, &self.materials)]
    }

    /// Bytes of the matrices.
    pub fn bytes(&self) -> usize {
        let blocks = match &self.damping {
            DampingMatrix::Proportional { .. } => 1,
            DampingMatrix::Assembled(_) => 2,
        };
        self.mass.nnz() * (size_of::<f64>() + size_of::<usize>())
            + blocks * self.stiffness.nnz() * (size_of::<X::Matrix>() + size_of::<usize>())
    }
}

/// Damping coefficients b and a if they are the same everywhere.
fn uniform_damping<X: Dim>(mesh: &VolumeMesh<X>, materials: &[ElasticMaterial]) -> Option<[f64; 2]> {
    let of = |element: &Element| {
        let material = &materials[material_of(element, materials)];
        [material.damping, material.mass_damping]
    };
    let first = of(mesh.elements.first()?);
    mesh.elements.iter().all(|element| of(element) == first).then_some(first)
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
    Ok(())
}

/// The fault of an element with a bad Jacobian.
pub(super) fn degenerate(index: usize, element: &Element, bad: BadJacobian) -> ElasticFault {
    let (kind, jacobian, expected) = (element.kind.name(), bad.determinant, bad.regular);
    ElasticFault::Degenerate { element: index, kind, jacobian, expected }
}
