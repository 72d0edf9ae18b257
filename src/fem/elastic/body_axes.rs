//! Mass, centre and moments of inertia of a mesh, from its consistent mass matrix, and the mesh in its principal axes.
//!
//! With X the positions of nodes, m = sum_ab M_ab, m c = sum_ab M_ab X_b, and the second moments are sum_ab M_ab X_a X_b'. The
//! rigid motion of a deformable body has exactly this mass, so that it is orthogonal to the elastic one.

use super::assembly::{check, degenerate, material_of};
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
