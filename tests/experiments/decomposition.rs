//! G, the decomposition itself, on four scenes of the papers: more subdomains give the same physics; more processes and
//! threads, and kills, the same bytes.
//!
//! A frictional problem has many solutions, and granular dynamics is chaotic: another order of sweeps leads to another
//! trajectory. The resulting spread of the figures of a scene was measured on one subdomain, with seven values of
//! `solver.tolerance` from 0.7e-3 to 1.3e-3 (docs/gallery/decomposition.md); twice that is allowed here.

use std::path::Path;

use crate::kills::{killed_and_resumed, result, start, wait};
use crate::runs::{Columns, Run, mean};

/// A result of a run, and its allowed spread over the numbers of subdomains, relative to its mean.
struct Figure {
    name: &'static str,
    value: f64,
    spread: f64,
}

fn figure(name: &'static str, value: f64, spread: f64) -> Figure {
    Figure { name, value, spread }
}

/// Checks that the figures agree on 1, 2, 4 and 8 subdomains.
fn alike(scene: &str, sets: &[&str], figures: impl Fn(&Run) -> Vec<Figure>) {
    let found = [1, 2, 4, 8].map(|subdomains| {
        let run = Run::of(scene, &[sets, &[&format!("domain.subdomains={subdomains}")]].concat());
        let (history, figures) = (run.history(), figures(&run));
        let capped = history.get("converged").iter().filter(|&&converged| converged == 0.0).count();
        let words: Vec<_> = figures.iter().map(|figure| format!("{} {:.5}", figure.name, figure.value)).collect();
        let sweeps = mean(history.get("sweeps"));
        println!("{scene}, {subdomains}: {}; {sweeps:.1} sweeps a step, {capped} at the cap", words.join(", "));
        figures
    });
    for (k, figure) in found[0].iter().enumerate() {
        let values = found.each_ref().map(|figures| figures[k].value);
        let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &value| (a.min(value), b.max(value)));
        let spread = (most - least) / mean(&values).abs();
        println!("{scene}: {} spreads by {spread:.4}, at most {}", figure.name, figure.spread);
        assert!(spread < figure.spread, "{scene}: {} is {values:?} on 1, 2, 4, 8 subdomains", figure.name);
    }
}

/// The last value of a column.
fn last(table: &Columns, column: &str) -> f64 {
    *table.get(column).last().unwrap()
}

/// The row of a time, s.
fn row(table: &Columns, time: f64) -> usize {
    table.get("time_s").iter().position(|&t| (t - time).abs() < 1e-9).unwrap()
}

/// The last profile in a table: positions and solid fractions.
fn profile(table: &Columns) -> Vec<(f64, f64)> {
    let end = last(table, "time_s");
    let rows = table.get("position_m").iter().zip(table.get("solid_fraction")).zip(table.get("time_s"));
    rows.filter(|(_, time)| **time == end).map(|((x, share), _)| (*x, *share)).collect()
}

/// Centre of a profile.
fn centre(profile: &[(f64, f64)]) -> f64 {
    profile.iter().map(|(x, share)| x * share).sum::<f64>() / profile.iter().map(|(_, share)| share).sum::<f64>()
}

#[test]
fn a_biaxial_test_has_the_same_stresses_and_voids_on_any_number_of_subdomains() {
    alike("biaxial", &["time.end=0.6"], |run| {
        let (stress, contacts, energy) = (run.measure("stress"), run.measure("contacts"), run.measure("energy"));
        let sheared = row(&stress, 0.4)..;
        let late = |table: &Columns, column: &str| mean(&table.get(column)[sheared.clone()]);
        let across = late(&stress, "stress_yy_N_m");
        vec![
            // The force of the plates over the length between the sides, and their inertia.
            figure("stress_yy", across, 0.024),
            figure("stress_xx/stress_yy", late(&stress, "stress_xx_N_m") / across, 0.13),
            figure("void ratio", late(&stress, "void_ratio"), 0.04),
            figure("coordination number", late(&contacts, "coordination_number"), 0.02),
            figure("dissipated", last(&energy, "dissipated_J"), 0.1),
        ]
    });
}

#[test]
fn a_column_collapses_as_far_on_any_number_of_subdomains() {
    alike("column-collapse", &["time.end=4"], |run| {
        let (ground, energy) = (profile(&run.measure("ground")), run.measure("energy"));
        let total: f64 = ground.iter().map(|(_, share)| share).sum();
        let mut behind = 0.0;
        let front = ground.iter().find(|(_, share)| {
            behind += share;
            behind >= 0.95 * total
        });
        vec![
            // In slices of 2 cm.
            figure("front of 95 %", front.unwrap().0, 0.08),
            figure("centre", centre(&ground), 0.1),
            figure("height of the centre", centre(&profile(&run.measure("heights"))), 0.09),
            figure("dissipated", last(&energy, "dissipated_J"), 0.04),
        ]
    });
}

#[test]
fn a_retaining_wall_leans_and_comes_to_rest_on_any_number_of_subdomains() {
    // With the 5 cm of the scene the wall stands on most grounds and falls on some.
    let sinks = "bodies.1.driven.velocity.y.points=[[1, 0], [1.1, -0.03], [2, -0.03], [2.1, 0]]";
    alike("retaining-wall", &["time.end=4", sinks], |run| {
        let (wall, energy) = (run.measure("wall"), run.measure("energy"));
        let before = row(&wall, 1.0);
        let way = |body: u8, axis: &str, from: usize| {
            let at = wall.get(&format!("body_{body}_position_{axis}_m"));
            at[from] - at[at.len() - 1]
        };
        // A disk somewhere on the ground may roll on for ever.
        for stone in 3..=24 {
            let at = wall.get(&format!("body_{stone}_position_x_m"));
            assert!((at[at.len() - 1] - at[at.len() - 26]).abs() < 1e-6, "stone {stone} rests");
        }
        vec![
            figure("potential energy before", energy.get("potential_J")[before], 0.006),
            figure("top leans by", way(23, "x", before), 0.3),
            figure("foot sinks by", way(3, "y", 0), 0.065),
            figure("potential energy after", last(&energy, "potential_J"), 0.01),
        ]
    });
}

#[test]
fn an_arena_bears_its_weight_and_loses_as_much_energy_on_any_number_of_subdomains() {
    alike("arena", &["time.end=1.5"], |run| {
        let (keystones, ground, energy) = (run.measure("keystones"), run.measure("ground"), run.measure("energy"));
        let before = row(&ground, 0.5);
        let along = |body: u8, axis: &str| {
            let way = |body: u8| {
                let at = keystones.get(&format!("body_{body}_position_{axis}_m"));
                at[at.len() - 1] - at[before]
            };
            way(body) - way(0)
        };
        let way = |bay: u8| ["x", "y", "z"].map(|axis| along(7 + 13 * bay, axis).powi(2)).iter().sum::<f64>().sqrt();
        vec![
            // Its weight: determined by statics.
            figure("ground bears", -ground.get("body_0_force_z_N")[before], 1e-8),
            figure("dissipated", last(&energy, "dissipated_J"), 0.02),
            figure("a keystone moves by", mean(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(way)), 0.18),
        ]
    });
}

/// Scenes on eight subdomains, each up to the time of largest motion.
const SHORT: [(&str, &str); 4] =
    [("biaxial", "0.3"), ("column-collapse", "0.7"), ("retaining-wall", "1.5"), ("arena", "0.8")];

fn file(scene: &str) -> String {
    format!("{}/scenes/{scene}.toml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn eight_subdomains_give_the_same_bytes_on_any_number_of_processes_and_threads() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: String| folder.path().join(name);
    for (scene, end) in SHORT {
        let mut first: Option<[Vec<u8>; 3]> = None;
        for ranks in if cfg!(feature = "mpi") { vec![1, 2, 3] } else { vec![1] } {
            for threads in ["1", "2"] {
                let out = out(format!("{scene}-{ranks}-{threads}"));
                run_on(ranks, threads, scene, end, &out);
                let found = result(&out);
                let same = first.get_or_insert_with(|| found.clone()) == &found;
                assert!(same, "{scene} on {ranks} processes of {threads} threads");
            }
        }
        let [state, history, _] = first.unwrap();
        println!("{scene} to {end} s: {} and {} bytes, everywhere the same", state.len(), history.len());
    }
}

fn run_on(ranks: usize, threads: &str, scene: &str, end: &str, out: &Path) {
    let (file, end) = (file(scene), format!("time.end={end}"));
    let arguments = ["run", &file, "-q", "--out", out.to_str().unwrap(), "--threads", threads, "--set", &end];
    let job = &mut start(ranks, &[&arguments[..], &["--set", "domain.subdomains=8"]].concat());
    assert_eq!(wait(job), Some(0), "{scene} on {ranks} processes of {threads} threads");
}

#[test]
fn killed_at_any_moment_and_resumed_on_another_number_of_processes_scenes_end_as_if_never_stopped() {
    for (seed, (scene, end)) in (1..).zip(SHORT) {
        let end = format!("time.end={end}");
        let sets = ["--set", &end, "--set", "domain.subdomains=8", "--set", "output.checkpoint={ every_steps = 20 }"];
        killed_and_resumed(&file(scene), &sets, seed, 4);
    }
}
