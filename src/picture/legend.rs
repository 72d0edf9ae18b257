//! Legend of a picture: title and time, colour bar, scale bar, and key to the force chains.

use super::chains::half_width;
use super::colour::Colour;
use super::marks::{Edge, PixelPoint, layer, lines, polygon, rectangle, text};
use super::scheme::{Bar, Scheme};
use super::survey::Survey;
use crate::graphics::{AxisScale, SvgWriter, format_number};

const INK: u32 = 0x1d242b;
const FAINT: u32 = 0x5c6670;

/// Layout of a picture with margins above, below and on the right. All lengths in px.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Area of the picture: left, top, right, bottom.
    pub(super) area: [f64; 4],
    /// Scale of all elements, 1 for a sheet 1200 wide.
    pub(super) unit: f64,
}

impl Layout {
    /// Layout for a picture of aspect ratio `shape[0]`:`shape[1]`; the height follows from it unless given.
    pub(super) fn new(width: usize, height: Option<usize>, shape: [f64; 2], has_panel: bool) -> Self {
        let unit = (width as f64 / 1200.0).clamp(0.5, 4.0);
        let [left, top, bottom] = [36.0, 84.0, 72.0].map(|margin| margin * unit);
        let right = if has_panel { 220.0 * unit } else { left };
        let inner = width as f64 - left - right;
        let aspect = if shape[0] > 0.0 { shape[1] / shape[0] } else { 1.0 };
        let preferred = (inner * aspect).clamp(0.3 * inner, 1.35 * inner) + top + bottom;
        // Most video encoders require an even number of rows.
        let height = height.unwrap_or(2 * (0.5 * preferred).round() as usize);
        let area = [left, top, width as f64 - right, (height as f64 - bottom).max(top + 1.0)];
        Self { width, height, area, unit }
    }

    /// Writes white rectangles over everything outside the picture.
    pub(super) fn margins(&self, svg: &mut SvgWriter) {
        let ([left, top, right, bottom], white) = (self.area, Colour([1.0; 3]));
        let (wide, high) = (self.width as f64, self.height as f64);
        layer(svg, "margins");
        rectangle(svg, [-1.0, -1.0], [wide + 1.0, top], white);
        rectangle(svg, [-1.0, bottom], [wide + 1.0, high + 1.0], white);
        rectangle(svg, [-1.0, top], [left, bottom], white);
        rectangle(svg, [right, top], [wide + 1.0, bottom], white);
        svg.close();
    }

    /// Writes title and time.
    pub(super) fn caption(&self, svg: &mut SvgWriter, title: &str, time: f64) {
        let ([left, ..], u) = (self.area, self.unit);
        svg.element("g").set("id", "caption").open();
        svg.element("g").set("font-weight", "bold").open();
        text(svg, [left, 42.0 * u], 28.0 * u, Colour::hex(INK), title);
        svg.close();
        let words = format!("t = {} s", number(time, 1e-4 * time.abs()));
        text(svg, [left, 68.0 * u], 20.0 * u, Colour::hex(FAINT), &words);
        svg.close();
    }

    /// Writes a scale bar of a round length, at `scale` px per metre.
    pub(super) fn scale_bar(&self, svg: &mut SvgWriter, scale: f64) {
        let ([left, _, right, _], u) = (self.area, self.unit);
        let length = round_below(0.22 * (right - left) / scale);
        let y = self.height as f64 - 26.0 * u;
        let end = left + length * scale;
        let tick = |x: f64| [[x, y - 6.0 * u], [x, y + 6.0 * u]];
        let edge = Edge { colour: Colour::hex(INK), width: 2.0 * u };
        layer(svg, "scale");
        lines(svg, &[[[left, y], [end, y]], tick(left), tick(end)], edge);
        text(svg, [end + 14.0 * u, y + 7.0 * u], 20.0 * u, Colour::hex(INK), &in_metres(length));
        svg.close();
    }

    /// Writes keys to colours and force chains, in the panel; `scale` in px/m.
    pub(super) fn keys(&self, svg: &mut SvgWriter, scheme: &Scheme, survey: &Survey, has_chains: bool, scale: f64) {
        let mut next = self.area[1];
        let has_forces = has_chains && survey.force > 0.0;
        if let Some(bar) = &scheme.bar {
            next = self.colour_bar(svg, bar, if has_forces { 150.0 * self.unit } else { 0.0 });
        }
        if has_forces {
            let width = |force: f64| 2.0 * scale * half_width(force, survey.force, survey.radius);
            self.force_key(svg, next, survey.force, survey.mean_force(), width);
        }
    }

    /// Writes a colour bar at the top of the panel, with `reserved` px left free below it; returns the position where
    /// the next key may start.
    fn colour_bar(&self, svg: &mut SvgWriter, bar: &Bar, reserved: f64) -> f64 {
        let ([_, top, right, bottom], u) = (self.area, self.unit);
        let (left, wide) = (right + 28.0 * u, 20.0 * u);
        let from = top + 44.0 * u;
        let to = (from + 420.0 * u).min((bottom - 20.0 * u - reserved).max(from + 60.0 * u));
        layer(svg, "colours");
        text(svg, [left, top + 12.0 * u], 20.0 * u, Colour::hex(INK), &bar.title);
        // Between its colours the map is linear in sRGB, and so is a gradient.
        let last = bar.map.colours().len() - 1;
        let gradient = svg.element("linearGradient").set("id", "colour-map").set("x1", 0).set("y1", 1);
        gradient.set("x2", 0).set("y2", 0).open();
        for share in (0..=last).map(|k| k as f64 / last as f64) {
            svg.element("stop").set("offset", share).set("stop-color", (bar.colour)(bar.map, share).text()).end();
        }
        svg.close();
        let strip = svg.element("rect").number("x", left).number("y", from).number("width", wide);
        strip.number("height", to - from).set("fill", "url(#colour-map)").end();
        // A pointed end marks values beyond the range.
        let tip = |y: f64, height: f64| [[left, y], [left + wide, y], [left + 0.5 * wide, y + height]];
        if bar.beyond[1] {
            polygon(svg, &tip(from + 0.3, -14.0 * u), (bar.colour)(bar.map, 1.0), Edge::none());
        }
        if bar.beyond[0] {
            polygon(svg, &tip(to - 0.3, 14.0 * u), (bar.colour)(bar.map, 0.0), Edge::none());
        }
        let [low, high] = bar.range;
        let scale = AxisScale { from: low, to: high, pixels: [to, from] };
        let right = left + wide;
        let values = scale.ticks(if bar.is_whole { 1.0 } else { 0.0 });
        for &value in &values {
            text(
                svg,
                [right + 14.0 * u, scale.at(value) + 6.5 * u],
                19.0 * u,
                Colour::hex(FAINT),
                &format_number(value),
            );
        }
        let ticks: Vec<[PixelPoint; 2]> =
            values.iter().map(|&value| scale.at(value)).map(|y| [[right, y], [right + 6.0 * u, y]]).collect();
        lines(svg, &ticks, Edge { colour: Colour::hex(FAINT), width: 1.5 * u });
        svg.close();
        to + 60.0 * u
    }

    /// Writes three force chains with their forces; `width` gives the line width of a force, px.
    fn force_key(&self, svg: &mut SvgWriter, from: f64, strong: f64, mean: f64, width: impl Fn(f64) -> f64) {
        let ([_, _, right, _], u) = (self.area, self.unit);
        let left = right + 28.0 * u;
        layer(svg, "forces");
        text(svg, [left, from + 12.0 * u], 20.0 * u, Colour::hex(INK), "normal force");
        let rows = [
            (round_below(strong), super::chains::STRONG, ""),
            (mean, super::chains::STRONG, "mean "),
            (round_below(0.4 * mean), super::chains::WEAK, ""),
        ];
        let mut y = from + 30.0 * u;
        for (force, code, word) in rows.into_iter().filter(|row| row.0 > 0.0) {
            let wide = width(force).clamp(0.7, 40.0 * u);
            y += 0.5 * wide.max(16.0 * u) + 6.0 * u;
            let ends = [[left + 0.5 * wide, y], [left + 44.0 * u, y]];
            lines(svg, &[ends], Edge { colour: Colour::hex(code), width: wide });
            let words = format!("{word}{}", in_newtons(force));
            text(svg, [left + 62.0 * u, y + 6.5 * u], 19.0 * u, Colour::hex(FAINT), &words);
            y += 0.5 * wide.max(16.0 * u) + 6.0 * u;
        }
        svg.close();
    }
}

/// Largest number of the form 1, 2 or 5 times a power of ten that does not exceed `value`.
fn round_below(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let ten = 10f64.powi(value.log10().floor() as i32);
    let lead = value / ten;
    ten * if lead >= 5.0 {
        5.0
    } else if lead >= 2.0 {
        2.0
    } else {
        1.0
    }
}

/// A number with the decimals that steps of this size require.
fn number(value: f64, step: f64) -> String {
    let largest = value.abs().max(step);
    if value == 0.0 || step <= 0.0 {
        return if value == 0.0 { "0".into() } else { format!("{value}") };
    }
    if !(1e-4..1e6).contains(&largest) {
        return format!("{value:.1e}");
    }
    let decimals = (-step.log10()).ceil().clamp(0.0, 6.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

fn in_metres(length: f64) -> String {
    match length {
        l if l >= 1e3 => format!("{} km", number(l / 1e3, l / 1e3)),
        l if l >= 0.1 => format!("{} m", number(l, l)),
        l if l >= 1e-2 => format!("{} cm", number(l * 1e2, 1.0)),
        l if l >= 1e-3 => format!("{} mm", number(l * 1e3, 1.0)),
        l => format!("{} mm", number(l * 1e3, l * 1e3)),
    }
}

fn in_newtons(force: f64) -> String {
    // Two significant digits.
    let (value, unit) = match force {
        f if f >= 1e6 => (f * 1e-6, "MN"),
        f if f >= 1e3 => (f * 1e-3, "kN"),
        f if f >= 1.0 => (f, "N"),
        f => (f * 1e3, "mN"),
    };
    format!("{} {unit}", number(value, 10f64.powf(value.log10().floor() - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::colour::ColourMap;

    #[test]
    fn numbers_are_as_short_as_their_steps_allow() {
        assert_eq!([number(0.30000000000000004, 0.1), number(2.0, 0.5), number(150.0, 50.0)], ["0.3", "2", "150"]);
        assert_eq!([number(2e-7, 1e-7), number(0.25, 0.05)], ["2.0e-7", "0.25"]);
        assert_eq!([in_metres(0.5), in_metres(0.02), in_metres(2000.0)], ["0.5 m", "2 cm", "2 km"]);
        assert_eq!([in_newtons(1234.0), in_newtons(0.05), in_newtons(17.3)], ["1.2 kN", "50 mN", "17 N"]);
    }

    #[test]
    fn round_numbers_are_not_above_what_they_stand_for() {
        assert_eq!([0.99, 1.0, 4.9, 70.0].map(round_below), [0.5, 1.0, 2.0, 50.0]);
        assert_eq!(round_below(0.0), 0.0);
    }

    #[test]
    fn the_key_to_forces_fits_below_the_colours_of_a_low_picture() {
        let low = Layout::new(1200, None, [10.0, 1.0], true);
        let bar = Bar {
            title: "speed".into(),
            map: ColourMap::Sequential,
            range: [0.0, 1.0],
            beyond: [false; 2],
            is_whole: false,
            colour: ColourMap::at,
        };
        let mut svg = SvgWriter::new(1200.0, low.height as f64);
        let next = low.colour_bar(&mut svg, &bar, 150.0);
        assert!(next + 114.0 < low.height as f64, "{next} of {}", low.height);
        let text = svg.finish();
        assert_eq!((text.matches("<stop").count(), text.contains(">0.6</text>")), (9, true), "{text}");
    }

    #[test]
    fn a_picture_is_even_in_height_and_follows_the_shape_of_what_it_shows() {
        let wide = Layout::new(1200, None, [4.0, 1.0], true);
        let tall = Layout::new(1200, None, [1.0, 1.0], true);
        assert!(wide.height < tall.height && wide.height.is_multiple_of(2));
        assert_eq!(Layout::new(1200, Some(333), [1.0, 1.0], false).height, 333);
    }
}
