//! The record of one contact, and the id by which the contact is recognised from step to step.
//!
//! Records do not depend on local frames: a normal impulse, and tangential vectors in world axes.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use crate::body::{BodyId, FieldKind, FieldSpec, Row, WordReader, WordWriter, send_as_row, spec, with_offsets};
use crate::dim::{Dim, Vector};
use crate::law::{LawState, rotate_into_tangent_plane};

/// Identity of a contact: the two bodies and the features in contact. The same physical contact has the same id in
/// every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct ContactId {
    /// The lower body id.
    pub a: BodyId,
    /// The higher body id.
    pub b: BodyId,
    /// The features of the two shapes in contact (a corner, a face), by the numbering of the shapes.
    pub feature: u64,
}

impl ContactId {
    /// Feature number of the contact of link number `link`. Features of shapes have the numbers of the two parts in the
    /// upper half; no compound has enough parts to set all of its bits.
    pub fn link(link: u32) -> u64 {
        LINK | u64::from(link)
    }

    /// The link with this feature number, if it belongs to a link.
    pub fn link_of(feature: u64) -> Option<usize> {
        (feature & LINK == LINK).then_some((feature & !LINK) as usize)
    }

    /// Is this the contact of a link?
    pub(crate) fn is_link(&self) -> bool {
        Self::link_of(self.feature).is_some()
    }
}

/// The upper half of a feature number with all bits set.
const LINK: u64 = 0xffff_ffff << 32;

/// The stored state of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct ContactRecord<X: Dim> {
    /// Its identity.
    pub id: ContactId,
    /// Normal impulse of the last step, N s.
    pub normal: f64,
    /// Tangential impulse of the last step, N s, world axes.
    pub tangent: X::Vector,
    /// The state of its law.
    pub memory: LawState<X>,
}

/// The stored state of the only contact of two bodies whose law keeps no state.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct ImpulseRecord<X: Dim> {
    a: BodyId,
    b: BodyId,
    normal: f64,
    tangent: X::Vector,
}

// SAFETY: a `repr(C)` struct of eight-byte numbers, for all of which zero is a valid value.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Zeroable for ContactRecord<X> {}
// SAFETY: as above; all fields have eight bytes, so there is no padding, and every bit pattern is a valid number.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Pod for ContactRecord<X> {}
// SAFETY: as for `ContactRecord`.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Zeroable for ImpulseRecord<X> {}
// SAFETY: as for `ContactRecord`.
#[allow(unsafe_code)]
unsafe impl<X: Dim> Pod for ImpulseRecord<X> {}

/// A record in one of the two storage formats.
pub(crate) trait StoredRecord<X: Dim>: Pod + Send {
    fn id(&self) -> ContactId;
    fn record(&self) -> ContactRecord<X>;
    fn of(record: &ContactRecord<X>) -> Self;
    /// Orders by id; should two contacts ever share an id, by their values and never by order of arrival.
    fn compare(&self, other: &Self) -> Ordering;
}

impl<X: Dim> StoredRecord<X> for ContactRecord<X> {
    #[inline(always)]
    fn id(&self) -> ContactId {
        self.id
    }
    #[inline(always)]
    fn record(&self) -> ContactRecord<X> {
        *self
    }
    fn of(record: &ContactRecord<X>) -> Self {
        *record
    }
    fn compare(&self, other: &Self) -> Ordering {
        let (own, others) = (&self.memory, &other.memory);
        (self.id.cmp(&other.id))
            .then_with(|| ImpulseRecord::of(self).compare(&ImpulseRecord::of(other)))
            .then_with(|| own.state.total_cmp(&others.state))
            .then_with(|| own.area.total_cmp(&others.area))
            .then_with(|| by_component::<X>(own.stretch, others.stretch))
    }
}

impl<X: Dim> StoredRecord<X> for ImpulseRecord<X> {
    #[inline(always)]
    fn id(&self) -> ContactId {
        ContactId { a: self.a, b: self.b, feature: 0 }
    }
    #[inline(always)]
    fn record(&self) -> ContactRecord<X> {
        ContactRecord { id: self.id(), normal: self.normal, tangent: self.tangent, memory: LawState::zero() }
    }
    #[inline(always)]
    fn of(record: &ContactRecord<X>) -> Self {
        Self { a: record.id.a, b: record.id.b, normal: record.normal, tangent: record.tangent }
    }
    #[inline(always)]
    fn compare(&self, other: &Self) -> Ordering {
        (self.a.cmp(&other.a))
            .then_with(|| self.b.cmp(&other.b))
            .then_with(|| self.normal.total_cmp(&other.normal))
            .then_with(|| by_component::<X>(self.tangent, other.tangent))
    }
}

fn by_component<X: Dim>(a: X::Vector, b: X::Vector) -> Ordering {
    (0..X::D).map(|k| a[k].total_cmp(&b[k])).fold(Ordering::Equal, Ordering::then)
}

impl<X: Dim> ContactRecord<X> {
    /// Orders by id; should two contacts ever share an id, by their values and never by order of arrival.
    pub fn compare(&self, other: &Self) -> Ordering {
        StoredRecord::compare(self, other)
    }

    /// The stored impulse transferred to a contact whose normal is now `n`: the normal part is kept, the tangential
    /// part is rotated into the new tangent plane without changing its length.
    pub fn impulse(&self, n: X::Vector) -> X::Vector {
        n * self.normal + rotate_into_tangent_plane::<X>(self.tangent, n)
    }
}

impl<X: Dim> Row for ContactRecord<X> {
    type Words = [u64; 3 + 1 + 3 + 2 + 3];

    fn fields() -> Vec<FieldSpec> {
        with_offsets([
            spec("first", "", "lower id of the two bodies", FieldKind::U64, 1),
            spec("second", "", "higher id of the two bodies", FieldKind::U64, 1),
            spec("feature", "", "which features of the two shapes meet", FieldKind::U64, 1),
            spec("normal_impulse", "N s", "normal impulse of the last step", FieldKind::F64, 1),
            spec("tangential_impulse", "N s", "tangential impulse, world axes", FieldKind::F64, X::D),
            spec("law_state", "", "what the law keeps: intact, damaged, sliding; zero if nothing", FieldKind::F64, 1),
            spec("law_area", "m2", "area of contact of a bond per unit area; zero for others", FieldKind::F64, 1),
            spec("law_stretch", "m", "tangential vector the law keeps, world axes", FieldKind::F64, X::D),
        ])
    }

    fn row_bytes() -> usize {
        8 * (6 + 2 * X::D)
    }

    fn tail_bytes() -> usize {
        // Few laws keep a state.
        8 * (2 + X::D)
    }

    #[inline]
    fn words(&self) -> Self::Words {
        let mut row = WordWriter::<Self::Words>::default();
        row.words(&[self.id.a.0, self.id.b.0, self.id.feature]);
        row.numbers(&[self.normal]);
        row.numbers(self.tangent.as_slice());
        row.numbers(&[self.memory.state, self.memory.area]);
        row.numbers(self.memory.stretch.as_slice());
        row.finish()
    }

    fn from_words(words: &Self::Words) -> Self {
        let mut row = WordReader(words);
        let id = ContactId { a: BodyId(row.word()), b: BodyId(row.word()), feature: row.word() };
        let (normal, tangent) = (row.number(), row.vector());
        let memory = LawState { state: row.number(), area: row.number(), stretch: row.vector() };
        Self { id, normal, tangent, memory }
    }
}

send_as_row!(ContactRecord);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::round_trip;
    use crate::dim::{Plane, Space};

    fn odd_record<X: Dim>() -> ContactRecord<X> {
        let id = ContactId { a: BodyId(3), b: BodyId(u64::MAX), feature: 1 << 63 };
        let memory = LawState { state: 0.7, area: 0.2, stretch: X::Vector::from_fn(|i| 0.3 * (i as f64 + 1.0)) };
        ContactRecord { id, normal: 1.0 / 3.0, tangent: X::Vector::from_fn(|i| -0.1 * (i as f64 + 1.0)), memory }
    }

    #[test]
    fn a_record_survives_the_round_trip_to_bytes_to_the_last_bit() {
        round_trip(odd_record::<Plane>());
        round_trip(odd_record::<Space>());
    }
}
