//! Two and three disks in a box, wedged by an advancing wall: P. Alart and M. Renouf, On inconsistency in frictional
//! granular systems.

use crate::scenes::load;
use crate::support::reaction;
use nscdd::dim::Plane;
use nscdd::simulation::Simulation;
use nscdd::simulation::StepReport;

/// Results of a run: reports, and the impulse on a wall after each step.
struct Run {
    simulation: Simulation<Plane>,
    reports: Vec<StepReport>,
    impulses: Vec<f64>,
}

impl Run {
    fn of(scene: &str, sets: &[&str], steps: usize, wall: u64) -> Self {
        let mut run = Self { simulation: load(scene, sets), reports: Vec::new(), impulses: Vec::new() };
        for _ in 0..steps {
            run.reports.push(run.simulation.step().unwrap());
            run.impulses.push(reaction(&run.simulation, wall).x);
        }
        run
    }

    fn sweeps(&self) -> Vec<u32> {
        self.reports.iter().map(|report| report.certificate.sweeps).collect()
    }

    fn depth(&self, step: usize) -> f64 {
        self.reports[step - 1].totals.max_penetration
    }

    fn deepest(&self) -> f64 {
        (1..=self.reports.len()).map(|step| self.depth(step)).fold(0.0, f64::max)
    }

    /// Inclination of the line between the centres of two disks, degrees.
    fn rise(&self, from: u64, to: u64) -> f64 {
        let [from, to] = [from, to].map(|id| self.simulation.bodies.find(id).unwrap().position);
        (to.y - from.y).atan2(to.x - from.x).to_degrees()
    }
}

#[test]
fn two_wedged_disks_hit_the_cap_until_their_angle_has_opened() {
    for memory in ["solver.warm_start=true", "solver.warm_start=false"] {
        let run = Run::of("two-disks", &[memory], 10, 4);
        assert!(run.reports.iter().all(|report| !report.certificate.converged && report.certificate.sweeps == 300));
        let words = run.simulation.diagnosis().unwrap();
        let wedge = ["0-1", "0-2", "0-3", "1-4"];
        assert!(words.contains("NO SOLUTION") && wedge.iter().all(|pair| words.contains(pair)), "{words}");
        assert!(run.rise(0, 1) < 31.28, "still wedged: half the angle has a tangent below the friction");
        // The wall penetrates the first disk by about four tenths of its displacement.
        assert!((0.03..0.05).contains(&run.depth(10)), "{}", run.depth(10));
    }
}

#[test]
fn with_a_warm_start_the_impulses_of_the_wedge_grow_until_it_bursts() {
    let run = Run::of("two-disks", &[], 20, 4);
    let impulses = &run.impulses;
    assert!(impulses[..10].windows(2).all(|pair| pair[1] > pair[0]), "{impulses:?}");
    assert!((9.0..11.0).contains(&(impulses[9] / impulses[0])), "as much more in each step: {impulses:?}");
    // 13 steps at the cap, as published; after that the wall no longer pushes anything.
    let sweeps = run.sweeps();
    assert!(sweeps[..13].iter().all(|&n| n == 300) && sweeps[14..].iter().all(|&n| n <= 3), "{sweeps:?}");
    assert_eq!(run.depth(20), 0.0, "nothing is left of the overlap");
    let speed = run.simulation.bodies.find(1).unwrap().velocity.y;
    assert!(speed > 4.0, "the second disk flies off, at {speed} m/s from a wall of 1 m/s");
}

#[test]
fn without_a_warm_start_the_impulses_stagnate_and_an_overlap_stays() {
    let run = Run::of("two-disks", &["solver.warm_start=false"], 40, 4);
    let impulses = &run.impulses;
    assert!(impulses[..10].iter().all(|r| (r / impulses[0] - 1.0).abs() < 0.02), "{impulses:?}");
    let sweeps = run.sweeps();
    assert!(sweeps[..19].iter().all(|&n| n == 300), "{sweeps:?}");
    assert!(run.reports[25..].iter().all(|report| report.certificate.converged), "convergence comes back");
    assert!(sweeps[25..].iter().all(|&n| (100..300).contains(&n)), "but slowly: {sweeps:?}");
    assert!(impulses[39] < 0.01 * impulses[0], "{impulses:?}");
    assert!(run.depth(40) > 0.05 && (run.depth(40) - run.depth(26)).abs() < 1e-4, "{}", run.depth(40));
}

#[test]
fn three_slack_disks_start_slowly_and_come_loose() {
    let run = Run::of("three-disks-slack", &[], 20, 4);
    assert!(run.reports.iter().all(|report| report.certificate.converged));
    assert_eq!(run.simulation.diagnosis(), None);
    let sweeps = run.sweeps();
    assert!(sweeps[0] > 300 && sweeps[2..].iter().all(|&n| n <= 50), "{sweeps:?}");
    assert!(run.impulses[2..].iter().all(|r| r.abs() < 0.01 * run.impulses[0].abs()), "{:?}", run.impulses);
    // Displacement of the wall in half a step: contacts are evaluated at mid-step.
    assert!(run.deepest() < 1.01 * 5e-3, "{}", run.deepest());
}

#[test]
fn three_confined_disks_jam_and_all_their_contacts_are_named() {
    let run = Run::of("three-disks", &[], 20, 5);
    assert!(run.reports.iter().all(|report| !report.certificate.converged && report.certificate.sweeps == 1000));
    let words = run.simulation.diagnosis().unwrap();
    let wedge = ["0-1", "0-4", "1-2", "1-3", "2-5"];
    assert!(words.contains("NO SOLUTION") && wedge.iter().all(|pair| words.contains(pair)), "{words}");
    assert!(run.impulses.windows(2).all(|pair| pair[1] > pair[0]), "{:?}", run.impulses);
    assert!(run.deepest() > 0.2, "the wall is deep in the small disk: {}", run.deepest());
}

#[test]
fn a_cap_on_friction_restores_a_solution_of_three_confined_disks() {
    let orowan = "laws=[{ between = [\"*\", \"*\"], orowan = { friction = 0.3, threshold = 30000 } }]";
    let run = Run::of("three-disks", &[orowan], 20, 4);
    assert!(run.reports.iter().all(|report| report.certificate.converged));
    assert_eq!(run.simulation.diagnosis(), None);
    // Published: 173 sweeps in the first step, around 40 in the following ones.
    let sweeps = run.sweeps();
    assert!((80..300).contains(&sweeps[0]) && sweeps[4..].iter().all(|&n| (20..=60).contains(&n)), "{sweeps:?}");
    // The smallest disk slides up the wall at the friction cap: 30 kN in a step of 10 ms.
    let friction = reaction(&run.simulation, 4).y.abs();
    assert!((friction - 300.0).abs() < 1.0, "{friction} N s");
    // Displacement of the wall in half a step, over the radius of the small disk.
    assert!(run.deepest() < 1.01 * 1e-2, "{}", run.deepest());
}
