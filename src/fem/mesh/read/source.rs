//! The bytes of a file, read as words of text or as binary numbers.

use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;

/// Types of numbers in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberType {
    Signed(usize),
    Unsigned(usize),
    Float(usize),
}

impl NumberType {
    /// Number of bytes.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Signed(width) | Self::Unsigned(width) | Self::Float(width) => width,
        }
    }

    /// The value of `bytes`, of which there are [`width`](Self::width); integers beyond 2^53 are rounded.
    pub(super) fn value(self, bytes: &[u8], is_big_endian: bool) -> f64 {
        let mut little = [0; 8];
        let width = self.width().min(bytes.len()).min(8);
        for (k, byte) in little.iter_mut().take(width).enumerate() {
            *byte = bytes[if is_big_endian { width - 1 - k } else { k }];
        }
        let bits = u64::from_le_bytes(little);
        match self {
            Self::Unsigned(_) => bits as f64,
            Self::Signed(_) if width > 0 => ((bits << (64 - 8 * width)) as i64 >> (64 - 8 * width)) as f64,
            Self::Signed(_) => 0.0,
            Self::Float(4) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => f64::from_bits(bits),
        }
    }
}

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Text,
    Binary { is_big_endian: bool },
}

/// A file and the position in it.
pub(super) struct Source<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    pub(super) encoding: Encoding,
}

impl<'a> Source<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, line: 1, encoding: Encoding::Text }
    }

    /// Part of a text that starts at this line of the file.
    pub(super) fn from_line(bytes: &'a [u8], line: usize) -> Self {
        Self { line, ..Self::new(bytes) }
    }

    /// The line, counted from one, in text; none in binary files.
    pub(super) fn line(&self) -> Option<usize> {
        (self.encoding == Encoding::Text).then_some(self.line)
    }

    pub(super) fn trouble(&self, what: impl Into<String>, remedy: &'static str) -> ReadTrouble {
        ReadTrouble::at_line(self.line(), what, remedy)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.bytes[self.at..].iter().all(u8::is_ascii_whitespace)
    }

    pub(super) fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn advance(&mut self, count: usize) {
        let end = (self.at + count).min(self.bytes.len());
        if self.encoding == Encoding::Text {
            self.line += self.bytes[self.at..end].iter().filter(|&&b| b == b'\n').count();
        }
        self.at = end;
    }

    /// The rest of the line, without surrounding spaces; the position is then at the start of the next line.
    pub(super) fn rest_of_line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let text = String::from_utf8_lossy(&rest[..length.min(1000)]).trim().to_string();
        self.advance(length + 1);
        text
    }

    /// The next line that is not blank; none at the end of the file.
    pub(super) fn next_line(&mut self) -> Option<String> {
        while self.at < self.bytes.len() {
            let line = self.rest_of_line();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    /// The next word.
    pub(super) fn word(&mut self) -> Result<&'a str, ReadTrouble> {
        let spaces = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.advance(spaces);
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.trouble("the file ends here: it is cut short", EXPORT_AGAIN));
        }
        let word = std::str::from_utf8(&rest[..length.min(200)]);
        let word = word.map_err(|_| self.trouble("is not text here", EXPORT_AGAIN))?;
        self.at += length;
        Ok(word)
    }

    /// The next number; `number_type` is that of binary files.
    pub(super) fn number(&mut self, number_type: NumberType) -> Result<f64, ReadTrouble> {
        match self.encoding {
            Encoding::Text => {
                let word = self.word()?;
                word.parse().map_err(|_| self.trouble(format!("'{}' is not a number", shortened(word)), EXPORT_AGAIN))
            }
            Encoding::Binary { is_big_endian } => {
                let width = number_type.width();
                let Some(bytes) = self.bytes[self.at..].get(..width) else {
                    return Err(self.trouble("the file ends within a number: it is cut short", EXPORT_AGAIN));
                };
                self.at += width;
                Ok(number_type.value(bytes, is_big_endian))
            }
        }
    }

    /// The next integer.
    pub(super) fn integer(&mut self, number_type: NumberType) -> Result<i64, ReadTrouble> {
        let number = self.number(number_type)?;
        whole(number).ok_or_else(|| self.trouble(format!("{number} is not an integer of 53 bits"), EXPORT_AGAIN))
    }

    /// The next integer, the count of items that each take at least `width` bytes in a binary file and one digit and
    /// one space in a text.
    pub(super) fn count(&mut self, number_type: NumberType, width: usize) -> Result<usize, ReadTrouble> {
        let number = self.integer(number_type)?;
        self.checked_count(number, width)
    }

    /// Compares a count with the length of the rest of the file.
    pub(super) fn checked_count(&self, count: i64, width: usize) -> Result<usize, ReadTrouble> {
        let width = if self.encoding == Encoding::Text { 2 } else { width.max(1) };
        // The last word of a text needs no space after it.
        let has = (self.remaining() + 1) / width;
        usize::try_from(count).ok().filter(|&count| count <= has).ok_or_else(|| {
            self.trouble(format!("a count of {count} items does not fit in the rest of the file"), EXPORT_AGAIN)
        })
    }

    /// The next `count` numbers.
    pub(super) fn numbers(&mut self, count: usize, number_type: NumberType) -> Result<Vec<f64>, ReadTrouble> {
        let count = self.checked_count(i64::try_from(count).unwrap_or(-1), number_type.width())?;
        (0..count).map(|_| self.number(number_type)).collect()
    }

    /// Moves behind the next occurrence of `mark`.
    pub(super) fn skip_past(&mut self, mark: &str) -> Result<(), ReadTrouble> {
        let rest = &self.bytes[self.at..];
        match rest.windows(mark.len()).position(|window| window == mark.as_bytes()) {
            Some(place) => {
                self.advance(place + mark.len());
                Ok(())
            }
            None => Err(self.trouble(format!("'{mark}' is missing: the file is cut short"), EXPORT_AGAIN)),
        }
    }
}

/// The integer that a number is, if it is one that a double represents exactly.
pub(super) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

/// The start of a word, for messages.
pub(super) fn shortened(word: &str) -> String {
    word.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_type_are_read_in_both_byte_orders() {
        let number = |kind: NumberType, bytes: &[u8]| {
            let mut reversed = bytes.to_vec();
            reversed.reverse();
            assert_eq!(kind.value(&reversed, true), kind.value(bytes, false));
            kind.value(bytes, false)
        };
        assert_eq!(number(NumberType::Signed(4), &(-7i32).to_le_bytes()), -7.0);
        assert_eq!(number(NumberType::Signed(8), &(-7i64).to_le_bytes()), -7.0);
        assert_eq!(number(NumberType::Unsigned(1), &[255]), 255.0);
        assert_eq!(number(NumberType::Float(4), &1.5f32.to_le_bytes()), 1.5);
        assert_eq!(number(NumberType::Float(8), &(-0.1f64).to_le_bytes()), -0.1);
    }

    #[test]
    fn a_count_larger_than_the_file_is_refused() {
        let mut source = Source::new(b"4000000000 1 2");
        let told = source.count(NumberType::Signed(4), 4).unwrap_err().what;
        assert!(told.contains("does not fit"), "{told}");
        assert_eq!(Source::new(b"3 1 2 3").count(NumberType::Signed(4), 4).unwrap(), 3);
    }

    #[test]
    fn words_know_their_line() {
        let mut source = Source::new(b"one two\n\nthree");
        assert_eq!((source.word().unwrap(), source.word().unwrap(), source.line()), ("one", "two", Some(1)));
        assert_eq!((source.word().unwrap(), source.line()), ("three", Some(3)));
        assert!(source.word().unwrap_err().what.contains("cut short"));
    }
}
