//! Tests of non-convex polygons, against their outlines.
//!
//! Random outlines and stars; a corner of one is placed near a random point of the other: above its sides, at its
//! points, in its notches. The reference is computed from the outlines: which corners lie inside the other, and how
//! deep.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::contactor::{Compound, Part, Polytope, Shape, convex_parts};
use crate::dim::{Angle, Orientation, Plane};
use crate::interaction::narrow_phase;
use crate::interaction::polytope::oracle::TestRandom;
use nalgebra::Vector2;

type V2 = Vector2<f64>;

/// Alert distance.
const ALERT: f64 = 3e-3;

/// A body and its outline, counter-clockwise in body axes.
struct OutlinedGrain {
    shape: Shape<Plane>,
    outline: Vec<V2>,
}

impl OutlinedGrain {
    fn new(outline: &[V2]) -> Self {
        let part = |corners: Vec<V2>| {
            let (polytope, mass) = Polytope::<Plane>::hull(&corners).unwrap();
            let shape = Shape::block("polygon", polytope, mass);
            Part { shape, size: 1.0, position: mass.centre, orientation: mass.orientation }
        };
        let parts = convex_parts(outline).unwrap().into_iter().map(part).collect();
        let compound = Compound::new("polygon", parts);
        let own = |v: &V2| compound.mass.orientation.unrotate(*v - compound.mass.centre);
        Self { outline: outline.iter().map(own).collect(), shape: Shape::Compound(Box::new(compound)) }
    }

    /// A random outline: every second corner at `inner` of the radius, or all radii random.
    fn any(rng: &mut TestRandom) -> Self {
        let count = 2 * (3 + (rng.uniform() * 5.0) as usize);
        let (inner, is_random) = (0.25 + 0.5 * rng.uniform(), rng.uniform() < 0.5);
        let corner = |k: usize| {
            let radius = if is_random { 0.35 + 0.65 * rng.uniform() } else { [1.0, inner][k % 2] };
            let (s, c) = (std::f64::consts::TAU * k as f64 / count as f64).sin_cos();
            V2::new(c, s) * radius
        };
        Self::new(&(0..count).map(corner).collect::<Vec<_>>())
    }
}

/// An outline in world coordinates.
struct WorldOutline(Vec<V2>);

impl WorldOutline {
    fn of(grain: &OutlinedGrain, placed: &PosedShape<Plane>) -> Self {
        Self(grain.outline.iter().map(|v| placed.position + placed.orientation.rotate(*v)).collect())
    }

    fn sides(&self) -> impl Iterator<Item = [V2; 2]> + '_ {
        (0..self.0.len()).map(|k| [self.0[k], self.0[(k + 1) % self.0.len()]])
    }

    fn holds(&self, p: V2) -> bool {
        let crosses =
            |[a, b]: [V2; 2]| (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x;
        self.sides().filter(|side| crosses(*side)).count() % 2 == 1
    }

    /// Distance of a point from the outline.
    fn away(&self, p: V2) -> f64 {
        let to = |[a, b]: [V2; 2]| {
            let along = b - a;
            (p - a - along * ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0)).norm()
        };
        self.sides().map(to).fold(f64::INFINITY, f64::min)
    }

    /// Depth of the deepest corner of `other` inside.
    fn depth(&self, other: &WorldOutline) -> f64 {
        let inside = other.0.iter().filter(|v| self.holds(**v));
        inside.map(|v| self.away(*v)).fold(0.0, f64::max)
    }

    /// The crossings of its sides with those of `other`.
    fn crossings(&self, other: &WorldOutline) -> Vec<V2> {
        let orient = |a: V2, b: V2, c: V2| (b - a).perp(&(c - a));
        let cross = |[a, b]: [V2; 2], [c, d]: [V2; 2]| {
            let (p, q) = (orient(c, d, a), orient(c, d, b));
            (orient(a, b, c) * orient(a, b, d) < 0.0 && p * q < 0.0).then(|| a + (b - a) * (p / (p - q)))
        };
        self.sides().flat_map(|s| other.sides().filter_map(move |t| cross(s, t))).collect()
    }

    fn moved(&self, by: V2) -> Self {
        Self(self.0.iter().map(|v| v + by).collect())
    }

    fn is_convex(&self, k: usize) -> bool {
        let n = self.0.len();
        let (before, here, after) = (self.0[(k + n - 1) % n], self.0[k], self.0[(k + 1) % n]);
        (here - before).perp(&(after - here)) > 0.0
    }
}

/// Depth of one in the other; `None` where one has passed through the other: their sides cross far from all corners
/// inside.
fn depth(a: &WorldOutline, b: &WorldOutline) -> Option<f64> {
    let depth = a.depth(b).max(b.depth(a));
    let inside: Vec<&V2> = a.0.iter().filter(|v| b.holds(**v)).chain(b.0.iter().filter(|v| a.holds(**v))).collect();
    let is_explained = |p: &V2| inside.iter().any(|v| (*v - p).norm() <= 20.0 * depth);
    a.crossings(b).iter().all(is_explained).then_some(depth)
}

struct OutlineCase<'a> {
    number: usize,
    touches: Vec<ContactPoint<Plane>>,
    outlines: [&'a WorldOutline; 2],
    depth: f64,
}

impl OutlineCase<'_> {
    fn text(&self) -> String {
        let [a, b] = self.outlines.map(|o| o.0.iter().map(|v| [v.x, v.y]).collect::<Vec<_>>());
        format!("case {}, depth {:e}\n{a:?}\n{b:?}\n{:#?}", self.number, self.depth, self.touches)
    }
}

/// Length of the shortest translation that frees the second from the first, within one percent.
fn exit_length(a: &WorldOutline, b: &WorldOutline) -> f64 {
    let is_free = |by: V2| {
        let b = b.moved(by);
        a.depth(&b) == 0.0 && b.depth(a) == 0.0 && a.crossings(&b).is_empty()
    };
    let mut shortest = 0.1;
    for k in 0..48 {
        let (s, c) = (std::f64::consts::TAU * f64::from(k) / 48.0).sin_cos();
        let (mut low, mut high) = (0.0, shortest);
        if is_free(V2::new(c, s) * high) {
            while high - low > 5e-3 * high {
                let middle = 0.5 * (low + high);
                if is_free(V2::new(c, s) * middle) { high = middle } else { low = middle }
            }
            shortest = high;
        }
    }
    shortest
}

/// Calls `check` for `count` random shallow cases.
fn cases(seed: u64, count: usize, mut check: impl FnMut(&OutlineCase, &mut TestRandom)) {
    let mut rng = TestRandom(seed);
    let mut number = 0;
    while number < count {
        let grains = [OutlinedGrain::any(&mut rng), OutlinedGrain::any(&mut rng)];
        for _ in 0..200 {
            let a = PosedShape {
                shape: &grains[0].shape,
                size: 1.0,
                position: V2::zeros(),
                orientation: Angle(7.0 * rng.uniform()),
            };
            let mut b = PosedShape { shape: &grains[1].shape, orientation: Angle(7.0 * rng.uniform()), ..a };
            let first = WorldOutline::of(&grains[0], &a);
            let corner = WorldOutline::of(&grains[1], &b).0[(rng.uniform() * grains[1].outline.len() as f64) as usize];
            let from = (rng.uniform() * first.0.len() as f64) as usize;
            let [from, to] = [first.0[from], first.0[(from + 1) % first.0.len()]];
            // Half of them near a corner.
            let along = if rng.uniform() < 0.5 { rng.uniform() } else { 5e-3 * rng.uniform() };
            let along = if rng.uniform() < 0.5 { along } else { 1.0 - along };
            b.position = from + (to - from) * along - corner + V2::new(rng.signed(), rng.signed()) * ALERT;
            let second = WorldOutline::of(&grains[1], &b);
            let Some(depth) = depth(&first, &second).filter(|depth| *depth <= ALERT) else { continue };
            let mut touches = Vec::new();
            narrow_phase::touches(&a, &b, ALERT, |t| touches.push(t));
            check(&OutlineCase { number, touches, outlines: [&first, &second], depth }, &mut rng);
            number += 1;
        }
    }
}

#[test]
fn no_contact_point_of_two_outlines_is_deeper_than_the_overlap() {
    cases(1, 5_000, |case, _| {
        let deepest = case.touches.iter().map(|t| -t.gap).fold(0.0, f64::max);
        if deepest > case.depth + 1e-9 {
            let [a, b] = case.outlines;
            assert!(case.depth > 0.0, "apart: {}", case.text());
            let exit_length = exit_length(a, b);
            assert!(deepest <= 1.5 * exit_length, "{deepest:e} for an exit of {exit_length:e}: {}", case.text());
        }
    });
}

#[test]
fn every_corner_inside_another_outline_is_held() {
    cases(2, 20_000, |case, _| {
        for (own, other) in [(0, 1), (1, 0)] {
            let [own, other] = [own, other].map(|k| case.outlines[k]);
            for (k, v) in own.0.iter().enumerate() {
                if !own.is_convex(k) || !other.holds(*v) || other.away(*v) < 1e-9 {
                    continue;
                }
                let deep = other.away(*v);
                let near = |t: &ContactPoint<Plane>| {
                    (t.point - v).norm() <= 8.0 * case.depth - t.gap + 1e-6 && t.gap <= -0.4 * deep
                };
                assert!(case.touches.iter().any(near), "{v:?} at {deep:e}: {}", case.text());
            }
        }
    });
}

#[test]
fn outlines_that_keep_their_contacts_open_do_not_come_to_overlap() {
    cases(3, 20_000, |case, rng| {
        if case.depth > 0.0 {
            return;
        }
        for _ in 0..20 {
            let by = V2::new(rng.signed(), rng.signed()) * (0.7 * ALERT);
            if case.touches.iter().all(|t| t.gap + t.normal.dot(&by) >= 0.0) {
                let moved = case.outlines[1].moved(by);
                let overlap = depth(case.outlines[0], &moved).unwrap_or(ALERT);
                assert!(overlap < 1e-9, "{overlap:e} after {by:?}: {}", case.text());
            }
        }
    });
}
