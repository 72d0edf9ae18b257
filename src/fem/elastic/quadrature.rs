//! Quadrature on the reference elements.
//!
//! Stiffness: exact for elements with straight edges (Q4, HEX8: 2 points along each axis), and for constant strain in
//! elements of any shape. Mass: exact for straight edges, and for any Q4 and HEX8. Sources: Dunavant, Int. J. Numer.
//! Meth. Engng 21 (1985) 1129, degree 4 in triangles; Walkington (2000), 14 points of degree 5 in tetrahedra.

use super::shape_functions::{ReferencePoint, centre, node_position};
use crate::fem::mesh::ElementKind;

/// A point and its weight; weights sum to the volume of the reference element.
pub(super) type QuadraturePoint = (ReferencePoint, f64);

/// Points at which the stiffness is integrated.
pub(super) fn stiffness_points(kind: ElementKind) -> Vec<QuadraturePoint> {
    match kind {
        ElementKind::Tet10 => tetrahedron(),
        ElementKind::T3 | ElementKind::T6 | ElementKind::Tet4 | ElementKind::Q4 | ElementKind::Hex8 => {
            sampling_points(kind)
        }
    }
}

/// Points at which strains are best: one, or one for each corner in order, on the line from the centre to it.
pub(super) fn sampling_points(kind: ElementKind) -> Vec<QuadraturePoint> {
    match kind {
        ElementKind::T3 | ElementKind::Tet4 => vec![(centre(kind), reference_volume(kind))],
        ElementKind::T6 | ElementKind::Tet10 | ElementKind::Q4 | ElementKind::Hex8 => {
            let count = kind.corner_count();
            let weight = reference_volume(kind) / count as f64;
            (0..count).map(|a| (toward_corner(kind, a, 1.0 / sampling_scale(kind)), weight)).collect()
        }
    }
}

/// How much farther from the centre the corners lie than the sampling points that belong to them.
pub(super) fn sampling_scale(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::T3 | ElementKind::Tet4 => 1.0,
        ElementKind::T6 => 2.0,
        ElementKind::Tet10 => 5f64.sqrt(),
        ElementKind::Q4 | ElementKind::Hex8 => 3f64.sqrt(),
    }
}

/// Points at which the mass is integrated.
pub(super) fn mass_points(kind: ElementKind) -> Vec<QuadraturePoint> {
    match kind {
        ElementKind::T3 => triangle(&[(1.0 / 6.0, 1.0 / 3.0)]),
        ElementKind::T6 => triangle(&[
            (0.445_948_490_915_964_9, 0.223_381_589_678_011_47),
            (0.091_576_213_509_770_74, 0.109_951_743_655_321_87),
        ]),
        ElementKind::Tet4 => (0..4).map(|a| (toward_corner(kind, a, 1.0 / 5f64.sqrt()), 1.0 / 24.0)).collect(),
        ElementKind::Tet10 => tetrahedron(),
        ElementKind::Q4 | ElementKind::Hex8 => tensor(kind.dimension()),
    }
}

/// Volume of the reference element.
fn reference_volume(kind: ElementKind) -> f64 {
    match kind {
        ElementKind::T3 | ElementKind::T6 => 0.5,
        ElementKind::Tet4 | ElementKind::Tet10 => 1.0 / 6.0,
        ElementKind::Q4 => 4.0,
        ElementKind::Hex8 => 8.0,
    }
}

/// The point that divides the line from the centre to a corner in this ratio.
fn toward_corner(kind: ElementKind, corner: usize, ratio: f64) -> ReferencePoint {
    let (from, to) = (centre(kind), node_position(kind, corner));
    std::array::from_fn(|k| from[k] + ratio * (to[k] - from[k]))
}

/// Triples of points with barycentric coordinates (a, a, 1 - 2a) and a weight each.
fn triangle(orbits: &[(f64, f64)]) -> Vec<QuadraturePoint> {
    let points = |&(a, weight): &(f64, f64)| {
        let b = 1.0 - 2.0 * a;
        [[a, a, 0.0], [b, a, 0.0], [a, b, 0.0]].map(|point| (point, 0.5 * weight))
    };
    orbits.iter().flat_map(points).collect()
}

fn tetrahedron() -> Vec<QuadraturePoint> {
    let mut points = Vec::with_capacity(14);
    for (a, weight) in
        [(0.310_885_919_263_300_6, 0.112_687_925_718_015_85), (0.092_735_250_310_891_22, 0.073_493_043_116_361_96)]
    {
        let b = 1.0 - 3.0 * a;
        points.extend([[a, a, a], [b, a, a], [a, b, a], [a, a, b]].map(|point| (point, weight / 6.0)));
    }
    let (a, weight) = (0.045_503_704_125_649_65, 0.042_546_020_777_081_466);
    let b = 0.5 - a;
    let orbit = [[a, a, b], [a, b, a], [b, a, a], [a, b, b], [b, a, b], [b, b, a]];
    points.extend(orbit.map(|point| (point, weight / 6.0)));
    points
}

/// Three Gauss points along each axis.
fn tensor(dimension: usize) -> Vec<QuadraturePoint> {
    let line = [(-0.6f64.sqrt(), 5.0 / 9.0), (0.0, 8.0 / 9.0), (0.6f64.sqrt(), 5.0 / 9.0)];
    let mut points = vec![([0.0; 3], 1.0)];
    for axis in 0..dimension {
        let along = |&(point, weight): &QuadraturePoint| {
            line.map(|(x, part)| {
                let mut point: ReferencePoint = point;
                point[axis] = x;
                (point, weight * part)
            })
        };
        points = points.iter().flat_map(along).collect();
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integral of x^i y^j z^k over the reference element.
    fn exact(kind: ElementKind, powers: [u32; 3]) -> f64 {
        let factorial = |n: u32| (1..=n).map(f64::from).product::<f64>();
        let dimension = kind.dimension();
        if kind.is_simplex() {
            let sum: u32 = powers.iter().sum();
            return powers.iter().map(|&p| factorial(p)).product::<f64>() / factorial(sum + dimension as u32);
        }
        powers[..dimension].iter().map(|&p| if p % 2 == 1 { 0.0 } else { 2.0 / f64::from(p + 1) }).product()
    }

    fn is_exact(kind: ElementKind, points: &[QuadraturePoint], degree: u32) {
        let third = if kind.dimension() > 2 { degree } else { 0 };
        for powers in (0..=degree).flat_map(|i| (0..=degree).flat_map(move |j| (0..=third).map(move |k| [i, j, k]))) {
            if powers.iter().sum::<u32>() > degree {
                continue;
            }
            let monomial = |point: &ReferencePoint| (0..3).map(|k| point[k].powi(powers[k] as i32)).product::<f64>();
            let sum: f64 = points.iter().map(|(point, weight)| weight * monomial(point)).sum();
            assert!((sum - exact(kind, powers)).abs() < 2e-15, "{kind:?} {powers:?}: {sum}");
        }
    }

    #[test]
    fn polynomials_are_integrated_exactly_up_to_the_stated_degree() {
        use ElementKind::{Hex8, Q4, T3, T6, Tet4, Tet10};
        for (kind, stiffness, mass) in [(T3, 1, 2), (T6, 2, 4), (Q4, 3, 5), (Tet4, 1, 2), (Tet10, 5, 5), (Hex8, 3, 5)] {
            is_exact(kind, &stiffness_points(kind), stiffness);
            is_exact(kind, &sampling_points(kind), if kind == Tet10 { 2 } else { stiffness });
            is_exact(kind, &mass_points(kind), mass);
        }
    }
}
