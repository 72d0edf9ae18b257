//! One feed: how many bodies are due, and what the next one is like.
//!
//! Size, shape and turn follow from the seed and the number of the body among those of its feed, so a body that waits for
//! room stays the same; the places it tries follow from these and the step. With `above`, they are at the top of the box, and
//! it comes down from there.

use super::{Room, corners};
use crate::body::State;
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::generate::{Radii, Random};
use crate::model::Model;
use crate::scene::stand_in::StandIn;
use crate::scene::{Checked, FeedEntry, KeyPath, Problem, Scene, radii, shape_order};

/// Places a body tries in a step before it waits for the next.
const TRIES: usize = 20;
/// Apart from the numbers of size and turn.
const PLACES: u64 = 0x706c_6163;
/// A time this near, in intervals between births, has come: times are rounded.
const NEARLY: f64 = 1e-9;

/// Bodies that appear during a run.
pub struct Feed<X: Dim> {
    /// Where they appear.
    pub region: Bounds<X>,
    /// So high above what they would touch first, m; if not, anywhere there.
    above: Option<f64>,
    material: u32,
    density: f64,
    velocity: X::Vector,
    radii: Radii,
    stand_in: StandIn<X>,
    /// Place of each shape of the stand-in among those of the model.
    shapes: Vec<u32>,
    /// So many at once...
    count: u64,
    /// ...every so many seconds.
    every: f64,
    start: f64,
    end: f64,
    total: u64,
    seed: u64,
}

impl<X: Dim> Feed<X> {
    /// Feed number `index` of the scene.
    pub(crate) fn new(entry: &FeedEntry, index: usize, scene: &Scene, model: &Model<X>) -> Checked<Self> {
        let at = KeyPath::from("feeds").then(index);
        let material = scene.material(&entry.material, &at.then("material"))?;
        let stand_in = StandIn::<X>::new(entry, &at, scene, u64::MAX)?;
        // In the order of this very key.
        let known: Vec<_> = model.shapes.iter().map(shape_order).collect();
        let mut shapes = Vec::new();
        for shape in stand_in.shapes() {
            let place = known.binary_search(&shape_order(shape)).map_err(|_| {
                let problem = Problem::value(&at, "the bodies of this feed are not those that the run began with");
                problem.label("changed").help("undo the change, or start a new run")
            })?;
            shapes.push(place as u32);
        }
        let (count, every) = match entry.rate {
            Some(rate) => (1, 1.0 / rate),
            None => (entry.count.unwrap_or(0), entry.every.unwrap_or(f64::INFINITY)),
        };
        let feed = Self {
            region: corners(&entry.region),
            above: entry.above,
            material,
            density: model.materials[material as usize].density,
            velocity: entry.velocity.as_ref().map_or(X::Vector::zero(), |v| X::Vector::read(v)),
            radii: radii(&entry.radius, &at.then("radius"))?,
            stand_in,
            shapes,
            count,
            every,
            start: entry.start,
            end: entry.end.unwrap_or(f64::INFINITY),
            total: entry.total.unwrap_or(u64::MAX),
            // Two feeds with one seed are not twins.
            seed: entry.seed.wrapping_add((index as u64) << 32),
        };
        for radius in [feed.radii.smallest(), feed.radii.largest()] {
            let mass = feed.stand_in.shapes()[0].mass(radius, feed.density);
            if !mass.is_normal() {
                let message = format!("a body of radius {radius} m has the mass {mass} kg");
                let problem =
                    Problem::value(&at.then("radius"), message).label("size or density out of all proportion");
                return Err(problem.help("sizes are in m, densities in kg/m3"));
            }
        }
        Ok(feed)
    }

    /// How many should have been born by `time`.
    pub fn due(&self, time: f64) -> u64 {
        let intervals = (time.min(self.end) - self.start) / self.every + NEARLY;
        if intervals < 0.0 {
            return 0;
        }
        self.count.saturating_mul((intervals as u64).saturating_add(1)).min(self.total)
    }

    /// How fast its bodies are born, m/s.
    pub(crate) fn speed(&self) -> f64 {
        self.velocity.norm()
    }

    /// Length of the smallest body it can make, m.
    pub(crate) fn smallest(&self) -> f64 {
        let share = |shape: &crate::contactor::Shape<X>| shape.characteristic().unwrap_or(1.0) / shape.reach();
        let shares = self.stand_in.shapes().iter().map(share);
        self.radii.smallest() * shares.fold(f64::INFINITY, f64::min)
    }

    /// Radius of the largest body it can make, m.
    pub(crate) fn largest(&self) -> f64 {
        self.radii.largest()
    }

    /// Body number `number` of this feed as it is born before step `step`; `None` if it finds no room.
    pub(crate) fn place(&self, number: u64, id: u64, step: u64, room: &Room<'_, X>) -> Option<State<X>> {
        let radius = self.radii.draw(&mut Random::new(self.seed, number));
        let choice = self.stand_in.choice(number, number);
        let shape = &self.stand_in.shapes()[choice];
        let size = radius / shape.reach();
        let mut state = State::at_rest(id, self.shapes[choice], self.material, size, shape.mass(size, self.density));
        state.velocity = self.velocity;
        state.orientation = self.stand_in.orientation(number);
        let mut random = Random::new(self.seed ^ PLACES ^ step.rotate_left(32), number);
        (0..TRIES).find_map(|_| {
            let Bounds { min, max } = &self.region;
            state.position = X::Vector::from_fn(|k| match self.above {
                Some(_) if k == X::D - 1 => max[k] - radius,
                _ => random.between(min[k] + radius, max[k] - radius),
            });
            let low = min[X::D - 1] + radius;
            room.has(&state).then(|| self.above.map_or(state, |distance| room.lowered(state, distance, low)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;
    use crate::scene::setup::{Setup, setup};
    use std::path::Path;

    fn made(feed: &str) -> Setup<Plane> {
        let text = "world.dimension = 2\ntime = { step = 1e-3, end = 10 }\nmaterials.glass.density = 2500\n\
                    [[laws]]\nbetween = [\"*\", \"*\"]\nfrictionless = {}\n[[feeds]]\nmaterial = \"glass\"\n\
                    box = { min = [0, 0], max = [1, 1] }\nradius = { uniform = [0.01, 0.02] }\n";
        setup(&Scene::parse(&format!("{text}{feed}"), "test", Path::new(""), &[]).unwrap()).unwrap()
    }

    #[test]
    fn bodies_are_due_at_their_rate_from_the_start_to_the_end_or_the_total() {
        let due = |feed: &str| [0.0, 1.0, 1.05, 1.1, 2.0, 9.0].map(|time| made(feed).boundaries.feeds[0].due(time));
        assert_eq!(due("rate = 10\nstart = 1\n"), [0, 1, 1, 2, 11, 81]);
        assert_eq!(due("rate = 10\nstart = 1\nend = 2\n"), [0, 1, 1, 2, 11, 11]);
        assert_eq!(due("count = 3\nevery = 0.1\ntotal = 20\n"), [3, 20, 20, 20, 20, 20]);
    }

    #[test]
    fn a_body_that_waits_stays_the_same_and_tries_other_places() {
        let Setup { model, boundaries, .. } = made("rate = 10\nshape = { polygon = { sides = 5, radius = 1 } }\n");
        let (feed, empty) = (&boundaries.feeds[0], Room::new(&model, &[], 0.0));
        let [first, later, next] =
            [(7, 1), (7, 2), (8, 1)].map(|(number, step)| feed.place(number, 3, step, &empty).unwrap());
        assert_eq!((first.size, first.orientation), (later.size, later.orientation));
        assert!(first.position != later.position && first.size != next.size);
        let full = Room::new(&model, &[State { size: 100.0, ..first }], 0.0);
        assert!(feed.place(7, 3, 1, &full).is_none());
        assert!(boundaries.smallest() < 0.01);
    }

    #[test]
    fn a_feed_above_what_it_makes_rises_with_it() {
        let Setup { model, boundaries, .. } = made("rate = 10\nabove = 1e-3\n");
        let (feed, mut room) = (&boundaries.feeds[0], Room::new(&model, &[], 0.0));
        let mut heights = Vec::new();
        for number in 0..2000 {
            let Some(state) = feed.place(number, number, number, &room) else { break };
            room.take(&state);
            heights.push(state.position[1]);
        }
        assert!(heights[0] < 0.03 && heights.iter().take(20).all(|y| *y < 0.2), "the first lie at the bottom");
        assert!(heights.iter().any(|y| *y > 0.9) && heights.len() > 500, "the last at the top: {}", heights.len());
    }
}
