//! Heavy bodies on light ones: mass ratios of eight thousand to half a million, from impact to rest.

use crate::runs::{Run, mean};

/// Share of the impact energy that is left in the last tenth of the run.
fn left(run: &Run) -> f64 {
    let history = run.history();
    let energies = history.get("kinetic_energy_J");
    let most = energies.iter().copied().fold(0.0, f64::max);
    energies[energies.len() * 9 / 10..].iter().copied().fold(0.0, f64::max) / most
}

/// Mean upward force on the walls over the last tenth of a run, over `weight`.
fn borne(run: &Run, weight: f64) -> f64 {
    let floor = run.measure("floor");
    let on = |wall: usize| {
        let force = floor.get(&format!("body_{wall}_force_z_N"));
        mean(&force[force.len() * 9 / 10..])
    };
    -(0..5).map(on).sum::<f64>() / weight
}

#[test]
fn a_drop_hammer_of_ten_thousand_times_the_mass_comes_to_rest_on_a_ball() {
    let run = Run::of("drop-hammer", &[]);
    let history = run.history();
    let deepest = history.get("max_penetration").iter().copied().fold(0.0, f64::max);
    println!("left {:.1e}, deepest {deepest:.1e}", left(&run));
    assert!(left(&run) < 1e-6 && deepest < 0.05, "{deepest}");
    assert!(history.get("converged").iter().all(|&converged| converged == 1.0));
}

#[test]
fn a_slab_of_124_tons_settles_on_balls_and_the_walls_bear_its_weight() {
    let run = Run::of("heavy-slab", &["solver.max_sweeps=5000"]);
    let history = run.history();
    let unconverged = history.get("converged").iter().filter(|&&converged| converged == 0.0).count();
    // 400 spheres of 2600 kg/m^3: less than 0.1 % of the slab.
    let share = borne(&run, 124_000.0 * 9.81);
    println!("left {:.1e}, walls bear {share:.4} of its weight, {unconverged} steps at the cap", left(&run));
    assert!(left(&run) < 1e-3 && (share - 1.0).abs() < 0.01);
}

#[test]
fn the_largest_balls_of_a_bed_of_all_sizes_settle_on_the_smallest() {
    let run = Run::of("bed-of-all-sizes", &[]);
    let history = run.history();
    let unconverged = history.get("converged").iter().filter(|&&converged| converged == 0.0).count();
    println!("left {:.1e}, {unconverged} steps at the cap", left(&run));
    assert!(left(&run) < 1e-3 && unconverged == 0);
}
