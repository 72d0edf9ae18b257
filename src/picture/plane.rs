//! 2D pictures as marks: walls, disks with a spoke, polygons, force chains.

use super::chains::links;
use super::colour::Colour;
use super::legend::Layout;
use super::scheme::{PictureOptions, Scheme};
use super::sheet::{Edge, LabelPlace, Layer, Mark, SvgSheet};
use super::survey::Survey;
use super::wall::{self, DrawnWall, clip};
use super::{Drawing, ImagePoint};

const WALL: u32 = 0xe3e6ea;
const HATCH: u32 = 0xb4bbc3;
const FACE: u32 = 0x6b747e;
/// Thickness of walls, px on a sheet 1200 wide.
const THICK: f64 = 18.0;
/// Spacing of hatching lines, px on a sheet 1200 wide.
const HATCHING: f64 = 9.0;

/// Mapping from the scene to the sheet.
struct View {
    /// Visible box, m.
    bounds: [ImagePoint; 2],
    /// Scale, px/m.
    scale: f64,
    /// Position of the centre of the box on the sheet.
    centre: LabelPlace,
}

impl View {
    fn place(&self, point: &ImagePoint) -> LabelPlace {
        let middle = 0.5 * (self.bounds[0] + self.bounds[1]);
        [self.centre[0] + self.scale * (point.x - middle.x), self.centre[1] - self.scale * (point.y - middle.y)]
    }
}

/// Builds the whole sheet.
pub(super) fn sheet(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions) -> SvgSheet {
    let [mut min, mut max] = wishes.view.unwrap_or_else(|| survey.view(&drawing.walls));
    let has_panel = wishes.has_panel();
    let mut layout = Layout::new(wishes.width, wishes.height, [max.x - min.x, max.y - min.y], has_panel);
    let pad = if wishes.view.is_some() || drawing.walls.is_empty() { 2.0 } else { THICK + 4.0 };
    let [left, top, right, bottom] = layout.area;
    let room = |from: f64, to: f64| (to - from - 2.0 * pad * layout.unit).max(1.0);
    let size = |k: usize| (max[k] - min[k]).max(f64::MIN_POSITIVE);
    let fit = (room(left, right) / size(0)).min(room(top, bottom) / size(1));
    // If the picture is narrower than its area, the legend moves in with it.
    let used = (fit * size(0) + 2.0 * pad * layout.unit).max(0.4 * (right - left));
    let spare = (right - left - used).max(0.0);
    layout.area = [left + 0.5 * spare, top, right - 0.5 * spare, bottom];
    let [left, top, right, bottom] = layout.area;
    let scale = wishes.zoom * fit;
    let middle = 0.5 * (min + max);
    let reach = |from: f64, to: f64| 0.5 * (to - from) / scale;
    (min.x, max.x) = (middle.x - reach(left, right), middle.x + reach(left, right));
    (min.y, max.y) = (middle.y - reach(top, bottom), middle.y + reach(top, bottom));
    let view = View { bounds: [min, max], scale, centre: [0.5 * (left + right), 0.5 * (top + bottom)] };
    let scheme = Scheme::new(survey, wishes);
    let mut layers = vec![walls(drawing, &view, layout.unit)];
    if wishes.bodies {
        layers.push(bodies(drawing, &view, &scheme));
    }
    let chains = if wishes.chains { links(drawing, survey.force, survey.radius) } else { Vec::new() };
    let line = |link: &super::chains::ChainLink| Mark::Lines {
        ends: vec![link.ends.map(|end| view.place(&end))],
        edge: Edge { colour: link.colour(), width: (2.0 * link.half * scale).max(0.25) },
    };
    layers.push(Layer { name: "chains", marks: chains.iter().map(line).collect() });
    layers.extend([layout.margins(), layout.caption(&wishes.title, drawing.time), layout.scale_bar(scale)]);
    layers.extend(layout.keys(&scheme, survey, wishes.chains, scale));
    SvgSheet { width: layout.width, height: layout.height, layers }
}

fn bodies(drawing: &Drawing, view: &View, scheme: &Scheme) -> Layer {
    let mut marks = Vec::with_capacity(drawing.balls.len() + drawing.sides.len());
    let is_in = |at: &ImagePoint, more: f64| {
        let [min, max] = view.bounds;
        at.x > min.x - more && at.x < max.x + more && at.y > min.y - more && at.y < max.y + more
    };
    let rim = |radius: f64, fill: Colour| {
        let width = (0.06 * radius * view.scale).clamp(0.0, 1.2);
        Edge { colour: scheme.rim(fill), width: if width < 0.15 { 0.0 } else { width } }
    };
    // A body of several parts is drawn without lines between them.
    let mut parts = vec![0u32; drawing.bodies.len()];
    drawing.sides.iter().for_each(|side| parts[side.body] += 1);
    drawing.balls.iter().for_each(|ball| parts[ball.body] += 1);
    for side in &drawing.sides {
        let body = &drawing.bodies[side.body];
        if is_in(&body.centre, body.radius) {
            let fill = scheme.colour(body);
            let own = rim(body.radius, fill);
            let edge = if parts[side.body] > 1 { Edge { colour: fill, width: 0.6 } } else { own };
            marks.push(Mark::Polygon { corners: side.corners.iter().map(|at| view.place(at)).collect(), fill, edge });
        }
    }
    for ball in drawing.balls.iter().filter(|ball| is_in(&ball.centre, ball.radius)) {
        let fill = scheme.colour(&drawing.bodies[ball.body]);
        let edge = if parts[ball.body] > 1 { Edge::none() } else { rim(ball.radius, fill) };
        let (centre, radius) = (view.place(&ball.centre), ball.radius * view.scale);
        marks.push(Mark::Disk { centre, radius, fill, edge });
        if edge.width > 0.0 && radius > 3.0 {
            let tip = view.place(&(ball.centre + ball.spoke * (0.9 * ball.radius)));
            marks.push(Mark::Lines { ends: vec![[centre, tip]], edge });
        }
    }
    Layer { name: "bodies", marks }
}

fn walls(drawing: &Drawing, view: &View, unit: f64) -> Layer {
    let mut marks = Vec::new();
    let thick = THICK * unit;
    let line = |width: f64, code: u32| Edge { colour: Colour::hex(code), width: width * unit };
    let [min, max] = view.bounds;
    let mut lines = Vec::new();
    for ([from, to], normal) in wall::lines(&drawing.walls, view.bounds) {
        let along = normal.cross(&ImagePoint::z());
        // Extend the bands of walls beyond their ends to close the gap at corners.
        let beyond = along * (thick / view.scale);
        let band = [from - beyond, to + beyond].map(|end| ImagePoint::new(end.x, end.y, 0.0));
        let back = normal * (thick / view.scale);
        let corners = vec![band[0], band[1], band[1] - back, band[0] - back];
        let (low, high) = (ImagePoint::new(min.x, min.y, -1.0), ImagePoint::new(max.x, max.y, 1.0));
        let inside =
            [(low, ImagePoint::x()), (low, ImagePoint::y()), (high, -ImagePoint::x()), (high, -ImagePoint::y())];
        let corners = inside.iter().fold(corners, |corners, (point, out)| clip(&corners, *point, *out));
        let corners: Vec<LabelPlace> = corners.iter().map(|at| view.place(at)).collect();
        marks.insert(0, Mark::Polygon { corners: corners.clone(), fill: Colour::hex(WALL), edge: Edge::none() });
        marks.push(Mark::Lines { ends: hatching(&corners, HATCHING * unit), edge: line(0.9, HATCH) });
        lines.push([view.place(&from), view.place(&to)]);
    }
    for wall in &drawing.walls {
        match wall {
            DrawnWall::Drum { centre, radius, .. } => {
                let (centre, radius) = (view.place(centre), radius * view.scale);
                marks.push(Mark::Ring { centre, radius: radius + 0.5 * thick, edge: line(THICK, WALL) });
                let count = (std::f64::consts::TAU * radius / (HATCHING * unit)).round().clamp(24.0, 2000.0);
                let spoke = |k: usize| {
                    let turn = std::f64::consts::TAU * k as f64 / count;
                    let at = |turn: f64, r: f64| [centre[0] + r * turn.cos(), centre[1] + r * turn.sin()];
                    [at(turn, radius), at(turn + thick / radius, radius + thick)]
                };
                marks.push(Mark::Lines { ends: (0..count as usize).map(spoke).collect(), edge: line(0.9, HATCH) });
                marks.push(Mark::Ring { centre, radius, edge: line(1.6, FACE) });
            }
            DrawnWall::Segment { ends, .. } => {
                let ends = vec![ends.map(|end| view.place(&end))];
                marks.push(Mark::Lines { ends, edge: line(3.0, FACE) });
            }
            DrawnWall::Plane { .. } => {}
        }
    }
    marks.push(Mark::Lines { ends: lines, edge: line(1.6, FACE) });
    Layer { name: "walls", marks }
}

/// Diagonal lines across a convex polygon, `step` apart; lines of adjacent polygons are continuous.
fn hatching(corners: &[LabelPlace], step: f64) -> Vec<[LabelPlace; 2]> {
    let height = |[x, y]: LabelPlace| x + y;
    let heights = || corners.iter().map(|&corner| height(corner));
    let apart = step * std::f64::consts::SQRT_2;
    let first = (heights().fold(f64::INFINITY, f64::min) / apart).ceil() as i64;
    let last = (heights().fold(f64::NEG_INFINITY, f64::max) / apart).floor() as i64;
    let cut = |k: i64| {
        let level = k as f64 * apart;
        let edges = corners.iter().zip(corners.iter().cycle().skip(1));
        let mut ends = edges.filter_map(|(a, b)| {
            let (here, there) = (height(*a) - level, height(*b) - level);
            let share = here / (here - there);
            ((here < 0.0) != (there < 0.0)).then(|| [0, 1].map(|k| a[k] + share * (b[k] - a[k])))
        });
        Some([ends.next()?, ends.next()?])
    };
    (first..=last).filter_map(cut).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{DrawnBall, DrawnBody, FieldQuantity};
    use super::*;
    use crate::picture::svg;

    #[test]
    fn two_disks_are_two_circles_at_their_places() {
        let body = |x: f64| DrawnBody {
            id: 0,
            centre: ImagePoint::new(x, 1.0, 0.0),
            velocity: ImagePoint::zeros(),
            spin: ImagePoint::zeros(),
            contacts: 0,
            radius: 1.0,
            turn: Default::default(),
        };
        let bodies = vec![body(1.0), body(3.0)];
        let ball = |k: usize| DrawnBall { centre: bodies[k].centre, radius: 1.0, spoke: ImagePoint::x(), body: k };
        let drawing = Drawing { balls: vec![ball(0), ball(1)], bodies: bodies.clone(), ..Drawing::default() };
        let mut survey = Survey::new(FieldQuantity::Speed, 2);
        survey.add(&drawing);
        let wishes = PictureOptions { by: FieldQuantity::None, title: "two".into(), ..PictureOptions::default() };
        let sheet = sheet(&drawing, &survey, &wishes);
        let circles: Vec<(LabelPlace, f64)> =
            sheet.layers.iter().flat_map(|layer| &layer.marks).filter_map(circle).collect();
        assert_eq!(circles.len(), 2);
        let ((left, radius), (right, _)) = (circles[0], circles[1]);
        // Side by side, they touch and fill the height of the layout except two pixels on each side.
        assert!((right[0] - left[0] - 2.0 * radius).abs() < 1e-9 && left[1] == right[1]);
        assert!((2.0 * radius - (0.5 * (1200.0 - 2.0 * 36.0) - 4.0)).abs() < 1e-9, "{radius}");
        let text = svg::write(&sheet, "two");
        assert_eq!(text.matches("<circle ").count(), 2);
        assert!(text.contains(&format!("r=\"{radius}\"")));
    }

    fn circle(mark: &Mark) -> Option<(LabelPlace, f64)> {
        match mark {
            Mark::Disk { centre, radius, .. } => Some((*centre, *radius)),
            _ => None,
        }
    }

    #[test]
    fn a_hatching_stays_within_its_polygon() {
        let square = [[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        let lines = hatching(&square, 2.0);
        assert!(lines.len() >= 6);
        assert!(lines.iter().flatten().flatten().all(|&x| (-1e-9..=10.0 + 1e-9).contains(&x)));
    }
}
