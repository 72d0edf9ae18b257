//! Creation of the run's feeds, sinks, removals and stop conditions from their scene entries.

use super::substitution::substitution;
use super::{
    BoxBounds, Checked, FeedEntry, KeyPath, Outside, RemovalEntry, Scene, SceneProblem, StopEntry, axis_number, radii,
    shape_order,
};
use crate::contactor::Bounds;
use crate::dim::{Dim, Vector};
use crate::model::Model;
use crate::population::{Feed, FeedSchedule, Population, PopulationCounters, Removal, StopCondition, StopCriterion};

/// The population rules of a scene, for a model that contains the shapes of its feeds.
pub(crate) fn population<X: Dim>(scene: &Scene, model: &Model<X>) -> Checked<Population<X>> {
    let feeds = scene.feeds.iter().enumerate().map(|(i, entry)| feed(entry, i, scene, model));
    let removal = |entry: &RemovalEntry| match &entry.when {
        Some(when) => Removal { body: entry.body, after: when.after, below: Some(when.kinetic_energy_below) },
        None => Removal { body: entry.body, after: entry.at.unwrap_or(0.0), below: None },
    };
    let mut population = Population {
        feeds: feeds.collect::<Checked<_>>()?,
        sinks: scene.sinks.iter().map(|sink| corners(&sink.region)).collect(),
        removals: scene.removals.iter().map(removal).collect(),
        stops: scene.stop.iter().map(|entry| stop(entry, X::D, scene.time.step)).collect(),
        removes_outside: scene.world.outside == Some(Outside::Remove),
        counters: PopulationCounters::default(),
    };
    population.fit();
    Ok(population)
}

/// The bounds of a box entry.
pub(crate) fn corners<X: Dim>(region: &BoxBounds) -> Bounds<X> {
    Bounds { min: X::Vector::read(&region.min), max: X::Vector::read(&region.max) }
}

/// Feed number `index` of the scene.
fn feed<X: Dim>(entry: &FeedEntry, index: usize, scene: &Scene, model: &Model<X>) -> Checked<Feed<X>> {
    let at = KeyPath::from("feeds").then(index);
    let material = scene.material(&entry.material, &at.then("material"))?;
    let substitution = substitution::<X>(entry, &at, scene, u64::MAX)?;
    // The shapes of the model are sorted by this key.
    let known: Vec<_> = model.shapes.iter().map(shape_order).collect();
    let mut shapes = Vec::new();
    for shape in substitution.shapes() {
        let index = known.binary_search(&shape_order(shape)).map_err(|_| {
            let problem = SceneProblem::value(&at, "the bodies of this feed are not those that the run began with");
            problem.label("changed").help("undo the change, or start a new run")
        })?;
        shapes.push(index as u32);
    }
    let (count, every) = match entry.rate {
        Some(rate) => (1, 1.0 / rate),
        None => (entry.count.unwrap_or(0), entry.every.unwrap_or(f64::INFINITY)),
    };
    let feed = Feed {
        region: corners(&entry.region),
        above: entry.above,
        material,
        density: model.materials[material as usize].density,
        velocity: entry.velocity.as_ref().map_or(X::Vector::zero(), |v| X::Vector::read(v)),
        radii: radii(&entry.radius, &at.then("radius"))?,
        substitution,
        shapes,
        schedule: FeedSchedule {
            count,
            every,
            start: entry.start,
            end: entry.end.unwrap_or(f64::INFINITY),
            total: entry.total.unwrap_or(u64::MAX),
        },
        // The index is added so that two feeds with one seed differ.
        seed: entry.seed.wrapping_add((index as u64) << 32),
    };
    for radius in [feed.radii.smallest(), feed.radii.largest()] {
        let mass = feed.substitution.shapes()[0].mass(radius, feed.density);
        if !mass.is_normal() {
            let message = format!("a body of radius {radius} m has the mass {mass} kg");
            let problem = SceneProblem::value(&at.then("radius"), message).label("extreme size or density");
            return Err(problem.help("sizes are in m, densities in kg/m3"));
        }
    }
    Ok(feed)
}

/// The stop condition of an entry, in `dimension` dimensions and with the time step `h`.
fn stop(entry: &StopEntry, dimension: usize, h: f64) -> StopCondition {
    let mut steps = 1;
    let (condition, words) = if let Some(energy) = &entry.kinetic_energy {
        steps = ((energy.lasting / h - 1e-9).ceil() as u64).max(1);
        let words = format!("kinetic energy below {} J for {} s", energy.below, energy.lasting);
        (StopCriterion::Energy(energy.below), words)
    } else if let Some(stop) = &entry.displacement {
        let words = format!("body {} moved along {} beyond {} m", stop.body, stop.axis, stop.beyond);
        let moved = |axis| StopCriterion::Moved { body: stop.body, axis, beyond: stop.beyond };
        (axis_number(&stop.axis, dimension).map_or(StopCriterion::Never, moved), words)
    } else if let Some(stop) = &entry.strain {
        let [a, b] = stop.between;
        let words = format!("strain along {} between bodies {a} and {b} beyond {}", stop.axis, stop.beyond);
        let strained = |axis| StopCriterion::Strained { between: stop.between, axis, beyond: stop.beyond };
        (axis_number(&stop.axis, dimension).map_or(StopCriterion::Never, strained), words)
    } else {
        let limits = entry.bodies.as_ref().map(|bodies| (bodies.below, bodies.above));
        match limits {
            Some((Some(below), _)) => (StopCriterion::Fewer(below), format!("fewer than {below} bodies")),
            Some((None, Some(above))) => (StopCriterion::More(above), format!("more than {above} bodies")),
            _ => (StopCriterion::Never, String::new()),
        }
    };
    StopCondition { condition, after: entry.after, steps, words }
}

#[cfg(test)]
mod tests {
    use super::super::setup::{Setup, setup};
    use super::*;
    use crate::body::State;
    use crate::dim::Plane;
    use crate::population::{FreeSpace, StopQuantities};
    use crate::scene::{DisplacementStop, EnergyStop, StrainStop};
    use std::path::Path;

    fn made(feed: &str) -> Setup<Plane> {
        let text = "world.dimension = 2\ntime = { step = 1e-3, end = 10 }\nmaterials.glass.density = 2500\n\
                    [[laws]]\nbetween = [\"*\", \"*\"]\nfrictionless = {}\n[[feeds]]\nmaterial = \"glass\"\n\
                    box = { min = [0, 0], max = [1, 1] }\nradius = { uniform = [0.01, 0.02] }\n";
        setup(&Scene::parse(&format!("{text}{feed}"), "test", Path::new(""), &[]).unwrap()).unwrap()
    }

    #[test]
    fn bodies_are_due_at_their_rate_from_the_start_to_the_end_or_the_total() {
        let due = |feed: &str| [0.0, 1.0, 1.05, 1.1, 2.0, 9.0].map(|time| made(feed).population.feeds[0].due(time));
        assert_eq!(due("rate = 10\nstart = 1\n"), [0, 1, 1, 2, 11, 81]);
        assert_eq!(due("rate = 10\nstart = 1\nend = 2\n"), [0, 1, 1, 2, 11, 11]);
        assert_eq!(due("count = 3\nevery = 0.1\ntotal = 20\n"), [3, 20, 20, 20, 20, 20]);
    }

    #[test]
    fn a_body_that_waits_stays_the_same_and_tries_other_places() {
        let Setup { model, population, .. } = made("rate = 10\nshape = { polygon = { sides = 5, radius = 1 } }\n");
        let (feed, empty) = (&population.feeds[0], FreeSpace::new(&model, &[], 0.0));
        let [first, later, next] =
            [(7, 1), (7, 2), (8, 1)].map(|(number, step)| feed.place(number, 3, step, &empty).unwrap());
        assert_eq!((first.size, first.orientation), (later.size, later.orientation));
        assert!(first.position != later.position && first.size != next.size);
        let full = FreeSpace::new(&model, &[State { size: 100.0, ..first }], 0.0);
        assert!(feed.place(7, 3, 1, &full).is_none());
        assert!(population.smallest() < 0.01);
    }

    #[test]
    fn a_feed_above_what_it_makes_rises_with_it() {
        let Setup { model, population, .. } = made("rate = 10\nabove = 1e-3\n");
        let (feed, mut space) = (&population.feeds[0], FreeSpace::new(&model, &[], 0.0));
        let mut heights = Vec::new();
        for number in 0..2000 {
            let Some(state) = feed.place(number, number, number, &space) else { break };
            space.add(&state);
            heights.push(state.position[1]);
        }
        assert!(heights[0] < 0.03 && heights.iter().take(20).all(|y| *y < 0.2), "the first lie at the bottom");
        assert!(heights.iter().any(|y| *y > 0.9) && heights.len() > 500, "the last at the top: {}", heights.len());
    }

    const NOTHING: StopEntry =
        StopEntry { kinetic_energy: None, bodies: None, displacement: None, strain: None, after: 0.0 };

    fn quantities(step: u32, kinetic_energy: f64) -> StopQuantities {
        StopQuantities { time: f64::from(step) * 0.1, kinetic_energy, bodies: 3, moved: None }
    }

    #[test]
    fn rest_must_last_and_begins_anew_when_it_is_disturbed() {
        let kinetic_energy = Some(EnergyStop { below: 1.0, lasting: 0.3 });
        let rest = stop(&StopEntry { kinetic_energy, ..NOTHING }, 2, 0.1);
        let mut held = 0;
        let energies = [0.5, 0.5, 2.0, 0.5, 0.5, 0.5];
        let ends: Vec<bool> =
            (0..).zip(energies).map(|(step, e)| rest.evaluate(&quantities(step, e), &mut held).is_some()).collect();
        assert_eq!(ends, [false, false, false, false, false, true]);
    }

    #[test]
    fn a_strain_is_a_part_of_the_distance_at_the_start() {
        let strain = Some(StrainStop { between: [1, 2], axis: "y".into(), beyond: -0.1 });
        let press = stop(&StopEntry { strain, ..NOTHING }, 2, 0.1);
        assert!((press.condition.moved(1.9, 2.0) + 0.05).abs() < 1e-15);
        assert!((press.condition.moved(-1.9, -2.0) - 0.05).abs() < 1e-15);
        let moved = |moved| StopQuantities { moved: Some(moved), ..quantities(1, 0.0) };
        assert!(press.evaluate(&moved(-0.11), &mut 0).is_some() && press.evaluate(&moved(-0.09), &mut 0).is_none());
    }

    #[test]
    fn a_distance_counts_on_its_own_side_and_not_before_its_time() {
        let displacement = |beyond| Some(DisplacementStop { body: 1, axis: "y".into(), beyond });
        let back = stop(&StopEntry { displacement: displacement(-0.5), after: 0.2, ..NOTHING }, 2, 0.1);
        let moved = |step, moved| StopQuantities { moved: Some(moved), ..quantities(step, 0.0) };
        let holds = |stop: &StopCondition, f| stop.evaluate(&f, &mut 0).is_some();
        assert!(!holds(&back, moved(1, -0.6)) && holds(&back, moved(2, -0.6)));
        assert!(!holds(&back, moved(2, 0.6)) && !holds(&back, quantities(2, 0.0)));
    }
}
