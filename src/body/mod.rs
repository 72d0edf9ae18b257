//! Bodies: the state of each body between two steps, one contiguous chunk per body.
//!
//! A body's [`State`] is self-contained. Its bytes, laid out by one table of fields, are the row of a file, the message
//! of a migration and the fixture of a test.

mod bodies;
mod deformable;
mod nodes;
mod row;
mod tails;

use bytemuck::{Pod, Zeroable};

use crate::comm::{MessageItem, Reader, Writer};
use crate::dim::{Dim, Orientation, Vector};

pub use crate::base::index::BodyIndex;
pub use bodies::Bodies;
pub use deformable::{
    Deformable, Deformation, ElasticFlows, ElementStress, NODES_AT_A_POINT, NodalLoads, NodalWork, NodeWeights,
    PrincipalValues,
};
pub use nodes::{Node, NodeRow, NodesById};
#[cfg(test)]
pub(crate) use row::tests::round_trip;
pub use row::{FieldKind, FieldSpec, Row};
pub(crate) use row::{WordReader, WordWriter, put_words, send_as_row, spec, take_words, with_offsets};
pub use tails::Tails;

/// Global number of a body: given by the scene, never changed, never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct BodyId(pub u64);

impl MessageItem for BodyId {
    fn write_to(&self, message: &mut Writer) {
        message.u64(self.0);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        Self(message.u64())
    }
}

/// Motion index of a body that moves freely.
pub const FREE: u32 = u32::MAX;

/// State of a body between two steps. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State<X: Dim> {
    /// Global id.
    pub id: BodyId,
    /// Key on the space-filling curve when bodies were last sorted; determines the order of contacts.
    pub key: u64,
    /// Index into the table of shapes.
    pub shape: u32,
    /// Index into the table of materials.
    pub material: u32,
    /// Index into the table of motions, or [`FREE`].
    pub motion: u32,
    /// Contacts within the alert distance in the last step; the weight of the body in partitioning.
    pub contacts: u32,
    /// Scale factor of the shape; the radius of a sphere or disk, m.
    pub size: f64,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub position: X::Vector,
    /// Rotation from principal axes to world axes.
    pub orientation: X::Orientation,
    /// Velocity of the centre of mass, m/s.
    pub velocity: X::Vector,
    /// Angular velocity in world axes, rad/s.
    pub spin: X::Spin,
}

impl<X: Dim> State<X> {
    /// Orientation after `time` of rotation with constant spin.
    #[inline]
    pub fn orientation_after(&self, time: f64) -> X::Orientation {
        self.orientation.turned(self.spin * time)
    }

    /// Are position, velocity and spin finite?
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.velocity.is_finite() && self.spin.is_finite()
    }

    /// A free body at rest at the origin.
    pub fn at_rest(id: u64, shape: u32, material: u32, size: f64, mass: f64) -> Self {
        Self {
            id: BodyId(id),
            key: 0,
            shape,
            material,
            motion: FREE,
            contacts: 0,
            size,
            mass,
            position: X::Vector::zero(),
            orientation: X::Orientation::identity(),
            velocity: X::Vector::zero(),
            spin: X::Spin::zero(),
        }
    }
}
