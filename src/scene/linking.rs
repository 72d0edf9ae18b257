//! Creation of the model's links from the scene's: anchors are converted to the frames of their bodies.
//!
//! A body may be known to one process only, while every process needs every link. Each process therefore sends the
//! linked bodies it owns to all others, and all processes create the same links.

use std::collections::BTreeMap;

use super::halt::{Halt, together};
use super::{Checked, KeyPath, LinkEntry, Scene, SceneProblem, direction, short, vector};
use crate::body::State;
use crate::comm::{Comm, MessageItem, Reader, Writer, all_gather_items};
use crate::dim::{Dim, Orientation, Vector};
use crate::law::{LinkLaw, Pin, Rod, Spring, Wire};
use crate::model::{Link, Links, Model};

/// Relative deviation tolerated at the start between the distance of the ends and the length of a rod or wire.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// The properties of a body that a link needs.
#[derive(Clone, Copy)]
struct Linked<X: Dim> {
    position: X::Vector,
    orientation: X::Orientation,
    /// Distance of the farthest point from the centre, m; infinite if the body is unbounded.
    reach: f64,
    is_movable: bool,
}

impl<X: Dim> MessageItem for Linked<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&self.is_movable);
        message.write(&self.position);
        let mut numbers = [0.0; 4];
        self.orientation.write(&mut numbers[..X::Orientation::NUMBERS]);
        message.write(&numbers);
        message.write(&self.reach);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        let (is_movable, position) = message.read();
        let orientation = X::Orientation::read(&message.read::<[f64; 4]>()[..X::Orientation::NUMBERS]);
        Self { position, orientation, reach: message.read(), is_movable }
    }
}

/// Collective. The links between the bodies of all processes; `states` are the bodies of this process.
pub(crate) fn links<X: Dim>(
    scene: &Scene,
    comm: &dyn Comm,
    model: &Model<X>,
    states: &[State<X>],
) -> Result<Links<X>, Halt> {
    if scene.links.is_empty() {
        return Ok(Links::default());
    }
    let bodies = linked(scene, comm, model, states);
    let ids = || scene.links.iter().enumerate().flat_map(|(i, entry)| entry.between.iter().map(move |id| (i, *id)));
    // All processes know the same bodies, so all of them find the same one missing.
    if let Some((i, id)) = ids().find(|(_, id)| !bodies.contains_key(id)) {
        let end = scene.links[i].between.iter().position(|other| *other == id).unwrap_or(0);
        let at = KeyPath::from("links").then(i).then("between").then(end);
        return Err(missing(&at, id, nearest(id, comm, states)).into());
    }
    let made: Checked<Vec<Vec<Link<X>>>> = (scene.links.iter().enumerate())
        .map(|(i, entry)| make(entry, &KeyPath::from("links").then(i), [0, 1].map(|k| bodies[&entry.between[k]])))
        .collect();
    Ok(Links::new(together(comm, made)?.concat()))
}

/// Collective. The bodies that are named by links.
fn linked<X: Dim>(scene: &Scene, comm: &dyn Comm, model: &Model<X>, states: &[State<X>]) -> BTreeMap<u64, Linked<X>> {
    let mut wanted: Vec<u64> = scene.links.iter().flat_map(|entry| entry.between.iter().copied()).collect();
    wanted.sort_unstable();
    let own = states.iter().filter(|state| wanted.binary_search(&state.id.0).is_ok()).map(|state| {
        let reach = model.shape(state).reach() * state.size;
        let is_movable = !model.is_prescribed(state);
        (state.id.0, Linked { position: state.position, orientation: state.orientation, reach, is_movable })
    });
    all_gather_items(comm, own).into_iter().collect()
}

/// Collective. The run of consecutive ids in use nearest to `id`: its first and last id.
fn nearest<X: Dim>(id: u64, comm: &dyn Comm, states: &[State<X>]) -> Option<[u64; 2]> {
    let mut ids: Vec<u64> = all_gather_items(comm, states.iter().map(|state| state.id.0));
    ids.sort_unstable();
    ids.dedup();
    let runs = ids.chunk_by(|a, b| a.checked_add(1) == Some(*b)).map(|run| [run[0], run[run.len() - 1]]);
    runs.min_by_key(|[first, last]| first.abs_diff(id).min(last.abs_diff(id)))
}

fn missing(at: &KeyPath, id: u64, near: Option<[u64; 2]>) -> SceneProblem {
    let problem = SceneProblem::value(at, format!("there is no body {id} to link")).label("no such body");
    problem.help(match near {
        None => "there are no bodies at all".into(),
        Some([first, last]) if first == last => format!("the nearest id in use is {first}"),
        Some([first, last]) => format!("the nearest ids in use are {first} to {last}"),
    })
}

/// The links of one entry; a hinge consists of two.
fn make<X: Dim>(entry: &LinkEntry, at: &KeyPath, bodies: [Linked<X>; 2]) -> Checked<Vec<Link<X>>> {
    if bodies.iter().all(|body| !body.is_movable) {
        let [a, b] = [entry.between[0], entry.between[1]];
        let problem = SceneProblem::value(&at.then("between"), format!("neither body {a} nor body {b} can move"));
        return Err(problem.label("both prescribed").help("one of the two must be free for a link to act on"));
    }
    let points = points::<X>(entry, at, &bodies)?;
    let distance = (points[1] - points[0]).norm();
    let (given, length_at) = entry.length(at);
    let length = given.unwrap_or(distance);
    let ends = LinkEnds { entry, bodies, points, length };
    if let Some(wire) = &entry.wire {
        if distance > length * (1.0 + LENGTH_TOLERANCE) {
            return Err(too_far(&length_at, "wire", distance, length));
        }
        check_length(at, "wire", length)?;
        let strength = wire.strength.unwrap_or(f64::INFINITY);
        return Ok(vec![ends.link(points, LinkLaw::Wire(Wire { strength }))]);
    }
    if entry.rod.is_some() {
        if (distance - length).abs() > length * LENGTH_TOLERANCE {
            return Err(too_far(&length_at, "rod", distance, length));
        }
        check_length(at, "rod", length)?;
        return Ok(vec![ends.link(points, LinkLaw::Rod(Rod {}))]);
    }
    if let Some(spring) = &entry.spring {
        let law = Spring { stiffness: spring.stiffness, viscosity: spring.viscosity };
        return Ok(vec![ends.link(points, LinkLaw::Spring(law))]);
    }
    ends.joint(at)
}

/// The bodies of a link, its anchors on them in world axes, and its length.
struct LinkEnds<'a, X: Dim> {
    entry: &'a LinkEntry,
    bodies: [Linked<X>; 2],
    points: [X::Vector; 2],
    length: f64,
}

impl<X: Dim> LinkEnds<'_, X> {
    /// The two sides with the body of the lower id first.
    fn order(&self) -> [usize; 2] {
        if self.entry.between[0] < self.entry.between[1] { [0, 1] } else { [1, 0] }
    }

    /// A link between these points.
    fn link(&self, points: [X::Vector; 2], law: LinkLaw) -> Link<X> {
        let Self { entry, bodies, length, .. } = self;
        let anchor = |side: usize| bodies[side].orientation.unrotate(points[side] - bodies[side].position);
        Link {
            bodies: self.order().map(|side| entry.between[side]),
            anchors: self.order().map(anchor),
            length: *length,
            axis: None,
            law,
            collide: entry.collides(),
        }
    }

    /// The pins of a hinge or a ball joint.
    fn joint(&self, at: &KeyPath) -> Checked<Vec<Link<X>>> {
        let Self { entry, bodies, points, .. } = self;
        let axis = entry.hinge.as_ref().and_then(|hinge| hinge.axis.as_ref());
        let hinge_at = at.then("hinge");
        let pin = |points, along| self.link(points, LinkLaw::Pin(Pin { along }));
        match axis {
            None if entry.hinge.is_some() && X::HAS_ROTATION_AXIS => {
                let problem = SceneProblem::value(&hinge_at, "this hinge has no axis").label("`axis` is missing");
                Err(problem.help("write hinge = { axis = [0, 0, 1] }"))
            }
            None => Ok(vec![pin(*points, true)]),
            Some(_) if !X::HAS_ROTATION_AXIS => {
                let problem = SceneProblem::key(&hinge_at.then("axis"), "in 2 dimensions a hinge has no axis");
                Err(problem.label("superfluous").help("remove `axis`"))
            }
            Some(axis) => {
                let axis_at = hinge_at.then("axis");
                let axis: X::Vector = direction(&axis_at, vector(&axis_at, axis)?)?;
                // The two pins are separated by the size of the bodies: closer together, rounding would let the axes
                // diverge.
                let arm = axis * bodies[0].reach.min(bodies[1].reach);
                let along = Some(bodies[self.order()[0]].orientation.unrotate(axis));
                let pins = [(-arm, true), (arm, false)]
                    .map(|(arm, along_axis)| pin(points.map(|point| point + arm), along_axis));
                Ok(pins.into_iter().map(|pin| Link { axis: along, ..pin }).collect())
            }
        }
    }
}

/// The anchor on each body, world axes.
fn points<X: Dim>(entry: &LinkEntry, at: &KeyPath, bodies: &[Linked<X>; 2]) -> Checked<[X::Vector; 2]> {
    let Some(given) = &entry.at else { return Ok([bodies[0].position, bodies[1].position]) };
    let read = |k: usize| vector::<X::Vector>(&at.then("at").then(k), &given[k]);
    Ok([read(0)?, read(given.len() - 1)?])
}

fn too_far(at: &KeyPath, kind: &str, distance: f64, length: f64) -> SceneProblem {
    let (distance, length) = (short(distance), short(length));
    let message = format!("the ends of this {kind} are {distance} m apart at the start, and it is {length} m long");
    SceneProblem::value(at, message).label("does not fit").help("leave `length` out, or move its ends")
}

fn check_length(at: &KeyPath, kind: &str, length: f64) -> Checked {
    if length > 0.0 {
        return Ok(());
    }
    let problem = SceneProblem::value(at, format!("this {kind} has no length: its ends are the same point"));
    Err(problem.label("no length").help("give two points in `at`, or use a ball_joint"))
}
