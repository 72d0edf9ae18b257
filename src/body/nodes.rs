//! Nodes of deformable bodies: the part of their state whose length differs from body to body.

use super::row::{WordReader, WordWriter, send_as_row, spec, with_offsets};
use super::{BodyId, FieldKind, FieldSpec, Row};
use crate::comm::{MessageItem, Reader, Writer};
use crate::dim::{Dim, Vector};

/// Displacement and velocity of a node relative to the rigid motion of its body, in body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node<X: Dim> {
    /// Displacement, m.
    pub displacement: X::Vector,
    /// Velocity, m/s.
    pub velocity: X::Vector,
}

impl<X: Dim> Node<X> {
    /// An undeformed node at rest.
    pub fn zero() -> Self {
        Self { displacement: X::Vector::zero(), velocity: X::Vector::zero() }
    }
}

/// The nodes of deformable bodies, with the ids of the bodies.
pub type NodesById<X> = Vec<(BodyId, Vec<Node<X>>)>;

/// A node in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeRow<X: Dim> {
    /// Its body.
    pub body: BodyId,
    /// Its number in the body.
    pub number: u64,
    /// Its state.
    pub node: Node<X>,
}

impl<X: Dim> Row for NodeRow<X> {
    type Words = [u64; 2 + 3 + 3];

    fn fields() -> Vec<FieldSpec> {
        with_offsets([
            spec("body", "", "id of the body", FieldKind::U64, 1),
            spec("number", "", "number of the node in its body", FieldKind::U64, 1),
            spec("displacement", "m", "displacement relative to the rigid motion, body axes", FieldKind::F64, X::D),
            spec("velocity", "m/s", "velocity relative to the rigid motion, body axes", FieldKind::F64, X::D),
        ])
    }

    fn row_bytes() -> usize {
        8 * (2 + 2 * X::D)
    }

    fn words(&self) -> Self::Words {
        let mut row = WordWriter::<Self::Words>::default();
        row.words(&[self.body.0, self.number]);
        row.numbers(self.node.displacement.as_slice());
        row.numbers(self.node.velocity.as_slice());
        row.finish()
    }

    fn from_words(words: &Self::Words) -> Self {
        let mut row = WordReader(words);
        let (body, number) = (BodyId(row.word()), row.word());
        Self { body, number, node: Node { displacement: row.vector(), velocity: row.vector() } }
    }
}

impl<X: Dim> MessageItem for Node<X> {
    fn write_to(&self, message: &mut Writer) {
        message.write(&self.displacement);
        message.write(&self.velocity);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self { displacement: message.read(), velocity: message.read() }
    }
}

send_as_row!(NodeRow);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::round_trip;
    use crate::dim::{Plane, Space};

    fn returns<X: Dim>() {
        let node = |x: f64| Node::<X> {
            displacement: X::Vector::from_fn(|k| x + k as f64),
            velocity: X::Vector::from_fn(|k| x - k as f64),
        };
        round_trip(NodeRow { body: BodyId(77), number: 3, node: node(0.1) });
        let mut message = Writer::default();
        message.write(&[node(1.5), node(-2.5)]);
        let mut message = Reader(&message.0);
        assert_eq!(message.read::<[Node<X>; 2]>(), [node(1.5), node(-2.5)]);
        assert!(message.is_done());
    }

    #[test]
    fn nodes_return_from_files_and_messages_as_they_were() {
        returns::<Plane>();
        returns::<Space>();
    }
}
