//! Prescribed velocities, forces and pressures of groups of nodes, from `nodes` of a body.

use std::collections::BTreeMap;

use super::entry::{NodeBox, NodesEntry, Translations};
use super::motion::signal;
use super::words::did_you_mean;
use super::{BodyEntry, Checked, Degrees, KeyPath, Scene, SceneProblem};
use crate::contactor::{MeshedShape, Shape};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::{Control, Motion, NodeControl};

/// Coordinates may exceed a box by this part of the extent of the body: meshes have rounding errors.
const ROUNDING: f64 = 1e-6;

/// A shape whose nodes are controlled, and its orientation.
pub(super) struct Controlled<X: Dim> {
    pub(super) shape: Shape<X>,
    pub(super) orientation: X::Orientation,
}

/// A group of nodes of a mesh.
struct NodeGroup<X: Dim> {
    /// Increasing.
    nodes: Vec<u32>,
    /// Outward area vector of each, in body axes.
    areas: Vec<X::Vector>,
}

impl BodyEntry {
    /// Adds the control of nodes to the motion. Where nodes are held, the body moves as `driven`, and the mesh is given
    /// world axes unless its frame turns: then the held nodes rest in it, and it keeps its principal axes.
    /// `frame` takes a node of the mesh to the frame of its shape.
    pub(super) fn control_nodes<X: Dim>(
        &self,
        shape: Shape<X>,
        orientation: X::Orientation,
        frame: impl Fn(X::Vector) -> X::Vector,
        motion: &mut Option<Motion>,
        (at, scene): (&KeyPath, &Scene),
    ) -> Checked<Controlled<X>> {
        let nodes_at = at.then("nodes");
        let Some((first, _)) = self.nodes.first_key_value() else { return Ok(Controlled { shape, orientation }) };
        let Shape::Meshed(mut mesh) = shape else {
            let problem = SceneProblem::key(&nodes_at.then(first), "this body is rigid and has no nodes");
            return Err(problem.label("no mesh").help("add mesh = { size = ... }, or use `driven`"));
        };
        let mut controls = Vec::new();
        let mut groups = Vec::new();
        for (name, entry) in &self.nodes {
            let here = nodes_at.then(name);
            let group = self.group(&mesh, name, &frame, (&here, &at.then("mesh")))?;
            controls.push(control(entry, name, &group, &here, scene)?);
            groups.push(group);
        }
        let held = held(&controls, &nodes_at)?;
        let degrees = X::D + X::R;
        if held.is_empty() {
            let free = || Motion { controls: vec![Control::Free; degrees], gravity: true, nodes: Vec::new() };
            if self.fixed {
                let problem = SceneProblem::key(&at.then("fixed"), "a fixed body takes no forces on its nodes");
                return Err(problem
                    .label("fixed")
                    .help("hold nodes of it instead: nodes.NAME.velocity = { x = 0, y = 0 }"));
            }
            motion.get_or_insert_with(free).nodes = controls;
            return Ok(Controlled { shape: Shape::Meshed(mesh), orientation });
        }
        let given = [("fixed", self.fixed), ("velocity", self.velocity.is_some()), ("spin", self.spin.is_some())];
        if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
            let problem = SceneProblem::key(&at.then(key), format!("a body with held nodes takes no `{key}`"));
            return Err(problem.label("superfluous").help("the held nodes determine how it moves"));
        }
        let frame = self.frame_controls::<X>(motion.as_ref(), at)?;
        let axes = if !frame[X::D..].iter().all(Control::rests) {
            rest_in_frame(&controls, &nodes_at, &at.then("driven"))?;
            mesh.held = held;
            orientation
        } else {
            // Nodes are held along world axes, which are those of the body from here on.
            for area in controls.iter_mut().flat_map(|control| &mut control.areas) {
                let turned = orientation.rotate(X::Vector::from_fn(|k| area[k]));
                (0..X::D).for_each(|k| area[k] = turned[k]);
            }
            *mesh = mesh.held_in(&orientation, held);
            X::Orientation::identity()
        };
        *motion = Some(Motion { controls: frame, gravity: false, nodes: controls });
        Ok(Controlled { shape: Shape::Meshed(mesh), orientation: axes })
    }

    /// The motion of the frame in which nodes are held: at rest, or with the velocities of `driven`.
    fn frame_controls<X: Dim>(&self, motion: Option<&Motion>, at: &KeyPath) -> Checked<Vec<Control>> {
        let driven_at = at.then("driven");
        let refuse = |at: &KeyPath, what: &str, help: &str| {
            Err(SceneProblem::key(at, what).label("not with held nodes").help(help.to_string()))
        };
        if self.driven.as_ref().is_some_and(|driven| !driven.gravity) {
            return refuse(
                &driven_at.then("gravity"),
                "gravity acts on the nodes of a body with held nodes",
                "remove it",
            );
        }
        let mut frame = Motion::fixed(X::D + X::R).controls;
        for (degree, control) in motion.iter().flat_map(|motion| motion.controls.iter().enumerate()) {
            let name = Degrees::names(X::D)[degree];
            match control {
                Control::Force(_) => {
                    let help = "a force acts on nodes: nodes.NAME.force";
                    return refuse(&driven_at.then("force").then(name), "the frame of held nodes takes no force", help);
                }
                Control::Velocity(_) => frame[degree] = control.clone(),
                Control::Free | Control::Displacement(_) => {}
            }
        }
        Ok(frame)
    }

    /// The group of this name: of `mesh.groups`, or of the file.
    fn group<X: Dim>(
        &self,
        mesh: &MeshedShape<X>,
        name: &str,
        frame: impl Fn(X::Vector) -> X::Vector,
        (at, mesh_at): (&KeyPath, &KeyPath),
    ) -> Checked<NodeGroup<X>> {
        let none = BTreeMap::new();
        let boxes = self.mesh.as_ref().map_or(&none, |entry| &entry.groups);
        let mut nodes: Vec<u32> = match (boxes.get(name), mesh.mesh.groups.iter().find(|group| group.name == name)) {
            (Some(bounds), _) => nodes_in(bounds, mesh, frame, &mesh_at.then("groups").then(name))?,
            (None, Some(group)) => group.nodes.iter().chain(group.faces.iter().flatten()).copied().collect(),
            (None, None) => {
                let named = mesh.mesh.groups.iter().map(|group| group.name.as_str()).filter(|name| !name.is_empty());
                let known: Vec<&str> = boxes.keys().map(String::as_str).chain(named).collect();
                let problem = SceneProblem::key(at, format!("the mesh has no group \"{name}\"")).label("unknown");
                return Err(problem.help(match known.is_empty() {
                    true => format!("define it by a box: mesh.groups.{name} = {{ max = [0.1] }}"),
                    false => did_you_mean(name, &known, "its groups are"),
                }));
            }
        };
        nodes.sort_unstable();
        nodes.dedup();
        let mut areas = vec![X::Vector::zero(); nodes.len()];
        for face in mesh.mesh.nodal_areas(&mesh.mesh.nodes) {
            let places: Vec<usize> = face.nodes.iter().filter_map(|node| nodes.binary_search(node).ok()).collect();
            if places.len() == face.nodes.len() {
                places.iter().zip(&face.areas).for_each(|(&place, area)| areas[place] += *area);
            }
        }
        Ok(NodeGroup { nodes, areas })
    }
}

/// The nodes in a box.
fn nodes_in<X: Dim>(
    bounds: &NodeBox,
    mesh: &MeshedShape<X>,
    frame: impl Fn(X::Vector) -> X::Vector,
    at: &KeyPath,
) -> Checked<Vec<u32>> {
    for (key, given) in [("min", &bounds.min), ("max", &bounds.max)] {
        if given.len() > X::D {
            let problem = SceneProblem::value(&at.then(key), format!("{} numbers in {} dimensions", given.len(), X::D));
            return Err(problem.label("too many").help("one number for each axis, or fewer"));
        }
    }
    let slack = ROUNDING * mesh.reach;
    let contains = |p: X::Vector| {
        let above = bounds.min.iter().enumerate().all(|(k, least)| p[k] >= least - slack);
        above && bounds.max.iter().enumerate().all(|(k, most)| p[k] <= most + slack)
    };
    let places: Vec<X::Vector> = mesh.mesh.nodes.iter().map(|&node| frame(node)).collect();
    let found: Vec<u32> = (0..).zip(&places).filter(|(_, p)| contains(**p)).map(|(node, _)| node).collect();
    if found.is_empty() {
        let least = places.iter().fold(places[0], |least, p| least.lower(p));
        let most = places.iter().fold(places[0], |most, p| most.upper(p));
        let problem = SceneProblem::value(at, "no node of the mesh lies in this box").label("empty");
        let help = format!("the mesh extends from {:?} to {:?}", least.as_slice(), most.as_slice());
        return Err(problem.help(help));
    }
    Ok(found)
}

/// What an entry prescribes for a group.
fn control<X: Dim>(
    entry: &NodesEntry,
    name: &str,
    group: &NodeGroup<X>,
    at: &KeyPath,
    scene: &Scene,
) -> Checked<NodeControl> {
    let mut controls = vec![Control::Free; X::D];
    let mut put = |key: &str, values: &Translations, made: fn(crate::model::Signal) -> Control| -> Checked {
        for (axis, k, entry) in values.given() {
            let here = at.then(key).then(axis);
            if k >= X::D {
                let problem = SceneProblem::key(&here, format!("there is no axis {axis} in {} dimensions", X::D));
                return Err(problem.label("not here").help("the axes are x and y"));
            }
            let earlier = match controls[k] {
                Control::Velocity(_) => Some("velocity"),
                Control::Displacement(_) => Some("displacement"),
                Control::Free | Control::Force(_) => None,
            };
            if let Some(earlier) = earlier {
                let problem = SceneProblem::key(&here, format!("`{axis}` has both a {earlier} and a {key}"));
                let problem =
                    problem.label(format!("the {key}")).also(&at.then(earlier).then(axis), format!("the {earlier}"));
                return Err(problem.help(format!("a prescribed {earlier} determines the {key}: keep one of the two")));
            }
            controls[k] = made(signal(entry, &here, scene)?);
        }
        Ok(())
    };
    put("velocity", &entry.velocity, Control::Velocity)?;
    put("displacement", &entry.displacement, Control::Displacement)?;
    put("force", &entry.force, Control::Force)?;
    let pressure_at = at.then("pressure");
    let pressure = entry.pressure.as_ref().map(|entry| signal(entry, &pressure_at, scene)).transpose()?;
    let sizes: Vec<f64> = group.areas.iter().map(|area| area.norm()).collect();
    let total: f64 = sizes.iter().sum();
    if pressure.is_some() && total == 0.0 {
        let problem = SceneProblem::key(&pressure_at, format!("the group \"{name}\" has no face of the surface"));
        return Err(problem.label("nothing to press on").help("a face belongs to a group if all its nodes do"));
    }
    if controls.iter().all(|control| *control == Control::Free) && pressure.is_none() {
        let problem = SceneProblem::key(at, format!("nothing is prescribed for the group \"{name}\""));
        return Err(problem.label("empty").help("give one of velocity, displacement, force, pressure"));
    }
    let share = |size: &f64| if total > 0.0 { size / total } else { 1.0 / sizes.len() as f64 };
    let nodes = group.nodes.iter().copied().zip(sizes.iter().map(share)).collect();
    let areas = group.areas.iter().map(|area| area.in_space()).collect();
    Ok(NodeControl { group: name.into(), nodes, controls, pressure, areas })
}

/// In a frame that turns, held nodes are at rest: no control holds them along some axes only, or moves them.
fn rest_in_frame(controls: &[NodeControl], at: &KeyPath, driven_at: &KeyPath) -> Checked {
    for control in controls.iter().filter(|control| control.holds()) {
        if !control.controls.iter().all(Control::rests) {
            let message = format!("the frame of this body turns, and \"{}\" does not rest in it", control.group);
            let problem = SceneProblem::key(&at.then(&control.group), message).label("held nodes");
            let problem = problem.also(&driven_at.then("velocity"), "turns the frame");
            let help = "give all axes the velocity zero; forces on other groups may stay";
            return Err(problem.help(help));
        }
    }
    Ok(())
}

/// The nodes that any control holds, increasing, with their axes.
fn held(controls: &[NodeControl], at: &KeyPath) -> Checked<Vec<(u32, [bool; 3])>> {
    let mut held: BTreeMap<u32, [Option<(&NodeControl, &Control)>; 3]> = BTreeMap::new();
    for group in controls {
        for (k, control) in group.controls.iter().enumerate().filter(|(_, control)| control.holds()) {
            for (node, _) in &group.nodes {
                let other = &mut held.entry(*node).or_default()[k];
                if let Some((first, _)) = other.filter(|(_, other)| *other != control) {
                    let message = format!(
                        "the groups \"{}\" and \"{}\" prescribe different motions for the same node",
                        first.group, group.group
                    );
                    let problem = SceneProblem::key(&at.then(&group.group), message).label("one of them");
                    return Err(problem.also(&at.then(&first.group), "the other").help("make the groups disjoint"));
                }
                *other = Some((group, control));
            }
        }
    }
    Ok(held.into_iter().map(|(node, axes)| (node, axes.map(|axis| axis.is_some()))).collect())
}
