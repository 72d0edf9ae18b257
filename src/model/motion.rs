//! Prescribed motion of a body: for each degree of freedom nothing, a velocity, or a force.
//!
//! Degrees of freedom are in world axes, translations first: x y (z), then rotations.

use serde::{Deserialize, Serialize};

use super::Signal;

/// Control of one degree of freedom.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Control {
    /// Free.
    Free,
    /// Prescribed velocity (m/s, rad/s) at the end of each step.
    Velocity(Signal),
    /// Prescribed displacement of a node, m, at mid-step; bodies have none.
    Displacement(Signal),
    /// Free under this additional force (N, N m), besides gravity and contact.
    Force(Signal),
}

/// Control of a group of nodes of a deformable body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeControl {
    /// Name of the group.
    pub group: String,
    /// Its nodes, each with its share of the forces.
    pub nodes: Vec<(u32, f64)>,
    /// Control of each translation, in world axes; a force is that on the whole group.
    pub controls: Vec<Control>,
    /// Pressure on the faces of the group, Pa.
    pub pressure: Option<Signal>,
    /// Area vector of each node, outward and in body axes, m2 (m in the plane): the force of a unit pressure is its
    /// opposite.
    pub areas: Vec<[f64; 3]>,
}

impl Control {
    /// Is the velocity of the degree of freedom prescribed, directly or by a displacement?
    pub fn holds(&self) -> bool {
        matches!(self, Control::Velocity(_) | Control::Displacement(_))
    }

    /// Does it hold the degree of freedom where it is?
    pub fn rests(&self) -> bool {
        matches!(self, Control::Velocity(signal) | Control::Displacement(signal) if signal.most() == 0.0)
    }
}

impl NodeControl {
    /// Is a force or a pressure prescribed?
    pub fn is_load(&self) -> bool {
        self.pressure.is_some() || self.controls.iter().any(|control| matches!(control, Control::Force(_)))
    }

    /// Is a velocity or a displacement prescribed?
    pub fn holds(&self) -> bool {
        self.controls.iter().any(Control::holds)
    }
}

/// Control of all degrees of freedom of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Control of each degree of freedom.
    pub controls: Vec<Control>,
    /// Does gravity act on its free degrees of freedom?
    pub gravity: bool,
    /// Control of groups of nodes of a deformable body. Where nodes are held, `controls` prescribe the rigid motion:
    /// translations, or rest.
    pub nodes: Vec<NodeControl>,
}

impl Motion {
    /// A body at rest: all velocities are prescribed as zero.
    pub fn fixed(degrees: usize) -> Self {
        Self { controls: vec![Control::Velocity(Signal::Constant(0.0)); degrees], gravity: false, nodes: Vec::new() }
    }

    /// Are there `degrees` degrees of freedom, all with a prescribed velocity, and no nodes that move relative to them?
    pub fn is_prescribed(&self, degrees: usize) -> bool {
        self.controls.len() == degrees
            && self.nodes.is_empty()
            && self.controls.iter().all(|c| matches!(c, Control::Velocity(_)))
    }

    /// Are any nodes held?
    pub fn holds_nodes(&self) -> bool {
        self.nodes.iter().any(NodeControl::holds)
    }

    /// Does any degree of freedom have a prescribed velocity?
    pub fn is_partly_prescribed(&self) -> bool {
        self.controls.iter().any(|c| matches!(c, Control::Velocity(_)))
    }

    /// Prescribed velocity of degree of freedom `i` at time `t`, if any.
    pub fn velocity(&self, i: usize, t: f64) -> Option<f64> {
        match &self.controls[i] {
            Control::Velocity(signal) => Some(signal.at(t)),
            Control::Free | Control::Displacement(_) | Control::Force(_) => None,
        }
    }

    /// Upper bound on the magnitude of the prescribed velocity of degree of freedom `i`.
    pub fn most(&self, i: usize) -> f64 {
        match &self.controls[i] {
            Control::Velocity(signal) => signal.most(),
            Control::Free | Control::Displacement(_) | Control::Force(_) => 0.0,
        }
    }

    /// Additional force on degree of freedom `i` at time `t`.
    pub fn force(&self, i: usize, t: f64) -> f64 {
        match &self.controls[i] {
            Control::Force(signal) => signal.at(t),
            Control::Free | Control::Velocity(_) | Control::Displacement(_) => 0.0,
        }
    }
}
