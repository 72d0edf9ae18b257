//! Checks of single values.

use super::error::{Checked, SceneProblem};
use super::path::{Found, KeyPath};
use super::words::list;
use crate::dim::Vector;

/// Names of the axes.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];
/// Upper bound of the number of bodies: they are counted in 32 bits.
pub(crate) const MAX_BODIES: f64 = 4_294_967_296.0;

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
    if bodies <= MAX_BODIES {
        return Ok(());
    }
    let problem = SceneProblem::value(at, format!("this would make {bodies:.1e} bodies"));
    Err(problem.label("too many").help(format!("at most {MAX_BODIES:.1e} bodies; is this a mistake?")))
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
