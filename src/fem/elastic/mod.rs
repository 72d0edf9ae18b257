//! Linear elasticity in the axes of a body: elements, matrices, and the operator of a body in a step.
//!
//! The motion of a deformable body is a rigid motion and displacements d with velocities e relative to it, in body
//! axes; these are orthogonal to rigid motions G in the sense of the mass: G'Md = G'Me = 0. [`ElasticMatrices`] hold M,
//! K and C of a mesh; [`ElasticBody`] factors A = M + theta h C + theta^2 h^2 K for one step length and answers with
//! W = A^-1 - G (G'MG)^-1 G'.

mod assembly;
mod body_axes;
mod dissection;
mod elastic_body;
mod elastic_energy;
mod elastic_mesh;
mod element_matrices;
mod element_point;
mod fault;
mod formulation;
mod material;
mod node_pattern;
mod products;
mod quadrature;
mod recovery;
mod rigid_modes;
mod shape_functions;
mod sparse_factor;
mod step_operator;
mod symmetric_tensor;

#[cfg(test)]
mod cantilever_tests;
#[cfg(test)]
mod disk_tests;
#[cfg(test)]
mod held_tests;
#[cfg(test)]
mod patch_tests;
#[cfg(test)]
mod test_support;

pub use assembly::{BlockMatrix, DampingMatrix, ElasticMatrices, NodeMatrix};
pub use body_axes::{CentredMesh, in_body_axes};
pub use elastic_body::{ElasticBody, ElasticStep, HeldNode};
pub use elastic_energy::ElasticDissipation;
pub use elastic_mesh::ElasticMesh;
pub use fault::ElasticFault;
pub use formulation::{Formulation, Formulations};
pub use material::{ElasticMaterial, PlaneState};
pub use recovery::{LargestStrain, TensorField};
pub use sparse_factor::SparseFactor;
pub use symmetric_tensor::SymmetricTensor;
