//! Serialisation of numbers in messages: written and read in the same order, little-endian.

/// A message being written.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// Appends an unsigned 64-bit integer.
    pub fn u64(&mut self, x: u64) {
        self.0.extend(x.to_le_bytes());
    }
    /// Appends an unsigned 32-bit integer.
    pub fn u32(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }
    /// Appends double-precision numbers.
    pub fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|x| self.0.extend(x.to_le_bytes()));
    }
}

/// A message being read. Messages come from the same program, so a truncated one is a bug: it reads as zeros and is
/// caught by what the zeros break.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// Has everything been read?
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }
    /// Reads the next `count` bytes, or fewer at the end of the message.
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }
    fn eight(&mut self) -> [u8; 8] {
        let taken = self.bytes(8);
        std::array::from_fn(|i| taken.get(i).copied().unwrap_or(0))
    }
    /// Reads an unsigned 64-bit integer.
    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.eight())
    }
    /// Reads an unsigned 32-bit integer.
    pub fn u32(&mut self) -> u32 {
        let taken = self.bytes(4);
        u32::from_le_bytes(std::array::from_fn(|i| taken.get(i).copied().unwrap_or(0)))
    }
    /// Reads a double-precision number.
    pub fn number(&mut self) -> f64 {
        f64::from_le_bytes(self.eight())
    }
    /// Reads double-precision numbers.
    pub fn numbers<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut message = Writer::default();
        message.u64(u64::MAX - 5);
        message.u32(7);
        message.numbers(&[-0.1, f64::MIN_POSITIVE]);
        let mut read = Reader(&message.0);
        assert_eq!((read.u64(), read.u32()), (u64::MAX - 5, 7));
        assert_eq!(read.numbers::<2>(), [-0.1, f64::MIN_POSITIVE]);
        assert!(read.is_done());
    }
}
