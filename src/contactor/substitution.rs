//! Shape substitution: replaces the spheres of a generator or a feed by other shapes.
//!
//! Each body gets a random orientation from its own random numbers, and extends to the surface of its sphere, so that
//! bodies made from non-overlapping spheres do not overlap either.

use super::Shape;
use crate::base::random::Random;
use crate::dim::{Dim, Orientation};

/// Random stream of the orientations, distinct from that of the positions of the spheres.
pub(crate) const STREAM: u64 = 0x7475_726e;
/// Random stream of the shape choices, distinct from both.
const CHOICE: u64 = 0x7069_636b;

/// Spheres, one shape for all bodies, or several shapes.
pub(crate) struct ShapeSubstitution<X: Dim> {
    /// The shapes, at least one.
    shapes: Vec<Shape<X>>,
    /// Are there as many shapes as bodies?
    is_one_each: bool,
    /// Seed of the choices and orientations; `None` for spheres, which are kept.
    seed: Option<u64>,
}

impl<X: Dim> ShapeSubstitution<X> {
    /// Keeps the spheres.
    pub(crate) fn balls() -> Self {
        Self { shapes: vec![Shape::Ball], is_one_each: false, seed: None }
    }

    /// These shapes (at least one) in place of `total` spheres.
    pub(crate) fn new(shapes: Vec<Shape<X>>, total: u64, seed: u64) -> Self {
        let seed = (!shapes[0].is_ball()).then_some(seed);
        Self { is_one_each: shapes.len() as u64 == total, shapes, seed }
    }

    /// The shapes.
    pub(crate) fn shapes(&self) -> &[Shape<X>] {
        &self.shapes
    }

    /// Index of the shape of body `id`, which is body `number` of its generator.
    pub(crate) fn choice(&self, number: u64, id: u64) -> usize {
        match self.seed {
            _ if self.is_one_each => number as usize,
            Some(seed) if self.shapes.len() > 1 => {
                // The random number is at most 1 - 2^-53, and its product with an integer n rounds to less than n.
                (Random::new(seed ^ CHOICE, id).unit() * self.shapes.len() as f64) as usize
            }
            _ => 0,
        }
    }

    /// The shape of body `id`, which is body `number` of its generator.
    pub(crate) fn shape(&self, number: u64, id: u64) -> &Shape<X> {
        &self.shapes[self.choice(number, id)]
    }

    /// The orientation of body `id`.
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
