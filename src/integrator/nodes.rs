//! The time scheme of the nodes of deformable bodies, relative to the rigid motion and in body axes:
//! d_m = d + h (1 - theta) e; after the solve d' = d_m + h theta e'. Contacts are found where the nodes are at
//! mid-step, x_a = c_m + R_m (X_a + d_m,a).

use rayon::prelude::*;

use super::{FreeMotion, StepLoads, StepTimes, Theta};
use crate::body::{Bodies, Node, Tails};
use crate::dim::{Dim, Square, Vector, rotation_matrix};
use crate::model::Model;

/// The predicted motion of the nodes of deformable bodies.
#[derive(Clone, Debug)]
pub struct FreeNodes<X: Dim> {
    /// Positions at mid-step, in world axes, m.
    pub positions: Tails<X::Vector>,
    /// Sum of the unit normals of the facets at every node of the surface, in world axes; zero inside.
    pub normals: Tails<X::Vector>,
    /// Velocities at the end of the step without contact impulses, relative to the rigid motion and in body axes, m/s.
    pub velocities: Tails<X::Vector>,
    /// For each body, the greatest of these speeds, m/s; empty without nodes.
    pub speeds: Vec<f64>,
}

// Not derived: that would require vectors with a default.
impl<X: Dim> Default for FreeNodes<X> {
    fn default() -> Self {
        Self {
            positions: Tails::default(),
            normals: Tails::default(),
            velocities: Tails::default(),
            speeds: Vec::new(),
        }
    }
}

/// The predicted motion of all nodes under this gravity; `free` is that of the bodies.
pub fn predict_nodes<X: Dim>(
    scheme: &Theta,
    model: &Model<X>,
    bodies: &Bodies<X>,
    free: &[FreeMotion<X>],
    gravity: X::Vector,
    span: &StepTimes,
) -> FreeNodes<X> {
    let nodes = bodies.nodes();
    if nodes.is_empty() {
        return FreeNodes::default();
    }
    let like = || Tails::filled((0..bodies.len()).map(|body| nodes.of(body).len()), X::Vector::zero());
    let (mut positions, mut normals, mut velocities) = (like(), like(), like());
    let lists = positions.lists_mut().into_par_iter().zip(normals.lists_mut()).zip(velocities.lists_mut());
    lists.for_each(|(((body, positions), (_, normals)), (_, velocities))| {
        let state = &bodies.states()[body];
        let Some(operator) = model.deformable(state) else { return };
        let loads = StepLoads::new(scheme, model, (state, nodes.of(body)), span.start, gravity);
        operator.predict(nodes.of(body), &loads.view(), velocities);
        let centre = free[body].position;
        let axes = rotation_matrix::<X>(&free[body].orientation);
        for (k, (position, node)) in positions.iter_mut().zip(nodes.of(body)).enumerate() {
            let displacement = node.displacement + node.velocity * (scheme.h * (1.0 - scheme.theta));
            *position = centre + axes.apply(operator.position(k) + displacement);
        }
        if let Some(mesh) = model.shape(state).as_meshed() {
            mesh.surface.add_normals::<X>(positions, normals);
        }
    });
    let fastest = |body: usize| velocities.of(body).iter().map(|v| v.norm2()).fold(0.0, f64::max).sqrt();
    let speeds = (0..bodies.len()).map(fastest).collect();
    FreeNodes { positions, normals, velocities, speeds }
}

/// Moves the nodes of all bodies by the velocities `end` at the end of the step, in body axes.
pub fn update_nodes<X: Dim>(scheme: &Theta, bodies: &mut Bodies<X>, end: &Tails<X::Vector>) {
    let (first, second) = (scheme.h * (1.0 - scheme.theta), scheme.h * scheme.theta);
    let (_, nodes) = bodies.parts_mut();
    for (node, &velocity) in nodes.all_mut().iter_mut().zip(end.all()) {
        let displacement = node.displacement + node.velocity * first + velocity * second;
        *node = Node { displacement, velocity };
    }
}
