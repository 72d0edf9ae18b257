//! One packing, many shapes: what takes the place of the balls of a generator.
//!
//! Each body is turned at random by numbers of its own, and reaches to the surface of its ball, so that bodies made
//! from balls that do not overlap do not overlap either.

use super::generate::{Numbered, Random};
use super::scene::{Checked, GeneratorEntry, KeyPath, Problem, Scene};
use crate::contactor::Shape;
use crate::dim::{Dim, Orientation};

/// Apart from the numbers that placed the balls.
const STREAM: u64 = 0x7475_726e;

/// Balls, or one shape for all, or a shape for each.
pub(super) struct StandIn<X: Dim> {
    /// At least one; the last serves for all further balls.
    shapes: Vec<Shape<X>>,
    /// Seed of the orientations; none for balls, which stay as they are.
    seed: Option<u64>,
}

impl<X: Dim> StandIn<X> {
    /// What the generator at `at` puts in the place of `balls`.
    pub(super) fn new(entry: &GeneratorEntry, at: &KeyPath, scene: &Scene, balls: &[Numbered<X>]) -> Checked<Self> {
        let Some(shape) = &entry.shape else { return Ok(Self { shapes: vec![Shape::Ball], seed: None }) };
        let at = at.then("shape");
        let seed = entry.seed ^ STREAM;
        let make = |id: u64| shape.shape::<X>(&at, scene, Some(Random::new(seed, id).seed()));
        let first = make(balls.first().map_or(0, |ball| ball.id))?;
        if first.is_ball() {
            return Ok(Self { shapes: vec![first], seed: None });
        }
        let shapes = if shape.is_random() {
            balls.iter().map(|ball| make(ball.id)).collect::<Checked<Vec<_>>>()?
        } else {
            vec![first]
        };
        Ok(Self { shapes, seed: Some(seed) })
    }

    /// The shapes, in the order of the balls.
    pub(super) fn shapes(&self) -> &[Shape<X>] {
        &self.shapes
    }

    /// The shape of ball number `place`.
    pub(super) fn shape(&self, place: usize) -> &Shape<X> {
        &self.shapes[place.min(self.shapes.len() - 1)]
    }

    /// How body `id` is turned.
    pub(super) fn orientation(&self, id: u64) -> X::Orientation {
        match self.seed {
            None => X::Orientation::identity(),
            Some(seed) => {
                let mut random = Random::new(seed, id);
                X::random_orientation([random.unit(), random.unit(), random.unit(), random.unit()])
            }
        }
    }
}

/// A shape where there are no balls to replace.
pub(super) fn refuse(entry: &GeneratorEntry, at: &KeyPath) -> Checked {
    if entry.shape.is_none() {
        return Ok(());
    }
    let problem = Problem::key(&at.then("shape"), "this generator makes no balls that a shape could replace");
    Err(problem.label("superfluous").help("`shape` goes with lattice, deposit and csv"))
}
