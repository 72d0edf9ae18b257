//! Checks of single values, and of the tables that concern the whole scene.

use super::path::Found;
use super::words::list;
use super::{BoxBounds, Checked, KeyPath, Scene, SceneProblem};
use crate::dim::Vector;
use crate::domain::SubdomainCount;
use crate::solver::ContactOrder;

/// More steps than this are taken for a typing error: at a microsecond each they take eleven days.
const MOST_STEPS: f64 = 1e12;
/// More subdomains than this are taken for a typing error.
const MOST_SUBDOMAINS: u32 = 1_000_000;

/// Requires every number of the document to be finite.
pub(crate) fn finite(root: Found<'_>) -> Checked {
    /// The first non-finite number and the keys that lead to it, last first; the keys are collected on return only,
    /// since most documents have none.
    fn search(here: Found<'_>) -> Option<(f64, Vec<String>)> {
        if let Some(number) = here.float().filter(|number| !number.is_finite()) {
            return Some((number, Vec::new()));
        }
        here.children().into_iter().find_map(|(key, child)| {
            let (number, mut keys) = search(child)?;
            keys.push(key);
            Some((number, keys))
        })
    }
    match search(root) {
        None => Ok(()),
        Some((number, keys)) => {
            let path = KeyPath::new(keys.into_iter().rev());
            let problem = SceneProblem::value(&path, format!("{number} is not a finite number"));
            Err(problem.label("not finite").help("write a finite number"))
        }
    }
}

/// Requires `value` to be greater than zero.
pub(crate) fn positive(path: &KeyPath, value: f64, help: &str) -> Checked {
    if value > 0.0 {
        return Ok(());
    }
    let problem = SceneProblem::value(path, format!("`{}` must be greater than 0, not {value}", path.last()));
    Err(problem.label(if value < 0.0 { "negative" } else { "zero" }).help(help))
}

/// Requires `value` to lie between `least` and `most`.
pub(crate) fn between(path: &KeyPath, value: f64, least: f64, most: f64, help: &str) -> Checked {
    if value >= least && value <= most {
        return Ok(());
    }
    let problem =
        SceneProblem::value(path, format!("`{}` must lie between {least} and {most}, not be {value}", path.last()));
    Err(problem.label("out of range").help(help))
}

/// Requires the number of `values` to be `count`.
pub(crate) fn length(path: &KeyPath, values: usize, count: usize) -> Checked {
    if values == count {
        return Ok(());
    }
    let name = path.last();
    let numbers = |n: usize| if n == 1 { "1 number".to_owned() } else { format!("{n} numbers") };
    let problem = SceneProblem::value(path, format!("`{name}` has {} where {count} are needed", numbers(values)));
    Err(problem
        .label(format!("{} here", numbers(values)))
        .help("one number for each axis; `dimension` in [world] says how many axes there are"))
}

/// Requires `count` not to be zero.
pub(crate) fn at_least_one(path: &KeyPath, count: u64, help: &str) -> Checked {
    if count > 0 {
        return Ok(());
    }
    Err(SceneProblem::value(path, format!("`{}` must be at least 1, not 0", path.last())).label("none").help(help))
}

/// Requires a number of bodies that fits the body counter.
pub(crate) fn few_enough(at: &KeyPath, bodies: f64) -> Checked {
    if bodies <= MOST_BODIES {
        return Ok(());
    }
    let problem = SceneProblem::value(at, format!("this would make {bodies:.1e} bodies"));
    Err(problem.label("too many").help(format!("at most {MOST_BODIES:.1e} bodies; is this a mistake?")))
}

/// Reads the edge lengths of a box, one for each axis, all greater than zero.
pub(crate) fn edges<V: Vector>(path: &KeyPath, numbers: &[f64]) -> Checked<V> {
    length(path, numbers.len(), V::N)?;
    for (i, &edge) in numbers.iter().enumerate() {
        positive(&path.then(i), edge, "lengths of the edges in m")
            .map_err(|p| SceneProblem { message: format!("an edge must be longer than 0, not {edge}"), ..p })?;
    }
    Ok(V::read(numbers))
}

/// Names of the axes.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// The index of the axis called `name`.
pub(crate) fn axis(path: &KeyPath, name: &str, dimension: usize) -> Checked<usize> {
    AXES[..dimension].iter().position(|axis| *axis == name).ok_or_else(|| {
        let problem = SceneProblem::value(path, format!("there is no axis \"{name}\""));
        problem.label("unknown").help(format!("the axes are {}", list(&AXES[..dimension])))
    })
}

/// Requires the lower corner of a box to lie below the upper corner along each axis.
pub(crate) fn corners(path: &KeyPath, min: &[f64], max: &[f64], dimension: usize) -> Checked {
    length(&path.then("min"), min.len(), dimension)?;
    length(&path.then("max"), max.len(), dimension)?;
    match (0..dimension).find(|&i| min[i] >= max[i]) {
        None => Ok(()),
        Some(i) => {
            let axis = AXES[i];
            let message = format!("the box has no width along {axis}: min is {}, max is {}", min[i], max[i]);
            let problem = SceneProblem::value(&path.then("max").then(i), message);
            Err(problem.label("not above min").help("min is the lower corner, max the upper one"))
        }
    }
}

impl Scene {
    /// The first problem that can be found without creating bodies.
    pub(crate) fn problem(&self) -> Checked {
        self.check_world()?;
        self.check_time()?;
        self.check_solver()?;
        self.check_domain()?;
        self.check_materials()?;
        self.check_laws()?;
        self.check_links()?;
        if let Some(frames) = &self.output.frames {
            positive(&"output.frames.every".into(), frames.every, "simulated seconds between two frames")?;
        }
        self.check_checkpoint()?;
        self.check_boundaries()?;
        self.check_stops()?;
        self.check_measures()?;
        self.check_cell()?;
        self.check_membranes()?;
        if self.bodies.is_empty() && self.generators.is_empty() && self.feeds.is_empty() {
            let problem = SceneProblem::value(&KeyPath::default(), "the scene has no bodies");
            return Err(problem.help("add [[bodies]] one by one, or [[generators]] for many"));
        }
        Ok(())
    }

    fn check_checkpoint(&self) -> Checked {
        let at = KeyPath::from("output.checkpoint");
        let entry = &self.output.checkpoint;
        if entry.every_steps == Some(0) {
            let problem = SceneProblem::value(&at.then("every_steps"), "`every_steps` must be at least 1, not 0");
            return Err(problem.label("no step").help("leave it out for no checkpoints by steps"));
        }
        if let Some(seconds) = entry.every_seconds {
            positive(&at.then("every_seconds"), seconds, "simulated seconds between two checkpoints")?;
        }
        if let Some(minutes) = entry.every_minutes {
            positive(&at.then("every_minutes"), minutes, "minutes of wall time between two checkpoints")?;
        }
        if entry.keep == 0 {
            let problem = SceneProblem::value(&at.then("keep"), "`keep` must be at least 1, not 0");
            return Err(problem.label("none kept").help("2 keeps one in reserve; older ones are removed"));
        }
        Ok(())
    }

    fn check_world(&self) -> Checked {
        let world = &self.world;
        if !matches!(world.dimension, 2 | 3) {
            let message = format!("`dimension` must be 2 or 3, not {}", world.dimension);
            let problem = SceneProblem::value(&"world.dimension".into(), message);
            return Err(problem.label("neither 2 nor 3").help("2 for disks in a plane, 3 for spheres in space"));
        }
        let dimension = usize::from(world.dimension);
        if let Some(gravity) = &world.gravity {
            length(&"world.gravity".into(), gravity.len(), dimension)?;
        }
        if let Some(BoxBounds { min, max }) = &world.bounds {
            corners(&"world.bounds".into(), min, max, dimension)?;
        } else if world.outside.is_some() {
            let problem = SceneProblem::key(&"world.outside".into(), "`outside` without `bounds`").label("no bounds");
            return Err(problem.help("add bounds = { min = [...], max = [...] }"));
        }
        Ok(())
    }

    fn check_time(&self) -> Checked {
        let time = &self.time;
        let (step, end) = (KeyPath::from("time.step"), KeyPath::from("time.end"));
        positive(&step, time.step, "a step is a fraction of the time a body takes to move by its radius")?;
        if time.end < 0.0 {
            let problem = SceneProblem::value(&end, format!("`end` must not be negative, but it is {}", time.end));
            return Err(problem.label("negative").help("a run starts at time 0"));
        }
        if time.end > 0.0 && time.step > time.end {
            let message = format!("a step of {} s is longer than the whole run of {} s", time.step, time.end);
            let problem =
                SceneProblem::value(&step, message).label("longer than `end`").also(&end, "the end of the run");
            return Err(problem.help("shorten the step or let the run last longer"));
        }
        if time.end / time.step > MOST_STEPS {
            let message = format!("the run would take {:.1e} steps", time.end / time.step);
            let problem = SceneProblem::value(&step, message).label("too short").also(&end, "for a run this long");
            return Err(problem.help(format!("at most {MOST_STEPS:.0e} steps; both times are in seconds")));
        }
        between(&"time.theta".into(), time.theta, 0.5, 1.0, "0.5 conserves energy, 1 damps; below 0.5 is unstable")
    }

    fn check_solver(&self) -> Checked {
        let solver = &self.solver;
        let loose = "0.001 is usual; smaller is more exact and slower";
        positive(&"solver.tolerance".into(), solver.tolerance, loose)?;
        positive(
            &"solver.velocity_error".into(),
            solver.velocity_error,
            "0.2 is usual; smaller is more exact and slower",
        )?;
        if solver.max_sweeps == 0 {
            let problem = SceneProblem::value(&"solver.max_sweeps".into(), "`max_sweeps` must be at least 1, not 0");
            return Err(problem.label("no sweep at all").help("a step takes tens to hundreds of sweeps"));
        }
        if !(solver.relaxation > 0.0 && solver.relaxation < 2.0) {
            let message = format!("`relaxation` must be above 0 and below 2, not {}", solver.relaxation);
            let problem = SceneProblem::value(&"solver.relaxation".into(), message);
            return Err(problem.label("out of range").help("1 is plain Gauss-Seidel; other values rarely help"));
        }
        if let (Some(reason), true) = (solver.method.without_order(), solver.order != ContactOrder::Batches) {
            let problem = SceneProblem::value(&"solver.order".into(), reason);
            let problem = problem.label("superfluous").also(&"solver.method".into(), "the method");
            return Err(problem.help("leave `order` out, or use method = \"nlgs\""));
        }
        let detection = &self.detection;
        positive(
            &"detection.max_travel".into(),
            detection.max_travel,
            "greatest distance that a body may move in a step, in radii",
        )?;
        for (path, value) in [("detection.alert", detection.alert), ("detection.skin", detection.skin)] {
            if let Some(value) = value {
                positive(&path.into(), value, "a few per cent of the smallest body, m; leave it out for the default")?;
            }
        }
        Ok(())
    }

    fn check_domain(&self) -> Checked {
        if let SubdomainCount::Given(count) = self.domain.subdomains
            && !(1..=MOST_SUBDOMAINS).contains(&count)
        {
            let message = format!("`subdomains` must lie between 1 and {MOST_SUBDOMAINS}, not be {count}");
            let problem = SceneProblem::value(&"domain.subdomains".into(), message).label("out of range");
            return Err(problem.help("\"auto\" uses about one per 2000 bodies"));
        }
        if self.domain.imbalance <= 1.0 {
            let message = format!("`imbalance` must be greater than 1, not {}", self.domain.imbalance);
            let problem = SceneProblem::value(&"domain.imbalance".into(), message).label("too small");
            return Err(problem.help("1.3 lets the heaviest subdomain be 30 % above the mean"));
        }
        Ok(())
    }

    fn check_materials(&self) -> Checked {
        for (name, material) in &self.materials {
            let path = KeyPath::new(["materials", name]);
            if name == "*" {
                let problem = SceneProblem::key(&path, "a material cannot be called \"*\"").label("taken");
                return Err(problem.help("\"*\" stands for any material in [[laws]]"));
            }
            positive(
                &path.then("density"),
                material.density,
                "density in kg/m3 (kg/m2 in two dimensions); glass has 2500",
            )?;
        }
        Ok(())
    }
}

/// Upper bound of the number of bodies: they are counted in 32 bits.
pub(crate) const MOST_BODIES: f64 = 4_294_967_296.0;
