//! Options of a picture and its output file.

use std::path::Path;

use super::paint::Canvas;
use super::scheme::PictureOptions;
use super::survey::Survey;
use super::{Drawing, plane, space, svg};
use crate::base::error::{Error, Result};

/// File format of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Vector graphics, 2D only.
    Svg,
    /// Raster image.
    Png,
}

/// Draws a picture into a file.
pub fn draw(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions, format: Format, path: &Path) -> Result<()> {
    match (wishes.dimension, format) {
        (2, Format::Svg) => {
            let text = svg::write(&plane::sheet(drawing, survey, wishes), &wishes.title);
            std::fs::write(path, text).map_err(|e| Error::system("write", path, e))
        }
        (_, Format::Png) => image(drawing, survey, wishes).save(path),
        (_, Format::Svg) => Err(Error::system(
            "draw",
            path,
            "a scene in three dimensions needs a PNG; give a file name that ends in .png",
        )),
    }
}

/// Draws a picture as the contents of a PNG file.
pub fn png(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions) -> Result<Vec<u8>> {
    image(drawing, survey, wishes).png()
}

fn image(drawing: &Drawing, survey: &Survey, wishes: &PictureOptions) -> Canvas {
    if wishes.dimension != 2 {
        return space::image(drawing, survey, wishes);
    }
    let sheet = plane::sheet(drawing, survey, wishes);
    let mut image = Canvas::blank(sheet.width, sheet.height);
    image.paint(&sheet);
    image
}
