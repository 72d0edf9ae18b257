//! Named convex shapes.
//!
//! All are given about their centre of mass. Shapes without lengths of their own have their farthest corner at distance
//! one from it: the size of a body is then the radius of its bounding sphere.

use std::f64::consts::PI;

use nalgebra::{Vector2, Vector3};

use super::{MassProperties, Polytope, ShapeFault};
use crate::dim::{Dim, Plane, Space, Vector};

/// (1 + sqrt 5) / 2.
const GOLDEN_RATIO: f64 = 1.618033988749895;

/// A shape and its mass properties, or the reason why it cannot be made.
pub type Made<X> = Result<(Polytope<X>, MassProperties<X>), ShapeFault>;

impl<X: Dim> Polytope<X> {
    /// Rectangle or box with the given half-extents, m, in its own axes.
    pub fn cuboid(half: X::Vector) -> Made<X> {
        if let Some(&value) = half.as_slice().iter().find(|x| !x.is_finite() || **x <= 0.0) {
            return Err(ShapeFault::Parameter { name: "half-extent", value, rule: "it must be positive" });
        }
        let corner = |k: u32| X::Vector::from_fn(|i| if k >> i & 1 == 1 { half[i] } else { -half[i] });
        Self::hull(&(0..1 << X::D).map(corner).collect::<Vec<_>>())
    }
}

impl Polytope<Plane> {
    /// Regular polygon with corners at distance one, the first on the x axis.
    pub fn regular(sides: usize) -> Made<Plane> {
        check_count("sides", sides, 3, "a polygon has at least 3 and at most 10000")?;
        Self::unit_hull(&ring(sides).collect::<Vec<_>>())
    }
}

impl Polytope<Space> {
    /// Regular tetrahedron, 4 corners.
    pub fn tetrahedron() -> Made<Space> {
        Self::unit_hull(&[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]].map(Vector3::from))
    }

    /// Cube, 8 corners; half an edge is 1/sqrt(3).
    pub fn cube() -> Made<Space> {
        Self::unit_hull(&signed([1.0, 1.0, 1.0]))
    }

    /// Regular octahedron, 6 corners on the axes.
    pub fn octahedron() -> Made<Space> {
        Self::unit_hull(&signed_cyclic([1.0, 0.0, 0.0]))
    }

    /// Regular dodecahedron, 12 pentagons, 20 corners.
    pub fn dodecahedron() -> Made<Space> {
        let corners = [signed([1.0, 1.0, 1.0]), signed_cyclic([0.0, 1.0 / GOLDEN_RATIO, GOLDEN_RATIO])].concat();
        Self::unit_hull(&corners)
    }

    /// Regular icosahedron, 20 triangles, 12 corners.
    pub fn icosahedron() -> Made<Space> {
        Self::unit_hull(&signed_cyclic([0.0, 1.0, GOLDEN_RATIO]))
    }

    /// The ballast grain of equal length, width and height with end faces at 60 degrees.
    pub fn ballast() -> Made<Space> {
        Self::pinacoid(1.0, 1.0, 1.0, PI / 3.0)
    }

    /// A grain with 8 faces, 8 corners and three planes of symmetry: two hipped roofs back to back on a rectangle
    /// `length` by `width`, `height` from ridge to ridge, the triangular ends inclined by `angle` (radians). Used for
    /// ballast and triaxial tests (Azéma, Radjai and Saussine 2009). Only the proportions matter.
    pub fn pinacoid(length: f64, width: f64, height: f64, angle: f64) -> Made<Space> {
        for (name, value) in [("length", length), ("width", width), ("height", height)] {
            if !value.is_finite() || value <= 0.0 {
                return Err(ShapeFault::Parameter { name, value, rule: "it must be positive" });
            }
        }
        let ridge = 0.5 * (length - height / angle.tan());
        if !(angle > 0.0 && angle <= 0.5 * PI && ridge > 0.0) {
            let rule = "the end faces must leave a ridge: tan(angle) > height / length, angle at most a right one";
            return Err(ShapeFault::Parameter { name: "angle", value: angle, rule });
        }
        let mut corners = Vec::new();
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            corners.push(Vector3::new(0.5 * x * length, 0.5 * y * width, 0.0));
            corners.push(Vector3::new(x * ridge, 0.0, 0.5 * y * height));
        }
        Self::unit_hull(&corners)
    }

    /// A polyhedron with `corners` points evenly distributed over the unit sphere (a Fibonacci spiral).
    pub fn sphere_like(corners: usize) -> Made<Space> {
        check_count("corners", corners, 4, "a polyhedron has at least 4 corners, this one at most 10000")?;
        Self::unit_hull(&fibonacci(corners))
    }

    /// A regular polygon with corners at distance one from the z axis, extruded to `height`.
    pub fn prism(sides: usize, height: f64) -> Made<Space> {
        check_count("sides", sides, 3, "a prism has at least 3 and at most 10000")?;
        if !height.is_finite() || height <= 0.0 {
            return Err(ShapeFault::Parameter { name: "height", value: height, rule: "it must be positive" });
        }
        let ends = [-0.5 * height, 0.5 * height];
        let corners: Vec<_> = ends.iter().flat_map(|&z| ring(sides).map(move |p| Vector3::new(p.x, p.y, z))).collect();
        Self::hull(&corners)
    }
}

/// `count` directions evenly distributed over the sphere.
pub(super) fn fibonacci(count: usize) -> Vec<Vector3<f64>> {
    (0..count)
        .map(|k| {
            let z = 1.0 - (2 * k + 1) as f64 / count as f64;
            // The fraction of a revolution, not the angle: few digits are lost for large k.
            let (s, c) = (2.0 * PI * (k as f64 / GOLDEN_RATIO).fract()).sin_cos();
            let r = (1.0 - z * z).sqrt();
            Vector3::new(r * c, r * s, z)
        })
        .collect()
}

/// Requires `value` to be between `least` and 10 000.
pub(super) fn check_count(
    name: &'static str,
    value: usize,
    least: usize,
    rule: &'static str,
) -> Result<(), ShapeFault> {
    let is_possible = (least..=10_000).contains(&value);
    if is_possible { Ok(()) } else { Err(ShapeFault::Parameter { name, value: value as f64, rule }) }
}

fn ring(sides: usize) -> impl Iterator<Item = Vector2<f64>> {
    (0..sides).map(move |k| {
        let (s, c) = (2.0 * PI * k as f64 / sides as f64).sin_cos();
        Vector2::new(c, s)
    })
}

/// All sign combinations of the coordinates.
fn signed(p: [f64; 3]) -> Vec<Vector3<f64>> {
    (0..8).map(|k| Vector3::from_fn(|i, _| if k >> i & 1 == 1 { p[i] } else { -p[i] })).collect()
}

/// All sign combinations and cyclic permutations of the coordinates; duplicates do not affect a hull.
fn signed_cyclic(p: [f64; 3]) -> Vec<Vector3<f64>> {
    [[p[0], p[1], p[2]], [p[1], p[2], p[0]], [p[2], p[0], p[1]]].into_iter().flat_map(signed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Orientation;

    fn counts(made: Made<Space>) -> [usize; 3] {
        let (shape, mass) = made.unwrap();
        assert!((shape.reach() - 1.0).abs() < 1e-15);
        assert!(mass.centre.norm() < 1e-15);
        [shape.vertices.len(), shape.edges.len(), shape.faces.len()]
    }

    #[test]
    fn the_solids_have_their_corners_edges_and_faces() {
        assert_eq!(counts(Polytope::tetrahedron()), [4, 6, 4]);
        assert_eq!(counts(Polytope::cube()), [8, 12, 6]);
        assert_eq!(counts(Polytope::octahedron()), [6, 12, 8]);
        assert_eq!(counts(Polytope::dodecahedron()), [20, 30, 12]);
        assert_eq!(counts(Polytope::icosahedron()), [12, 30, 20]);
        assert_eq!(counts(Polytope::ballast()), [8, 14, 8]);
    }

    #[test]
    fn the_regular_solids_are_round_to_the_last_bit_and_keep_their_axes() {
        for (_, mass) in [
            Polytope::tetrahedron().unwrap(),
            Polytope::cube().unwrap(),
            Polytope::octahedron().unwrap(),
            Polytope::dodecahedron().unwrap(),
            Polytope::icosahedron().unwrap(),
        ] {
            assert!(mass.inertia.x == mass.inertia.y && mass.inertia.y == mass.inertia.z);
            assert_eq!(mass.orientation, crate::dim::Quaternion::identity());
        }
    }

    #[test]
    fn a_prism_has_its_sides_and_two_ends() {
        for n in (3..20).chain([100, 2000]) {
            let (prism, _) = Polytope::prism(n, 1.5).unwrap();
            assert_eq!([prism.vertices.len(), prism.edges.len(), prism.faces.len()], [2 * n, 3 * n, n + 2]);
            assert_eq!(prism.faces.iter().filter(|f| f.corners.len() == n).count(), if n == 4 { 6 } else { 2 });
        }
    }

    #[test]
    fn polygons_and_sphere_likes_have_as_many_corners_as_asked() {
        for n in [3, 4, 5, 6, 7, 12, 100, 1000, 10_000] {
            let (polygon, _) = Polytope::regular(n).unwrap();
            assert_eq!([polygon.vertices.len(), polygon.faces.len()], [n, n]);
            assert!((polygon.reach() - 1.0).abs() < 1e-15);
            assert!((polygon.inner_radius() - (PI / n as f64).cos()).abs() < 1e-13);
        }
        for n in [4, 5, 6, 7, 8, 12, 24, 100, 1000, 10_000] {
            let (sphere, _) = Polytope::sphere_like(n).unwrap();
            assert_eq!(sphere.vertices.len(), n);
        }
    }

    #[test]
    fn a_segment_has_two_opposite_faces() {
        let segment = Polytope::<Plane>::segment(2.0);
        assert_eq!(segment.faces[0].normal, Vector2::new(1.0, 0.0));
        assert_eq!(segment.faces[1].normal, Vector2::new(-1.0, 0.0));
        assert_eq!((segment.faces[0].offset, segment.faces[1].offset), (0.0, 0.0));
    }

    #[test]
    fn impossible_parameters_are_refused_by_name() {
        let name = |made: Made<Space>| match made {
            Err(ShapeFault::Parameter { name, .. }) => name,
            _ => panic!(),
        };
        assert_eq!(name(Polytope::prism(2, 1.0)), "sides");
        assert_eq!(name(Polytope::prism(5, -1.0)), "height");
        assert_eq!(name(Polytope::prism(5, f64::NAN)), "height");
        assert_eq!(name(Polytope::sphere_like(3)), "corners");
        assert_eq!(name(Polytope::cuboid(Vector3::new(1.0, 0.0, 1.0))), "half-extent");
        assert_eq!(name(Polytope::pinacoid(1.0, 1.0, 1.0, 0.5)), "angle");
        assert!(Polytope::regular(2).is_err() && Polytope::regular(20_000_000).is_err());
    }
}
