//! Circular arc traced by the centre of a ball that rolls without inertia over its supports.
//!
//! Every event that can end an arc (contact with another ball or a wall, loss of a support) occurs where a function a
//! cos(t) + b sin(t) + c of the angle t along the arc falls below zero, so every event has a closed form.

use std::f64::consts::TAU;

use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};

/// An arc that starts at angle zero: position(t) = middle + radius (outward cos t + forward sin t).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arc<X: Dim> {
    pub(crate) middle: X::Vector,
    pub(crate) radius: f64,
    /// Unit vector from the middle to the start of the arc.
    pub(crate) outward: X::Vector,
    /// Unit tangent at the start of the arc.
    pub(crate) forward: X::Vector,
}

/// The function a cos(t) + b sin(t) + c of an angle t.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sinusoid {
    pub(crate) a: f64,
    pub(crate) b: f64,
    pub(crate) c: f64,
}

/// Angles below this count as no motion, rad.
const NO_MOTION: f64 = 1e-10;

impl<X: Dim> Arc<X> {
    /// The arc from `start` towards `downhill` on the sphere about `centre` with radius `reach`. With `cut` (the unit
    /// normal of a plane and its distance from the centre), the arc lies on the circle where that plane cuts the
    /// sphere.
    pub(crate) fn new(
        centre: X::Vector,
        reach: f64,
        cut: Option<(X::Vector, f64)>,
        start: X::Vector,
        downhill: X::Vector,
    ) -> Option<Self> {
        let (axis, offset) = cut.unwrap_or((X::Vector::zero(), 0.0));
        let middle = centre + axis * offset;
        let radius = (reach * reach - offset * offset).max(0.0).sqrt();
        let arm = start - middle;
        let outward = unit(arm - axis * axis.dot(&arm))?;
        // Orthogonalise twice: on a shallow slope one pass leaves few significant digits in the direction.
        let mut forward = downhill;
        for _ in 0..2 {
            forward -= axis * axis.dot(&forward);
            forward -= outward * outward.dot(&forward);
            forward = unit(forward)?;
        }
        Some(Self { middle, radius, outward, forward })
    }

    /// Position at angle `t`.
    pub(crate) fn at(&self, t: f64) -> X::Vector {
        self.middle + self.outward * (self.radius * t.cos()) + self.forward * (self.radius * t.sin())
    }

    /// Component of the position along `direction`, minus `level`.
    pub(crate) fn component(&self, direction: X::Vector, level: f64) -> Sinusoid {
        Sinusoid {
            a: self.radius * direction.dot(&self.outward),
            b: self.radius * direction.dot(&self.forward),
            c: direction.dot(&self.middle) - level,
        }
    }

    /// Squared distance of the position from `centre`, minus `distance` squared.
    pub(crate) fn squared_distance(&self, centre: X::Vector, distance: f64) -> Sinusoid {
        let arm = self.middle - centre;
        let Sinusoid { a, b, .. } = self.component(arm, 0.0);
        Sinusoid { a: 2.0 * a, b: 2.0 * b, c: arm.norm2() + self.radius * self.radius - distance * distance }
    }

    /// Bounding box of the full circle.
    pub(crate) fn bounds(&self) -> Bounds<X> {
        let around = X::Vector::from_fn(|i| self.radius * self.outward[i].hypot(self.forward[i]));
        Bounds { min: self.middle - around, max: self.middle + around }
    }
}

impl Sinusoid {
    pub(crate) fn times(self, factor: f64) -> Self {
        Self { a: self.a * factor, b: self.b * factor, c: self.c * factor }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self { a: self.a - other.a, b: self.b - other.b, c: self.c - other.c }
    }

    /// The first angle at which the function becomes negative. A function that starts at zero counts as negative there
    /// only if it clearly decreases, so that a support that was just left is not detected again.
    pub(crate) fn first_negative(&self) -> Option<f64> {
        let height = self.a.hypot(self.b);
        if self.c.abs() >= height {
            return None;
        }
        let t = (self.b.atan2(self.a) + (-self.c / height).acos()).rem_euclid(TAU);
        if !(NO_MOTION..=TAU - NO_MOTION).contains(&t) {
            return (self.b < -NO_MOTION * height).then_some(0.0);
        }
        Some(t)
    }
}

/// `v` normalised; `None` for the zero vector.
pub(crate) fn unit<V: Vector>(v: V) -> Option<V> {
    let norm = v.norm();
    (norm > 0.0).then(|| v * (1.0 / norm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Space;
    use nalgebra::Vector3;

    #[test]
    fn an_arc_on_a_sphere_cut_by_a_plane_stays_on_both() {
        let (centre, reach, offset) = (Vector3::new(0.1, 0.2, 0.3), 2.0, 0.7);
        let start = centre + Vector3::new(offset, 0.6, (reach * reach - offset * offset - 0.36f64).sqrt());
        let arc = Arc::<Space>::new(centre, reach, Some((Vector3::x(), offset)), start, Vector3::new(0.3, 1e-9, -1e-9))
            .unwrap();
        assert!((arc.at(0.0) - start).norm() < 1e-15);
        for t in [0.1, 1.0, 2.5] {
            assert!(((arc.at(t) - centre).norm() - reach).abs() < 1e-14);
            assert!((arc.at(t).x - centre.x - offset).abs() < 1e-15);
        }
    }

    #[test]
    fn the_arc_of_a_ball_ends_where_it_touches_its_neighbour() {
        let arc = Arc::<Space>::new(Vector3::zeros(), 2.0, None, Vector3::z() * 2.0, Vector3::x()).unwrap();
        let neighbour = Vector3::new(3.0, 0.4, 0.0);
        let t = arc.squared_distance(neighbour, 2.0).first_negative().unwrap();
        assert!(((arc.at(t) - neighbour).norm() - 2.0).abs() < 1e-14);
        assert!((arc.at(0.99 * t) - neighbour).norm() > 2.0);
        let floor = arc.component(Vector3::z(), 1.0).first_negative().unwrap();
        assert!((arc.at(floor).z - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_sinusoid_that_rises_from_zero_is_negative_only_after_it_returns_to_zero() {
        let rising = Sinusoid { a: 0.0, b: 1.0, c: 0.0 };
        assert!((rising.first_negative().unwrap() - std::f64::consts::PI).abs() < 1e-15);
        assert_eq!(Sinusoid { a: 0.0, b: -1.0, c: 0.0 }.first_negative(), Some(0.0));
        assert_eq!(Sinusoid { a: -1.0, b: 0.0, c: 1.0 }.first_negative(), None);
        assert_eq!(Sinusoid { a: 1.0, b: 0.0, c: 2.0 }.first_negative(), None);
    }
}
