//! Rows: the byte layout of what is stored and sent. One table of fields per type defines rows, messages and file
//! columns.
//!
//! Little-endian, in the order of the table, without padding.

use super::{BodyId, State};
use crate::comm::Reader;
use crate::dim::{Dim, Orientation, Vector};

/// Element type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Unsigned 64-bit integer.
    U64,
    /// Unsigned 32-bit integer.
    U32,
    /// Double-precision number.
    F64,
}

impl FieldKind {
    /// Size of one element in bytes.
    pub const fn size(self) -> usize {
        match self {
            FieldKind::U64 | FieldKind::F64 => 8,
            FieldKind::U32 => 4,
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
    /// One-line description.
    pub about: &'static str,
    /// Type of its elements.
    pub kind: FieldKind,
    /// Number of elements.
    pub width: usize,
    /// First byte within the row.
    pub offset: usize,
}

pub(crate) const fn spec(
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    kind: FieldKind,
    width: usize,
) -> FieldSpec {
    FieldSpec { name, unit, about, kind, width, offset: 0 }
}

/// A type that is stored and sent as a row of bytes.
pub trait Row: Copy {
    /// A row in memory as 64-bit words, of which two-dimensional rows use only the first ones.
    type Words: Copy + Default + AsRef<[u64]> + AsMut<[u64]>;

    /// The fields of a row, in order.
    fn fields() -> Vec<FieldSpec>;

    /// Length of a row in bytes, a multiple of eight.
    fn row_bytes() -> usize;

    /// Length in bytes of the part at the end of a row that is zero for most rows, a multiple of eight.
    fn tail_bytes() -> usize {
        0
    }

    /// Converts to the words of a row.
    fn words(&self) -> Self::Words;

    /// Converts from the words of a row.
    fn from_words(words: &Self::Words) -> Self;

    /// Writes the row into `row`, which has exactly [`row_bytes`](Self::row_bytes) bytes.
    #[inline]
    fn fill_row(&self, row: &mut [u8]) {
        // The length is a constant, so the compiler unrolls the loop.
        put_words(self.words().as_ref(), &mut row[..Self::row_bytes()]);
    }

    /// Appends the row to `out`.
    fn write_row(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + Self::row_bytes(), 0);
        self.fill_row(&mut out[start..]);
    }

    /// Reads a row; `None` if `row` does not have exactly [`row_bytes`](Self::row_bytes) bytes.
    fn read_row(row: &[u8]) -> Option<Self> {
        (row.len() == Self::row_bytes()).then(|| Self::from_words(&Self::words_of(row)))
    }

    /// The words of the row at the start of `row`.
    #[inline]
    fn words_of(row: &[u8]) -> Self::Words {
        let mut words = Self::Words::default();
        take_words(&row[..Self::row_bytes()], words.as_mut());
        words
    }

    /// Reads the next row of a message.
    fn next_row(message: &mut Reader<'_>) -> Self {
        // A truncated message reads as zeros.
        Self::read_row(message.bytes(Self::row_bytes())).unwrap_or_else(|| Self::from_words(&Self::Words::default()))
    }

    /// Reads all rows of a message written by [`write_row`](Self::write_row).
    fn read_rows(rows: &[u8]) -> impl Iterator<Item = Self> {
        rows.chunks_exact(Self::row_bytes()).filter_map(Self::read_row)
    }
}

/// Sends a type that is a [`Row`] in the bytes of its row. Not an implementation for every `Row`: every vector is an
/// item of messages already, and the compiler cannot exclude that a vector becomes a row.
macro_rules! send_as_row {
    ($item:ident) => {
        impl<X: Dim> $crate::comm::MessageItem for $item<X> {
            fn write_to(&self, message: &mut $crate::comm::Writer) {
                self.write_row(&mut message.0);
            }
            fn read_from(message: &mut $crate::comm::Reader<'_>) -> Self {
                Self::next_row(message)
            }
        }
    };
}
pub(crate) use send_as_row;

/// Writes words as bytes, as many as `bytes` can hold.
#[inline]
pub(crate) fn put_words(words: &[u64], bytes: &mut [u8]) {
    bytes.as_chunks_mut().0.iter_mut().zip(words).for_each(|(bytes, word)| *bytes = word.to_le_bytes());
}

/// Reads words from bytes, as many as `bytes` holds.
#[inline]
pub(crate) fn take_words(bytes: &[u8], words: &mut [u64]) {
    words.iter_mut().zip(bytes.as_chunks().0).for_each(|(word, bytes)| *word = u64::from_le_bytes(*bytes));
}

/// The words of a row being written, in order.
#[derive(Default)]
pub(crate) struct WordWriter<W> {
    words: W,
    next: usize,
}

impl<W: Default + AsMut<[u64]>> WordWriter<W> {
    #[inline]
    pub(crate) fn words(&mut self, words: &[u64]) {
        self.words.as_mut()[self.next..].iter_mut().zip(words).for_each(|(to, word)| *to = *word);
        self.next += words.len();
    }

    #[inline]
    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        self.words.as_mut()[self.next..].iter_mut().zip(numbers).for_each(|(to, x)| *to = x.to_bits());
        self.next += numbers.len();
    }

    #[inline]
    pub(crate) fn finish(self) -> W {
        self.words
    }
}

/// The words of a row being read, in order.
pub(crate) struct WordReader<'a>(pub(crate) &'a [u64]);

impl WordReader<'_> {
    #[inline]
    pub(crate) fn word(&mut self) -> u64 {
        let word = self.0[0];
        self.0 = &self.0[1..];
        word
    }

    #[inline]
    pub(crate) fn number(&mut self) -> f64 {
        f64::from_bits(self.word())
    }

    #[inline]
    pub(crate) fn vector<V: Vector>(&mut self) -> V {
        V::from_fn(|_| self.number())
    }

    #[inline]
    fn halves(&mut self) -> [u32; 2] {
        let word = self.word();
        [word as u32, (word >> 32) as u32]
    }
}

/// Sets the offsets of the fields in the row.
pub(crate) fn with_offsets<const N: usize>(fields: [FieldSpec; N]) -> Vec<FieldSpec> {
    let mut offset = 0;
    let with_offset = |field: FieldSpec| {
        let start = offset;
        offset += field.kind.size() * field.width;
        FieldSpec { offset: start, ..field }
    };
    fields.into_iter().map(with_offset).collect()
}

impl<X: Dim> Row for State<X> {
    type Words = [u64; 4 + 2 + 3 + 4 + 3 + 3];

    fn fields() -> Vec<FieldSpec> {
        with_offsets([
            spec("id", "", "global number of the body", FieldKind::U64, 1),
            spec("key", "", "place along the space-filling curve that orders contacts", FieldKind::U64, 1),
            spec("shape", "", "index into /shapes", FieldKind::U32, 1),
            spec("material", "", "index into /materials", FieldKind::U32, 1),
            spec("motion", "", "index of the prescribed motion, 4294967295 when free", FieldKind::U32, 1),
            spec("contacts", "", "contacts within the alert distance in the last step", FieldKind::U32, 1),
            spec("size", "m", "scale of the shape; the radius of a disk or sphere", FieldKind::F64, 1),
            spec("mass", "kg", "mass (per metre of depth in two dimensions)", FieldKind::F64, 1),
            spec("position", "m", "centre of mass", FieldKind::F64, X::D),
            spec(
                "orientation",
                X::Orientation::UNIT,
                "angle, or unit quaternion w x y z, from body axes to world axes",
                FieldKind::F64,
                X::Orientation::NUMBERS,
            ),
            spec("velocity", "m/s", "velocity of the centre of mass", FieldKind::F64, X::D),
            spec("spin", "rad/s", "angular velocity in world axes", FieldKind::F64, X::R),
        ])
    }

    fn row_bytes() -> usize {
        2 * 8 + 4 * 4 + 8 * (2 + 2 * X::D + X::Orientation::NUMBERS + X::R)
    }

    #[inline]
    fn words(&self) -> Self::Words {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let mut orientation = [0.0; 4];
        self.orientation.write(&mut orientation);
        let mut row = WordWriter::<Self::Words>::default();
        row.words(&[self.id.0, self.key, pair(self.shape, self.material), pair(self.motion, self.contacts)]);
        row.numbers(&[self.size, self.mass]);
        row.numbers(self.position.as_slice());
        row.numbers(&orientation[..X::Orientation::NUMBERS]);
        row.numbers(self.velocity.as_slice());
        row.numbers(self.spin.as_slice());
        row.finish()
    }

    fn from_words(words: &Self::Words) -> Self {
        let mut row = WordReader(words);
        let (id, key) = (BodyId(row.word()), row.word());
        let [[shape, material], [motion, contacts]] = [row.halves(), row.halves()];
        let (size, mass, position) = (row.number(), row.number(), row.vector());
        let mut orientation = [0.0; 4];
        orientation[..X::Orientation::NUMBERS].iter_mut().for_each(|x| *x = row.number());
        let orientation = X::Orientation::read(&orientation);
        let (velocity, spin) = (row.vector(), row.vector());
        Self { id, key, shape, material, motion, contacts, size, mass, position, orientation, velocity, spin }
    }
}

send_as_row!(State);

#[cfg(test)]
pub(crate) mod tests {
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

    pub(crate) fn round_trip<R: Row + PartialEq + std::fmt::Debug>(item: R) {
        let mut row = Vec::new();
        item.write_row(&mut row);
        let last = R::fields().pop().unwrap();
        assert_eq!(row.len(), R::row_bytes());
        assert_eq!(row.len(), last.offset + last.kind.size() * last.width);
        assert_eq!(R::read_row(&row).as_ref(), Some(&item));
        assert_eq!(R::read_row(&row[1..]), None);
    }

    #[test]
    fn a_state_survives_the_round_trip_to_bytes_to_the_last_bit() {
        round_trip(odd_state::<Plane>());
        round_trip(odd_state::<Space>());
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
