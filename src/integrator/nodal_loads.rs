//! Loads on the nodes of deformable bodies in a step: forces and pressures on groups, and held nodes.
//!
//! A force acts on the rigid motion by its resultant, with the arms of mid-step, and on the nodes relative to it. A
//! body with held nodes does not move as a whole: gravity and all forces act on its nodes. If its frame is driven, the
//! velocities of nodes are relative to the frame, and its acceleration a adds the force -m a: gravity is g - a. If it
//! turns, centrifugal forces and those of its angular acceleration act on the nodes.

use super::Theta;
use crate::body::{BodyId, NodalLoads, Node, State};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::{Control, Model, Motion, NodeControl};

/// Loads on the nodes of one body in a step, in body axes.
#[derive(Clone, Debug)]
pub struct StepLoads<X: Dim> {
    spin: X::Spin,
    gravity: X::Vector,
    spin_rate: X::Spin,
    forces: Vec<(u32, X::Vector)>,
    held: Vec<(u32, X::Vector)>,
}

impl<X: Dim> StepLoads<X> {
    /// The loads on a body in the step that starts at `time`, with this gravity in world axes.
    pub fn new(
        scheme: &Theta,
        model: &Model<X>,
        (state, nodes): (&State<X>, &[Node<X>]),
        time: f64,
        gravity: X::Vector,
    ) -> Self {
        let spin = state.orientation.unrotate_spin(state.spin);
        let mut loads =
            Self { spin, gravity: X::Vector::zero(), spin_rate: X::Spin::zero(), forces: Vec::new(), held: Vec::new() };
        let Some(motion) = model.motion(state).filter(|motion| !motion.nodes.is_empty()) else { return loads };
        let axes = scheme.middle(model, state).orientation;
        for control in &motion.nodes {
            loads.forces.extend(forces::<X>(control, scheme.load_time(time), &axes));
        }
        if motion.holds_nodes() {
            let rate = |degree, before: f64| {
                motion.velocity(degree, time + scheme.h).map_or(0.0, |end| (end - before) / scheme.h)
            };
            let acceleration = X::Vector::from_fn(|k| rate(k, state.velocity[k]));
            loads.gravity = axes.unrotate(gravity - acceleration);
            loads.spin_rate = axes.unrotate_spin(X::Spin::from_fn(|k| rate(X::D + k, state.spin[k])));
            let groups = motion.nodes.iter().filter(|control| control.holds());
            let held = groups.flat_map(|control| control.nodes.iter().map(move |(node, _)| (control, *node)));
            let velocity = |(control, node)| (node, held_velocity(scheme, control, &nodes[node as usize], time));
            loads.held = held.map(velocity).collect();
        }
        loads
    }

    /// The loads as the operator of the body takes them.
    pub fn view(&self) -> NodalLoads<'_, X> {
        let Self { spin, gravity, spin_rate, forces, held } = self;
        NodalLoads { spin: *spin, gravity: *gravity, spin_rate: *spin_rate, forces, held }
    }
}

/// Forces on the nodes of a group at time `t`, in the body axes `axes`.
fn forces<X: Dim>(control: &NodeControl, t: f64, axes: &X::Orientation) -> Vec<(u32, X::Vector)> {
    if !control.is_load() {
        return Vec::new();
    }
    let total = X::Vector::from_fn(|i| match &control.controls[i] {
        Control::Force(signal) => signal.at(t),
        Control::Free | Control::Velocity(_) | Control::Displacement(_) => 0.0,
    });
    let (total, pressure) = (axes.unrotate(total), control.pressure.as_ref().map_or(0.0, |signal| signal.at(t)));
    let mut forces: Vec<(u32, X::Vector)> = control.nodes.iter().map(|&(node, share)| (node, total * share)).collect();
    for ((_, force), area) in forces.iter_mut().zip(&control.areas) {
        *force -= X::Vector::from_fn(|i| area[i]) * pressure;
    }
    forces
}

/// Velocity of a held node at the end of the step that starts at `time`. The node is at d + (1 - theta) h e at mid-step;
/// a displacement prescribes where it is at the next one.
fn held_velocity<X: Dim>(scheme: &Theta, control: &NodeControl, node: &Node<X>, time: f64) -> X::Vector {
    let (end, middle) = (time + scheme.h, node.displacement + node.velocity * scheme.first());
    X::Vector::from_fn(|k| match &control.controls[k] {
        Control::Velocity(signal) => signal.at(end),
        Control::Displacement(signal) => (signal.at(end + scheme.first()) - middle[k]) / scheme.h,
        Control::Free | Control::Force(_) => 0.0,
    })
}

/// Velocities of the nodes of a group at time zero.
pub fn starting_velocities<X: Dim>(control: &NodeControl) -> impl Iterator<Item = (u32, X::Vector)> {
    let velocity = X::Vector::from_fn(|k| match &control.controls[k] {
        Control::Velocity(signal) => signal.at(0.0),
        Control::Free | Control::Displacement(_) | Control::Force(_) => 0.0,
    });
    control.nodes.iter().map(move |&(node, _)| (node, velocity))
}

/// Resultants of the loads on the nodes of a body that moves as a whole, in world axes: force and torque about its
/// centre.
/// `None` if there are no such loads.
pub fn nodal_resultants<X: Dim>(
    scheme: &Theta,
    model: &Model<X>,
    (state, nodes): (&State<X>, &[Node<X>]),
    time: f64,
) -> Option<(BodyId, X::Vector, X::Spin)> {
    let is_loaded = |motion: &&Motion| motion.nodes.iter().any(NodeControl::is_load) && !motion.holds_nodes();
    model.motion(state).filter(is_loaded)?;
    let operator = model.deformable(state)?;
    let axes = scheme.middle(model, state).orientation;
    let (mut force, mut torque) = (X::Vector::zero(), X::Spin::zero());
    for (node, own) in StepLoads::new(scheme, model, (state, nodes), time, X::Vector::zero()).forces {
        let place = &nodes[node as usize];
        let arm = operator.position(node as usize) + place.displacement + place.velocity * scheme.first();
        force += own;
        torque += X::torque(arm, own);
    }
    Some((state.id, axes.rotate(force), axes.rotate_spin(torque)))
}
