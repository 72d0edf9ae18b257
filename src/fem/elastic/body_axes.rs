//! Mass, centre and moments of inertia of a mesh, from its consistent mass matrix, and the mesh in its principal axes.
//!
//! With X the positions of nodes, m = sum_ab M_ab, m c = sum_ab M_ab X_b, and the second moments are sum_ab M_ab X_a
//! X_b'. The rigid motion of a deformable body has exactly this mass, so that it is orthogonal to the elastic one.

use super::elastic_mesh::{check, degenerate, material_of};
use super::element_matrices::unit_mass;
use super::fault::ElasticFault;
use super::material::ElasticMaterial;
use crate::contactor::MassProperties;
use crate::dim::{Dim, Orientation, Vector};
use crate::fem::mesh::VolumeMesh;

/// A mesh with its centre of mass at the origin and its principal axes along the axes.
#[derive(Clone, Debug)]
pub struct CentredMesh<X: Dim> {
    /// The mesh.
    pub mesh: VolumeMesh<X>,
    /// Mass, kg.
    pub mass: f64,
    /// Volume, centre and orientation in the frame of the mesh that was given, and moments of inertia per unit mass.
    pub properties: MassProperties<X>,
}

/// Moves a mesh to its centre of mass and principal axes. There is one material for all elements or one for each group.
pub fn in_body_axes<X: Dim>(
    mesh: &VolumeMesh<X>,
    materials: &[ElasticMaterial],
) -> Result<CentredMesh<X>, ElasticFault> {
    let (mass, properties) = mass_properties(mesh, materials)?;
    let mut centred = mesh.clone();
    for node in &mut centred.nodes {
        *node = properties.orientation.unrotate(*node - properties.centre);
    }
    Ok(CentredMesh { mesh: centred, mass, properties })
}

/// Mass (kg) of the elements, and volume, centre, principal axes and moments of inertia per unit mass.
fn mass_properties<X: Dim>(
    mesh: &VolumeMesh<X>,
    materials: &[ElasticMaterial],
) -> Result<(f64, MassProperties<X>), ElasticFault> {
    check(mesh, materials)?;
    let sum = mesh.nodes.iter().fold(X::Vector::zero(), |sum, node| sum + *node);
    let apex = sum * (1.0 / mesh.nodes.len() as f64);
    let (mut volume, mut mass, mut first) = (0.0, 0.0, X::Vector::zero());
    let mut second = vec![0.0; X::D * X::D];
    for (index, element) in mesh.elements.iter().enumerate() {
        let density = materials[material_of(element, materials)].density;
        let arms: Vec<X::Vector> = mesh.positions(element).iter().map(|p| *p - apex).collect();
        let parts = unit_mass::<X>(element.kind, &arms).map_err(|bad| degenerate(index, element, bad))?;
        for (k, part) in parts.iter().enumerate() {
            let (a, b) = (k / arms.len(), k % arms.len());
            volume += part;
            mass += density * part;
            first += arms[b] * (density * part);
            for (k, entry) in second.iter_mut().enumerate() {
                *entry += density * part * arms[a][k / X::D] * arms[b][k % X::D];
            }
        }
    }
    let offset = first * (1.0 / mass);
    let about_centre = |i: usize, j: usize| {
        let mean = 0.5 * (second[i * X::D + j] + second[j * X::D + i]) / mass;
        mean - offset[i] * offset[j]
    };
    let (orientation, inertia) = X::principal(&crate::dim::Square::from_fn(about_centre));
    Ok((mass, MassProperties { volume, centre: apex + offset, orientation, inertia }))
}

#[cfg(test)]
mod tests {
    use nalgebra::{Vector2, Vector3};

    use super::super::test_support::{STEEL, STONE, distort, grid, in_halves};
    use super::super::{ElasticMatrices, ElasticMesh};
    use super::*;
    use crate::dim::{Plane, Space};
    use crate::fem::mesh::ElementKind;

    #[test]
    fn a_block_of_two_densities_has_the_mass_properties_of_the_textbook() {
        let mut mesh = in_halves(grid::<Plane>(ElementKind::Q4, &[4, 2], &[0.4, 0.2]));
        mesh.nodes.iter_mut().for_each(|node| *node += Vector2::new(5.0, -3.0));
        let heavy = ElasticMaterial { density: 3000.0, ..STONE };
        let light = ElasticMaterial { density: 1000.0, ..STONE };
        let CentredMesh { mesh, mass, properties } = in_body_axes(&mesh, &[light, heavy]).unwrap();
        assert!((mass - 160.0).abs() < 1e-10 && (properties.volume - 0.08).abs() < 1e-14);
        assert!((properties.centre - Vector2::new(5.05, -3.0)).norm() < 1e-14);
        // Two squares of edge 0.2 about their centres, and these about the common one.
        let inertia = 0.04 / 6.0 + 0.25 * 0.15 * 0.15 + 0.75 * 0.05 * 0.05;
        assert!((properties.inertia.x - inertia).abs() < 1e-14);
        assert!((mesh.nodes[0] - Vector2::new(-0.25, -0.1)).norm() < 1e-14);
    }

    #[test]
    fn a_mesh_in_body_axes_has_the_mass_matrix_of_a_centred_body_with_principal_axes() {
        for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8] {
            let mut mesh = in_halves(grid::<Space>(kind, &[3, 2, 2], &[0.6, 0.3, 0.2]));
            distort(&mut mesh, 0.02);
            let turn = TURN.map(Vector3::from);
            mesh.nodes.iter_mut().for_each(|p| *p = Vector3::from_fn(|k, _| turn[k].dot(p) + 2.0));
            let centred = in_body_axes(&mesh, &[STONE, STEEL]).unwrap();
            let mesh = std::sync::Arc::new(centred.mesh);
            let elastic = ElasticMesh::new(mesh.clone(), &[STONE, STEEL], Default::default(), Default::default());
            let assembled = ElasticMatrices::assemble(elastic.unwrap());
            let mut second = nalgebra::Matrix3::zeros();
            let mut first = Vector3::zeros();
            for (m, (a, b)) in assembled.mass().iter() {
                first += mesh.nodes[b] * *m;
                second += mesh.nodes[a] * mesh.nodes[b].transpose() * *m;
            }
            assert!(first.norm() < 1e-12 * centred.mass, "{kind:?}: {first}");
            second /= centred.mass;
            let inertia = Vector3::repeat(second.trace()) - second.diagonal();
            assert!((inertia - centred.properties.inertia).norm() < 1e-14, "{kind:?}");
            let across = [second[(0, 1)], second[(0, 2)], second[(1, 2)]];
            assert!(across.iter().all(|x| x.abs() < 1e-14), "{kind:?}: {across:?}");
        }
    }

    /// A rotation.
    const TURN: [[f64; 3]; 3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];
}
