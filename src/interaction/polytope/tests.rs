//! Tests of contact between polytopes, most of them against the brute-force reference.

use super::*;
use crate::contactor::Polytope;
use crate::dim::{Angle, Orientation, Plane, Quaternion, Space};
use nalgebra::{Vector2, Vector3};
use oracle::{HullOracle, TestRandom, WorldPolytope, cuboid, polygon, prism, random, slab, truth};

/// Number of pairs per type; NSCDD_PAIRS overrides it. All tests together take ten seconds on two cores.
fn pairs() -> usize {
    std::env::var("NSCDD_PAIRS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000)
}

trait RandomOrientation: HullOracle {
    fn any(rng: &mut TestRandom) -> Self::Orientation;
    fn after(first: Self::Orientation, then: Self::Orientation) -> Self::Orientation;
}

impl RandomOrientation for Plane {
    fn any(rng: &mut TestRandom) -> Angle {
        Angle(7.0 * rng.uniform())
    }
    fn after(first: Angle, then: Angle) -> Angle {
        Angle(first.0 + then.0)
    }
}

impl RandomOrientation for Space {
    fn any(rng: &mut TestRandom) -> Quaternion {
        Quaternion::new(rng.signed(), rng.signed(), rng.signed(), rng.signed())
    }
    fn after(first: Quaternion, then: Quaternion) -> Quaternion {
        let ([a, b, c, d], [w, x, y, z]) = (first.0, then.0);
        let (v, u) = (Vector3::new(b, c, d), Vector3::new(x, y, z));
        let r = v * w + u * a + u.cross(&v);
        Quaternion::new(w * a - u.dot(&v), r.x, r.y, r.z)
    }
}

fn solid<X: Dim>(polytope: &Polytope<X>, position: X::Vector, orientation: X::Orientation) -> Solid<'_, X> {
    Solid { polytope, size: 1.0, position, orientation, rounding: 0.0 }
}

fn all<X: Dim>(a: &Solid<X>, b: &Solid<X>, alert: f64) -> Vec<ContactPoint<X>> {
    let mut found = Vec::new();
    touches(a, b, alert, |t| found.push(t));
    found
}

fn flat<X: Dim>(polytope: &Polytope<X>, position: X::Vector) -> Solid<'_, X> {
    solid(polytope, position, X::Orientation::identity())
}

/// Pairs at prescribed gaps: both signs, from 1e-2 down to 1e-14 of the size; one in ten touches exactly.
fn sweep<X: RandomOrientation>(templates: &[Polytope<X>], mut check: impl FnMut(usize, Solid<X>, Solid<X>, f64)) {
    let mut rng = TestRandom(7);
    for round in 0..pairs() {
        let pick = |rng: &mut TestRandom| (rng.uniform() * templates.len() as f64) as usize;
        let (p, q) = (pick(&mut rng), pick(&mut rng));
        let a = solid(&templates[p], X::Vector::from_fn(|_| rng.signed()), X::any(&mut rng));
        // Some pairs have the same orientation, so that faces and edges are parallel.
        let rotation = if round % 7 == 0 { a.orientation } else { X::any(&mut rng) };
        let mut b = solid(&templates[q], a.position + rng.direction::<X>() * 2.2, rotation);
        b.size = 0.3 + rng.uniform();
        let (apart, axis) = distance(&a, &b);
        let sign = if rng.uniform() < 0.5 { -1.0 } else { 1.0 };
        let gap = if round % 10 == 0 { 0.0 } else { sign * 10f64.powf(-2.0 - 12.0 * rng.uniform()) };
        b.position += axis * (gap - apart);
        check(round, a, b, gap);
    }
}

fn agrees_with_the_truth<X: RandomOrientation>(templates: &[Polytope<X>]) {
    let (mut axes, mut apart) = (0, 0);
    sweep(templates, |round, a, b, gap| {
        let (found, axis) = distance(&a, &b);
        let origin = a.position;
        let (wa, wb) = (WorldPolytope::new(&a, origin), WorldPolytope::new(&b, origin));
        let right = truth(&wa, &wb);
        assert!((found - right.distance).abs() < 1e-13, "{round}: {found} for {} at {gap}", right.distance);
        assert!((axis.norm() - 1.0).abs() < 1e-14);
        // No axis separates the bodies more widely.
        let width = slab(&wa, &wb, axis);
        assert!((width - right.distance).abs() < 1e-13, "{round}: slab {width} for {} at {gap}", right.distance);
        if let Some(n) = right.axis {
            let digits = if right.distance > 0.0 { 1e-14 / right.distance } else { 0.0 };
            // Another axis is equally correct where it separates as widely to the last digit.
            let wrong = (axis - n).norm() > 1e-9 + digits;
            assert!(!wrong || width >= right.distance - 1e-13, "{round}: {axis:?} for {n:?} at {gap}, {found}");
            axes += usize::from(!wrong);
            apart += usize::from(wrong && right.distance.abs() > 1e-9);
        }
    });
    assert!(axes > pairs() * 3 / 4 && apart < 1 + pairs() / 5000, "{axes} {apart}");
}

fn misses_nothing_and_invents_nothing<X: RandomOrientation>(templates: &[Polytope<X>]) {
    let mut rng = TestRandom(3);
    let (mut none, mut flats) = (0, 0);
    sweep(templates, |round, a, b, _| {
        let (apart, axis) = distance(&a, &b);
        let alert = apart.abs() * 4.0 * rng.uniform() + 1e-12;
        let found = all(&a, &b, alert);
        assert_eq!(found.is_empty(), apart > alert, "{round}: {apart} {alert}");
        none += usize::from(found.is_empty());
        let origin = (a.position + b.position) * 0.5;
        let (wa, wb) = (WorldPolytope::new(&a, origin), WorldPolytope::new(&b, origin));
        for touch in &found {
            assert!(touch.gap <= alert && (touch.normal.norm() - 1.0).abs() < 1e-14);
            assert!(touch.normal.dot(&axis) > 0.99 || apart <= 1e-6, "{round}: {:?} {axis:?}", touch.normal);
            // Half-way between the surfaces: no face of either body is exceeded by more than half the gap, and the
            // deepest point is at the distance.
            for world in [&wa, &wb] {
                for n in &world.normals {
                    let top = world.vertices.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
                    let over = (touch.point - origin).dot(n) - top;
                    assert!(over <= 0.5 * touch.gap.abs() + 3e-6, "{round}: {over} over a face at gap {}", touch.gap);
                }
            }
        }
        if let Some(deepest) = found.iter().map(|t| t.gap).min_by(f64::total_cmp) {
            flats += usize::from(found.len() > 1);
            assert!(deepest >= apart - 1e-2 * apart.abs() - 1e-6 * X::D as f64, "{round}: {deepest} {apart}");
            if apart > 0.0 {
                assert!(deepest <= apart * 1.0100001 + 1e-12, "{round}: {deepest} at {apart}, {}", found.len());
            }
        }
        let mut names: Vec<u64> = found.iter().map(|t| t.feature).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len(), "{round}: names are unique");
    });
    assert!(none > pairs() / 20 && flats > pairs() / 50, "{none} {flats}");
}

fn swaps_to_the_bit<X: RandomOrientation>(templates: &[Polytope<X>]) {
    sweep(templates, |round, a, b, gap| {
        for alert in [1e-9, 2.0 * gap.abs(), 0.1] {
            let (ab, ba) = (all(&a, &b, alert), all(&b, &a, alert));
            assert_eq!(ab.len(), ba.len(), "{round}: {ab:?} {ba:?} {alert}");
            for (x, y) in ab.iter().zip(&ba) {
                assert_eq!((x.gap, x.point, x.normal), (y.gap, y.point, -y.normal), "{round}");
            }
        }
    });
}

fn moves_along<X: RandomOrientation>(templates: &[Polytope<X>]) {
    let mut rng = TestRandom(5);
    sweep(templates, |round, a, b, gap| {
        let (rotation, shift) = (X::any(&mut rng), X::Vector::from_fn(|_| rng.signed()));
        let moved = |s| {
            let Solid { position, orientation, .. } = s;
            Solid { position: shift + rotation.rotate(position), orientation: X::after(orientation, rotation), ..s }
        };
        let (c, d) = (moved(a), moved(b));
        let ((before, axis), (after, rotated)) = (distance(&a, &b), distance(&c, &d));
        assert!((before - after).abs() < 1e-14, "{round}: {before} {after}");
        if gap > 1e-5 {
            assert!((rotation.rotate(axis) - rotated).norm() < 1e-9, "{round}");
        }
    });
}

fn solids() -> Vec<Polytope<Space>> {
    let mut rng = TestRandom(1);
    let mut templates: Vec<_> = (0..12).map(|k| random::<Space>(5 + k, &mut rng)).collect();
    templates.extend([cuboid(Vector3::new(0.5, 0.6, 0.7)), cuboid(Vector3::new(0.5, 0.5, 0.5)), prism(6, 0.5)]);
    templates
}

fn polygons() -> Vec<Polytope<Plane>> {
    let mut rng = TestRandom(2);
    let mut templates: Vec<_> = (0..12).map(|k| random::<Plane>(3 + k, &mut rng)).collect();
    templates.extend([cuboid(Vector2::new(0.5, 0.6)), polygon(5), polygon(6)]);
    templates
}

#[test]
fn distances_and_axes_of_polyhedra_are_those_of_brute_force() {
    agrees_with_the_truth(&solids());
}

#[test]
fn distances_and_axes_of_polygons_are_those_of_brute_force() {
    agrees_with_the_truth(&polygons());
}

#[test]
fn no_contact_of_polyhedra_is_missed_or_invented() {
    misses_nothing_and_invents_nothing(&solids());
}

#[test]
fn no_contact_of_polygons_is_missed_or_invented() {
    misses_nothing_and_invents_nothing(&polygons());
}

#[test]
fn polyhedra_whose_enclosing_spheres_are_apart_by_rounding_have_no_contact_points() {
    let mut rng = TestRandom(5);
    sweep(&solids(), |round, a, b, _| {
        let alert = 10f64.powf(-12.0 * rng.uniform());
        let barely_apart = |toward: Vector3<f64>, b: &Solid<Space>| {
            let reach = a.reach() + b.reach() + alert;
            let b = Solid { position: a.position + toward * (reach * (1.0 + 0.6e-9)), ..*b };
            assert!((b.position - a.position).norm2() > reach * reach * (1.0 + 1e-9));
            assert!(all(&a, &b, alert).is_empty(), "{round}");
        };
        barely_apart(rng.direction::<Space>(), &b);
        // The same shape, turned half about a perpendicular axis: the farthest corners point at each other.
        let toward = farthest(&a);
        let aside = toward.cross(&Vector3::new(toward.y, toward.z, -toward.x)).normalize();
        let turned = a.orientation.turned(aside * std::f64::consts::PI);
        barely_apart(toward, &Solid { orientation: turned, size: b.size, ..a });
    });
}

/// Direction of the farthest corner.
fn farthest(solid: &Solid<Space>) -> Vector3<f64> {
    let arms = solid.corners().map(|(_, corner)| corner - solid.position);
    let farthest = arms.max_by(|a, b| a.norm2().total_cmp(&b.norm2())).unwrap();
    farthest / farthest.norm()
}

#[test]
fn swapping_the_bodies_mirrors_every_bit() {
    swaps_to_the_bit(&solids());
    swaps_to_the_bit(&polygons());
}

#[test]
fn moving_both_bodies_moves_the_contact() {
    moves_along(&solids());
    moves_along(&polygons());
}

#[test]
fn cubes_face_to_face_touch_with_four_points_at_any_gap() {
    let cube = cuboid::<Space>(Vector3::new(0.5, 0.5, 0.5));
    let below = flat(&cube, Vector3::new(0.3, -0.2, 7.0));
    for gap in [1e-3, 1e-6, 1e-9, 1e-12, 1e-14, 0.0, -1e-14, -1e-9, -1e-3] {
        for shift in [Vector3::zeros(), Vector3::new(0.25, -0.5, 0.0), Vector3::new(1e-12, 1e-8, 0.0)] {
            let above = flat(&cube, below.position + shift + Vector3::new(0.0, 0.0, 1.0 + gap));
            let found = all(&below, &above, 2e-3);
            assert_eq!(found.len(), 4, "{gap} {shift:?}");
            for touch in &found {
                assert!((touch.gap - gap).abs() < 1e-14 && (touch.normal - Vector3::z()).norm() < 1e-15);
            }
            let area: f64 = (0..4)
                .map(|i| (found[i].point - found[0].point).cross(&(found[(i + 1) % 4].point - found[0].point)).z / 2.0)
                .sum();
            let overlap = (1.0 - shift.x.abs()) * (1.0 - shift.y.abs());
            assert!((area.abs() - overlap).abs() < 3e-6, "{area} for {overlap}");
        }
    }
}

#[test]
fn prisms_rest_on_all_their_corners() {
    for n in [3, 5, 6, 8, 12, 20] {
        let drum = prism(n, 0.5);
        let below = flat(&drum, Vector3::zeros());
        for gap in [1e-4, 1e-10, 0.0, -1e-6] {
            let above = flat(&drum, Vector3::new(0.0, 0.0, 1.0 + gap));
            assert_eq!(all(&below, &above, 1e-3).len(), n);
            let floor = |a: &Solid<Space>| {
                let mut count = 0;
                touches_half_space(a, Vector3::new(0.0, 0.0, -0.5 - gap), Vector3::z(), 1e-3, |t| {
                    assert!((t.gap - gap).abs() < 1e-15 && t.normal == -Vector3::z());
                    count += 1;
                });
                count
            };
            assert_eq!(floor(&below), n);
        }
    }
}

#[test]
fn a_turned_cube_on_a_cube_touches_with_eight_points_and_crossed_edges_with_one() {
    let cube = cuboid::<Space>(Vector3::new(0.5, 0.5, 0.5));
    let below = flat(&cube, Vector3::zeros());
    let rotation = Quaternion::identity().turned(Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_4));
    let above = solid(&cube, Vector3::new(0.0, 0.0, 1.0 - 1e-7), rotation);
    assert_eq!(all(&below, &above, 1e-3).len(), 8);
    // Both stand on an edge, and the edges are crossed.
    let on_edge = Quaternion::identity().turned(Vector3::new(std::f64::consts::FRAC_PI_4, 0.0, 0.0));
    let crossed = on_edge.turned(Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
    for gap in [1e-4, 1e-9, -1e-9, -1e-4] {
        let (a, b) =
            (solid(&cube, Vector3::zeros(), on_edge), solid(&cube, Vector3::new(0.0, 0.0, 2f64.sqrt() + gap), crossed));
        let found = all(&a, &b, 1e-3);
        assert_eq!(found.len(), 1);
        let (off, rotated) = (found[0].gap - gap, found[0].normal - Vector3::z());
        assert!(off.abs() < 1e-14 && rotated.norm() < 1e-9, "{gap}: {off} {rotated:?}");
        assert!((found[0].normal - Vector3::z()).norm() < 1e-9);
        assert!((found[0].point - Vector3::new(0.0, 0.0, 0.5 * (2f64.sqrt() + gap))).norm() < 1e-9);
    }
}

#[test]
fn slightly_tilted_faces_keep_all_their_points_and_names() {
    let cube = cuboid::<Space>(Vector3::new(0.5, 0.5, 0.5));
    let below = flat(&cube, Vector3::zeros());
    let names = |shift: Vector3<f64>, tilt: Vector3<f64>| {
        let above = solid(&cube, Vector3::new(0.0, 0.0, 1.0) + shift, Quaternion::identity().turned(tilt));
        let found = all(&below, &above, 1e-3);
        let mut names: Vec<u64> = found.iter().map(|t| t.feature).collect();
        names.sort_unstable();
        names
    };
    let mut rng = TestRandom(9);
    for base in [Vector3::new(0.2, 0.1, 1e-5), Vector3::zeros(), Vector3::new(0.2, 0.0, -1e-5)] {
        let still = names(base, Vector3::zeros());
        assert_eq!(still.len(), 4);
        for _ in 0..1000 {
            let small = 10f64.powf(-7.0 - 7.0 * rng.uniform());
            let wobble = |rng: &mut TestRandom| Vector3::new(rng.signed(), rng.signed(), rng.signed()) * small;
            assert_eq!(names(base + wobble(&mut rng), wobble(&mut rng)), still);
        }
    }
}

#[test]
fn polygons_side_by_side_touch_with_two_points() {
    let tile = cuboid::<Plane>(Vector2::new(0.5, 0.5));
    let below = flat(&tile, Vector2::zeros());
    for shift in [0.0, 0.3, -0.8] {
        for gap in [1e-4, 1e-12, 0.0, -1e-5] {
            let above = flat(&tile, Vector2::new(shift, 1.0 + gap));
            let found = all(&below, &above, 1e-3);
            assert_eq!(found.len(), 2);
            assert!(found.iter().all(|t| (t.gap - gap).abs() < 1e-15 && t.normal == Vector2::y()));
            let width = (found[0].point.x - found[1].point.x).abs();
            assert!((width - (1.0 - shift.abs())).abs() < 1e-12);
        }
    }
}

#[test]
fn rounding_moves_the_surfaces_and_nothing_else() {
    let cube = cuboid::<Space>(Vector3::new(0.5, 0.5, 0.5));
    let mut below = flat(&cube, Vector3::zeros());
    let mut above = flat(&cube, Vector3::new(0.1, 0.2, 1.31));
    (below.rounding, above.rounding) = (0.1, 0.2);
    let found = all(&below, &above, 0.02);
    assert_eq!(found.len(), 4);
    assert!(found.iter().all(|t| (t.gap - 0.01).abs() < 1e-15 && (t.point.z - 0.605).abs() < 1e-15));
}

fn a_small_ball_is_a_small_polytope<X: RandomOrientation>(templates: &[Polytope<X>]) {
    let mut rng = TestRandom(4);
    let speck = cuboid::<X>(X::Vector::from_fn(|_| 1.0));
    for round in 0..pairs() {
        let a = solid(&templates[round % templates.len()], X::Vector::from_fn(|_| rng.signed()), X::any(&mut rng));
        let centre = a.position + rng.direction::<X>() * (1.2 * rng.uniform());
        let radius = 0.2 * rng.uniform();
        let (apart, axis) = distance(&a, &Solid { size: 1e-9, ..flat(&speck, centre) });
        let mut found = None;
        touches_ball(&a, centre, radius, 10.0, |t| found = Some(t));
        let touch = found.unwrap();
        assert!((touch.gap - (apart - radius)).abs() < 1e-8, "{round}: {} for {}", touch.gap, apart - radius);
        assert!((touch.normal - axis).norm() < 1e-6 || apart < 1e-2, "{round}");
        let mut none = true;
        touches_ball(&a, centre, radius, touch.gap - 1e-12, |_| none = false);
        assert!(none);
    }
}

#[test]
fn a_ball_meets_a_polytope_at_its_nearest_point() {
    a_small_ball_is_a_small_polytope(&solids());
    a_small_ball_is_a_small_polytope(&polygons());
}
