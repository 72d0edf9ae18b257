//! The time scheme of the nodes of deformable bodies, relative to the rigid motion and in body axes:
//! d_m = d + h (1 - theta) e; after the solve d' = d_m + h theta e'.

use super::{StepTimes, Theta, middle_orientation};
use crate::body::{Bodies, Node, Tails};
use crate::dim::{Dim, Orientation, Vector};
use crate::model::Model;

/// Node velocities at the end of the step without contact impulses, in the world axes of mid-step.
pub fn predict_nodes<X: Dim>(model: &Model<X>, bodies: &Bodies<X>, span: &StepTimes) -> Tails<X::Vector> {
    let nodes = bodies.nodes();
    if nodes.is_empty() {
        return Tails::default();
    }
    let mut free = Tails::filled((0..bodies.len()).map(|body| nodes.of(body).len()), X::Vector::zero());
    for body in nodes.bodies() {
        let state = &bodies.states()[body];
        let Some(operator) = model.deformable(state) else { continue };
        operator.predict(nodes.of(body), free.of_mut(body));
        let orientation = middle_orientation(model, state, span);
        free.of_mut(body).iter_mut().for_each(|velocity| *velocity = orientation.rotate(*velocity));
    }
    free
}

/// Moves the nodes of all bodies by the velocities `end` at the end of the step, in the world axes of mid-step. The
/// states are those of the start of the step.
pub fn update_nodes<X: Dim>(scheme: &Theta, model: &Model<X>, bodies: &mut Bodies<X>, end: &Tails<X::Vector>) {
    let (first, second) = (scheme.h * (1.0 - scheme.theta), scheme.h * scheme.theta);
    let (states, nodes) = bodies.parts_mut();
    let deformable: Vec<usize> = nodes.bodies().collect();
    for body in deformable {
        let orientation = middle_orientation(model, &states[body], &scheme.span(0.0));
        for (node, velocity) in nodes.of_mut(body).iter_mut().zip(end.of(body)) {
            let velocity = orientation.unrotate(*velocity);
            let displacement = node.displacement + node.velocity * first + velocity * second;
            *node = Node { displacement, velocity };
        }
    }
}
