//! Charts: curves over two axes with ticks, labels and units.
//!
//! The output depends only on the numbers. Points that are not finite, or not positive on a logarithmic axis, are left
//! out.

use std::fmt::Write;

use super::axis::{AxisScale, format_number};
use super::svg::{Short, SvgWriter};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;
/// Left, right, top and bottom margins, px.
const MARGINS: [f64; 4] = [90.0, 20.0, 40.0, 60.0];
/// Palette distinguishable with colour vision deficiency (Okabe and Ito).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"];
/// Maximum number of curves named in the legend.
const MAX_NAMES: usize = 12;
/// Maximum number of points of a curve that are marked.
const MAX_MARKED: usize = 60;

/// A polyline.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Label in the legend.
    pub name: String,
    /// Its points, in order.
    pub points: Vec<[f64; 2]>,
}

/// Curves over two axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    /// Title of the chart.
    pub title: String,
    /// Axis labels, with units.
    pub labels: [String; 2],
    /// The curves.
    pub curves: Vec<Curve>,
    /// True if the vertical axis is logarithmic.
    pub is_logarithmic: bool,
}

impl Chart {
    /// Renders the chart as the contents of an SVG file.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = MARGINS;
        let all = || self.curves.iter().flat_map(|curve| curve.points.iter().filter_map(|point| self.plotted(point)));
        let x = AxisScale::around(all().map(|p| p[0]), [left, WIDTH - right]);
        let y = AxisScale::around(all().map(|p| p[1]), [HEIGHT - bottom, top]);
        let mut svg = SvgWriter::new(WIDTH, HEIGHT);
        svg.background();
        svg.element("g").set("font-size", 13).open();
        self.frame(&mut svg, &x, &y);
        for (k, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            self.curve(&mut svg, curve, colour, [&x, &y]);
            if self.curves.len() > 1 && k < MAX_NAMES {
                let at = [WIDTH - right - 8.0, top + 18.0 + 17.0 * k as f64];
                let text = svg.element("text").number("x", at[0]).number("y", at[1]);
                text.set("text-anchor", "end").set("fill", colour).text(&curve.name);
            }
        }
        svg.finish()
    }

    /// A point as it is drawn, with the logarithm of its height on a logarithmic axis; `None` if it is left out.
    fn plotted(&self, &[x, y]: &[f64; 2]) -> Option<[f64; 2]> {
        let point = [x, if self.is_logarithmic { y.log10() } else { y }];
        point.iter().all(|x| x.is_finite()).then_some(point)
    }

    fn curve(&self, svg: &mut SvgWriter, curve: &Curve, colour: &str, [x, y]: [&AxisScale; 2]) {
        let mut path = String::new();
        let mut pen = 'M';
        for point in &curve.points {
            // Break the line at missing values instead of interpolating.
            let Some([px, py]) = self.plotted(point).map(|[px, py]| [x.at(px), y.at(py)]) else {
                pen = 'M';
                continue;
            };
            let _ = write!(path, "{pen}{} {}", Short(px), Short(py));
            pen = 'L';
            if curve.points.len() <= MAX_MARKED {
                svg.element("circle").number("cx", px).number("cy", py).number("r", 2.5).set("fill", colour).end();
            }
        }
        let line = svg.element("path").set("d", path).set("fill", "none").set("stroke", colour);
        line.number("stroke-width", 1.5).end();
    }

    /// Draws axes, ticks, labels and title.
    fn frame(&self, svg: &mut SvgWriter, x: &AxisScale, y: &AxisScale) {
        let [[x0, x1], [y0, y1]] = [x.pixels, y.pixels];
        let middle = [(x0 + x1) / 2.0, (y0 + y1) / 2.0];
        text(svg, [middle[0], 24.0], "middle", 15.0, &self.title);
        for tick in x.ticks(0.0) {
            let at = x.at(tick);
            svg.element("path").set("d", format_args!("M{} {y0}V{y1}", Short(at))).set("stroke", "#ddd").end();
            text(svg, [at, y0 + 18.0], "middle", 13.0, &format_number(tick));
        }
        for tick in if self.is_logarithmic { y.decades() } else { y.ticks(0.0) } {
            let at = y.at(tick);
            svg.element("path").set("d", format_args!("M{x0} {}H{x1}", Short(at))).set("stroke", "#ddd").end();
            let value = if self.is_logarithmic { 10f64.powf(tick) } else { tick };
            text(svg, [x0 - 6.0, at + 4.0], "end", 13.0, &format_number(value));
        }
        let border = svg.element("rect").number("x", x0).number("y", y1).number("width", x1 - x0);
        border.number("height", y0 - y1).set("fill", "none").set("stroke", "#000").end();
        text(svg, [middle[0], HEIGHT - 16.0], "middle", 13.0, &self.labels[0]);
        svg.element("g").set("transform", format_args!("rotate(-90 18 {})", Short(middle[1]))).open();
        text(svg, [18.0, middle[1]], "middle", 13.0, &self.labels[1]);
        svg.close();
    }
}

/// A line of text, positioned by its start, middle or end; an empty one is left out.
pub(super) fn text(svg: &mut SvgWriter, at: [f64; 2], anchor: &str, size: f64, content: &str) {
    if content.is_empty() {
        return;
    }
    let text = svg.element("text").number("x", at[0]).number("y", at[1]);
    text.set("text-anchor", anchor).number("font-size", size).text(content);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_names_its_axes_and_leaves_a_gap_where_nothing_is_known() {
        let points = vec![[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]];
        let chart = Chart {
            title: "p < q".into(),
            labels: ["time (s)".into(), "pressure (Pa)".into()],
            curves: vec![Curve { name: "p".into(), points }],
            is_logarithmic: false,
        };
        let svg = chart.svg();
        assert!(svg.contains("time (s)") && svg.contains("pressure (Pa)") && svg.contains("p &lt; q"));
        let curve = svg.lines().find(|line| line.contains("stroke-width")).unwrap();
        assert_eq!((curve.matches('M').count(), svg.contains("NaN")), (2, false));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_chart() {
        assert!(Chart::default().svg().ends_with("</svg>\n"));
    }
}
