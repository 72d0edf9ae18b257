//! Tests of cylinders on planes and in drums, against explicit support functions and a search around the rims.

use super::oracle::OracleBody;
use super::tests::{any, seed};
use super::*;
use crate::dim::Space;
use crate::interaction::polytope::oracle::TestRandom;
use nalgebra::Vector3;

const PAIRS: usize = 20_000;

fn cylinder(rng: &mut TestRandom) -> Cylinder<Space> {
    let at = Vector3::new(rng.signed(), rng.signed(), rng.signed());
    Cylinder::new(at, any(rng), 0.1 + 0.7 * rng.uniform(), 0.1 + 0.7 * rng.uniform())
}

/// A unit vector; in some rounds along or perpendicular to the axis of `c`, or nearly so.
fn direction(c: &Cylinder<Space>, round: usize, rng: &mut TestRandom) -> Vector3<f64> {
    let free = rng.direction::<Space>();
    let tiny = free * 10f64.powf(-1.0 - 12.0 * rng.uniform());
    let square = c.axis.cross(&free).normalize();
    match round % 6 {
        0 => c.axis,
        1 => square,
        2 => (c.axis + tiny).normalize(),
        3 => (square + tiny).normalize(),
        _ => free,
    }
}

#[test]
fn the_least_gap_to_a_plane_is_that_of_the_support_and_points_are_on_the_surface() {
    let mut rng = seed(21);
    for round in 0..PAIRS {
        let c = cylinder(&mut rng);
        let outward = direction(&c, round, &mut rng);
        let gap = 10f64.powf(-1.0 - 13.0 * rng.uniform()) * rng.signed().signum();
        let body = OracleBody::Cylinder(c);
        let plane = c.position - outward * (body.top(-outward, c.position) + gap);
        let alert = gap.abs() * 2.0 * rng.uniform() + 1e-12;
        let mut found = Vec::new();
        touches_half_space(&c, plane, outward, alert, |t| found.push(t));
        if (gap - alert).abs() > 1e-14 {
            assert_eq!(found.is_empty(), gap > alert, "{round}: {gap} {alert}");
        }
        let Some(least) = found.iter().map(|t| t.gap).min_by(f64::total_cmp) else { continue };
        // A cap tilted by less than 1e-6 stands on points 45 degrees apart.
        let is_flat = outward.cross(&c.axis).norm() <= 1e-6;
        let allowed = if is_flat { 1e-6 * c.radius } else { 1e-14 };
        assert!(least > gap - 1e-14 && least < gap + allowed, "{round}: {least} for {gap}");
        for t in &found {
            let on = t.point - t.normal * (0.5 * t.gap);
            assert!(t.normal == -outward && t.gap <= alert, "{round}");
            assert!(body.outside(on).abs() < 1e-14, "{round}: {}", body.outside(on));
            assert!((outward.dot(&(on - plane)) - t.gap).abs() < 1e-14, "{round}");
        }
        let mut names: Vec<u64> = found.iter().map(|t| t.feature).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len(), "{round}: names are unique");
    }
}

/// Local maxima of the distance between a rim and the axis of a drum, by search.
fn farthest(c: &Cylinder<Space>, side: f64, drum: &Hollow<Space>) -> Vec<f64> {
    const STEPS: usize = 360;
    let spoke = c.axis.cross(&Vector3::new(0.31, 0.7, -0.2)).normalize();
    let other = c.axis.cross(&spoke);
    let far = |angle: f64| {
        let rim = c.position + c.axis * (side * c.half_length) + (spoke * angle.cos() + other * angle.sin()) * c.radius;
        (rim - drum.point).cross(&drum.axis).norm()
    };
    let step = std::f64::consts::TAU / STEPS as f64;
    let all: Vec<f64> = (0..STEPS).map(|k| far(k as f64 * step)).collect();
    let is_top = |k: &usize| all[*k] >= all[(k + 1) % STEPS] && all[*k] > all[(k + STEPS - 1) % STEPS];
    let climb = |k: usize| {
        let (mut low, mut high) = ((k as f64 - 1.0) * step, (k as f64 + 1.0) * step);
        for _ in 0..60 {
            let third = (high - low) / 3.0;
            if far(low + third) < far(high - third) { low += third } else { high -= third }
        }
        far(0.5 * (low + high))
    };
    (0..STEPS).filter(is_top).map(climb).collect()
}

#[test]
fn a_cylinder_in_a_drum_touches_where_its_rims_are_locally_farthest_from_the_axis() {
    let mut rng = seed(22);
    let mut several = 0;
    for round in 0..PAIRS / 4 {
        let c = cylinder(&mut rng);
        let axis = direction(&c, round, &mut rng);
        let centre = c.position + rng.direction::<Space>() * (2.0 * rng.uniform());
        let around = Hollow { point: centre, axis, radius: 0.0 };
        let tops = [farthest(&c, -1.0, &around), farthest(&c, 1.0, &around)].concat();
        let most = tops.iter().copied().fold(0.0, f64::max);
        let gap = 10f64.powf(-1.0 - 13.0 * rng.uniform()) * rng.signed().signum();
        let drum = Hollow { radius: most + gap, ..around };
        let alert = gap.abs() * 2.0 * rng.uniform() + 1e-12 + 0.1 * rng.uniform() * f64::from(round as u32 % 2);
        let mut found = Vec::new();
        touches_hollow(&c, &drum, alert, |t| found.push(t));
        several += usize::from(found.len() > 1);
        if (gap - alert).abs() > 1e-13 {
            assert_eq!(found.is_empty(), gap > alert, "{round}: {gap} {alert}");
        }
        // All points of a coaxial rim are equally far; none of them is a maximum.
        for top in &tops {
            let wanted = drum.radius - top;
            let is_there = found.iter().any(|t| (t.gap - wanted).abs() < 1e-13);
            assert!(is_there || wanted > alert - 1e-13, "{round}: none at {wanted}");
        }
        for t in &found {
            let on = t.point - t.normal * (0.5 * t.gap);
            let arm = (on - drum.point) - axis * (on - drum.point).dot(&axis);
            assert!(t.gap <= alert && t.gap > gap - 1e-13, "{round}: {} {gap}", t.gap);
            assert!((drum.radius - arm.norm() - t.gap).abs() < 1e-13, "{round}");
            assert!((arm.normalize() - t.normal).norm() < 1e-14 / arm.norm() + 1e-13, "{round}");
            assert!(OracleBody::Cylinder(c).outside(on).abs() < 1e-13, "{round}");
            let tangent = c.axis.cross(&(on - c.position)).normalize();
            assert!(tangent.dot(&t.normal).abs() < 1e-7, "{round}: {}", tangent.dot(&t.normal));
        }
        let mut names: Vec<u64> = found.iter().map(|t| t.feature).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), found.len(), "{round}: names are unique");
    }
    assert!(several > PAIRS / 40, "{several}");
}
