//! C2, J. J. Moreau and M. Jean, Numerical treatment of contact and friction: the contact dynamics method.

use crate::runs::Run;

/// The column on a base that shakes with this velocity amplitude along x, m/s.
fn shaken(amplitude: f64) -> Run {
    let axes = [("x", 1.0), ("y", 0.5), ("z", 0.5)];
    let sets =
        axes.map(|(axis, share)| format!("bodies.1.driven.velocity.{axis}.sinusoid.amplitude={}", share * amplitude));
    let [x, y, z] = sets.each_ref().map(String::as_str);
    // A column that falls takes longer.
    Run::of("shaken-column", &[x, y, z, if amplitude > 0.5 { "time.end=8" } else { "time.end=6" }])
}

/// Maximum horizontal offset of the capital from the base, and its final height over the centre of the base, m.
fn capital(run: &Run) -> (f64, f64) {
    let column = run.measure("column");
    let way = |axis: &str| -> Vec<f64> {
        let at = |body: u8| column.get(&format!("body_{body}_position_{axis}_m"));
        at(12).iter().zip(at(1)).map(|(capital, base)| capital - base).collect()
    };
    let farthest = way("x").iter().zip(way("y")).map(|(x, y)| x.hypot(y)).fold(0.0, f64::max);
    (farthest, way("z").last().copied().unwrap())
}

/// By statics a rigid column lifts its foot if a_h/(g + a_z) = b/H at the worst phase of the ellipse, with half width
/// b, height H of its centre and a_z = -a_h/2.
fn least_amplitude(half_width: f64) -> f64 {
    let drum = 8.0 * 0.3 * 0.3 * (std::f64::consts::PI / 8.0).sin() * 0.4;
    let capital = 0.8 * 0.8 * 0.2;
    let height = (10.0 * drum * 2.0 + capital * 4.1) / (10.0 * drum + capital);
    let slope = half_width / height;
    9.81 * slope / (1.0 + 0.5 * slope) / std::f64::consts::TAU
}

#[test]
fn a_column_stands_as_one_block_up_to_the_shaking_of_statics_rocks_beyond_and_falls_far_beyond() {
    let (side, corner) = (least_amplitude(0.3 * (std::f64::consts::PI / 16.0).cos()), least_amplitude(0.3));
    println!("statics: from {side:.4} to {corner:.4} m/s");
    assert!(0.19 < side && corner < 0.21);
    let found = [0.06, 0.19, 0.21, 0.6].map(|amplitude| capital(&shaken(amplitude)));
    println!("farthest and last height of the capital at 0.06, 0.19, 0.21 and 0.6 m/s: {found:.5?}");
    for (farthest, height) in &found[..2] {
        assert!(*farthest < 1e-3 && (height - 4.25).abs() < 1e-4, "stands: {farthest} {height}");
    }
    assert!(found[2].0 > 0.05, "rocks: {}", found[2].0);
    assert!(found[3].1 < 1.0, "falls: {}", found[3].1);
}
