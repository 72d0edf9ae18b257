//! Finite elements: meshes of deformable bodies, their elements, and the elastic operator of a body.
//!
//! [`mesh`] reads, generates and checks meshes; [`elastic`] assembles mass and stiffness, factors the matrix of a time
//! step once, and answers what the contact problem asks of a [`Deformable`](crate::body::Deformable) body.

pub mod elastic;
pub mod mesh;
