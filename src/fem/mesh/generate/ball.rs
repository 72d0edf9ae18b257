//! Meshes of disks and spheres of a target size.
//!
//! Tetrahedra: each of the twenty cones over the faces of an icosahedron is divided like a cell of Kuhn's lattice
//! (edgewise subdivision; Edelsbrunner and Grayson 2000), then its nodes are moved along rays onto concentric spheres.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::dim::{Dim, Plane, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::block::axis_orders;
use super::{MeshTarget, MeshingFault, check_length, convert, disk, shell};

impl<X: Dim> VolumeMesh<X> {
    /// A disk in the plane, a sphere in space, centred on the origin.
    pub fn ball(radius: f64, target: MeshTarget) -> Result<Self, MeshingFault> {
        check_length("the radius", radius)?;
        target.check::<X>(X::unit_ball() * radius.powi(X::D as i32))?;
        match target.kind {
            ElementKind::T3 | ElementKind::T6 => {
                let rings = (radius / target.size).round().max(1.0) as usize;
                let around = target.intervals(std::f64::consts::TAU * radius).max(6);
                let disk = VolumeMesh::<Plane>::disk_of_rings(radius, around, rings, target.kind)?;
                let nodes = disk.nodes.iter().map(|p| X::Vector::read(&p.in_space())).collect();
                Ok(Self::from_arrays(nodes, disk.elements))
            }
            ElementKind::Tet4 | ElementKind::Tet10 => {
                let levels = (radius / target.size).round().max(1.0) as usize;
                let mesh = icosahedral::<X>(radius, levels);
                Ok(convert::to_kind(mesh, target.kind, &|ends, mean| disk::round(radius, ends, mean)))
            }
            ElementKind::Q4 | ElementKind::Hex8 => shell::ball_of_bricks(radius, target),
        }
    }
}

/// Tetrahedra in `levels` concentric layers.
fn icosahedral<X: Dim>(radius: f64, levels: usize) -> VolumeMesh<X> {
    let (corners, faces) = icosahedron();
    let mut nodes: Vec<Vector3<f64>> = Vec::new();
    let mut elements = Vec::new();
    // A node is known by its weights at the corners of the icosahedron.
    let mut known: HashMap<[(u32, u32); 3], u32> = HashMap::new();
    let orders = axis_orders(3);
    let mut node_at = |face: &[u32; 3], at: [usize; 3]| {
        let weights = [at[0] - at[1], at[1] - at[2], at[2]];
        let mut key = [0, 1, 2].map(|k| if weights[k] > 0 { (face[k], weights[k] as u32) } else { (u32::MAX, 0) });
        key.sort_unstable();
        *known.entry(key).or_insert_with(|| {
            nodes.push(on_sphere(&corners, face, weights) * (radius * at[0] as f64 / levels as f64));
            nodes.len() as u32 - 1
        })
    };
    for face in &faces {
        for (a, b, c) in cells(levels) {
            for (order, is_even) in &orders {
                let mut at = [a, b, c];
                let mut path = vec![at];
                for &axis in order {
                    at[axis] += 1;
                    path.push(at);
                }
                if path.iter().all(|p| levels >= p[0] && p[0] >= p[1] && p[1] >= p[2]) {
                    if !is_even {
                        path.swap(2, 3);
                    }
                    let four: Vec<u32> = path.iter().map(|&at| node_at(face, at)).collect();
                    elements.push(Element::new(ElementKind::Tet4, &four, Element::NO_GROUP));
                }
            }
        }
    }
    let nodes = nodes.iter().map(|p| X::Vector::read(p.as_slice())).collect();
    let mut mesh = VolumeMesh::from_arrays(nodes, elements);
    mesh.orient();
    mesh
}

/// Lower corners of the cells that may hold a part of the simplex `levels` >= a >= b >= c.
fn cells(levels: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..levels).flat_map(|a| (0..=a).flat_map(move |b| (0..=b).map(move |c| (a, b, c))))
}

/// Unit vector to a point of a face with these weights at its corners; equal weights are about equal angles.
fn on_sphere(corners: &[Vector3<f64>], face: &[u32; 3], weights: [usize; 3]) -> Vector3<f64> {
    let total: usize = weights.iter().sum();
    if total == 0 {
        return Vector3::zeros();
    }
    let angle = corners[face[0] as usize].dot(&corners[face[1] as usize]).acos();
    let sum: Vector3<f64> =
        (0..3).map(|k| corners[face[k] as usize] * (angle * weights[k] as f64 / total as f64).sin()).sum();
    sum.normalize()
}

/// Corners on the unit sphere, and faces with increasing corner numbers.
fn icosahedron() -> (Vec<Vector3<f64>>, Vec<[u32; 3]>) {
    let golden = 0.5 * (1.0 + 5f64.sqrt());
    let mut corners = Vec::new();
    for (long, short) in [(golden, 1.0), (golden, -1.0), (-golden, 1.0), (-golden, -1.0)] {
        for point in [Vector3::new(0.0, short, long), Vector3::new(short, long, 0.0), Vector3::new(long, 0.0, short)] {
            corners.push(point.normalize());
        }
    }
    let is_edge = |a: usize, b: usize| corners[a].dot(&corners[b]) > 0.4;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if is_edge(a, b) && is_edge(b, c) && is_edge(a, c) {
                    faces.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    (corners, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;

    fn on_surface<X: Dim>(mesh: &VolumeMesh<X>, radius: f64) {
        mesh.check().unwrap();
        for &k in &mesh.surface().nodes {
            assert!((mesh.nodes[k as usize].norm() - radius).abs() < 1e-14 * radius);
        }
    }

    #[test]
    fn spheres_of_tetrahedra_are_well_shaped() {
        for (size, tolerance) in [(1.0, 0.45), (0.5, 0.15), (0.25, 0.04), (0.1, 0.006)] {
            let mesh = VolumeMesh::<Space>::ball(1.0, MeshTarget { size, kind: ElementKind::Tet4 }).unwrap();
            on_surface(&mesh, 1.0);
            let (volume, quality) = (mesh.measure(), mesh.quality());
            let exact = Space::unit_ball();
            assert!(volume < exact && volume > exact * (1.0 - tolerance), "{size}: {volume}");
            assert!(quality.smallest_angle > 30f64.to_radians(), "{size}: {quality:?}");
            let levels = (1.0 / size).round() as usize;
            assert_eq!(mesh.elements.len(), 20 * levels.pow(3));
        }
    }

    #[test]
    fn all_kinds_of_elements_fill_a_ball() {
        for kind in ElementKind::ALL {
            for size in [0.7, 0.26] {
                let target = MeshTarget { size: 2.0 * size, kind };
                if kind.dimension() == 2 {
                    let mesh = VolumeMesh::<Plane>::ball(2.0, target).unwrap();
                    on_surface(&mesh, 2.0);
                    assert!(mesh.quality().smallest_angle > 25f64.to_radians(), "{kind:?}: {:?}", mesh.quality());
                } else {
                    let mesh = VolumeMesh::<Space>::ball(2.0, target).unwrap();
                    on_surface(&mesh, 2.0);
                    assert!(mesh.quality().smallest_angle > 25f64.to_radians(), "{kind:?}: {:?}", mesh.quality());
                }
            }
        }
    }
}
