//! Reference solutions for tests of cylinders: explicit support functions and insides, and a climb from many
//! directions.

use super::*;
use crate::dim::{Quaternion, Space};
use crate::interaction::polytope::oracle::TestRandom;
use crate::interaction::polytope::{self, Solid};
use nalgebra::Vector3;

/// Any body of a test pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum OracleBody<'a> {
    Cylinder(Cylinder<Space>),
    Solid(Solid<'a, Space>),
    Ball(Vector3<f64>, f64),
}

impl OracleBody<'_> {
    /// Largest n.x over the body.
    pub(super) fn top(&self, n: Vector3<f64>, origin: Vector3<f64>) -> f64 {
        match self {
            OracleBody::Cylinder(c) => {
                (c.position - origin).dot(&n)
                    + c.half_length * c.axis.dot(&n).abs()
                    + c.radius * c.axis.cross(&n).norm()
            }
            OracleBody::Solid(s) => {
                let own = s.orientation.unrotate(n);
                let most = s.polytope.vertices.iter().map(|v| v.dot(&own)).fold(f64::NEG_INFINITY, f64::max);
                (s.position - origin).dot(&n) + most * s.size + s.rounding
            }
            OracleBody::Ball(c, r) => (c - origin).dot(&n) + r,
        }
    }

    /// Distance of a point outside the body: exact or less, but positive outside.
    pub(super) fn outside(&self, point: Vector3<f64>) -> f64 {
        match self {
            OracleBody::Cylinder(c) => {
                let from = point - c.position;
                (from.dot(&c.axis).abs() - c.half_length).max(from.cross(&c.axis).norm() - c.radius)
            }
            OracleBody::Solid(s) if s.polytope.faces.is_empty() => {
                let own = s.orientation.unrotate(point - s.position);
                let [p, q] = [s.polytope.vertices[0] * s.size, s.polytope.vertices[1] * s.size];
                let t = ((own - p).dot(&(q - p)) / (q - p).norm_squared()).clamp(0.0, 1.0);
                (own - (p + (q - p) * t)).norm() - s.rounding
            }
            OracleBody::Solid(s) => {
                let own = s.orientation.unrotate(point - s.position);
                let over = |f: &crate::contactor::Face<Space>| f.normal.dot(&own) - f.offset * s.size;
                s.polytope.faces.iter().map(over).fold(f64::NEG_INFINITY, f64::max) - s.rounding
            }
            OracleBody::Ball(c, r) => (point - c).norm() - r,
        }
    }

    /// Is a cap or face perpendicular to `n`?
    pub(super) fn has_flat(&self, n: Vector3<f64>) -> bool {
        match self {
            OracleBody::Cylinder(c) => c.axis.cross(&n).norm() < 4e-15,
            OracleBody::Solid(s) => {
                s.polytope.faces.iter().any(|f| s.orientation.rotate(f.normal).cross(&n).norm() < 4e-15)
            }
            OracleBody::Ball(..) => false,
        }
    }

    pub(super) fn position(&self) -> Vector3<f64> {
        match self {
            OracleBody::Cylinder(c) => c.position,
            OracleBody::Solid(s) => s.position,
            OracleBody::Ball(c, _) => *c,
        }
    }

    pub(super) fn moved(mut self, by: Vector3<f64>) -> Self {
        match &mut self {
            OracleBody::Cylinder(c) => c.position += by,
            OracleBody::Solid(s) => s.position += by,
            OracleBody::Ball(c, _) => *c += by,
        }
        self
    }

    pub(super) fn turned(mut self, rotation: Quaternion) -> Self {
        match &mut self {
            OracleBody::Cylinder(c) => {
                *c =
                    Cylinder::new(rotation.rotate(c.position), rotation.times(&c.orientation), c.half_length, c.radius);
            }
            OracleBody::Solid(s) => {
                (s.position, s.orientation) = (rotation.rotate(s.position), rotation.times(&s.orientation))
            }
            OracleBody::Ball(c, _) => *c = rotation.rotate(*c),
        }
        self
    }
}

/// Distance, normal, and a point between the nearest points where the code under test returns one.
pub(super) fn distance(a: &OracleBody, b: &OracleBody) -> (f64, Vector3<f64>, Option<Vector3<f64>>) {
    let result = |s: Separation<Space>| (s.distance, s.normal, Some(s.point));
    match (a, b) {
        (OracleBody::Cylinder(a), OracleBody::Cylinder(b)) => result(distance_to_cylinder(a, b)),
        (OracleBody::Cylinder(a), OracleBody::Solid(b)) => result(distance_to_polytope(a, b)),
        (OracleBody::Cylinder(a), OracleBody::Ball(c, r)) => {
            let (distance, normal) = distance_to_point(a, *c);
            let gap = distance - r;
            (gap, normal, Some(c - normal * (r + 0.5 * gap)))
        }
        (OracleBody::Solid(a), OracleBody::Solid(b)) => {
            let (distance, normal) = polytope::distance(a, b);
            (distance, normal, None)
        }
        (OracleBody::Solid(a), OracleBody::Ball(c, r)) => {
            let mut found = None;
            polytope::touches_ball(a, *c, *r, 1e9, |t| found = Some((t.gap, t.normal, Some(t.point))));
            found.unwrap()
        }
        _ => panic!("not in this order"),
    }
}

pub(super) fn touches(a: &OracleBody, b: &OracleBody, alert: f64) -> Vec<ContactPoint<Space>> {
    let mut found = Vec::new();
    let emit = |t| found.push(t);
    match (a, b) {
        (OracleBody::Cylinder(a), OracleBody::Cylinder(b)) => touches_cylinder(a, b, alert, emit),
        (OracleBody::Cylinder(a), OracleBody::Solid(b)) => touches_polytope(a, b, alert, emit),
        (OracleBody::Cylinder(a), OracleBody::Ball(c, r)) => touches_ball(a, *c, *r, alert, emit),
        (OracleBody::Solid(a), OracleBody::Solid(b)) => polytope::touches(a, b, alert, emit),
        (OracleBody::Solid(a), OracleBody::Ball(c, r)) => polytope::touches_ball(a, *c, *r, alert, emit),
        _ => panic!("not in this order"),
    }
    found
}

/// Width of the slab along `n`.
pub(super) fn slab(a: &OracleBody, b: &OracleBody, n: Vector3<f64>) -> f64 {
    let origin = (a.position() + b.position()) * 0.5;
    -b.top(-n, origin) - a.top(n, origin)
}

/// The widest slab found by a climb from the best of many directions: never wider than the true one.
pub(super) fn widest(a: &OracleBody, b: &OracleBody, rng: &mut TestRandom) -> f64 {
    let mut starts: Vec<(f64, Vector3<f64>)> = (0..300)
        .map(|_| {
            let n = rng.direction::<Space>();
            (slab(a, b, n), n)
        })
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    let mut best = f64::NEG_INFINITY;
    for &(mut width, mut n) in &starts[..6] {
        let mut step = 0.2;
        let mut iterations = 0;
        while step > 1e-8 && iterations < 60 {
            iterations += 1;
            let mut is_wider = false;
            for _ in 0..6 {
                let side = n.cross(&rng.direction::<Space>());
                for sign in [step, -step] {
                    let next = (n + side * sign).normalize();
                    let w = slab(a, b, next);
                    if w > width {
                        (width, n, is_wider) = (w, next, true);
                    }
                }
            }
            if !is_wider {
                step *= 0.4;
            }
        }
        best = best.max(width);
    }
    best
}
