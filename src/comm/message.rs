//! Serialisation of messages: items written and read in the same order, little-endian, without padding.

use crate::dim::Vector;

/// An item of a message: a number, a vector, or a record that another module sends.
pub trait MessageItem: Sized {
    /// Appends the item to `message`.
    fn write_to(&self, message: &mut Writer);
    /// Reads what [`write_to`](Self::write_to) wrote.
    fn read_from(message: &mut Reader<'_>) -> Self;
}

/// A message being written.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends an item.
    #[inline]
    pub fn write<T: MessageItem>(&mut self, item: &T) {
        item.write_to(self);
    }
    /// Appends an unsigned 64-bit integer.
    #[inline]
    pub fn u64(&mut self, x: u64) {
        self.0.extend(x.to_le_bytes());
    }
    /// Appends an unsigned 32-bit integer.
    #[inline]
    pub fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }
}

/// A message being read. Messages come from the same program, so a truncated one is a bug; missing bytes read as zeros.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Has everything been read?
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }
    /// Reads the next `count` bytes, or fewer at the end of the message.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        bytes
    }
    fn array<const N: usize>(&mut self) -> [u8; N] {
        let bytes = self.bytes(N);
        std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
    }
    /// Reads an item.
    #[inline]
    pub fn read<T: MessageItem>(&mut self) -> T {
        T::read_from(self)
    }
    /// Reads items up to the end of the message.
    pub fn read_all<T: MessageItem>(mut self) -> impl Iterator<Item = T> + use<'a, T> {
        std::iter::from_fn(move || (!self.is_done()).then(|| self.read()))
    }
    /// Reads an unsigned 64-bit integer.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }
    /// Reads an unsigned 32-bit integer.
    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }
}

/// A message to or from a process.
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// The other process.
    pub rank: usize,
    /// What is in it.
    pub contents: Writer,
}

impl Message {
    /// Has it no contents?
    pub fn is_empty(&self) -> bool {
        self.contents.0.is_empty()
    }

    /// Reads the message from its beginning.
    pub fn reader(&self) -> Reader<'_> {
        Reader(&self.contents.0)
    }
}

impl MessageItem for u64 {
    fn write_to(&self, message: &mut Writer) {
        message.u64(*self);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        message.u64()
    }
}

impl MessageItem for u32 {
    fn write_to(&self, message: &mut Writer) {
        message.u32(*self);
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        message.u32()
    }
}

impl MessageItem for bool {
    fn write_to(&self, message: &mut Writer) {
        message.u32(u32::from(*self));
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        message.u32() == 1
    }
}

impl MessageItem for f64 {
    fn write_to(&self, message: &mut Writer) {
        message.u64(self.to_bits());
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        f64::from_bits(message.u64())
    }
}

impl<V: Vector> MessageItem for V {
    fn write_to(&self, message: &mut Writer) {
        self.as_slice().iter().for_each(|x| message.write(x));
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        V::from_fn(|_| message.read())
    }
}

impl<T: MessageItem, const N: usize> MessageItem for [T; N] {
    fn write_to(&self, message: &mut Writer) {
        self.iter().for_each(|item| message.write(item));
    }
    fn read_from(message: &mut Reader<'_>) -> Self {
        std::array::from_fn(|_| message.read())
    }
}

macro_rules! tuples {
    ($(($($item:ident),+))+) => {$(
        impl<$($item: MessageItem),+> MessageItem for ($($item,)+) {
            #[allow(non_snake_case)] // An item is named like its type.
            fn write_to(&self, message: &mut Writer) {
                let ($($item,)+) = self;
                $(message.write($item);)+
            }
            fn read_from(message: &mut Reader<'_>) -> Self {
                ($(message.read::<$item>(),)+)
            }
        }
    )+};
}

tuples!((A, B)(A, B, C)(A, B, C, D));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::{Dim, Space};

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut message = Writer::default();
        message.u64(u64::MAX - 5);
        message.u32(7);
        message.write(&[-0.1, f64::MIN_POSITIVE]);
        let mut read = Reader(&message.0);
        assert_eq!((read.u64(), read.u32()), (u64::MAX - 5, 7));
        assert_eq!(read.read::<[f64; 2]>(), [-0.1, f64::MIN_POSITIVE]);
        assert!(read.is_done());
    }

    #[test]
    fn items_follow_each_other_without_padding() {
        type Item = (u32, bool, <Space as Dim>::Vector);
        let items: [Item; 2] = [1.5, -0.0].map(|x| (3, x > 0.0, Vector::from_fn(|k| x * k as f64)));
        let mut message = Writer::default();
        items.iter().for_each(|item| message.write(item));
        assert_eq!(message.0.len(), 2 * (4 + 4 + 3 * 8));
        assert!(Reader(&message.0).read_all::<Item>().eq(items));
    }
}
