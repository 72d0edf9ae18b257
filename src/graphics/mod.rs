//! Vector graphics: one SVG writer, charts of numbers, and SVG as PNG or PDF.
//!
//! Input: numbers and words. Output: SVG documents, or files of them in the format that the extension selects.
//! The same input gives the same bytes, except for the order of fonts in a PDF.

mod axis;
mod chart;
mod render;
mod rose;
mod svg;

use std::path::Path;

use crate::base::error::{Error, Result};

pub(crate) use axis::{AxisScale, format_number};
pub use chart::{Chart, Curve};
pub(crate) use render::Canvas;
pub use rose::Rose;
pub(crate) use svg::{Short, SvgElement, SvgWriter, escaped};

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Vector graphics for the web and for editing.
    Svg,
    /// Vector graphics for print.
    Pdf,
    /// Raster image.
    Png,
}

impl Format {
    /// The format for the extension of a file.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().map(|own| own.to_string_lossy().to_lowercase());
        match ending.as_deref() {
            Some("svg") => Ok(Format::Svg),
            Some("pdf") => Ok(Format::Pdf),
            Some("png") => Ok(Format::Png),
            _ => Err(Error::system("write", path, "a picture ends in .svg, .pdf or .png")),
        }
    }

    /// How the names of its files end.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Pdf => "pdf",
            Format::Png => "png",
        }
    }

    /// An SVG document as the contents of a file of this format.
    pub(crate) fn encode(self, svg: String) -> Result<Vec<u8>> {
        match self {
            Format::Svg => Ok(svg.into_bytes()),
            Format::Pdf => render::pdf(&svg),
            Format::Png => render::png(&svg),
        }
    }
}

/// Writes an SVG document to a file, in the format for its extension.
pub(crate) fn save(svg: String, path: &Path) -> Result<()> {
    let bytes = Format::of(path)?.encode(svg)?;
    std::fs::write(path, bytes).map_err(|e| Error::system("write", path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_decides_its_format_and_others_are_refused() {
        let formats = [Format::Svg, Format::Pdf, Format::Png];
        assert!(
            formats
                .iter()
                .all(|format| Format::of(Path::new("a.b").join(format!("x.{}", format.ending())).as_path()).unwrap()
                    == *format)
        );
        assert_eq!(Format::of(Path::new("X.PNG")).unwrap(), Format::Png);
        assert!(Format::of(Path::new("x.jpg")).unwrap_err().to_string().contains(".svg, .pdf or .png"));
        let starts = formats.map(|format| format.encode(Chart::default().svg()).unwrap()[..4].to_vec());
        assert_eq!(starts, [b"<svg".to_vec(), b"%PDF".to_vec(), b"\x89PNG".to_vec()]);
    }
}
