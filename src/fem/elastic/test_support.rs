//! Materials, meshes and steps that tests share.

use std::sync::Arc;

use sprs::{CsMat, TriMat};

use super::{
    ElasticBody, ElasticMaterial, ElasticMatrices, ElasticMesh, ElasticStep, Formulations, HeldNode, PlaneState,
};
use crate::body::{Deformable, NodalLoads, Node};
use crate::dim::{Dim, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

pub(super) const STEEL: ElasticMaterial =
    ElasticMaterial { density: 7800.0, young: 210e9, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };
pub(super) const STONE: ElasticMaterial =
    ElasticMaterial { density: 2500.0, young: 50e9, poisson: 0.3, damping: 0.0, mass_damping: 0.0 };

/// A box about the origin.
pub(super) fn grid<X: Dim>(kind: ElementKind, counts: &[usize], extent: &[f64]) -> VolumeMesh<X> {
    VolumeMesh::grid(X::Vector::read(extent), counts, kind).unwrap()
}

/// Moves all nodes by a smooth field of this size, so that elements are distorted.
pub(super) fn distort<X: Dim>(mesh: &mut VolumeMesh<X>, size: f64) {
    for node in &mut mesh.nodes {
        let p = *node;
        let wave = |k: usize| (0..X::D).map(|i| (7.0 * p[i] + (i + 2 * k) as f64).sin()).product::<f64>();
        *node += X::Vector::from_fn(wave) * size;
    }
}

/// The same elements in two groups, one with its centre at positive x.
pub(super) fn in_halves<X: Dim>(mut mesh: VolumeMesh<X>) -> VolumeMesh<X> {
    mesh.groups = vec![Default::default(), Default::default()];
    for k in 0..mesh.elements.len() {
        let Element { kind, .. } = mesh.elements[k];
        let first: f64 = mesh.positions(&mesh.elements[k]).iter().map(|p| p[0]).sum();
        let nodes = mesh.elements[k].nodes().to_vec();
        mesh.elements[k] = Element::new(kind, &nodes, u32::from(first > 0.0));
    }
    mesh
}

pub(super) fn matrices<X: Dim>(
    mesh: VolumeMesh<X>,
    material: ElasticMaterial,
    plane: PlaneState,
) -> ElasticMatrices<X> {
    let mesh = ElasticMesh::new(Arc::new(mesh), &[material], plane, Formulations::default());
    ElasticMatrices::assemble(mesh.unwrap())
}

/// An elastic body with its factor.
pub(super) fn prepared<X: Dim>(mesh: Arc<ElasticMesh<X>>, step: ElasticStep, held: &[HeldNode]) -> ElasticBody<X> {
    let body = ElasticBody::new(mesh, step, held).unwrap();
    assert!(body.prepare().unwrap());
    body
}

/// An elastic body in plane strain.
pub(super) fn body<X: Dim>(mesh: VolumeMesh<X>, materials: &[ElasticMaterial], h: f64, theta: f64) -> ElasticBody<X> {
    let mesh = ElasticMesh::new(Arc::new(mesh), materials, PlaneState::Strain, Formulations::default());
    prepared(mesh.unwrap(), ElasticStep { h, theta, centrifugal: true }, &[])
}

/// The same body without centrifugal forces.
pub(super) fn without_centrifugal<X: Dim>(body: &ElasticBody<X>) -> ElasticBody<X> {
    let step = ElasticStep { centrifugal: false, ..body.step() };
    prepared(body.elastic().clone(), step, &[])
}

/// A vector of numbers between -1 and 1 without pattern.
pub(super) fn noise<X: Dim>(count: usize, seed: f64) -> Vec<X::Vector> {
    let number = |k: usize| (12.9898 * (k as f64 + seed)).sin() * 43_758.545;
    (0..count).map(|a| X::Vector::from_fn(|i| 2.0 * number(3 * a + i).rem_euclid(1.0) - 1.0)).collect()
}

/// Elastic motion of this size: W times noise, which has no rigid part.
pub(super) fn elastic_noise<X: Dim>(body: &ElasticBody<X>, size: f64, seed: f64) -> Vec<X::Vector> {
    let mut motion = vec![X::Vector::zero(); body.nodes()];
    let pushes: Vec<(u32, X::Vector)> =
        noise::<X>(body.nodes(), seed).into_iter().enumerate().map(|(k, p)| (k as u32, p)).collect();
    body.respond(&pushes, &mut motion);
    let largest = motion.iter().map(|v| v.norm()).fold(0.0, f64::max);
    motion.iter().map(|v| *v * (size / largest)).collect()
}

/// The nodes after a step with these loads and impulses.
pub(super) fn step<X: Dim>(
    body: &ElasticBody<X>,
    nodes: &[Node<X>],
    loads: &NodalLoads<'_, X>,
    impulses: &[(u32, X::Vector)],
) -> Vec<Node<X>> {
    let ElasticStep { h, theta, .. } = body.step();
    let mut velocities = vec![X::Vector::zero(); nodes.len()];
    body.predict(nodes, loads, &mut velocities);
    body.respond(impulses, &mut velocities);
    let moved = |(node, velocity): (&Node<X>, X::Vector)| Node {
        displacement: node.displacement + (node.velocity * (1.0 - theta) + velocity * theta) * h,
        velocity,
    };
    nodes.iter().zip(velocities).map(moved).collect()
}

/// Displacements of a body at rest under loads, by a few long implicit steps.
pub(super) fn settle<X: Dim>(body: &ElasticBody<X>, loads: &NodalLoads<'_, X>) -> Vec<X::Vector> {
    assert_eq!(body.step().theta, 1.0);
    let mut nodes = vec![Node::zero(); body.nodes()];
    for _ in 0..8 {
        nodes = step(body, &nodes, loads, &[]);
    }
    nodes.iter().map(|node| node.displacement).collect()
}

/// The rows and columns of a matrix for which `keep` holds.
pub(super) fn reduced(matrix: &CsMat<f64>, keep: &[bool]) -> CsMat<f64> {
    let mut places = Vec::new();
    let mut count = 0;
    for &kept in keep {
        places.push(count);
        count += usize::from(kept);
    }
    let mut triplets = TriMat::new((count, count));
    for (entry, (row, column)) in matrix.iter() {
        if keep[row] && keep[column] {
            triplets.add_triplet(places[row], places[column], *entry);
        }
    }
    triplets.to_csr()
}
