//! A sheet as SVG: one group per layer, plain elements, coordinates to 0.01 px.

use std::fmt::Write;

use super::sheet::{Edge, LabelPlace, Layer, Mark, SvgSheet};

/// Contents of the SVG file; `title` describes it.
pub(super) fn write(sheet: &SvgSheet, title: &str) -> String {
    let SvgSheet { width, height, layers } = sheet;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\">\n<title>{}</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(title)
    );
    for Layer { name, marks } in layers.iter().filter(|layer| !layer.marks.is_empty()) {
        let _ = writeln!(text, "<g id=\"{name}\" stroke-linecap=\"round\" stroke-linejoin=\"round\">");
        marks.iter().for_each(|mark| element(mark, &mut text));
        text += "</g>\n";
    }
    text += "</svg>\n";
    text
}

fn element(mark: &Mark, text: &mut String) {
    // Writing to a string cannot fail.
    let _ = match mark {
        Mark::Disk { centre: [x, y], radius, fill, edge } => {
            let (x, y, r) = (short(*x), short(*y), short(*radius));
            writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"{}\"{}/>", fill.text(), stroke(edge))
        }
        Mark::Ring { centre: [x, y], radius, edge } => {
            let (x, y, r) = (short(*x), short(*y), short(*radius));
            writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{r}\" fill=\"none\"{}/>", stroke(edge))
        }
        Mark::Polygon { corners, fill, edge } => {
            let corners: Vec<String> = corners.iter().map(pair).collect();
            writeln!(text, "<polygon points=\"{}\" fill=\"{}\"{}/>", corners.join(" "), fill.text(), stroke(edge))
        }
        Mark::Lines { ends, edge } => {
            let lines = ends.iter().map(|[from, to]| format!("M{}L{}", pair(from), pair(to)));
            writeln!(text, "<path d=\"{}\" fill=\"none\"{}/>", lines.collect::<String>(), stroke(edge))
        }
        Mark::Text { at: [x, y], size, bold, text: words, colour } => {
            let weight = if *bold { " font-weight=\"bold\"" } else { "" };
            writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" font-size=\"{}\"{weight} fill=\"{}\">{}</text>",
                short(*x),
                short(*y),
                short(*size),
                colour.text(),
                escaped(words)
            )
        }
    };
}

fn stroke(edge: &Edge) -> String {
    match edge.width > 0.0 {
        true => format!(" stroke=\"{}\" stroke-width=\"{}\"", edge.colour.text(), short(edge.width)),
        false => String::new(),
    }
}

fn pair(&[x, y]: &LabelPlace) -> String {
    format!("{},{}", short(x), short(y))
}

/// Two decimals without trailing zeros.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Escapes characters reserved in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::colour::Colour;
    use super::*;

    #[test]
    fn numbers_are_short_and_text_is_escaped() {
        assert_eq!([short(1.0), short(-0.001), short(2.5), short(1234.567)], ["1", "0", "2.5", "1234.57"]);
        assert_eq!(escaped("a < b & c"), "a &lt; b &amp; c");
    }

    #[test]
    fn a_layer_without_marks_leaves_nothing_and_others_keep_their_order() {
        let line =
            Mark::Lines { ends: vec![[[0.0, 1.0], [2.0, 3.5]]], edge: Edge { colour: Colour([0.0; 3]), width: 0.5 } };
        let layer = |name, marks| Layer { name, marks };
        let layers = vec![layer("first", vec![line.clone()]), layer("nothing", vec![]), layer("last", vec![line])];
        let text = write(&SvgSheet { width: 10, height: 20, layers }, "two");
        assert!(text.contains("M0,1L2,3.5") && text.contains("stroke-width=\"0.5\"") && !text.contains("nothing"));
        assert!(text.find("first") < text.find("last"));
    }
}
