//! Conversion of `fixed` and `driven` scene entries to the prescribed motion of the model.

use std::path::Path;

use super::csv_table::CsvTable;
use super::values::positive;
use super::words::list;
use super::{BodyEntry, Checked, Degrees, KeyPath, Loose, RampEntry, Scene, SceneProblem, SignalEntry, SignalTable};
use crate::dim::Dim;
use crate::model::{Control, Motion, Signal};

impl BodyEntry {
    /// The prescribed motion of the body; `None` if it is free.
    pub(crate) fn motion<X: Dim>(&self, at: &KeyPath, scene: &Scene) -> Checked<Option<Motion>> {
        let degrees = X::D + X::R;
        let driven_at = at.then("driven");
        let Some(driven) = &self.driven else {
            return Ok(self.fixed.then(|| Motion::fixed(degrees)));
        };
        if self.fixed {
            let problem = SceneProblem::key(&driven_at, "a fixed body cannot be driven").label("driven");
            let help = "remove `fixed`; driven.hold = true holds the degrees of freedom that are not driven";
            return Err(problem.also(&at.then("fixed"), "fixed").help(help));
        }
        let mut controls = vec![Control::Free; degrees];
        let velocity_at = driven_at.then("velocity");
        for (name, entry) in driven.velocity.given() {
            let degree = degree::<X>(&velocity_at, name)?;
            controls[degree] = Control::Velocity(signal(entry, &velocity_at.then(name), scene)?);
        }
        let force_at = driven_at.then("force");
        for (name, entry) in driven.force.given() {
            let degree = degree::<X>(&force_at, name)?;
            if controls[degree] != Control::Free {
                let message = format!("`{name}` has both a velocity and a force");
                let problem = SceneProblem::key(&force_at.then(name), message).label("the force");
                let help = "a prescribed velocity determines the force: keep one of the two";
                return Err(problem.also(&velocity_at.then(name), "the velocity").help(help));
            }
            controls[degree] = Control::Force(signal(entry, &force_at.then(name), scene)?);
        }
        if driven.hold {
            for control in &mut controls {
                if *control == Control::Free {
                    *control = Control::Velocity(Signal::Constant(0.0));
                }
            }
        }
        if controls.iter().all(|c| *c == Control::Free) && driven.gravity {
            return Ok(None);
        }
        let mut motion = Motion { controls, gravity: driven.gravity, nodes: Vec::new() };
        // Gravity has no effect on a fully prescribed body; the flag is cleared so that equal motions compare equal.
        motion.gravity &= !motion.is_prescribed(degrees);
        Ok(Some(motion))
    }
}

/// The index of the degree of freedom `name`.
fn degree<X: Dim>(at: &KeyPath, name: &str) -> Checked<usize> {
    let names = Degrees::names(X::D);
    names.iter().position(|n| *n == name).ok_or_else(|| {
        let message = format!("`{name}` is not a degree of freedom in {} dimensions", X::D);
        let problem = SceneProblem::key(&at.then(name), message).label("not here");
        problem.help(format!("the degrees of freedom are {}", list(names)))
    })
}

/// The signal that an entry describes.
pub(crate) fn signal(entry: &SignalEntry, at: &KeyPath, scene: &Scene) -> Checked<Signal> {
    let table = match entry {
        Loose::Number(value) => return Ok(Signal::Constant(*value)),
        Loose::Table(table) => table,
        Loose::Array(_) => return Err(one_way(at)),
    };
    match table {
        SignalTable { ramp: Some(ramp), sinusoid: None, table: None, points: None } => {
            let RampEntry { from, to, start, end } = *ramp;
            if end <= start {
                let message = format!("the ramp ends at {end} s, not after its start at {start} s");
                let problem = SceneProblem::value(&at.then("ramp").then("end"), message).label("too early");
                return Err(problem.help("for a jump, use points = [[0, a], [t, a], [t + tiny, b]]"));
            }
            Ok(Signal::Ramp { from, to, start, end })
        }
        SignalTable { ramp: None, sinusoid: Some(sinusoid), table: None, points: None } => {
            if let Some(ramp) = sinusoid.ramp {
                positive(&at.then("sinusoid").then("ramp"), ramp, "1/s; leave it out to start at full size")?;
            }
            Ok(Signal::Sinusoid {
                mean: sinusoid.mean,
                amplitude: sinusoid.amplitude,
                omega: sinusoid.omega,
                phase: sinusoid.phase,
                ramp: sinusoid.ramp.unwrap_or(f64::INFINITY),
            })
        }
        SignalTable { ramp: None, sinusoid: None, table: Some(file), points: None } => {
            from_file(file, &at.then("table"), scene)
        }
        SignalTable { ramp: None, sinusoid: None, table: None, points: Some(points) } => {
            from_points(points, &at.then("points"))
        }
        _ => Err(one_way(at)),
    }
}

fn one_way(at: &KeyPath) -> SceneProblem {
    let problem = SceneProblem::value(at, format!("`{}` must be given in exactly one way", at.last()));
    let help = "a number, or one of { ramp = ... }, { sinusoid = ... }, { table = \"file.csv\" }, { points = [[time, value], ...] }";
    problem.label("none, or more than one").help(help)
}

fn from_file(file: &Path, at: &KeyPath, scene: &Scene) -> Checked<Signal> {
    let table = CsvTable::open(&scene.source.resolve(file), at, &["time", "value"])?;
    let mut points: Vec<[f64; 2]> = Vec::new();
    table.read(0..table.rows(), |row| {
        if let Some([before, _]) = points.last().filter(|last| row[0] <= last[0]) {
            let message = format!("time {} does not come after {before}", row[0]);
            return Err((message, "times must increase from row to row"));
        }
        points.push([row[0], row[1]]);
        Ok(())
    })?;
    Ok(Signal::Table(points))
}

fn from_points(points: &[Vec<f64>], at: &KeyPath) -> Checked<Signal> {
    if points.is_empty() {
        let problem = SceneProblem::value(at, "`points` is empty").label("no points");
        return Err(problem.help("write [[time, value], ...]"));
    }
    if let Some(i) = points.iter().position(|p| p.len() != 2) {
        let message = format!("a point is a pair [time, value], this has {} numbers", points[i].len());
        return Err(SceneProblem::value(&at.then(i), message).label("not a pair").help("write [[time, value], ...]"));
    }
    let points: Vec<[f64; 2]> = points.iter().map(|p| [p[0], p[1]]).collect();
    match not_increasing(&points) {
        None => Ok(Signal::Table(points)),
        Some(i) => {
            let message = format!("time {} does not come after {}", points[i][0], points[i - 1][0]);
            let problem = SceneProblem::value(&at.then(i), message).label("too early");
            Err(problem.help("times must increase from point to point"))
        }
    }
}

/// The first point whose time does not exceed that of the previous point.
fn not_increasing(points: &[[f64; 2]]) -> Option<usize> {
    (1..points.len()).find(|&i| points[i][0] <= points[i - 1][0])
}
