//! Tests of the contact points of compounds.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::contactor::{Compound, Part, Polytope, Shape, convex_parts};
use crate::dim::{Angle, Plane};
use crate::interaction::narrow_phase;
use nalgebra::Vector2;

fn star(inner: f64) -> Shape<Plane> {
    let corner = |k: usize| {
        let (s, c) = (std::f64::consts::PI * k as f64 / 5.0).sin_cos();
        Vector2::new(c, s) * if k.is_multiple_of(2) { 1.0 } else { inner }
    };
    let outline: Vec<Vector2<f64>> = (0..10).map(corner).collect();
    let part = |corners: Vec<Vector2<f64>>| {
        let (polytope, mass) = Polytope::<Plane>::hull(&corners).unwrap();
        Part {
            shape: Shape::block("polygon", polytope, mass),
            size: 1.0,
            position: mass.centre,
            orientation: Angle(0.0),
        }
    };
    let parts = convex_parts(&outline).unwrap().into_iter().map(part).collect();
    Shape::Compound(Box::new(Compound::new("polygon", parts)))
}

fn all(a: &PosedShape<Plane>, b: &PosedShape<Plane>, alert: f64) -> Vec<ContactPoint<Plane>> {
    let mut found = Vec::new();
    narrow_phase::touches(a, b, alert, |t| found.push(t));
    found
}

#[test]
fn a_corner_in_the_notch_of_a_star_is_held_by_both_flanks_and_nothing_else() {
    let star = star(0.4);
    let body = PosedShape { shape: &star, size: 1.0, position: Vector2::zeros(), orientation: Angle(0.0) };
    let (wedge, mass) = Polytope::<Plane>::convex(&[[0.0, 0.0], [1.0, 0.2], [1.0, -0.2]].map(Vector2::from)).unwrap();
    let tip = mass.centre;
    let wedge = Shape::block("polygon", wedge, mass);
    // The notch between the points at 0 and 72 degrees lies at 36 degrees, 0.4 from the centre.
    let (s, c) = (std::f64::consts::PI / 5.0).sin_cos();
    let notch = Vector2::new(c, s) * 0.4;
    for depth in [1e-3, 1e-6, 0.0, -1e-6, -1e-3] {
        let position = notch + nalgebra::Rotation2::new(std::f64::consts::PI / 5.0) * (tip + Vector2::x() * -depth);
        let angle = Angle(std::f64::consts::PI / 5.0);
        let other = PosedShape { shape: &wedge, size: 1.0, position, orientation: angle };
        let found = all(&body, &other, 2e-3);
        // Sines of the angle between flank and notch direction.
        let flank = (Vector2::new(1.0, 0.0) - notch).normalize();
        let square = Vector2::new(-flank.y, flank.x);
        let expected = -depth * square.dot(&Vector2::new(c, s)).abs();
        assert_eq!(found.len(), 2, "depth {depth}: {found:?}");
        for touch in &found {
            assert!((touch.gap - expected).abs() < 1e-12, "{} {expected}", touch.gap);
            assert!(touch.normal.dot(&Vector2::new(c, s)) > 0.0);
        }
        assert!((found[0].normal - found[1].normal).norm() > 0.5);
    }
}

#[test]
fn a_corner_sliding_over_a_seam_feels_the_flat_face_only() {
    let square = |x: f64| {
        let (polytope, mass) =
            Polytope::<Plane>::convex(&[[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]].map(Vector2::from))
                .unwrap();
        Part {
            shape: Shape::block("polygon", polytope, mass),
            size: 1.0,
            position: mass.centre,
            orientation: Angle(0.0),
        }
    };
    let table = Shape::Compound(Box::new(Compound::new("compound", vec![square(-1.0), square(0.0)])));
    let body = PosedShape { shape: &table, size: 1.0, position: Vector2::zeros(), orientation: Angle(0.0) };
    let (wedge, mass) = Polytope::<Plane>::convex(&[[0.0, 0.0], [0.5, 1.0], [-0.5, 1.0]].map(Vector2::from)).unwrap();
    let tip = mass.centre;
    let wedge = Shape::block("polygon", wedge, mass);
    for k in -40..=40 {
        for gap in [1e-3, 1e-7, 0.0, -1e-5, -1e-3] {
            let x = 1e-4 * f64::from(k) + 1e-6;
            let position = Vector2::new(x, 0.5 + gap) + tip;
            let found = all(&body, &PosedShape { shape: &wedge, size: 1.0, position, orientation: Angle(0.0) }, 5e-3);
            let flat = found.iter().filter(|t| (t.normal - Vector2::y()).norm() < 1e-9).count();
            assert!(flat >= 1 && flat == found.len(), "at {x}, {gap}: {found:?}");
            // The flanks of the wedge rise from its tip.
            assert!(found.iter().all(|t| t.gap > gap - 1e-12));
            assert!(found.iter().any(|t| (t.gap - gap).abs() < 1e-12));
        }
    }
}

#[test]
fn a_tip_anywhere_in_a_notch_is_held_by_every_flank_it_is_near_to() {
    for inner in [0.3, 0.4, 0.5, 0.6] {
        let star = star(inner);
        let body = PosedShape { shape: &star, size: 1.0, position: Vector2::zeros(), orientation: Angle(0.0) };
        let (wedge, mass) =
            Polytope::<Plane>::convex(&[[0.0, 0.0], [1.0, 0.2], [1.0, -0.2]].map(Vector2::from)).unwrap();
        let centre = mass.centre;
        let wedge = Shape::block("polygon", wedge, mass);
        let (s, c) = (std::f64::consts::PI / 5.0).sin_cos();
        let notch = Vector2::new(c, s) * inner;
        let (s2, c2) = (std::f64::consts::PI * 0.4).sin_cos();
        // Directions along each flank from the notch to the point of the star, and out of the star.
        let flanks = [(Vector2::x(), 1.0), (Vector2::new(c2, s2), -1.0)].map(|(point, side)| {
            let along = (point - notch).normalize();
            (along, Vector2::new(-along.y, along.x) * side)
        });
        for k in 0..41 * 41 {
            for scale in [1e-4, 2e-3] {
                let (i, j) = (f64::from(k % 41 - 20) / 20.0, f64::from(k / 41 - 20) / 20.0);
                let tip = Vector2::new(c, s) * (i * scale) + Vector2::new(-s, c) * (j * scale);
                let gaps = flanks.map(|(_, out)| out.dot(&tip));
                // Deep in one flank and far from the other: the correct contact there is not the subject of this test.
                if gaps[0].min(gaps[1]) < -2e-4 {
                    continue;
                }
                for tilt in [-0.35, -0.2, 0.0, 0.2, 0.35] {
                    let angle = std::f64::consts::PI / 5.0 + tilt;
                    let position = notch + tip + nalgebra::Rotation2::new(angle) * centre;
                    let other = PosedShape { shape: &wedge, size: 1.0, position, orientation: Angle(angle) };
                    let found = all(&body, &other, 5e-3);
                    for (k, (along, out)) in flanks.iter().enumerate() {
                        let expected = along.dot(&tip) > 1e-6 || (gaps[0] < 0.0 && gaps[1] < 0.0);
                        let is_there =
                            found.iter().any(|t| (t.normal - out).norm() < 1e-6 && (t.gap - gaps[k]).abs() < 1e-9);
                        assert!(
                            is_there || !expected,
                            "{inner}: tip {i} {j} x {scale}, tilt {tilt}, flank {k}: {gaps:?} {found:?}"
                        );
                    }
                }
            }
        }
    }
}
