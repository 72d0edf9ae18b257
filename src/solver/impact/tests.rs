use super::*;
use crate::base::index::ProblemBody;
use crate::dim::Plane;
use crate::solver::{Mass, Velocity};
use nalgebra::{Vector1, Vector2};

/// Velocities after impacts in a row of balls that touch, with these masses and velocities before, and the stiffness of
/// each contact.
fn row(
    masses: &[f64],
    before: &[f64],
    stiffness: &[f64],
    restitution: f64,
    rule: ImpactRule,
    exponent: f64,
) -> Vec<f64> {
    let ball = |(&mass, &speed): (&f64, &f64)| {
        (Velocity { velocity: Vector2::new(speed, 0.0), spin: Vector1::zeros() }, Mass::<Plane>::ball(mass))
    };
    let contact = |(k, &stiffness): (usize, &f64)| ImpactContact {
        bodies: [ProblemBody::new(k + 1), ProblemBody::new(k + 2)],
        normal: Vector2::x(),
        arms: [Vector2::x(), -Vector2::x()],
        before: before[k + 1] - before[k],
        restitution,
        stiffness,
    };
    let contacts = stiffness.iter().enumerate().map(contact).collect();
    let (impacts, has_ended) = ImpactProblem::new(masses.iter().zip(before).map(ball), contacts).solve(rule, exponent);
    assert!(has_ended);
    let mut after = before.to_vec();
    for (k, impact) in impacts.iter().enumerate() {
        assert!(impact.impulse >= 0.0 && impact.velocity > -1e-9, "{impacts:?}");
        after[k] -= impact.impulse / masses[k];
        after[k + 1] += impact.impulse / masses[k + 1];
    }
    after
}

fn is_near(found: &[f64], expected: &[f64], error: f64) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < error), "{found:?} instead of {expected:?}");
}

fn energy(masses: &[f64], velocities: &[f64]) -> f64 {
    masses.iter().zip(velocities).map(|(m, v)| 0.5 * m * v * v).sum()
}

#[test]
fn in_sequence_as_many_equal_balls_leave_a_cradle_as_arrive() {
    for (count, arriving) in [(2, 1), (3, 1), (5, 1), (5, 2), (10, 3)] {
        let before: Vec<f64> = (0..count).map(|k| if k < arriving { 1.0 } else { 0.0 }).collect();
        let after: Vec<f64> = before.iter().rev().copied().collect();
        let found = row(&vec![2.0; count], &before, &vec![1.0; count - 1], 1.0, ImpactRule::Sequence, 1.0);
        is_near(&found, &after, 1e-12);
    }
}

#[test]
fn in_sequence_each_of_unequal_balls_hands_on_what_two_alone_would() {
    // Masses that halve: each ball passes 4/3 of its speed on, and keeps a third.
    let masses = [8.0, 4.0, 2.0, 1.0];
    let found = row(&masses, &[1.0, 0.0, 0.0, 0.0], &[1.0; 3], 1.0, ImpactRule::Sequence, 1.0);
    let (kept, passed) = (1.0 / 3.0, 4.0f64 / 3.0);
    is_near(&found, &[kept, kept * passed, kept * passed * passed, passed.powi(3)], 1e-12);
    let e = 0.8;
    let found = row(&masses, &[1.0, 0.0, 0.0, 0.0], &[1.0; 3], e, ImpactRule::Sequence, 1.0);
    let [kept, passed] = [(2.0 - e) / 3.0, (1.0 + e) * 2.0 / 3.0];
    is_near(&found, &[kept, kept * passed, kept * passed * passed, passed.powi(3)], 1e-12);
}

#[test]
fn stiffness_ratios_lead_from_the_sequence_to_moreaus_rule() {
    let three = |ratio: f64| row(&[1.0; 3], &[1.0, 0.0, 0.0], &[1.0, ratio], 1.0, ImpactRule::Stiffness, 1.0);
    // Where the second contact is soft the first impact is over before it is felt.
    is_near(&three(1e-6), &[0.0, 0.0, 1.0], 5e-3);
    // Where it is hard the second and third ball are one of twice the mass, and then separate as they would by Moreau's
    // rule: 1/3 (-1, 2, 2).
    is_near(&three(1e6), &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 5e-3);
}

#[test]
fn elastic_springs_keep_momentum_and_energy_in_rows_of_two_to_ten_balls() {
    for count in 2..=10 {
        for exponent in [1.0, 1.5] {
            let masses: Vec<f64> = (0..count).map(|k| 1.0 + 0.5 * f64::from(k % 3)).collect();
            let before: Vec<f64> = (0..count).map(|k| if k == 0 { 1.0 } else { 0.0 }).collect();
            let stiffness = vec![1.0; count as usize - 1];
            let found = row(&masses, &before, &stiffness, 1.0, ImpactRule::Stiffness, exponent);
            let momentum: f64 = masses.iter().zip(&found).map(|(m, v)| m * v).sum();
            assert!((momentum - masses[0]).abs() < 1e-12, "{found:?}");
            assert!((energy(&masses, &found) / energy(&masses, &before) - 1.0).abs() < 1e-5, "{found:?}");
        }
    }
}

#[test]
fn three_equal_balls_under_hertz_springs_leave_as_the_equations_of_motion_say() {
    // Independent integration of x'' = ((x_i-1 - x_i)+^1.5 - (x_i - x_i+1)+^1.5) by Runge and Kutta's scheme.
    let force = |gap: f64| gap.max(0.0).powf(1.5);
    let rate = |s: [f64; 6]| {
        let [f, g] = [force(s[0] - s[1]), force(s[1] - s[2])];
        [s[3], s[4], s[5], -f, f - g, g]
    };
    let mut s = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let add = |a: [f64; 6], b: [f64; 6], h: f64| std::array::from_fn::<f64, 6, _>(|k| a[k] + h * b[k]);
    for _ in 0..40_000 {
        let h = 5e-4;
        let a = rate(s);
        let b = rate(add(s, a, 0.5 * h));
        let c = rate(add(s, b, 0.5 * h));
        let d = rate(add(s, c, h));
        s = std::array::from_fn(|k| s[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]));
    }
    let found = row(&[1.0; 3], &[1.0, 0.0, 0.0], &[3.0; 2], 1.0, ImpactRule::Stiffness, 1.5);
    is_near(&found, &s[3..], 1e-5);
    assert!(found[0] < -0.05 && found[2] > 0.98, "{found:?}");
}

#[test]
fn two_balls_rebound_by_the_energy_that_the_restitution_leaves() {
    for e in [0.0, 0.3, 0.9] {
        let found = row(&[1.0, 1.0], &[1.0, 0.0], &[1.0], e, ImpactRule::Stiffness, 1.5);
        is_near(&found, &[0.5 * (1.0 - e), 0.5 * (1.0 + e)], 2e-3);
    }
}
