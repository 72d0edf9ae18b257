//! Charts as SVG: curves over two axes with ticks, labels and units, and rose diagrams of directions.
//!
//! The output depends only on the numbers. Points that are not finite, or not positive on a logarithmic axis, are left
//! out.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 480.0;
/// Left, right, top and bottom margins, px.
const MARGINS: [f64; 4] = [90.0, 20.0, 40.0, 60.0];
/// Palette distinguishable with colour vision deficiency (Okabe and Ito).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"];
/// Maximum number of curves named in the legend.
const MOST_NAMES: usize = 12;

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

/// Linear scale of an axis: range of values and range of pixels.
struct AxisScale {
    from: f64,
    to: f64,
    paper: [f64; 2],
}

impl AxisScale {
    /// Scale that covers these values, widened if they coincide.
    fn around(values: impl Iterator<Item = f64>, paper: [f64; 2]) -> Self {
        let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
        values.for_each(|x| (from, to) = (from.min(x), to.max(x)));
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from <= 1e-12 * from.abs().max(to.abs()) {
            let air = if from == 0.0 { 1.0 } else { 0.1 * from.abs() };
            (from, to) = (from - air, to + air);
        }
        Self { from, to, paper }
    }

    fn at(&self, x: f64) -> f64 {
        self.paper[0] + (x - self.from) / (self.to - self.from) * (self.paper[1] - self.paper[0])
    }

    /// About five ticks at multiples of 1, 2 or 5 times a power of ten.
    fn ticks(&self) -> Vec<f64> {
        let rough = (self.to - self.from) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * power).find(|&s| s >= rough).unwrap_or(rough);
        let first = (self.from / step).ceil() as i64;
        (first..first + 12).map(|k| k as f64 * step).take_while(|&x| x <= self.to + 1e-9 * step).collect()
    }
}

/// Ticks of a logarithmic axis, as logarithms: powers of ten, and 2 and 5 times them where these are few.
fn decades(scale: &AxisScale) -> Vec<f64> {
    let (first, last) = (scale.from.floor() as i32, scale.to.ceil() as i32);
    let within = |tick: &f64| *tick >= scale.from && *tick <= scale.to;
    let ticks = |factors: &[f64]| -> Vec<f64> {
        let all = (first..=last).flat_map(|k| factors.iter().map(move |factor| f64::from(k) + factor.log10()));
        all.filter(within).collect()
    };
    let plain = ticks(&[1.0]);
    if plain.len() > 3 { plain } else { ticks(&[1.0, 2.0, 5.0]) }
}

/// Shortest readable form of a number.
fn told(x: f64) -> String {
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&x.abs()) {
        let text = format!("{x:.2e}");
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", mantissa.trim_end_matches('0').trim_end_matches('.'));
    }
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Escapes characters reserved in XML.
fn plain(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn text(x: f64, y: f64, anchor: &str, more: &str, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{}</text>\n", plain(words))
}

fn page(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

impl Chart {
    /// Renders the chart as the contents of an SVG file.
    pub fn svg(&self) -> String {
        let [left, right, top, bottom] = MARGINS;
        let height = |y: f64| if self.is_logarithmic { y.log10() } else { y };
        let shown = |p: &[f64; 2]| Some([p[0], height(p[1])]).filter(|p| p.iter().all(|x| x.is_finite()));
        let all = || self.curves.iter().flat_map(|curve| curve.points.iter().filter_map(shown));
        let x = AxisScale::around(all().map(|p| p[0]), [left, WIDTH - right]);
        let y = AxisScale::around(all().map(|p| p[1]), [HEIGHT - bottom, top]);
        let mut body = self.frame(&x, &y);
        for (k, curve) in self.curves.iter().enumerate() {
            let colour = COLOURS[k % COLOURS.len()];
            let mut path = String::new();
            let mut pen = 'M';
            for point in &curve.points {
                match shown(point) {
                    Some([px, py]) => {
                        let _ = write!(path, "{pen}{:.2} {:.2}", x.at(px), y.at(py));
                        pen = 'L';
                        if curve.points.len() <= 60 {
                            let (px, py) = (x.at(px), y.at(py));
                            let _ =
                                writeln!(body, "<circle cx=\"{px:.2}\" cy=\"{py:.2}\" r=\"2.5\" fill=\"{colour}\"/>");
                        }
                    }
                    // Break the line at missing values instead of interpolating.
                    None => pen = 'M',
                }
            }
            let _ = writeln!(body, "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>");
            if self.curves.len() > 1 && k < MOST_NAMES {
                let at = top + 18.0 + 17.0 * k as f64;
                let fill = format!(" fill=\"{colour}\"");
                body += &text(WIDTH - right - 8.0, at, "end", &fill, &curve.name);
            }
        }
        page(WIDTH, HEIGHT, &body)
    }

    /// Draws axes, ticks, labels and title.
    fn frame(&self, x: &AxisScale, y: &AxisScale) -> String {
        let [[x0, x1], [y0, y1]] = [x.paper, y.paper];
        let mut out = text((x0 + x1) / 2.0, 24.0, "middle", " font-size=\"15\"", &self.title);
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = writeln!(out, "<path d=\"M{at:.2} {y0}V{y1}\" stroke=\"#dddddd\"/>");
            out += &text(at, y0 + 18.0, "middle", "", &told(tick));
        }
        for tick in if self.is_logarithmic { decades(y) } else { y.ticks() } {
            let at = y.at(tick);
            let _ = writeln!(out, "<path d=\"M{x0} {at:.2}H{x1}\" stroke=\"#dddddd\"/>");
            let value = if self.is_logarithmic { 10f64.powf(tick) } else { tick };
            out += &text(x0 - 6.0, at + 4.0, "end", "", &told(value));
        }
        let _ = writeln!(
            out,
            "<rect x=\"{x0}\" y=\"{y1}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"black\"/>",
            x1 - x0,
            y0 - y1
        );
        out += &text((x0 + x1) / 2.0, HEIGHT - 16.0, "middle", "", &self.labels[0]);
        let middle = (y0 + y1) / 2.0;
        let turned = format!(" transform=\"rotate(-90 18 {middle:.1})\"");
        out + &text(18.0, middle, "middle", &turned, &self.labels[1])
    }
}

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
    /// Renders the diagram as the contents of an SVG file.
    pub fn svg(&self) -> String {
        let (size, middle, reach) = (HEIGHT, [HEIGHT / 2.0, HEIGHT / 2.0 + 12.0], 180.0);
        let most = self.density.iter().copied().filter(|x| x.is_finite()).fold(0.0, f64::max);
        let scale = AxisScale::around([0.0, most].into_iter(), [0.0, reach]);
        let at = |angle: f64, r: f64| [middle[0] + r * angle.cos(), middle[1] - r * angle.sin()];
        let mut body = text(middle[0], 24.0, "middle", " font-size=\"15\"", &self.title);
        let angle = 2.0 * std::f64::consts::PI / self.density.len().max(1) as f64;
        for (k, density) in self.density.iter().enumerate().filter(|(_, d)| d.is_finite()) {
            let r = scale.at(*density);
            let [a, b] = [k as f64, k as f64 + 1.0].map(|k| at(k * angle, r));
            let _ = writeln!(
                body,
                "<path d=\"M{} {}L{:.2} {:.2}A{r:.2} {r:.2} 0 0 0 {:.2} {:.2}Z\" fill=\"#56b4e9\" stroke=\"#0072b2\"/>",
                middle[0], middle[1], a[0], a[1], b[0], b[1]
            );
        }
        for tick in scale.ticks().into_iter().filter(|&tick| tick > 0.0) {
            let r = scale.at(tick);
            let _ = writeln!(
                body,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{r:.2}\" fill=\"none\" stroke=\"#aaaaaa\"/>",
                middle[0], middle[1]
            );
            body += &text(
                middle[0] + 4.0,
                middle[1] - r - 2.0,
                "start",
                " font-size=\"11\"",
                &format!("{} 1/rad", told(tick)),
            );
        }
        body += &text(middle[0] + reach + 12.0, middle[1] + 4.0, "start", "", &self.axes[0]);
        body += &text(middle[0], middle[1] - reach - 12.0, "middle", "", &self.axes[1]);
        page(size, size, &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let scale = AxisScale::around([0.13, 9.7].into_iter(), [0.0, 1.0]);
        assert_eq!(scale.ticks(), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!([0.0, 0.25, 1234.5, 2e-7, -3e9].map(told), ["0", "0.25", "1234.5", "2e-7", "-3e9"]);
        assert!(AxisScale::around([5.0].into_iter(), [0.0, 1.0]).ticks().len() > 2);
        let values = |from: f64, to: f64| {
            let scale = AxisScale::around([from, to].into_iter(), [0.0, 1.0]);
            decades(&scale).into_iter().map(|tick| told(10f64.powf(tick))).collect::<Vec<_>>()
        };
        assert_eq!(values(-1.8, -0.2), ["0.02", "0.05", "0.1", "0.2", "0.5"]);
        assert_eq!(values(-3.5, 1.0), ["0.001", "0.01", "0.1", "1", "10"]);
    }

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
        assert!(Rose::default().svg().ends_with("</svg>\n"));
    }
}
