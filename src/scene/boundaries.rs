//! Checks of feeds, sinks, removals and the tilt of gravity.

use super::generating::radii;
use super::motion::signal;
use super::values::{AXES, at_least_one, corners, length, positive};
use super::vectors::{direction, vector};
use super::{BoxBounds, Checked, FeedEntry, KeyPath, RemovalEntry, Scene, SceneProblem};
use crate::dim::{Dim, Vector};
use crate::model::{Signal, Tilt};

/// A time later than the end of any run, s.
const BEYOND_ANY_RUN: f64 = (1u64 << 50) as f64;

impl Scene {
    /// Checks feeds, sinks and removals as far as possible without creating bodies.
    pub(crate) fn check_boundaries(&self) -> Checked {
        let dimension = usize::from(self.world.dimension);
        for (i, sink) in self.sinks.iter().enumerate() {
            corners(&KeyPath::from("sinks").then(i).then("box"), &sink.region.min, &sink.region.max, dimension)?;
        }
        for (i, feed) in self.feeds.iter().enumerate() {
            self.check_feed(feed, &KeyPath::from("feeds").then(i), dimension)?;
        }
        for (i, removal) in self.removals.iter().enumerate() {
            let at = KeyPath::from("removals").then(i);
            check_removal(removal, &at)?;
            if let Some(first) = self.removals[..i].iter().position(|other| other.body == removal.body) {
                let problem = SceneProblem::value(&at.then("body"), format!("body {} is removed twice", removal.body));
                let first = KeyPath::from("removals").then(first).then("body");
                return Err(problem.label("the second").also(&first, "the first").help("keep one of them"));
            }
        }
        Ok(())
    }

    fn check_feed(&self, feed: &FeedEntry, at: &KeyPath, dimension: usize) -> Checked {
        self.material(&feed.material, &at.then("material"))?;
        let box_at = at.then("box");
        let BoxBounds { min, max } = &feed.region;
        corners(&box_at, min, max, dimension)?;
        let radii = radii(&feed.radius, &at.then("radius"))?;
        if let Some(axis) = (0..dimension).find(|&k| max[k] - min[k] < 2.0 * radii.largest()) {
            let (width, name) = (max[axis] - min[axis], AXES[axis]);
            let message =
                format!("balls of radius {} m do not fit into a box {width} m wide along {name}", radii.largest());
            let problem = SceneProblem::value(&at.then("radius"), message).label("too large").also(&box_at, "the box");
            return Err(problem.help("make the balls smaller or the box wider"));
        }
        match (feed.rate, feed.count, feed.every) {
            (Some(rate), None, None) => {
                positive(&at.then("rate"), rate, "bodies per second; for none remove the feed")?
            }
            (None, Some(count), Some(every)) => {
                at_least_one(&at.then("count"), count, "number of bodies that are added together")?;
                positive(&at.then("every"), every, "seconds between two additions of `count` bodies")?;
            }
            _ => {
                let problem = SceneProblem::value(at, "a feed needs either `rate`, or `count` and `every`");
                return Err(problem
                    .label("none, or more than one")
                    .help("rate = 100 for a hundred bodies per second, or count = 10 and every = 0.1"));
            }
        }
        if let Some(above) = feed.above {
            positive(
                &at.then("above"),
                above,
                "distance in m between a new body and the first one below it; leave it out to add bodies anywhere in the box",
            )?;
        }
        if let Some(total) = feed.total {
            at_least_one(
                &at.then("total"),
                total,
                "greatest number of bodies that are added; leave it out for no limit",
            )?;
        }
        if let Some(velocity) = &feed.velocity {
            length(&at.then("velocity"), velocity.len(), dimension)?;
        }
        Self::check_not_negative(&at.then("start"), feed.start)?;
        if let Some(end) = feed.end.filter(|end| *end < feed.start) {
            let message = format!("the feed ends at {end} s, before its start at {} s", feed.start);
            let problem = SceneProblem::value(&at.then("end"), message).label("too early");
            return Err(problem.help("`start` is the time of the first addition, `end` of the last"));
        }
        self.check_feed_region(feed, at, radii.smallest())
    }

    /// Requires that a feed creates no bodies inside a sink or outside the world's bounds.
    fn check_feed_region(&self, feed: &FeedEntry, at: &KeyPath, radius: f64) -> Checked {
        let BoxBounds { min, max } = &feed.region;
        let centres = || min.iter().zip(max).map(|(min, max)| (min + radius, max - radius));
        let covers = |other: &BoxBounds| {
            centres().zip(other.min.iter().zip(&other.max)).all(|((min, max), (low, high))| low <= &min && &max <= high)
        };
        if let Some(i) = self.sinks.iter().position(|sink| covers(&sink.region)) {
            let problem = SceneProblem::value(&at.then("box"), "all bodies of this feed are added inside a sink");
            let sink = KeyPath::from("sinks").then(i).then("box");
            return Err(problem.label("the feed").also(&sink, "the sink").help("move one of the two"));
        }
        match &self.world.bounds {
            Some(bounds) if !covers(bounds) => {
                let problem = SceneProblem::value(&at.then("box"), "this feed reaches beyond the bounds of the world");
                let problem = problem.label("the feed").also(&"world.bounds".into(), "the bounds");
                Err(problem.help("move the feed, or enlarge world.bounds"))
            }
            _ => Ok(()),
        }
    }

    /// The rotation of gravity, if the scene has one.
    pub(crate) fn tilt<X: Dim>(&self) -> Checked<Option<Tilt<X>>> {
        let Some(entry) = &self.world.tilt else { return Ok(None) };
        let at = KeyPath::from("world.tilt");
        let axis_at = at.then("axis");
        let axis: X::Spin = match &entry.axis {
            Some(_) if !X::HAS_ROTATION_AXIS => {
                let problem = SceneProblem::key(&axis_at, "in two dimensions gravity can only rotate in the plane");
                return Err(problem.label("superfluous").help("leave `axis` out"));
            }
            None if !X::HAS_ROTATION_AXIS => X::Spin::axis(0),
            Some(axis) => direction(&axis_at, vector(&axis_at, axis)?)?,
            None => {
                let problem =
                    SceneProblem::value(&at, "in three dimensions a tilt needs an `axis`").label("missing here");
                return Err(problem.help("gravity rotates about it: axis = [0, 1, 0]"));
            }
        };
        let angle = match (entry.rate, &entry.angle) {
            // Longer than any run, and a power of two, so that the angle is exactly the rate times the time.
            (Some(rate), None) => {
                Signal::Ramp { from: 0.0, to: rate * BEYOND_ANY_RUN, start: 0.0, end: BEYOND_ANY_RUN }
            }
            (None, Some(angle)) => signal(angle, &at.then("angle"), self)?,
            _ => {
                let problem =
                    SceneProblem::value(&at, "a tilt needs either `rate` or `angle`").label("neither, or both");
                return Err(problem.help("rate = 0.1 in rad/s, or angle = { ramp = ... } in rad"));
            }
        };
        Ok(Some(Tilt { axis, angle }))
    }
}

fn check_removal(removal: &RemovalEntry, at: &KeyPath) -> Checked {
    match (removal.at, &removal.when) {
        (Some(time), None) => Scene::check_not_negative(&at.then("at"), time),
        (None, Some(when)) => {
            let at = at.then("when");
            let help = "energy in J; a kinetic energy is never below 0";
            positive(&at.then("kinetic_energy_below"), when.kinetic_energy_below, help)?;
            Scene::check_not_negative(&at.then("after"), when.after)
        }
        _ => {
            let problem = SceneProblem::value(at, "a removal needs either `at` or `when`");
            let help = "at = 1.5 for a time in s, or when = { kinetic_energy_below = 1e-6 }";
            Err(problem.label("neither, or both").help(help))
        }
    }
}
