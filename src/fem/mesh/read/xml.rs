//! The tags of an XML file, in order, and base64: as much of both as VTK files use.

use crate::fem::mesh::fault::ReadTrouble;

use super::damaged::EXPORT_AGAIN;

/// A tag.
pub(super) struct XmlTag<'a> {
    /// Name; a closing tag starts with a slash.
    pub(super) name: &'a str,
    attributes: &'a str,
    /// Position of the first byte after it.
    pub(super) end: usize,
}

impl<'a> XmlTag<'a> {
    /// The next tag from the position `at` on; comments and declarations are passed over.
    pub(super) fn next(bytes: &'a [u8], at: usize) -> Result<Option<Self>, ReadTrouble> {
        let mut at = at;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let Some(open) = rest.iter().position(|&b| b == b'<') else { return Ok(None) };
            let inside = &rest[open + 1..];
            let mark: &[u8] = if inside.starts_with(b"!--") { b"-->" } else { b">" };
            let cut = || ReadTrouble::new("the file ends within a tag: it is cut short", EXPORT_AGAIN);
            let length = inside.windows(mark.len()).position(|w| w == mark).ok_or_else(cut)?;
            let end = at + open + 1 + length + mark.len();
            if inside.starts_with(b"!") || inside.starts_with(b"?") {
                at = end;
                continue;
            }
            let text = std::str::from_utf8(&inside[..length])
                .map_err(|_| ReadTrouble::new("a tag is not text", EXPORT_AGAIN))?;
            let (name, attributes) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
            return Ok(Some(Self { name: name.trim_end_matches('/'), attributes, end }));
        }
    }

    /// The value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        let mut rest = self.attributes;
        while let Some((own, after)) = rest.split_once('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|&c| c == '"' || c == '\'')?;
            let (value, next) = after[1..].split_once(quote)?;
            if own.trim() == name {
                return Some(value);
            }
            rest = next;
        }
        None
    }
}

/// Decodes base64 up to the padding or `most` bytes; spaces are passed over.
pub(super) fn base64(text: &[u8], most: usize) -> Result<Vec<u8>, ReadTrouble> {
    let mut bytes = Vec::with_capacity(most.min(text.len() / 4 * 3 + 3));
    let (mut bits, mut count) = (0u32, 0);
    for &letter in text {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => break,
            letter if letter.is_ascii_whitespace() => continue,
            _ => return Err(ReadTrouble::new("an array is not base64", EXPORT_AGAIN)),
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
        if bytes.len() >= most {
            break;
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_attributes_are_found() {
        let text = b"<?xml?><!-- <a> --><Data Name='x' type=\"Float64\"/> text </Data>";
        let tag = XmlTag::next(text, 0).unwrap().unwrap();
        assert_eq!((tag.name, tag.attribute("type"), tag.attribute("Name")), ("Data", Some("Float64"), Some("x")));
        assert_eq!(tag.attribute("nothing"), None);
        let closing = XmlTag::next(text, tag.end).unwrap().unwrap();
        assert_eq!((closing.name, closing.end), ("/Data", text.len()));
        assert!(XmlTag::next(text, closing.end).unwrap().is_none());
        assert!(XmlTag::next(b"<Data", 0).is_err());
    }

    #[test]
    fn base64_of_every_length_is_decoded() {
        for (text, bytes) in [("TQ==", "M"), ("TWE=", "Ma"), ("TWFu", "Man"), ("TWFu IQ==", "Man!")] {
            assert_eq!(base64(text.as_bytes(), 100).unwrap(), bytes.as_bytes());
        }
        assert_eq!(base64(b"TWFuTWFu", 2).unwrap(), b"Ma");
        assert!(base64(b"T*Fu", 100).is_err());
    }
}
