//! Masonry in an earthquake: scenes/quake.csv, up to 0.49 g.

use crate::runs::Run;

/// An arch of that thickness and a mean radius of 1 m: drop of its crown, and its maximum lateral displacement relative
/// to the ground, m.
fn arch(thickness: f64, quake: bool) -> [f64; 2] {
    let sets = [
        format!("generators.0.arch.thickness={thickness}"),
        format!("generators.0.arch.inner_radius={}", 1.0 - 0.5 * thickness),
    ];
    let mut sets = sets.each_ref().map(String::as_str).to_vec();
    if !quake {
        sets.extend(["bodies.0.driven.velocity.x=0", "time.end=2"]);
    }
    let run = Run::of("quake-arch", &sets);
    let track = run.measure("arch");
    let [ground, crown] = [0, 8].map(|body| track.get(&format!("body_{body}_position_x_m")));
    let heights = track.get("body_8_position_z_m");
    let sideways = crown.iter().zip(ground).map(|(crown, ground)| (crown - ground).abs()).fold(0.0, f64::max);
    let found = [heights[0] - heights[heights.len() - 1], sideways];
    println!("thickness {thickness}, quake {quake}: crown falls by {:.1e} m, {:.1e} m sideways", found[0], found[1]);
    found
}

#[test]
fn an_arch_thick_enough_for_rest_may_be_too_thin_for_a_quake() {
    let [fall, sideways] = arch(0.15, false);
    assert!(fall.abs() < 1e-4 && sideways < 1e-4, "{fall} {sideways}");
    assert!(arch(0.15, true)[0] > 0.5);
    let [fall, sideways] = arch(0.2, true);
    assert!(fall.abs() < 2e-3 && (2e-3..0.1).contains(&sideways), "rocks and stays: {fall} {sideways}");
    let [fall, sideways] = arch(0.3, true);
    assert!(fall.abs() < 1e-3 && sideways < 1e-2, "{fall} {sideways}");
}

#[test]
fn a_wall_with_a_door_rocks_in_a_quake_and_stands() {
    let taken = |sets: &[&str]| {
        let run = Run::of("quake-wall", sets);
        let (lintel, energy) = (run.measure("lintel"), run.measure("energy"));
        let heights = lintel.get("body_1_position_y_m");
        (energy.get("dissipated_J").last().copied().unwrap(), heights[0] - heights[heights.len() - 1])
    };
    let (rest, quake) = (taken(&["bodies.0.driven.velocity.x=0", "time.end=2"]), taken(&[]));
    println!("dissipated and fall of the lintel: {rest:?} at rest, {quake:?} in the quake");
    assert!(rest.0 < 1.0 && rest.1.abs() < 1e-4, "{rest:?}");
    assert!(quake.0 > 50.0 && quake.1.abs() < 0.02, "{quake:?}");
}
