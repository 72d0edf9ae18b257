//! Meshes of cylinders and prisms: a plane mesh, repeated in layers along the third axis.
//!
//! A triangle becomes a prism in each layer, cut into three tetrahedra; the diagonals of its sides start at the node
//! of lower number, so neighbouring prisms conform. A quadrilateral becomes a hexahedron.

use nalgebra::Vector3;

use crate::dim::{Plane, Space};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::{MeshTarget, MeshingFault, check_count, check_length, convert, disk};

impl VolumeMesh<Space> {
    /// A cylinder about the third axis, centred on the origin.
    pub fn cylinder(radius: f64, half_length: f64, target: MeshTarget) -> Result<Self, MeshingFault> {
        check_length("half the length of the cylinder", half_length)?;
        target.check::<Space>(std::f64::consts::TAU * radius * radius * half_length)?;
        let kind = if target.kind.is_simplex() { ElementKind::T3 } else { ElementKind::Q4 };
        let section = VolumeMesh::<Plane>::ball(radius, MeshTarget { size: target.size, kind })?;
        let mesh = section.extruded(half_length, target.intervals(2.0 * half_length))?;
        let project = |ends: &[Vector3<f64>], mean: Vector3<f64>| {
            let flat: Vec<_> = ends.iter().map(|p| p.xy()).collect();
            let moved = disk::round(radius, &flat, mean.xy());
            Vector3::new(moved.x, moved.y, mean.z)
        };
        Ok(if target.kind.is_quadratic() { convert::quadratic(mesh, &project) } else { mesh })
    }
}

impl VolumeMesh<Plane> {
    /// The body of `layers` equal layers between -half_length and half_length along the third axis whose section is
    /// this mesh of linear elements: tetrahedra over triangles, hexahedra over quadrilaterals.
    pub fn extruded(&self, half_length: f64, layers: usize) -> Result<VolumeMesh<Space>, MeshingFault> {
        let layers = layers.max(1);
        check_count(self.nodes.len() as f64 * (layers as f64 + 1.0))?;
        let height = |layer: usize| half_length * (2.0 * layer as f64 / layers as f64 - 1.0);
        let nodes = (0..=layers).flat_map(|k| self.nodes.iter().map(move |p| Vector3::new(p.x, p.y, height(k))));
        let mut mesh = VolumeMesh::from_arrays(nodes.collect(), Vec::new());
        for layer in 0..layers {
            let at = |node: u32, above: usize| node + ((layer + above) * self.nodes.len()) as u32;
            for element in &self.elements {
                if element.kind.is_simplex() {
                    let mut sorted = element.corners().to_vec();
                    sorted.sort_unstable();
                    for step in 0..3 {
                        let below = sorted[..=step].iter().map(|&k| at(k, 0));
                        let four: Vec<u32> = below.chain(sorted[step..].iter().map(|&k| at(k, 1))).collect();
                        mesh.elements.push(Element::new(ElementKind::Tet4, &four, Element::NO_GROUP));
                    }
                } else {
                    let below = element.corners().iter().map(|&k| at(k, 0));
                    let eight: Vec<u32> = below.chain(element.corners().iter().map(|&k| at(k, 1))).collect();
                    mesh.elements.push(Element::new(ElementKind::Hex8, &eight, Element::NO_GROUP));
                }
            }
        }
        mesh.orient();
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cylinders_have_their_nodes_on_the_mantle_and_the_volume_of_a_prism() {
        for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8] {
            let mesh = VolumeMesh::cylinder(0.5, 1.0, MeshTarget { size: 0.2, kind }).unwrap();
            mesh.check().unwrap();
            let surface = mesh.surface();
            for &k in &surface.nodes {
                let p = mesh.nodes[k as usize];
                let is_on = (p.xy().norm() - 0.5).abs() < 1e-15 || p.z.abs() == 1.0;
                assert!(is_on, "{kind:?}: {p}");
            }
            let rim = mesh.nodes.iter().filter(|p| p.z == 1.0 && (p.xy().norm() - 0.5).abs() < 1e-12).count() as f64;
            let exact = 2.0 * 0.25 * 0.5 * rim * (std::f64::consts::TAU / rim).sin();
            let quality = mesh.quality();
            assert!((mesh.measure() / exact - 1.0).abs() < 1e-2, "{kind:?}: {} {exact}", mesh.measure());
            assert!(quality.smallest_angle > 20f64.to_radians(), "{kind:?}: {quality:?}");
        }
    }
}
