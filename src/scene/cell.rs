//! Periodic space from its scene entry, and its checks.

use super::values::{AXES, axis, corners};
use super::words::short;
use super::{BoxBounds, CellEntry, Checked, KeyPath, Scene, SceneProblem, ShearEntry};
use crate::body::State;
use crate::contactor::{Bounds, Shape};
use crate::dim::{Dim, Vector};
use crate::model::{Cell, Model, Shear};

/// Tolerance within which a wall is parallel to an axis.
const PARALLEL: f64 = 1e-12;

impl Scene {
    /// The periodic cell, if there is one, checked as far as possible without bodies.
    pub(crate) fn cell<X: Dim>(&self) -> Checked<Option<Cell<X>>> {
        let Some(entry) = &self.cell else { return Ok(None) };
        let repeats = self.repeats(entry)?;
        let shear = entry.shear.as_ref().map(|shear| self.shear(shear, repeats)).transpose()?;
        let bounds = Bounds { min: X::Vector::read(&entry.min), max: X::Vector::read(&entry.max) };
        Ok(Some(Cell { bounds, repeats, shear }))
    }

    /// Checks the cell as far as possible without creating bodies.
    pub(crate) fn check_cell(&self) -> Checked {
        let Some(entry) = &self.cell else { return Ok(()) };
        let dimension = usize::from(self.world.dimension);
        corners(&"cell".into(), &entry.min, &entry.max, dimension)?;
        let repeats = self.repeats(entry)?;
        let shear = entry.shear.as_ref().map(|shear| self.shear(shear, repeats)).transpose()?;
        if !self.links.is_empty() {
            let problem = SceneProblem::key(&"links".into(), "links cannot be used in a periodic cell").label("links");
            let problem = problem.also(&"cell".into(), "the cell");
            return Err(problem.help("bond bodies by a law (joint, cohesive_zone), or remove the cell"));
        }
        let sheared = shear.map(|shear| shear.across);
        let all = repeats[..dimension].iter().all(|&repeats| repeats);
        let pulls = |k: usize| self.world.gravity.as_ref().map_or(k == dimension - 1, |g| g[k] != 0.0);
        if let Some(k) = (0..dimension).find(|&k| pulls(k) && (all || sheared == Some(k))) {
            let message = format!("gravity acts along {}, where nothing can support the bodies of this cell", AXES[k]);
            let at = if self.world.gravity.is_some() { "world.gravity" } else { "cell" };
            let problem = SceneProblem::value(&at.into(), message).label("they would fall forever");
            return Err(problem.help("gravity is 9.81 down the last axis by default: set world.gravity to zeros"));
        }
        let regions = self.feeds.iter().enumerate().map(|(i, feed)| (KeyPath::from("feeds").then(i), &feed.region));
        let sinks = self.sinks.iter().enumerate().map(|(i, sink)| (KeyPath::from("sinks").then(i), &sink.region));
        for (at, BoxBounds { min, max }) in regions.chain(sinks) {
            let leaves = |k: &usize| repeats[*k] && !(min[*k] >= entry.min[*k] && max[*k] <= entry.max[*k]);
            if let Some(k) = (0..dimension).find(leaves) {
                let message = format!("this box extends beyond the periodic cell along {}", AXES[k]);
                let problem = SceneProblem::value(&at.then("box"), message).label("beyond the cell");
                return Err(problem.also(&"cell".into(), "the cell").help("a box inside the cell is repeated with it"));
            }
        }
        Ok(())
    }

    /// Whether bodies start with the velocity of the mean flow.
    pub(crate) fn starts_in_flow(&self) -> bool {
        self.cell.as_ref().and_then(|cell| cell.shear.as_ref()).is_some_and(|shear| shear.flow)
    }

    fn repeats(&self, entry: &CellEntry) -> Checked<[bool; 3]> {
        let (at, dimension) = (KeyPath::from("cell.periodic"), usize::from(self.world.dimension));
        let Some(names) = &entry.periodic else { return Ok([0, 1, 2].map(|k| k < dimension)) };
        let mut repeats = [false; 3];
        for (i, name) in names.iter().enumerate() {
            let k = axis(&at.then(i), name, dimension)?;
            if std::mem::replace(&mut repeats[k], true) {
                let problem = SceneProblem::value(&at.then(i), format!("the axis \"{name}\" is given twice"));
                return Err(problem.label("the second").help("give it once"));
            }
        }
        if names.is_empty() {
            let problem = SceneProblem::value(&at, "the cell is periodic along no axis").label("empty");
            return Err(problem.help("name axes, as in periodic = [\"x\"], or remove [cell]"));
        }
        Ok(repeats)
    }

    fn shear(&self, entry: &ShearEntry, repeats: [bool; 3]) -> Checked<Shear> {
        let (at, dimension) = (KeyPath::from("cell.shear"), usize::from(self.world.dimension));
        let named = |key: &str, given: &Option<String>, default: usize| match given {
            Some(name) => axis(&at.then(key), name, dimension),
            None => Ok(default),
        };
        let along = named("along", &entry.along, 0)?;
        let across = named("across", &entry.across, dimension - 1)?;
        if along == across {
            let message = format!("`along` and `across` are both {}", AXES[along]);
            let problem = SceneProblem::value(&at, message).label("one axis twice");
            return Err(problem.help("`along` is the axis of the flow, `across` that of the velocity gradient"));
        }
        if let Some(k) = [along, across].into_iter().find(|&k| !repeats[k]) {
            let message = format!("a sheared cell must be periodic along {}", AXES[k]);
            let problem = SceneProblem::value(&at, message).label("not periodic there");
            return Err(problem.help("add the axis to cell.periodic, or shear by driven walls instead"));
        }
        if entry.rate == 0.0 {
            let problem = SceneProblem::value(&at.then("rate"), "the shear rate must not be 0").label("zero");
            return Err(problem.help("1/s; leave `shear` out for a cell at rest"));
        }
        Ok(Shear { along, across, rate: entry.rate })
    }
}

/// Requires that the bodies fit into the cell and that unbounded bodies are invariant under its translations.
pub(crate) fn check_fit<X: Dim>(scene: &Scene, model: &Model<X>, states: &[State<X>], largest_fed: f64) -> Checked {
    let Some(cell) = &model.cell else { return Ok(()) };
    let at = KeyPath::from("cell");
    if let Some(state) =
        states.iter().filter(|state| cell.shear.is_some() && model.motion(state).is_some()).min_by_key(|s| s.id)
    {
        let message = format!("body {} is fixed or driven, and the cell is sheared", state.id.0);
        let problem = SceneProblem::value(&at.then("shear"), message).label("fixed or driven");
        return Err(problem.help("let either the cell or walls drive the flow, not both"));
    }
    for k in (0..X::D).filter(|&k| cell.repeats[k]) {
        let is_broken = |state: &&State<X>| match model.shape(state) {
            Shape::HalfSpace => model.placed(state).outward()[k].abs() > PARALLEL,
            // In 2D it is a circle, bounded along both axes.
            Shape::Hollow => !X::HAS_ROTATION_AXIS || model.placed(state).axis()[k].abs() < 1.0 - PARALLEL,
            Shape::Ball | Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Compound(_) | Shape::Meshed(_) => false,
        };
        if let Some(state) = states.iter().filter(is_broken).min_by_key(|state| state.id) {
            let name = model.shape(state).name();
            let message =
                format!("body {}, a {name}, is not uniform along {}, where the cell is periodic", state.id.0, AXES[k]);
            let problem = SceneProblem::value(&at, message).label("repeated here");
            return Err(problem.help("remove the axis from cell.periodic, or the body from the scene"));
        }
        let width = |state: &State<X>| 2.0 * model.shape(state).reach() * state.size;
        let widths = states.iter().map(width).filter(|width| width.is_finite());
        let widest = widths.fold(2.0 * largest_fed, f64::max);
        if cell.edge(k) < 2.0 * widest {
            let message = format!(
                "the cell is {} m wide along {}, less than two bodies: the largest is {} m across",
                short(cell.edge(k)),
                AXES[k],
                short(widest)
            );
            let edge = at.then("max").then(k);
            let problem = SceneProblem::value(&edge, message).label("too narrow");
            let help = "a body must not touch itself, nor another one on both sides; enlarge the cell";
            return Err(problem.help(if scene.feeds.is_empty() {
                help.to_owned()
            } else {
                format!("{help}, or feed smaller bodies")
            }));
        }
    }
    Ok(())
}
