//! The bytes of a State: one table of fields, from which rows, messages and file columns are cut.
//!
//! Little-endian, in the order of the table, without padding.

use super::{BodyId, State};
use crate::dim::{Dim, Orientation, Vector};

/// What a field is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Unsigned 64-bit integer.
    U64,
    /// Unsigned 32-bit integer.
    U32,
    /// Double-precision number.
    F64,
}

impl Kind {
    /// Size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            Kind::U64 | Kind::F64 => 8,
            Kind::U32 => 4,
        }
    }
}

/// One named field of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldSpec {
    /// Name, as users see it in files.
    pub name: &'static str,
    /// Unit, or empty.
    pub unit: &'static str,
    /// One line saying what it is.
    pub about: &'static str,
    /// Type of its elements.
    pub kind: Kind,
    /// Number of elements.
    pub width: usize,
    /// First byte within the row.
    pub offset: usize,
}

const fn spec(name: &'static str, unit: &'static str, about: &'static str, kind: Kind, width: usize) -> FieldSpec {
    FieldSpec { name, unit, about, kind, width, offset: 0 }
}

impl<X: Dim> State<X> {
    /// The fields of a row, in order.
    pub fn fields() -> [FieldSpec; 12] {
        let mut fields = [
            spec("id", "", "global number of the body", Kind::U64, 1),
            spec("key", "", "place along the space-filling curve that orders contacts", Kind::U64, 1),
            spec("shape", "", "index into /shapes", Kind::U32, 1),
            spec("material", "", "index into /materials", Kind::U32, 1),
            spec("motion", "", "index of the prescribed motion, 4294967295 when free", Kind::U32, 1),
            spec("contacts", "", "contacts within the alert distance in the last step", Kind::U32, 1),
            spec("size", "m", "scale of the shape; the radius of a disk or sphere", Kind::F64, 1),
            spec("mass", "kg", "mass (per metre of depth in two dimensions)", Kind::F64, 1),
            spec("position", "m", "centre of mass", Kind::F64, X::D),
            spec(
                "orientation",
                X::Orientation::UNIT,
                "angle, or unit quaternion w x y z, from body axes to world axes",
                Kind::F64,
                X::Orientation::NUMBERS,
            ),
            spec("velocity", "m/s", "velocity of the centre of mass", Kind::F64, X::D),
            spec("spin", "rad/s", "angular velocity in world axes", Kind::F64, X::R),
        ];
        let mut offset = 0;
        for field in &mut fields {
            field.offset = offset;
            offset += field.kind.size() * field.width;
        }
        fields
    }

    /// Length of a row in bytes.
    pub fn row_bytes() -> usize {
        let last = Self::fields()[11];
        last.offset + last.kind.size() * last.width
    }

    /// Append the row to `out`.
    pub fn write_row(&self, out: &mut Vec<u8>) {
        out.extend(self.id.0.to_le_bytes());
        out.extend(self.key.to_le_bytes());
        for n in [self.shape, self.material, self.motion, self.contacts] {
            out.extend(n.to_le_bytes());
        }
        let mut turn = [0.0; 4];
        self.orientation.write(&mut turn);
        let numbers = [self.size, self.mass];
        for x in numbers
            .iter()
            .chain(self.position.as_slice())
            .chain(&turn[..X::Orientation::NUMBERS])
            .chain(self.velocity.as_slice())
            .chain(self.spin.as_slice())
        {
            out.extend(x.to_le_bytes());
        }
    }

    /// Read a row back; `None` if `row` has not exactly [`row_bytes`](Self::row_bytes) bytes.
    pub fn read_row(row: &[u8]) -> Option<Self> {
        if row.len() != Self::row_bytes() {
            return None;
        }
        let (integers, numbers) = row.split_at(32);
        let u64_at = |i: usize| integers[8 * i..8 * i + 8].try_into().ok().map(u64::from_le_bytes);
        let u32_at = |i: usize| integers[16 + 4 * i..20 + 4 * i].try_into().ok().map(u32::from_le_bytes);
        let mut values = [0.0; 2 + 3 + 4 + 3 + 3];
        for (value, bytes) in values.iter_mut().zip(numbers.chunks_exact(8)) {
            *value = f64::from_le_bytes(bytes.try_into().ok()?);
        }
        let turn = 2 + X::D;
        let velocity = turn + X::Orientation::NUMBERS;
        Some(Self {
            id: BodyId(u64_at(0)?),
            key: u64_at(1)?,
            shape: u32_at(0)?,
            material: u32_at(1)?,
            motion: u32_at(2)?,
            contacts: u32_at(3)?,
            size: values[0],
            mass: values[1],
            position: X::Vector::read(&values[2..]),
            orientation: X::Orientation::read(&values[turn..]),
            velocity: X::Vector::read(&values[velocity..]),
            spin: X::Spin::read(&values[velocity + X::D..]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Plane, Space};

    fn odd_state<X: Dim>() -> State<X> {
        let mut state = State::<X>::at_rest(u64::MAX - 3, 7, 1, 0.05, 1.5);
        state.key = 0x0123_4567_89ab_cdef;
        state.contacts = 12;
        state.position = X::Vector::from_fn(|i| -0.1 * (i as f64 + 1.0));
        state.velocity = X::Vector::from_fn(|i| f64::MIN_POSITIVE * (i as f64 + 0.5));
        state.spin = X::Spin::from_fn(|i| 3.0 + i as f64);
        state.orientation = state.orientation.turned(state.spin);
        state
    }

    fn round_trip<X: Dim>() {
        let state = odd_state::<X>();
        let mut row = Vec::new();
        state.write_row(&mut row);
        assert_eq!(row.len(), State::<X>::row_bytes());
        assert_eq!(State::<X>::read_row(&row), Some(state));
        assert_eq!(State::<X>::read_row(&row[1..]), None);
    }

    #[test]
    fn a_state_survives_the_round_trip_to_bytes_to_the_last_bit() {
        round_trip::<Plane>();
        round_trip::<Space>();
    }

    #[test]
    fn the_table_of_fields_points_at_the_right_bytes() {
        let state = odd_state::<Space>();
        let mut row = Vec::new();
        state.write_row(&mut row);
        let at = |name: &str| {
            let field = State::<Space>::fields().into_iter().find(|f| f.name == name).unwrap();
            f64::from_le_bytes(row[field.offset..field.offset + 8].try_into().unwrap())
        };
        assert_eq!(at("size"), 0.05);
        assert_eq!(at("position"), state.position[0]);
        assert_eq!(at("velocity"), state.velocity[0]);
        assert_eq!(at("spin"), 3.0);
    }
}
