//! F3, R. Mozul and F. Dubois, Of the designing of a software dedicated to contact dynamics problems: cohesive zones.

use crate::runs::Run;

/// Energy dissipated by the bonds, work of the ends, final kinetic energy, and energy dissipated by friction, J; and
/// the maximum force, N.
fn pulled(sets: &[&str]) -> [f64; 5] {
    let run = Run::of("fracture", sets);
    let (energy, forces, ends) = (run.measure("energy"), run.measure("forces"), run.measure("ends"));
    let force = forces.get("body_0_force_x_N");
    let open = ends.get("body_1_position_x_m").iter().zip(ends.get("body_0_position_x_m"));
    let open: Vec<f64> = open.map(|(right, left)| right - left).collect();
    let work: f64 = (1..open.len()).map(|k| 0.5 * (force[k] + force[k - 1]) * (open[k] - open[k - 1])).sum();
    let last = |name: &str| energy.get(name).last().copied().unwrap();
    let moving = last("translation_J") + last("rotation_J");
    let greatest = force.iter().copied().fold(0.0, f64::max);
    [last("dissipated_J"), work, moving, last("dissipated_friction_J"), greatest]
}

#[test]
fn a_crack_takes_the_energy_of_the_bonds_it_breaks_and_nothing_else_does() {
    // The law is first order in the step: 0.3 % at 1e-4 s, half of it at half the step.
    let [coarse, work, moving, friction, greatest] = pulled(&[]);
    let [fine, ..] = pulled(&["time.step=5e-5"]);
    println!(
        "six bonds of 2 J: {coarse:.4} J, work {work:.4} J, moving {moving:.1e} J; with half the step {fine:.4} J"
    );
    assert!((coarse / 12.0 - 1.0).abs() < 5e-3 && (fine / 12.0 - 1.0).abs() < 2.5e-3, "{coarse} J, {fine} J");
    assert!((work / coarse - 1.0).abs() < 2e-3, "{work} J for {coarse} J");
    assert!(moving < 3e-3 && friction.abs() < 3e-3, "{moving} J, {friction} J");
    assert!(greatest < 30_300.0, "{greatest} N: six bonds of 5 kN");
    let [whole, _, _, _, greatest] = pulled(&["laws.2.cohesive_zone.intact=true"]);
    println!("eight bonds of 2 J: {whole:.4} J, greatest force {greatest:.0} N");
    assert!((whole / 16.0 - 1.0).abs() < 5e-3, "{whole} J");
    assert!((greatest / 40_000.0 - 1.0).abs() < 0.02, "eight bonds of 5 kN: {greatest} N");
}
