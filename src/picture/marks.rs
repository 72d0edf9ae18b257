//! Marks of a picture, written to an SVG document in pixels from the top left corner.

use std::fmt::Write;

use super::colour::Colour;
use crate::graphics::{Short, SvgElement, SvgWriter};

/// A position in the picture, px.
pub(super) type PixelPoint = [f64; 2];

/// Colour and width of a line; a width of zero draws none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) colour: Colour,
    /// Width, px.
    pub(super) width: f64,
}

impl Edge {
    /// No line.
    pub(super) fn none() -> Self {
        Self { colour: Colour([0.0; 3]), width: 0.0 }
    }

    /// True if both are written alike.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let style = |edge: &Self| (edge.colour.bytes(), (100.0 * edge.width).round());
        style(self) == style(other)
    }
}

/// A disk without an outline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dot {
    pub(super) centre: PixelPoint,
    pub(super) radius: f64,
    pub(super) fill: Colour,
}

/// Opens a layer; it ends with [`SvgWriter::close`].
pub(super) fn layer(svg: &mut SvgWriter, name: &str) {
    svg.element("g").set("id", name).set("stroke-linecap", "round").set("stroke-linejoin", "round").open();
}

/// A disk with an outline; without a fill, a circle.
pub(super) fn disk(svg: &mut SvgWriter, [x, y]: PixelPoint, radius: f64, fill: Option<Colour>, edge: Edge) {
    let disk = svg.element("circle").number("cx", x).number("cy", y).number("r", radius);
    stroke(disk.set("fill", fill.map_or("none".into(), Colour::text)), edge).end();
}

/// Disks without outlines: one path for all of a colour, so that millions of them take little space.
pub(super) fn dots(svg: &mut SvgWriter, mut dots: Vec<Dot>) {
    dots.sort_by_key(|dot| dot.fill.bytes());
    for alike in dots.chunk_by(|a, b| a.fill.bytes() == b.fill.bytes()) {
        let mut path = String::new();
        for &Dot { centre: [x, y], radius, .. } in alike {
            let (left, r, d) = (Short(x - radius), Short(radius), Short(2.0 * radius));
            // Writing to a string cannot fail.
            let _ = write!(path, "M{left} {}a{r} {r} 0 1 1 {d} 0a{r} {r} 0 1 1-{d} 0", Short(y));
        }
        svg.element("path").set("d", path).set("fill", alike[0].fill.text()).end();
    }
}

/// A polygon with an outline.
pub(super) fn polygon(svg: &mut SvgWriter, corners: &[PixelPoint], fill: Colour, edge: Edge) {
    let corners: Vec<String> = corners.iter().map(|&[x, y]| format!("{},{}", Short(x), Short(y))).collect();
    stroke(svg.element("polygon").set("points", corners.join(" ")).set("fill", fill.text()), edge).end();
}

/// An axis-aligned rectangle between two opposite corners.
pub(super) fn rectangle(svg: &mut SvgWriter, min: PixelPoint, max: PixelPoint, fill: Colour) {
    let rectangle = svg.element("rect").number("x", min[0]).number("y", min[1]);
    rectangle.number("width", max[0] - min[0]).number("height", max[1] - min[1]).set("fill", fill.text()).end();
}

/// Line segments of one style, with round caps.
pub(super) fn lines(svg: &mut SvgWriter, ends: &[[PixelPoint; 2]], edge: Edge) {
    let mut path = String::new();
    for [[ax, ay], [bx, by]] in ends.iter().map(|ends| ends.map(|end| end.map(Short))) {
        let _ = write!(path, "M{ax},{ay}L{bx},{by}");
    }
    stroke(svg.element("path").set("d", path).set("fill", "none"), edge).end();
}

/// A line of text; `at` is the left end of its baseline.
pub(super) fn text(svg: &mut SvgWriter, at: PixelPoint, size: f64, colour: Colour, content: &str) {
    let text = svg.element("text").number("x", at[0]).number("y", at[1]).number("font-size", size);
    text.set("fill", colour.text()).text(content);
}

fn stroke(element: SvgElement<'_>, edge: Edge) -> SvgElement<'_> {
    match edge.width > 0.0 {
        true => element.set("stroke", edge.colour.text()).number("stroke-width", edge.width),
        false => element,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphics::Canvas;

    #[test]
    fn dots_of_a_colour_are_one_path_and_cover_what_they_should() {
        let dot = |x: f64, code: u32| Dot { centre: [x, 5.0], radius: 2.0, fill: Colour::hex(code) };
        let mut svg = SvgWriter::new(30.0, 10.0);
        dots(&mut svg, vec![dot(5.0, 0x00ff00), dot(15.0, 0xff0000), dot(25.0, 0x00ff00)]);
        let svg = svg.finish();
        assert_eq!(svg.matches("<path").count(), 2);
        let mut image = Canvas::new(30, [[255; 3]; 300].into_iter()).unwrap();
        image.paint(&svg).unwrap();
        let green: f64 = image.pixels().map(|[red, ..]| 1.0 - f64::from(red) / 255.0).sum();
        // Coverage is sampled on four lines a pixel, which misses 4 % of so small disks.
        assert!((green / (8.0 * std::f64::consts::PI) - 1.0).abs() < 0.06, "{green}");
    }
}
