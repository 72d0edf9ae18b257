//! SVG documents, element by element. Text is escaped; numbers have two decimals at most.

use std::fmt::{self, Display, Write};

/// Fonts of all text: the embedded one, then fonts of the same widths.
const FONTS: &str = "Arimo, Helvetica, Arial, sans-serif";

/// A document being written.
pub(crate) struct SvgWriter {
    text: String,
    /// Names of the open elements, outermost first.
    open: Vec<&'static str>,
}

/// An element whose attributes are being written.
pub(crate) struct SvgElement<'a> {
    svg: &'a mut SvgWriter,
    name: &'static str,
}

impl SvgWriter {
    /// Starts a document of this size, px, without a background.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let mut svg = Self { text: String::new(), open: Vec::new() };
        let (width, height) = (Short(width), Short(height));
        let root = svg.element("svg").set("xmlns", "http://www.w3.org/2000/svg").set("width", width);
        let root = root.set("height", height).set("viewBox", format_args!("0 0 {width} {height}"));
        root.set("font-family", FONTS).open();
        svg
    }

    /// A white background; style sheets can address its class.
    pub(crate) fn background(&mut self) {
        self.element("rect").set("class", "paper").set("width", "100%").set("height", "100%").set("fill", "#fff").end();
    }

    /// Starts an element.
    pub(crate) fn element(&mut self, name: &'static str) -> SvgElement<'_> {
        self.text.push('<');
        self.text += name;
        SvgElement { svg: self, name }
    }

    /// Closes the innermost open element.
    pub(crate) fn close(&mut self) {
        if let Some(name) = self.open.pop() {
            // Writing to a string cannot fail.
            let _ = writeln!(self.text, "</{name}>");
        }
    }

    /// Closes all elements and returns the contents of the file.
    pub(crate) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }
}

impl SvgElement<'_> {
    /// Writes an attribute.
    pub(crate) fn set(self, name: &str, value: impl Display) -> Self {
        let _ = write!(self.svg.text, " {name}=\"");
        let _ = write!(EscapingWriter(&mut self.svg.text), "{value}");
        self.svg.text.push('"');
        self
    }

    /// Writes a number as an attribute.
    pub(crate) fn number(self, name: &str, value: f64) -> Self {
        self.set(name, Short(value))
    }

    /// Ends the element without content.
    pub(crate) fn end(self) {
        self.svg.text += "/>\n";
    }

    /// Ends the element with this text as its content.
    pub(crate) fn text(self, content: &str) {
        let Self { svg, name } = self;
        let _ = writeln!(svg.text, ">{}</{name}>", escaped(content));
    }

    /// Leaves the element open: what follows, up to [`SvgWriter::close`], is its content.
    pub(crate) fn open(self) {
        self.svg.text += ">\n";
        self.svg.open.push(self.name);
    }
}

/// A number with two decimals at most.
#[derive(Clone, Copy)]
pub(crate) struct Short(pub(crate) f64);

impl Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.2}", self.0);
        let text = text.trim_end_matches('0').trim_end_matches('.');
        f.write_str(if text == "-0" { "0" } else { text })
    }
}

/// Escapes the characters reserved in XML and HTML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let _ = EscapingWriter(&mut escaped).write_str(text);
    escaped
}

struct EscapingWriter<'a>(&'a mut String);

impl Write for EscapingWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            match letter {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                // XML has no way to write the other control characters.
                _ if letter.is_control() && !"\n\t".contains(letter) => {}
                _ => self.0.push(letter),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_text_is_escaped() {
        assert_eq!([1.0, -0.001, 2.5, 1234.567].map(|x| Short(x).to_string()), ["1", "0", "2.5", "1234.57"]);
        assert_eq!(escaped("a < b & \"c\"\u{7}"), "a &lt; b &amp; &quot;c&quot;");
    }

    #[test]
    fn elements_are_nested_and_all_closed_in_the_end() {
        let mut svg = SvgWriter::new(10.0, 20.0);
        svg.element("g").set("id", "a\"b").open();
        svg.element("title").text("x > y");
        svg.element("circle").number("r", 2.50001).end();
        let text = svg.finish();
        assert!(text.starts_with("<svg ") && text.contains("viewBox=\"0 0 10 20\""), "{text}");
        let inside = "<g id=\"a&quot;b\">\n<title>x &gt; y</title>\n<circle r=\"2.5\"/>\n</g>\n</svg>\n";
        assert!(text.ends_with(inside), "{text}");
    }
}
