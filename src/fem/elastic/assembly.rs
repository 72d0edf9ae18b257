//! Mass, stiffness and damping of a mesh, without the length of a step.
//!
//! Matrices are sparse and refer to nodes: a mass is a number, a stiffness a block. Mass and stiffness have the same
//! pattern. C = b K + a M of each element.

use std::sync::Arc;

use sprs::CsMat;

use super::elastic_mesh::{ElasticMesh, ElementIntegrals};
use super::element_matrices::ElementStiffness;
use super::node_pattern::NodePattern;
use crate::dim::{Dim, Square, Vector};
use crate::fem::mesh::VolumeMesh;

/// A sparse matrix of numbers between nodes.
pub type NodeMatrix = CsMat<f64>;
/// A sparse matrix of blocks between nodes.
pub type BlockMatrix<X> = CsMat<<X as Dim>::Matrix>;

/// How a body in a mesh resists motion and deformation.
#[derive(Clone, Debug)]
pub struct ElasticMatrices<X: Dim> {
    elastic: Arc<ElasticMesh<X>>,
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
    /// Assembles the matrices of a mesh.
    pub fn assemble(elastic: Arc<ElasticMesh<X>>) -> Self {
        let mesh = elastic.mesh();
        let pattern = NodePattern::of(mesh);
        let block = X::D * X::D;
        let (mut mass, mut stiffness) = (vec![0.0; pattern.len()], vec![0.0; pattern.len() * block]);
        let uniform = elastic.uniform_damping();
        let mut damping = vec![0.0; if uniform.is_some() { 0 } else { pattern.len() * block }];
        for (index, element) in mesh.elements.iter().enumerate() {
            let own = elastic.material(element);
            let Ok(ElementIntegrals { unit_mass, gradients }) = elastic.integrals(index) else {
                unreachable!("the elements of an elastic mesh were checked when it was made")
            };
            let count = element.kind.node_count();
            let unit = ElementStiffness::new(&gradients, count, own.moduli(element.kind, elastic.plane()));
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
            None => DampingMatrix::Assembled(blocks(damping)),
        };
        let (mass, stiffness): (NodeMatrix, _) = (pattern.matrix(mass), blocks(stiffness));
        let moment = |row: sprs::CsVecView<'_, f64>| {
            row.iter().fold(X::Vector::zero(), |sum, (node, &mass)| sum + mesh.nodes[node] * mass)
        };
        let moments = mass.outer_iterator().map(moment).collect();
        Self { elastic, mass, moments, stiffness, damping }
    }

    /// Centrifugal force of a body that spins, N, from the product of mass and position.
    pub(super) fn centrifugal(&self, spin: X::Spin, moment: X::Vector) -> X::Vector {
        -X::cross(spin, X::cross(spin, moment))
    }

    /// The mesh.
    pub fn mesh(&self) -> &Arc<VolumeMesh<X>> {
        self.elastic.mesh()
    }

    /// The mesh with its materials.
    pub fn elastic(&self) -> &Arc<ElasticMesh<X>> {
        &self.elastic
    }

    /// Consistent mass between nodes, kg: the same for each component.
    pub fn mass(&self) -> &NodeMatrix {
        &self.mass
    }

    /// Stiffness between nodes, N/m.
    pub fn stiffness(&self) -> &BlockMatrix<X> {
        &self.stiffness
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
