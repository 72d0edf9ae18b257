//! Random convex grains with corners on an ellipse or ellipsoid, reproducible from a seed.
//!
//! All points of an ellipsoid are extreme points, so a grain has exactly the requested number of corners; only their
//! positions, and the middle axis in space, are random.

use std::f64::consts::PI;

use nalgebra::Vector3;
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64;

use super::library::{Made, check_count, fibonacci};
use super::{Polytope, ShapeFault};
use crate::dim::{Dim, Plane, Space, Vector};

/// Parameters of random grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Number of corners: at least 3 in the plane, 4 in space.
    pub corners: usize,
    /// Ratio of the shortest to the longest axis of the ellipsoid, from 0.001 to 1.
    pub aspect: f64,
    /// Displacement of the corners from even spacing, in [0, 1): 0 none, close to 1 until they almost coincide.
    pub irregularity: f64,
}

impl Grain {
    /// A polygon whose farthest corner is at distance one from the centre of mass.
    pub fn polygon(&self, seed: u64) -> Made<Plane> {
        self.shape(seed)
    }

    /// A polyhedron whose farthest corner is at distance one from the centre of mass.
    pub fn polyhedron(&self, seed: u64) -> Made<Space> {
        self.shape(seed)
    }

    /// A polygon or polyhedron whose farthest corner is at distance one from the centre of mass.
    pub fn shape<X: Dim>(&self, seed: u64) -> Made<X> {
        let corners = if X::HAS_DEPTH { self.on_ellipsoid(seed)? } else { self.on_ellipse(seed)? };
        Polytope::unit_hull(&corners.iter().map(|corner| X::Vector::read(corner)).collect::<Vec<_>>())
    }

    fn on_ellipse(&self, seed: u64) -> Result<Vec<[f64; 3]>, ShapeFault> {
        check_count("corners", self.corners, 3, "a polygon has at least 3 and at most 10000")?;
        self.check()?;
        let mut uniform = uniform(seed);
        let start = uniform();
        let corner = |k: usize| {
            let position = k as f64 + start + self.irregularity * (uniform() - 0.5);
            let (s, c) = (2.0 * PI * position / self.corners as f64).sin_cos();
            [c, self.aspect * s, 0.0]
        };
        Ok((0..self.corners).map(corner).collect())
    }

    fn on_ellipsoid(&self, seed: u64) -> Result<Vec<[f64; 3]>, ShapeFault> {
        check_count("corners", self.corners, 4, "a polyhedron has at least 4 and at most 10000")?;
        self.check()?;
        let mut uniform = uniform(seed);
        let middle = self.aspect + (1.0 - self.aspect) * uniform();
        // A third of the distance between neighbours: corners stay apart, and faces do not degenerate.
        let radius = self.irregularity * (4.0 * PI / self.corners as f64).sqrt() / 3.0;
        let corner = |direction: Vector3<f64>| {
            let moved = direction + Vector3::from_fn(|_, _| radius * (2.0 * uniform() - 1.0));
            moved.normalize().component_mul(&Vector3::new(1.0, middle, self.aspect)).into()
        };
        Ok(fibonacci(self.corners).into_iter().map(corner).collect())
    }

    fn check(&self) -> Result<(), ShapeFault> {
        if !(1e-3..=1.0).contains(&self.aspect) {
            return Err(ShapeFault::Parameter { name: "aspect", value: self.aspect, rule: "it must be in [0.001, 1]" });
        }
        if !(0.0..1.0).contains(&self.irregularity) {
            let rule = "it must be at least 0 and below 1";
            return Err(ShapeFault::Parameter { name: "irregularity", value: self.irregularity, rule });
        }
        Ok(())
    }
}

/// Uniform random numbers in [0, 1), 53 bits each.
fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut random = Pcg64::seed_from_u64(seed);
    move || (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grains_have_the_corners_asked_for_and_reach_one() {
        for seed in 0..200 {
            let corners = 3 + seed as usize % 20;
            let grain = Grain { corners, aspect: 0.3 + 0.0035 * seed as f64, irregularity: 0.9 };
            let (polygon, mass) = grain.polygon(seed).unwrap();
            assert_eq!(polygon.vertices.len(), corners);
            assert!((polygon.reach() - 1.0).abs() < 1e-14 && mass.volume > 0.0);
            let grain = Grain { corners: corners + 1, ..grain };
            let (polyhedron, mass) = grain.polyhedron(seed).unwrap();
            assert_eq!(polyhedron.vertices.len(), corners + 1);
            assert!((polyhedron.reach() - 1.0).abs() < 1e-14 && mass.volume > 0.0);
        }
    }

    #[test]
    fn a_seed_gives_the_same_grain_and_another_seed_another() {
        let grain = Grain { corners: 12, aspect: 0.6, irregularity: 0.5 };
        assert_eq!(grain.polyhedron(5), grain.polyhedron(5));
        assert_ne!(grain.polyhedron(5), grain.polyhedron(6));
        assert_ne!(grain.polygon(5), grain.polygon(6));
    }

    #[test]
    fn impossible_grains_are_refused() {
        let grain = Grain { corners: 12, aspect: 0.6, irregularity: 0.5 };
        assert!(Grain { corners: 3, ..grain }.polyhedron(0).is_err());
        assert!(Grain { aspect: 0.0, ..grain }.polygon(0).is_err());
        assert!(Grain { aspect: f64::NAN, ..grain }.polygon(0).is_err());
        assert!(Grain { irregularity: 1.0, ..grain }.polyhedron(0).is_err());
    }
}
