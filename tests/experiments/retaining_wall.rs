//! E2, F. Dubois, V. Acary and M. Jean, The Contact Dynamics method: a nonsmooth story.

use crate::runs::Run;

/// Total settlement of the foot and of the top of the facing, and maximum lateral displacement of a stone in the last
/// half second, m.
fn after_subsidence(scene: &str, top: u8, seed: u8, more: &[&str]) -> [f64; 3] {
    let sets = [0, 1, 2, 3, 4].map(|k| format!("generators.{k}.seed={}", 10 * k + seed));
    let run = Run::of(scene, &[&sets.each_ref().map(String::as_str), more].concat());
    let wall = run.measure("wall");
    let sunk = |body: u8| {
        let heights = wall.get(&format!("body_{body}_position_y_m"));
        heights[0] - heights[heights.len() - 1]
    };
    let late = (3..=top + 1).map(|body| {
        let way = wall.get(&format!("body_{body}_position_x_m"));
        (way[way.len() - 1] - way[way.len() - 26]).abs()
    });
    let found = [sunk(3), sunk(top), late.fold(0.0, f64::max)];
    println!(
        "{scene}, ground {seed}: foot and top sank by {:.4} and {:.4} m, last motion {:.1e} m",
        found[0], found[1], found[2]
    );
    found
}

#[test]
fn a_retaining_wall_survives_a_subsidence_of_5_cm_with_two_bond_stones_on_most_grounds_and_falls_without() {
    // The equilibrium with bond stones is precarious: which solution the sweeps select decides on some grounds.
    let mut stands = 0;
    for seed in [1, 2, 3, 4] {
        let [foot, top, late] = after_subsidence("retaining-wall", 23, seed, &[]);
        stands += usize::from((0.01..0.06).contains(&foot) && top.abs() < 0.1 && late < 1e-4);
        let [_, top, _] = after_subsidence("retaining-wall-without-bonds", 25, seed, &[]);
        assert!(top > 1.0, "its top sank by {top} m");
    }
    assert!(stands >= 3, "stands on {stands} of four grounds");
    let [_, top, late] = after_subsidence("retaining-wall-without-bonds", 25, 1, &["bodies.1.driven.velocity.y=0"]);
    assert!(top.abs() < 0.02 && late < 1e-4, "it stands without them on a floor that stays: {top} {late}");
}

/// Outward displacement of each stone of the facing due to the subsidence, from the foot up, and maximum displacement
/// of a stone in the last half second, m.
fn bulge(scene: &str, facing: [u8; 10], seed: u8, more: &[&str]) -> ([f64; 10], f64) {
    let sets = [0, 1, 2, 3, 4].map(|k| format!("generators.{k}.seed={}", 10 * k + seed));
    let run = Run::of(scene, &[&sets.each_ref().map(String::as_str), more].concat());
    let wall = run.measure("wall");
    let start = wall.get("time_s").iter().position(|t| *t > 1.0 - 1e-9).unwrap();
    let ways = facing.map(|body| wall.get(&format!("body_{body}_position_x_m")));
    let out = ways.each_ref().map(|way| way[start] - way[way.len() - 1]);
    let late = ways.iter().map(|way| (way[way.len() - 26] - way[way.len() - 1]).abs()).fold(0.0, f64::max);
    println!("{scene}, ground {seed}: the facing goes out by {out:.3?} m, last motion {late:.1e} m");
    (out, late)
}

#[test]
fn a_retaining_wall_with_two_bond_stones_comes_to_rest_on_most_grounds_with_a_belly_and_falls_on_most_without() {
    let (with, without) = ([3, 5, 7, 9, 10, 12, 14, 16, 17, 19], [3, 5, 7, 9, 11, 13, 15, 17, 19, 21]);
    let (mut bellies, mut falls) = (0, 0);
    for seed in [1, 2, 3, 4, 5, 6, 7, 8] {
        let (out, late) = bulge("bulging-wall", with, seed, &[]);
        assert!(out[9] < 0.5 && late < 1e-4, "{out:?} {late}");
        let belly = out[4..8].iter().copied().fold(0.0, f64::max);
        bellies += usize::from(belly > out[0] + 0.1 && belly > out[9] + 0.05);
        let (out, _) = bulge("bulging-wall-without-bonds", without, seed, &[]);
        falls += usize::from(out[9] > 1.0);
    }
    // On some grounds both lean, and which ones depends on rounding.
    assert!(bellies > 4 && falls > 4, "on {bellies} and {falls} of 8 grounds");
    let (out, late) = bulge("bulging-wall-without-bonds", without, 1, &["bodies.1.driven.velocity.y=0"]);
    assert!(out.iter().all(|x| x.abs() < 1e-3) && late < 1e-4, "it stands without them on a floor that stays: {out:?}");
}
