//! Shape functions of the elements and their slopes, in the coordinates of the reference element.
//!
//! Triangles and tetrahedra: corners at the origin and at 1 on each axis; with barycentric coordinates L, corners have
//! L (linear) or L (2 L - 1), nodes in the middle of edges 4 L L'. Quadrilaterals and hexahedra: from -1 to 1 along
//! each axis, products of (1 +- x)/2.

use crate::fem::mesh::{ElementKind, NODES_OF_AN_ELEMENT};

/// A point in the reference element; the third coordinate of elements in the plane is zero.
pub(super) type ReferencePoint = [f64; 3];

/// Corners of quadrilaterals (the first four, without the last coordinate) and hexahedra.
const BOX_CORNERS: [ReferencePoint; 8] = [
    [-1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0],
    [1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0],
    [-1.0, -1.0, 1.0],
    [1.0, -1.0, 1.0],
    [1.0, 1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// Shape functions at a point, in the order of the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeFunctions {
    /// Values.
    pub(super) values: [f64; NODES_OF_AN_ELEMENT],
    /// Derivatives by the reference coordinates.
    pub(super) slopes: [[f64; 3]; NODES_OF_AN_ELEMENT],
}

impl ShapeFunctions {
    /// Those of an element at a point.
    pub(super) fn at(kind: ElementKind, point: ReferencePoint) -> Self {
        match kind {
            ElementKind::T3 | ElementKind::Tet4 => barycentric(kind.dimension(), point),
            ElementKind::T6 | ElementKind::Tet10 => quadratic(kind, point),
            ElementKind::Q4 | ElementKind::Hex8 => products(kind, point),
        }
    }

    fn zero() -> Self {
        Self { values: [0.0; NODES_OF_AN_ELEMENT], slopes: [[0.0; 3]; NODES_OF_AN_ELEMENT] }
    }
}

fn barycentric(dimension: usize, point: ReferencePoint) -> ShapeFunctions {
    let mut shape = ShapeFunctions::zero();
    shape.values[0] = 1.0;
    for (k, &x) in point.iter().enumerate().take(dimension) {
        shape.values[0] -= x;
        shape.slopes[0][k] = -1.0;
        shape.values[k + 1] = x;
        shape.slopes[k + 1][k] = 1.0;
    }
    shape
}

fn quadratic(kind: ElementKind, point: ReferencePoint) -> ShapeFunctions {
    let linear = barycentric(kind.dimension(), point);
    let mut shape = ShapeFunctions::zero();
    for a in 0..kind.corner_count() {
        let value = linear.values[a];
        shape.values[a] = value * (2.0 * value - 1.0);
        shape.slopes[a] = linear.slopes[a].map(|slope| slope * (4.0 * value - 1.0));
    }
    for (edge, &[a, b]) in kind.edges().iter().enumerate() {
        let node = kind.corner_count() + edge;
        let (first, second) = (linear.values[a], linear.values[b]);
        shape.values[node] = 4.0 * first * second;
        shape.slopes[node] =
            std::array::from_fn(|k| 4.0 * (linear.slopes[a][k] * second + first * linear.slopes[b][k]));
    }
    shape
}

fn products(kind: ElementKind, point: ReferencePoint) -> ShapeFunctions {
    let mut shape = ShapeFunctions::zero();
    let axes = 0..kind.dimension();
    for (a, corner) in BOX_CORNERS.iter().enumerate().take(kind.corner_count()) {
        let factor = |k: usize| 0.5 * (1.0 + corner[k] * point[k]);
        shape.values[a] = axes.clone().map(factor).product();
        for k in axes.clone() {
            let others: f64 = axes.clone().filter(|&other| other != k).map(factor).product();
            shape.slopes[a][k] = 0.5 * corner[k] * others;
        }
    }
    shape
}

/// Where a node lies in the reference element.
pub(super) fn node_position(kind: ElementKind, node: usize) -> ReferencePoint {
    let corner = |a: usize| -> ReferencePoint {
        match kind {
            ElementKind::Q4 => [BOX_CORNERS[a][0], BOX_CORNERS[a][1], 0.0],
            ElementKind::Hex8 => BOX_CORNERS[a],
            ElementKind::T3 | ElementKind::T6 | ElementKind::Tet4 | ElementKind::Tet10 => {
                std::array::from_fn(|k| if a == k + 1 { 1.0 } else { 0.0 })
            }
        }
    };
    let corners = kind.corner_count();
    if node < corners {
        return corner(node);
    }
    let [a, b] = kind.edges()[node - corners];
    let (a, b) = (corner(a), corner(b));
    std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
}

/// Centre of the reference element.
pub(super) fn centre(kind: ElementKind) -> ReferencePoint {
    match kind {
        ElementKind::T3 | ElementKind::T6 => [1.0 / 3.0, 1.0 / 3.0, 0.0],
        ElementKind::Tet4 | ElementKind::Tet10 => [0.25; 3],
        ElementKind::Q4 | ElementKind::Hex8 => [0.0; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_function_is_one_at_its_node_and_zero_at_the_others() {
        for kind in ElementKind::ALL {
            for node in 0..kind.node_count() {
                let shape = ShapeFunctions::at(kind, node_position(kind, node));
                for (other, value) in shape.values.iter().enumerate() {
                    let expected = if other == node { 1.0 } else { 0.0 };
                    assert!((value - expected).abs() < 1e-15, "{kind:?}: {other} at {node}: {value}");
                }
            }
        }
    }

    #[test]
    fn slopes_are_the_derivatives_and_sum_to_zero() {
        for kind in ElementKind::ALL {
            let point = [0.21, 0.33, 0.17];
            let shape = ShapeFunctions::at(kind, point);
            assert!((shape.values.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            for k in 0..kind.dimension() {
                let moved = |by: f64| {
                    let mut point = point;
                    point[k] += by;
                    ShapeFunctions::at(kind, point).values
                };
                let (before, after) = (moved(-1e-5), moved(1e-5));
                for node in 0..kind.node_count() {
                    let slope = (after[node] - before[node]) / 2e-5;
                    assert!((slope - shape.slopes[node][k]).abs() < 1e-9, "{kind:?}: {node} along {k}");
                }
                assert!(shape.slopes.iter().map(|slope| slope[k]).sum::<f64>().abs() < 1e-15);
            }
        }
    }
}
