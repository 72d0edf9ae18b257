//! Tests of contacts of cylinders and capsules.
//!
//! Separated bodies: a pair of points, one in each body, whose distance equals the width of the empty slab between the
//! bodies, proves the distance. Overlapping bodies: no slab that a slow climb finds is wider.

use super::oracle::{OracleBody, distance, slab, touches, widest};
use super::*;
use crate::contactor::Polytope;
use crate::dim::{Quaternion, Space};
use crate::interaction::polytope::Solid;
use crate::interaction::polytope::oracle::{TestRandom, WorldPolytope, cuboid, prism, random, segments, truth};
use nalgebra::Vector3;

/// Number of pairs per type; NSCDD_PAIRS overrides it.
fn pairs() -> usize {
    std::env::var("NSCDD_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

/// A random generator; NSCDD_SEED is added to its seed: other bodies, same assertions.
pub(super) fn seed(own: u64) -> TestRandom {
    TestRandom(own + std::env::var("NSCDD_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}

/// One in this many overlapping pairs is compared with the slow climb; NSCDD_CLIMBS overrides it.
fn climbs() -> usize {
    std::env::var("NSCDD_CLIMBS").ok().and_then(|n| n.parse().ok()).unwrap_or(5)
}

pub(super) fn any(rng: &mut TestRandom) -> Quaternion {
    Quaternion::new(rng.signed(), rng.signed(), rng.signed(), rng.signed())
}

struct Stock {
    polytopes: Vec<Polytope<Space>>,
    segments: Vec<Polytope<Space>>,
}

impl Stock {
    fn new() -> Self {
        let mut rng = seed(1);
        let mut polytopes: Vec<_> = (0..8).map(|k| random::<Space>(5 + k, &mut rng)).collect();
        polytopes.extend([cuboid(Vector3::new(0.5, 0.6, 0.7)), cuboid(Vector3::new(0.4, 0.4, 0.4)), prism(6, 0.5)]);
        Self { polytopes, segments: (0..8).map(|k| Polytope::<Space>::segment(0.2 + 0.1 * k as f64)).collect() }
    }

    fn make(&self, kind: char, rng: &mut TestRandom, orientation: Quaternion) -> OracleBody<'_> {
        let solid = |polytope, rounding| {
            OracleBody::Solid(Solid { polytope, size: 1.0, position: Vector3::zeros(), orientation, rounding })
        };
        let pick = |rng: &mut TestRandom, many: usize| (rng.uniform() * many as f64) as usize;
        match kind {
            'o' => OracleBody::Ball(Vector3::zeros(), 0.1 + 0.4 * rng.uniform()),
            'c' => {
                let (l, r) = (0.1 + 0.7 * rng.uniform(), 0.1 + 0.7 * rng.uniform());
                OracleBody::Cylinder(Cylinder::new(Vector3::zeros(), orientation, l, r))
            }
            's' => solid(&self.segments[pick(rng, self.segments.len())], 0.1 + 0.3 * rng.uniform()),
            _ => solid(&self.polytopes[pick(rng, self.polytopes.len())], 0.0),
        }
    }
}

/// Pairs at prescribed gaps; `check` gets the pair, the gap, and the axis found when the bodies were further apart.
fn sweep(stock: &Stock, kinds: [char; 2], mut check: impl FnMut(usize, OracleBody, OracleBody, f64, Vector3<f64>)) {
    let mut rng = seed(7);
    for round in 0..pairs() {
        let orientation = any(&mut rng);
        let quarter = Quaternion::identity().turned(Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        let tiny = Vector3::new(rng.signed(), rng.signed(), rng.signed()) * 10f64.powf(-1.0 - 12.0 * rng.uniform());
        let other = match round % 9 {
            0 => orientation,
            1 => orientation.times(&quarter),
            2 => orientation.turned(tiny),
            3 => orientation.times(&quarter).turned(tiny),
            _ => any(&mut rng),
        };
        let shift = Vector3::new(rng.signed(), rng.signed(), rng.signed()) * 0.5;
        let (a, b) = (stock.make(kinds[0], &mut rng, orientation), stock.make(kinds[1], &mut rng, other));
        let mut direction = rng.direction::<Space>();
        // In some rounds perpendicular to the axis, so that sides touch; in others along it.
        if round % 4 < 2 {
            let axis = orientation.rotate(Vector3::z());
            direction = if round % 4 == 0 { direction - axis * direction.dot(&axis) } else { axis + direction * 0.2 };
        }
        let (a, b) = (a.moved(shift), b.moved(shift + direction.normalize() * 3.5));
        let (apart, axis, _) = distance(&a, &b);
        let sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
        let gap = if round % 10 == 0 { 0.0 } else { sign * 10f64.powf(-1.0 - 13.0 * rng.uniform()) };
        check(round, a, b.moved(axis * (gap - apart)), gap, axis);
    }
}

/// Distance of the cores, by brute force over features.
fn brute_force(a: &Solid<Space>, b: &Solid<Space>) -> f64 {
    let origin = (a.position + b.position) * 0.5;
    let (wa, wb) = (WorldPolytope::new(a, origin), WorldPolytope::new(b, origin));
    if b.polytope.faces.is_empty() {
        let ([p, q], [u, v]) = ([wa.vertices[0], wa.vertices[1]], [wb.vertices[0], wb.vertices[1]]);
        return segments(p, q - p, u, v - u).norm();
    }
    truth(&wa, &wb).distance
}

fn distances_are_proven(kinds: [char; 2]) {
    let stock = Stock::new();
    let (mut rng, climbs) = (seed(11), climbs());
    sweep(&stock, kinds, |round, a, b, gap, axis| {
        let (found, n, point) = distance(&a, &b);
        assert!((n.norm() - 1.0).abs() < 1e-14, "{round}");
        assert!((slab(&a, &b, n) - found).abs() < 1e-14 * 4.0, "{round}: slab {} for {found}", slab(&a, &b, n));
        // Moved along the axis of largest separation, the two bodies keep it as long as they are apart.
        assert!(found > gap - 1e-13 * 4.0, "{round}: {found} for {gap}");
        if gap >= 0.0 {
            assert!((found - gap).abs() < 1e-13 * 4.0, "{round}: {found} for {gap}");
            let digits = if gap > 0.0 { 1e-14 / gap } else { 2.0 };
            // Nearly parallel lines cross at a point, and thus along an axis, that rounding determines.
            let equal = (slab(&a, &b, axis) - found).abs() < 1e-14;
            let nearly = matches!(round % 9, 2 | 3) && equal;
            // A flat part is preferred to an axis that is wider by rounding only.
            let nearly = nearly || (equal && (a.has_flat(n) || b.has_flat(n)));
            assert!(
                nearly || (n - axis).norm() < 1e-9 + digits,
                "{round}: {n:?} for {axis:?}, {} at {gap}",
                (n - axis).norm()
            );
        }
        if gap >= 0.0 {
            // Where flat parts overlap, the returned point is one of many, and may miss the other body.
            let near = touches(&a, &b, gap + 1e-12).into_iter().map(|t| t.point);
            let out = |p: Vector3<f64>| a.outside(p - n * (0.5 * found)).max(b.outside(p + n * (0.5 * found)));
            let least = point.into_iter().chain(near).map(out).fold(f64::INFINITY, f64::min);
            let least = if let (OracleBody::Solid(a), OracleBody::Solid(b)) = (&a, &b) {
                (brute_force(a, b) - (a.rounding + b.rounding) - found).abs()
            } else {
                least
            };
            // For nearly coplanar rims the nearest points are less accurate than their distance.
            let digits = match round % 9 {
                // Parallel rims that touch at zero distance have no axis either.
                0..=3 if gap == 0.0 => 1e-5,
                2 | 3 => 1e-8,
                // 1e-12 of the size.
                _ => 2.5e-12,
            };
            assert!(least < digits, "{round}: outside by {least} at {gap}");
        }
        if gap < 0.0 && round % climbs == 0 {
            let climbed = widest(&a, &b, &mut rng);
            assert!(found > climbed - 1e-12, "{round}: {found} but {climbed} was climbed to at {gap}");
        }
    });
}

fn deep_overlaps_leave_by_the_shortest_way(kinds: [char; 2]) {
    let stock = Stock::new();
    let mut rng = seed(12);
    let (mut worse, mut worst) = (0, 0.0f64);
    let count = pairs() / climbs();
    for round in 0..count {
        let (first, second) = (any(&mut rng), any(&mut rng));
        let (a, b) = (stock.make(kinds[0], &mut rng, first), stock.make(kinds[1], &mut rng, second));
        let b = b.moved(rng.direction::<Space>() * rng.uniform());
        let (found, n, _) = distance(&a, &b);
        assert!((n.norm() - 1.0).abs() < 1e-14, "{round}");
        assert!((slab(&a, &b, n) - found).abs() < 1e-13, "{round}");
        let climbed = widest(&a, &b, &mut rng);
        if found < climbed - 1e-12 {
            worse += 1;
            worst = worst.max(climbed - found);
        }
    }
    assert!(worse == 0, "{worse} of {count}, worst {worst}");
}

fn nothing_is_missed_or_invented(kinds: [char; 2]) {
    let stock = Stock::new();
    let mut rng = seed(13);
    let (mut none, mut several) = (0, 0);
    sweep(&stock, kinds, |round, a, b, _, _| {
        let (apart, axis, _) = distance(&a, &b);
        let alert = apart.abs() * 4.0 * rng.uniform() + 1e-12;
        let found = touches(&a, &b, alert);
        assert_eq!(found.is_empty(), apart > alert, "{round}: {apart} {alert}");
        none += usize::from(found.is_empty());
        several += usize::from(found.len() > 1);
        for touch in &found {
            assert!(touch.gap <= alert && (touch.normal.norm() - 1.0).abs() < 1e-14, "{round}");
            assert!(touch.normal.dot(&axis) > 0.98 || apart <= 1e-6, "{round}: {:?} {axis:?}", touch.normal);
            let (on_a, on_b) =
                (touch.point - touch.normal * (0.5 * touch.gap), touch.point + touch.normal * (0.5 * touch.gap));
            let out = a.outside(on_a).max(b.outside(on_b));
            let allowed = 6e-6 + if apart < 0.0 { -2.0 * apart } else { 0.2 * touch.gap.abs() };
            assert!(out < allowed, "{round}: {out} outside of {} at {apart}, {:x}", found.len(), touch.feature);
        }
        if let Some(deepest) = found.iter().map(|t| t.gap).min_by(f64::total_cmp) {
            assert!(deepest >= apart - 1e-2 * apart.abs() - 6e-6, "{round}: {deepest} {apart}");
            assert!(deepest <= apart + 1e-2 * apart.abs() + 6e-6, "{round}: {deepest} {apart}");
        }
        let mut names: Vec<u64> = found.iter().map(|t| t.feature).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len(), "{round}: names are unique");
    });
    assert!(none > pairs() / 20, "{none}");
    assert!(several > pairs() / 100 || kinds[1] == 'o', "{several}");
}

fn moving_both_moves_the_contact(kinds: [char; 2]) {
    let stock = Stock::new();
    let mut rng = seed(14);
    sweep(&stock, kinds, |round, a, b, gap, _| {
        let (orientation, shift) = (any(&mut rng), Vector3::new(rng.signed(), rng.signed(), rng.signed()));
        let (before, axis, _) = distance(&a, &b);
        let (after, turned, _) = distance(&a.turned(orientation).moved(shift), &b.turned(orientation).moved(shift));
        // Nearly coplanar rims: the width depends on the axis, but only slightly.
        let digits = if matches!(round % 9, 2 | 3) { 1e-12 } else { 1e-13 };
        assert!((before - after).abs() < digits, "{round}: {before} {after}");
        if gap > 1e-5 && !matches!(round % 9, 2 | 3) {
            assert!((orientation.rotate(axis) - turned).norm() < 2e-9, "{round}: at {gap}");
        }
    });
}

macro_rules! facts {
    ($($name:ident $kinds:expr;)*) => {$(
        mod $name {
            #[test]
            fn distances_are_proven() {
                super::distances_are_proven($kinds);
            }
            #[test]
            fn deep_overlaps_leave_by_the_shortest_way() {
                super::deep_overlaps_leave_by_the_shortest_way($kinds);
            }
            #[test]
            fn nothing_is_missed_or_invented() {
                super::nothing_is_missed_or_invented($kinds);
            }
            #[test]
            fn moving_both_moves_the_contact() {
                super::moving_both_moves_the_contact($kinds);
            }
        }
    )*};
}

facts! {
    cylinder_and_ball ['c', 'o'];
    cylinder_and_polytope ['c', 'p'];
    cylinder_and_cylinder ['c', 'c'];
    cylinder_and_capsule ['c', 's'];
    capsule_and_polytope ['s', 'p'];
    capsule_and_capsule ['s', 's'];
    capsule_and_ball ['s', 'o'];
}

#[test]
fn swapping_two_cylinders_or_capsules_mirrors_every_bit() {
    for kinds in [['c', 'c'], ['s', 's'], ['s', 'p']] {
        sweep(&Stock::new(), kinds, |round, a, b, gap, _| {
            for alert in [1e-9, 2.0 * gap.abs(), 0.1] {
                let (ab, ba) = (touches(&a, &b, alert), touches(&b, &a, alert));
                assert_eq!(ab.len(), ba.len(), "{kinds:?} {round}");
                for (x, y) in ab.iter().zip(&ba) {
                    assert_eq!((x.gap, x.point, x.normal), (y.gap, y.point, -y.normal), "{kinds:?} {round}");
                }
            }
        });
    }
}

fn on_the_floor(c: &Cylinder<Space>, alert: f64) -> Vec<ContactPoint<Space>> {
    let mut found = Vec::new();
    touches_half_space(c, Vector3::zeros(), Vector3::z(), alert, |t| found.push(t));
    found
}

#[test]
fn a_cylinder_stands_on_eight_points_and_lies_on_two() {
    let upright = Quaternion::identity();
    let lying = upright.turned(Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    for gap in [1e-4, 1e-12, 0.0, -1e-6] {
        let found = on_the_floor(&Cylinder::new(Vector3::new(0.3, 0.1, 0.5 + gap), upright, 0.5, 0.2), 1e-3);
        assert_eq!(found.len(), 8);
        assert!(found.iter().all(|t| (t.gap - gap).abs() < 1e-15 && t.normal == -Vector3::z()));
        let found = on_the_floor(&Cylinder::new(Vector3::new(0.3, 0.1, 0.2 + gap), lying, 0.5, 0.2), 1e-3);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|t| (t.gap - gap).abs() < 1e-15));
        assert!(((found[0].point - found[1].point).norm() - 1.0).abs() < 1e-14);
    }
    // On its edge: exactly the lowest rim point.
    let tilted = Cylinder::new(Vector3::new(0.0, 0.0, 0.6), upright.turned(Vector3::new(0.6, 0.0, 0.0)), 0.5, 0.2);
    let found = on_the_floor(&tilted, 0.1);
    assert_eq!(found.len(), 1);
    assert!((found[0].gap - (0.6 - 0.5 * 0.6f64.cos() - 0.2 * 0.6f64.sin())).abs() < 1e-15);
}

#[test]
fn a_cylinder_on_a_box_or_on_its_like_keeps_its_support() {
    let upright = Quaternion::identity();
    let stock = [cuboid::<Space>(Vector3::new(1.0, 1.0, 0.5)), cuboid::<Space>(Vector3::new(0.1, 0.1, 0.5))];
    for gap in [1e-4, 1e-9, 0.0, -1e-6] {
        let a = Cylinder::new(Vector3::new(0.1, 0.2, 1.0 + gap), upright, 0.5, 0.3);
        let below = |polytope, x: f64| Solid {
            polytope,
            size: 1.0,
            position: Vector3::new(x, 0.2, 0.0),
            orientation: upright,
            rounding: 0.0,
        };
        let count = |b: &Solid<Space>| {
            let mut count = 0;
            touches_polytope(&a, b, 1e-3, |t| {
                assert!((t.gap - gap).abs() < 1e-14 && (t.normal + Vector3::z()).norm() < 1e-14);
                count += 1;
            });
            count
        };
        assert_eq!(count(&below(&stock[0], 0.0)), 8);
        // All corners of a small top are under the cap; over an edge there are two crossings and the remaining rim
        // points.
        assert_eq!(count(&below(&stock[1], 0.1)), 4);
        assert_eq!(count(&below(&stock[0], 1.15)), 5);
        let like = Cylinder::new(Vector3::new(0.1, 0.2, 0.0), upright, 0.5, 0.3);
        let found = touches(&OracleBody::Cylinder(like), &OracleBody::Cylinder(a), 1e-3);
        assert!(found.len() >= 8 && found.iter().all(|t| (t.gap - gap).abs() < 1e-14));
    }
}

#[test]
fn a_cylinder_in_a_drum_touches_with_both_ends_of_its_outermost_line() {
    let drum = Hollow { point: Vector3::new(1.0, 0.0, 0.0), axis: Vector3::z(), radius: 2.0 };
    let c = Cylinder::new(Vector3::new(1.0, -1.69, 3.0), Quaternion::identity(), 0.5, 0.3);
    let mut found = Vec::new();
    touches_hollow(&c, &drum, 0.1, |t: ContactPoint<Space>| found.push(t));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|t| (t.gap - 0.01).abs() < 1e-14 && (t.normal + Vector3::y()).norm() < 1e-14));
    // A coin flat on the wall: two points of either rim.
    let flat = Quaternion::identity().turned(Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let coin = Cylinder::new(Vector3::new(1.0, -1.9, 0.0), flat, 0.05, 0.3);
    let mut gaps = Vec::new();
    touches_hollow(&coin, &drum, 0.2, |t: ContactPoint<Space>| gaps.push(t.gap));
    assert_eq!(gaps.len(), 4);
    assert!(gaps.iter().any(|g| (g - (2.0 - 1.95f64.hypot(0.3))).abs() < 1e-14));
}

#[test]
fn parallel_capsules_and_a_capsule_on_a_face_touch_with_two_points() {
    let (segment, slab) = (Polytope::<Space>::segment(0.5), cuboid::<Space>(Vector3::new(1.0, 1.0, 0.5)));
    let orientation = Quaternion::identity().turned(Vector3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let at = |polytope, x: f64, z: f64, orientation, rounding| {
        let position = Vector3::new(x, 0.0, z);
        OracleBody::Solid(Solid { polytope, size: 1.0, position, orientation, rounding })
    };
    for gap in [1e-4, 1e-12, 0.0, -1e-6] {
        let (a, b) = (at(&segment, 0.0, 0.0, orientation, 0.2), at(&segment, 0.3, 0.5 + gap, orientation, 0.3));
        let found = touches(&a, &b, 1e-3);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|t| (t.gap - gap).abs() < 1e-14));
        assert!(((found[0].point - found[1].point).norm() - 0.7).abs() < 1e-14);
        let (a, b) = (at(&segment, 0.8, 0.7 + gap, orientation, 0.2), at(&slab, 0.0, 0.0, Quaternion::identity(), 0.0));
        let found = touches(&a, &b, 1e-3);
        assert_eq!(found.len(), 2);
        assert!(((found[0].point - found[1].point).norm() - 0.7).abs() < 1e-14);
    }
}
