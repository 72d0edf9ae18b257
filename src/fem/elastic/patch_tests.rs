//! Facts about elements: constant strain is exact in distorted meshes, rigid motions have no strain.

use std::sync::Arc;

use nalgebra::Vector2;

use super::test_support::{STEEL, distort, grid};
use super::{ElasticFault, ElasticMaterial, ElasticMatrices, ElasticMesh, Formulations, PlaneState, SymmetricTensor};
use crate::body::Node;
use crate::dim::{Dim, Plane, Space, Square, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

const BOTH: [Formulations; 2] = [Formulations::COMPATIBLE, Formulations::INCOMPATIBLE];

fn meshes_of_the_plane() -> Vec<VolumeMesh<Plane>> {
    [ElementKind::T3, ElementKind::T6, ElementKind::Q4].map(|kind| grid(kind, &[4, 3], &[1.0, 0.8])).to_vec()
}

fn meshes_of_space() -> Vec<VolumeMesh<Space>> {
    let kinds = [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8];
    kinds.map(|kind| grid(kind, &[3, 2, 3], &[1.0, 0.7, 0.9])).to_vec()
}

/// Strain of the displacement u = A x with A_ij = `gradient(i, j)`, in the axes of the mesh.
fn strain_of<X: Dim>(gradient: impl Fn(usize, usize) -> f64) -> [f64; 6] {
    let place = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
    place.map(|(i, j)| if i.max(j) < X::D { 0.5 * (gradient(i, j) + gradient(j, i)) } else { 0.0 })
}

/// A distorted patch under a displacement that is linear in position: strain and stress are constant and those of the
/// closed form, forces act on the surface only.
fn passes<X: Dim>(mut mesh: VolumeMesh<X>, formulations: Formulations, plane: PlaneState) {
    distort(&mut mesh, 0.035);
    let kind = mesh.elements[0].kind;
    let matrices = ElasticMatrices::assemble(ElasticMesh::new(Arc::new(mesh), &[STEEL], plane, formulations).unwrap());
    let mesh = matrices.mesh().clone();
    let gradient = |i: usize, j: usize| 1e-4 * (1.0 + i as f64 - 0.7 * j as f64 + (i * j) as f64);
    let linear = |x: &X::Vector| X::Vector::from_fn(|i| (0..X::D).map(|j| gradient(i, j) * x[j]).sum());
    let displacements: Vec<X::Vector> = mesh.nodes.iter().map(linear).collect();
    let mut strain = strain_of::<X>(gradient);
    if plane == PlaneState::Stress && kind.dimension() == Plane::D {
        strain[2] = -0.3 / 0.7 * (strain[0] + strain[1]);
    }
    let expected = STEEL.stress(SymmetricTensor(strain));
    let (stress, found) = (matrices.elastic().stress(&displacements), matrices.elastic().strain(&displacements));
    for tensor in stress.elements.iter().chain(&stress.nodes) {
        assert!(tensor.plus(&expected.scaled(-1.0)).von_mises() < 1e-10 * expected.von_mises(), "{kind:?}: {tensor:?}");
    }
    for tensor in found.elements.iter().chain(&found.nodes) {
        assert!((0..6).all(|k| (tensor.0[k] - strain[k]).abs() < 1e-15), "{kind:?}: {tensor:?}");
    }
    let surface = mesh.surface().nodes;
    let force = |row: usize| {
        let view = matrices.stiffness().outer_view(row).unwrap();
        let parts = view.iter().map(|(column, block)| block.apply(displacements[column]));
        parts.fold(X::Vector::zero(), |sum, part| sum + part)
    };
    let largest = (0..mesh.nodes.len()).map(|row| force(row).norm()).fold(0.0, f64::max);
    let inner = (0..mesh.nodes.len()).filter(|row| !surface.contains(&(*row as u32)));
    let left = inner.map(|row| force(row).norm()).fold(0.0, f64::max);
    assert!(left < 1e-12 * largest, "{kind:?}: {left} of {largest}");
    assert!(matrices.elastic().inverted(&displacements).is_none());
}

#[test]
fn every_element_passes_the_patch_test_in_distorted_meshes() {
    for formulations in BOTH {
        for plane in [PlaneState::Strain, PlaneState::Stress] {
            meshes_of_the_plane().into_iter().for_each(|mesh| passes(mesh, formulations, plane));
        }
        meshes_of_space().into_iter().for_each(|mesh| passes(mesh, formulations, PlaneState::Strain));
    }
}

fn resists_no_rigid_motion<X: Dim>(mut mesh: VolumeMesh<X>, formulations: Formulations) {
    distort(&mut mesh, 0.035);
    let matrices = ElasticMatrices::assemble(
        ElasticMesh::new(Arc::new(mesh), &[STEEL], PlaneState::Strain, formulations).unwrap(),
    );
    let turn = X::Spin::from_fn(|k| 0.3 + k as f64);
    let motion = |x: &X::Vector| X::cross(turn, *x) + X::Vector::from_fn(|k| 1.0 - k as f64);
    let displacements: Vec<X::Vector> = matrices.mesh().nodes.iter().map(motion).collect();
    assert!(matrices.elastic().largest_strain(&displacements).strain < 1e-13);
    let at_rest = |displacement: X::Vector| Node::<X> { displacement, velocity: X::Vector::zero() };
    let nodes: Vec<Node<X>> = displacements.iter().map(|d| at_rest(*d)).collect();
    let strained: Vec<Node<X>> = displacements.iter().map(|d| at_rest(d.times(d))).collect();
    let (rigid, other) = (matrices.strain_energy(&nodes), matrices.strain_energy(&strained));
    assert!(rigid.abs() < 1e-13 * other, "{rigid} of {other}");
}

#[test]
fn rigid_motions_have_no_strain_and_no_energy() {
    for formulations in BOTH {
        meshes_of_the_plane().into_iter().for_each(|mesh| resists_no_rigid_motion(mesh, formulations));
        meshes_of_space().into_iter().for_each(|mesh| resists_no_rigid_motion(mesh, formulations));
    }
}

#[test]
fn an_element_that_displacements_turn_inside_out_is_named() {
    let mesh = grid::<Plane>(ElementKind::Q4, &[2, 2], &[1.0, 1.0]);
    let elastic = ElasticMesh::new(Arc::new(mesh), &[STEEL], PlaneState::Strain, Formulations::default()).unwrap();
    let mut displacements = vec![Vector2::zeros(); 9];
    // The last corner moves past the middle, inward.
    displacements[8] = Vector2::new(-0.4, -0.4);
    assert_eq!(elastic.inverted(&displacements), Some(3));
    displacements[8] = Vector2::new(-0.1, -0.1);
    assert_eq!(elastic.inverted(&displacements), None);
    let largest = elastic.largest_strain(&displacements);
    assert!(largest.element == 3 && largest.strain > 0.1);
}

fn fault<X: Dim>(mesh: VolumeMesh<X>, materials: &[ElasticMaterial]) -> String {
    ElasticMesh::new(Arc::new(mesh), materials, PlaneState::Strain, Formulations::default()).unwrap_err().to_string()
}

#[test]
fn meshes_and_materials_without_an_operator_are_refused_with_a_message() {
    let square = || grid::<Plane>(ElementKind::Q4, &[1, 1], &[1.0, 1.0]);
    let mut inverted = square();
    inverted.nodes.swap(0, 2);
    assert!(fault(inverted, &[STEEL]).contains("element 0 (Q4) is degenerate or inverted"));
    let mut flat = grid::<Plane>(ElementKind::T3, &[1, 1], &[1.0, 1.0]);
    flat.nodes.iter_mut().for_each(|p| p.y = 0.0);
    assert!(fault(flat, &[STEEL]).contains("(T3) is degenerate"));
    let mut loose = square();
    loose.nodes.push(Vector2::new(3.0, 3.0));
    assert_eq!(fault(loose, &[STEEL]), "node 4 belongs to no element: remove it from the mesh");
    let mut missing = square();
    missing.elements[0] = Element::new(ElementKind::Q4, &[0, 1, 2, 9], 0);
    assert!(fault(missing, &[STEEL]).contains("refers to node 9, but the mesh has 4 nodes"));
    assert!(fault(square(), &[STEEL, STEEL]).contains("2 elastic materials for 0 groups"));
    assert!(fault(square(), &[ElasticMaterial { poisson: 0.5, ..STEEL }]).contains("use 0.49"));
    assert_eq!(fault(VolumeMesh::<Plane>::default(), &[STEEL]), ElasticFault::Empty.to_string());
    let mut solid = square();
    solid.elements[0] = Element::new(ElementKind::Tet4, &[0, 1, 2, 3], 0);
    assert!(fault(solid, &[STEEL]).contains("a TET4, of dimension 3; the scene has 2 dimensions"));
}
