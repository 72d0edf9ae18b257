//! One packing, many shapes: what takes the place of the balls of a generator or a feed.
//!
//! Each body is turned at random by numbers of its own, and reaches to the surface of its ball, so that bodies made
//! from balls that do not overlap do not overlap either.

use super::Shape;
use crate::base::random::Random;
use crate::dim::{Dim, Orientation};

/// Apart from the numbers that placed the balls.
pub(crate) const STREAM: u64 = 0x7475_726e;
/// Apart from both.
const CHOICE: u64 = 0x7069_636b;

/// Balls, or one shape for all, or several.
pub(crate) struct ShapeSubstitution<X: Dim> {
    /// At least one.
    shapes: Vec<Shape<X>>,
    /// There are as many as bodies.
    is_one_each: bool,
    /// Seed of the choices and orientations; none for balls, which stay as they are.
    seed: Option<u64>,
}

impl<X: Dim> ShapeSubstitution<X> {
    /// Balls stay as they are.
    pub(crate) fn balls() -> Self {
        Self { shapes: vec![Shape::Ball], is_one_each: false, seed: None }
    }

    /// These shapes, of which there is at least one, in the place of `total` balls.
    pub(crate) fn new(shapes: Vec<Shape<X>>, total: u64, seed: u64) -> Self {
        let seed = (!shapes[0].is_ball()).then_some(seed);
        Self { is_one_each: shapes.len() as u64 == total, shapes, seed }
    }

    /// The shapes.
    pub(crate) fn shapes(&self) -> &[Shape<X>] {
        &self.shapes
    }

    /// Which of them body `id` has, number `place` of its generator.
    pub(crate) fn choice(&self, place: u64, id: u64) -> usize {
        match self.seed {
            _ if self.is_one_each => place as usize,
            Some(seed) if self.shapes.len() > 1 => {
                // The random number is at most 1 - 2^-53, and its product with a whole number n rounds to less than n.
                (Random::new(seed ^ CHOICE, id).unit() * self.shapes.len() as f64) as usize
            }
            _ => 0,
        }
    }

    /// The shape of body `id`, number `place` of its generator.
    pub(crate) fn shape(&self, place: u64, id: u64) -> &Shape<X> {
        &self.shapes[self.choice(place, id)]
    }

    /// How body `id` is turned.
    pub(crate) fn orientation(&self, id: u64) -> X::Orientation {
        match self.seed {
            None => X::Orientation::identity(),
            Some(seed) => {
                let mut random = Random::new(seed ^ STREAM, id);
                X::random_orientation([random.unit(), random.unit(), random.unit(), random.unit()])
            }
        }
    }
}
