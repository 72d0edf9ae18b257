//! A feed: the number of bodies due and the properties of the next one.
//!
//! Size, shape and orientation follow from the seed and the number of the body within its feed, so a body that waits
//! for free space stays the same; the positions it tries also depend on the step. With `above`, these positions are at
//! the top of the region, and the body is lowered from there.

use super::FreeSpace;
use crate::base::Random;
use crate::body::State;
use crate::contactor::{Bounds, Radii, ShapeSubstitution};
use crate::dim::{Dim, Vector};

/// Positions that a body tries in a step before it waits for the next step.
const TRIES: usize = 20;
/// Separates the random numbers of positions from those of size and orientation.
const POSITIONS: u64 = 0x706c_6163;
/// Tolerance on times for rounding, in intervals between births.
const NEARLY: f64 = 1e-9;

/// Source of bodies during a run.
pub struct Feed<X: Dim> {
    /// Region in which bodies appear.
    pub region: Bounds<X>,
    /// Height at which bodies appear above what they would touch first, m; `None` for anywhere in the region.
    pub(crate) above: Option<f64>,
    pub(crate) material: u32,
    pub(crate) density: f64,
    pub(crate) velocity: X::Vector,
    pub(crate) radii: Radii,
    pub(crate) substitution: ShapeSubstitution<X>,
    /// Index in the model of each shape of the substitution.
    pub(crate) shapes: Vec<u32>,
    pub(crate) schedule: FeedSchedule,
    pub(crate) seed: u64,
}

/// When bodies are born.
pub(crate) struct FeedSchedule {
    /// Bodies per interval.
    pub(crate) count: u64,
    /// Interval, s.
    pub(crate) every: f64,
    /// Time of the first birth, s.
    pub(crate) start: f64,
    /// No births after this time, s.
    pub(crate) end: f64,
    /// Number of bodies after which it ends.
    pub(crate) total: u64,
}

impl FeedSchedule {
    fn due(&self, time: f64) -> u64 {
        let intervals = (time.min(self.end) - self.start) / self.every + NEARLY;
        if intervals < 0.0 {
            return 0;
        }
        self.count.saturating_mul((intervals as u64).saturating_add(1)).min(self.total)
    }
}

impl<X: Dim> Feed<X> {
    /// All bodies that it adds, as the number of spheres that cost as much; none if it never ends.
    pub(crate) fn spheres(&self) -> Option<u64> {
        let ends = self.schedule.end.is_finite() || self.schedule.every.is_infinite() || self.schedule.total < u64::MAX;
        let cost = self.substitution.shapes().iter().map(|shape| shape.cost()).max().unwrap_or(1);
        ends.then(|| self.schedule.due(f64::MAX).saturating_mul(cost))
    }

    /// Number of bodies due by `time`.
    pub fn due(&self, time: f64) -> u64 {
        self.schedule.due(time)
    }

    /// Speed at which bodies are born, m/s.
    pub(crate) fn speed(&self) -> f64 {
        self.velocity.norm()
    }

    /// Length of the smallest body it can produce, m.
    pub(crate) fn smallest(&self) -> f64 {
        let ratio = |shape: &crate::contactor::Shape<X>| shape.characteristic().unwrap_or(1.0) / shape.reach();
        let ratios = self.substitution.shapes().iter().map(ratio);
        self.radii.smallest() * ratios.fold(f64::INFINITY, f64::min)
    }

    /// Radius of the largest body it can produce, m.
    pub(crate) fn largest(&self) -> f64 {
        self.radii.largest()
    }

    /// Places body `number` of this feed before step `step`; `None` if it finds no free space.
    pub(crate) fn place(&self, number: u64, id: u64, step: u64, space: &FreeSpace<'_, X>) -> Option<State<X>> {
        let radius = self.radii.draw(&mut Random::new(self.seed, number));
        let choice = self.substitution.choice(number, number);
        let shape = &self.substitution.shapes()[choice];
        let size = radius / shape.reach();
        let mut state = State::at_rest(id, self.shapes[choice], self.material, size, shape.mass(size, self.density));
        state.velocity = self.velocity;
        state.orientation = self.substitution.orientation(number);
        let mut random = Random::new(self.seed ^ POSITIONS ^ step.rotate_left(32), number);
        (0..TRIES).find_map(|_| {
            let Bounds { min, max } = &self.region;
            state.position = X::Vector::from_fn(|k| match self.above {
                Some(_) if k == X::D - 1 => max[k] - radius,
                _ => random.between(min[k] + radius, max[k] - radius),
            });
            let low = min[X::D - 1] + radius;
            space.is_free(&state).then(|| self.above.map_or(state, |distance| space.lowered(state, distance, low)))
        })
    }
}
