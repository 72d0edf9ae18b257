//! A picture as a file.

use std::path::Path;

use super::scheme::PictureOptions;
use super::survey::Survey;
use super::{Drawing, plane, space};
use crate::base::error::{Error, Result};
use crate::graphics::Format;

/// What to do instead of drawing 3D as vector graphics.
pub const ONLY_PNG: &str = "a picture in three dimensions is made of pixels; name a file that ends in .png";

/// Draws a picture into a file.
pub fn draw(drawing: &Drawing, survey: &Survey, options: &PictureOptions, format: Format, path: &Path) -> Result<()> {
    let bytes = match (options.dimension, format) {
        (2, _) => format.encode(plane::svg(drawing, survey, options))?,
        (_, Format::Png) => png(drawing, survey, options)?,
        (_, Format::Svg | Format::Pdf) => return Err(Error::system("write", path, ONLY_PNG)),
    };
    std::fs::write(path, bytes).map_err(|e| Error::system("write", path, e))
}

/// Draws a picture as the contents of a PNG file.
pub fn png(drawing: &Drawing, survey: &Survey, options: &PictureOptions) -> Result<Vec<u8>> {
    match options.dimension {
        2 => Format::Png.encode(plane::svg(drawing, survey, options)),
        _ => space::image(drawing, survey, options)?.png(),
    }
}
