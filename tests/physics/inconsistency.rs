//! Problems without a solution: P. Alart and M. Renouf, On inconsistency in frictional granular systems.

use crate::scenes::load;
use nscdd::dim::Plane;
use nscdd::simulation::Simulation;
use nscdd::simulation::StepReport;

fn corner(sets: &[&str]) -> (Simulation<Plane>, Vec<StepReport>) {
    let mut simulation = load::<Plane>("corner", sets);
    let reports = (0..20).map(|_| simulation.step().unwrap()).collect();
    (simulation, reports)
}

const OROWAN: &str = "laws=[{ between = [\"*\", \"*\"], orowan = { friction = 1.1, threshold = 20000 } }]";
/// Distance the wall moves in half a step, over the radius of one metre: contacts are evaluated at mid-step.
const HALF_A_STEP: f64 = 5e-6;

fn deepest(reports: &[StepReport]) -> f64 {
    reports.iter().map(|report| report.totals.max_penetration).fold(0.0, f64::max)
}

#[test]
fn a_disk_in_a_corner_below_the_critical_friction_is_pushed_out_of_it() {
    let (simulation, reports) = corner(&["laws.0.coulomb.friction=0.8"]);
    assert!(reports.iter().all(|report| report.certificate.converged));
    assert!(deepest(&reports) < 1.001 * HALF_A_STEP, "{}", deepest(&reports));
    let speed = simulation.bodies.find(0).unwrap().velocity.x;
    assert!((speed - 0.01).abs() < 1e-5, "it goes with the wall, at {speed} m/s");
    assert_eq!(simulation.diagnosis(), None);
}

#[test]
fn beyond_the_critical_friction_the_cap_is_hit_at_every_step_and_the_contacts_are_named() {
    let (simulation, reports) = corner(&[]);
    assert!(reports.iter().all(|report| !report.certificate.converged && report.certificate.sweeps == 100));
    // The wall penetrates the disk.
    let depth = reports[19].totals.max_penetration;
    assert!(depth > 5.0 * HALF_A_STEP, "{depth}");
    let words = simulation.diagnosis().unwrap();
    assert!(words.contains("NO SOLUTION") && words.contains("0-1") && words.contains("0-2"), "{words}");
}

#[test]
fn a_wall_that_is_pulled_away_or_only_pushed_by_a_force_leaves_a_solution() {
    let (_, reports) = corner(&["bodies.2.driven.velocity.x=-0.01"]);
    assert!(reports.iter().all(|report| report.certificate.converged));
    let pushed = "bodies=[{ id = 0, material = \"stone\", disk = { radius = 1 }, position = [1, 1] }, { id = 1, material = \
                  \"stone\", plane = { normal = [0, 1] }, position = [0, 0], fixed = true }, { id = 2, material = \"stone\", box = \
                  { size = [1, 4] }, position = [-0.5, 2.0], driven = { velocity = { y = 0, r = 0 }, force = { x = 1e5 } } }]";
    let (simulation, reports) = corner(&[pushed, "solver.max_sweeps=10000"]);
    assert!(reports.iter().all(|report| report.certificate.converged));
    let moved = (simulation.bodies.find(0).unwrap().position - nalgebra::Vector2::new(1.0, 1.0)).norm();
    assert!(moved < 1e-6, "however hard it is pushed, it does not move: {moved} m");
}

#[test]
fn a_cap_on_friction_restores_a_solution_in_the_corner() {
    let (simulation, reports) = corner(&[OROWAN]);
    assert!(reports.iter().all(|report| report.certificate.converged));
    assert!(deepest(&reports) < 1.001 * HALF_A_STEP, "{}", deepest(&reports));
    assert_eq!(simulation.diagnosis(), None);
    // Tens of sweeps at first, then few.
    let sweeps: Vec<u32> = reports.iter().map(|report| report.certificate.sweeps).collect();
    assert!(sweeps[0] < 100 && sweeps[5..].iter().all(|&n| n <= 10), "{sweeps:?}");
}
