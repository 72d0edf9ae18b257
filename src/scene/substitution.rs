//! Shape substitution: replaces the balls of a generator or feed by other shapes.
//!
//! Each body has a random orientation from a stream of its own, and its farthest point lies on the surface of its ball,
//! so that balls without overlaps give bodies without overlaps. The number of random shapes is limited: states refer to
//! shapes by index in a table that every process stores, so the table must not grow with the number of bodies.

use super::{Checked, FeedEntry, GeneratorEntry, KeyPath, PartEntry, Scene, SceneProblem, between};
use crate::base::Random;
use crate::contactor::{STREAM, ShapeSubstitution};
use crate::dim::Dim;

/// Default number of different random shapes.
const VARIETY: u64 = 1000;
/// Largest number of shapes: more would fill the memory of every process.
const MAX_SHAPES: u64 = 1_000_000;

/// The shape that a scene entry substitutes for balls.
#[derive(Clone, Copy)]
pub(crate) struct SubstitutionRequest<'a> {
    shape: Option<&'a PartEntry>,
    variety: Option<u64>,
    seed: u64,
}

impl<'a> From<&'a GeneratorEntry> for SubstitutionRequest<'a> {
    fn from(entry: &'a GeneratorEntry) -> Self {
        Self { shape: entry.shape.as_ref(), variety: entry.variety, seed: entry.seed }
    }
}

impl<'a> From<&'a FeedEntry> for SubstitutionRequest<'a> {
    fn from(entry: &'a FeedEntry) -> Self {
        Self { shape: entry.shape.as_ref(), variety: entry.variety, seed: entry.seed }
    }
}

/// The shapes that the generator or feed at `at` substitutes for `total` balls.
pub(crate) fn substitution<'a, X: Dim>(
    request: impl Into<SubstitutionRequest<'a>>,
    at: &KeyPath,
    scene: &Scene,
    total: u64,
) -> Checked<ShapeSubstitution<X>> {
    let request = request.into();
    let variety = variety(request, at)?;
    let Some(shape) = request.shape else {
        return Ok(ShapeSubstitution::balls());
    };
    let at = at.then("shape");
    let make = |number: u64| {
        let mut random = Random::new(request.seed ^ STREAM, number);
        shape.shape::<X>(&at, scene, Some(random.seed()))
    };
    let count = variety.min(total).max(1);
    let shapes = (0..count).map(make).collect::<Checked<Vec<_>>>()?;
    Ok(ShapeSubstitution::new(shapes, total, request.seed))
}

/// The largest number of different shapes of this generator or feed.
fn variety(request: SubstitutionRequest<'_>, at: &KeyPath) -> Checked<u64> {
    let is_random = request.shape.is_some_and(|shape| shape.is_random());
    let at = at.then("variety");
    match request.variety {
        Some(_) if !is_random => {
            let problem = SceneProblem::key(&at, "`variety` without a random shape").label("superfluous");
            Err(problem.help("use it with a `shape` that contains grains: shape = { grain = { corners = 12 } }"))
        }
        Some(variety) => {
            between(&at, variety as f64, 1.0, MAX_SHAPES as f64, "number of different shapes")?;
            Ok(variety)
        }
        None => Ok(if is_random { VARIETY } else { 1 }),
    }
}

/// Rejects a shape in a generator that makes no balls.
pub(crate) fn refuse(entry: &GeneratorEntry, at: &KeyPath) -> Checked {
    variety(entry.into(), at)?;
    if entry.shape.is_none() {
        return Ok(());
    }
    let problem = SceneProblem::key(&at.then("shape"), "this generator makes no balls that a shape could replace");
    Err(problem.label("superfluous").help("use `shape` with lattice, deposit or csv"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contactor::Shape;
    use crate::dim::Space;
    use std::path::Path;

    fn of(shape: &str, total: u64) -> Result<ShapeSubstitution<Space>, String> {
        let text = "world.dimension = 3\ntime = { step = 1e-3, end = 1 }\nmaterials.glass.density = 2500\n\
                    [[generators]]\nmaterial = \"glass\"\nwalls = { min = [0, 0, 0], max = [1, 1, 1] }\n"
            .to_owned()
            + shape;
        let scene = Scene::parse(&text, "test", Path::new(""), &[]).unwrap();
        let at = KeyPath::from("generators").then(0);
        substitution(&scene.generators[0], &at, &scene, total).map_err(|problem| scene.fail(problem).to_string())
    }

    #[test]
    fn up_to_the_variety_every_body_has_a_shape_of_its_own() {
        let few = of("shape.grain.corners = 8\nvariety = 20", 20).unwrap();
        assert_eq!(few.shapes().len(), 20);
        assert!((0..20).all(|number| few.choice(number, 100 + 7 * number) == number as usize));
        assert!((1..20).all(|i| few.shapes()[..i].iter().all(|shape| *shape != few.shapes()[i])));
    }

    #[test]
    fn beyond_the_variety_each_shape_is_taken_equally_often_and_by_id_alone() {
        let many = of("shape.grain.corners = 8\nvariety = 20", 10_000).unwrap();
        let few = of("shape.grain.corners = 8\nvariety = 20", 20).unwrap();
        assert_eq!(many.shapes(), few.shapes());
        let mut counts = [0; 20];
        for id in 0..10_000 {
            assert_eq!(many.choice(id, id), many.choice(0, id));
            counts[many.choice(0, id)] += 1;
        }
        // The standard deviation of each count is 22.
        assert!(counts.iter().all(|n| (400..600).contains(n)), "{counts:?}");
    }

    #[test]
    fn without_randomness_there_is_one_shape_and_no_variety() {
        let cubes = of("shape.box.size = [1, 1, 1]", 50).unwrap();
        assert_eq!((cubes.shapes().len(), cubes.choice(49, 49)), (1, 0));
        assert_eq!(of("", 50).unwrap().shapes(), [Shape::Ball]);
        assert!(of("variety = 5", 50).is_err());
        assert!(of("variety = 5\nshape.box.size = [1, 1, 1]", 50).is_err());
        assert!(of("variety = 0\nshape.grain.corners = 8", 50).is_err());
    }
}
