//! Structured meshes of rectangles and boxes.
//!
//! The box is divided into equal cells. A cell is one quadrilateral or hexahedron, or is cut into the simplices of
//! Kuhn (1960), reflected in every second cell along each axis, so that the diagonals of neighbouring cells meet and
//! no direction is preferred.

use crate::dim::{Dim, Vector};
use crate::fem::mesh::{Element, ElementKind, VolumeMesh};

use super::{MeshTarget, MeshingFault, check_count, check_kind, check_length, convert};

/// Corners of a cell in the order of the nodes of Q4 (the first four) and HEX8; bit k is the position along axis k.
const CELL_CORNERS: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];

impl<X: Dim> VolumeMesh<X> {
    /// A box with these edge lengths, centred on the origin.
    pub fn block(extent: X::Vector, target: MeshTarget) -> Result<Self, MeshingFault> {
        target.check::<X>(extent.as_slice().iter().product())?;
        let counts: Vec<usize> = extent.as_slice().iter().map(|&length| target.intervals(length)).collect();
        Self::grid(extent, &counts, target.kind)
    }

    /// A bar along the first axis, centred on the origin; its section is a square of this thickness (in the plane: an
    /// interval).
    pub fn bar(length: f64, thickness: f64, target: MeshTarget) -> Result<Self, MeshingFault> {
        Self::block(X::Vector::from_fn(|i| if i == 0 { length } else { thickness }), target)
    }

    /// A box with these edge lengths, centred on the origin and divided into `counts` cells along each axis.
    pub fn grid(extent: X::Vector, counts: &[usize], kind: ElementKind) -> Result<Self, MeshingFault> {
        check_kind::<X>(kind)?;
        extent.as_slice().iter().try_for_each(|&length| check_length("an edge of the box", length))?;
        let counts: Vec<usize> = (0..X::D).map(|k| counts.get(k).copied().unwrap_or(1).max(1)).collect();
        check_count(counts.iter().map(|&n| n as f64 + 1.0).product())?;
        let strides: Vec<usize> = (0..X::D).map(|k| counts[..k].iter().map(|&n| n + 1).product()).collect();
        let total: usize = counts.iter().map(|&n| n + 1).product();
        let nodes = (0..total)
            .map(|number| {
                let at = |k: usize| (number / strides[k] % (counts[k] + 1)) as f64 / counts[k] as f64;
                X::Vector::from_fn(|k| extent[k] * (at(k) - 0.5))
            })
            .collect();
        let mut elements = Vec::new();
        for number in 0..counts.iter().product() {
            let mut rest = number;
            let cell: Vec<usize> = counts.iter().map(|&n| (rest % n, rest /= n).0).collect();
            let corner =
                |bits: usize| (0..X::D).map(|k| (cell[k] + (bits >> k & 1)) * strides[k]).sum::<usize>() as u32;
            if kind.is_simplex() {
                kuhn_simplices::<X>(kind.linear(), &cell, corner, &mut elements);
            } else {
                let corners: Vec<u32> = CELL_CORNERS[..1 << X::D].iter().map(|&bits| corner(bits)).collect();
                elements.push(Element::new(kind, &corners, Element::NO_GROUP));
            }
        }
        let mesh = VolumeMesh::from_arrays(nodes, elements);
        Ok(if kind.is_quadratic() { convert::quadratic(mesh, &convert::straight) } else { mesh })
    }
}

/// Cuts a cell into simplices: each follows edges of the cell from one corner to the opposite one.
fn kuhn_simplices<X: Dim>(
    kind: ElementKind,
    cell: &[usize],
    corner: impl Fn(usize) -> u32,
    elements: &mut Vec<Element>,
) {
    let reflection = cell.iter().enumerate().fold(0, |bits, (k, &at)| bits | (at % 2) << k);
    for (axes, is_even) in axis_orders(X::D) {
        let mut bits = 0;
        let mut path = vec![corner(reflection)];
        for axis in axes {
            bits |= 1 << axis;
            path.push(corner(bits ^ reflection));
        }
        if is_even != (reflection.count_ones() % 2 == 0) {
            path.swap(X::D - 1, X::D);
        }
        elements.push(Element::new(kind, &path, Element::NO_GROUP));
    }
}

/// All orders of the axes, and whether each is an even permutation.
pub(super) fn axis_orders(count: usize) -> Vec<(Vec<usize>, bool)> {
    let mut orders = vec![(Vec::new(), true)];
    for axis in 0..count {
        let with_axis = |(order, is_even): &(Vec<usize>, bool)| {
            let (order, is_even) = (order.clone(), *is_even);
            (0..=order.len()).map(move |at| {
                let mut longer = order.clone();
                longer.insert(at, axis);
                (longer, is_even == ((order.len() - at) % 2 == 0))
            })
        };
        orders = orders.iter().flat_map(with_axis).collect();
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn a_box_has_cells_of_the_target_size_and_corners_in_place() {
        let target = MeshTarget { size: 0.1, kind: ElementKind::Q4 };
        let mesh = VolumeMesh::<Plane>::block(Vector2::new(0.3, 0.25), target).unwrap();
        assert_eq!((mesh.nodes.len(), mesh.elements.len()), (16, 9));
        assert_eq!(mesh.bounds(), (Vector2::new(-0.15, -0.125), Vector2::new(0.15, 0.125)));
        let bar = VolumeMesh::<Space>::bar(1.0, 0.1, MeshTarget { kind: ElementKind::Tet4, ..target }).unwrap();
        assert_eq!((bar.nodes.len(), bar.elements.len()), (44, 60));
        assert!((bar.measure() - 0.01).abs() < 1e-15);
    }

    #[test]
    fn every_kind_passes_the_checks() {
        for kind in ElementKind::ALL {
            if kind.dimension() == 2 {
                VolumeMesh::<Plane>::grid(Vector2::new(1.0, 2.0), &[3, 4], kind).unwrap().check().unwrap();
            } else {
                let mesh = VolumeMesh::<Space>::grid(Vector3::new(1.0, 2.0, 1.0), &[3, 4, 2], kind).unwrap();
                mesh.check().unwrap();
                assert!(mesh.quality().smallest_angle > 25f64.to_radians(), "{:?}", mesh.quality());
            }
        }
    }

    #[test]
    fn what_cannot_be_meshed_is_refused() {
        let refused =
            |extent, size, kind| VolumeMesh::<Plane>::block(extent, MeshTarget { size, kind }).unwrap_err().to_string();
        let unit = Vector2::new(1.0, 1.0);
        assert!(refused(unit, 1e-6, ElementKind::T3).contains("larger size"));
        assert!(refused(unit, 0.1, ElementKind::Hex8).contains("HEX8 elements have 3 dimensions"));
        assert!(refused(unit, f64::NAN, ElementKind::T3).contains("positive size"));
        assert!(refused(unit * 0.0, 0.1, ElementKind::T3).contains("an edge of the box"));
        assert!(refused(unit * f64::INFINITY, 0.1, ElementKind::T3).contains("larger size"));
    }
}
