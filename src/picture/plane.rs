//! 2D pictures as SVG: walls, disks with a spoke, polygons, force chains.

use super::chains::{ChainLink, links};
use super::colour::Colour;
use super::legend::Layout;
use super::marks::{Dot, Edge, PixelPoint, disk, dots, layer, lines, polygon};
use super::scheme::{PictureOptions, Scheme};
use super::survey::Survey;
use super::wall::{self, DrawnWall, clip};
use super::{Drawing, ImagePoint};
use crate::graphics::SvgWriter;

const WALL: u32 = 0xe3e6ea;
const HATCH: u32 = 0xb4bbc3;
const FACE: u32 = 0x6b747e;
/// Thickness of walls, px in a picture 1200 wide.
const THICK: f64 = 18.0;
/// Spacing of hatching lines, px in a picture 1200 wide.
const HATCHING: f64 = 9.0;

/// Mapping from the scene to the picture.
struct View {
    /// Visible box, m.
    bounds: [ImagePoint; 2],
    /// Scale, px/m.
    scale: f64,
    /// Position of the centre of the box in the picture.
    centre: PixelPoint,
}

impl View {
    fn project(&self, point: &ImagePoint) -> PixelPoint {
        let middle = 0.5 * (self.bounds[0] + self.bounds[1]);
        [self.centre[0] + self.scale * (point.x - middle.x), self.centre[1] - self.scale * (point.y - middle.y)]
    }
}

/// Draws the whole picture as the contents of an SVG file.
pub(super) fn svg(drawing: &Drawing, survey: &Survey, options: &PictureOptions) -> String {
    let [mut min, mut max] = options.view.unwrap_or_else(|| survey.view(&drawing.walls));
    let has_panel = options.has_panel();
    let mut layout = Layout::new(options.width, options.height, [max.x - min.x, max.y - min.y], has_panel);
    let pad = if options.view.is_some() || drawing.walls.is_empty() { 2.0 } else { THICK + 4.0 };
    let [left, top, right, bottom] = layout.area;
    let inner = |from: f64, to: f64| (to - from - 2.0 * pad * layout.unit).max(1.0);
    let size = |k: usize| (max[k] - min[k]).max(f64::MIN_POSITIVE);
    let fit = (inner(left, right) / size(0)).min(inner(top, bottom) / size(1));
    // If the picture is narrower than its area, the legend moves in with it.
    let used = (fit * size(0) + 2.0 * pad * layout.unit).max(0.4 * (right - left));
    let slack = (right - left - used).max(0.0);
    layout.area = [left + 0.5 * slack, top, right - 0.5 * slack, bottom];
    let [left, top, right, bottom] = layout.area;
    let scale = options.zoom * fit;
    let middle = 0.5 * (min + max);
    let half_extent = |from: f64, to: f64| 0.5 * (to - from) / scale;
    (min.x, max.x) = (middle.x - half_extent(left, right), middle.x + half_extent(left, right));
    (min.y, max.y) = (middle.y - half_extent(top, bottom), middle.y + half_extent(top, bottom));
    let view = View { bounds: [min, max], scale, centre: [0.5 * (left + right), 0.5 * (top + bottom)] };
    let scheme = Scheme::new(survey, options);
    let mut svg = SvgWriter::new(layout.width as f64, layout.height as f64);
    svg.element("title").text(&options.title);
    svg.background();
    if !drawing.walls.is_empty() {
        walls(&mut svg, drawing, &view, layout.unit);
    }
    if options.bodies {
        bodies(&mut svg, drawing, &view, &scheme);
    }
    if options.chains {
        chains(&mut svg, drawing, survey, &view);
    }
    layout.margins(&mut svg);
    layout.caption(&mut svg, &options.title, drawing.time);
    layout.scale_bar(&mut svg, scale);
    layout.keys(&mut svg, &scheme, survey, options.chains, scale);
    svg.finish()
}

fn bodies(svg: &mut SvgWriter, drawing: &Drawing, view: &View, scheme: &Scheme) {
    let is_in = |at: &ImagePoint, more: f64| {
        let [min, max] = view.bounds;
        at.x > min.x - more && at.x < max.x + more && at.y > min.y - more && at.y < max.y + more
    };
    let outline = |radius: f64, fill: Colour| {
        let width = (0.06 * radius * view.scale).clamp(0.0, 1.2);
        Edge { colour: scheme.outline(fill), width: if width < 0.15 { 0.0 } else { width } }
    };
    // A body of several parts is drawn without lines between them.
    let mut parts = vec![0u32; drawing.bodies.len()];
    drawing.faces.iter().for_each(|face| parts[face.body] += 1);
    drawing.balls.iter().for_each(|ball| parts[ball.body] += 1);
    layer(svg, "bodies");
    for face in &drawing.faces {
        let body = &drawing.bodies[face.body];
        if is_in(&body.centre, body.radius) {
            let fill = scheme.face_colour(face, body);
            let own = outline(body.radius, fill);
            let edge = if parts[face.body] > 1 { Edge { colour: fill, width: 0.6 } } else { own };
            let corners: Vec<PixelPoint> = face.corners.iter().map(|at| view.project(at)).collect();
            polygon(svg, &corners, fill, edge);
        }
    }
    let mut small = Vec::new();
    for ball in drawing.balls.iter().filter(|ball| is_in(&ball.centre, ball.radius)) {
        let fill = scheme.colour(&drawing.bodies[ball.body]);
        let edge = if parts[ball.body] > 1 { Edge::none() } else { outline(ball.radius, fill) };
        let (centre, radius) = (view.project(&ball.centre), ball.radius * view.scale);
        if edge.width == 0.0 {
            small.push(Dot { centre, radius, fill });
            continue;
        }
        disk(svg, centre, radius, Some(fill), edge);
        if radius > 3.0 {
            let tip = view.project(&(ball.centre + ball.spoke * (0.9 * ball.radius)));
            lines(svg, &[[centre, tip]], edge);
        }
    }
    dots(svg, small);
    svg.close();
}

/// Draws force chains, weak ones first; those drawn alike are one path.
fn chains(svg: &mut SvgWriter, drawing: &Drawing, survey: &Survey, view: &View) {
    let line = |link: &ChainLink| {
        let edge = Edge { colour: link.colour(), width: (2.0 * link.half_width * view.scale).max(0.25) };
        (link.ends.map(|end| view.project(&end)), edge)
    };
    let all: Vec<([PixelPoint; 2], Edge)> = links(drawing, survey.force, survey.radius).iter().map(line).collect();
    if all.is_empty() {
        return;
    }
    layer(svg, "chains");
    for alike in all.chunk_by(|a, b| a.1.is_like(&b.1)) {
        let ends: Vec<[PixelPoint; 2]> = alike.iter().map(|(ends, _)| *ends).collect();
        lines(svg, &ends, alike[0].1);
    }
    svg.close();
}

/// Bands of plane walls: their corners, clipped to the visible box, and the line of the wall itself.
fn bands(drawing: &Drawing, view: &View, thick: f64) -> Vec<(Vec<PixelPoint>, [PixelPoint; 2])> {
    let [min, max] = view.bounds;
    let (low, high) = (ImagePoint::new(min.x, min.y, -1.0), ImagePoint::new(max.x, max.y, 1.0));
    let inside = [(low, ImagePoint::x()), (low, ImagePoint::y()), (high, -ImagePoint::x()), (high, -ImagePoint::y())];
    let band = |([from, to], normal): ([ImagePoint; 2], ImagePoint)| {
        let along = normal.cross(&ImagePoint::z());
        // Extend the bands of walls beyond their ends to close the gap at corners.
        let beyond = along * (thick / view.scale);
        let band = [from - beyond, to + beyond].map(|end| ImagePoint::new(end.x, end.y, 0.0));
        let back = normal * (thick / view.scale);
        let corners = vec![band[0], band[1], band[1] - back, band[0] - back];
        let corners = inside.iter().fold(corners, |corners, (point, out)| clip(&corners, *point, *out));
        (corners.iter().map(|at| view.project(at)).collect(), [view.project(&from), view.project(&to)])
    };
    wall::wall_lines(&drawing.walls, view.bounds).into_iter().map(band).collect()
}

fn walls(svg: &mut SvgWriter, drawing: &Drawing, view: &View, unit: f64) {
    let thick = THICK * unit;
    let line = |width: f64, code: u32| Edge { colour: Colour::hex(code), width: width * unit };
    let bands = bands(drawing, view, thick);
    layer(svg, "walls");
    bands.iter().for_each(|(corners, _)| polygon(svg, corners, Colour::hex(WALL), Edge::none()));
    bands.iter().for_each(|(corners, _)| lines(svg, &hatching(corners, HATCHING * unit), line(0.9, HATCH)));
    for wall in &drawing.walls {
        match wall {
            DrawnWall::Drum { centre, radius, .. } => {
                let (centre, radius) = (view.project(centre), radius * view.scale);
                disk(svg, centre, radius + 0.5 * thick, None, line(THICK, WALL));
                let count = (std::f64::consts::TAU * radius / (HATCHING * unit)).round().clamp(24.0, 2000.0);
                let spoke = |k: usize| {
                    let angle = std::f64::consts::TAU * k as f64 / count;
                    let at = |angle: f64, r: f64| [centre[0] + r * angle.cos(), centre[1] + r * angle.sin()];
                    [at(angle, radius), at(angle + thick / radius, radius + thick)]
                };
                let spokes: Vec<[PixelPoint; 2]> = (0..count as usize).map(spoke).collect();
                lines(svg, &spokes, line(0.9, HATCH));
                disk(svg, centre, radius, None, line(1.6, FACE));
            }
            DrawnWall::Segment { ends, .. } => lines(svg, &[ends.map(|end| view.project(&end))], line(3.0, FACE)),
            DrawnWall::Plane { .. } => {}
        }
    }
    let faces: Vec<[PixelPoint; 2]> = bands.iter().map(|(_, face)| *face).collect();
    lines(svg, &faces, line(1.6, FACE));
    svg.close();
}

/// Diagonal lines across a convex polygon, `step` apart; lines of adjacent polygons are continuous.
fn hatching(corners: &[PixelPoint], step: f64) -> Vec<[PixelPoint; 2]> {
    let height = |[x, y]: PixelPoint| x + y;
    let heights = || corners.iter().map(|&corner| height(corner));
    let spacing = step * std::f64::consts::SQRT_2;
    let first = (heights().fold(f64::INFINITY, f64::min) / spacing).ceil() as i64;
    let last = (heights().fold(f64::NEG_INFINITY, f64::max) / spacing).floor() as i64;
    let line_at = |k: i64| {
        let level = k as f64 * spacing;
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        let mut ends = edges.filter_map(|(a, b)| {
            let (height_a, height_b) = (height(*a) - level, height(*b) - level);
            let share = height_a / (height_a - height_b);
            ((height_a < 0.0) != (height_b < 0.0)).then(|| [0, 1].map(|k| a[k] + share * (b[k] - a[k])))
        });
        Some([ends.next()?, ends.next()?])
    };
    (first..=last).filter_map(line_at).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Chain, DrawnBall, DrawnBody, FieldQuantity};
    use super::*;

    #[test]
    fn two_disks_are_two_circles_at_their_positions() {
        let body = |x: f64| DrawnBody {
            id: 0,
            centre: ImagePoint::new(x, 1.0, 0.0),
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 1.0,
            orientation: Default::default(),
        };
        let bodies = vec![body(1.0), body(3.0)];
        let ball = |k: usize| DrawnBall { centre: bodies[k].centre, radius: 1.0, spoke: ImagePoint::x(), body: k };
        let drawing = Drawing { balls: vec![ball(0), ball(1)], bodies: bodies.clone(), ..Drawing::default() };
        let mut survey = Survey::new(FieldQuantity::Speed, 2);
        survey.add(&drawing);
        let options = PictureOptions { by: FieldQuantity::None, title: "two".into(), ..PictureOptions::default() };
        let text = svg(&drawing, &survey, &options);
        let circles: Vec<[f64; 3]> = text.lines().filter_map(circle).collect();
        let [[left, top, radius], [right, ..]] = circles[..] else { panic!("{circles:?}") };
        // Side by side, they touch and fill the height of the layout except two pixels on each side; numbers are
        // rounded to 0.01.
        assert!((right - left - 2.0 * radius).abs() < 0.02 && top == circles[1][1]);
        assert!((2.0 * radius - (0.5 * (1200.0 - 2.0 * 36.0) - 4.0)).abs() < 0.02, "{radius}");
    }

    /// Centre and radius of a circle.
    fn circle(element: &str) -> Option<[f64; 3]> {
        let attribute = |name: &str| {
            let (_, rest) = element.split_once(&format!(" {name}=\""))?;
            rest.split('"').next()?.parse().ok()
        };
        element.starts_with("<circle ").then_some([attribute("cx")?, attribute("cy")?, attribute("r")?])
    }

    #[test]
    fn disks_too_small_for_an_outline_are_dots_and_equal_chains_one_path() {
        let body = |x: f64| DrawnBody {
            id: 0,
            centre: ImagePoint::new(x, 0.0, 0.0),
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 0.001,
            orientation: Default::default(),
        };
        let bodies: Vec<DrawnBody> = [0.0, 0.5, 1.0].map(body).to_vec();
        let ball = |k: usize| DrawnBall { centre: bodies[k].centre, radius: 0.001, spoke: ImagePoint::x(), body: k };
        let chain = |k: usize| Chain {
            ends: [bodies[k].centre, bodies[k + 1].centre],
            bodies: [Some(k), Some(k + 1)],
            force: 2.0,
        };
        let drawing = Drawing {
            balls: (0..3).map(ball).collect(),
            chains: (0..2).map(chain).collect(),
            bodies: bodies.clone(),
            ..Drawing::default()
        };
        let mut survey = Survey::new(FieldQuantity::Speed, 2);
        survey.add(&drawing);
        let options = PictureOptions { by: FieldQuantity::None, chains: true, ..PictureOptions::default() };
        let text = svg(&drawing, &survey, &options);
        let layer = |name: &str| {
            let from = text.find(&format!("id=\"{name}\"")).unwrap();
            text[from..].split("</g>").next().unwrap().to_owned()
        };
        assert_eq!((text.matches("<circle").count(), layer("bodies").matches("<path").count()), (0, 1));
        assert_eq!(layer("bodies").matches('M').count(), 3);
        assert_eq!((layer("chains").matches("<path").count(), layer("chains").matches('M').count()), (1, 2));
    }

    #[test]
    fn a_hatching_stays_within_its_polygon() {
        let square = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        let lines = hatching(&square, 2.0);
        assert!(lines.len() >= 6);
        assert!(lines.iter().flatten().flatten().all(|&x| (-1e-9..=10.0 + 1e-9).contains(&x)));
    }
}
