//! Rose diagrams: how often directions occur, in sectors of equal angle.

use std::f64::consts::{PI, TAU};

use super::axis::{AxisScale, format_number};
use super::chart::text;
use super::svg::{Short, SvgWriter};

/// Width and height of the diagram, px.
const SIZE: f64 = 480.0;
/// Radius of the largest sector, px.
const MAX_RADIUS: f64 = 180.0;

/// Frequency of directions in sectors of equal angle, counter-clockwise from the first axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rose {
    /// Title of the diagram.
    pub title: String,
    /// Names of the axes to the right and up.
    pub axes: [String; 2],
    /// Probability density in each sector, 1/rad.
    pub density: Vec<f64>,
}

impl Rose {
    /// Renders the diagram as the contents of an SVG file. Sectors have titles, which browsers show under the pointer.
    pub fn svg(&self) -> String {
        let [cx, cy] = [SIZE / 2.0, SIZE / 2.0 + 12.0];
        let max = self.density.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
        let scale = AxisScale::around([0.0, max].into_iter(), [0.0, MAX_RADIUS]);
        let mut svg = SvgWriter::new(SIZE, SIZE);
        svg.background();
        text(&mut svg, [cx, 24.0], "middle", 15.0, &self.title);
        let sector_angle = TAU / self.density.len().max(1) as f64;
        for (k, &density) in self.density.iter().enumerate().filter(|(_, density)| density.is_finite()) {
            let r = scale.at(density);
            let angles = [k as f64 * sector_angle, (k as f64 + 1.0) * sector_angle];
            let [[ax, ay], [bx, by]] = angles.map(|angle| [cx + r * angle.cos(), cy - r * angle.sin()].map(Short));
            let r = Short(r);
            let sector = svg.element("path").set("d", format_args!("M{cx} {cy}L{ax} {ay}A{r} {r} 0 0 0 {bx} {by}Z"));
            sector.set("fill", "#56b4e9").set("stroke", "#0072b2").open();
            let [from, to] = angles.map(|angle| (angle * 180.0 / PI).round());
            svg.element("title").text(&format!("{from}° to {to}°: {density:.4} 1/rad"));
            svg.close();
        }
        let ring = |svg: &mut SvgWriter, value: f64, style: [&str; 2]| {
            let ring = svg.element("circle").number("cx", cx).number("cy", cy).number("r", scale.at(value));
            ring.set("fill", "none").set("stroke", style[0]).set("stroke-dasharray", style[1]).end();
        };
        for tick in scale.ticks(0.0).into_iter().filter(|&tick| tick > 0.0) {
            ring(&mut svg, tick, ["#aaa", "none"]);
            text(
                &mut svg,
                [cx + 4.0, cy - scale.at(tick) - 2.0],
                "start",
                11.0,
                &format!("{} 1/rad", format_number(tick)),
            );
        }
        if max > 0.0 {
            ring(&mut svg, 1.0 / TAU, ["#555", "5 4"]);
            text(&mut svg, [SIZE - 8.0, SIZE - 10.0], "end", 11.0, "dashed: the same in all directions");
        }
        text(&mut svg, [cx + MAX_RADIUS + 12.0, cy + 4.0], "start", 13.0, &self.axes[0]);
        text(&mut svg, [cx, cy - MAX_RADIUS - 12.0], "middle", 13.0, &self.axes[1]);
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_sector_reaches_the_edge_and_says_its_value() {
        let rose = Rose { density: vec![0.1, 0.2, f64::NAN, 0.0], ..Rose::default() };
        let svg = rose.svg();
        assert!(svg.contains("A180 180 ") && svg.contains("A90 90 "), "{svg}");
        assert!(svg.contains("<title>90° to 180°: 0.2000 1/rad</title>"), "{svg}");
        assert_eq!((svg.matches("<path").count(), svg.contains("NaN")), (3, false));
    }

    #[test]
    fn nothing_to_draw_is_an_empty_diagram() {
        assert!(Rose::default().svg().ends_with("</svg>\n"));
    }
}
