//! Exact volume, centre of mass and principal inertia of a polytope, by the divergence theorem over its faces.
//!
//! Every face is divided into simplices with a common apex inside; over a simplex with corners 0, v1 .. vD and sum s,
//! the mean of x x' is (v1 v1' + .. + vD vD' + s s') / ((D+1)(D+2)).

use serde::{Deserialize, Serialize};

use crate::dim::{Dim, Square, Vector};

/// Volume, centre of mass and inertia of a solid of uniform density.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct MassProperties<X: Dim> {
    /// Volume (area in the plane), m3 or m2.
    pub volume: f64,
    /// Centre of mass, in the frame in which the points were given, m.
    pub centre: X::Vector,
    /// From principal axes to the frame in which the points were given.
    pub orientation: X::Orientation,
    /// Principal moments of inertia about the centre, per unit mass, m2.
    pub inertia: X::Spin,
}

impl<X: Dim> MassProperties<X> {
    /// Of the solid inside closed faces with outward orientation; the solid need not be convex.
    pub fn of(vertices: &[X::Vector], faces: &[Vec<u32>]) -> Self {
        // The apex is the mean of the corners: far from the origin, no digits cancel.
        let apex = vertices.iter().fold(X::Vector::zero(), |sum, v| sum + *v) * (1.0 / vertices.len().max(1) as f64);
        let mut volume = 0.0;
        let mut first = X::Vector::zero();
        let mut second = vec![0.0; X::D * X::D];
        for face in faces {
            for fan in face[1..].windows(X::D - 1) {
                let simplex: Vec<X::Vector> =
                    std::iter::once(&face[0]).chain(fan).map(|&k| vertices[k as usize] - apex).collect();
                let part = X::determinant(&simplex);
                let sum = simplex.iter().fold(X::Vector::zero(), |sum, v| sum + *v);
                volume += part;
                first += sum * part;
                for (k, entry) in second.iter_mut().enumerate() {
                    let (i, j) = (k / X::D, k % X::D);
                    *entry += part * (simplex.iter().map(|v| v[i] * v[j]).sum::<f64>() + sum[i] * sum[j]);
                }
            }
        }
        let d = X::D as f64;
        let offset = first * (1.0 / (volume * (d + 1.0)));
        let scale = 1.0 / (volume * (d + 1.0) * (d + 2.0));
        let about_centre = X::Matrix::from_fn(|i, j| second[i * X::D + j] * scale - offset[i] * offset[j]);
        let (orientation, inertia) = X::principal(&about_centre);
        let simplices_in_a_unit: f64 = (1..=X::D).map(|k| k as f64).product();
        Self { volume: volume / simplices_in_a_unit, centre: apex + offset, orientation, inertia }
    }

    /// Of the same solid scaled by `factor`.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            volume: self.volume * factor.powi(X::D as i32),
            centre: self.centre * factor,
            orientation: self.orientation,
            inertia: self.inertia * (factor * factor),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::contactor::{MassProperties, Polytope};
    use crate::dim::{Orientation, Plane, Quaternion, Space};
    use nalgebra::{Vector2, Vector3};

    #[test]
    fn a_box_has_the_moments_of_the_textbook_and_stays_in_its_axes() {
        let (brick, mass) = Polytope::<Space>::cuboid(Vector3::new(0.5, 1.0, 1.5)).unwrap();
        assert!((mass.volume - 6.0).abs() < 1e-14);
        assert!((mass.inertia - Vector3::new(13.0, 10.0, 5.0) / 12.0).norm() < 1e-15);
        assert_eq!(mass.orientation, Quaternion::identity());
        assert!(brick.vertices.contains(&Vector3::new(0.5, 1.0, 1.5)));
        let normals: Vec<_> = brick.faces.iter().map(|f| f.normal).collect();
        assert!(normals.contains(&Vector3::x()) && normals.contains(&-Vector3::z()));
    }

    #[test]
    fn a_corner_tetrahedron_has_the_closed_form() {
        let points = [Vector3::zeros(), Vector3::x() * 2.0, Vector3::y(), Vector3::z() * 3.0];
        let (_, mass) = Polytope::<Space>::hull(&points).unwrap();
        assert!((mass.volume - 1.0).abs() < 1e-15);
        assert!((mass.centre - Vector3::new(0.5, 0.25, 0.75)).norm() < 1e-15);
        // Second moments: variance 3 a2/80 on the axes, covariance -ab/80 across.
        let (a, b, c) = (2.0, 1.0, 3.0);
        let trace = 3.0 * (a * a + b * b + c * c) / 80.0;
        assert!((mass.inertia.sum() - 2.0 * trace).abs() < 1e-14);
        let r = mass.orientation.matrix();
        let tensor = r * nalgebra::Matrix3::from_diagonal(&mass.inertia) * r.transpose();
        assert!((tensor[(0, 1)] - a * b / 80.0).abs() < 1e-15 && (tensor[(1, 2)] - b * c / 80.0).abs() < 1e-15);
        assert!((tensor[(0, 0)] - (trace - 3.0 * a * a / 80.0)).abs() < 1e-14);
    }

    #[test]
    fn regular_polygons_prisms_and_solids_have_the_closed_forms() {
        for n in [3, 4, 5, 6, 17] {
            let (_, mass) = Polytope::<Plane>::regular(n).unwrap();
            let angle = std::f64::consts::PI / n as f64;
            assert!((mass.volume - 0.5 * n as f64 * (2.0 * angle).sin()).abs() < 1e-14);
            let polar = (2.0 + (2.0 * angle).cos()) / 6.0;
            assert!((mass.inertia.x - polar).abs() < 1e-14);
            let (_, prism) = Polytope::prism(n, 0.8).unwrap();
            assert!((prism.volume - 0.8 * mass.volume).abs() < 1e-14);
            assert!((prism.inertia.z - polar).abs() < 1e-14);
            assert!((prism.inertia.x - (0.5 * polar + 0.64 / 12.0)).abs() < 1e-14);
        }
        // Radius one: edge^2 = 8/3, inertia edge^2/20.
        let (_, tetrahedron) = Polytope::tetrahedron().unwrap();
        assert!((tetrahedron.inertia - Vector3::repeat(8.0 / 60.0)).norm() < 1e-14);
        let (_, octahedron) = Polytope::octahedron().unwrap();
        assert!((octahedron.inertia - Vector3::repeat(0.2)).norm() < 1e-14);
        let golden = 0.5 * (1.0 + 5f64.sqrt());
        let edge = 4.0 / (10.0 + 2.0 * 5f64.sqrt()).sqrt();
        let (_, icosahedron) = Polytope::icosahedron().unwrap();
        assert!((icosahedron.inertia.x - golden * golden * edge * edge / 10.0).abs() < 1e-14);
    }

    #[test]
    fn a_fine_polyhedron_is_nearly_a_sphere() {
        let (_, mass) = Polytope::sphere_like(2000).unwrap();
        assert!((mass.volume / (4.0 / 3.0 * std::f64::consts::PI) - 1.0).abs() < 5e-3);
        assert!((mass.inertia - Vector3::repeat(0.4)).norm() < 3e-3);
    }

    #[test]
    fn moving_and_rotating_the_points_moves_and_rotates_the_solid() {
        let points: Vec<Vector3<f64>> = (0..30)
            .map(|k| Vector3::new((k as f64).sin(), 2.0 * (1.7 * k as f64).cos(), (k * k) as f64 % 7.0))
            .collect();
        let (at_rest, before) = Polytope::<Space>::hull(&points).unwrap();
        let rotation = Quaternion::identity().turned(Vector3::new(0.4, -1.0, 0.3));
        let shift = Vector3::new(5.0, -3.0, 2.0);
        let moved: Vec<_> = points.iter().map(|p| rotation.rotate(*p) + shift).collect();
        let (_, after) = Polytope::<Space>::hull(&moved).unwrap();
        assert!((after.volume / before.volume - 1.0).abs() < 1e-13);
        assert!((after.inertia - before.inertia).norm() < 1e-12 * before.inertia.norm());
        assert!((after.centre - (rotation.rotate(before.centre) + shift)).norm() < 1e-13);
        // Transformed back to the frame of the input, every corner is one of the points.
        for v in &at_rest.vertices {
            let input = before.centre + before.orientation.rotate(*v);
            assert!(points.iter().any(|p| (p - input).norm() < 1e-13));
        }
    }

    #[test]
    fn a_mass_far_from_the_origin_keeps_its_digits() {
        let far = Vector2::new(1e6, -1e6);
        let square: Vec<_> =
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| Vector2::new(x, y) + far).into();
        let (_, mass) = Polytope::<Plane>::hull(&square).unwrap();
        assert!((mass.volume - 1.0).abs() < 1e-14 && (mass.inertia.x - 1.0 / 6.0).abs() < 1e-14);
        let double: MassProperties<Plane> = mass.scaled(2.0);
        assert!((double.volume - 4.0).abs() < 1e-14 && (double.inertia.x - 4.0 / 6.0).abs() < 1e-14);
    }
}
