//! E4, F. Dubois, V. Acary and M. Jean, The Contact Dynamics method: a nonsmooth story. The reactions of a regular wall
//! are indeterminate; its state of rest is unique.

use crate::runs::Run;

/// Weight of the bricks: an area of 3.2 m x 2 m, 2600 kg/m2.
const WEIGHT: f64 = 6.4 * 2600.0 * 9.81;

/// Final vertical forces on the eight supports. Whatever they are, the wall is at rest and they carry its weight.
fn supports(sets: &[&str]) -> Vec<f64> {
    let run = Run::of("indeterminate-wall", sets);
    let measured = run.measure("supports");
    let forces: Vec<f64> = (0..8).map(|k| -measured.get(&format!("body_{k}_force_y_N")).last().unwrap()).collect();
    let (sum, energy) = (forces.iter().sum::<f64>(), *run.history().get("kinetic_energy_J").last().unwrap());
    println!("{sets:?}: {forces:.0?}, {sum:.1} N of {WEIGHT:.1} N, {energy:.1e} J, uneven by {:.4}", uneven(&forces));
    assert_eq!(*run.history().get("converged").last().unwrap(), 1.0);
    // A velocity of 1e-6 m/s counts as rest: stopping it in a step of a millisecond takes 1e-4 of the weight.
    assert!((sum / WEIGHT - 1.0).abs() < 1e-4, "{sum}");
    assert!(energy < 0.5 * WEIGHT / 9.81 * 1e-12, "{energy}");
    forces
}

/// Deviation of the forces from their mirror image, over their sum.
fn uneven(forces: &[f64]) -> f64 {
    let differences = forces.iter().zip(forces.iter().rev()).map(|(left, right)| (left - right).abs());
    differences.sum::<f64>() / forces.iter().sum::<f64>()
}

#[test]
fn ways_to_solve_a_regular_wall_pick_different_reactions_and_the_same_rest() {
    let plain = supports(&[]);
    let others = [
        &["domain.subdomains=4"][..],
        &["domain.subdomains=16", "domain.interface=\"glue\""],
        &["solver.order=\"curve\""],
        &["solver.relaxation=0.5"],
        &["solver.method=\"accelerated\""],
        &["solver.order=\"random\""],
        &["solver.order=\"random\"", "solver.seed=2"],
        &["solver.method=\"jacobi\"", "solver.max_sweeps=50000"],
    ];
    for sets in others {
        let forces = supports(sets);
        let apart = forces.iter().zip(&plain).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart > 0.05 * WEIGHT / 8.0, "the same reactions: {apart} N");
    }
    // Plain sweeps leave an asymmetric solution; relaxation improves it.
    assert!(uneven(&plain) > 0.2);
    assert!(uneven(&supports(&["solver.relaxation=0.5"])) < 0.5 * uneven(&plain));
}

#[test]
fn the_viscoelastic_device_picks_even_and_symmetric_reactions() {
    let forces = supports(&["laws=[{ between = [\"*\", \"*\"], viscoelastic = { friction = 0.6 } }]"]);
    assert!(uneven(&forces) < 0.01);
    let mean = WEIGHT / 8.0;
    assert!(forces.iter().all(|force| (force / mean - 1.0).abs() < 0.1), "{forces:?}");
}
