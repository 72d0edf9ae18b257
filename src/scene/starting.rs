//! Checks of the initial state: bodies inside the world, without overlaps, and with a time step that is short enough.

use super::scene_bodies::{SceneBodies, Single};
use super::{Checked, KeyPath, Scene, SceneProblem, short};
use crate::body::{BodyId, State};
use crate::comm::Comm;
use crate::contactor::{Bounds, Shape, keys};
use crate::dim::{Dim, Vector};
use crate::interaction::overlaps;
use crate::model::{Model, Motion};
use crate::population::Population;

impl<X: Dim> SceneBodies<X> {
    /// Requires every movable body to start inside the world's bounds.
    pub(crate) fn check_inside(&self, bounds: &Bounds<X>, model: &Model<X>, states: &[State<X>]) -> Checked {
        let outside = |s: &&State<X>| !model.is_prescribed(s) && !bounds.meets(&Bounds::at(s.position));
        match states.iter().filter(outside).min_by_key(|s| s.id) {
            None => Ok(()),
            Some(state) => {
                let (at, _) = self.origin(state.id);
                let message = format!("body {} starts outside the bounds of the world", state.id.0);
                let problem = SceneProblem::value(&at, message)
                    .label(format!("its centre is at {:?}", state.position.as_slice()));
                Err(problem.also(&"world.bounds".into(), "the bounds").help("move the body, or enlarge world.bounds"))
            }
        }
    }

    pub(crate) fn check_overlap(&self, model: &Model<X>, states: &[State<X>]) -> Checked {
        let Some(overlap) = overlaps(model, states) else { return Ok(()) };
        let (a, b) = overlap.bodies;
        let percent = (100.0 * overlap.share).round();
        let depth = short(overlap.depth);
        let message = format!("bodies {} and {} overlap by {depth} m, {percent} % of the smaller one", a.0, b.0);
        let ((first, first_name), (second, second_name)) = (self.origin(a), self.origin(b));
        let others = match overlap.pairs - 1 {
            0 => String::new(),
            1 => "; one more pair overlaps".into(),
            n => format!("; {n} more pairs overlap"),
        };
        let planes =
            if [first_name, second_name].contains(&keys::PLANE) { "; a plane is solid behind its normal" } else { "" };
        let help =
            format!("move one of them: initial overlaps may be at most 1 % of the smaller radius{planes}{others}");
        let problem = SceneProblem::value(&second, message).help(help);
        Err(if first == second {
            problem.label(format!("{first_name} {} and {second_name} {} are both made here", a.0, b.0))
        } else {
            problem
                .label(format!("{second_name} {} is here", b.0))
                .also(&first, format!("{first_name} {} is here", a.0))
        })
    }

    /// The path of the entry that created a body, and the name of its shape; searched only to report a problem.
    fn origin(&self, id: BodyId) -> (KeyPath, &str) {
        if let Some(Single { at, body, .. }) = self.single.iter().find(|single| single.id == id.0) {
            // Of what a generator makes, only its walls are half-spaces.
            let at = match at.keys().first().is_some_and(|k| k == "bodies") {
                true => at.then("position"),
                false if body.shape == Shape::HalfSpace => at.then("walls"),
                false => at.clone(),
            };
            return (at, body.shape.name());
        }
        let found = self.groups.iter().find_map(|group| {
            let index = group.balls.iter().position(|ball| ball.id == id.0)?;
            Some((group.at.clone(), group.substitution.shape(group.first + index as u64, id.0).name()))
        });
        found.unwrap_or((KeyPath::default(), X::BALL_NAME))
    }
}

impl<X: Dim> SceneBodies<X> {
    /// Requires that no body starts, or is driven, so fast that it passes through others within a step.
    pub(crate) fn check_travel(
        &self,
        scene: &Scene,
        model: &Model<X>,
        states: &[State<X>],
        population: &Population<X>,
    ) -> Checked {
        let (h, limit) = (scene.time.step, scene.detection.max_travel);
        let smallest = smallest_movable(model, states, population.smallest());
        let help = |travel: f64| {
            let (step, radii) = (short(h * limit / travel), short(travel));
            format!("set time.step to {step} s or less, or allow it with detection.max_travel = {radii}")
        };
        if let Some((feed, travel)) = population.fast_feed(h, limit) {
            let radii = short(travel);
            let message = format!(
                "bodies are added with a velocity of {radii} radii in one step of {h} s: above {limit} they can pass through others"
            );
            let at = KeyPath::from("feeds").then(feed).then("velocity");
            return Err(SceneProblem::value(&at, message).label("too fast for this step").help(help(travel)));
        }
        let speed = |state: &State<X>| {
            let driven = model.motion(state).map_or(0.0, |motion| X::Vector::from_fn(|i| motion.most(i)).norm());
            model.speed(state.position, state.velocity).max(driven)
        };
        let travel = |state: &State<X>| h * speed(state) / model.travel_radius(state, smallest);
        let too_far = |state: &&State<X>| travel(state) > limit;
        let Some(state) = states.iter().filter(too_far).min_by_key(|state| state.id) else { return Ok(()) };
        let (at, name) = self.origin(state.id);
        let (radii, v) = (short(travel(state)), short(speed(state)));
        let message = format!(
            "{name} {} moves by {radii} radii in one step of {h} s, at {v} m/s: above {limit} it can pass through other bodies",
            state.id.0
        );
        let key = if at.last() == "position" { at.parent().then(self.speed_key(state.id)) } else { at };
        Err(SceneProblem::value(&key, message).label("too fast for this step").help(help(travel(state))))
    }

    /// The key that determines the speed of a body.
    fn speed_key(&self, id: BodyId) -> &'static str {
        let single = self.single.iter().find(|single| single.id == id.0);
        if single.is_some_and(|single| single.body.motion.is_some()) { "driven" } else { "velocity" }
    }
}

/// Size of the smallest body that can fall or will be created by a feed, m.
fn smallest_movable<X: Dim>(model: &Model<X>, states: &[State<X>], smallest_fed: f64) -> f64 {
    let holds_nodes = |s: &&State<X>| model.motion(s).is_some_and(Motion::holds_nodes);
    let movable = states.iter().filter(|s| !model.is_prescribed(s) && !holds_nodes(s));
    movable.filter_map(|s| model.shape(s).characteristic().map(|c| c * s.size)).fold(smallest_fed, f64::min)
}

/// Collective. Requires that the bodies named by removals and stop conditions exist.
pub(crate) fn check_named<X: Dim>(scene: &Scene, states: &[State<X>], comm: &dyn Comm) -> Checked {
    let removals = (0..).zip(&scene.removals).map(|(i, removal): (usize, _)| (removal.body, "removals", i, "body"));
    let stops = (0..).zip(&scene.stop).flat_map(|(i, stop): (usize, _)| {
        let moved = stop.displacement.iter().map(move |stop| (stop.body, "stop", i, "displacement.body"));
        let strained = stop.strain.iter().flat_map(|stop| stop.between);
        moved.chain(strained.map(move |body| (body, "stop", i, "strain.between")))
    });
    let named: Vec<(u64, &str, usize, &str)> = removals.chain(stops).collect();
    if named.is_empty() {
        return Ok(());
    }
    let mut found: Vec<u64> =
        named.iter().map(|(body, ..)| u64::from(states.iter().any(|state| state.id.0 == *body))).collect();
    comm.sum(&mut found);
    match found.iter().position(|&found| found == 0) {
        None => Ok(()),
        Some(index) => {
            let (body, table, i, key) = named[index];
            let at = key.split('.').fold(KeyPath::from(table).then(i), |at, key| at.then(key));
            let problem = SceneProblem::value(&at, format!("there is no body {body}")).label("missing");
            Err(problem.help("give the body this `id`; a body that a feed adds cannot be named"))
        }
    }
}

/// Requires that gravity alone does not move a body through another within a step.
pub(crate) fn check_step<X: Dim>(scene: &Scene, model: &Model<X>, states: &[State<X>], smallest_fed: f64) -> Checked {
    let smallest = smallest_movable(model, states, smallest_fed);
    let (h, g) = (scene.time.step, model.gravity.norm());
    if h * h * g <= smallest {
        return Ok(());
    }
    let (distance, radius) = (short(h * h * g), short(smallest));
    let message =
        format!("in one step of {h} s gravity moves a body by {distance} m, more than the smallest radius, {radius} m");
    let problem = SceneProblem::value(&"time.step".into(), message).label("too long");
    Err(problem.help(format!("at most {} s; a tenth of that is usual", short((smallest / g).sqrt()))))
}
