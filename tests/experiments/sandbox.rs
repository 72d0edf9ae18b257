//! B5, P. Alart and M. Renouf, On inconsistency in frictional granular systems: a cap on friction against wedging in a
//! sandbox.

use std::path::Path;

use crate::runs::{Run, mean};
use nscdd::output::columns::{ColumnValues, read};

/// Start time of the wall, s, and edge of the corner that is examined, m; the bed is about 22 m high.
const START: f64 = 2.5;
const CORNER: f64 = 5.0;

struct Sandbox {
    /// Sweeps of each step since the wall started.
    sweeps: Vec<f64>,
    /// Number of these steps that hit the cap.
    capped: usize,
    /// Mean overlap of overlapping pairs in the corner between wall and floor, m, averaged over checkpoints.
    overlap: f64,
}

impl Sandbox {
    fn of(factor: Option<f64>) -> Self {
        let law = factor.map_or("coulomb = { friction = 0.7 }".into(), |factor| {
            format!("orowan = {{ friction = 0.7, threshold = \"mean\", factor = {factor} }}")
        });
        let law = format!("laws=[{{ between = [\"*\", \"*\"], {law} }}]");
        let run = Run::of("sandbox", &[&law, "output.checkpoint={ every_seconds = 0.5, keep = 30 }"]);
        let history = run.history();
        let moving = |name: &str| -> Vec<f64> {
            let rows = history.get("time_s").iter().zip(history.get(name));
            rows.filter(|(time, _)| **time > START).map(|(_, value)| *value).collect()
        };
        let files = std::fs::read_dir(format!("{}/checkpoints", run.path())).unwrap();
        let overlaps: Vec<f64> = files.filter_map(|file| overlap(&file.unwrap().path())).collect();
        let sandbox = Self {
            sweeps: moving("sweeps"),
            capped: moving("converged").iter().filter(|&&converged| converged == 0.0).count(),
            overlap: mean(&overlaps),
        };
        println!(
            "{law}: {:.0} sweeps, {} at the cap; overlap in the corner {:.2e} m, of {} moments",
            mean(&sandbox.sweeps),
            sandbox.capped,
            sandbox.overlap,
            overlaps.len()
        );
        sandbox
    }
}

/// Mean overlap in the corner at a checkpoint; `None` if the wall has not moved yet.
fn overlap(checkpoint: &Path) -> Option<f64> {
    let content = read(checkpoint).unwrap();
    let column = |name: &str| match &content.column("bodies", name).unwrap().values {
        ColumnValues::Float(values) => values.clone(),
        _ => panic!("{name} is no number"),
    };
    // Sorted by id: the wall, the floor, the far wall, the disks.
    let (positions, radii) = (column("position"), column("size"));
    let wall = positions[0];
    let disks: Vec<[f64; 3]> = (3..radii.len())
        .map(|k| [positions[2 * k] - wall, positions[2 * k + 1], radii[k]])
        .filter(|disk| disk[0] < CORNER && disk[1] < CORNER)
        .collect();
    let mut depths: Vec<f64> = disks.iter().flat_map(|disk| [disk[2] - disk[0], disk[2] - disk[1]]).collect();
    for (k, a) in disks.iter().enumerate() {
        depths.extend(disks[..k].iter().map(|b| a[2] + b[2] - (a[0] - b[0]).hypot(a[1] - b[1])));
    }
    depths.retain(|&depth| depth > 0.0);
    (wall > 0.0).then(|| mean(&depths))
}

#[test]
fn less_friction_in_strong_contacts_spares_sweeps_and_overlaps_in_the_corner() {
    let [coulomb, at_mean, at_hundredth] = [None, Some(1.0), Some(0.01)].map(Sandbox::of);
    let sweeps = |sandbox: &Sandbox| mean(&sandbox.sweeps);
    // Published for 40 000 disks: about 1000, 325 and 110.
    assert!(sweeps(&coulomb) > 2.0 * sweeps(&at_mean) && sweeps(&at_mean) > 1.2 * sweeps(&at_hundredth));
    assert!(coulomb.capped > 0, "Coulomb's law alone hits the cap now and then");
    assert_eq!(at_hundredth.capped, 0, "never, with the low cap");
    // About half with either cap.
    assert!(at_hundredth.overlap.max(at_mean.overlap) < 0.8 * coulomb.overlap);
}
