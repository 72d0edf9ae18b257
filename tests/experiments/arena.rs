//! F2, R. Mozul and F. Dubois, Of the designing of a software dedicated to contact dynamics problems: an arena of
//! blocks.

use std::process::Command;

use crate::program::{nscdd, text};
use crate::runs::{Columns, Run};

/// Weight of its 130 blocks, N, as reported by `nscdd check`.
const WEIGHT: f64 = 45_192.175_314 * 9.81;

/// Maximum displacement of a keystone relative to the ground, between two rows, m.
fn moved(keystones: &Columns, from: usize, to: usize) -> f64 {
    let way = |body: usize| {
        let along = |axis: &str| {
            let at = |body: usize| keystones.get(&format!("body_{body}_position_{axis}_m"));
            (at(body)[to] - at(0)[to]) - (at(body)[from] - at(0)[from])
        };
        ["x", "y", "z"].map(along).map(|w| w * w).iter().sum::<f64>().sqrt()
    };
    (0..10).map(|bay| way(7 + 13 * bay)).fold(0.0, f64::max)
}

/// Displacement of the keystones under dead load and after it, m, share of the weight that the ground carries before
/// the shaking and at the end, and energy input of the shaking, J.
fn shaken(sets: &[&str]) -> [f64; 5] {
    let run = Run::of("arena", sets);
    let (keystones, ground, energy) = (run.measure("keystones"), run.measure("ground"), run.measure("energy"));
    let (before, last) = (49, keystones.get("time_s").len() - 1);
    let share = |row: usize| -ground.get("body_0_force_z_N")[row] / WEIGHT;
    let spent = energy.get("dissipated_J");
    let found = [moved(&keystones, 0, before), moved(&keystones, before, last), share(before), share(last)];
    let cost = spent[last] - spent[before];
    println!(
        "keystones moved by {:.1e} and {:.1e} m, ground bears {:.6} and {:.4}, {cost:.0} J",
        found[0], found[1], found[2], found[3]
    );
    [found[0], found[1], found[2], found[3], cost]
}

#[test]
fn an_arena_stands_under_its_weight_and_weak_shaking_and_not_unharmed_under_strong() {
    // Oscillation at 2 Hz: 2.4 m/s2, a quarter of gravity.
    let weak = "bodies.0.driven.velocity.x.points=[[0.5,0],[0.625,0.3],[0.875,-0.3],[1.125,0.3],[1.375,-0.3],\
                [1.625,0.3],[1.875,-0.3],[2.125,0.3],[2.375,-0.3],[2.5,0]]";
    let [dead, after, before_share, share, cost] = shaken(&[weak]);
    assert!(dead < 1e-4 && after < 1e-3, "{dead} {after}");
    assert!((before_share - 1.0).abs() < 1e-4 && (share - 1.0).abs() < 1e-4, "{before_share} {share}");
    assert!(cost < 100.0, "{cost}");
    let [_, after, before_share, share, cost] = shaken(&[]);
    assert!(after > 0.05, "{after}");
    assert!((before_share - 1.0).abs() < 1e-4 && (share - 1.0).abs() < 0.01, "{before_share} {share}");
    assert!(cost > 1e4, "{cost}");
}

/// Two rings, the outer one of two storeys, as a script writes them: a tenth of a second of dead load.
#[test]
fn the_ground_bears_the_weight_of_a_larger_arena() {
    let folder = tempfile::tempdir().unwrap();
    let (scene, out) = (folder.path().join("arena-full.toml"), folder.path().join("out"));
    let made = Command::new("python3").arg("scenes/arena-full.py").output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    std::fs::write(&scene, made.stdout).unwrap();
    let (scene, out) = (scene.to_str().unwrap(), out.to_str().unwrap());
    let ran = nscdd(1, &["run", scene, "--out", out, "--set", "time.end=0.1"]).output().unwrap();
    assert!(ran.status.success(), "{}", text(&ran.stderr));
    let table = std::fs::read_to_string(format!("{out}/measures/ground.csv")).unwrap();
    let column = table.lines().next().unwrap().split(',').position(|name| name == "body_0_force_z_N").unwrap();
    let last: f64 = table.lines().last().unwrap().split(',').nth(column).unwrap().parse().unwrap();
    // As reported by `nscdd check` for its 820 blocks.
    let weight = 369_873.497_737 * 9.81;
    assert!((-last / weight - 1.0).abs() < 1e-3, "{last} of {weight}");
}
