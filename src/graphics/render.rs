//! SVG documents as pixels and as PDF, with the embedded font alone, so that pictures are the same on every machine.

use std::sync::Arc;

use resvg::tiny_skia::{IntSize, Pixmap, Transform};
use resvg::usvg;

use crate::base::error::{Error, Result};

/// The faces of Arimo; `font/README.md` says where they come from.
const FACES: [&[u8]; 2] = [include_bytes!("font/Arimo-Regular.ttf"), include_bytes!("font/Arimo-Bold.ttf")];
/// Pixels per inch of a printed page, as in SVG.
const PIXELS_PER_INCH: f32 = 96.0;

/// An image of opaque pixels.
pub(crate) struct Canvas(Pixmap);

impl Canvas {
    /// An image of these pixels, in rows of `width` from the top.
    pub(crate) fn new(width: usize, pixels: impl Iterator<Item = [u8; 3]>) -> Result<Self> {
        let bytes: Vec<u8> = pixels.flat_map(|[red, green, blue]| [red, green, blue, u8::MAX]).collect();
        let height = bytes.len() / (4 * width).max(1);
        let size = IntSize::from_wh(width as u32, height as u32);
        let pixels = size.and_then(|size| Pixmap::from_vec(bytes, size));
        pixels.map(Self).ok_or_else(|| failed("it has no pixels"))
    }

    /// Paints an SVG document on the image.
    pub(crate) fn paint(&mut self, svg: &str) -> Result<()> {
        resvg::render(&tree(svg)?, Transform::identity(), &mut self.0.as_mut());
        Ok(())
    }

    /// Pixels, row by row from the top.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = [u8; 3]> {
        self.0.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()])
    }

    /// Encodes the image as PNG.
    pub(crate) fn png(&self) -> Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.0.width(), self.0.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let bytes: Vec<u8> = self.pixels().flatten().collect();
        let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&bytes));
        written.map_err(failed)?;
        Ok(file)
    }
}

/// An SVG document on white paper, as PNG.
pub(super) fn png(svg: &str) -> Result<Vec<u8>> {
    let tree = tree(svg)?;
    let size = tree.size().to_int_size();
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or_else(|| failed("it has no pixels"))?;
    pixels.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Canvas(pixels).png()
}

/// An SVG document as a page of PDF. The order of its fonts in the file is random.
pub(super) fn pdf(svg: &str) -> Result<Vec<u8>> {
    let page = svg2pdf::PageOptions { dpi: PIXELS_PER_INCH };
    svg2pdf::to_pdf(&tree(svg)?, svg2pdf::ConversionOptions::default(), page).map_err(failed)
}

fn tree(svg: &str) -> Result<usvg::Tree> {
    let mut fonts = usvg::fontdb::Database::new();
    FACES.iter().for_each(|face| fonts.load_font_data(face.to_vec()));
    let options = usvg::Options { fontdb: Arc::new(fonts), font_family: "Arimo".into(), ..usvg::Options::default() };
    usvg::Tree::from_str(svg, &options).map_err(|error| match error {
        usvg::Error::ElementsLimitReached => failed(
            "it has more than a million elements; a smaller width draws small bodies together, an .svg has no limit",
        ),
        _ => failed(error),
    })
}

fn failed(reason: impl ToString) -> Error {
    Error::system("draw", "a picture", reason)
}

#[cfg(test)]
mod tests {
    use super::super::svg::SvgWriter;
    use super::*;

    /// Total coverage by black, px.
    fn ink(draw: impl FnOnce(&mut SvgWriter)) -> f64 {
        let mut svg = SvgWriter::new(40.0, 40.0);
        draw(&mut svg);
        let mut image = Canvas::new(40, [[255; 3]; 1600].into_iter()).unwrap();
        image.paint(&svg.finish()).unwrap();
        image.pixels().map(|[red, ..]| 1.0 - f64::from(red) / 255.0).sum()
    }

    #[test]
    fn shapes_cover_their_area() {
        let disk = ink(|svg| svg.element("circle").number("cx", 20.0).number("cy", 20.0).number("r", 10.0).end());
        assert!((disk / (100.0 * std::f64::consts::PI) - 1.0).abs() < 0.02, "{disk}");
        let line = ink(|svg| {
            svg.element("path").set("d", "M5 20H35").set("stroke", "#000").number("stroke-width", 0.3).end();
        });
        assert!((line / 9.0 - 1.0).abs() < 0.2, "{line}");
    }

    #[test]
    fn letters_are_drawn_in_the_embedded_font_and_bold_ones_are_darker() {
        let words = |words: &'static str, weight: &'static str| {
            ink(|svg| {
                let text = svg.element("text").number("x", 2.0).number("y", 30.0).number("font-size", 20.0);
                text.set("font-weight", weight).text(words);
            })
        };
        // A stem of a capital I is as high as a capital, 0.72 of the size, and a tenth of the size wide.
        let stem = words("I", "normal");
        assert!((15.0..50.0).contains(&stem), "{stem}");
        assert!(words("I", "bold") > 1.2 * stem);
        // Coverage depends a little on where a stem lies between pixels.
        assert!((words("II", "normal") / stem - 2.0).abs() < 0.2);
        assert!(["µ", "σ", "²", "é", "Ж"].iter().all(|letter| words(letter, "normal") > 2.0));
    }

    #[test]
    fn a_pdf_keeps_text_as_text_and_with_one_font_is_the_same_each_time() {
        let mut svg = SvgWriter::new(40.0, 40.0);
        svg.element("text").number("x", 2.0).number("y", 30.0).text("speed");
        let svg = svg.finish();
        let file = pdf(&svg).unwrap();
        assert!(file.starts_with(b"%PDF-") && file == pdf(&svg).unwrap());
        assert!(file.windows(5).any(|five| five == b"Arimo"));
    }
}
