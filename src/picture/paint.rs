//! Rasterisation of a sheet: the coverage of a pixel by a mark follows from its distance to the edge of the mark.
//!
//! Bands of rows are painted in parallel, each with all marks in order, so the result is independent of the number of
//! threads.

use std::path::Path;

use rayon::prelude::*;

use super::colour::Colour;
use super::font;
use super::sheet::{Edge, LabelPlace, Mark, SvgSheet};
use crate::base::error::{Error, Result};

/// Rows per band.
const BAND: usize = 32;

/// Pixel colours, row by row from the top.
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) pixels: Vec<[f32; 3]>,
}

impl Canvas {
    /// A white canvas.
    pub(super) fn blank(width: usize, height: usize) -> Self {
        Self { width, pixels: vec![[1.0; 3]; width * height] }
    }

    /// Paints all marks of the sheet.
    pub(super) fn paint(&mut self, sheet: &SvgSheet) {
        let marks: Vec<PaintedShape> = sheet.layers.iter().flat_map(|layer| &layer.marks).flat_map(shapes).collect();
        let width = self.width;
        self.pixels.par_chunks_mut(BAND * width).enumerate().for_each(|(k, pixels)| {
            let rows = (BAND * k)..(BAND * k + pixels.len() / width);
            marks.iter().for_each(|mark| mark.paint(pixels, width, &rows));
        });
    }

    /// Writes the canvas to a PNG file.
    pub(super) fn save(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.png()?).map_err(|e| Error::system("write", path, e))
    }

    /// Encodes the canvas as PNG.
    pub(super) fn png(&self) -> Result<Vec<u8>> {
        let bytes: Vec<u8> = self.pixels.iter().flat_map(|pixel| Colour(pixel.map(f64::from)).bytes()).collect();
        let height = self.pixels.len() / self.width;
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
        written.map_err(|e| Error::system("write", "a picture", e))?;
        Ok(file)
    }
}

/// A shape of one colour with a distance function.
struct PaintedShape {
    outline: PaintedOutline,
    colour: Colour,
    /// Bounding box: left, top, right, bottom.
    extent: [f64; 4],
}

enum PaintedOutline {
    Disk {
        centre: LabelPlace,
        radius: f64,
    },
    Ring {
        centre: LabelPlace,
        radius: f64,
        half: f64,
    },
    /// Corners ordered so that the inside lies to the left of each edge.
    Polygon {
        corners: Vec<LabelPlace>,
    },
    /// Line segments.
    Lines {
        ends: Vec<[LabelPlace; 2]>,
        half: f64,
    },
}

impl PaintedShape {
    fn new(outline: PaintedOutline, colour: Colour) -> Self {
        let around = |points: &mut dyn Iterator<Item = LabelPlace>, more: f64| {
            points.fold([f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY], |e, [x, y]| {
                [e[0].min(x - more), e[1].min(y - more), e[2].max(x + more), e[3].max(y + more)]
            })
        };
        let extent = match &outline {
            PaintedOutline::Disk { centre, radius } => around(&mut [*centre].into_iter(), *radius),
            PaintedOutline::Ring { centre, radius, half } => around(&mut [*centre].into_iter(), radius + half),
            PaintedOutline::Polygon { corners } => around(&mut corners.iter().copied(), 0.0),
            PaintedOutline::Lines { ends, half } => around(&mut ends.iter().flatten().copied(), *half),
        };
        Self { outline, colour, extent }
    }

    /// Signed distance to the edge, px; positive inside.
    fn depth(&self, point: LabelPlace) -> f64 {
        match &self.outline {
            PaintedOutline::Disk { centre, radius } => radius - distance(point, *centre),
            PaintedOutline::Ring { centre, radius, half } => half - (distance(point, *centre) - radius).abs(),
            PaintedOutline::Polygon { corners } => {
                let next = corners.iter().cycle().skip(1);
                let sides = corners.iter().zip(next).map(|(a, b)| {
                    let (along, across) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
                    let length = along[0].hypot(along[1]);
                    if length > 0.0 { (along[0] * across[1] - along[1] * across[0]) / length } else { f64::INFINITY }
                });
                sides.fold(f64::INFINITY, f64::min)
            }
            PaintedOutline::Lines { ends, half } => {
                let nearest = ends.iter().map(|&ends| to_line(point, ends)).fold(f64::INFINITY, f64::min);
                half - nearest
            }
        }
    }

    fn paint(&self, pixels: &mut [[f32; 3]], width: usize, rows: &std::ops::Range<usize>) {
        let [left, top, right, bottom] = self.extent;
        let from = |least: f64, most: usize| ((least - 1.0).max(0.0) as usize).min(most);
        let to = |most: f64, limit: usize| ((most + 2.0).max(0.0) as usize).min(limit);
        // A line thinner than a pixel is painted fainter.
        let most = match &self.outline {
            PaintedOutline::Ring { half, .. } | PaintedOutline::Lines { half, .. } => (2.0 * half).min(1.0),
            _ => 1.0,
        };
        for y in from(top, rows.end).max(rows.start)..to(bottom, rows.end) {
            for x in from(left, width)..to(right, width) {
                let cover = (self.depth([x as f64 + 0.5, y as f64 + 0.5]) + 0.5).clamp(0.0, most) as f32;
                if cover > 0.0 {
                    let pixel = &mut pixels[(y - rows.start) * width + x];
                    *pixel = std::array::from_fn(|k| pixel[k] + cover * (self.colour.0[k] as f32 - pixel[k]));
                }
            }
        }
    }
}

fn distance(a: LabelPlace, b: LabelPlace) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn to_line(point: LabelPlace, [a, b]: [LabelPlace; 2]) -> f64 {
    let (along, way) = ([b[0] - a[0], b[1] - a[1]], [point[0] - a[0], point[1] - a[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = if square > 0.0 { (way[0] * along[0] + way[1] * along[1]) / square } else { 0.0 };
    let share = share.clamp(0.0, 1.0);
    distance(point, [a[0] + share * along[0], a[1] + share * along[1]])
}

/// The shapes of a mark, bottom first.
fn shapes(mark: &Mark) -> Vec<PaintedShape> {
    let is_there = |edge: &Edge| edge.width > 0.0;
    match mark {
        Mark::Disk { centre, radius, fill, edge } => {
            let half = 0.5 * edge.width;
            let ring = PaintedOutline::Ring { centre: *centre, radius: *radius, half };
            let ring = is_there(edge).then(|| PaintedShape::new(ring, edge.colour));
            let disk = PaintedShape::new(PaintedOutline::Disk { centre: *centre, radius: *radius }, *fill);
            std::iter::once(disk).chain(ring).collect()
        }
        Mark::Ring { centre, radius, edge } => {
            let ring = PaintedOutline::Ring { centre: *centre, radius: *radius, half: 0.5 * edge.width };
            vec![PaintedShape::new(ring, edge.colour)]
        }
        Mark::Polygon { corners, fill, edge } => {
            let next = || corners.iter().cycle().skip(1);
            let area: f64 = corners.iter().zip(next()).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
            let mut inside = corners.clone();
            if area < 0.0 {
                inside.reverse();
            }
            let ends: Vec<[LabelPlace; 2]> = corners.iter().zip(next()).map(|(a, b)| [*a, *b]).collect();
            let line = PaintedOutline::Lines { ends, half: 0.5 * edge.width };
            let line = is_there(edge).then(|| PaintedShape::new(line, edge.colour));
            std::iter::once(PaintedShape::new(PaintedOutline::Polygon { corners: inside }, *fill)).chain(line).collect()
        }
        // One shape per segment keeps the bounding boxes small.
        Mark::Lines { ends, edge } => ends
            .iter()
            .map(|&ends| {
                PaintedShape::new(PaintedOutline::Lines { ends: vec![ends], half: 0.5 * edge.width }, edge.colour)
            })
            .collect(),
        Mark::Text { at, size, bold, text, colour } => {
            let ends = font::strokes(text, *at, *size);
            vec![PaintedShape::new(PaintedOutline::Lines { ends, half: 0.5 * font::pen(*size, *bold) }, *colour)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::Layer;
    use super::*;

    fn painted(mark: Mark) -> Canvas {
        let mut image = Canvas::blank(40, 40);
        image.paint(&SvgSheet { width: 40, height: 40, layers: vec![Layer { name: "test", marks: vec![mark] }] });
        image
    }

    /// Total coverage, px.
    fn ink(image: &Canvas) -> f64 {
        image.pixels.iter().map(|pixel| 1.0 - f64::from(pixel[0])).sum()
    }

    #[test]
    fn marks_cover_their_area() {
        let (black, edge) = (Colour([0.0; 3]), Edge::none());
        let disk = painted(Mark::Disk { centre: [20.0, 20.0], radius: 10.0, fill: black, edge });
        assert!((ink(&disk) / (100.0 * std::f64::consts::PI) - 1.0).abs() < 0.01);
        let square = painted(Mark::rectangle([5.5, 5.5], [15.5, 25.5], black));
        assert!((ink(&square) / 200.0 - 1.0).abs() < 0.01, "{}", ink(&square));
        let thin = Edge { colour: black, width: 0.3 };
        let line = painted(Mark::Lines { ends: vec![[[5.0, 20.0], [35.0, 20.0]]], edge: thin });
        assert!((ink(&line) / 9.0 - 1.0).abs() < 0.2, "{}", ink(&line));
    }

    #[test]
    fn what_lies_outside_the_paper_is_left_out() {
        let black = Colour([0.0; 3]);
        let outside = painted(Mark::Disk { centre: [-50.0, 90.0], radius: 10.0, fill: black, edge: Edge::none() });
        assert_eq!(ink(&outside), 0.0);
    }
}
