//! Canonical order of shapes and motions, by their content only.
//!
//! The tables of the model are sorted in this order, so the index that a body refers to does not depend on the order in
//! which the scene lists its bodies.

use crate::contactor::Shape;
use crate::dim::Dim;
use crate::model::{Control, Motion, NodeControl, Signal};

/// Sort key of a shape: its kind, then the bits of its numbers.
pub(crate) fn shape_order<X: Dim>(shape: &Shape<X>) -> (String, Vec<u64>) {
    (shape.name().to_owned(), shape.numbers().into_iter().map(f64::to_bits).collect())
}

/// Sort key of a motion: any order will do that depends on its content only.
pub(crate) fn motion_order(motion: &Motion) -> Vec<u64> {
    let Motion { controls, gravity, nodes } = motion;
    let mut key = vec![u64::from(*gravity)];
    controls.iter().for_each(|control| add_control(&mut key, control));
    for NodeControl { group, nodes, controls, pressure, areas } in nodes {
        key.push(group.len() as u64);
        key.extend(group.bytes().map(u64::from));
        key.push(nodes.len() as u64);
        key.extend(nodes.iter().flat_map(|(node, share)| [u64::from(*node), share.to_bits()]));
        controls.iter().for_each(|control| add_control(&mut key, control));
        key.push(u64::from(pressure.is_some()));
        pressure.iter().for_each(|signal| add_signal(&mut key, signal));
        key.extend(areas.iter().flatten().map(|x| x.to_bits()));
    }
    key
}

fn add_control(key: &mut Vec<u64>, control: &Control) {
    let (kind, signal) = match control {
        Control::Free => (0, None),
        Control::Velocity(signal) => (1, Some(signal)),
        Control::Force(signal) => (2, Some(signal)),
        Control::Displacement(signal) => (3, Some(signal)),
    };
    key.push(kind);
    signal.into_iter().for_each(|signal| add_signal(key, signal));
}

fn add_signal(key: &mut Vec<u64>, signal: &Signal) {
    match signal {
        Signal::Constant(value) => key.extend([0, value.to_bits()]),
        Signal::Ramp { from, to, start, end } => {
            key.push(1);
            key.extend([from, to, start, end].map(|x| x.to_bits()));
        }
        Signal::Sinusoid { mean, amplitude, omega, phase, ramp } => {
            key.push(2);
            key.extend([mean, amplitude, omega, phase, ramp].map(|x| x.to_bits()));
        }
        Signal::Table(points) => {
            key.extend([3, points.len() as u64]);
            key.extend(points.iter().flatten().map(|x| x.to_bits()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Plane;
    use nalgebra::Vector2;

    #[test]
    fn equal_shapes_and_motions_have_equal_keys_and_others_different_ones() {
        let cuboid = |x| Shape::<Plane>::cuboid(Vector2::new(x, 1.0)).unwrap();
        assert_eq!(shape_order(&cuboid(1.0)), shape_order(&cuboid(1.0)));
        assert_ne!(shape_order(&cuboid(1.0)), shape_order(&cuboid(2.0)));
        assert_ne!(shape_order(&Shape::<Plane>::Ball), shape_order(&cuboid(1.0)));
        let driven = |signal| Motion { controls: vec![Control::Velocity(signal)], gravity: true, nodes: Vec::new() };
        let table = |v| driven(Signal::Table(vec![[0.0, 1.0], [1.0, v]]));
        assert_eq!(motion_order(&table(2.0)), motion_order(&table(2.0)));
        assert_ne!(motion_order(&table(2.0)), motion_order(&table(3.0)));
        assert_ne!(motion_order(&driven(Signal::Constant(0.0))), motion_order(&Motion::fixed(1)));
    }

    #[test]
    fn motions_that_differ_in_the_control_of_their_nodes_have_different_keys() {
        let control = NodeControl {
            group: "end".into(),
            nodes: vec![(3, 1.0)],
            controls: vec![Control::Velocity(Signal::Constant(0.0)), Control::Free],
            pressure: None,
            areas: vec![[0.0, 0.1, 0.0]],
        };
        let key = |control: &NodeControl| motion_order(&Motion { nodes: vec![control.clone()], ..Motion::fixed(3) });
        let others = [
            NodeControl { group: "start".into(), ..control.clone() },
            NodeControl { nodes: vec![(4, 1.0)], ..control.clone() },
            NodeControl { nodes: vec![(3, 0.5)], ..control.clone() },
            NodeControl { controls: vec![Control::Free, Control::Velocity(Signal::Constant(0.0))], ..control.clone() },
            NodeControl { pressure: Some(Signal::Constant(2.0)), ..control.clone() },
            NodeControl { areas: vec![[0.1, 0.0, 0.0]], ..control.clone() },
        ];
        assert_eq!(key(&control), key(&control.clone()));
        assert!(others.iter().all(|other| key(other) != key(&control)));
        assert_ne!(key(&control), motion_order(&Motion::fixed(3)));
    }
}
