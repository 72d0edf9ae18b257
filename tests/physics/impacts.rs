//! Impacts of several bodies at once: Newton's cradle by each rule, over subdomains and processes, with its energy.

use crate::support::{World, invariants};
use nscdd::dim::{Dim, Plane, Space, Vector};
use nscdd::law::Restitution;
use nscdd::simulation::Simulation;
use nscdd::solver::ImpactRule;

/// A row of balls of these radii that touch; the first `arriving` move along it at 1 m/s.
fn row<X: Dim>(radii: &[f64], arriving: usize, restitution: f64, rule: ImpactRule, subdomains: u32) -> Simulation<X> {
    let law = Restitution { normal: restitution, tangent: 0.0, friction: 0.3, rolling: 0.0, stiffness: 1.0 };
    let mut world = World::<X>::new(1e-3).weightless().law(law).subdomains(subdomains).tolerance(1e-13, 1e-6);
    world.plan.solver.impacts = rule;
    world.plan.solver.max_sweeps = 100_000;
    let mut place = 0.0;
    for (k, &radius) in radii.iter().enumerate() {
        place += if k == 0 { 0.0 } else { radii[k - 1] + radius };
        // The ball that arrives touches at mid-step; those that move with it stay in touch.
        let start = if k < arriving { place - 0.5e-3 } else { place };
        let ball = world.ball(X::Vector::axis(0) * start, radius);
        world.state(ball).velocity = X::Vector::axis(0) * if k < arriving { 1.0 } else { 0.0 };
    }
    world.build()
}

/// Velocities along the row after some steps; momentum is kept, and energy is not gained, or kept if `is_elastic`.
fn after<X: Dim>(mut simulation: Simulation<X>, is_elastic: bool) -> Vec<f64> {
    let (momentum, _, before) = invariants(&simulation);
    let mut balance = 0.0f64;
    for _ in 0..20 {
        let report = simulation.step().unwrap();
        assert!(report.certificate.converged, "{:?}", report.certificate);
        balance = balance.max(report.energy.imbalance.abs());
    }
    let (end, _, energy) = invariants(&simulation);
    assert!((end - momentum).norm() < 1e-9 * momentum.norm());
    assert!(balance < 1e-10 * before, "{balance} J of {before} J");
    let kept = energy / before;
    assert!(if is_elastic { (kept - 1.0).abs() < 2e-5 } else { kept < 1.0 }, "{kept} of the energy");
    simulation.bodies.states().iter().map(|state| state.velocity[0]).collect()
}

fn is_near(found: &[f64], expected: &[f64], error: f64) {
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < error), "{found:?} instead of {expected:?}");
}

fn cradles<X: Dim>(subdomains: u32) {
    for (count, arriving) in [(2, 1), (3, 1), (5, 2), (10, 1)] {
        let found = after(row::<X>(&vec![0.1; count], arriving, 1.0, ImpactRule::Sequence, subdomains), true);
        let leaving: Vec<f64> = (0..count).map(|k| if k + arriving >= count { 1.0 } else { 0.0 }).collect();
        is_near(&found, &leaving, 1e-7);
    }
    // Moreau's rule: each contact keeps its relative velocity up to its sign, so that all but the first ball leave
    // together.
    let found = after(row::<X>(&[0.1; 3], 1, 1.0, ImpactRule::Moreau, subdomains), true);
    is_near(&found, &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0], 1e-7);
    // Springs of one stiffness lie between: the first ball returns slowly, the last takes nearly all.
    let found = after(row::<X>(&[0.1; 3], 1, 1.0, ImpactRule::Stiffness, subdomains), true);
    assert!(found[0] < -0.05 && found[0] > -0.1 && found[2] > 0.98, "{found:?}");
}

#[test]
fn balls_leave_a_cradle_as_each_rule_of_impact_says() {
    cradles::<Plane>(1);
    cradles::<Plane>(4);
    cradles::<Space>(4);
}

#[test]
fn unequal_balls_hand_on_momentum_in_sequence() {
    // Disks whose masses halve; restitution 0.8.
    let radii: Vec<f64> = (0..4).map(|k| 0.1 * 0.5f64.powf(0.5 * f64::from(k))).collect();
    let found = after(row::<Plane>(&radii, 1, 0.8, ImpactRule::Sequence, 1), false);
    let [kept, passed] = [1.2 / 3.0, 3.6 / 3.0];
    is_near(&found, &[kept, kept * passed, kept * passed * passed, passed * passed * passed], 1e-7);
}

#[test]
fn a_ball_on_the_floor_hands_an_impact_to_the_floor_and_returns_it() {
    // A ball falls on one that rests: in sequence they exchange velocities, the lower one rebounds from the floor, and
    // the upper one leaves as fast as it came.
    let law = Restitution { normal: 1.0, tangent: 0.0, friction: 0.0, rolling: 0.0, stiffness: 1.0 };
    let mut world = World::<Plane>::new(1e-3).weightless().law(law).tolerance(1e-13, 1e-6);
    world.plan.solver.impacts = ImpactRule::Sequence;
    world.floor();
    let lower = world.ball(<Plane as Dim>::Vector::axis(1) * 0.1, 0.1);
    let upper = world.ball(<Plane as Dim>::Vector::axis(1) * (0.3 + 0.5e-3), 0.1);
    world.state(upper).velocity = <Plane as Dim>::Vector::axis(1) * -1.0;
    let mut simulation = world.build();
    for _ in 0..5 {
        simulation.step().unwrap();
    }
    let up = |id| simulation.bodies.find(id).unwrap().velocity[1];
    is_near(&[up(lower), up(upper)], &[0.0, 1.0], 1e-7);
}
